/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes codestreams of JPEG 2000 (T.800). Marker segments hold allowed values in odd combinations. Packet headers are
 * written as if each band of a precinct had a few code-blocks with tag trees of one node: if it has others, the headers
 * are read as something else.
 */
#include <string.h>

#include "made.h"

enum { MOST_TILES = 12 };

struct stream {
    uint32_t components, width, height, x0, y0, tile_w, tile_h, tile_x, tile_y, tiles;
    uint32_t levels, layers, packed; /* packed: 1 PPT, 2 PPM */
    bool precincts, sop, eph, reversible;
};

static void choose_geometry(struct made *made, struct stream *s)
{
    s->components = made_rarely(made, 6) ? 5 : 1 + made_choose(made, 4);
    s->width = 1 + made_choose(made, 110);
    s->height = 1 + made_choose(made, 110);
    s->x0 = made_rarely(made, 4) ? made_choose(made, 70) : 0;
    s->y0 = made_rarely(made, 4) ? made_choose(made, 70) : 0;
    s->tile_w = made_rarely(made, 3) ? 1 + made_choose(made, s->width) : s->x0 + s->width;
    s->tile_h = made_rarely(made, 3) ? 1 + made_choose(made, s->height) : s->y0 + s->height;
    s->tile_x = s->x0 > 0 ? made_choose(made, s->x0 + 1) : 0;
    s->tile_y = s->y0 > 0 ? made_choose(made, s->y0 + 1) : 0;
    if (s->tile_x + s->tile_w <= s->x0)
        s->tile_x = s->x0 + 1 - (s->tile_w < s->x0 + 1 ? s->tile_w : s->x0 + 1);
    if (s->tile_y + s->tile_h <= s->y0)
        s->tile_y = s->y0 + 1 - (s->tile_h < s->y0 + 1 ? s->tile_h : s->y0 + 1);
    s->tiles = ((s->x0 + s->width - s->tile_x + s->tile_w - 1) / s->tile_w) *
               ((s->y0 + s->height - s->tile_y + s->tile_h - 1) / s->tile_h);
}

static void put_siz(struct made *made, const struct stream *s)
{
    uint32_t depth = made_rarely(made, 5) ? made_choose(made, 38) : 7;
    bool alike = !made_rarely(made, 3);
    size_t at = made_open(made, 0x51);
    made_put16(made, 0);
    made_put32(made, s->x0 + s->width);
    made_put32(made, s->y0 + s->height);
    made_put32(made, s->x0);
    made_put32(made, s->y0);
    made_put32(made, s->tile_w);
    made_put32(made, s->tile_h);
    made_put32(made, s->tile_x);
    made_put32(made, s->tile_y);
    made_put16(made, s->components);
    for (uint32_t i = 0; i < s->components; i++) {
        made_put8(made, alike ? depth : made_choose(made, 31) | made_choose(made, 2) << 7);
        made_put8(made, alike ? 1 : 1 + made_choose(made, 4));
        made_put8(made, alike ? 1 : 1 + made_choose(made, 4));
    }
    made_close(made, at);
}

/* Choose the style of code-blocks: bit 6 means those of T.814, and bits 6 and 7 a mixture with those of T.800. */
static uint32_t choose_style(struct made *made)
{
    if (made_rarely(made, 3))
        return made_rarely(made, 2) ? 0xC0 | made_choose(made, 64) : 0x40 | made_choose(made, 2) << 3;
    return made_rarely(made, 2) ? made_choose(made, 64) : 0;
}

/* Write the fields that COD and COC share. Returns whether the transform is reversible. */
static bool put_coding(struct made *made, uint32_t levels, bool precincts)
{
    bool reversible = made_choose(made, 2);
    made_put8(made, levels);
    made_put8(made, made_choose(made, 5));
    made_put8(made, made_choose(made, 5));
    made_put8(made, choose_style(made));
    made_put8(made, reversible);
    for (uint32_t i = 0; precincts && i <= levels; i++)
        made_put8(made, (i > 0) + made_choose(made, 7) + 16 * ((i > 0) + made_choose(made, 7)));
    return reversible;
}

static void put_cod(struct made *made, struct stream *s)
{
    size_t at = made_open(made, 0x52);
    made_put8(made, (uint32_t)s->precincts | (uint32_t)s->sop << 1 | (uint32_t)s->eph << 2);
    made_put8(made, made_choose(made, 5));
    made_put16(made, s->layers);
    made_put8(made, s->components >= 3 && made_rarely(made, 2));
    s->reversible = put_coding(made, s->levels, s->precincts);
    made_close(made, at);
}

