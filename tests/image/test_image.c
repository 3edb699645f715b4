/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests descriptions of images: which are refused, how they compare, and how pictures are turned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "image/orient.h"
#include "image/validate.h"

static kst_context *context;

static int open_context(void **state)
{
    kst_context_options options;
    (void)state;
    kst_context_options_init(&options);
    options.threads = 1;
    options.limits.memory = 1 << 20;
    return kst_context_create(&options, &context) ? -1 : 0;
}

static int close_context(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

static void test_channels(void **state)
{
    (void)state;
    assert_int_equal(kst_format_channels(KST_FORMAT_GREY), 1);
    assert_int_equal(kst_format_channels(KST_FORMAT_BGR), 3);
    assert_int_equal(kst_format_channels(KST_FORMAT_BGRA), 4);
    assert_int_equal(kst_format_channels(KST_FORMAT_CMYK), 4);
    assert_int_equal(kst_format_channels(KST_FORMAT_PLANAR), 0);
    assert_int_equal(kst_format_channels((kst_format)99), 0);
}

/* What all code assumes of the formats that hold R, G and B, and what each row of the table must therefore keep. */
static void test_orders(void **state)
{
    (void)state;
    for (kst_format format = KST_FORMAT_AUTO; kst_format_is_known(format); format++) {
        const struct pixel_layout *layout = kst_pixel_layout(format);
        for (uint32_t i = 0; i < layout->channels; i++)
            assert_int_equal(kst_pixel_place(layout, kst_pixel_place(layout, i)), i);
        if (layout->alpha)
            assert_int_equal(kst_pixel_place(layout, layout->channels - 1), layout->channels - 1);
        if (layout->channels > 1 && kst_pixel_is_rgb(layout))
            assert_int_equal(kst_pixel_place(layout, 1), 1);
    }
    assert_false(kst_format_is_known((kst_format)(KST_FORMAT_RAW + 1)));
}

static void test_wrap(void **state)
{
    uint8_t pixels[64];
    kst_image image;
    (void)state;

    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, pixels, 0), KST_OK);
    assert_int_equal(image.plane[0].pitch, 15);
    assert_int_equal(image.plane_count, 1);
    assert_int_equal(image.colour, KST_COLOUR_RGB);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, pixels + 48, -16), KST_OK);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, pixels, 14), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, pixels, PTRDIFF_MIN), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, pixels, PTRDIFF_MAX), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_CMYK, UINT32_MAX, UINT32_MAX, pixels, 0), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RAW, 5, 4, pixels, 0), KST_ERROR_IMAGE_FORMAT);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 0, 4, pixels, 0), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 5, 4, NULL, 0), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_image_wrap(NULL, KST_FORMAT_RGB, 5, 4, pixels, 0), KST_ERROR_ARGUMENT);
}

static void test_check(void **state)
{
    uint16_t samples[32];
    kst_image image;
    (void)state;

    assert_int_equal(kst_image_check(NULL), KST_ERROR_ARGUMENT);
    kst_image_wrap(&image, KST_FORMAT_GREY, 8, 2, samples, 16);
    assert_int_equal(kst_image_check(&image), KST_OK);
    image.size = 8;
    assert_int_equal(kst_image_check(&image), KST_ERROR_ARGUMENT);
    image.size = sizeof image;
    image.plane[0].depth = 12;
    assert_int_equal(kst_image_check(&image), KST_OK);
    image.plane[0].pitch = 17;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_PITCH);
    image.plane[0].pitch = 16;
    image.plane[0].data = (uint8_t *)samples + 1;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_PITCH);
    image.plane[0].data = samples;
    image.plane[0].depth = 32;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_DEPTH);
    image.plane[0].depth = 0;
    image.plane[0].width = 7;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_SIZE);
    image.plane[0].width = 8;
    image.memory = KST_MEMORY_CUDA;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_MEMORY);
    image.memory = KST_MEMORY_HOST;
    image.plane_count = 2;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_SIZE);
    image.format = KST_FORMAT_RAW;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_SIZE);
    image.plane[1] = image.plane[0];
    image.plane[1].width = 4;
    assert_int_equal(kst_image_check(&image), KST_OK);
    image.plane[1].data = NULL;
    assert_int_equal(kst_image_check(&image), KST_ERROR_ARGUMENT);
    image.format = KST_FORMAT_AUTO;
    assert_int_equal(kst_image_check(&image), KST_ERROR_IMAGE_FORMAT);
}

