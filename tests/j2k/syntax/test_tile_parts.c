/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLM lets a decoder go straight to the tile-parts that it wants: what is decoded stays the same, whatever order
 * tile-parts stand in, and also where TLM or the tile-parts are wrong.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 150, HEIGHT = 110, TRIES = 8, PARTS = 400, SOT = 12 };

static uint32_t random_state = 5;

struct variant {
    kst_progression progression;
    uint32_t tile, division;
    kst_j2k_headers headers;
    bool plt, jp2;
};

static const struct variant variants[] = {{KST_PROGRESSION_LRCP, 24, 0, KST_J2K_HEADERS_INLINE, false, false},
    {KST_PROGRESSION_RLCP, 40, KST_J2K_DIVIDE_RESOLUTION, KST_J2K_HEADERS_INLINE, true, true},
    {KST_PROGRESSION_RPCL, 33, KST_J2K_DIVIDE_RESOLUTION, KST_J2K_HEADERS_PPT, false, false},
    {KST_PROGRESSION_LRCP, 50, KST_J2K_DIVIDE_LAYER, KST_J2K_HEADERS_PPM, false, false},
    {KST_PROGRESSION_CPRL, 64, KST_J2K_DIVIDE_COMPONENT, KST_J2K_HEADERS_INLINE, true, false}};

static kst_buffer encode(const struct variant *variant)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    kst_image image;
    kst_j2k_options j2k;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i / 3 % WIDTH + i / 3 / WIDTH * 2 + i % 3 * 40 + random_below(&random_state, 16));
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), KST_OK);
    kst_j2k_options_init(&j2k);
    j2k.progression = variant->progression;
    j2k.tile_width = j2k.tile_height = variant->tile;
    j2k.division = variant->division;
    j2k.headers = variant->headers;
    j2k.packet_lengths = variant->plt;
    j2k.codestream = !variant->jp2;
    j2k.layers = 2;
    j2k.levels = 2;
    j2k.tile_part_lengths = true;
    return j2k_coded(context, &image, &j2k);
}

static uint32_t get(const uint8_t *at, uint32_t bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | *at++;
    return value;
}

static void put(uint8_t *to, uint32_t value, uint32_t bytes)
{
    while (bytes-- > 0)
        *to++ = (uint8_t)(value >> (8 * bytes));
}

/* A stream taken apart: where its TLM and its tile-parts are. */
struct anatomy {
    size_t tlm, part[PARTS + 1]; /* one more: EOC */
    uint32_t parts;
};

static void dissect(const kst_buffer *coded, struct anatomy *a)
{
    size_t at = 0;
    *a = (struct anatomy){0};
    while (memcmp(coded->data + at, "\xFF\x4F\xFF\x51", 4) != 0)
        at++;
    for (at += 2; coded->data[at + 1] != 0x90; at += 2 + get(coded->data + at + 2, 2))
        if (coded->data[at + 1] == 0x55)
            a->tlm = at;
    for (; coded->data[at + 1] == 0x90; at += get(coded->data + at + 6, 4)) {
        assert_true(a->parts < PARTS);
        a->part[a->parts++] = at;
    }
    a->part[a->parts] = at;
    assert_true(a->tlm > 0);
    assert_int_equal(coded->data[at + 1], 0xD9);
}

/* The same without TLM: as an unknown marker segment, which decoders skip, so that all stays in its place. */
static kst_buffer hide(const kst_buffer *coded)
{
    struct anatomy a;
    kst_buffer hidden = {.data = malloc(coded->length), .length = coded->length};
    assert_non_null(hidden.data);
    memcpy(hidden.data, coded->data, coded->length);
    dissect(coded, &a);
    hidden.data[a.tlm + 1] = 0x6F;
    return hidden;
}

