/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes TIFF files like those of other programs: make_tiff FILE WIDTH HEIGHT BITS CHANNELS [WORD…] writes a pattern to
 * FILE, and to FILE.raw the samples that a reader must return, pixel by pixel and in the machine's byte order.
 * Words: tiles, separate, int, lzw, packbits, deflate, big (byte order), white (is zero), cmyk, palette,
 * iptc, strip=N (rows), orientation=N, claim=WxH (the size in the tags).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct wish {
    uint32_t width, height, channels, bits, strip;
    unsigned orientation, claimed[2];
    bool tiles, separate, is_signed, white, cmyk, palette, iptc;
    uint16_t compression;
};

/* Read the number behind `start`, if the word begins with it. */
static bool take_number(const char *word, const char *start, unsigned *number)
{
    if (strncmp(word, start, strlen(start)) != 0)
        return false;
    *number = (unsigned)strtoul(word + strlen(start), NULL, 10);
    return true;
}

static bool take_claim(struct wish *wish, const char *word)
{
    const char *height = strchr(word, 'x');

    return height != NULL && take_number(word, "claim=", &wish->claimed[0]) &&
           take_number(height, "x", &wish->claimed[1]);
}

static bool take_word(struct wish *wish, const char *word)
{
    const struct {
        const char *name;
        uint16_t compression;
    } compressions[] = {
        {"lzw", COMPRESSION_LZW}, {"packbits", COMPRESSION_PACKBITS}, {"deflate", COMPRESSION_ADOBE_DEFLATE}};
    const struct {
        const char *name;
        bool *wanted;
    } flags[] = {{"tiles", &wish->tiles}, {"separate", &wish->separate}, {"int", &wish->is_signed},
        {"white", &wish->white}, {"cmyk", &wish->cmyk}, {"palette", &wish->palette}, {"iptc", &wish->iptc}};

    for (size_t i = 0; i < 3; i++)
        if (strcmp(word, compressions[i].name) == 0)
            return (wish->compression = compressions[i].compression) != 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].wanted = true;
    return take_number(word, "strip=", &wish->strip) || take_number(word, "orientation=", &wish->orientation) ||
           take_claim(wish, word) || strcmp(word, "big") == 0;
}

/* Return a sample of up to 32 bits; fewer than eight are for pictures with a palette. */
static uint32_t sample_at(const struct wish *wish, uint32_t x, uint32_t y, uint32_t c)
{
    uint32_t value = (x * 2654435761u + y * 40503u + c * 7919u) ^ (x * y * 31u);
    if (wish->bits == 32) /* only as many bits as readers support */
        return wish->is_signed ? (value >> 1) - (1u << 30) : value >> 1;
    return (value >> 7) & ((1u << wish->bits) - 1);
}

static void put(const struct wish *wish, uint8_t *to, size_t index, uint32_t value)
{
    uint16_t half = (uint16_t)value;

    if (wish->bits == 8)
        to[index] = (uint8_t)value;
    else if (wish->bits == 16)
        memcpy(to + 2 * index, &half, 2);
    else if (wish->bits == 32)
        memcpy(to + 4 * index, &value, 4);
    else
        to[index * wish->bits / 8] |= (uint8_t)(value << (8 - wish->bits - index * wish->bits % 8));
}

/* Write a caption. If libtiff takes the tag for numbers of 32 bits, it writes them in the file's byte order. */
static void set_iptc(TIFF *tiff)
{
    static const char iptc[16] = "\x1C\x02\x78\0\x09"
                                 "a caption";
    bool numbers = TIFFFieldDataType(TIFFFieldWithTag(tiff, TIFFTAG_RICHTIFFIPTC)) == TIFF_LONG;

    TIFFSetField(tiff, TIFFTAG_RICHTIFFIPTC, (uint32_t)(numbers ? sizeof iptc / 4 : sizeof iptc), iptc);
}

static void set_tags(TIFF *tiff, const struct wish *wish)
{
    uint16_t photometric = wish->cmyk            ? PHOTOMETRIC_SEPARATED
                           : wish->palette       ? PHOTOMETRIC_PALETTE
                           : wish->white         ? PHOTOMETRIC_MINISWHITE
                           : wish->channels == 1 ? PHOTOMETRIC_MINISBLACK
                           : wish->channels <= 4 ? PHOTOMETRIC_RGB
                                                 : PHOTOMETRIC_MINISBLACK;
    uint16_t colours[3][256], extra = EXTRASAMPLE_UNASSALPHA;

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, wish->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, wish->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, wish->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, wish->channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, wish->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, wish->compression);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, wish->orientation);
    if (wish->iptc)
        set_iptc(tiff);
    if (wish->is_signed)
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT);
    if (wish->channels == 4 && !wish->cmyk)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 3; c++)
            colours[c][i] = (uint16_t)(257 * ((i * (37 + 50 * c) + 11 * c) & 255));
    if (wish->palette)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]);
    if (wish->tiles) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 32);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    } else
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, wish->strip);
}