/* The last rows of a plane may not wrap round the address space, in either direction. */
static void test_address_space(void **state)
{
    kst_image image;
    (void)state;

    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 8, 3, (void *)(UINTPTR_MAX - 23), 8), KST_OK);
    assert_int_equal(
        kst_image_wrap(&image, KST_FORMAT_GREY, 8, 3, (void *)(UINTPTR_MAX - 22), 8), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 8, 3, (void *)(uintptr_t)16, -8), KST_OK);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 8, 3, (void *)(uintptr_t)15, -8), KST_ERROR_IMAGE_PITCH);
}

static void test_allocate(void **state)
{
    kst_image image;
    (void)state;

    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.width = 7;
    image.height = 5;
    assert_int_equal(kst_image_allocate(context, &image), KST_OK);
    assert_int_equal(image.plane[0].pitch, 64);
    assert_int_equal((uintptr_t)image.plane[0].data % 64, 0);
    assert_int_equal(kst_image_check(&image), KST_OK);
    memset(image.plane[0].data, 1, 64 * 5);
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_ARGUMENT);
    kst_image_release(context, &image);
    assert_null(image.plane[0].data);
    assert_null(image.owned);
    kst_image_release(context, &image);
    kst_image_release(context, NULL);

    image.width = 1 << 20;
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_LIMIT_MEMORY);
    image.width = image.height = UINT32_MAX;
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_LIMIT_MEMORY);
    image.height = 0;
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_IMAGE_SIZE);
    image.format = KST_FORMAT_AUTO;
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_IMAGE_FORMAT);
    assert_int_equal(kst_image_allocate(NULL, &image), KST_ERROR_ARGUMENT);
}

static void test_allocate_planes(void **state)
{
    kst_image image;
    (void)state;

    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.width = 100;
    image.height = 10;
    image.plane_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        image.plane[i].width = i == 0 ? 100 : 50;
        image.plane[i].height = i == 0 ? 10 : 5;
        image.plane[i].depth = i == 2 ? 16 : 8;
    }
    assert_int_equal(kst_image_allocate(context, &image), KST_OK);
    assert_int_equal(image.plane[0].pitch, 128);
    assert_int_equal(image.plane[1].pitch, 64);
    assert_int_equal(image.plane[2].pitch, 128);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal((uintptr_t)image.plane[i].data % 64, 0);
        memset(image.plane[i].data, (int)i, (size_t)image.plane[i].pitch * image.plane[i].height);
    }
    assert_int_equal(*(uint8_t *)image.plane[0].data, 0);
    assert_int_equal(*(uint8_t *)image.plane[1].data, 1);
    kst_image_release(context, &image);
}

static kst_comparison compare(const kst_image *a, const kst_image *b)
{
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(a, b, &comparison), KST_OK);
    return comparison;
}

static void test_compare(void **state)
{
    uint8_t a[] = {0, 10, 20, 99, 30, 40, 50, 99}, b[] = {50, 40, 30, 22, 10, 4};
    kst_comparison result = {.size = sizeof result};
    kst_image left, right;
    (void)state;

    kst_image_wrap(&left, KST_FORMAT_RGB, 1, 2, a, 4);
    kst_image_wrap(&right, KST_FORMAT_RGB, 1, 2, a, 4);
    result = compare(&left, &right);
    assert_true(result.identical);
    assert_true(result.psnr == HUGE_VAL);
    assert_int_equal(result.samples, 6);

    /* b from its second row upwards: 22 10 4, then 50 40 30. */
    kst_image_wrap(&right, KST_FORMAT_RGB, 1, 2, b + 3, -3);
    result = compare(&left, &right);
    assert_false(result.identical);
    assert_int_equal(result.differing, 4);
    assert_int_equal(result.max_error, 22);
    assert_true(fabs(result.mean_error - ((22 + 0 + 16 + 20 + 0 + 20) / 6.0)) < 1e-9);
    assert_true(fabs(result.psnr - (10 * log10(255.0 * 255.0 / result.mean_square_error))) < 1e-9);

    kst_image_wrap(&right, KST_FORMAT_BGR, 1, 2, a, 4);
    assert_int_equal(kst_compare(&left, &right, &result), KST_ERROR_IMAGE_FORMAT);
    kst_image_wrap(&right, KST_FORMAT_RGB, 2, 1, a, 0);
    assert_int_equal(kst_compare(&left, &right, &result), KST_ERROR_IMAGE_SIZE);
    result.size = 0;
    assert_int_equal(kst_compare(&left, &left, &result), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_compare(&left, &left, NULL), KST_ERROR_ARGUMENT);
}

