/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures with code-blocks of T.814, as the CPU encodes them: whole, reduced, in regions and damaged. Every device
 * must decode them as the CPU does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "support/gpu/gpus.h"
#include "support/gpu/j2k_compare.h"
#include "support/j2k/coded.h"
#include "support/j2k/pictures.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t random_state = 3;
static kst_context *encoder;

struct kind {
    const char *name;
    kst_format format;
    uint32_t depth, tile, block_width, block_height, passes, style;
    double step; /* 0: lossless */
    bool interest;
    bool sparse; /* most of it is grey, so that many code-blocks are not in the stream */
    uint32_t precinct;
};

static const struct kind kinds[] = {
    {.name = "lossless", .format = KST_FORMAT_RGB, .depth = 8, .block_width = 64, .block_height = 64},
    {.name = "tiles, passes", .format = KST_FORMAT_RGB, .depth = 8, .tile = 100, .passes = 3, .step = 0.02},
    {.name = "wide blocks", .format = KST_FORMAT_GREY, .depth = 8, .block_width = 512, .block_height = 8},
    {.name = "16 bits, high blocks", .format = KST_FORMAT_GREY, .depth = 16, .block_width = 8, .block_height = 256},
    {.name = "causal", .format = KST_FORMAT_GREY, .depth = 8, .passes = 2, .style = KST_J2K_CAUSAL, .step = 0.01},
    {.name = "region of interest", .format = KST_FORMAT_GREY, .depth = 8, .interest = true},
    {.name = "sparse", .format = KST_FORMAT_RGB, .depth = 8, .block_width = 8, .block_height = 4, .sparse = true},
    {.name = "sparse, 16 bits", .format = KST_FORMAT_GREY, .depth = 16, .step = 0.02, .sparse = true},
    {.name = "sparse tiles", .format = KST_FORMAT_GREY, .depth = 8, .tile = 37, .sparse = true},
    {.name = "indices of 16 bits", .format = KST_FORMAT_RGB, .depth = 8, .step = 1.5},
    {.name = "indices, tiles, passes", .format = KST_FORMAT_RGB, .depth = 8, .tile = 101, .passes = 3, .step = 4},
    {.name = "indices, single rows", .format = KST_FORMAT_RGB, .depth = 8, .tile = 33, .step = 2},
    {.name = "indices, region of interest", .format = KST_FORMAT_GREY, .depth = 8, .step = 2, .interest = true},
    {.name = "indices, sparse", .format = KST_FORMAT_RGB, .depth = 8, .step = 1, .sparse = true},
    {.name = "indices of some resolutions", .format = KST_FORMAT_GREY, .depth = 12, .step = 1},
    {.name = "sparse precincts", .format = KST_FORMAT_GREY, .depth = 8, .sparse = true, .precinct = 32},
};

enum { KINDS = sizeof kinds / sizeof *kinds, WIDTH = 150, HEIGHT = 111 };

/* Leave one of three rectangles as it is, and make the others grey. */
static void thin_out(kst_image *image)
{
    enum { ACROSS = 60, DOWN = 30 };
    const kst_plane *plane = &image->plane[0];
    uint8_t *data = plane->data;
    const size_t pitch = (size_t)plane->pitch;
    for (size_t i = 0; i < pitch * plane->height; i++)
        if ((i % pitch / ACROSS + i / pitch / DOWN) % 3 > 0)
            data[i] = plane->depth == 8 || i % 2 ? 128 : 0;
}

static kst_buffer encode(const struct kind *kind)
{
    uint32_t width = simulated() ? 40 : WIDTH, height = simulated() ? 33 : HEIGHT;
    kst_image image = noise_image(kind->format, width, height, kind->depth);
    if (kind->sparse)
        thin_out(&image);
    kst_j2k_options options;
    kst_j2k_options_init(&options);
    options.precinct_count = kind->precinct > 0;
    options.precinct_width[0] = options.precinct_height[0] = kind->precinct;
    options.target = kind->step > 0 ? KST_J2K_STEP : KST_J2K_LOSSLESS;
    options.value = kind->step;
    options.style = KST_J2K_HT | kind->style;
    options.passes = kind->passes ? kind->passes : 1;
    options.tile_width = options.tile_height = kind->tile;
    if (kind->block_width > 0) {
        options.block_width = kind->block_width;
        options.block_height = kind->block_height;
    }
    if (kind->interest)
        options.interest = (kst_region){.x = width / 4, .y = height / 3, .width = width / 3, .height = height / 4};
    kst_buffer coded = j2k_coded(encoder, &image, &options);
    image_free(&image);
    return coded;
}

static void compare_parts(const struct kind *kind, const kst_buffer *coded)
{
    struct j2k_filter filter = {.layers = 0};
    assert_true(
        compare_stream(kind->name, coded->data, coded->length, &filter, simulated() || fewer_cases() ? 1 : 3, false));
    for (uint32_t k = 0; k < (simulated() ? 1 : fewer_cases() ? 2 : 5); k++) {
        filter = (struct j2k_filter){.reduce = (uint8_t)((k + kind->depth + kind->tile) % 3)};
        filter.region.x0 = random_below(&random_state, WIDTH - 30);
        filter.region.y0 = random_below(&random_state, HEIGHT - 20);
        filter.region.x1 = filter.region.x0 + 1 + random_below(&random_state, 100);
        filter.region.y1 = filter.region.y0 + 1 + random_below(&random_state, 100);
        compare_stream(kind->name, coded->data, coded->length, &filter, 1, false);
    }
}

static void test_pictures(void **state)
{
    (void)state;
    /* The simulator has too little memory of a work-group for three components that are written together. */
    for (uint32_t i = 0; i < KINDS; i++) {
        if (simulated() && i != 2 && i != 4)
            continue;
        kst_buffer coded = encode(&kinds[i]);
        compare_parts(&kinds[i], &coded);
        kst_buffer_release(encoder, &coded);
    }
}

/* Bytes of packets that are changed. */
static void compare_damaged(const struct kind *kind, const kst_buffer *coded)
{
    const struct j2k_filter filter = {.layers = 0};
    uint8_t *copy = malloc(coded->length);
    assert_non_null(copy);
    memcpy(copy, coded->data, coded->length);
    for (uint32_t k = 0; k < 1 + random_below(&random_state, 8); k++)
        copy[200 + random_below(&random_state, (uint32_t)coded->length - 200)] ^=
            (uint8_t)(1 + random_below(&random_state, 255));
    compare_stream(kind->name, copy, coded->length, &filter, 1, false);
    free(copy);
}

static void test_damage(void **state)
{
    (void)state;
    damaged_plans = 0;
    for (uint32_t i = 0; i < KINDS && !simulated(); i++) {
        if (kinds[i].sparse)
            continue;
        kst_buffer coded = encode(&kinds[i]);
        for (uint32_t k = 0; k < (fewer_cases() ? 2 : 12); k++)
            compare_damaged(&kinds[i], &coded);
        kst_buffer_release(encoder, &coded);
    }
    assert_true(simulated() || damaged_plans > 0);
}

static int start(void **state)
{
    encoder = limited_context(2, UINT64_C(1) << 30);
    return open_comparison(state);
}

static int stop(void **state)
{
    kst_context_destroy(&encoder);
    return close_comparison(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
