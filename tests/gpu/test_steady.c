/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that in the long run a device only gets work, and is waited for once. The device's functions are counted over
 * calls that were made several times before: nothing may be allocated, created, built or released, and the host may
 * block once for a picture, and once for each part of a batch.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

enum { PICTURES = 12, WIDTH = 210, HEIGHT = 130, WARM_UPS = 3, RUNS = 2, LAUNCHES = 40 };

static kst_buffer stream[PICTURES];

static int start(void **state)
{
    start_contexts(state);
    static const kst_scan script[] = {{1, {0}, 0, 63, 0, 0}, {2, {1, 2}, 0, 63, 0, 0}};
    kst_encode_options options;
    kst_encode_options_init(&options);
    for (uint32_t i = 0; i < PICTURES; i++) { /* every third of two scans */
        options.script = i % 3 == 2 ? script : NULL;
        options.script_length = i % 3 == 2 ? 2 : 0;
        stream[i] = encode_noise(WIDTH, HEIGHT, &options);
    }
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_buffer_release(cpu_context, &stream[i]);
    return stop_contexts(state);
}

/* The device's functions, counted. */
static struct {
    struct gpu_backend backend;
    const struct gpu_backend *driver;
    atomic_uint made, dropped, waits, launches; /* what is not work, and what is */
} counted;

static bool counted_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    atomic_fetch_add(&counted.made, 1);
    return counted.driver->allocate(gpu, place, length, buffer, error);
}

static void counted_release(struct gpu *gpu, struct gpu_buffer *buffer)
{
    atomic_fetch_add(&counted.dropped, 1);
    counted.driver->release(gpu, buffer);
}

static bool counted_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error)
{
    atomic_fetch_add(&counted.made, 1);
    return counted.driver->queue_create(gpu, urgent, queue, error);
}

static void counted_queue_destroy(struct gpu_queue *queue)
{
    const struct gpu_backend *driver = counted.driver;
    atomic_fetch_add(&counted.dropped, 1);
    driver->queue_destroy(queue);
}

static bool counted_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    atomic_fetch_add(&counted.made, 1);
    return counted.driver->event_create(gpu, event, error);
}

static void counted_event_destroy(struct gpu *gpu, struct gpu_event *event)
{
    atomic_fetch_add(&counted.dropped, 1);
    counted.driver->event_destroy(gpu, event);
}

static bool counted_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error)
{
    atomic_fetch_add(&counted.made, 1);
    return counted.driver->build(gpu, kernels, program, error);
}

static void counted_finish(struct gpu_queue *queue)
{
    atomic_fetch_add(&counted.waits, 1);
    counted.driver->finish(queue);
}

static void counted_finish_soon(struct gpu_queue *queue)
{
    atomic_fetch_add(&counted.waits, 1);
    counted.driver->finish_soon(queue);
}

static void counted_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    atomic_fetch_add(&counted.launches, 1);
    counted.driver->launch(queue, kernel, groups, arguments, count);
}

static void count_device(struct gpu *gpu)
{
    counted.driver = gpu->backend;
    counted.backend = *gpu->backend;
    counted.backend.allocate = counted_allocate;
    counted.backend.release = counted_release;
    counted.backend.queue_create = counted_queue_create;
    counted.backend.queue_destroy = counted_queue_destroy;
    counted.backend.event_create = counted_event_create;
    counted.backend.event_destroy = counted_event_destroy;
    counted.backend.build = counted_build;
    counted.backend.finish = counted_finish;
    counted.backend.finish_soon = counted.driver->finish_soon ? counted_finish_soon : NULL;
    counted.backend.launch = counted_launch;
    gpu->backend = &counted.backend;
}

/* Pictures and streams of a kind of memory, to be used again and again. */
struct load {
    kst_context *context;
    const char *what;
    kst_encode_options options;
    kst_image image[PICTURES], resized[PICTURES];
    kst_resize_options resize;
    kst_decode_item decode[PICTURES];
    kst_encode_item encode[PICTURES];
    void *pinned[PICTURES]; /* host memory that the streams lie in; null: they are not pinned */
    uint32_t count;         /* of pictures at once */
};

