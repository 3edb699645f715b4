/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a device's work: whole, in order, and without a trace once it is ended. */
#include <kostka/kostka_profile.h>

#include <string.h>

#include "support/context.h"
#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/test.h"

enum { SIDE = 200 };

static kst_buffer file;

static int start(void **state)
{
    start_contexts(state);
    file = encode_noise(SIDE, SIDE, NULL);
    return 0;
}

static int stop(void **state)
{
    kst_buffer_release(cpu_context, &file);
    return stop_contexts(state);
}

static void decode(kst_context *context)
{
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, file.data, file.length, NULL, &image, NULL), KST_OK);
    kst_image_release(context, &image);
}

struct seen {
    uint32_t steps, kernels;
    uint64_t uploaded, downloaded;
    double last;
};

static void look(void *user, const kst_step *step)
{
    struct seen *seen = user;
    assert_int_equal(step->size, sizeof *step);
    assert_non_null(step->name);
    assert_true(step->seconds >= 0 && step->start >= seen->last);
    assert_true(step->bytes > 0);
    seen->last = step->start;
    seen->steps++;
    if (step->kind == KST_STEP_UPLOAD)
        seen->uploaded += step->bytes;
    if (step->kind == KST_STEP_DOWNLOAD)
        seen->downloaded += step->bytes;
    if (step->kind != KST_STEP_KERNEL)
        return;
    seen->kernels++;
    assert_true(step->groups > 0 && step->group_size > 0 && step->kernel.local_bytes >= 0);
    assert_true(step->kernel.occupancy <= 1 && (step->kernel.occupancy > 0 || step->kernel.occupancy == -1));
}

static void test_record(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        struct seen first = {0}, second = {0}, empty = {0};
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_OK);
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_ERROR_STATE);
        decode(gpu_context[i]);
        assert_int_equal(kst_profile_end(gpu_context[i], look, &first), KST_OK);
        assert_true(first.kernels >= 3 && first.uploaded >= file.length - 1000);
        assert_true(first.downloaded >= SIDE * SIDE * 3);
        decode(gpu_context[i]);
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_OK);
        assert_int_equal(kst_profile_end(gpu_context[i], look, &empty), KST_OK);
        assert_int_equal(empty.steps, 0);
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_OK);
        decode(gpu_context[i]);
        decode(gpu_context[i]);
        assert_int_equal(kst_profile_end(gpu_context[i], look, &second), KST_OK);
        assert_int_equal(second.kernels, 2 * first.kernels);
        assert_int_equal(kst_profile_end(gpu_context[i], NULL, NULL), KST_ERROR_STATE);
    }
}

/*
 * All samples are in one buffer, of which each level of the wavelet transform counts only those that it reads and
 * writes.
 */
struct levels {
    uint32_t count;
    uint64_t bytes[4];
};

static void look_at_level(void *user, const kst_step *step)
{
    struct levels *levels = user;
    if (strstr(step->name, "_53") && levels->count < 4)
        levels->bytes[levels->count++] = step->bytes;
}

static void test_levels(void **state)
{
    (void)state;
    static uint8_t pixels[SIDE * SIDE];
    const uint64_t first = SIDE * SIDE, second = first / 4, third = second / 4, ways = 2;
    const uint64_t coded = 4, narrow = 2; /* bytes of a sample; headers prove that 16 bits do to decode */
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        struct levels encoded = {0}, decoded = {0};
        kst_j2k_options j2k;
        kst_image image;
        kst_j2k_options_init(&j2k);
        j2k.levels = 3;
        assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, SIDE, SIDE, pixels, 0), KST_OK);
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_OK);
        kst_buffer stream = j2k_coded(gpu_context[i], &image, &j2k);
        assert_int_equal(kst_profile_end(gpu_context[i], look_at_level, &encoded), KST_OK);
        kst_image_init(&image);
        assert_int_equal(kst_profile_begin(gpu_context[i]), KST_OK);
        assert_int_equal(kst_decode(gpu_context[i], stream.data, stream.length, NULL, &image, NULL), KST_OK);
        assert_int_equal(kst_profile_end(gpu_context[i], look_at_level, &decoded), KST_OK);
        kst_image_release(gpu_context[i], &image);
        kst_buffer_release(gpu_context[i], &stream);
        assert_int_equal(encoded.count, 3);
        assert_int_equal(encoded.bytes[0] - encoded.bytes[1], (first - second) * coded * ways);
        assert_int_equal(encoded.bytes[1] - encoded.bytes[2], (second - third) * coded * ways);
        assert_int_equal(decoded.count, 3);
        assert_int_equal(decoded.bytes[2] - decoded.bytes[1], (first - second) * narrow * ways);
    }
}

/* A context may end while a record is made. */
static void test_dropped(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_context_device(gpu_context[i], &info), KST_OK);
        kst_context *context = context_create(info.name, 1, NULL);
        assert_int_equal(kst_profile_begin(context), KST_OK);
        decode(context);
        kst_context_destroy(&context);
    }
}

static void test_copies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_copy_times times = {.size = sizeof times};
        assert_int_equal(kst_measure_copies(gpu_context[i], 1 << 20, 3, &times), KST_OK);
        assert_true(times.up > 0 && times.down > 0 && times.up_pageable > 0 && times.down_pageable > 0);
        assert_true(times.across >= 0);
        assert_int_equal(kst_measure_copies(gpu_context[i], 3, 3, &times), KST_ERROR_ARGUMENT);
        assert_int_equal(kst_measure_copies(gpu_context[i], 4, 0, &times), KST_ERROR_ARGUMENT);
    }
}

static void test_cpu(void **state)
{
    (void)state;
    kst_copy_times times = {.size = sizeof times};
    assert_int_equal(kst_profile_begin(cpu_context), KST_ERROR_STATE);
    assert_int_equal(kst_profile_end(cpu_context, NULL, NULL), KST_ERROR_STATE);
    assert_int_equal(kst_measure_copies(cpu_context, 4, 1, &times), KST_ERROR_STATE);
    assert_int_equal(kst_profile_begin(NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_profile_end(NULL, NULL, NULL), KST_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_record), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_dropped), cmocka_unit_test(test_copies), cmocka_unit_test(test_cpu)};
    return cmocka_run_group_tests(tests, start, stop);
}
