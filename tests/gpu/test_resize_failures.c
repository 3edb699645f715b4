/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices and allocators that fail while streams are decoded to images of another size: errors, and nothing lost. */
#include <stdatomic.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/gpu/broken_device.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

enum { PICTURES = 3 };

static kst_buffer stream[PICTURES];
static kst_image wanted[PICTURES];
static kst_resize_options options[PICTURES];

static int start(void **state)
{
    start_contexts(state);
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_image whole;
        stream[i] = encode_noise(70 + i, 50, NULL);
        kst_resize_options_init(&options[i]);
        options[i].width = 20 + i;
        options[i].mirror = i == 1;
        kst_image_init(&whole);
        kst_image_init(&wanted[i]);
        assert_int_equal(kst_decode(cpu_context, stream[i].data, stream[i].length, NULL, &whole, NULL), KST_OK);
        assert_int_equal(kst_resize(cpu_context, &whole, &options[i], &wanted[i]), KST_OK);
        kst_image_release(cpu_context, &whole);
    }
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_buffer_release(cpu_context, &stream[i]);
        kst_image_release(cpu_context, &wanted[i]);
    }
    return stop_contexts(state);
}

struct set {
    kst_image image[PICTURES];
    kst_decode_item item[PICTURES];
};

static kst_status run(kst_context *context, struct set *set)
{
    bool host = !kst_context_gpu_if_open(context);
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_image_init(&set->image[i]);
        set->image[i].memory = host || i % 2 ? KST_MEMORY_HOST : device_memory(context);
        set->item[i] = (kst_decode_item){.data = stream[i].data, .length = stream[i].length, .image = &set->image[i]};
    }
    return kst_decode_resized(context, set->item, options, PICTURES, NULL);
}

/* Check that each image is right, or has no buffers and this error. Returns how many failed. */
static uint32_t check_set(kst_context *context, struct set *set, kst_status error)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_status status = set->item[i].report.status;
        assert_true(!status || status == error);
        if (status)
            assert_null(set->image[i].plane[0].data);
        else
            expect_same_image("next to a failure", context, &wanted[i], &set->image[i]);
        failed += status ? 1 : 0;
        kst_image_release(context, &set->image[i]);
    }
    return failed;
}

/* Every call in turn fails once, on a context that is new each time, so that nothing is in its pool. */
static void test_device(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = context_create(gpu_context[g]->device, 2, NULL);
        struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
        uint32_t failures = 0;
        for (int failing = 1, reached = 1; reached; failing++) {
            struct set set;
            break_device(gpu, failing);
            kst_status status = run(context, &set);
            reached = atomic_load(&broken_device.calls) >= failing;
            mend_device(gpu);
            for (uint32_t i = 0; i < PICTURES; i++)
                assert_true(!set.item[i].report.status || strstr(set.item[i].report.message, "injected"));
            uint32_t failed = check_set(context, &set, KST_ERROR_DEVICE_FAILED);
            assert_int_equal(failed == 0, !status);
            assert_true(reached || failed == 0);
            failures += failed > 0;
            assert_true(failing < 400);
        }
        assert_true(failures >= 30);
        kst_context_destroy(&context);
    }
}

/* An allocator that fails at its n-th call, for every n. */
static void check_allocator(const char *device)
{
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context_on(&failing, device, 2);
    uint32_t failures = 0;
    for (long n = 1, reached = 1; reached; n++) {
        struct set set;
        atomic_store(&failing.calls, 0);
        atomic_store(&failing.failing, n);
        run(context, &set);
        reached = atomic_load(&failing.calls) >= n;
        atomic_store(&failing.failing, 0);
        failures += check_set(context, &set, KST_ERROR_MEMORY) > 0;
    }
    assert_true(failures >= 10);
    kst_context_destroy(&context);
    assert_int_equal(atomic_load(&failing.live), 0);
}

static void test_allocator(void **state)
{
    (void)state;
    check_allocator("cpu");
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_allocator(gpu_context[g]->device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_device), cmocka_unit_test(test_allocator)};
    return cmocka_run_group_tests(tests, start, stop);
}