static void make_load(struct load *load, kst_context *context, kst_memory memory, bool pinned, uint32_t count)
{
    const size_t room = 2 * stream[0].length;
    *load = (struct load){.context = context, .count = count};
    kst_encode_options_init(&load->options);
    for (uint32_t i = 0; i < count; i++) {
        kst_image *image = &load->image[i];
        kst_image_init(image);
        image->memory = memory;
        assert_int_equal(kst_decode(context, stream[i].data, stream[i].length, NULL, image, NULL), KST_OK);
        load->decode[i] = (kst_decode_item){.data = stream[i].data, .length = stream[i].length, .image = image};
        load->encode[i] = (kst_encode_item){.image = image, .options = &load->options};
        if (!pinned)
            continue;
        assert_int_equal(kst_pinned_allocate(context, room, &load->pinned[i]), KST_OK);
        load->decode[i].data = memcpy(load->pinned[i], stream[i].data, stream[i].length);
    }
}

static void drop_load(struct load *load)
{
    for (uint32_t i = 0; i < load->count; i++) {
        kst_image_release(load->context, &load->image[i]);
        if (load->pinned[i])
            kst_pinned_release(load->context, load->pinned[i]);
    }
}

static void decode(struct load *load)
{
    if (load->count > 1)
        assert_int_equal(kst_decode_batch(load->context, load->decode, load->count), KST_OK);
    else
        assert_int_equal(
            kst_decode(load->context, load->decode->data, load->decode->length, NULL, load->image, NULL), KST_OK);
}

static void encode(struct load *load)
{
    for (uint32_t i = 0; i < load->count; i++)
        load->encode[i].output = load->pinned[i]
                                     ? (kst_buffer){.data = load->pinned[i], .capacity = 2 * stream[0].length}
                                     : (kst_buffer){.data = NULL};
    if (load->count > 1)
        assert_int_equal(kst_encode_batch(load->context, load->encode, load->count), KST_OK);
    else
        assert_int_equal(kst_encode(load->context, load->image, &load->options, &load->encode->output, NULL), KST_OK);
    for (uint32_t i = 0; i < load->count; i++)
        if (!load->pinned[i])
            kst_buffer_release(load->context, &load->encode[i].output);
}

/* Resize the images to others that are there, of the same kind of memory. */
static void resize(struct load *load)
{
    kst_resize_item item[PICTURES];
    for (uint32_t i = 0; i < load->count; i++)
        item[i] = (kst_resize_item){.from = &load->image[i], .options = &load->resize, .to = &load->resized[i]};
    assert_int_equal(kst_resize_batch(load->context, item, load->count), KST_OK);
}

/* Decode to images of another size that are there. */
static void decode_resized(struct load *load)
{
    kst_resize_options options[PICTURES];
    kst_decode_item item[PICTURES];
    for (uint32_t i = 0; i < load->count; i++) {
        options[i] = load->resize;
        item[i] = load->decode[i];
        item[i].image = &load->resized[i];
    }
    assert_int_equal(kst_decode_resized(load->context, item, options, load->count, NULL), KST_OK);
}

struct calls {
    unsigned made, dropped, waits, launches;
};

static struct calls run_counted(struct load *load, void (*work)(struct load *load))
{
    struct gpu *gpu = kst_context_gpu_if_open(load->context)->gpu;
    atomic_store(&counted.made, 0);
    atomic_store(&counted.dropped, 0);
    atomic_store(&counted.waits, 0);
    atomic_store(&counted.launches, 0);
    count_device(gpu);
    work(load);
    gpu->backend = counted.driver;
    return (struct calls){atomic_load(&counted.made), atomic_load(&counted.dropped), atomic_load(&counted.waits),
        atomic_load(&counted.launches)};
}

