/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures whose codes no decoder falls into step with. A device may spend a bounded time on the chunks of such a
 * stream, one after the other, and then leaves the picture to the CPU: the result is the CPU's, and the report says so.
 * Other pictures of a batch stay on the device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "device/runtime.h"
#include "jpeg/gpu/decode.h"
#include "jpeg/syntax/parse.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

struct bytes {
    uint8_t *data;
    size_t length, room;
    uint32_t bits, count; /* not in a byte yet */
};

static void put(struct bytes *bytes, uint32_t value)
{
    if (bytes->length == bytes->room) {
        bytes->room = 2 * bytes->room + 4096;
        bytes->data = realloc(bytes->data, bytes->room);
        assert_non_null(bytes->data);
    }
    bytes->data[bytes->length++] = (uint8_t)value;
}

static void put_all(struct bytes *bytes, const uint8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(bytes, values[i]);
}

static void put_bits(struct bytes *bytes, uint32_t value, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        bytes->bits = bytes->bits << 1 | (value >> i & 1);
        if (++bytes->count < 8)
            continue;
        put(bytes, bytes->bits & 0xFF);
        if ((bytes->bits & 0xFF) == 0xFF)
            put(bytes, 0);
        bytes->count = 0;
    }
}

static void end_bits(struct bytes *bytes)
{
    while (bytes->count > 0)
        put_bits(bytes, 1, 1);
}

/* The properties of a stream. */
struct shape {
    uint32_t mcus_w, mcus_h;
    bool colour;      /* 4:2:0, six blocks in an MCU */
    uint32_t restart; /* MCUs; 0: never */
    bool damaged;     /* a pattern that is no code, and the last third missing */
};

static void put_headers(struct bytes *bytes, const struct shape *shape)
{
    const uint32_t side = shape->colour ? 16 : 8, width = shape->mcus_w * side, height = shape->mcus_h * side;
    /* Codes 0, 10 and 110 say how many bits follow, for DC and AC alike, and each gives one coefficient. */
    static const uint8_t lengths[16] = {1, 1, 1}, values[3] = {1, 2, 3};
    put_all(bytes, (const uint8_t[]){0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0}, 7);
    for (uint32_t i = 0; i < 64; i++)
        put(bytes, 1 + i % 5);
    put_all(bytes, (const uint8_t[]){0xFF, 0xC0, 0, shape->colour ? 17 : 11, 8}, 5);
    put_all(
        bytes, (const uint8_t[]){(uint8_t)(height >> 8), (uint8_t)height, (uint8_t)(width >> 8), (uint8_t)width}, 4);
    if (shape->colour)
        put_all(bytes, (const uint8_t[]){3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0}, 10);
    else
        put_all(bytes, (const uint8_t[]){1, 1, 0x11, 0}, 4);
    for (uint32_t i = 0; i < 2; i++) {
        put_all(bytes, (const uint8_t[]){0xFF, 0xC4, 0, 22, (uint8_t)(i << 4)}, 5);
        put_all(bytes, lengths, 16);
        put_all(bytes, values, 3);
    }
    put_all(bytes, (const uint8_t[]){0xFF, 0xDD, 0, 4, (uint8_t)(shape->restart >> 8), (uint8_t)shape->restart}, 6);
    if (shape->colour)
        put_all(bytes, (const uint8_t[]){0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0}, 14);
    else
        put_all(bytes, (const uint8_t[]){0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0}, 10);
}

/*
 * A decoder that starts elsewhere finds the codes, because DC and AC have the same, but never the coefficient at which
 * it is, because no code ends a block or skips coefficients.
 */