/* A tile, a region, a smaller picture, or a part of it. */
static void choose(kst_decode_options *options, uint32_t tiles)
{
    kst_decode_options_init(options);
    options->reduce = random_below(&random_state, 3);
    options->layers = random_below(&random_state, 3);
    if (random_below(&random_state, 3) == 0) {
        options->tile = random_below(&random_state, tiles);
    } else if (random_below(&random_state, 5) > 0) {
        uint32_t width = WIDTH >> options->reduce, height = HEIGHT >> options->reduce;
        options->region.x = random_below(&random_state, width);
        options->region.y = random_below(&random_state, height);
        options->region.width =
            1 + random_below(&random_state, width - options->region.x < 30 ? width - options->region.x : 30);
        options->region.height =
            1 + random_below(&random_state, height - options->region.y < 30 ? height - options->region.y : 30);
    }
}

/* Decode both streams with the same options, and compare the pixels or errors. Returns b's warnings. */
static uint64_t compare(kst_decoder *a, kst_decoder *b, const kst_decode_options *options)
{
    kst_image one, other;
    kst_image_init(&one);
    kst_image_init(&other);
    kst_status status = kst_decoder_decode(a, options, &one);
    assert_int_equal(kst_decoder_decode(b, options, &other), status);
    if (!status) {
        kst_comparison comparison = {.size = sizeof comparison};
        assert_int_equal(kst_compare(&one, &other, &comparison), KST_OK);
        assert_true(comparison.identical);
    }
    kst_image_release(context, &one);
    kst_image_release(context, &other);
    return kst_decoder_report(b)->warnings;
}

static kst_decoder *open(const kst_buffer *coded)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, coded->data, coded->length), KST_OK);
    return decoder;
}

/* Some decodings of both by the same decoders. Returns the most warnings of b beyond those of a. */
static uint64_t compare_some(const kst_buffer *without, const kst_buffer *with)
{
    kst_decoder *a = open(without), *b = open(with);
    uint32_t tiles = kst_decoder_info(a)->tiles;
    uint64_t most = 0;
    for (uint32_t k = 0; k < TRIES; k++) {
        kst_decode_options options;
        choose(&options, tiles);
        uint64_t warnings = compare(a, b, &options), before = kst_decoder_report(a)->warnings;
        most = warnings > before && warnings - before > most ? warnings - before : most;
    }
    kst_decoder_destroy(&a);
    kst_decoder_destroy(&b);
    return most;
}

static void test_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer with = encode(&variants[i]), without = hide(&with);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(compare_some(&without, &with), 0);
        free(without.data);
        kst_buffer_release(context, &with);
    }
}

/* TLM that is wrong in one way or another; false where this one cannot be. */
typedef bool damage(uint8_t *tlm, uint32_t entries, uint32_t size);

static bool change_length(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    tlm[6 + size * random_below(&random_state, entries) + size - 1]++;
    return true;
}

static bool shift_length(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    uint8_t *a = tlm + 6 + size * random_below(&random_state, entries - 1), *b = a + size;
    put(a + size - 4, get(a + size - 4, 4) + 1, 4);
    put(b + size - 4, get(b + size - 4, 4) - 1, 4);
    return true;
}

static bool change_order(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    uint8_t *a = tlm + 6 + size * random_below(&random_state, entries - 1), held[8];
    if (memcmp(a, a + size, size) == 0)
        return false;
    memcpy(held, a, size);
    memmove(a, a + size, size);
    memcpy(a + size, held, size);
    return true;
}

static bool change_tile(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    uint8_t *a = tlm + 6 + size * random_below(&random_state, entries),
            *b = tlm + 6 + size * random_below(&random_state, entries);
    if (memcmp(a, b, size - 4) == 0)
        return false;
    memcpy(a, b, size - 4);
    return true;
}

/* Two tile-parts as one. The segment keeps its length by one that is too short to be. */
static bool join_parts(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    uint8_t *a = tlm + 6 + size * random_below(&random_state, entries - 1);
    put(a + size - 4, get(a + size - 4, 4) + get(a + 2 * size - 4, 4) - 14, 4);
    put(a + 2 * size - 4, 14, 4);
    return true;
}

