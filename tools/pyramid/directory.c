/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from a directory of TIFF what it says about one picture of a pyramid and its tiles. */
#include <stdio.h>
#include <string.h>

#include "pyramid/pyramid.h"

enum {
    TAG_SUBFILE = 254,
    TAG_WIDTH = 256,
    TAG_HEIGHT = 257,
    TAG_BITS = 258,
    TAG_COMPRESSION = 259,
    TAG_PHOTOMETRIC = 262,
    TAG_STRIP_OFFSETS = 273,
    TAG_SAMPLES = 277,
    TAG_STRIP_ROWS = 278,
    TAG_STRIP_LENGTHS = 279,
    TAG_PLANAR = 284,
    TAG_TILE_WIDTH = 322,
    TAG_TILE_HEIGHT = 323,
    TAG_TILE_OFFSETS = 324,
    TAG_TILE_LENGTHS = 325,
    TAG_SAMPLE_FORMAT = 339,
    TAG_JPEG_TABLES = 347
};

enum { SIDE_MAX = 1 << 30, TILE_STEP = 16 /* TILE_STEP: sides of tiles are multiples of it (TIFF 6.0, section 15) */ };

static const struct {
    uint32_t compression;
    const char *name;
} compressions[] = {{1, "none"}, {2, "CCITT RLE"}, {3, "CCITT Group 3"}, {4, "CCITT Group 4"}, {5, "LZW"},
    {COMPRESSED_JPEG_OLD, "old-style JPEG"}, {COMPRESSED_JPEG, "JPEG"}, {8, "Deflate"}, {22610, "JPEG XR"},
    {32773, "PackBits"}, {32946, "Deflate"}, {COMPRESSED_J2K_YCBCR, "JPEG 2000 (Aperio, YCbCr)"},
    {COMPRESSED_J2K_LOSSY, "JPEG 2000 (lossy)"}, {COMPRESSED_J2K_RGB, "JPEG 2000 (Aperio, RGB)"}, {33007, "JPEG"},
    {COMPRESSED_J2K, "JPEG 2000"}, {34925, "LZMA"}, {50000, "Zstandard"}, {50001, "WebP"}, {50002, "JPEG XL"}};

const char *pyramid_compression_name(uint32_t compression)
{
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        if (compressions[i].compression == compression)
            return compressions[i].name;
    return "unknown";
}

bool pyramid_is_j2k(const struct pyramid_image *image)
{
    return image->compression == COMPRESSED_J2K || image->compression == COMPRESSED_J2K_LOSSY ||
           image->compression == COMPRESSED_J2K_RGB || image->compression == COMPRESSED_J2K_YCBCR;
}

