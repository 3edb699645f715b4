/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a picture, one after the other by one decoder, which keeps what packets said: the same plans, samples and
 * warnings as of each part by itself.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "j2k/run/decode.h"
#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 260, HEIGHT = 300, PARTS = 12 };

static uint32_t random_state = 5;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % bound;
}

static void make_options(uint32_t i, kst_j2k_options *j2k)
{
    kst_j2k_options_init(j2k);
    j2k->progression = (kst_progression)(i % 5);
    j2k->layers = 1 + i % 3;
    j2k->levels = 1 + i % 4;
    j2k->block_width = j2k->block_height = 16;
    j2k->tile_width = i % 3 == 1 ? 130 : 0;
    j2k->tile_height = i % 3 == 1 ? 170 : 0;
    j2k->image_x = i % 4 == 3 ? 7 : 0;
    j2k->image_y = i % 4 == 3 ? 11 : 0;
    j2k->precinct_count = i % 2;
    j2k->precinct_width[0] = j2k->precinct_height[0] = 64;
    j2k->tile_part_lengths = i % 5 == 4;
    j2k->packet_lengths = i % 7 == 6;
    j2k->codestream = true;
}

static kst_buffer encode(uint32_t i)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    kst_image image;
    kst_j2k_options j2k;
    for (size_t k = 0; k < sizeof pixels; k++)
        pixels[k] = (uint8_t)(k / 700 + random_below((uint32_t)(k % 3) * 20 + 1));
    make_options(i, &j2k);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), KST_OK);
    return j2k_coded(context, &image, &j2k);
}

static void choose(uint32_t part, kst_decode_options *options)
{
    kst_decode_options_init(options);
    options->reduce = part / 4 % 2;
    options->layers = part / 8;
    uint32_t width = WIDTH >> options->reduce, height = HEIGHT >> options->reduce;
    options->region.x = part % 2 ? random_below(width) : 0;
    options->region.y = random_below(height);
    options->region.width = 1 + random_below(width - options->region.x);
    options->region.height = 1 + random_below(height - options->region.y);
}

/* Both the same, whatever comes of it. */
static void compare_parts(kst_decoder *decoder, const kst_buffer *coded, const kst_decode_options *options)
{
    kst_image a, b;
    kst_report alone;
    kst_comparison comparison = {.size = sizeof comparison};
    kst_image_init(&a);
    kst_image_init(&b);
    kst_report_init(&alone);
    kst_status status = kst_decode(context, coded->data, coded->length, options, &a, &alone);
    assert_int_equal(kst_decoder_decode(decoder, options, &b), status);
    const kst_report *report = kst_decoder_report(decoder);
    assert_int_equal(report->warnings, alone.warnings);
    assert_int_equal(report->offset, alone.offset);
    assert_string_equal(report->message, alone.message);
    if (!status)
        assert_int_equal(kst_compare(&a, &b, &comparison), KST_OK);
    assert_true(status || comparison.identical);
    kst_image_release(context, &a);
    kst_image_release(context, &b);
}

#define EXPECT_SAME(a, b, array, count)                                                                                \
    do {                                                                                                               \
        assert_int_equal((a)->count, (b)->count);                                                                      \
        if ((a)->count > 0)                                                                                            \
            assert_memory_equal((a)->array, (b)->array, (a)->count * sizeof *(a)->array);                              \
    } while (0)

/* A part's plan from what is kept, and from the packets. */
static void compare_plans(kst_decoder *decoder, const struct j2k_filter *filter)
{
    struct j2k_plan cut, built;
    kst_report *report = &decoder->report;
    assert_int_equal(kst_j2k_run_decoder_plan(decoder, filter, &cut), KST_OK);
    const struct operation op = {.memory = &decoder->memory, .limits = &context->limits, .report = report};
    assert_int_equal(kst_j2k_plan_build(&op, &j2k_state(decoder)->stream, filter, &built), KST_OK);
    assert_int_equal(cut.tile_count, built.tile_count);
    assert_int_equal(cut.resolution_count, built.resolution_count);
    assert_int_equal(cut.band_count, built.band_count);
    for (uint32_t i = 0; i < built.band_count; i++) {
        assert_int_equal(cut.band[i].first_block, built.band[i].first_block);
        assert_int_equal(cut.band[i].block_count, built.band[i].block_count);
        assert_memory_equal(&cut.band[i].window, &built.band[i].window, sizeof cut.band[i].window);
    }
    EXPECT_SAME(&cut, &built, block, block_count);
    EXPECT_SAME(&cut, &built, segment, segment_count);
    EXPECT_SAME(&cut, &built, piece, piece_count);
    kst_j2k_plan_release(&decoder->memory, &cut);
    kst_j2k_plan_release(&decoder->memory, &built);
}

static void same_plans(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        kst_buffer coded = encode(i);
        kst_decoder *decoder;
        uint32_t kept = 0;
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, coded.data, coded.length), KST_OK);
        struct j2k_rect image = j2k_state(decoder)->stream.size.image;
        for (uint32_t part = 0; part < 2 * PARTS; part++) {
            struct j2k_filter filter = {.layers = part / PARTS};
            filter.region.x0 = image.x0 + random_below(WIDTH);
            filter.region.y0 = image.y0 + random_below(HEIGHT);
            filter.region.x1 = filter.region.x0 + 1 + random_below(image.x1 - filter.region.x0);
            filter.region.y1 = filter.region.y0 + 1 + random_below(image.y1 - filter.region.y0);
            compare_plans(decoder, &filter);
            kept += j2k_state(decoder)->kept.plan.block_count > 0;
        }
        assert_true(kept > PARTS && !j2k_state(decoder)->kept.refused);
        kst_decoder_destroy(&decoder);
        kst_buffer_release(context, &coded);
    }
}

static void decode_parts(const kst_buffer *coded, bool refused)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, coded->data, coded->length), KST_OK);
    for (uint32_t part = 0; part < PARTS; part++) {
        kst_decode_options options;
        choose(part, &options);
        compare_parts(decoder, coded, &options);
    }
    assert_int_equal(j2k_state(decoder)->kept.refused, refused);
    kst_decoder_destroy(&decoder);
}

static void same_samples(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        kst_buffer coded = encode(i);
        decode_parts(&coded, false);
        kst_buffer_release(context, &coded);
    }
}

/* A file that ends too soon is warned of in each part that misses something. */
static void damaged(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i += 2) {
        kst_buffer coded = encode(i);
        coded.length = coded.length * 2 / 3;
        decode_parts(&coded, true);
        kst_buffer_release(context, &coded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_plans),
        cmocka_unit_test(same_samples),
        cmocka_unit_test(damaged),
    };
    return run_with_context(2, tests, NULL, NULL);
}
