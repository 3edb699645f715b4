/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes files with more to describe than others of their length: make_worst KIND LENGTH writes a file of about that
 * many bytes to standard output, and without arguments the names of the kinds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/j2k/hostile.h"

enum { SEGMENTS = 9000, /* in a header; more than 10,000 markers are refused */ MOST_TILES = 65535 };

static const struct hostile_picture one_tile = {
    .width = 64, .height = 64, .components = 1, .block = 4, .layers = 1, .exponent = 8};

/* Write tile-parts whose headers hold as many copies of these bytes as a header may. */
static void put_headers(struct bytes *b, const void *piece, size_t size, size_t length)
{
    uint32_t part = (uint32_t)(14 + SEGMENTS * size);

    hostile_put_header(b, &one_tile);
    for (uint32_t i = 0; b->length < length; i++) {
        put_marker(b, 0x90);
        hostile_put16(b, 10);
        hostile_put16(b, 0);
        hostile_put32(b, part);
        put(b, (const uint8_t[]){(uint8_t)(i % 255), 0}, 2);
        for (uint32_t k = 0; k < SEGMENTS; k++)
            put(b, piece, size);
        put_marker(b, 0x93);
    }
    put_marker(b, 0xD9);
}

static void put_alone(struct bytes *b, size_t length)
{
    put_headers(b, "\xFF\x30", 2, length);
}

static void put_empty_segments(struct bytes *b, size_t length)
{
    put_headers(b, "\xFF\x74\0\2", 4, length);
}

static void put_comments(struct bytes *b, size_t length)
{
    put_headers(b, "\xFF\x64\0\x0C\0\1\"\\\"\\\"\\\"\\", 14, length);
}

static void put_regions(struct bytes *b, size_t length)
{
    put_headers(b, "\xFF\x5E\0\5\0\0\0", 7, length);
}

static void put_parts(struct bytes *b, size_t length)
{
    hostile_put_header(b, &one_tile);
    for (uint32_t i = 0; b->length < length; i++)
        hostile_start_part(b, 0, 14, (uint8_t)(i % 255), 0);
    put_marker(b, 0xD9);
}

/* Write a stream of many tiles and `components` components that breaks every rule of the profile that it claims. */
static void put_profile_of(struct bytes *b, size_t length, uint32_t components)
{
    enum { RSIZ = 6 };
    const struct hostile_picture p = {
        .width = 255, .height = 257, .tile_width = 1, .tile_height = 1, .components = components, .layers = 1};

    hostile_put_header(b, &p);
    b->data[RSIZ + 1] = 3;
    for (uint32_t i = 0; b->length < length; i++)
        hostile_start_part(b, i % MOST_TILES, 14, (uint8_t)(i / MOST_TILES), 0);
    put_marker(b, 0xD9);
}

static void put_profile(struct bytes *b, size_t length)
{
    put_profile_of(b, length, 1);
}

static void put_profile_of_many(struct bytes *b, size_t length)
{
    put_profile_of(b, length, 500);
}

/*
 * Write a stream that claims T.814, so that its packet headers are read, too: a tile-part of so many bytes, each of
 * which is `byte`.
 */
static void put_packets_of(struct bytes *b, const struct hostile_picture *p, uint8_t byte, size_t length)
{
    uint8_t *body = malloc(length);

    if (body == NULL)
        exit(EXIT_FAILURE);
    memset(body, byte, length);
    hostile_put_header(b, p);
    put_segment(b, 0x50, "\0\2\0\0\0\0", 6);
    hostile_put_part(b, 0, body, length);
    put_marker(b, 0xD9);
    free(body);
}

static void put_empty_packets(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {.width = 256,
        .height = 256,
        .components = 1,
        .levels = 1,
        .precinct = 1,
        .layers = 65535,
        .style = 64,
        .exponent = 8};

    put_packets_of(b, &p, 0, length);
}

/* Write a packet of eight million code-blocks. */
static void put_blocks(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 16000, .height = 8000, .components = 1, .layers = 1, .style = 64, .exponent = 8};

    put_packets_of(b, &p, 0xAA, length);
}

/*
 * Write the smallest JPEG that has headers, with as many of these segments in front of its picture as the length needs.
 */
static void put_jpeg(struct bytes *b, const void *contents, size_t size, size_t length)
{
    static const uint8_t frame[] = {8, 0, 1, 0, 1, 1, 1, 0x11, 0}, scan[] = {1, 1, 0, 0, 63, 0};
    uint8_t table[65] = {0}, codes[17 + 1] = {0, 1};

    memset(table + 1, 1, 64);
    put_marker(b, 0xD8);
    for (uint32_t i = 0; b->length < length && i < SEGMENTS; i++)
        put_segment(b, 0xFE, contents, size);
    put_segment(b, 0xDB, table, sizeof table);
    put_segment(b, 0xC0, frame, sizeof frame);
    put_segment(b, 0xC4, codes, sizeof codes);
    codes[0] = 0x10;
    put_segment(b, 0xC4, codes, sizeof codes);
    put_segment(b, 0xDA, scan, sizeof scan);
    put(b, "\x3F", 1);
    put_marker(b, 0xD9);
}

static void put_controls(struct bytes *b, size_t length)
{
    static uint8_t controls[65000];

    memset(controls, 1, sizeof controls);
    put_jpeg(b, controls, sizeof controls, length);
}

static void put_short_controls(struct bytes *b, size_t length)
{
    static uint8_t controls[300];

    memset(controls, 1, sizeof controls);
    put_jpeg(b, controls, sizeof controls, length);
}

static void put_empty_comments(struct bytes *b, size_t length)
{
    put_jpeg(b, "", 0, length);
}

static const struct kind {
    const char *name;
    void (*put)(struct bytes *b, size_t length);
} kinds[] = {{"alone", put_alone}, {"segments", put_empty_segments}, {"comments", put_comments},
    {"regions", put_regions}, {"parts", put_parts}, {"profile", put_profile}, {"profile-many", put_profile_of_many},
    {"ht-packets", put_empty_packets}, {"ht-blocks", put_blocks}, {"jpeg-controls", put_controls},
    {"jpeg-short", put_short_controls}, {"jpeg-empty", put_empty_comments}};

int main(int argc, char **argv)
{
    struct bytes b = {0};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (argc < 3)
            puts(kinds[i].name);
        else if (strcmp(kinds[i].name, argv[1]) == 0)
            kinds[i].put(&b, strtoul(argv[2], NULL, 10));
    }
    bool written = argc < 3 || (b.length > 0 && fwrite(b.data, 1, b.length, stdout) == b.length);
    bytes_free(&b);
    return written && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
