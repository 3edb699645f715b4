/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes damaged JPEG 2000: bytes of code-blocks, packets, headers and tile-parts. Only the samples that depend on
 * what is damaged differ from the clean picture, warnings are counted, strict decoding fails, and all is the same on
 * every tier and number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "j2k/packets/build.h"
#include "support/j2k/coded.h"
#include "support/jpeg/streams.h"
#include "support/test.h"

enum { WIDTH = 120, HEIGHT = 90, MACHINES = 3 };

static kst_context *machine[MACHINES];
static uint8_t pixels[WIDTH * HEIGHT];

static int start(void **state)
{
    static const struct {
        uint32_t threads;
        const char *cpu;
    } kinds[MACHINES] = {{1, "c"}, {1, NULL}, {3, NULL}};
    (void)state;
    for (uint32_t i = 0; i < MACHINES; i++) {
        kst_context_options options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.threads = kinds[i].threads;
        options.cpu = kinds[i].cpu;
        if (kst_context_create(&options, &machine[i]))
            return 1;
    }
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)((i % WIDTH) * 2 + i / WIDTH + (i * i >> 7) % 29);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MACHINES; i++)
        kst_context_destroy(&machine[i]);
    return 0;
}

static kst_buffer encode(uint32_t style, bool reversible, bool tiled, bool marked)
{
    kst_image image;
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.codestream = true;
    j2k.style = style;
    j2k.levels = 2;
    j2k.block_width = j2k.block_height = 16;
    j2k.reversible = reversible;
    if (!reversible) {
        j2k.target = KST_J2K_PSNR;
        j2k.value = 45;
    }
    j2k.sop = j2k.eph = marked;
    if (tiled)
        j2k.tile_width = j2k.tile_height = 64;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, WIDTH, HEIGHT, pixels, 0), KST_OK);
    return j2k_coded(machine[1], &image, &j2k);
}

struct decoded {
    kst_status status;
    kst_report report;
    uint8_t pixels[WIDTH * HEIGHT];
};

static void decode_on(uint32_t index, const uint8_t *data, size_t length, bool strict, struct decoded *decoded)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_report_init(&decoded->report);
    options.strict = strict;
    memset(decoded->pixels, 0, sizeof decoded->pixels);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, WIDTH, HEIGHT, decoded->pixels, 0), KST_OK);
    decoded->status = kst_decode(machine[index], data, length, &options, &image, &decoded->report);
    assert_int_equal(decoded->status, decoded->report.status);
}

/* On every machine, which agree; and strictly, which fails with the first warning. */
static void decode(const uint8_t *data, size_t length, struct decoded *decoded)
{
    static struct decoded other;
    decode_on(0, data, length, false, decoded);
    for (uint32_t i = 1; i < MACHINES; i++) {
        decode_on(i, data, length, false, &other);
        assert_int_equal(other.status, decoded->status);
        assert_int_equal(other.report.warnings, decoded->report.warnings);
        assert_int_equal(other.report.first_warning, decoded->report.first_warning);
        assert_int_equal(other.report.first_warning_offset, decoded->report.first_warning_offset);
        assert_memory_equal(other.pixels, decoded->pixels, sizeof other.pixels);
    }
    decode_on(1, data, length, true, &other);
    if (decoded->report.warnings > 0)
        assert_true(other.status);
    else
        assert_int_equal(other.status, decoded->status);
}

/* The samples that depend on a code-block: those of the picture above it and what two taps on each level reach. */
static struct j2k_rect footprint(const struct j2k_plan *plan, const struct j2k_block *block)
{
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    uint32_t resolution = tc->first_resolution;
    while (plan->resolution[resolution].first_band + plan->resolution[resolution].band_count <= block->band)
        resolution++;
    uint32_t r = resolution - tc->first_resolution, shift = r ? tc->levels - r + 1U : tc->levels;
    uint32_t reach = (tc->reversible ? 2U : 4U) << shift;
    struct j2k_rect rect = {
        .x1 = ((block->x + block->width) << shift) + reach, .y1 = ((block->y + block->height) << shift) + reach};
    rect.x0 = block->x << shift > reach ? (block->x << shift) - reach : 0;
    rect.y0 = block->y << shift > reach ? (block->y << shift) - reach : 0;
    return rect;
}

