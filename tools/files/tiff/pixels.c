/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the pixels of TIFF files through libtiff: grey, RGB with or without alpha and CMYK of 8 and 16 bits; signed
 * samples and samples of 32 bits as planes. Anything else that libtiff can convert becomes RGB of 8 bits.
 */
#include "files/tiff/pixels.h"

#include <stdlib.h>
#include <string.h>

enum { PLANE_BITS = 31 };

static bool is_subsampled(TIFF *tiff)
{
    uint16_t compression = COMPRESSION_NONE;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    return compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG;
}

/* Return whether samples become planes, because they are signed or wider than interleaved channels can be. */
static bool are_planes(const struct tiff_layout *layout)
{
    bool is_signed = layout->sample == SAMPLEFORMAT_INT, whole = is_signed || layout->sample == SAMPLEFORMAT_UINT;
    bool bytes = layout->bits == 8 || layout->bits == 16 || layout->bits == 32;

    return whole && bytes && (is_signed || layout->bits == 32) && layout->planar == PLANARCONFIG_CONTIG &&
           layout->channels > 0;
}

static kst_format direct_format(TIFF *tiff, const struct tiff_layout *layout)
{
    if (is_subsampled(tiff))
        return KST_FORMAT_AUTO;
    if (are_planes(layout))
        return KST_FORMAT_RAW;
    if ((layout->bits != 8 && layout->bits != 16) || layout->sample != SAMPLEFORMAT_UINT)
        return KST_FORMAT_AUTO;
    switch (layout->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        return layout->channels == 1 ? KST_FORMAT_GREY : KST_FORMAT_AUTO;
    case PHOTOMETRIC_RGB:
        if (layout->channels == 4 && layout->extra == 1)
            return KST_FORMAT_RGBA;
        return layout->channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_AUTO;
    case PHOTOMETRIC_SEPARATED:
        return layout->channels == 4 ? KST_FORMAT_CMYK : KST_FORMAT_AUTO;
    default:
        return KST_FORMAT_AUTO;
    }
}

/* Get the size of the tiles or strips. */
static bool get_blocks(TIFF *tiff, struct tiff_layout *layout)
{
    layout->tiled = TIFFIsTiled(tiff) != 0;
    layout->block_width = layout->width;
    layout->block_rows = layout->height;
    if (layout->tiled)
        return TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout->block_width) &&
               TIFFGetField(tiff, TIFFTAG_TILELENGTH, &layout->block_rows) && layout->block_width > 0 &&
               layout->block_rows > 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &layout->block_rows);
    if (layout->block_rows == 0 || layout->block_rows > layout->height)
        layout->block_rows = layout->height;
    return true;
}

bool tiff_layout_get(TIFF *tiff, struct tiff_layout *layout, struct problem *problem)
{
    uint16_t *kinds;

    *layout = (struct tiff_layout){
        .photometric = PHOTOMETRIC_MINISBLACK, .sample = SAMPLEFORMAT_UINT, .orientation = ORIENTATION_TOPLEFT};
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width) ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height))
        return problem_set(problem, "TIFF: the picture has no size");
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &layout->extra, &kinds);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout->sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &layout->orientation);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric);
    if (!get_blocks(tiff, layout))
        return problem_set(problem, "TIFF: tiles without a size");
    layout->format = direct_format(tiff, layout);
    return true;
}

/* Return the number of bytes of `samples` samples. */
static uint64_t sample_bytes(const struct tiff_layout *layout, uint64_t samples)
{
    return samples * (layout->bits / 8u);
}

/* Put samples of one row, which are consecutive in the file, into the picture from column x on. */
static void place_row(const struct tiff_reader *reader, const uint8_t *from, uint32_t x, uint32_t y, uint32_t count)
{
    const struct tiff_layout *layout = &reader->layout;
    size_t bytes = layout->bits / 8u, channels = layout->channels;

    if (layout->format != KST_FORMAT_RAW) {
        memcpy(picture_row(reader->picture, 0, y - reader->top) + x * bytes * channels, from, count * bytes * channels);
        return;
    }
    for (uint32_t c = 0; c < channels; c++)
        samples_take(from + c * bytes, channels, count, bytes, false,
            picture_row(reader->picture, c, y - reader->top) + x * bytes);
}