static bool change_sizes(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    (void)entries;
    (void)size;
    tlm[5] ^= 0x50;
    return true;
}

static bool end_early(uint8_t *tlm, uint32_t entries, uint32_t size)
{
    put(tlm + 6 + size * (entries - 1) + size - 4, 0, 4);
    return true;
}

static void test_wrong(void **state)
{
    static damage *const damages[] = {
        change_length, shift_length, change_order, change_tile, join_parts, change_sizes, end_early};
    uint64_t warned = 0;
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer with = encode(&variants[i]), without = hide(&with);
        struct anatomy a;
        dissect(&with, &a);
        uint32_t size = 4 + (with.data[a.tlm + 5] >> 4 & 3);
        uint8_t *kept = malloc(with.length);
        assert_non_null(kept);
        memcpy(kept, with.data, with.length);
        for (uint32_t k = 0; k < 2 * sizeof damages / sizeof damages[0]; k++) {
            memcpy(with.data, kept, with.length);
            if (!damages[k / 2](with.data + a.tlm, a.parts, size))
                continue;
            uint64_t warnings = compare_some(&without, &with);
            assert_true(warnings <= 1);
            warned += warnings;
        }
        free(kept);
        free(without.data);
        kst_buffer_release(context, &with);
    }
    print_message("%u warnings\n", (unsigned)warned);
    assert_true(warned > 40);
}

/* Tile-parts that are damaged where TLM is right: the whole picture and their own tile stay what they are. */
static void test_damaged_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer with = encode(&variants[i]), without = hide(&with);
        struct anatomy a;
        dissect(&with, &a);
        for (uint32_t k = 0; k < 12; k++) {
            size_t part = a.part[random_below(&random_state, a.parts)], at = part + (k < 10 ? k + 2 : 12),
                   length = with.length;
            uint8_t held = with.data[at];
            uint32_t tile = get(with.data + part + 4, 2);
            with.data[at] = without.data[at] = (uint8_t)(held ^ 1);
            if (k == 11)
                with.length = without.length = part + random_below(&random_state, 40);
            /* A tile-part that is not wanted may be the one that is damaged: with the whole picture wanted nothing may.
             */
            kst_decoder *x = open(&without), *y = open(&with);
            kst_decode_options options;
            kst_decode_options_init(&options);
            compare(x, y, &options);
            assert_int_equal(kst_decoder_report(x)->warnings, kst_decoder_report(y)->warnings);
            kst_decoder_destroy(&x);
            kst_decoder_destroy(&y);
            x = open(&without);
            y = open(&with);
            options.tile = tile;
            compare(x, y, &options);
            kst_decoder_destroy(&x);
            kst_decoder_destroy(&y);
            with.length = without.length = length;
            with.data[at] = without.data[at] = held;
        }
        free(without.data);
        kst_buffer_release(context, &with);
    }
}

/* A tile-part that takes itself for one of another tile is found only where all are read. */
static void test_strict(void **state)
{
    const struct variant plain = {
        KST_PROGRESSION_LRCP, 40, KST_J2K_DIVIDE_RESOLUTION, KST_J2K_HEADERS_INLINE, false, false};
    kst_buffer with = encode(&plain);
    struct anatomy a;
    (void)state;
    dissect(&with, &a);
    for (uint32_t k = 0; k < 10; k++) {
        uint32_t part = a.parts - 1 - random_below(&random_state, a.parts / 2),
                 tile = get(with.data + a.part[part] + 4, 2);
        assert_true(tile > 0);
        put(with.data + a.part[part] + 4, 0, 2);
        kst_decode_options options;
        kst_image image;
        kst_report report;
        kst_decode_options_init(&options);
        for (uint32_t strict = 0; strict < 2; strict++) {
            options.tile = 0;
            options.strict = strict == 1;
            kst_image_init(&image);
            kst_report_init(&report);
            kst_status status = kst_decode(context, with.data, with.length, &options, &image, &report);
            assert_int_equal(status, strict ? KST_WARNING_J2K_TILE_PART : KST_OK);
            kst_image_release(context, &image);
        }
        put(with.data + a.part[part] + 4, tile, 2);
    }
    kst_buffer_release(context, &with);
}

