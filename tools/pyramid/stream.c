/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the bytes of tiles, and makes streams of them that stand by themselves. */
#include <stdlib.h>
#include <string.h>

#include "pyramid/pyramid.h"

/* A tile takes no more bytes than so many times its samples and this: libtiff does not read more, either. */
enum { GROWTH_MAX = 10, LENGTH_SPARE = 4096 };

enum { M_SOF0 = 0xC0, M_SOF15 = 0xCF, M_DHT = 0xC4, M_JPG = 0xC8, M_DAC = 0xCC, M_SOI = 0xD8, M_EOI = 0xD9 };
enum { M_SOS = 0xDA, M_APP0 = 0xE0, M_APP14 = 0xEE, M_RST0 = 0xD0, M_TEM = 0x01 };

enum { COLOUR_SYCC = 18 /* T.800 Table I.10 */ };

void pyramid_tile(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, struct pyramid_tile *tile)
{
    const uint32_t column = (uint32_t)(index % image->across), row = (uint32_t)(index / image->across);
    uint64_t at = 0, length = 0;

    *tile = (struct pyramid_tile){.x = column * image->tile_width, .y = row * image->tile_height};
    const uint32_t right = image->width - tile->x, below = image->height - tile->y;
    tile->width = right < image->tile_width ? right : image->tile_width;
    tile->height = below < image->tile_height ? below : image->tile_height;
    const bool known = ifd_element(&pyramid->bytes, &image->offsets, index, &at) &&
                       ifd_element(&pyramid->bytes, &image->lengths, index, &length);
    tile->at = at;
    tile->missing = known && length == 0;
    if (!known || length == 0 || at > pyramid->bytes.length || length > pyramid->bytes.length - at)
        return;
    const uint64_t most = (uint64_t)image->tile_width * image->tile_height * image->samples * (image->bits > 8 ? 2 : 1);
    if (length / GROWTH_MAX > most)
        length = most * GROWTH_MAX + LENGTH_SPARE;
    tile->data = pyramid->bytes.data + at;
    tile->length = (size_t)length;
}

static uint32_t word(const uint8_t *data)
{
    return (uint32_t)data[0] << 8 | data[1];
}

static uint32_t long_word(const uint8_t *data)
{
    return word(data) << 16 | word(data + 2);
}

/* Return whether a picture of this size is what the directory says that the tile holds. The last strip may be lower. */
static bool check_size(const struct pyramid_image *image, const struct pyramid_tile *tile, uint32_t width,
    uint32_t height, uint32_t components, struct problem *problem)
{
    const bool fits =
        width == image->tile_width && (height == image->tile_height || (!image->tiled && height >= tile->height));

    if (fits && components == image->samples)
        return true;
    return problem_set(problem, "it holds %ux%u pixels of %u components, not %ux%u of %u", (unsigned)width,
        (unsigned)height, (unsigned)components, (unsigned)image->tile_width, (unsigned)image->tile_height,
        (unsigned)image->samples);
}

struct joined {
    uint8_t *to;
    size_t length;
};

static void add(struct joined *joined, const uint8_t *data, size_t length)
{
    if (length > 0)
        memcpy(joined->to + joined->length, data, length);
    joined->length += length;
}

static bool is_frame(unsigned marker)
{
    return marker >= M_SOF0 && marker <= M_SOF15 && marker != M_DHT && marker != M_JPG && marker != M_DAC;
}

/*
 * Copy marker segments up to SOS, except those by which JFIF and Adobe say which colours a file has: the directory says
 * that. Returns where the copied part ends; 0 if the segments are damaged or have no frame.
 */
static size_t copy_headers(struct joined *joined, const uint8_t *data, size_t length, size_t *frame)
{
    size_t at = 2;

    for (*frame = 0; length - at >= 4 && data[at] == 0xFF;) {
        const unsigned marker = data[at + 1];
        if (marker == 0xFF) { /* a fill byte (B.1.1.2) */
            at++;
            continue;
        }
        if (marker == M_SOS || marker == M_EOI)
            return *frame != 0 ? at : 0;
        const size_t segment = word(data + at + 2) + (size_t)2;
        if (marker == M_SOI || (marker >= M_RST0 && marker < M_SOI) || marker == M_TEM || segment < 4 ||
            segment > length - at)
            return 0;
        if (is_frame(marker) && segment >= 10)
            *frame = at;
        if (marker != M_APP0 && marker != M_APP14)
            add(joined, data + at, segment);
        at += segment;
    }
    return 0;
}