static void place_channel(
    const struct tiff_reader *reader, const uint8_t *from, uint16_t channel, uint32_t x, uint32_t y, uint32_t count)
{
    size_t bytes = reader->layout.bits / 8u, channels = reader->layout.channels;
    uint8_t *row = picture_row(reader->picture, 0, y - reader->top) + (x * channels + channel) * bytes;

    samples_put(from, count, bytes, false, row, channels);
}

/* Read a row of all channels; or of one channel, if each has strips of its own. */
static bool read_line(const struct tiff_reader *reader, uint8_t *line, uint32_t y, uint16_t channel)
{
    const struct tiff_layout *layout = &reader->layout;

    if (TIFFReadScanline(reader->tiff, line, y, channel) < 0)
        return false;
    if (layout->planar == PLANARCONFIG_SEPARATE)
        place_channel(reader, line, channel, 0, y, layout->width);
    else
        place_row(reader, line, 0, y, layout->width);
    return true;
}

/* Read a tile. Tiles at the right and at the bottom reach beyond the picture. */
static bool read_tile(const struct tiff_reader *reader, uint8_t *tile, uint32_t x, uint32_t y, uint16_t channel)
{
    const struct tiff_layout *layout = &reader->layout;
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;
    uint64_t row = sample_bytes(layout, (uint64_t)layout->block_width * (separate ? 1 : layout->channels));
    uint32_t columns = layout->width - x < layout->block_width ? layout->width - x : layout->block_width;

    if (TIFFReadTile(reader->tiff, tile, x, y, 0, channel) < 0)
        return false;
    for (uint32_t i = 0; i < layout->block_rows && i < layout->height - y; i++)
        if (separate)
            place_channel(reader, tile + i * row, channel, x, y + i, columns);
        else
            place_row(reader, tile + i * row, x, y + i, columns);
    return true;
}

/* Read the rows of a line of tiles. */
static bool read_tiles(const struct tiff_reader *reader, uint8_t *tile, uint32_t y, uint16_t channel)
{
    for (uint64_t x = 0; x < reader->layout.width; x += reader->layout.block_width)
        if (!read_tile(reader, tile, (uint32_t)x, y, channel))
            return false;
    return true;
}

static bool is_direct(const struct tiff_layout *layout)
{
    return layout->format != KST_FORMAT_AUTO;
}

/* Return the bytes of one read: a row or a tile, of all channels or of one; 0 if libtiff states another size. */
static uint64_t unit_bytes(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;
    uint64_t channels = layout->planar == PLANARCONFIG_SEPARATE ? 1 : layout->channels;
    uint64_t bytes = sample_bytes(layout, channels * (layout->tiled ? layout->block_width : layout->width));
    tmsize_t found = layout->tiled ? TIFFTileSize(reader->tiff) : TIFFScanlineSize(reader->tiff);

    if (layout->tiled && bytes > UINT64_MAX / layout->block_rows)
        return 0;
    bytes *= layout->tiled ? layout->block_rows : 1;
    return found > 0 && (uint64_t)found == bytes ? bytes : 0;
}

uint32_t tiff_depth(const struct tiff_layout *layout)
{
    return !is_direct(layout) ? 8 : layout->bits < PLANE_BITS ? layout->bits : PLANE_BITS;
}

uint32_t tiff_band_rows(const struct tiff_layout *layout)
{
    bool lines = is_direct(layout) && !layout->tiled;
    return lines ? 1 : layout->block_rows < layout->height ? layout->block_rows : layout->height;
}

static bool allocate_direct(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;
    const struct plane_shape shape = {.width = layout->width,
        .height = layout->height,
        .count = layout->channels,
        .depth = tiff_depth(layout),
        .is_signed = layout->sample == SAMPLEFORMAT_INT};

    if (layout->format == KST_FORMAT_RAW)
        return picture_allocate_planes(reader->picture, &shape, reader->settings->max_pixels, reader->problem);
    return picture_allocate(reader->picture, layout->format, layout->width, layout->height, layout->bits,
        reader->settings->max_pixels, reader->problem);
}

