/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks batches and jobs: each picture is as if alone, whatever the others are, and the caller's queue keeps its
 * order.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/opencl/opencl.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/context.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

enum { PICTURES = 40, THREADS = 4 };

static kst_buffer stream[PICTURES];

/* Among the data, so that they end before the EOI which the stream ends with; or more fill bytes than a GPU takes. */
static void interrupt(const kst_buffer *one, uint32_t kind)
{
    static const uint8_t marker[] = {0xD9, 0xD3, 0xC4, 0xDA, 0xD8};
    uint8_t *at = (uint8_t *)one->data + (one->length > 1400 ? one->length / 2 + 300 : one->length - 30);
    if (kind < sizeof marker)
        memcpy(at, (const uint8_t[]){0x12, 0xFF, marker[kind], 0x34}, 4);
    if (kind >= sizeof marker) {
        memset(at, 0xFF, 20);
        at[20] = 0;
    }
}

/* Sizes, samplings, restarts, colours; some progressive, some damaged, some no JPEG at all. */
static void make_streams(void)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_encode_options options;
        kst_encode_options_init(&options);
        options.quality = (int)(30 + i);
        options.subsampling = (kst_subsampling)(i % 4);
        options.restart = (kst_restart){i % 3 == 0 ? KST_RESTART_MCUS : KST_RESTART_NONE, 1 + i % 7};
        options.coding = i % 9 == 4 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        stream[i] = encode_noise(8 + 11 * i % 150, 8 + 17 * i % 130, &options);
        if (i % 8 == 3)
            memset(stream[i].data + stream[i].length / 2 + 300, (int)(0x55 + i), 4);
        if (i % 8 == 2)
            interrupt(&stream[i], i / 8 % 6);
        if (i % 8 == 7)
            interrupt(&stream[i], i % 3 == 0 ? 5 : 0);
        if (i % 8 == 6)
            stream[i].length = stream[i].length * 3 / 4;
        if (i % 16 == 9)
            stream[i].data[0] = 0;
    }
}

static int start(void **state)
{
    start_contexts(state);
    make_streams();
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_buffer_release(cpu_context, &stream[i]);
    return stop_contexts(state);
}

struct set {
    kst_decode_options options[PICTURES];
    kst_image image[PICTURES];
    kst_decode_item item[PICTURES];
};

/* Images in device memory, pinned memory and host memory in turn; `only` host memory where that is said. */
static struct set *make_set(const kst_context *context, bool only_host)
{
    struct set *set = calloc(1, sizeof *set);
    assert_non_null(set);
    for (uint32_t i = 0; i < PICTURES; i++) {
        static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_BGRA, KST_FORMAT_GREY, KST_FORMAT_PLANAR};
        const kst_memory memories[] = {KST_MEMORY_HOST, device_memory(context), KST_MEMORY_PINNED};
        kst_decode_options_init(&set->options[i]);
        set->options[i].format = i % 13 == 5 ? KST_FORMAT_RAW : formats[i % 4];
        set->options[i].strict = i % 8 == 3 && i % 16 == 11;
        kst_image_init(&set->image[i]);
        set->image[i].memory = only_host ? KST_MEMORY_HOST : memories[i % 3];
        set->item[i] = (kst_decode_item){
            .data = stream[i].data, .length = stream[i].length, .options = &set->options[i], .image = &set->image[i]};
    }
    return set;
}

static void drop_set(kst_context *context, struct set *set)
{
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_image_release(context, &set->image[i]);
    free(set);
}

/* Every item as the CPU decodes it alone. */
static void check_set(kst_context *context, const struct set *set)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_image wanted;
        kst_report report;
        char name[40];
        kst_image_init(&wanted);
        kst_report_init(&report);
        kst_decode(cpu_context, stream[i].data, stream[i].length, &set->options[i], &wanted, &report);
        const kst_report *found = &set->item[i].report;
        snprintf(name, sizeof name, "picture %u", (unsigned)i);
        if (found->status != report.status || found->warnings != report.warnings ||
            found->first_warning_offset != report.first_warning_offset || strcmp(found->message, report.message) != 0)
            fail_msg("%s: '%s', not '%s'", name, found->message, report.message);
        if (!report.status)
            expect_same_image(name, context, &wanted, &set->image[i]);
        kst_image_release(cpu_context, &wanted);
    }
}

