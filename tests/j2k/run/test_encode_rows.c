/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 of rows that come in order: the bytes of the whole picture, in little memory, and seldom from the top
 * again. */
#include <stdlib.h>

#include "support/context.h"
#include "support/encode_rows.h"
#include "support/j2k/coded.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 300, HEIGHT = SANITIZED ? 700 : 1500, THREADS = 9 /* for several strips of a step */ };

static kst_image make_image(kst_format format, uint32_t width, uint32_t height, uint32_t depth)
{
    uint32_t channels = kst_format_channels(format), random = 1;
    size_t row = (size_t)width * channels * (depth > 8 ? 2 : 1);
    kst_image image;
    uint8_t *data = malloc(row * height);
    for (size_t i = 0; i < row * height; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = (uint8_t)(depth > 8 && i % 2 ? random >> 29 : i / row / 8 + (random >> 27));
    }
    kst_image_wrap(&image, format, width, height, data, (ptrdiff_t)row);
    image.plane[0].depth = (uint8_t)depth;
    return image;
}

/* Check that the bytes are those of the whole picture. Returns how often the rows began again. */
static uint32_t expect_same(kst_context *in, const kst_image *image, const kst_j2k_options *j2k)
{
    kst_encode_options options = j2k_coding(j2k);
    kst_buffer whole = j2k_coded(context, image, j2k), rows;
    uint32_t again;
    assert_int_equal(encode_from_rows_in_order(in, image, UINT32_MAX, &options, &rows, NULL, &again), KST_OK);
    assert_int_equal(rows.length, whole.length);
    assert_memory_equal(rows.data, whole.data, whole.length);
    kst_buffer_release(in, &rows);
    kst_buffer_release(context, &whole);
    return again;
}

/* Once is enough for one tile of grey or colours, whatever the blocks and the levels, and for any number of tiles. */
static void test_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 16; i = next_case(i)) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        kst_image image = make_image(i % 2 ? KST_FORMAT_RGB : KST_FORMAT_GREY, WIDTH, HEIGHT, i % 3 ? 8 : 12);
        j2k.target = i % 4 == 3 ? KST_J2K_STEP : KST_J2K_LOSSLESS;
        j2k.value = 0.7;
        j2k.levels = i % 6;
        j2k.block_width = 16;
        j2k.block_height = (uint16_t)(4 << i % 7);
        j2k.image_y = i % 5 * 7;
        if (i % 8 >= 5) {
            j2k.tile_width = 97;
            j2k.tile_height = 150 + i;
        }
        kst_context *threads = cpu_context_create(i % 3 ? THREADS : 1);
        assert_int_equal(expect_same(threads, &image, &j2k), 0);
        kst_context_destroy(&threads);
        free(image.plane[0].data);
    }
}

/* Opacity is coded behind the colours; a rate looks at some blocks first, and a PSNR at what was decoded. */
static void test_again(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        kst_j2k_target target;
        double value;
    } cases[] = {{KST_FORMAT_RGBA, KST_J2K_LOSSLESS, 0}, {KST_FORMAT_RGB, KST_J2K_RATIO, 10},
        {KST_FORMAT_RGB, KST_J2K_PSNR, 35}, {KST_FORMAT_GREY, KST_J2K_RATE, 0.3}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        kst_image image = make_image(cases[i].format, SANITIZED ? 410 : 600, HEIGHT, 8);
        j2k.target = cases[i].target;
        j2k.value = cases[i].value;
        j2k.block_width = j2k.block_height = 32;
        uint32_t again = expect_same(context, &image, &j2k);
        assert_in_range(again, 1, 12);
        j2k.tile_width = j2k.tile_height = 400;
        expect_same(context, &image, &j2k);
        free(image.plane[0].data);
    }
}

/* The rows of a picture of one tile need not be in memory; nor those of other rows of tiles. */
static void test_memory(void **state)
{
    (void)state;
    enum { SIDE = SANITIZED ? 2600 : 3000, MEMORY = 6 << 20 };
    kst_image image = make_image(KST_FORMAT_GREY, SIDE, SIDE, 8);
    kst_context *small = context_create("cpu", 2, &(kst_limits){.memory = MEMORY});
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            ((uint8_t *)image.plane[0].data)[(size_t)y * SIDE + x] = (uint8_t)(x / 16 + y / 16);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    assert_int_equal(expect_same(small, &image, &j2k), 0);
    j2k.tile_width = j2k.tile_height = 500;
    assert_int_equal(expect_same(small, &image, &j2k), 0);
    kst_context_destroy(&small);
    free(image.plane[0].data);
}

/* A row that cannot be had ends it, in the first run and in the next ones. */
static void test_failing(void **state)
{
    (void)state;
    kst_image image = make_image(KST_FORMAT_RGBA, WIDTH, HEIGHT, 8);
    kst_encode_options options = j2k_coding(NULL);
    static const uint32_t rows[] = {0, 1, 700, HEIGHT - 1, HEIGHT, 2 * HEIGHT - 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kst_buffer none;
        assert_int_equal(
            encode_from_rows_in_order(context, &image, rows[i], &options, &none, NULL, NULL), KST_ERROR_ROWS);
        assert_null(none.data);
    }
    free(image.plane[0].data);
}

static bool cannot(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    (void)user, (void)plane, (void)x, (void)y, (void)count, (void)samples;
    return false;
}

/* In order, JPEG 2000 must be able to begin again, and there is one plane. */
static void test_refused(void **state)
{
    (void)state;
    kst_image image = make_image(KST_FORMAT_RGB, 20, 20, 8);
    kst_encode_options options = j2k_coding(NULL);
    kst_rows rows = {.size = sizeof rows, .read = cannot, .in_order = true};
    kst_buffer none = {.data = NULL};
    assert_int_equal(kst_encode_rows(context, &image, &rows, &options, &none, NULL), KST_ERROR_OPTIONS);
    uint32_t again;
    image.plane_count = 3;
    assert_int_equal(
        encode_from_rows_in_order(context, &image, UINT32_MAX, &options, &none, NULL, &again), KST_ERROR_OPTIONS);
    free(image.plane[0].data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once), cmocka_unit_test(test_again),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_failing), cmocka_unit_test(test_refused)};
    return run_with_context(3, tests, NULL, NULL);
}