/* Return whether a sample fits in the 31 bits of a plane. */
static bool fits(const struct tiff_reader *reader, uint32_t value)
{
    bool is_signed = reader->layout.sample == SAMPLEFORMAT_INT;
    return is_signed ? value + (1u << 30) < 1u << 31 : value < 1u << 31;
}

static bool check_range(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;

    for (uint32_t c = 0; c < layout->channels; c++)
        for (uint32_t y = 0; y < layout->height; y++) {
            const uint8_t *row = picture_row(reader->picture, c, y - reader->top);
            for (size_t x = 0; x < layout->width; x++) {
                uint32_t value;
                memcpy(&value, row + 4 * x, sizeof value);
                if (!fits(reader, value))
                    return problem_set(reader->problem,
                        "TIFF: the sample of component %u in column %zu of row %u needs 32 bits; 31 can be read",
                        (unsigned)c, x, (unsigned)y);
            }
        }
    return true;
}

static bool read_direct(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;
    uint64_t unit = unit_bytes(reader), pixel = sample_bytes(layout, layout->channels);
    uint16_t turns = layout->planar == PLANARCONFIG_SEPARATE ? layout->channels : 1;

    if (unit == 0)
        return problem_set(reader->problem, "TIFF: rows or tiles of an unexpected length");
    if (layout->format == KST_FORMAT_RAW)
        pixel = 4u * layout->channels; /* picture_allocate_planes() has room for 32 bits */
    if (!picture_permitted(reader->settings, layout->width, layout->height, pixel, reader->problem) ||
        !memory_permitted(reader->settings, unit, reader->problem) || !allocate_direct(reader))
        return false;
    uint8_t *buffer = malloc((size_t)unit);
    bool good = buffer != NULL || problem_set(reader->problem, "out of memory");
    for (uint16_t channel = 0; channel < turns && good; channel++)
        for (uint64_t y = 0; y < layout->height && good; y += tiff_band_rows(layout))
            good = (layout->tiled ? read_tiles : read_line)(reader, buffer, (uint32_t)y, channel);
    free(buffer);
    return good && (layout->bits < 32 || check_range(reader));
}

/* Copy pixels that libtiff has converted into the picture. */
static void place_pixels(const struct tiff_reader *reader, const uint32_t *from, uint32_t x, uint32_t y, uint32_t count)
{
    size_t channels = kst_format_channels(reader->picture->image.format);
    uint8_t *row = picture_row(reader->picture, 0, y - reader->top) + x * channels;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t pixel[4] = {(uint8_t)TIFFGetR(from[i]), (uint8_t)TIFFGetG(from[i]), (uint8_t)TIFFGetB(from[i]),
            (uint8_t)TIFFGetA(from[i])};
        memcpy(row + i * channels, pixel, channels);
    }
}

static bool convert_whole(const struct tiff_reader *reader, uint32_t *raster)
{
    const struct tiff_layout *layout = &reader->layout;

    if (!TIFFReadRGBAImageOriented(reader->tiff, layout->width, layout->height, raster, ORIENTATION_TOPLEFT, 1))
        return false;
    for (uint32_t y = 0; y < layout->height; y++)
        place_pixels(reader, raster + (size_t)y * layout->width, 0, y, layout->width);
    return true;
}

/*
 * Convert a tile or strip; its last row comes first in libtiff's memory. Tiles have all of their rows, strips only
 * those inside the picture.
 */
static bool convert_block(const struct tiff_reader *reader, uint32_t *raster, uint32_t x, uint32_t y)
{
    const struct tiff_layout *layout = &reader->layout;
    uint32_t rows = layout->height - y < layout->block_rows ? layout->height - y : layout->block_rows;
    uint32_t columns = layout->width - x < layout->block_width ? layout->width - x : layout->block_width;
    uint32_t last = layout->tiled ? layout->block_rows - 1 : rows - 1;

    if (!(layout->tiled ? TIFFReadRGBATileExt(reader->tiff, x, y, raster, 1)
                        : TIFFReadRGBAStripExt(reader->tiff, y, raster, 1)))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        place_pixels(reader, raster + (size_t)(last - i) * layout->block_width, x, y + i, columns);
    return true;
}