static kst_status first_failure(const struct set *set)
{
    for (uint32_t i = 0; i < PICTURES; i++)
        if (set->item[i].report.status)
            return set->item[i].report.status;
    return KST_OK;
}

static void test_batch(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (int only_host = 0; only_host < 2; only_host++) {
            struct set *set = make_set(gpu_context[g], only_host);
            kst_status status = kst_decode_batch(gpu_context[g], set->item, PICTURES);
            assert_int_equal(status, first_failure(set));
            assert_int_not_equal(status, KST_OK);
            check_set(gpu_context[g], set);
            drop_set(gpu_context[g], set);
        }
    assert_int_equal(kst_decode_batch(gpu_context[0], NULL, 0), KST_OK);
}

/* More parts than are on their way at once, from pinned memory to device memory, so that they take over buffers. */
static void test_many_parts(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = gpu_context[g];
        kst_image image[COUNT], wanted;
        kst_decode_item item[COUNT];
        void *memory;
        kst_encode_options options;
        kst_encode_options_init(&options);
        kst_buffer one = encode_noise(120, 88, &options);
        assert_int_equal(kst_pinned_allocate(context, one.length, &memory), KST_OK);
        memcpy(memory, one.data, one.length);
        for (uint32_t i = 0; i < COUNT; i++) {
            kst_image_init(&image[i]);
            image[i].memory = device_memory(context);
            item[i] = (kst_decode_item){.data = memory, .length = one.length, .image = &image[i]};
        }
        kst_image_init(&wanted);
        assert_int_equal(kst_decode(cpu_context, one.data, one.length, NULL, &wanted, NULL), KST_OK);
        assert_int_equal(kst_decode_batch(context, item, COUNT), KST_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            expect_same_image("many", context, &wanted, &image[i]);
            kst_image_release(context, &image[i]);
        }
        kst_image_release(cpu_context, &wanted);
        kst_pinned_release(context, memory);
        kst_buffer_release(cpu_context, &one);
    }
}

struct worker {
    pthread_t thread;
    kst_context *context;
    struct set *set;
    kst_status status;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    kst_job *job;
    worker->status = kst_decode_submit(worker->context, worker->set->item, PICTURES, NULL, &job);
    for (int i = 0; i < 1000 && !kst_job_done(job); i++)
        sched_yield();
    kst_job_wait(&job);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct worker worker[THREADS];
        for (uint32_t i = 0; i < THREADS; i++) {
            worker[i] = (struct worker){.context = gpu_context[g], .set = make_set(gpu_context[g], i == 0)};
            assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(worker[i].thread, NULL);
            assert_int_equal(worker[i].status, KST_OK);
            check_set(gpu_context[g], worker[i].set);
            drop_set(gpu_context[g], worker[i].set);
        }
    }
}

