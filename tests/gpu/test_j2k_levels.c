/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse wavelet transform of GPUs at the ends of strips and levels: widths at which another strip begins, levels
 * of one row or column, and regions of a few pixels, for which low resolutions are larger than high ones. Samples equal
 * the CPU's.
 */
#include <stdlib.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/test.h"

/* The simulator gets little noise, since it takes most of its time for the bits of code-blocks. */
static kst_image make_picture(uint32_t width, uint32_t height)
{
    static uint8_t pixels[3 * 700 * 90];
    kst_image image;
    uint32_t random = width, noise = simulated() ? 1 : 5;
    assert_true(3 * width * height <= sizeof pixels);
    for (uint32_t i = 0; i < 3 * width * height; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 3 % width * 2 + i / width + (random >> (32 - noise)));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, width, height, pixels, 0), KST_OK);
    return image;
}

/* Decode a region on all devices. One of no pixels is the whole picture. */
static void check_region(const kst_buffer *coded, kst_region region)
{
    kst_decode_options options;
    kst_image wanted;
    kst_decode_options_init(&options);
    options.region = region;
    kst_image_init(&wanted);
    assert_int_equal(kst_decode(cpu_context, coded->data, coded->length, &options, &wanted, NULL), KST_OK);
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_image found;
        kst_report report;
        kst_image_init(&found);
        kst_report_init(&report);
        assert_int_equal(kst_decode(gpu_context[d], coded->data, coded->length, &options, &found, &report), KST_OK);
        assert_true(report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
        expect_same_image("region", gpu_context[d], &wanted, &found);
        kst_image_release(gpu_context[d], &found);
    }
    kst_image_release(cpu_context, &wanted);
}

static void check_picture(
    uint32_t width, uint32_t height, const kst_j2k_options *j2k, const kst_region *region, uint32_t regions)
{
    const kst_image image = make_picture(width, height);
    kst_buffer coded = j2k_coded(cpu_context, &image, j2k);
    for (uint32_t i = 0; i < regions; i++)
        check_region(&coded, region[i]);
    kst_buffer_release(cpu_context, &coded);
}

static kst_j2k_options coding(bool lossless)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = lossless ? KST_J2K_LOSSLESS : KST_J2K_STEP;
    j2k.value = 1;
    return j2k;
}

/* A strip has 120 columns of its own, four more at either end of a level. */
static void strip_ends(void **state)
{
    (void)state;
    static const uint32_t width[] = {1, 2, 119, 121, 124, 127, 128, 129, 131, 132, 241, 247, 248, 249, 252, 368, 481};
    const kst_region whole = {0};
    const uint32_t count = simulated() ? 13 : sizeof width / sizeof *width; /* three strips at most */
    for (uint32_t i = 0; i < count; i += simulated() ? 4 : 1)
        for (uint32_t lossless = simulated() ? i / 4 % 2 : 0; lossless < 2; lossless += simulated() ? 2 : 1) {
            kst_j2k_options j2k = coding(lossless);
            check_picture(width[i], 1 + i % 3 * 8, &j2k, &whole, 1);
        }
}

/* Tiles of odd sizes, whose lowest levels have one row and one column, at even and at odd positions. */
static void small_regions(void **state)
{
    (void)state;
    static const kst_region region[] = {{222, 35, 4, 2}, {222, 35, 1, 1}, {221, 36, 3, 1}, {33, 0, 5, 3},
        {36, 36, 2, 2}, {255, 73, 4, 4}, {0, 0, 300, 1}};
    for (uint32_t lossless = 0; lossless < 2; lossless++) {
        kst_j2k_options j2k = coding(lossless);
        j2k.levels = 7;
        j2k.tile_width = j2k.tile_height = 37;
        check_picture(300, 80, &j2k, region, simulated() ? 2 : sizeof region / sizeof *region);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strip_ends), cmocka_unit_test(small_regions)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