static uint32_t count_differences(const struct decoded *a, const struct decoded *b, struct j2k_rect inside)
{
    uint32_t differences = 0;
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            if (a->pixels[y * WIDTH + x] == b->pixels[y * WIDTH + x])
                continue;
            differences++;
            if (x < inside.x0 || x >= inside.x1 || y < inside.y0 || y >= inside.y1)
                fail_msg("(%u, %u) differs, outside of what can", (unsigned)x, (unsigned)y);
        }
    }
    return differences;
}

struct damage {
    uint32_t tried, differed, told;
};

/* A byte of each piece of each code-block, in the middle, inverted; then the next one. */
static struct damage damage_blocks(const kst_buffer *coded)
{
    static struct decoded clean, damaged;
    struct damage damage = {0, 0, 0};
    struct memory memory;
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    const struct j2k_filter filter = {.layers = 0};
    uint8_t *copy = malloc(coded->length);
    kst_memory_init(&memory, NULL, UINT64_MAX);
    kst_report_init(&report);
    decode(coded->data, coded->length, &clean);
    assert_int_equal(clean.report.warnings, 0);
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_parse(&op, coded->data, coded->length, &stream), KST_OK);
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &filter, &plan), KST_OK);
    for (uint32_t i = 0; i < plan.block_count; i++) {
        const struct j2k_block *block = &plan.block[i];
        for (uint32_t k = 0; k < block->segment_count; k += 1 + block->segment_count / 3) {
            const struct j2k_segment *segment = &plan.segment[block->first_segment + k];
            if (segment->piece_count == 0)
                continue;
            const struct j2k_piece *piece = &plan.piece[segment->first_piece];
            memcpy(copy, coded->data, coded->length);
            copy[piece->offset + piece->length / 2] ^= 0x2A;
            decode(copy, coded->length, &damaged);
            assert_int_equal(damaged.status, KST_OK);
            bool differs = count_differences(&clean, &damaged, footprint(&plan, block)) > 0;
            damage.tried++;
            damage.differed += differs;
            damage.told += damaged.report.warnings > 0;
            assert_true(damaged.report.warnings <= 1);
        }
    }
    kst_j2k_plan_release(&memory, &plan);
    kst_j2k_stream_release(&memory, &stream);
    free(copy);
    return damage;
}

static void blocks(void **state)
{
    static const struct {
        const char *name;
        uint32_t style;
        bool reversible, tiled;
        uint32_t told; /* of a hundred, at least */
    } cases[] = {
        {"plain", 0, true, false, 0},
        {"symbols", KST_J2K_SYMBOLS, true, false, 90},
        {"symbols, 9/7, tiles", KST_J2K_SYMBOLS, false, true, 70},
        {"predictable", KST_J2K_PREDICTABLE, true, true, 50},
        {"predictable, each pass", KST_J2K_PREDICTABLE | KST_J2K_TERMALL, true, false, 50},
        {"all", 63, true, false, 70} /* raw bits show no damage */,
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        kst_buffer coded = encode(cases[i].style, cases[i].reversible, cases[i].tiled, false);
        struct damage damage = damage_blocks(&coded);
        print_message("%s: of %u damages %u differ, %u are told\n", cases[i].name, (unsigned)damage.tried,
            (unsigned)damage.differed, (unsigned)damage.told);
        assert_true(damage.tried > 20 && damage.differed > damage.tried / 2);
        assert_true(damage.told * 100 >= damage.tried * cases[i].told);
        kst_buffer_release(machine[1], &coded);
    }
}

/* Return the offset of the SOP of packet `number` of the codestream's first tile-part; 0 if there is none. */
static size_t find_packet(const kst_buffer *coded, uint32_t number)
{
    const uint8_t *data = coded->data;
    for (size_t i = 0; i + 6 <= coded->length; i++)
        if (data[i] == 0xFF && data[i + 1] == 0x91 && data[i + 3] == 4 &&
            (uint32_t)(data[i + 4] << 8 | data[i + 5]) == number)
            return i;
    return 0;
}