static void test_misuse(void **state)
{
    (void)state;
    kst_job *job = (kst_job *)1;
    kst_stream wrong = {.kind = KST_DEVICE_CPU};
    kst_decode_item item = {.data = stream[0].data, .length = stream[0].length};
    assert_true(kst_job_done(NULL));
    assert_int_equal(kst_job_wait(NULL), KST_OK);
    assert_int_equal(kst_decode_submit(NULL, &item, 1, NULL, &job), KST_ERROR_ARGUMENT);
    assert_null(job);
    assert_int_equal(kst_job_wait(&job), KST_OK);
    assert_int_equal(kst_decode_submit(cpu_context, &item, 1, &wrong, &job), KST_ERROR_DEVICE_STREAM);
    for (uint32_t g = 0; g <= gpu_contexts; g++) {
        kst_context *context = g < gpu_contexts ? gpu_context[g] : cpu_context;
        assert_int_equal(kst_decode_submit(context, NULL, 1, NULL, &job), KST_ERROR_ARGUMENT);
        assert_int_equal(kst_decode_submit(context, &item, 1, &wrong, &job), KST_ERROR_DEVICE_STREAM);
        assert_null(job);
        assert_int_equal(kst_decode_submit(context, &item, 1, NULL, NULL), KST_ERROR_ARGUMENT);
        assert_int_equal(kst_decode_submit(context, &item, 1, NULL, &job), KST_OK); /* an item without an image */
        assert_int_equal(kst_job_wait(&job), KST_ERROR_ARGUMENT);
        assert_int_equal(item.report.status, KST_ERROR_ARGUMENT);
        assert_null(job);
        assert_int_equal(kst_decode_submit(context, NULL, 0, NULL, &job), KST_OK);
        assert_true(kst_job_done(job));
        assert_int_equal(kst_job_wait(&job), KST_OK);
    }
}

enum { SIDE = 48, LENGTH = SIDE * SIDE * 3 };

/* Poison, decode and fetch in the order of a queue of the caller's, without waiting in between. */
static void check_round(kst_context *context, struct gpu_queue *queue, const kst_buffer *one, struct gpu_buffer *memory,
    size_t offset, const uint8_t *wanted)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    const kst_stream foreign = {queue->gpu->info.kind, (void *)queue->handle};
    bool is_opencl = backend->memory == KST_MEMORY_OPENCL;
    uint8_t found[LENGTH];
    struct gpu_buffer host = kst_gpu_host(found, LENGTH);
    kst_job *job;
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, SIDE, SIDE, found, 0), KST_OK);
    image.memory = backend->memory;
    image.plane[0].data = (void *)(memory->handle + (is_opencl ? 0 : offset));
    image.plane[0].offset = offset;
    kst_decode_item item = {.data = one->data, .length = one->length, .image = &image};
    for (uint32_t i = 0; i < 20; i++)
        backend->fill(queue, memory, 0, LENGTH + 64, i);
    assert_int_equal(kst_decode_submit(context, &item, 1, &foreign, &job), KST_OK);
    backend->copy(queue, &host, 0, memory, offset, LENGTH);
    backend->finish(queue);
    assert_int_equal(queue->error.status, KST_OK);
    assert_memory_equal(found, wanted, LENGTH);
    assert_true(kst_job_done(job));
    assert_int_equal(kst_job_wait(&job), KST_OK);
}

static void check_stream(kst_context *context)
{
    struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
    struct gpu_error error = {.status = KST_OK};
    uint8_t wanted[LENGTH];
    struct gpu_queue queue;
    struct gpu_buffer memory;
    kst_image host;
    assert_true(gpu->backend->queue_create(gpu, false, &queue, &error));
    assert_true(gpu->backend->allocate(gpu, GPU_DEVICE, LENGTH + 64, &memory, &error));
    for (int kind = 0; kind < 3; kind++) {
        kst_encode_options encoding;
        kst_encode_options_init(&encoding);
        encoding.coding = kind == 1 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        kst_buffer one = encode_noise(SIDE, SIDE, &encoding);
        if (kind == 2)
            interrupt(&one, 0);
        assert_int_equal(kst_image_wrap(&host, KST_FORMAT_RGB, SIDE, SIDE, wanted, 0), KST_OK);
        assert_int_equal(kst_decode(cpu_context, one.data, one.length, NULL, &host, NULL), KST_OK);
        for (int round = 0; round < 6; round++) /* in place, and by a copy */
            check_round(context, &queue, &one, &memory, round % 2 ? 64 : 3, wanted);
        kst_buffer_release(cpu_context, &one);
    }
    gpu->backend->queue_destroy(&queue);
    gpu->backend->release(gpu, &memory);
}

static void test_streams(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_stream(gpu_context[g]);
}

