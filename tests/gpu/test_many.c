/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks batches of thousands of tiny pictures, among them large, damaged and progressive ones: each is as the CPU
 * decodes and encodes it by itself, and small pictures cost few launches.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

/* More pictures than are open at once. `KINDS` of them differ: tiny, damaged, progressive, large. */
enum { PICTURES = 4200, KINDS = 20, DAMAGED = 14, PROGRESSIVE = 16, LARGE = 18, ROOM = 4096 };

struct kind {
    kst_buffer stream;
    kst_encode_options options;
    kst_image image; /* as the CPU decodes it */
    kst_report report;
    kst_buffer again; /* as the CPU encodes it */
    void *pinned;     /* the stream in pinned memory */
};

static struct kind kind[KINDS];

static kst_encode_options choose_options(uint32_t i)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = (int)(60 + 10 * (i % 3));
    options.subsampling = i % 4 == 1 ? KST_SUBSAMPLING_444 : KST_SUBSAMPLING_420;
    options.restart.unit = i % 5 == 2 ? KST_RESTART_ROWS : KST_RESTART_NONE;
    options.coding = i % 7 == 3 ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
    if (i >= PROGRESSIVE && i < LARGE)
        options.coding = KST_CODING_PROGRESSIVE;
    return options;
}

static void make_kind(uint32_t i)
{
    struct kind *k = &kind[i];
    uint32_t width = i < LARGE ? 16 : 700, height = i < LARGE ? 16 - i % 3 : 400 + i;
    k->options = choose_options(i);
    k->stream = encode_noise(width, height, &k->options);
    if (i >= DAMAGED && i < PROGRESSIVE)
        k->stream.length -= 12;
    kst_image_init(&k->image);
    kst_report_init(&k->report);
    assert_int_equal(kst_decode(cpu_context, k->stream.data, k->stream.length, NULL, &k->image, &k->report), KST_OK);
    assert_int_equal(k->report.warnings > 0, i >= DAMAGED && i < PROGRESSIVE);
    assert_int_equal(kst_encode(cpu_context, &k->image, &k->options, &k->again, NULL), KST_OK);
}

static int start(void **state)
{
    start_contexts(state);
    for (uint32_t i = 0; i < KINDS; i++)
        make_kind(i);
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        kst_buffer_release(cpu_context, &kind[i].stream);
        kst_buffer_release(cpu_context, &kind[i].again);
        kst_image_release(cpu_context, &kind[i].image);
    }
    return stop_contexts(state);
}

/* Mostly tiny pictures; now and then another one. */
static struct kind *kind_of(uint32_t index)
{
    if (index % 701 == 350)
        return &kind[LARGE + index % (KINDS - LARGE)];
    if (index % 97 == 11)
        return &kind[PROGRESSIVE + index % (LARGE - PROGRESSIVE)];
    if (index % 61 == 7)
        return &kind[DAMAGED + index % (PROGRESSIVE - DAMAGED)];
    return &kind[index / 5 % DAMAGED];
}

static void pin_streams(kst_context *context)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_int_equal(kst_pinned_allocate(context, kind[i].stream.length, &kind[i].pinned), KST_OK);
        memcpy(kind[i].pinned, kind[i].stream.data, kind[i].stream.length);
    }
}

static void unpin_streams(kst_context *context)
{
    for (uint32_t i = 0; i < KINDS; i++)
        kst_pinned_release(context, kind[i].pinned);
}

/* The device's functions, counted. */
static struct {
    struct gpu_backend backend;
    const struct gpu_backend *driver;
    atomic_uint calls; /* launches and copies */
} counted;

static void counted_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    atomic_fetch_add(&counted.calls, groups > 0);
    counted.driver->launch(queue, kernel, groups, arguments, count);
}

static void counted_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    atomic_fetch_add(&counted.calls, length > 0);
    counted.driver->copy(queue, to, to_offset, from, from_offset, length);
}

static void count_device(kst_context *context)
{
    struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
    counted.driver = gpu->backend;
    counted.backend = *gpu->backend;
    counted.backend.launch = counted_launch;
    counted.backend.copy = counted_copy;
    atomic_store(&counted.calls, 0);
    gpu->backend = &counted.backend;
}

static unsigned count_calls(kst_context *context)
{
    kst_context_gpu_if_open(context)->gpu->backend = counted.driver;
    return atomic_load(&counted.calls);
}

static void check_decoded(kst_context *context, kst_decode_item *item, uint32_t index)
{
    const struct kind *k = kind_of(index);
    char what[40];
    snprintf(what, sizeof what, "picture %u", (unsigned)index);
    if (item->report.status || item->report.warnings != k->report.warnings ||
        item->report.first_warning_offset != k->report.first_warning_offset)
        fail_msg("%s: %s, %u warnings", what, item->report.message, (unsigned)item->report.warnings);
    expect_same_image(what, context, &k->image, item->image);
}