/* What follows a damaged or missing packet is lost, what precedes it is not. */
static void packets(void **state)
{
    static struct decoded clean, damaged, first;
    const struct j2k_rect everywhere = {0, 0, WIDTH, HEIGHT};
    kst_buffer coded = encode(0, true, false, true);
    (void)state;
    decode(coded.data, coded.length, &clean);
    assert_int_equal(clean.report.warnings, 0);
    uint8_t *copy = malloc(coded.length);
    size_t second = find_packet(&coded, 1), third = find_packet(&coded, 2);
    assert_true(second > 0 && third > second);
    memcpy(copy, coded.data, coded.length); /* the header of the second packet: nothing but 1s is none */
    memset(copy + second + 6, 0x7F, 8);
    decode(copy, coded.length, &damaged);
    assert_int_equal(damaged.status, KST_OK);
    assert_true(damaged.report.warnings > 0 && count_differences(&clean, &damaged, everywhere) > 0);
    memcpy(copy, coded.data, second); /* no second packet */
    memcpy(copy + second, coded.data + third, coded.length - third);
    decode(copy, coded.length - (third - second), &damaged);
    assert_int_equal(damaged.status, KST_OK);
    assert_true(damaged.report.warnings > 0);
    decode(coded.data, second, &first); /* nothing behind the first packet */
    assert_int_equal(first.status, KST_OK);
    assert_int_equal(first.report.first_warning, KST_WARNING_J2K_TRUNCATED);
    free(copy);
    kst_buffer_release(machine[1], &coded);
}

static size_t find_marker(const kst_buffer *coded, size_t from, uint8_t marker)
{
    while (from + 1 < coded->length && !(coded->data[from] == 0xFF && coded->data[from + 1] == marker))
        from++;
    assert_true(from + 1 < coded->length);
    return from;
}

/*
 * If COD announces no EPH, a body that begins with one by damage is still a body: the other packets are where they
 * were.
 */
static void like_eph(void **state)
{
    static struct decoded clean, damaged;
    const struct j2k_rect top = {0, 0, WIDTH, HEIGHT * 3 / 4}; /* beyond what the first code-block reaches */
    kst_buffer coded = encode(0, true, false, false), marked = encode(0, true, false, true);
    (void)state;
    decode(coded.data, coded.length, &clean);
    size_t header = find_marker(&marked, 0, 0x91) + 6;
    size_t body = find_marker(&coded, 0, 0x93) + 2 + find_marker(&marked, header, 0x92) - header;
    coded.data[body] = 0xFF;
    coded.data[body + 1] = 0x92;
    decode(coded.data, coded.length, &damaged);
    assert_int_equal(damaged.status, KST_OK);
    assert_int_equal(damaged.report.warnings, 0);
    assert_true(count_differences(&clean, &damaged, top) > 0);
    kst_buffer_release(machine[1], &coded);
    kst_buffer_release(machine[1], &marked);
}

/* Tiles are on their own: whatever happens to one, the others stay as they are. */
static void tile_parts(void **state)
{
    static struct decoded clean, damaged;
    kst_buffer coded = encode(0, true, true, false);
    (void)state;
    decode(coded.data, coded.length, &clean);
    uint8_t *copy = malloc(coded.length);
    size_t at = 0;
    for (uint32_t tile = 0; tile < 4; tile++) {
        const struct j2k_rect rect = {64 * (tile % 2), 64 * (tile / 2), 64 * (tile % 2) + 64, 64 * (tile / 2) + 64};
        while (coded.data[at] != 0xFF || coded.data[at + 1] != 0x90)
            at++;
        size_t length = (size_t)coded.data[at + 6] << 24 | (size_t)coded.data[at + 7] << 16 |
                        (size_t)coded.data[at + 8] << 8 | coded.data[at + 9];
        for (uint32_t kind = 0; kind < 3; kind++) {
            size_t total = coded.length;
            memcpy(copy, coded.data, coded.length);
            if (kind == 0) { /* a third of it is missing, and Psot says so */
                size_t left = length * 2 / 3;
                memcpy(copy + at + left, coded.data + at + length, coded.length - at - length);
                for (uint32_t i = 0; i < 4; i++)
                    copy[at + 6 + i] = (uint8_t)(left >> (24 - 8 * i));
                total -= length - left;
            } else if (kind == 1) { /* the same, and Psot does not */
                size_t left = length * 2 / 3;
                memcpy(copy + at + left, coded.data + at + length, coded.length - at - length);
                total -= length - left;
            } else { /* its first packet headers */
                memset(copy + at + 14, 0x7F, 12);
            }
            decode(copy, total, &damaged);
            assert_int_equal(damaged.status, KST_OK);
            assert_true(damaged.report.warnings > 0);
            assert_true(count_differences(&clean, &damaged, rect) > 0);
        }
        at += length;
    }
    free(copy);
    kst_buffer_release(machine[1], &coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(packets),
        cmocka_unit_test(like_eph),
        cmocka_unit_test(tile_parts),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
