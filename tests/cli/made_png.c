/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PNG files of which the headers promise more than there is: made_png WIDTH HEIGHT DEPTH COLOUR [CHUNK:COUNT:BYTES]
 * writes one to standard output whose pixels are black, as many rows of them as fit one mebibyte. CHUNK is zTXt, iTXt,
 * tEXt (comments) or iCCP; COUNT of them hold BYTES each.
 */
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

/* Bytes of one value, behind those that the data begin with. */
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

    if (strcmp(type, "iTXt") == 0)
        head[8] = 1; /* compressed; no language, no translated keyword */
    put_number(profile, bytes);
    if (strcmp(type, "tEXt") == 0) {
        data = malloc(bytes + 16);
        if (data == NULL)
            abort();
        memset(data, 'A', length = bytes);
    } else
        data = compress(profile, strcmp(type, "iCCP") == 0 ? 4 : 0, bytes, 'A', &length);
    uint8_t *all = malloc(head_length + length);
    if (all == NULL)
        abort();
    memcpy(all, head, head_length);
    memcpy(all + head_length, data, length);
    for (size_t i = 0; i < count; i++)
        write_chunk(type, all, head_length + length);
    free(all);
    free(data);
}

int main(int argc, char **argv)
{
    static const size_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    uint8_t header[13] = {0};
    size_t length;

    if (argc < 5)
        return 2;
    size_t width = strtoul(argv[1], NULL, 10), height = strtoul(argv[2], NULL, 10);
    size_t depth = strtoul(argv[3], NULL, 10), colour = strtoul(argv[4], NULL, 10);
    put_number(header, width);
    put_number(header + 4, height);
    header[8] = (uint8_t)depth;
    header[9] = (uint8_t)colour;
    fwrite("\x89PNG\r\n\x1A\n", 1, 8, stdout);
    write_chunk("IHDR", header, sizeof header);
    for (int i = 5; i < argc; i++)
        write_extra(argv[i]);
    size_t bytes = ((width * depth * channels[colour < 7 ? colour : 0] + 7) / 8 + 1) * height;
    uint8_t *data = compress(header, 0, bytes < 1 << 20 ? bytes : 1 << 20, 0, &length);
    write_chunk("IDAT", data, length);
    write_chunk("IEND", data, 0);
    free(data);
    return fflush(stdout) == 0 ? 0 : 1;
}