/* Return the first element of an entry, limited to 2^32 − 1; `otherwise` if there is no such entry. */
static uint32_t number(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag, uint32_t otherwise)
{
    struct ifd_entry entry;
    uint64_t value;

    if (!ifd_find(bytes, ifd, tag, &entry) || !ifd_element(bytes, &entry, 0, &value))
        return otherwise;
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Return whether all elements of an entry are equal, or there is no such entry. */
static bool alike(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag)
{
    struct ifd_entry entry;
    uint64_t first, value;

    if (!ifd_find(bytes, ifd, tag, &entry) || !ifd_element(bytes, &entry, 0, &first))
        return true;
    for (uint64_t i = 1; i < entry.count && i < 4; i++)
        if (!ifd_element(bytes, &entry, i, &value) || value != first)
            return false;
    return true;
}

static bool read_tiles(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image)
{
    struct ifd_entry entry;

    image->tiled = ifd_find(bytes, ifd, TAG_TILE_WIDTH, &entry);
    if (image->tiled) {
        image->tile_width = number(bytes, ifd, TAG_TILE_WIDTH, 0);
        image->tile_height = number(bytes, ifd, TAG_TILE_HEIGHT, 0);
    } else {
        image->tile_width = image->width;
        image->tile_height = number(bytes, ifd, TAG_STRIP_ROWS, image->height);
        if (image->tile_height > image->height)
            image->tile_height = image->height;
    }
    return ifd_find(bytes, ifd, image->tiled ? TAG_TILE_OFFSETS : TAG_STRIP_OFFSETS, &image->offsets) &&
           ifd_find(bytes, ifd, image->tiled ? TAG_TILE_LENGTHS : TAG_STRIP_LENGTHS, &image->lengths);
}

/* Return why a picture of this shape cannot be decoded; null if it can. */
static const char *check_shape(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image)
{
    const bool tiles = read_tiles(bytes, ifd, image);

    if (image->width == 0 || image->height == 0 || image->width > SIDE_MAX || image->height > SIDE_MAX)
        return "it has no valid size";
    if (image->tile_width == 0 || image->tile_height == 0 || image->tile_width > SIDE_MAX ||
        image->tile_height > SIDE_MAX)
        return "its tiles have no valid size";
    if (image->tiled && (image->tile_width % TILE_STEP != 0 || image->tile_height % TILE_STEP != 0))
        return "the sides of its tiles are no multiples of 16";
    if (!tiles)
        return "its tiles' offsets or lengths are missing";
    const uint32_t across = (image->width - 1) / image->tile_width + 1,
                   down = (image->height - 1) / image->tile_height + 1;
    const uint64_t count = (uint64_t)across * down;
    if (image->offsets.count < count || image->lengths.count < count)
        return "it has fewer offsets or lengths than tiles";
    image->across = across;
    image->down = down;
    return NULL;
}

/* Return why tiles with these samples cannot be decoded; null if they can. */
static const char *check_samples(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image)
{
    const uint32_t most = image->compression == COMPRESSED_JPEG ? 8 : 16;

    if (number(bytes, ifd, TAG_PLANAR, 1) != 1 && image->samples > 1)
        return "its samples are in planes of their own (PlanarConfiguration 2)";
    if (number(bytes, ifd, TAG_SAMPLE_FORMAT, 1) != 1)
        return "its samples are no unsigned integers";
    if (image->samples != 1 && image->samples != 3)
        return "it has neither one nor three samples to a pixel";
    if (!alike(bytes, ifd, TAG_BITS) || image->bits < 8 || image->bits > most)
        return "its number of bits to a sample is not decoded";
    if (image->samples == 1 ? image->photometric != PHOTOMETRIC_BLACK_IS_ZERO
                            : image->photometric != PHOTOMETRIC_OF_RGB && image->photometric != PHOTOMETRIC_OF_YCBCR)
        return "its PhotometricInterpretation is neither grey, RGB nor YCbCr";
    return NULL;
}

static void set_fault(struct pyramid_image *image, const char *text)
{
    if (text != NULL && image->fault[0] == '\0')
        snprintf(image->fault, sizeof image->fault, "%s", text);
}

void pyramid_read_image(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image)
{
    image->width = number(bytes, ifd, TAG_WIDTH, 0);
    image->height = number(bytes, ifd, TAG_HEIGHT, 0);
    image->bits = number(bytes, ifd, TAG_BITS, 1);
    image->compression = number(bytes, ifd, TAG_COMPRESSION, 1);
    image->photometric = number(bytes, ifd, TAG_PHOTOMETRIC, UINT32_MAX);
    image->samples = number(bytes, ifd, TAG_SAMPLES, 1);
    image->subfile = number(bytes, ifd, TAG_SUBFILE, 0);
    set_fault(image, check_shape(bytes, ifd, image));
    if (image->compression != COMPRESSED_JPEG && !pyramid_is_j2k(image) && image->fault[0] == '\0')
        snprintf(image->fault, sizeof image->fault, "its compression is %u (%s), neither JPEG (7) nor JPEG 2000",
            (unsigned)image->compression, pyramid_compression_name(image->compression));
    set_fault(image, check_samples(bytes, ifd, image));
    if (ifd_find(bytes, ifd, TAG_JPEG_TABLES, &image->tables) && image->tables.length > PYRAMID_HEADERS_MAX)
        set_fault(image, "its JPEGTables are longer than 16 KiB");
    if (image->fault[0] != '\0')
        image->across = image->down = 0;
}