static struct bytes make_stream(const struct shape *shape)
{
    struct bytes bytes = {.data = NULL};
    uint32_t mcus = shape->mcus_w * shape->mcus_h;
    put_headers(&bytes, shape);
    size_t headers = bytes.length;
    for (uint32_t mcu = 0; mcu < mcus; mcu++) {
        if (shape->restart && mcu > 0 && mcu % shape->restart == 0) {
            end_bits(&bytes);
            put_all(&bytes, (const uint8_t[]){0xFF, (uint8_t)(0xD0 + (mcu / shape->restart - 1) % 8)}, 2);
        }
        for (uint32_t i = 0; i < (shape->colour ? 6 : 1) * 64; i++) {
            uint32_t size = 1 + next_random() % 3;
            put_bits(&bytes, size == 1 ? 0 : size == 2 ? 2 : 6, size);
            put_bits(&bytes, next_random(), size);
        }
        if (shape->damaged && mcu == mcus / 2)
            put_bits(&bytes, 0x7FFF, 15);
    }
    end_bits(&bytes);
    if (shape->damaged)
        bytes.length = headers + (bytes.length - headers) * 2 / 3;
    put_all(&bytes, (const uint8_t[]){0xFF, 0xD9}, 2);
    return bytes;
}

/* Return how many chunks a device completes of a stream, which it then leaves to the CPU. */
static struct jpeg_gpu_damage count_completed(struct gpu_runtime *gpu, const struct bytes *bytes, double *seconds)
{
    struct jpeg_gpu_item item = {.pinned = false};
    struct jpeg_stream stream;
    struct jpeg_gpu_damage damage;
    struct jpeg_gpu_times times;
    struct gpu_error error;
    kst_decode_options options;
    kst_image image;
    kst_report report;
    struct memory *memory = &cpu_context->memory;
    kst_report_init(&report);
    kst_decode_options_init(&options);
    const struct operation op = kst_context_operation(cpu_context, memory, &report, NULL);
    kst_status status = kst_jpeg_parse(&op, bytes->data, bytes->length, &stream);
    assert_int_equal(status, KST_OK);
    assert_int_equal(kst_jpeg_output_describe(&stream.plan.frame, &options, &image), KST_OK);
    assert_int_equal(kst_image_allocate(cpu_context, &image), KST_OK);
    item.plan = &stream.plan;
    kst_jpeg_output_plan(&item.output, &stream.plan.frame, &options, &image);
    assert_true(kst_jpeg_gpu_supports(&item));
    status = kst_jpeg_gpu_decode(gpu, &item, 1, true, &damage, &times, &error);
    assert_int_equal(status, KST_OK);
    kst_image_release(cpu_context, &image);
    kst_jpeg_stream_release(memory, &stream);
    *seconds = times.kernel[JPEG_FOLLOW_PICTURES];
    return damage;
}

/*
 * A CPU decodes more than a hundred chunks of 128 bytes in the time that a device completes one: with one for each 128
 * that a stream has, but not fewer than 64, the time is about a CPU's.
 */
static void test_bound(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t size = 0; size < 2; size++) {
            const struct shape shape = {.mcus_w = 256, .mcus_h = size ? 160 : 40};
            struct bytes bytes = make_stream(&shape);
            double seconds;
            struct jpeg_gpu_damage damage = count_completed(kst_context_gpu_if_open(gpu_context[g]), &bytes, &seconds);
            size_t chunks = bytes.length / 128, most = chunks / 128 > 64 ? chunks / 128 : 64;
            printf("%zu bytes: %u of %zu chunks in order, %.2f ms\n", bytes.length, (unsigned)damage.completed, chunks,
                seconds * 1e3);
            assert_true(damage.left);
            assert_in_range(damage.completed, 64, most + 1);
            free(bytes.data);
        }
}

static void expect_same_report(const char *what, const kst_report *wanted, const kst_report *found)
{
    if (wanted->status != found->status || wanted->offset != found->offset || wanted->warnings != found->warnings ||
        wanted->first_warning != found->first_warning || wanted->first_warning_offset != found->first_warning_offset ||
        strcmp(wanted->message, found->message) != 0)
        fail_msg("%s: '%s' with %u warnings, not '%s' with %u", what, found->message, (unsigned)found->warnings,
            wanted->message, (unsigned)wanted->warnings);
}