static void put_steps(struct made *made, uint32_t levels, bool reversible)
{
    uint32_t style = made_rarely(made, 12) ? made_choose(made, 3) : reversible ? 0 : 1 + made_choose(made, 2);
    uint32_t count = style == 1 ? 1 : 3 * levels + 1;
    made_put8(made, made_choose(made, 8) << 5 | style);
    for (uint32_t i = 0; i < count; i++)
        if (style == 0)
            made_put8(made, (made_rarely(made, 8) ? made_choose(made, 32) : 7 + made_choose(made, 6)) << 3);
        else
            made_put16(made, (5 + made_choose(made, 12)) << 11 | made_choose(made, 2048));
}

static void put_poc(struct made *made, const struct stream *s)
{
    uint32_t count = 1 + made_choose(made, 4);
    size_t at = made_open(made, 0x5F);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t resolution = made_choose(made, s->levels + 1), component = made_choose(made, s->components);
        made_put8(made, resolution);
        made_put8(made, component);
        made_put16(made, 1 + made_choose(made, s->layers + 1));
        made_put8(made, resolution + 1 + made_choose(made, s->levels + 1));
        made_put8(made, component + 1 + made_choose(made, s->components));
        made_put8(made, made_choose(made, 5));
    }
    made_close(made, at);
}

/* Write COC, QCC and RGN of a component. */
static void put_component(struct made *made, const struct stream *s)
{
    uint32_t levels = s->levels;
    bool reversible = s->reversible;
    if (made_rarely(made, 3)) {
        size_t at = made_open(made, 0x53);
        bool precincts = made_rarely(made, 2);
        levels = made_choose(made, 6);
        made_put8(made, made_choose(made, s->components));
        made_put8(made, precincts);
        reversible = put_coding(made, levels, precincts);
        made_close(made, at);
    }
    if (made_rarely(made, 3)) {
        size_t at = made_open(made, 0x5D);
        made_put8(made, made_choose(made, s->components));
        put_steps(made, levels, reversible);
        made_close(made, at);
    }
    if (made_rarely(made, 4)) {
        size_t at = made_open(made, 0x5E);
        made_put8(made, made_choose(made, s->components));
        made_put8(made, 0);
        made_put8(made, made_choose(made, 38));
        made_close(made, at);
    }
}

/* Write the number of passes (Table B.4). */
static void put_passes(struct made *header, uint32_t passes)
{
    if (passes == 1)
        made_put_bits(header, 0, 1);
    else if (passes == 2)
        made_put_bits(header, 2, 2);
    else if (passes <= 5)
        made_put_bits(header, 12 | (passes - 3), 4);
    else if (passes <= 36)
        made_put_bits(header, 0x1E0 | (passes - 6), 9);
    else
        made_put_bits(header, 0xFF80 | (passes - 37), 16);
}

/* Write the header of a code-block that is included for the first time. Returns the number of its bytes. */
static uint32_t put_block_header(struct made *header)
{
    uint32_t planes = made_random(header, 6), passes = 1 + made_random(header, made_rarely(header, 16) ? 164 : 20);
    uint32_t grown = made_random(header, 4), bits = 3 + grown, length;
    made_put_bits(header, 1, 1);
    made_put_bits(header, 0, planes);
    made_put_bits(header, 1, 1);
    put_passes(header, passes);
    made_put_bits(header, (1u << grown) - 1, grown);
    made_put_bits(header, 0, 1);
    for (uint32_t p = passes; p > 1; p /= 2)
        bits++;
    length = made_random(header, 1u << (bits < 6 ? bits : 6));
    made_put_bits(header, length, bits);
    return length;
}

static void put_packet(struct made *header, struct made *body, const struct stream *s, uint32_t number, bool odd)
{
    uint32_t blocks = made_random(header, 4), bytes = 0;
    if (s->sop && !(odd && made_random(body, 8) == 0)) {
        made_put16(body, 0xFF91);
        made_put16(body, 4);
        made_put16(body, number + (odd && made_random(body, 16) == 0 ? made_random(body, 9) : 0));
    }
    made_put_bits(header, blocks > 0, 1);
    for (uint32_t i = 0; i < blocks; i++)
        if (odd && made_random(header, 6) == 0)
            made_put_bits(header, made_random(header, 1 << 12), 12);
        else
            bytes += put_block_header(header);
    made_end_bits(header, 0);
    if (s->eph && !(odd && made_random(header, 8) == 0))
        made_put16(header, 0xFF92);
    if (header != body && odd && made_random(body, 16) == 0)
        bytes++;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t byte = made_random(body, 256);
        made_put8(body, body->length > 0 && body->data[body->length - 1] == 0xFF ? byte & 0x8F : byte);
    }
}