/* Handles that never were a stream, or no longer are one, are refused. */
static void check_dead_streams(kst_context *context)
{
    enum { STREAMS = 8 };
    struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
    struct gpu_error error = {.status = KST_OK};
    static uintptr_t zeros[64], leading[64]; /* an address of nothing; and one of zeros */
    uintptr_t dead[STREAMS + 4] = {3, 0x1234560, (uintptr_t)zeros, (uintptr_t)leading};
    kst_job *job;
    leading[0] = (uintptr_t)zeros;
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct gpu_queue queue;
        assert_true(gpu->backend->queue_create(gpu, i % 2, &queue, &error));
        dead[4 + i] = queue.handle;
        const kst_stream living = {gpu->info.kind, (void *)queue.handle};
        assert_int_equal(kst_decode_submit(context, NULL, 0, &living, &job), KST_OK);
        assert_int_equal(kst_job_wait(&job), KST_OK);
        gpu->backend->queue_destroy(&queue);
    }
    for (uint32_t i = 0; i < STREAMS + 4; i++) {
        const kst_stream stranger = {gpu->info.kind, (void *)dead[i]};
        kst_status status = kst_decode_submit(context, NULL, 0, &stranger, &job);
        if (i >= 4 && gpu->info.kind == KST_DEVICE_OPENCL && !status) { /* the driver still held it */
            kst_job_wait(&job);
            continue;
        }
        assert_int_equal(status, KST_ERROR_DEVICE_STREAM);
        assert_null(job);
        assert_int_equal(kst_encode_batch_after(context, NULL, 0, &stranger), KST_ERROR_DEVICE_STREAM);
    }
}

static void test_dead_streams(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_dead_streams(gpu_context[g]);
}