/* TLM of all sizes of entries, without tiles, and in several segments that do not come in order. */
static void test_forms(void **state)
{
    const struct variant plain = {KST_PROGRESSION_LRCP, 40, 0, KST_J2K_HEADERS_INLINE, false, false};
    kst_buffer with = encode(&plain), without = hide(&with);
    struct anatomy a;
    (void)state;
    dissect(&with, &a);
    size_t old = 2 + get(with.data + a.tlm + 2, 2), behind = a.tlm + old;
    for (uint32_t form = 0; form < 24; form++) {
        uint32_t tile_bytes = form % 3, length_bytes = form / 3 % 2 ? 4 : 2, segments = 1 + form / 6 % 4;
        kst_buffer made = {.data = malloc(with.length + 1000)};
        assert_non_null(made.data);
        memcpy(made.data, with.data, a.tlm);
        uint8_t *to = made.data + a.tlm;
        for (uint32_t s = segments; s-- > 0;) { /* the last one first */
            uint32_t first = a.parts * s / segments, end = a.parts * (s + 1) / segments;
            memcpy(to, "\xFF\x55", 2);
            put(to + 2, 4 + (end - first) * (tile_bytes + length_bytes), 2);
            to[4] = (uint8_t)s;
            to[5] = (uint8_t)(tile_bytes << 4 | (length_bytes == 4 ? 0x40 : 0));
            to += 6;
            for (uint32_t i = first; i < end; i++, to += tile_bytes + length_bytes) {
                put(to, get(with.data + a.part[i] + 4, 2), tile_bytes);
                put(to + tile_bytes, (uint32_t)(a.part[i + 1] - a.part[i]), length_bytes);
            }
        }
        memcpy(to, with.data + behind, with.length - behind);
        made.length = (size_t)(to - made.data) + with.length - behind;
        assert_int_equal(compare_some(&without, &made), 0);
        kst_decoder *decoder = open(&made);
        kst_decode_options options;
        kst_image image;
        kst_decode_options_init(&options);
        kst_image_init(&image);
        options.tile = 4;
        /* Tile-parts that are not wanted are not looked at. */
        memset(made.data + made.length - (with.length - a.part[a.parts - 1]), 0, SOT);
        assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_OK);
        assert_int_equal(kst_decoder_report(decoder)->warnings, 0);
        kst_image_release(context, &image);
        kst_decoder_destroy(&decoder);
        free(made.data);
    }
    free(without.data);
    kst_buffer_release(context, &with);
}

/* Headers that opening has left for later are read when all headers are requested. */
static void test_elements(void **state)
{
    kst_buffer with = encode(&variants[1]), without = hide(&with);
    kst_decoder *a = open(&without), *b = open(&with);
    kst_element one = {.size = sizeof one}, other = one;
    uint32_t count = 0;
    (void)state;
    while (kst_decoder_next_element(a, &one)) {
        assert_true(kst_decoder_next_element(b, &other));
        assert_int_equal(one.offset, other.offset);
        assert_int_equal(one.length, other.length);
        count++;
    }
    assert_false(kst_decoder_next_element(b, &other));
    assert_true(count > 50);
    assert_int_equal(kst_decoder_info(a)->entropy_bytes, kst_decoder_info(b)->entropy_bytes);
    kst_decoder_destroy(&a);
    kst_decoder_destroy(&b);
    free(without.data);
    kst_buffer_release(context, &with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_damaged_parts), cmocka_unit_test(test_strict), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_elements)};
    return run_with_context(1, tests, NULL, NULL);
}