/* Write PLT with lengths that add up to the bytes, whether or not packets have these lengths. */
static void put_plt(struct made *made, uint32_t bytes)
{
    size_t at = made_open(made, 0x58);
    made_put8(made, 0);
    while (bytes > 0) {
        uint32_t length = 1 + made_random(made, 80);
        length = length < bytes ? length : bytes;
        if (length >= 128)
            made_put8(made, 0x80 | length >> 7);
        made_put8(made, length & 127);
        bytes -= length;
    }
    made_close(made, at);
}

static void put_tile_header(struct made *made, struct stream *s, uint32_t part)
{
    if (part == 0 && made_rarely(made, 10))
        put_cod(made, s);
    if (part == 0 && made_rarely(made, 8)) {
        size_t at = made_open(made, 0x5C);
        put_steps(made, s->levels, s->reversible);
        made_close(made, at);
    }
    if (part == 0 && made_rarely(made, 8))
        put_component(made, s);
    if (made_rarely(made, 10))
        put_poc(made, s);
}

/* Write a tile-part. Packed headers go into it (PPT) or, with their length in front, to `ppm`. */
static void put_part(
    struct made *made, struct stream *s, struct made *ppm, uint32_t tile, uint32_t part, uint32_t parts)
{
    size_t start = made->length;
    struct made body = made_apart(made), header = made_apart(made);
    uint32_t packets = 1 + made_choose(made, 30), first = part * 31;
    bool odd = made_rarely(made, 3);
    body.random = made_random(made, 1u << 27) * 2 + 1;
    header.random = body.random ^ 0x5A5A5A;
    header.left = body.left = 0;
    for (uint32_t i = 0; i < packets; i++)
        put_packet(s->packed ? &header : &body, &body, s, first + i, odd);
    made_put16(made, 0xFF90);
    made_put16(made, 10);
    made_put16(made, tile);
    made_put32(made, 0);
    made_put8(made, part);
    made_put8(made, made_rarely(made, 2) ? 0 : parts);
    put_tile_header(made, s, part);
    if (s->packed == 1) {
        size_t at = made_open(made, 0x61);
        made_put8(made, part);
        made_put_all(made, header.data, header.length);
        made_close(made, at);
    } else if (s->packed == 2) {
        made_put32(ppm, (uint32_t)header.length);
        made_put_all(ppm, header.data, header.length);
    }
    if (made_rarely(made, 4))
        put_plt(made, (uint32_t)body.length);
    made_put16(made, 0xFF93);
    made_put_all(made, body.data, body.length);
    uint32_t length = made_rarely(made, 16) ? made_choose(made, 400) : (uint32_t)(made->length - start);
    for (uint32_t i = 0; i < 4; i++)
        made->data[start + 6 + i] = (uint8_t)(length >> (24 - 8 * i));
    made_end(&body);
    made_end(&header);
}

static void put_ppm(struct made *made, const struct made *ppm)
{
    for (size_t at = 0, number = 0; at < ppm->length && number < 200; number++) {
        size_t length = ppm->length - at < 3000 ? ppm->length - at : 1 + made_random(made, 3000);
        size_t segment = made_open(made, 0x60);
        made_put8(made, (uint32_t)number);
        made_put_all(made, ppm->data + at, length);
        made_close(made, segment);
        at += length;
    }
}

static void put_main_header(struct made *made, struct stream *s)
{
    made_put16(made, 0xFF4F);
    put_siz(made, s);
    put_cod(made, s);
    size_t at = made_open(made, 0x5C);
    put_steps(made, s->levels, s->reversible);
    made_close(made, at);
    put_component(made, s);
    if (made_rarely(made, 6))
        put_poc(made, s);
}

uint32_t made_j2k(struct made *made)
{
    struct stream s = {.levels = made_rarely(made, 16) ? made_choose(made, 33) : made_choose(made, 5),
        .layers = made_rarely(made, 10) ? 1 + made_choose(made, 300) : 1 + made_choose(made, 4),
        .packed = made_choose(made, 5),
        .precincts = made_rarely(made, 2),
        .sop = made_rarely(made, 2),
        .eph = made_rarely(made, 2)};
    s.packed = s.packed > 2 ? 0 : s.packed;
    choose_geometry(made, &s);
    put_main_header(made, &s);
    struct made parts = made_apart(made), ppm = {.random = 1};
    uint32_t tiles = s.tiles < MOST_TILES ? s.tiles : MOST_TILES;
    for (uint32_t t = 0; t < tiles; t++) {
        uint32_t count = made_rarely(&parts, 4) ? 1 + made_choose(&parts, 3) : 1;
        for (uint32_t p = 0; p < count; p++)
            put_part(&parts, &s, &ppm, t, p, count);
    }
    if (s.packed == 2)
        put_ppm(made, &ppm);
    made_join(made, &parts);
    if (!made_rarely(made, 8))
        made_put16(made, 0xFFD9);
    made_end(&ppm);
    made_damage(made);
    return tiles;
}