static void test_compare_signed(void **state)
{
    int16_t a[] = {-32768, 32767, 0}, b[] = {32767, -32768, 0};
    kst_comparison result;
    kst_image left, right;
    (void)state;

    kst_image_wrap(&left, KST_FORMAT_GREY, 3, 1, a, 6);
    left.plane[0].depth = 16;
    left.plane[0].is_signed = true;
    right = left;
    right.plane[0].data = b;
    result = compare(&left, &right);
    assert_int_equal(result.max_error, 65535);
    assert_int_equal(result.differing, 2);
    assert_true(fabs(result.mean_error - (65535 * 2 / 3.0)) < 1e-6);
    assert_true(fabs(result.mean_square_error - (65535.0 * 65535.0 * 2 / 3.0)) < 1e-3);
    right.plane[0].is_signed = false;
    result.size = sizeof result;
    assert_int_equal(kst_compare(&left, &right, &result), KST_ERROR_IMAGE_DEPTH);
}

enum { WIDE = (1 << 17) + 37, ROWS = 2 };

/* Put a sample into a row, in as many bytes as its depth needs. */
static void put_sample(uint8_t *row, size_t index, size_t bytes, int64_t value)
{
    if (bytes == 1)
        row[index] = (uint8_t)value;
    else if (bytes == 2)
        memcpy(row + 2 * index, &(uint16_t){(uint16_t)value}, 2);
    else
        memcpy(row + 4 * index, &(uint32_t){(uint32_t)value}, 4);
}

/* Samples at the ends of their range, which give the largest sums, and samples between. */
static int64_t draw_sample(uint32_t *random, int depth, bool is_signed, bool extreme, bool low)
{
    int64_t span = INT64_C(1) << depth;

    *random = *random * 1664525 + 1013904223;
    int64_t value = extreme ? (low ? 0 : span - 1) : (int64_t)(*random >> 1) % span;
    return value - (is_signed ? span / 2 : 0);
}

/* Compare rows longer than the chunks in which sums are kept with sums of 64 bits, and of squares with doubles. */
static void compare_depth(int depth, bool is_signed, bool extreme)
{
    static uint8_t a[ROWS * WIDE * 4], b[ROWS * WIDE * 4];
    size_t bytes = depth <= 8 ? 1 : depth <= 16 ? 2 : 4;
    uint64_t differing = 0, absolute = 0, max = 0;
    uint32_t random = (uint32_t)depth;
    double square = 0;
    kst_image left, right;

    for (size_t i = 0; i < (size_t)ROWS * WIDE; i++) {
        int64_t x = draw_sample(&random, depth, is_signed, extreme, true);
        int64_t y = i % 5 == 0 && !extreme ? x : draw_sample(&random, depth, is_signed, extreme, false);
        uint64_t distance = (uint64_t)(x < y ? y - x : x - y);
        put_sample(a, i, bytes, x);
        put_sample(b, i, bytes, y);
        differing += distance != 0;
        max = distance > max ? distance : max;
        absolute += distance;
        square += (double)distance * (double)distance;
    }
    kst_image_wrap(&left, KST_FORMAT_GREY, WIDE, ROWS, a, (ptrdiff_t)(WIDE * bytes));
    left.plane[0].depth = (uint8_t)depth;
    left.plane[0].is_signed = is_signed;
    right = left;
    right.plane[0].data = b;
    kst_comparison result = compare(&left, &right);
    assert_int_equal(result.differing, differing);
    assert_int_equal(result.max_error, max);
    assert_true(fabs(result.mean_error - ((double)absolute / (ROWS * WIDE))) <= 1e-9 * result.mean_error);
    assert_true(fabs(result.mean_square_error - (square / (ROWS * WIDE))) <= 1e-9 * result.mean_square_error);
}

