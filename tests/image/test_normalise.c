/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point samples against arithmetic in double; tensors and their places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image/normalise.h"
#include "support/test.h"

/* IEEE 754 binary16, exactly. */
static double half_value(uint32_t bits)
{
    double mantissa = (double)(bits & 0x3FF), sign = bits & 0x8000 ? -1 : 1;
    int exponent = (int)(bits >> 10 & 31);
    if (exponent == 31)
        return sign * 65536; /* what stands in for infinity when distances are compared */
    return sign * (exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25));
}

/* The nearest one, and of two as near the even one. */
static void check_half(float value)
{
    struct normal normal = {.sample = KST_SAMPLE_FLOAT16, .scale = {1, 1, 1, 1}};
    normal.mean[0] = -value;
    uint32_t found = kst_normal_value(&normal, 0, 0);
    double distance = fabs(half_value(found) - (double)value), other;
    assert_true(found <= 0xFFFF && (found & 0x7FFF) <= 0x7C00);
    for (uint32_t step = 0; step < 2; step++) {
        uint32_t beside = step ? found + 1 : found - 1;
        if ((beside & 0x7FFF) > 0x7C00 || (beside ^ found) & 0x8000)
            continue;
        other = fabs(half_value(beside) - (double)value);
        if (other < distance || (other == distance && found % 2 == 1))
            fail_msg("%a came to 0x%04X, not 0x%04X", (double)value, found, beside);
    }
}

static void test_halves(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits < 0x7C00; bits++) {
        double value = half_value(bits), next = half_value(bits + 1), middle = (value + next) / 2;
        check_half((float)value);
        check_half((float)-middle);
        check_half(nextafterf((float)middle, 0));
        check_half(nextafterf((float)middle, 1e9F));
    }
    check_half(0x1p60F);
    check_half(-0x1p-60F);
}

static void test_values(void **state)
{
    (void)state;
    kst_decode_options options;
    struct normal normal;
    kst_decode_options_init(&options);
    options.sample = KST_SAMPLE_FLOAT32;
    options.mean[1] = 123.675F;
    options.scale[1] = 1 / 58.395F;
    assert_true(kst_normal_init(&normal, &options, 8, false));
    for (int32_t value = 0; value < 256; value++)
        for (uint32_t channel = 0; channel < 2; channel++) {
            /* The difference and the product of two floats are exact in double, so each is rounded once. */
            float difference = (float)((double)value - (double)options.mean[channel]);
            float scale = channel ? options.scale[1] : (float)(1.0 / 255);
            float wanted = (float)((double)difference * (double)scale), found;
            uint32_t bits = kst_normal_value(&normal, value, channel);
            memcpy(&found, &bits, sizeof found);
            assert_true(found == wanted);
        }
    assert_true(kst_normal_init(&normal, &options, 12, true));
    uint32_t bits = kst_normal_value(&normal, -2047, 0);
    assert_int_equal(bits, 0xBF800000);
}

static void test_ranges(void **state)
{
    (void)state;
    static const float wrong[] = {NAN, INFINITY, 0x1p-61F, -0x1p61F};
    struct normal normal;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.mean[i] = wrong[i];
        assert_false(kst_normal_init(&normal, &options, 8, false));
        kst_decode_options_init(&options);
        options.scale[i] = wrong[i];
        assert_false(kst_normal_init(&normal, &options, 8, false));
    }
}

static void test_tensor(void **state)
{
    (void)state;
    uint8_t memory[512];
    kst_tensor tensor;
    kst_image image;
    kst_tensor_init(&tensor);
    tensor.data = memory;
    tensor.format = KST_FORMAT_PLANAR;
    tensor.sample = KST_SAMPLE_FLOAT16;
    tensor.count = 2;
    tensor.channels = 3;
    tensor.width = 5;
    tensor.height = 4;
    tensor.plane_step = 50;
    assert_int_equal(kst_tensor_image(&tensor, 1, &image), KST_OK);
    assert_int_equal(image.plane_count, 3);
    assert_int_equal(image.plane[2].pitch, 10);
    assert_ptr_equal(image.plane[2].data, memory + 140 + 100); /* the last plane ends where its rows do */
    tensor.memory = KST_MEMORY_OPENCL;
    tensor.offset = 6;
    assert_int_equal(kst_tensor_image(&tensor, 1, &image), KST_OK);
    assert_ptr_equal(image.plane[1].data, memory);
    assert_int_equal(image.plane[1].offset, 6 + 140 + 50);
}

static void expect_tensor(kst_tensor tensor, uint32_t index, kst_status wanted)
{
    kst_image image;
    assert_int_equal(kst_tensor_image(&tensor, index, &image), wanted);
}

#define REFUSED(status, change)                                                                                        \
    do {                                                                                                               \
        kst_tensor changed = tensor;                                                                                   \
        changed.change;                                                                                                \
        expect_tensor(changed, 0, status);                                                                             \
    } while (0)

static void test_wrong_tensors(void **state)
{
    (void)state;
    uint8_t memory[512];
    kst_image image;
    kst_tensor tensor;
    kst_tensor_init(&tensor);
    tensor.data = memory;
    tensor.format = KST_FORMAT_RGB;
    tensor.count = 2;
    tensor.width = tensor.height = 8;
    expect_tensor(tensor, 1, KST_OK);
    expect_tensor(tensor, 2, KST_ERROR_ARGUMENT);
    assert_int_equal(kst_tensor_image(NULL, 0, &image), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_tensor_image(&tensor, 0, NULL), KST_ERROR_ARGUMENT);
    REFUSED(KST_ERROR_ARGUMENT, data = NULL);
    REFUSED(KST_ERROR_OPTIONS, size = 8);
    REFUSED(KST_ERROR_IMAGE_FORMAT, format = KST_FORMAT_RAW);
    REFUSED(KST_ERROR_IMAGE_FORMAT, format = KST_FORMAT_AUTO);
    REFUSED(KST_ERROR_IMAGE_SIZE, format = KST_FORMAT_PLANAR);
    REFUSED(KST_ERROR_IMAGE_SIZE, channels = 4);
    REFUSED(KST_ERROR_IMAGE_SIZE, width = 0);
    REFUSED(KST_ERROR_IMAGE_SAMPLE, sample = (kst_sample)3);
    REFUSED(KST_ERROR_IMAGE_PITCH, pitch = 23);
    REFUSED(KST_ERROR_IMAGE_PITCH, picture_step = 191);
    REFUSED(KST_ERROR_IMAGE_PITCH, picture_step = SIZE_MAX);
    REFUSED(KST_ERROR_IMAGE_PITCH, pitch = SIZE_MAX / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_halves), cmocka_unit_test(test_values),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_tensor), cmocka_unit_test(test_wrong_tensors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