/* Make columns x to x + width of row y, of all channels or of one, in zeroed memory. */
static void make_row(const struct wish *wish, uint32_t x, uint32_t y, uint32_t width, uint32_t channel, uint8_t *to)
{
    size_t index = 0;

    for (uint32_t i = x; i < x + width; i++)
        for (uint32_t c = 0; c < wish->channels; c++)
            if (!wish->separate || c == channel)
                put(wish, to, index++, sample_at(wish, i, y, c));
}

static bool write_tiles(TIFF *tiff, const struct wish *wish, uint32_t channel)
{
    uint8_t *tile = malloc((size_t)TIFFTileSize(tiff));
    size_t row = (size_t)TIFFTileRowSize(tiff);
    bool good = tile != NULL;

    for (uint32_t y = 0; y < wish->height && good; y += 16)
        for (uint32_t x = 0; x < wish->width && good; x += 32) {
            memset(tile, 0, (size_t)TIFFTileSize(tiff));
            for (uint32_t i = 0; i < 16; i++)
                make_row(wish, x, y + i, 32, channel, tile + i * row);
            good = TIFFWriteTile(tiff, tile, x, y, 0, (uint16_t)channel) > 0;
        }
    free(tile);
    return good;
}

static bool write_lines(TIFF *tiff, const struct wish *wish, uint32_t channel)
{
    uint8_t *line = malloc((size_t)TIFFScanlineSize(tiff));
    bool good = line != NULL;

    for (uint32_t y = 0; y < wish->height && good; y++) {
        memset(line, 0, (size_t)TIFFScanlineSize(tiff));
        make_row(wish, 0, y, wish->width, channel, line);
        good = TIFFWriteScanline(tiff, line, y, (uint16_t)channel) > 0;
    }
    free(line);
    return good;
}

/* Write the samples to FILE.raw; a palette, or less than eight bits, becomes three channels of eight bits. */
static bool write_raw(const char *path, const struct wish *wish)
{
    FILE *file = fopen(path, "wb");

    for (uint32_t y = 0; file != NULL && y < wish->height; y++)
        for (uint32_t x = 0; x < wish->width; x++)
            for (uint32_t c = 0; c < (wish->palette ? 3 : wish->channels); c++) {
                uint32_t value = sample_at(wish, x, y, wish->palette ? 0 : c);
                uint8_t bytes[4] = {0};
                struct wish whole = *wish;
                if (wish->palette) {
                    value = (value * (37 + 50 * c) + 11 * c) & 255;
                    whole.bits = 8;
                } else if (wish->white || wish->cmyk)
                    value = ((1u << wish->bits) - 1) - value;
                put(&whole, bytes, 0, value);
                fwrite(bytes, 1, whole.bits / 8, file);
            }
    return file != NULL && fclose(file) == 0;
}

/* Overwrite the size in the tags of the first directory, which libtiff has written as SHORT or LONG. */
static bool claim(const char *path, const struct wish *wish)
{
    TIFF *tiff = TIFFOpen(path, "r+");

    if (tiff == NULL)
        return false;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, wish->claimed[0]);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, wish->claimed[1]);
    bool good = TIFFRewriteDirectory(tiff) != 0;
    TIFFClose(tiff);
    return good;
}

int main(int argc, char **argv)
{
    struct wish wish = {.strip = 7, .orientation = ORIENTATION_TOPLEFT, .compression = COMPRESSION_NONE};
    bool big = false, good = true;
    char raw[512];

    if (argc < 6)
        return 2;
    wish.width = (uint32_t)strtoul(argv[2], NULL, 10);
    wish.height = (uint32_t)strtoul(argv[3], NULL, 10);
    wish.bits = (uint32_t)strtoul(argv[4], NULL, 10);
    wish.channels = (uint32_t)strtoul(argv[5], NULL, 10);
    for (int i = 6; i < argc; i++) {
        if (!take_word(&wish, argv[i]))
            return 2;
        big = big || strcmp(argv[i], "big") == 0;
    }
    TIFF *tiff = TIFFOpen(argv[1], big ? "wb" : "wl");
    if (tiff == NULL)
        return 1;
    set_tags(tiff, &wish);
    for (uint32_t channel = 0; channel < (wish.separate ? wish.channels : 1) && good; channel++)
        good = (wish.tiles ? write_tiles : write_lines)(tiff, &wish, channel);
    TIFFClose(tiff);
    snprintf(raw, sizeof raw, "%s.raw", argv[1]);
    good = good && write_raw(raw, &wish) && (wish.claimed[0] == 0 || claim(argv[1], &wish));
    return good ? 0 : 1;
}
