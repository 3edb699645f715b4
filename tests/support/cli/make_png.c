/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes PNG files that other programs would not make: make_png WIDTH HEIGHT DEPTH COLOUR [WORD…] writes one to
 * standard output, with black pixels; rows beyond one mebibyte are left out. The words may be
 *
 *     CHUNK:COUNT:BYTES   zTXt, iTXt, tEXt (comments), iCCP or eXIf, COUNT of them, of BYTES each
 *     +CHUNK:COUNT:BYTES  the same behind the pixels
 *     noise               other pixels, with filters of all kinds
 *     parts=N             IDAT chunks of N bytes
 *     between             a comment between the first two of these
 *     interlaced          with Adam7, and more data than that takes
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

static void put_number(uint8_t to[4], size_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void write_chunk(const char *type, const uint8_t *data, size_t length)
{
    uint8_t number[4];

    put_number(number, length);
    fwrite(number, 1, 4, stdout);
    fwrite(type, 1, 4, stdout);
    fwrite(data, 1, length, stdout);
    put_number(number, libdeflate_crc32(libdeflate_crc32(0, type, 4), data, length));
    fwrite(number, 1, 4, stdout);
}

/* Compress bytes of one value, of which `begin` replaces the first ones. */
static uint8_t *compress(const uint8_t *begin, size_t begin_length, size_t bytes, uint8_t value, size_t *length)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(9);
    uint8_t *data = malloc(bytes + 1);
    size_t room = libdeflate_zlib_compress_bound(compressor, bytes);
    uint8_t *made = malloc(room);

    if (data == NULL || made == NULL)
        abort();
    memset(data, value, bytes);
    memcpy(data, begin, begin_length < bytes ? begin_length : bytes);
    *length = libdeflate_zlib_compress(compressor, data, bytes, made, room);
    libdeflate_free_compressor(compressor);
    free(data);
    return made;
}

static void write_extra(const char *what)
{
    uint8_t profile[4], head[16] = "Comment", *data;
    const char *counts = what + 4;
    size_t count = strtoul(counts + 1, (char **)&counts, 10), bytes = strtoul(counts + 1, NULL, 10), length;
    size_t head_length = strncmp(what, "iTXt", 4) == 0 ? 12 : strncmp(what, "tEXt", 4) == 0 ? 8 : 9;
    char type[5] = {what[0], what[1], what[2], what[3], 0};
    bool exif = strcmp(type, "eXIf") == 0;

    if (strcmp(type, "iTXt") == 0)
        head[8] = 1; /* compressed; no language, no translated keyword */
    put_number(profile, bytes);
    if (strcmp(type, "tEXt") == 0 || exif) {
        data = malloc(bytes + 16);
        if (data == NULL)
            abort();
        memset(data, exif ? 0 : 'A', length = bytes);
    } else
        data = compress(profile, strcmp(type, "iCCP") == 0 ? 4 : 0, bytes, 'A', &length);
    uint8_t *all = malloc(head_length + length);
    if (all == NULL)
        abort();
    if (exif)
        memcpy(head, "II*\0\10\0\0\0\0", head_length); /* an empty directory */
    memcpy(all, head, head_length);
    memcpy(all + head_length, data, length);
    for (size_t i = 0; i < count; i++)
        write_chunk(type, all, head_length + length);
    free(all);
    free(data);
}

/* Write the extra chunks that come in front of the pixels or, if `behind` is true, behind them. */
static void write_extras(char **words, int count, bool behind)
{
    for (int i = 0; i < count; i++)
        if (strchr(words[i], ':') != NULL && (words[i][0] == '+') == behind)
            write_extra(words[i] + behind);
}

/* Return the number behind `start` in the word that begins with it; 0 if there is no such word. */
static size_t number_of(char **words, int count, const char *start)
{
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], start, strlen(start)) == 0)
            return strtoul(words[i] + strlen(start), NULL, 10);
    return 0;
}

static bool has_word(char **words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/*
 * Make rows of `row` bytes, filter type included. With `any` each byte of noise is a valid filter type, so that rows
 * may have any length.
 */
static uint8_t *make_pixels(size_t row, size_t rows, bool noise, bool any)
{
    uint8_t *data = calloc(row, rows);
    uint32_t state = 1;

    if (data == NULL)
        abort();
    for (size_t i = 0; i < row * rows && noise; i++) {
        state = state * 1103515245 + 12345;
        data[i] = (uint8_t)(any || i % row == 0 ? (state >> 16) % 5 : state >> 16);
    }
    return data;
}

static void write_pixels(const uint8_t *data, size_t length, size_t part, bool between)
{
    for (size_t at = 0; at < length; at += part) {
        write_chunk("IDAT", data + at, length - at < part ? length - at : part);
        if (between && at == 0)
            write_extra("tEXt:1:7");
    }
}

int main(int argc, char **argv)
{
    static const size_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    uint8_t header[13] = {0}, palette[768];
    size_t length;

    if (argc < 5)
        return 2;
    char **words = argv + 5;
    int count = argc - 5;
    size_t width = strtoul(argv[1], NULL, 10), height = strtoul(argv[2], NULL, 10);
    size_t depth = strtoul(argv[3], NULL, 10), colour = strtoul(argv[4], NULL, 10);
    put_number(header, width);
    put_number(header + 4, height);
    header[8] = (uint8_t)depth;
    header[9] = (uint8_t)colour;
    header[12] = has_word(words, count, "interlaced");
    fwrite("\x89PNG\r\n\x1A\n", 1, 8, stdout);
    write_chunk("IHDR", header, sizeof header);
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (uint8_t)(i * 7);
    if (colour == 3)
        write_chunk("PLTE", palette, (size_t)3 << depth);
    write_extras(words, count, false);
    size_t row = (width * depth * channels[colour < 7 ? colour : 0] + 7) / 8 + 1;
    size_t rows = row * height < 1 << 20 ? height : (1 << 20) / row;
    uint8_t *pixels = make_pixels(row, 2 * rows, has_word(words, count, "noise"), header[12] != 0);
    size_t bytes = row * rows * (header[12] ? 2 : 1);
    uint8_t *data = compress(pixels, bytes, bytes, 0, &length);
    size_t part = number_of(words, count, "parts=");
    write_pixels(data, length, part > 0 ? part : length, has_word(words, count, "between"));
    write_extras(words, count, true);
    write_chunk("IEND", data, 0);
    free(pixels);
    free(data);
    return fflush(stdout) == 0 ? 0 : 1;
}