/* `waits`: how often the host may block in a run. */
static void check(struct load *load, void (*work)(struct load *load), uint32_t waits)
{
    for (uint32_t i = 0; i < WARM_UPS; i++)
        work(load);
    for (uint32_t i = 0; i < RUNS; i++) {
        struct calls calls = run_counted(load, work);
        if (calls.made > 0 || calls.dropped > 0 || calls.waits != waits || calls.launches > LAUNCHES)
            fail_msg("%s, %u pictures: %u things made, %u dropped, waited %u times, not %u, %u launches", load->what,
                (unsigned)load->count, calls.made, calls.dropped, calls.waits, (unsigned)waits, calls.launches);
        assert_in_range(calls.launches, 1, LAUNCHES);
    }
}

/* JPEG 2000, of one picture: for how long its blocks are, for their passes, for their bytes, and to end. */
static void test_encode_j2k(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t place = 0; place < 3; place++) {
            const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[g])};
            struct load load;
            make_load(&load, gpu_context[g], memories[place], false, 1);
            load.what = "encode to JPEG 2000";
            load.options.codec = KST_CODEC_JPEG2000;
            check(&load, encode, 4);
            drop_load(&load);
        }
}

/* From and to plain memory, pinned memory and the device's. `parts`: of a batch. */
static void check_work(void (*work)(struct load *load), const char *what, kst_coding coding, uint32_t parts)
{
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t place = 0; place < 3; place++) {
            const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[g])};
            for (uint32_t batch = 0; batch < 2; batch++) {
                uint32_t waits = (batch ? parts : 1) * (coding == KST_CODING_OPTIMIZED ? 2 : 1);
                struct load load;
                make_load(&load, gpu_context[g], memories[place], place > 0, batch ? PICTURES : 1);
                load.what = what;
                load.options.coding = coding;
                check(&load, work, waits);
                drop_load(&load);
            }
        }
}

static void test_decode(void **state)
{
    (void)state;
    check_work(decode, "decode", KST_CODING_BASELINE, 1);
}

/* Small pictures, which make one part. */
static void test_encode(void **state)
{
    (void)state;
    check_work(encode, "encode", KST_CODING_BASELINE, 1);
}

/* The host makes the tables, of what the device has counted. */
static void test_encode_optimised(void **state)
{
    (void)state;
    check_work(encode, "encode with optimised tables", KST_CODING_OPTIMIZED, 1);
}

/* Images of which the device has at least one end; streams on the way to the device. */
static void check_resizing(void (*work)(struct load *load), const char *what, kst_memory to, uint32_t waits)
{
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t count = 1; count <= PICTURES; count += PICTURES - 1) {
            struct load load;
            make_load(&load, gpu_context[g], device_memory(gpu_context[g]), false, count);
            load.what = what;
            kst_resize_options_init(&load.resize);
            load.resize.width = 64;
            for (uint32_t i = 0; i < count; i++) {
                kst_image_init(&load.resized[i]);
                load.resized[i].memory = to == KST_MEMORY_HOST ? to : device_memory(gpu_context[g]);
                assert_int_equal(kst_resize(gpu_context[g], &load.image[i], &load.resize, &load.resized[i]), KST_OK);
            }
            check(&load, work, waits);
            for (uint32_t i = 0; i < count; i++)
                kst_image_release(gpu_context[g], &load.resized[i]);
            drop_load(&load);
        }
}

static void test_resize(void **state)
{
    (void)state;
    check_resizing(resize, "resize", KST_MEMORY_CUDA, 1);
    check_resizing(resize, "resize to the host", KST_MEMORY_HOST, 1);
    check_resizing(decode_resized, "decode and resize", KST_MEMORY_CUDA, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_resize), cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode), cmocka_unit_test(test_encode_optimised), cmocka_unit_test(test_encode_j2k)};
    return cmocka_run_group_tests(tests, start, stop);
}