/* Streams from pinned and plain memory, pixels to the device's and plain memory, in turn or all alike. */
static void decode(kst_context *context, bool alike, unsigned most_calls)
{
    kst_decode_item *item = calloc(PICTURES, sizeof *item);
    kst_image *image = calloc(PICTURES, sizeof *image);
    assert_true(item && image);
    for (uint32_t i = 0; i < PICTURES; i++) {
        const struct kind *k = alike ? &kind[0] : kind_of(i);
        kst_image_init(&image[i]);
        image[i].memory = alike || i % 3 == 1 ? device_memory(context) : KST_MEMORY_HOST;
        item[i] = (kst_decode_item){
            .data = alike || i % 2 ? k->pinned : k->stream.data, .length = k->stream.length, .image = &image[i]};
    }
    count_device(context);
    assert_int_equal(kst_decode_batch(context, item, PICTURES), KST_OK);
    unsigned calls = count_calls(context);
    for (uint32_t i = 0; i < PICTURES; i++)
        if (alike)
            expect_same_image("all alike", context, &kind[0].image, &image[i]);
        else
            check_decoded(context, &item[i], i);
    printf("%u pictures decoded with %u launches and copies\n", (unsigned)PICTURES, calls);
    assert_in_range(calls, 1, most_calls);
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_image_release(context, &image[i]);
    free(item);
    free(image);
}

/* Each buffer that receives pixels takes launches of its own with OpenCL, so there is no limit to the calls. */
static void test_decode(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        pin_streams(gpu_context[g]);
        decode(gpu_context[g], false, UINT32_MAX);
        unpin_streams(gpu_context[g]);
    }
}

/* Each picture has a launch with OpenCL, and with CUDA a part has some. */
static void test_decode_calls(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        bool shared = device_memory(gpu_context[g]) == KST_MEMORY_CUDA;
        pin_streams(gpu_context[g]);
        decode(gpu_context[g], true, shared ? PICTURES / 8 : PICTURES + PICTURES / 8);
        unpin_streams(gpu_context[g]);
    }
}

/* Streams in plain memory that threads copy in many slices, of which the first ones are uploaded before the others. */
static void test_long(void **state)
{
    enum { COUNT = 2, LEAST = 1600 << 10 };
    kst_encode_options options = choose_options(0);
    kst_image wanted, image[COUNT];
    (void)state;
    options.quality = 100;
    kst_buffer stream = encode_noise(1200, 900, &options);
    assert_in_range(stream.length, LEAST, UINT32_MAX);
    kst_image_init(&wanted);
    assert_int_equal(kst_decode(cpu_context, stream.data, stream.length, NULL, &wanted, NULL), KST_OK);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t count = 1; count <= COUNT; count++) {
            kst_decode_item item[COUNT];
            for (uint32_t i = 0; i < count; i++) {
                kst_image_init(&image[i]);
                image[i].memory = device_memory(gpu_context[g]);
                item[i] = (kst_decode_item){.data = stream.data, .length = stream.length, .image = &image[i]};
            }
            assert_int_equal(kst_decode_batch(gpu_context[g], item, count), KST_OK);
            for (uint32_t i = 0; i < count; i++) {
                expect_same_image("a long stream", gpu_context[g], &wanted, &image[i]);
                kst_image_release(gpu_context[g], &image[i]);
            }
        }
    kst_image_release(cpu_context, &wanted);
    kst_buffer_release(cpu_context, &stream);
}

static void check_encoded(const kst_encode_item *item, uint32_t index)
{
    const kst_buffer *wanted = &kind_of(index)->again, *found = &item->output;
    if (item->report.status || wanted->length != found->length || memcmp(wanted->data, found->data, found->length) != 0)
        fail_msg(
            "picture %u: %s, %zu bytes, not %zu", (unsigned)index, item->report.message, found->length, wanted->length);
}

/* Files to memory of the library's, to pinned memory, and to buffers that are a byte too small. */
static void encode(kst_context *context, bool alike, unsigned most_calls)
{
    kst_encode_item *item = calloc(PICTURES, sizeof *item);
    void *pinned;
    assert_non_null(item);
    assert_int_equal(kst_pinned_allocate(context, (size_t)PICTURES * ROOM, &pinned), KST_OK);
    for (uint32_t i = 0; i < PICTURES; i++) {
        const struct kind *k = alike ? &kind[0] : kind_of(i);
        item[i] = (kst_encode_item){.image = &k->image, .options = &k->options};
        if (i % 2 && k->again.length <= ROOM)
            item[i].output = (kst_buffer){.data = (uint8_t *)pinned + (size_t)i * ROOM, .capacity = ROOM};
        if (i % 50 == 1 && k->again.length <= ROOM && !alike)
            item[i].output.capacity = k->again.length - 1;
    }
    count_device(context);
    kst_encode_batch(context, item, PICTURES);
    unsigned calls = count_calls(context);
    printf("%u pictures encoded with %u launches and copies\n", (unsigned)PICTURES, calls);
    assert_in_range(calls, 1, most_calls);
    for (uint32_t i = 0; i < PICTURES; i++) {
        if (i % 50 == 1 && item[i].output.capacity < ROOM && !item[i].output.owned && !alike)
            assert_int_equal(item[i].report.status, KST_ERROR_BUFFER_FULL);
        else if (!alike)
            check_encoded(&item[i], i);
        else
            assert_memory_equal(item[i].output.data, kind[0].again.data, kind[0].again.length);
        if (item[i].output.owned)
            kst_buffer_release(context, &item[i].output);
    }
    kst_pinned_release(context, pinned);
    free(item);
}

static void test_encode(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t again = 0; again < 2; again++) /* the second time the lengths are about what is expected */
            encode(gpu_context[g], false, PICTURES / 4);
}

static void test_encode_calls(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        encode(gpu_context[g], true, PICTURES / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decode), cmocka_unit_test(test_decode_calls),
        cmocka_unit_test(test_long), cmocka_unit_test(test_encode), cmocka_unit_test(test_encode_calls)};
    return cmocka_run_group_tests(tests, start, stop);
}