/* The device has had the stream, and the CPU has decoded it. */
static void expect_left(const kst_report *report, kst_device_kind kind)
{
    assert_int_equal(report->stage_device[KST_STAGE_UPLOAD], kind);
    assert_int_equal(report->stage_device[KST_STAGE_ENTROPY], KST_DEVICE_CPU);
    assert_int_equal(report->stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
    assert_int_equal(report->stage_device[KST_STAGE_DOWNLOAD], KST_DEVICE_NONE);
}

static kst_device_kind kind_of(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    return info.kind;
}

static void compare(
    kst_context *context, const struct bytes *bytes, const kst_decode_options *options, kst_memory memory)
{
    kst_image wanted, found;
    kst_report wanted_report, report;
    kst_image_init(&wanted);
    kst_image_init(&found);
    kst_report_init(&wanted_report);
    kst_report_init(&report);
    found.memory = memory;
    kst_status status = kst_decode(cpu_context, bytes->data, bytes->length, options, &wanted, &wanted_report);
    assert_int_equal(kst_decode(context, bytes->data, bytes->length, options, &found, &report), status);
    expect_same_report("left", &wanted_report, &report);
    expect_left(&report, kind_of(context));
    if (!status)
        expect_same_image("left", context, &wanted, &found);
    kst_image_release(cpu_context, &wanted);
    kst_image_release(context, &found);
}

/* In all that a caller may ask for, wherever the image lies. */
static void compare_options(kst_context *context, const struct bytes *bytes, bool damaged)
{
    const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(context)};
    kst_decode_options options;
    for (uint32_t i = 0; i < 3; i++) {
        kst_decode_options_init(&options);
        compare(context, bytes, &options, memories[i]);
        options.sample = i % 2 ? KST_SAMPLE_FLOAT16 : KST_SAMPLE_FLOAT32;
        compare(context, bytes, &options, memories[i]);
        options.sample = KST_SAMPLE_INTEGER;
        options.format = KST_FORMAT_RAW;
        options.reduce = i;
        compare(context, bytes, &options, memories[i]);
        options.format = KST_FORMAT_RGBA;
        options.region = (kst_region){11, 7, 50, 40};
        compare(context, bytes, &options, memories[i]);
    }
    options.strict = damaged;
    compare(context, bytes, &options, KST_MEMORY_HOST);
}

static void test_alone(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{90, 50, false, 0, false}, {90, 50, false, 700, false},
        {40, 30, true, 0, false}, {90, 50, false, 0, true}, {40, 30, true, 300, true}};
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            struct bytes bytes = make_stream(&shapes[i]);
            compare_options(gpu_context[g], &bytes, shapes[i].damaged);
            free(bytes.data);
        }
}

/* The sizes that the simulator can decode in some seconds. */
static void test_small(void **state)
{
    (void)state;
    static const struct shape shape = {.mcus_w = 20, .mcus_h = 16};
    struct bytes bytes = make_stream(&shape);
    kst_decode_options options;
    kst_decode_options_init(&options);
    compare(gpu_context[0], &bytes, &options, KST_MEMORY_HOST);
    free(bytes.data);
}

enum { BATCH = 12, LEFT = 3 };

/* The stream and the item of each picture of a batch, one of which in four is such that the device leaves it. */
struct batch {
    struct bytes bytes[BATCH];
    kst_buffer honest[BATCH];
    kst_image image[BATCH];
    kst_decode_item item[BATCH];
};

