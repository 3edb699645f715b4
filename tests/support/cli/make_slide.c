/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes pyramids like those of slide scanners with libtiff: make_slide FILE WIDTH HEIGHT [WORD…] writes a pattern in
 * JPEG tiles. Words: tile=N (sides, default 128), levels=N (each half as large; default 1), strips=N (rows, instead of
 * tiles), rgb, grey (default YCbCr 4:2:0), big (BigTIFF), subifd (levels below the first directory), aperio (with a
 * thumbnail, a label of LZW and a macro), ome, missing=N (this tile of the first level is not written),
 * raw=COMPRESSION,PREFIX (tiles are the bytes of the files PREFIX-LEVEL-COLUMN_ROW).
 * make_slide -r FILE DIRECTORY OUT writes the pixels of a directory as libtiff decodes them; make_slide -c IN X Y WIDTH
 * HEIGHT OUT cuts a part out of such pixels.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct wish {
    uint32_t width, height, tile, levels, strips, missing, compression;
    bool rgb, grey, big, subifd, aperio, ome, icc;
    const char *prefix;
};

static const char ome_text[] = "<?xml version=\"1.0\"?><OME><Image><Pixels PhysicalSizeX=\"0.25\" PhysicalSizeXUnit="
                               "\"\xc2\xb5m\" PhysicalSizeY=\"500\" PhysicalSizeYUnit=\"nm\"/></Image></OME>";

static bool fail(const char *text)
{
    fprintf(stderr, "make_slide: %s\n", text);
    return false;
}

/* Return a sample of smooth colours with some texture, which are the same at each level. */
static uint8_t sample(uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t texture = (x * 7 ^ y * 13) % 23, slope = channel == 0 ? x / 2 + y / 3 : channel == 1 ? y : 255 - x;
    return (uint8_t)((slope & 0xFF) * 3 / 4 + texture + 16 * channel);
}

static void paint(
    uint8_t *to, uint32_t x, uint32_t y, uint32_t width, uint32_t height, unsigned level, uint32_t channels)
{
    for (uint32_t j = 0; j < height; j++)
        for (uint32_t i = 0; i < width; i++)
            for (uint32_t c = 0; c < channels; c++)
                *to++ = sample((x + i) << level, (y + j) << level, c);
}

static bool write_raw(
    TIFF *tiff, const struct wish *wish, uint32_t index, unsigned level, uint32_t column, uint32_t row)
{
    static uint8_t bytes[1 << 20];
    char name[256];

    snprintf(name, sizeof name, "%s-%u-%u_%u", wish->prefix, level, (unsigned)column, (unsigned)row);
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return fail(name);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return TIFFWriteRawTile(tiff, index, bytes, (tmsize_t)length) == (tmsize_t)length;
}

static bool write_tiles(TIFF *tiff, const struct wish *wish, uint32_t width, uint32_t height, unsigned level)
{
    const uint32_t channels = wish->grey ? 1 : 3, side = wish->tile;
    uint8_t *tile = malloc((size_t)side * side * channels);
    bool good = tile != NULL;
    uint32_t index = 0;

    for (uint32_t y = 0; y < height && good; y += side)
        for (uint32_t x = 0; x < width && good; x += side, index++) {
            if (level == 0 && index == wish->missing)
                continue;
            if (wish->prefix != NULL) {
                good = write_raw(tiff, wish, index, level, x / side, y / side);
                continue;
            }
            paint(tile, x, y, side, side, level, channels);
            good = TIFFWriteEncodedTile(tiff, index, tile, (tmsize_t)side * side * channels) >= 0;
        }
    free(tile);
    return good;
}

static bool write_strips(TIFF *tiff, uint32_t rows, uint32_t width, uint32_t height, uint32_t channels, unsigned level)
{
    uint8_t *strip = malloc((size_t)width * rows * channels);
    bool good = strip != NULL;

    for (uint32_t y = 0; y < height && good; y += rows) {
        const uint32_t count = height - y < rows ? height - y : rows;
        paint(strip, 0, y, width, count, level, channels);
        good = TIFFWriteEncodedStrip(tiff, y / rows, strip, (tmsize_t)width * count * channels) >= 0;
    }
    free(strip);
    return good;
}

static void set_tags(TIFF *tiff, const struct wish *wish, uint32_t width, uint32_t height, uint32_t compression)
{
    const bool grey = wish->grey, jpeg = compression == COMPRESSION_JPEG;

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, grey ? 1 : 3);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
        grey                 ? PHOTOMETRIC_MINISBLACK
        : wish->rgb || !jpeg ? PHOTOMETRIC_RGB
                             : PHOTOMETRIC_YCBCR);
    if (jpeg)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
}