static void test_compare_depths(void **state)
{
    static const int depths[] = {1, 7, 8, 9, 12, 16, 17, 24, 31};
    (void)state;

    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++)
        for (int kind = 0; kind < 4; kind++)
            compare_depth(depths[i], kind % 2 != 0, kind / 2 != 0);
}

/* The picture "ab/cd/ef" seen upright when it is stored with each orientation. */
static void test_orient(void **state)
{
    static const char *const upright[] = {
        NULL, "abcdef", "badcfe", "fedcba", "efcdab", "acebdf", "ecafdb", "fdbeca", "bdface"};
    (void)state;

    for (int orientation = 1; orientation <= 8; orientation++) {
        bool swap = kst_orientation_swaps(orientation);
        char stored[] = "ab.cd.ef", seen[7] = "";
        kst_image from, to;
        kst_image_wrap(&from, KST_FORMAT_GREY, 2, 3, stored, 3);
        kst_image_wrap(&to, KST_FORMAT_GREY, swap ? 3 : 2, swap ? 2 : 3, seen, 0);
        assert_int_equal(kst_image_orient(&from, &to, orientation), KST_OK);
        assert_string_equal(seen, upright[orientation]);
    }
}

/* Each orientation is undone by its inverse, for every pixel size, over tiles that are not whole. */
static void test_orient_back(void **state)
{
    static const int inverse[] = {0, 1, 2, 3, 4, 5, 8, 7, 6};
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_CMYK};
    enum { W = 71, H = 45, SIZE = W * H * 8 };
    static uint8_t first[SIZE], turned[SIZE], back[SIZE];
    (void)state;

    for (size_t i = 0; i < SIZE; i++)
        first[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int depth = 8; depth <= 16; depth += 8) {
        for (size_t f = 0; f < 3; f++) {
            ptrdiff_t pixel = (ptrdiff_t)kst_format_channels(formats[f]) * (depth / 8);
            for (int orientation = 1; orientation <= 8; orientation++) {
                bool swap = kst_orientation_swaps(orientation);
                uint32_t width = swap ? H : W, height = swap ? W : H;
                kst_image a, b, c;
                kst_image_wrap(&a, formats[f], W, H, first, W * pixel);
                kst_image_wrap(&b, formats[f], width, height, turned, (ptrdiff_t)width * pixel);
                kst_image_wrap(&c, formats[f], W, H, back, W * pixel);
                a.plane[0].depth = b.plane[0].depth = c.plane[0].depth = (uint8_t)depth;
                memset(back, 0, sizeof back);
                assert_int_equal(kst_image_orient(&a, &b, orientation), KST_OK);
                assert_int_equal(kst_image_orient(&b, &c, inverse[orientation]), KST_OK);
                assert_memory_equal(first, back, (size_t)(W * H * pixel));
            }
        }
    }
}

static void test_orient_errors(void **state)
{
    uint8_t pixels[32] = {0};
    kst_image a, b;
    (void)state;

    kst_image_wrap(&a, KST_FORMAT_GREY, 2, 3, pixels, 0);
    kst_image_wrap(&b, KST_FORMAT_GREY, 2, 3, pixels + 16, 0);
    assert_int_equal(kst_image_orient(&a, &b, 0), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_image_orient(&a, &b, 9), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_image_orient(&a, &b, 6), KST_ERROR_IMAGE_SIZE);
    a.format = b.format = KST_FORMAT_RAW;
    assert_int_equal(kst_image_orient(&a, &b, 1), KST_ERROR_IMAGE_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_address_space),
        cmocka_unit_test_setup_teardown(test_allocate, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_allocate_planes, open_context, close_context),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_compare_signed),
        cmocka_unit_test(test_compare_depths),
        cmocka_unit_test(test_orient),
        cmocka_unit_test(test_orient_back),
        cmocka_unit_test(test_orient_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