static void make_batch(struct batch *batch, kst_context *context)
{
    const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(context)};
    for (uint32_t i = 0; i < BATCH; i++) {
        const struct shape shape = {.mcus_w = 40, .mcus_h = 20 + i, .colour = true, .damaged = i == 7};
        kst_encode_options options;
        kst_encode_options_init(&options);
        kst_image_init(&batch->image[i]);
        batch->image[i].memory = memories[i % 3];
        batch->item[i] = (kst_decode_item){.image = &batch->image[i]};
        if (i % 4 == LEFT) {
            batch->bytes[i] = make_stream(&shape);
            batch->item[i].data = batch->bytes[i].data;
            batch->item[i].length = batch->bytes[i].length;
        } else {
            batch->honest[i] = encode_noise(200 + 10 * i, 300, &options);
            batch->item[i].data = batch->honest[i].data;
            batch->item[i].length = batch->honest[i].length;
        }
    }
}

static void test_batch(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct batch batch = {.bytes = {{.data = NULL}}};
        kst_context *context = gpu_context[g];
        make_batch(&batch, context);
        assert_int_equal(kst_decode_batch(context, batch.item, BATCH), KST_OK);
        for (uint32_t i = 0; i < BATCH; i++) {
            const kst_report *report = &batch.item[i].report;
            kst_report wanted_report;
            kst_image wanted;
            kst_image_init(&wanted);
            kst_report_init(&wanted_report);
            kst_decode(cpu_context, batch.item[i].data, batch.item[i].length, NULL, &wanted, &wanted_report);
            expect_same_report("batch", &wanted_report, report);
            expect_same_image("batch", context, &wanted, &batch.image[i]);
            if (i % 4 == LEFT)
                expect_left(report, kind_of(context));
            else
                assert_int_equal(report->stage_device[KST_STAGE_ENTROPY], kind_of(context));
            kst_image_release(cpu_context, &wanted);
            kst_image_release(context, &batch.image[i]);
            kst_buffer_release(cpu_context, &batch.honest[i]);
            free(batch.bytes[i].data);
        }
    }
}

/*
 * In the order of the caller's queue, work behind the picture finds its pixels if the stream is shorter than 1 MiB; the
 * pixels of a longer one exist after waiting for the job.
 */
static void check_ordered(kst_context *context, struct gpu_queue *queue, const struct shape *shape, bool is_left)
{
    const kst_stream foreign = {queue->gpu->info.kind, (void *)queue->handle};
    struct bytes bytes = make_stream(shape);
    kst_image image, wanted;
    kst_job *job;
    kst_image_init(&image);
    kst_image_init(&wanted);
    assert_int_equal(kst_decode(cpu_context, bytes.data, bytes.length, NULL, &wanted, NULL), KST_OK);
    image.memory = device_memory(context);
    kst_decode_item item = {.data = bytes.data, .length = bytes.length, .image = &image};
    assert_int_equal(kst_decode_submit(context, &item, 1, &foreign, &job), KST_OK);
    queue->gpu->backend->finish(queue);
    if (!is_left)
        expect_same_image("in order", context, &wanted, &image);
    assert_int_equal(kst_job_wait(&job), KST_OK);
    assert_int_equal(item.report.stage_device[KST_STAGE_ENTROPY], is_left ? KST_DEVICE_CPU : queue->gpu->info.kind);
    expect_same_image("in order", context, &wanted, &image);
    kst_image_release(context, &image);
    kst_image_release(cpu_context, &wanted);
    free(bytes.data);
}

static void test_ordered(void **state)
{
    (void)state;
    static const struct shape shorter = {.mcus_w = 200, .mcus_h = 140}, longer = {.mcus_w = 200, .mcus_h = 200};
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct gpu *gpu = kst_context_gpu_if_open(gpu_context[g])->gpu;
        struct gpu_error error = {.status = KST_OK};
        struct gpu_queue queue;
        assert_true(gpu->backend->queue_create(gpu, false, &queue, &error));
        check_ordered(gpu_context[g], &queue, &shorter, false);
        check_ordered(gpu_context[g], &queue, &longer, true);
        gpu->backend->queue_destroy(&queue);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_batch), cmocka_unit_test(test_ordered)};
    const struct CMUnitTest small[] = {cmocka_unit_test(test_small)};
    if (simulated())
        return cmocka_run_group_tests(small, start_contexts, stop_contexts);
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