/* Join SOI, the colours, the tables without their SOI and EOI, and the tile's own segments and scans. */
static bool make_jpeg(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    uint8_t colours[] = {0xFF, M_SOI, 0xFF, M_APP14, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};
    const uint8_t *data = tile->data, *tables = image->tables.value;
    size_t more = image->tables.count > 0 ? image->tables.length : 0, frame;

    if (tile->length < 4 || word(data) != (0xFF00 | M_SOI))
        return problem_set(problem, "it is no JPEG stream");
    if (more > 0 && (more < 4 || word(tables) != (0xFF00 | M_SOI) || word(tables + more - 2) != (0xFF00 | M_EOI)))
        return problem_set(problem, "JPEGTables are damaged");
    stream->made = malloc(sizeof colours + more + tile->length);
    if (stream->made == NULL)
        return problem_set(problem, "out of memory");
    colours[17] = image->photometric == PHOTOMETRIC_OF_YCBCR;
    struct joined joined = {.to = stream->made};
    add(&joined, colours, image->samples == 3 ? sizeof colours : 2);
    if (more > 4)
        add(&joined, tables + 2, more - 4);
    const size_t end = copy_headers(&joined, data, tile->length, &frame);
    if (end == 0)
        return problem_set(problem, "its JPEG headers are damaged");
    add(&joined, data + end, tile->length - end);
    stream->data = stream->made;
    stream->length = joined.length;
    const uint8_t *size = data + frame + 5;
    return check_size(image, tile, word(size + 2), word(size), size[4], problem);
}

static void put_number(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void put_box(uint8_t *to, uint32_t length, const char *type)
{
    put_number(to, length);
    memcpy(to + 4, type, 4);
}

/* Put a codestream into a JP2 file (T.800 Annex I) that says that its colours are sYCC. */
static bool wrap(struct pyramid_stream *stream, uint32_t width, uint32_t height, struct problem *problem)
{
    enum { FILE_TYPE = 12, HEADER = 32, SIZE = 40, COLOUR = 62, CODESTREAM = 77, HEADERS = 85 };

    if (stream->length > UINT32_MAX - 8)
        return problem_set(problem, "it is too long");
    uint8_t *to = calloc(1, HEADERS + stream->length);
    if (to == NULL)
        return problem_set(problem, "out of memory");
    put_box(to, 12, "jP  ");
    memcpy(to + 8, "\r\n\x87\n", 4);
    put_box(to + FILE_TYPE, 20, "ftyp");
    memcpy(to + FILE_TYPE + 8, "jp2 \0\0\0\0jp2 ", 12);
    put_box(to + HEADER, CODESTREAM - HEADER, "jp2h");
    put_box(to + SIZE, 22, "ihdr");
    put_number(to + SIZE + 8, height);
    put_number(to + SIZE + 12, width);
    to[SIZE + 17] = 3;                /* components */
    to[SIZE + 18] = stream->data[42]; /* the depth, as in Ssiz */
    to[SIZE + 19] = 7;                /* the only type of compression */
    put_box(to + COLOUR, 15, "colr");
    to[COLOUR + 8] = 1; /* an enumerated colour space follows */
    put_number(to + COLOUR + 11, COLOUR_SYCC);
    put_box(to + CODESTREAM, (uint32_t)(stream->length + 8), "jp2c");
    memcpy(to + HEADERS, stream->data, stream->length);
    stream->made = to;
    stream->data = to;
    stream->length += HEADERS;
    return true;
}

bool pyramid_j2k_ycbcr(const struct pyramid_image *image)
{
    return image->samples == 3 &&
           (image->compression == COMPRESSED_J2K_YCBCR ||
               (image->compression != COMPRESSED_J2K_RGB && image->photometric == PHOTOMETRIC_OF_YCBCR));
}

static bool make_j2k(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    static const uint8_t file[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '}, codestream[] = {0xFF, 0x4F, 0xFF, 0x51};
    const uint8_t *data = tile->data;

    stream->data = data;
    stream->length = tile->length;
    if (tile->length >= sizeof file && memcmp(data, file, sizeof file) == 0)
        return true; /* it says itself which colours it has, and its size is checked when it is decoded */
    if (tile->length < 43 || memcmp(data, codestream, sizeof codestream) != 0)
        return problem_set(problem, "it is no JPEG 2000 codestream");
    /* Xsiz, Ysiz, XOsiz and YOsiz (T.800 A.5.1) */
    const uint32_t right = long_word(data + 8), bottom = long_word(data + 12);
    const uint32_t left = long_word(data + 16), top = long_word(data + 20);
    if (right <= left || bottom <= top)
        return problem_set(problem, "its codestream has no size");
    return check_size(image, tile, right - left, bottom - top, word(data + 40), problem) &&
           (!pyramid_j2k_ycbcr(image) || wrap(stream, right - left, bottom - top, problem));
}

bool pyramid_stream(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    *stream = (struct pyramid_stream){.made = NULL};
    if (tile->data == NULL)
        return problem_set(problem, "its bytes are not in the file");
    if (pyramid_is_j2k(image) ? make_j2k(image, tile, stream, problem) : make_jpeg(image, tile, stream, problem))
        return true;
    free(stream->made);
    stream->made = NULL;
    return false;
}