/* Write a picture of strips that is no level of the pyramid. `text` is its description, with room for its size. */
static bool write_other(TIFF *tiff, const struct wish *wish, uint32_t width, uint32_t height, uint32_t compression,
    uint32_t subfile, const char *name)
{
    char text[256];

    snprintf(text, sizeof text, "Aperio Image Library v11.2.1\r\n%s %ux%u", name, (unsigned)width, (unsigned)height);
    set_tags(tiff, wish, width, height, compression);
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, text);
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, subfile);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
    return write_strips(tiff, 16, width, height, wish->grey ? 1 : 3, 0) && TIFFWriteDirectory(tiff);
}

static bool write_level(TIFF *tiff, const struct wish *wish, unsigned level)
{
    const uint32_t width = (wish->width - 1) / (1u << level) + 1, height = (wish->height - 1) / (1u << level) + 1;
    static uint64_t places[16];
    char text[512];

    set_tags(tiff, wish, width, height, wish->compression);
    if (wish->ome)
        snprintf(text, sizeof text, "%s", ome_text);
    else
        snprintf(text, sizeof text,
            "Aperio Image Library v11.2.1 \r\n%ux%u (%ux%u) JPEG/RGB Q=70|AppMag = 20|MPP = 0.4990", (unsigned)width,
            (unsigned)height, (unsigned)wish->tile, (unsigned)wish->tile);
    if (wish->aperio || (wish->ome && level == 0))
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, text);
    if (!wish->aperio && !wish->ome) {
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 20000.0);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 10000.0);
    }
    if (level > 0 && !wish->aperio)
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    if (level == 0 && wish->subifd)
        TIFFSetField(tiff, TIFFTAG_SUBIFD, (int)wish->levels - 1, places);
    if (wish->icc)
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, 9, "a profile");
    if (wish->strips > 0)
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, wish->strips);
    else {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, wish->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, wish->tile);
    }
    const bool good = wish->strips > 0 ? write_strips(tiff, wish->strips, width, height, wish->grey ? 1 : 3, level)
                                       : write_tiles(tiff, wish, width, height, level);
    return good && TIFFWriteDirectory(tiff);
}

static bool write_slide(const char *path, const struct wish *wish)
{
    TIFF *tiff = TIFFOpen(path, wish->big ? "w8" : "w");
    bool good = tiff != NULL;

    for (unsigned level = 0; level < wish->levels && good; level++) {
        good = write_level(tiff, wish, level);
        if (level == 0 && wish->aperio)
            good = good && write_other(tiff, wish, 96, 64, COMPRESSION_JPEG, 0, "thumbnail");
    }
    if (wish->aperio)
        good = good && write_other(tiff, wish, 40, 50, COMPRESSION_LZW, 1, "label") &&
               write_other(tiff, wish, 120, 56, COMPRESSION_JPEG, 9, "macro");
    if (tiff != NULL)
        TIFFClose(tiff);
    return good || fail("cannot be written");
}

/* Write the pixels of a directory as libtiff decodes them. */
static bool read_slide(const char *path, unsigned directory, const char *to)
{
    uint32_t width = 0, height = 0, tile_width = 0, tile_height = 0;
    uint16_t channels = 0, compression = 0;
    TIFF *tiff = TIFFOpen(path, "r");
    FILE *out = fopen(to, "wb");

    if (tiff == NULL || out == NULL || !TIFFSetDirectory(tiff, (tdir_t)directory))
        return fail("cannot be read");
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
    TIFFGetField(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression == COMPRESSION_JPEG)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    const bool tiled = TIFFIsTiled(tiff) != 0;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
    uint8_t *pixels = calloc((size_t)width * height, channels);
    uint8_t *tile = tiled ? malloc((size_t)TIFFTileSize(tiff)) : NULL;
    bool good = pixels != NULL;
    for (uint32_t y = 0; y < height && !tiled && good; y++)
        good = TIFFReadScanline(tiff, pixels + (size_t)y * width * channels, y, 0) == 1;
    for (uint32_t y = 0; tiled && y < height && good; y += tile_height)
        for (uint32_t x = 0; x < width && good; x += tile_width) {
            good = TIFFReadTile(tiff, tile, x, y, 0, 0) >= 0;
            const uint32_t part = width - x < tile_width ? width - x : tile_width;
            for (uint32_t j = 0; j < tile_height && y + j < height; j++)
                memcpy(pixels + ((size_t)(y + j) * width + x) * channels, tile + (size_t)j * tile_width * channels,
                    (size_t)part * channels);
        }
    fprintf(out, "%s\n%u %u\n255\n", channels == 1 ? "P5" : "P6", (unsigned)width, (unsigned)height);
    good = good && fwrite(pixels, channels, (size_t)width * height, out) == (size_t)width * height;
    free(tile);
    free(pixels);
    TIFFClose(tiff);
    return fclose(out) == 0 && (good || fail("cannot be decoded"));
}