/* Pictures that work in the stream has still to make are encoded as it leaves them, on the device and by the CPU. */
static void check_encode(kst_context *context)
{
    enum { EDGE = 64, FILLS = 200 };
    const struct gpu_backend *backend = kst_context_gpu_if_open(context)->gpu->backend;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(kst_context_gpu_if_open(context), &error);
    const kst_stream queue = {kst_context_gpu_if_open(context)->gpu->info.kind, (void *)track->queue.handle};
    static uint8_t pixels[EDGE * EDGE * 3];
    kst_image image, host;
    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.memory = device_memory(context);
    image.width = image.height = EDGE;
    assert_int_equal(kst_image_allocate(context, &image), KST_OK);
    const struct gpu_buffer *memory = image.owned;
    for (kst_coding coding = KST_CODING_BASELINE; coding <= KST_CODING_PROGRESSIVE; coding += 2) {
        uint32_t value = 0x40 + (uint32_t)coding;
        kst_encode_options options;
        kst_encode_options_init(&options);
        options.coding = coding;
        kst_encode_item item = {.image = &image, .options = &options};
        kst_buffer wanted = {.data = NULL};
        memset(pixels, (int)value, sizeof pixels);
        assert_int_equal(kst_image_wrap(&host, KST_FORMAT_RGB, EDGE, EDGE, pixels, 0), KST_OK);
        assert_int_equal(kst_encode(cpu_context, &host, &options, &wanted, NULL), KST_OK);
        for (uint32_t i = FILLS; i-- > 0;)
            backend->fill(&track->queue, memory, 0, (size_t)image.plane[0].pitch * EDGE, (value + i) * 0x01010101U);
        assert_int_equal(kst_encode_batch_after(context, &item, 1, &queue), KST_OK);
        assert_int_equal(item.output.length, wanted.length);
        assert_memory_equal(item.output.data, wanted.data, wanted.length);
        kst_buffer_release(context, &item.output);
        kst_buffer_release(cpu_context, &wanted);
    }
    const kst_stream wrong = {KST_DEVICE_CPU, NULL};
    assert_int_equal(kst_encode_batch_after(context, NULL, 0, &wrong), KST_ERROR_DEVICE_STREAM);
    assert_int_equal(kst_encode_batch_after(context, NULL, 0, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode_batch_after(cpu_context, NULL, 0, &queue), KST_ERROR_DEVICE_STREAM);
    assert_int_equal(kst_encode_batch_after(NULL, NULL, 0, &queue), KST_ERROR_ARGUMENT);
    kst_image_release(context, &image);
    kst_gpu_track_give(kst_context_gpu_if_open(context), track);
}

static void test_encode(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_encode(gpu_context[g]);
}

/* A cl_context of the caller's. */
static void check_foreign(kst_context *own)
{
    struct opencl *opencl = kst_opencl_of(kst_context_gpu_if_open(own)->gpu);
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.opencl_context = opencl->context;
    assert_int_equal(kst_context_create(&options, &context), KST_ERROR_OPTIONS);
    options.opencl_device = opencl->device;
    options.device = "cpu";
    assert_int_equal(kst_context_create(&options, &context), KST_ERROR_OPTIONS);
    options.device = NULL;
    options.threads = 2;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    assert_string_equal(info.name, own->device);
    const kst_stream none = {KST_DEVICE_OPENCL, NULL};
    kst_job *job;
    assert_int_equal(kst_decode_submit(context, NULL, 0, &none, &job), KST_ERROR_DEVICE_STREAM);
    check_stream(context);
    kst_context_destroy(&context);
}

/* Buffers and queues of another context are refused. */
static void check_strangers(kst_context *one, kst_context *other)
{
    struct opencl *opencl = kst_opencl_of(kst_context_gpu_if_open(one)->gpu);
    const kst_stream queue = {KST_DEVICE_OPENCL, opencl->queue};
    kst_job *job;
    kst_image image;
    assert_int_equal(kst_decode_submit(other, NULL, 0, &queue, &job), KST_ERROR_DEVICE_STREAM);
    kst_image_init(&image);
    image.memory = KST_MEMORY_OPENCL;
    assert_int_equal(kst_decode(one, stream[0].data, stream[0].length, NULL, &image, NULL), KST_OK);
    assert_int_equal(kst_decode(other, stream[0].data, stream[0].length, NULL, &image, NULL), KST_ERROR_IMAGE_MEMORY);
    kst_image_release(one, &image);
}

static void test_foreign(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        if (device_memory(gpu_context[g]) != KST_MEMORY_OPENCL)
            continue;
        check_foreign(gpu_context[g]);
        kst_context *other = context_create(gpu_context[g]->device, 1, NULL);
        check_strangers(gpu_context[g], other);
        kst_context_destroy(&other);
    }
}

/* "auto" takes a real GPU once there is enough work, and reports say where work was done. */
static void test_auto(void **state)
{
    (void)state;
    char name[16];
    kst_device_info info = {.size = sizeof info};
    kst_context *context = context_create("auto", 2, NULL);
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, stream[0].data, stream[0].length, NULL, &image, &report), KST_OK);
    assert_string_equal(report.device, "cpu");
    kst_image_release(context, &image);
    assert_null(kst_context_gpu_if_open(context));
    assert_null(kst_context_gpu_for(context, 1e-6, 2e-6));
    for (int i = 0; i < 10; i++)
        kst_context_gpu_for(context, 0.1, 0.2e-3);
    bool found = kst_gpu_preferred(0, name);
    assert_int_equal(kst_context_gpu_if_open(context) != NULL, found);
    assert_int_equal(kst_context_is_cpu(context), !found);
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    assert_string_equal(info.name, found ? name : "cpu");
    assert_ptr_equal(kst_context_gpu_for(context, 2e-6, 1e-6), kst_context_gpu_if_open(context));
    assert_null(kst_context_gpu_for(context, 1e-6, 2e-6));
    struct set *set = make_set(gpu_context[0], true);
    kst_decode_batch(context, set->item, PICTURES);
    check_set(context, set);
    drop_set(context, set);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch), cmocka_unit_test(test_many_parts),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_streams), cmocka_unit_test(test_dead_streams),
        cmocka_unit_test(test_misuse), cmocka_unit_test(test_encode), cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_auto)};
    return cmocka_run_group_tests(tests, start, stop);
}