/* Convert a line of tiles, or a strip. */
static bool convert_blocks(const struct tiff_reader *reader, uint32_t *raster, uint32_t y)
{
    for (uint64_t x = 0; x < reader->layout.width; x += reader->layout.block_width)
        if (!convert_block(reader, raster, (uint32_t)x, y))
            return false;
    return true;
}

static bool convert_all(const struct tiff_reader *reader, uint32_t *raster)
{
    for (uint64_t y = 0; y < reader->layout.height; y += reader->layout.block_rows)
        if (!convert_blocks(reader, raster, (uint32_t)y))
            return false;
    return true;
}

kst_format tiff_converted_format(const struct tiff_layout *layout)
{
    return layout->extra > 0 ? KST_FORMAT_RGBA : KST_FORMAT_RGB;
}

static uint64_t block_pixels(const struct tiff_layout *layout)
{
    return (uint64_t)layout->block_width * layout->block_rows;
}

/*
 * Read through libtiff's conversion to RGBA of 8 bits. Its alpha is kept only if the file has alpha. The conversion
 * applies the orientation only to whole pictures.
 */
static bool read_converted(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;
    kst_format format = tiff_converted_format(layout);
    bool blocks = layout->orientation == ORIENTATION_TOPLEFT;
    uint64_t pixels = blocks ? block_pixels(layout) : (uint64_t)layout->width * layout->height;

    if (!picture_permitted(reader->settings, layout->width, layout->height,
            kst_format_channels(format) + (blocks ? 0 : sizeof(uint32_t)), reader->problem) ||
        pixels > SIZE_MAX / 8 || !memory_permitted(reader->settings, pixels * sizeof(uint32_t), reader->problem) ||
        !picture_allocate(
            reader->picture, format, layout->width, layout->height, 8, reader->settings->max_pixels, reader->problem))
        return false;
    uint32_t *raster = calloc(pixels > 0 ? (size_t)pixels : 1, sizeof *raster);
    bool good = raster != NULL ? (blocks ? convert_all : convert_whole)(reader, raster)
                               : problem_set(reader->problem, "out of memory");
    free(raster);
    return good;
}

bool tiff_is_inverted(const struct tiff_layout *layout)
{
    bool inks = layout->photometric == PHOTOMETRIC_MINISWHITE || layout->photometric == PHOTOMETRIC_SEPARATED;
    return inks && is_direct(layout) && layout->format != KST_FORMAT_RAW;
}

bool tiff_read_pixels(struct tiff_reader *reader)
{
    if (!(is_direct(&reader->layout) ? read_direct : read_converted)(reader))
        return false;
    if (tiff_is_inverted(&reader->layout))
        picture_invert(reader->picture);
    return true;
}

uint64_t tiff_band_unit(const struct tiff_reader *reader)
{
    const struct tiff_layout *layout = &reader->layout;
    bool strips_apart = layout->planar == PLANARCONFIG_SEPARATE && !layout->tiled;

    if (layout->format == KST_FORMAT_RAW || layout->width == 0 || layout->height == 0)
        return 0;
    if (is_direct(layout))
        return strips_apart ? 0 : unit_bytes(reader);
    bool upright = layout->orientation == ORIENTATION_TOPLEFT;
    return upright && block_pixels(layout) <= SIZE_MAX / 8 ? block_pixels(layout) * sizeof(uint32_t) : 0;
}

bool tiff_read_band(const struct tiff_reader *reader, uint8_t *unit)
{
    const struct tiff_layout *layout = &reader->layout;
    uint16_t turns = layout->planar == PLANARCONFIG_SEPARATE ? layout->channels : 1;
    bool good = true;

    if (!is_direct(layout))
        return convert_blocks(reader, (uint32_t *)(void *)unit, reader->top);
    for (uint16_t channel = 0; channel < turns && good; channel++)
        good = (layout->tiled ? read_tiles : read_line)(reader, unit, reader->top, channel);
    if (good && tiff_is_inverted(layout))
        picture_invert(reader->picture);
    return good;
}