/* Read the header of a PNM picture, of three lines: its number of channels, width and height. */
static bool read_header(FILE *in, uint32_t shape[3])
{
    char line[3][64];
    char *height;

    for (int i = 0; i < 3; i++)
        if (fgets(line[i], sizeof line[i], in) == NULL)
            return false;
    shape[0] = line[0][1] == '5' ? 1 : 3;
    shape[1] = (uint32_t)strtoul(line[1], &height, 10);
    shape[2] = (uint32_t)strtoul(height, NULL, 10);
    return line[0][0] == 'P' && strcmp(line[2], "255\n") == 0;
}

static bool cut(char **words)
{
    uint32_t number[4], shape[3] = {0, 0, 0};
    FILE *in = fopen(words[0], "rb"), *out = fopen(words[5], "wb");

    for (int i = 0; i < 4; i++)
        number[i] = (uint32_t)strtoul(words[1 + i], NULL, 10);
    if (in == NULL || out == NULL || !read_header(in, shape))
        return fail("cannot be cut");
    const size_t channels = shape[0], row = number[2] * channels;
    const long start = ftell(in);
    uint8_t *pixels = malloc(row);
    bool good = pixels != NULL && number[0] + number[2] <= shape[1] && number[1] + number[3] <= shape[2];
    fprintf(out, "P%c\n%u %u\n255\n", channels == 1 ? '5' : '6', (unsigned)number[2], (unsigned)number[3]);
    for (uint32_t y = 0; y < number[3] && good; y++) {
        const size_t at = ((size_t)(number[1] + y) * shape[1] + number[0]) * channels;
        good = fseek(in, start + (long)at, SEEK_SET) == 0 && fread(pixels, 1, row, in) == row &&
               fwrite(pixels, 1, row, out) == row;
    }
    free(pixels);
    fclose(in);
    return fclose(out) == 0 && (good || fail("cannot be cut"));
}

static bool take_word(struct wish *wish, char *word)
{
    const struct {
        const char *start;
        uint32_t *number;
    } numbers[] = {{"tile=", &wish->tile}, {"levels=", &wish->levels}, {"strips=", &wish->strips},
        {"missing=", &wish->missing}, {"raw=", &wish->compression}};
    const struct {
        const char *name;
        bool *wanted;
    } flags[] = {{"rgb", &wish->rgb}, {"grey", &wish->grey}, {"big", &wish->big}, {"subifd", &wish->subifd},
        {"aperio", &wish->aperio}, {"ome", &wish->ome}, {"icc", &wish->icc}};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].wanted = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t length = strlen(numbers[i].start);
        char *rest;
        if (strncmp(word, numbers[i].start, length) != 0)
            continue;
        *numbers[i].number = (uint32_t)strtoul(word + length, &rest, 10);
        if (*rest == ',')
            wish->prefix = rest + 1;
        return *rest == '\0' || *rest == ',';
    }
    return fail(word);
}

int main(int argc, char **argv)
{
    struct wish wish = {.tile = 128, .levels = 1, .missing = UINT32_MAX, .compression = COMPRESSION_JPEG};

    TIFFSetWarningHandler(NULL);
    if (argc == 5 && strcmp(argv[1], "-r") == 0)
        return read_slide(argv[2], (unsigned)strtoul(argv[3], NULL, 10), argv[4]) ? 0 : 1;
    if (argc == 8 && strcmp(argv[1], "-c") == 0)
        return cut(argv + 2) ? 0 : 1;
    if (argc < 4)
        return 2;
    wish.width = (uint32_t)strtoul(argv[2], NULL, 10);
    wish.height = (uint32_t)strtoul(argv[3], NULL, 10);
    for (int i = 4; i < argc; i++)
        if (!take_word(&wish, argv[i]))
            return 2;
    return write_slide(argv[1], &wish) ? 0 : 1;
}
