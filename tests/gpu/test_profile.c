/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a device's work: whole, in order, and without a trace once it is ended. */
#include <kostka/kostka_profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MOST = 8, SIDE = 200 };

static kst_context *cpu, *gpu[MOST];
static uint32_t gpu_count;
static kst_buffer file;

static kst_context *make(const char *device)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = 1;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

static void make_file(void)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    kst_image image;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 7);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, SIDE, SIDE, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(cpu, &image, NULL, &file, NULL), KST_OK);
}

static int start(void **state)
{
    (void)state;
    cpu = make("cpu");
    make_file();
    for (uint32_t i = 1; i < kst_device_count() && gpu_count < MOST; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_device_get(i, &info), KST_OK);
        gpu[gpu_count++] = make(info.name);
    }
    if (gpu_count > 0)
        return 0;
    puts("no OpenCL or CUDA device");
    exit(77);
}

static int stop(void **state)
{
    (void)state;
    kst_buffer_release(cpu, &file);
    while (gpu_count > 0)
        kst_context_destroy(&gpu[--gpu_count]);
    kst_context_destroy(&cpu);
    return 0;
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
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct seen first = {0}, second = {0}, empty = {0};
        assert_int_equal(kst_profile_begin(gpu[i]), KST_OK);
        assert_int_equal(kst_profile_begin(gpu[i]), KST_ERROR_STATE);
        decode(gpu[i]);
        assert_int_equal(kst_profile_end(gpu[i], look, &first), KST_OK);
        assert_true(first.kernels >= 3 && first.uploaded >= file.length - 1000);
        assert_true(first.downloaded >= SIDE * SIDE * 3);
        decode(gpu[i]);
        assert_int_equal(kst_profile_begin(gpu[i]), KST_OK);
        assert_int_equal(kst_profile_end(gpu[i], look, &empty), KST_OK);
        assert_int_equal(empty.steps, 0);
        assert_int_equal(kst_profile_begin(gpu[i]), KST_OK);
        decode(gpu[i]);
        decode(gpu[i]);
        assert_int_equal(kst_profile_end(gpu[i], look, &second), KST_OK);
        assert_int_equal(second.kernels, 2 * first.kernels);
        assert_int_equal(kst_profile_end(gpu[i], NULL, NULL), KST_ERROR_STATE);
    }
}

/* A context may end while a record is made. */
static void test_dropped(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_context_device(gpu[i], &info), KST_OK);
        kst_context *context = make(info.name);
        assert_int_equal(kst_profile_begin(context), KST_OK);
        decode(context);
        kst_context_destroy(&context);
    }
}

static void test_copies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        kst_copy_times times = {.size = sizeof times};
        assert_int_equal(kst_measure_copies(gpu[i], 1 << 20, 3, &times), KST_OK);
        assert_true(times.up > 0 && times.down > 0 && times.up_pageable > 0 && times.down_pageable > 0);
        assert_true(times.across >= 0);
        assert_int_equal(kst_measure_copies(gpu[i], 3, 3, &times), KST_ERROR_ARGUMENT);
        assert_int_equal(kst_measure_copies(gpu[i], 4, 0, &times), KST_ERROR_ARGUMENT);
    }
}

static void test_cpu(void **state)
{
    (void)state;
    kst_copy_times times = {.size = sizeof times};
    assert_int_equal(kst_profile_begin(cpu), KST_ERROR_STATE);
    assert_int_equal(kst_profile_end(cpu, NULL, NULL), KST_ERROR_STATE);
    assert_int_equal(kst_measure_copies(cpu, 4, 1, &times), KST_ERROR_STATE);
    assert_int_equal(kst_profile_begin(NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_profile_end(NULL, NULL, NULL), KST_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_record), cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_cpu)};
    return cmocka_run_group_tests(tests, start, stop);
}
