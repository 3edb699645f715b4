/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks JPEG 2000 on GPUs through the API: formats, kinds of memory, parts of pictures and batches give the same as on
 * the CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/j2k/corpus.h"
#include "support/test.h"

struct stream {
    uint8_t *data;
    size_t length;
};

static struct stream load(const char *name)
{
    struct stream stream = {.data = NULL};
    if (j2k_corpus_present())
        stream.data = j2k_corpus_read("streams", name, &stream.length);
    if (!stream.data)
        skip("there is no corpus");
    return stream;
}

static void expect_same_report(const char *what, const kst_report *wanted, const kst_report *found)
{
    if (wanted->status != found->status || wanted->warnings != found->warnings ||
        wanted->first_warning != found->first_warning || wanted->first_warning_offset != found->first_warning_offset)
        fail_msg("%s: status %d, %u warnings, not %d, %u", what, (int)found->status, (unsigned)found->warnings,
            (int)wanted->status, (unsigned)wanted->warnings);
}

static void decode_wanted(
    const struct stream *stream, const kst_decode_options *options, kst_image *wanted, kst_report *report)
{
    kst_image_init(wanted);
    kst_report_init(report);
    kst_decode(cpu_context, stream->data, stream->length, options, wanted, report);
}

/* In host, pinned and device memory of each GPU; with fewer cases in these by turns. */
static void compare(const char *name, const struct stream *stream, const kst_decode_options *options, bool on_gpu)
{
    static uint32_t turn;
    kst_image wanted;
    kst_report wanted_report;
    decode_wanted(stream, options, &wanted, &wanted_report);
    turn++;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[i])};
        for (uint32_t m = 0; m < 3; m++) {
            if (fewer_cases() && m != turn % 3)
                continue;
            kst_image image;
            kst_report report;
            char what[128];
            kst_image_init(&image);
            kst_report_init(&report);
            image.memory = memories[m];
            snprintf(what, sizeof what, "%s, format %d, memory %d", name, (int)options->format, (int)memories[m]);
            kst_status status = kst_decode(gpu_context[i], stream->data, stream->length, options, &image, &report);
            assert_int_equal(status, wanted_report.status);
            expect_same_report(what, &wanted_report, &report);
            if (status)
                continue;
            assert_int_equal(report.stage_device[KST_STAGE_ENTROPY] == KST_DEVICE_NONE, !on_gpu);
            expect_same_image(what, gpu_context[i], &wanted, &image);
            kst_image_release(gpu_context[i], &image);
        }
    }
    if (!wanted_report.status)
        kst_image_release(cpu_context, &wanted);
}

static void test_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"d1_colr.j2c", "a1_mono.j2c"};
    for (uint32_t i = 0; i < 2; i++) {
        struct stream stream = load(names[i]);
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.alpha = 77;
        for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_RAW; format++) {
            options.format = format;
            compare(names[i], &stream, &options, true);
        }
        free(stream.data);
    }
}

/* Twelve bits; tiles; components of different sizes; signed; sYCC; damaged, which strict ones refuse. */
static void test_kinds(void **state)
{
    (void)state;
    static const char *const names[] = {"file6.jp2", "e1_colr.j2c", "p0_06.j2k", "p0_03.j2k", "file2.jp2"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct stream stream = load(names[i]);
        kst_decode_options options;
        kst_decode_options_init(&options);
        compare(names[i], &stream, &options, true);
        options.reduce = 1;
        options.region = (kst_region){3, 5, 90, 41};
        compare(names[i], &stream, &options, true);
        memset(&options.region, 0, sizeof options.region);
        stream.data[stream.length / 2] ^= 0x55;
        memset(stream.data + stream.length / 3, 0xFF, 5);
        compare(names[i], &stream, &options, true);
        options.strict = true;
        compare(names[i], &stream, &options, true);
        free(stream.data);
    }
}

enum { BATCH = 40 };

static void load_batch(struct stream stream[BATCH])
{
    static const char *const names[] = {"a1_mono.j2c", "d1_colr.j2c", "file2.jp2", "p1_07.j2k", "f1_mono.j2c"};
    kst_encode_options jpeg;
    kst_encode_options_init(&jpeg);
    for (uint32_t i = 0; i < BATCH; i++) {
        if (i % 7 == 3) {
            kst_buffer buffer = encode_noise(60 + i, 50, &jpeg);
            stream[i].data = malloc(buffer.length);
            stream[i].length = buffer.length;
            assert_non_null(stream[i].data);
            memcpy(stream[i].data, buffer.data, buffer.length);
            kst_buffer_release(cpu_context, &buffer);
        } else
            stream[i] = load(names[i % 5]);
        if (i % 9 == 8)
            stream[i].length = stream[i].length * 2 / 3;
    }
}

/* Both codecs, damaged ones among them, in host memory and in the device's. */
static void test_batch(void **state)
{
    (void)state;
    struct stream stream[BATCH];
    load_batch(stream);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_decode_item items[BATCH];
        kst_image images[BATCH];
        memset(items, 0, sizeof items);
        for (uint32_t i = 0; i < BATCH; i++) {
            kst_image_init(&images[i]);
            images[i].memory = i % 3 == 0 ? device_memory(gpu_context[k]) : KST_MEMORY_HOST;
            items[i] = (kst_decode_item){.data = stream[i].data, .length = stream[i].length, .image = &images[i]};
        }
        kst_decode_batch(gpu_context[k], items, BATCH);
        for (uint32_t i = 0; i < BATCH; i++) {
            char what[64];
            kst_image wanted;
            kst_report report;
            snprintf(what, sizeof what, "number %u of the batch", (unsigned)i);
            decode_wanted(&stream[i], NULL, &wanted, &report);
            expect_same_report(what, &report, &items[i].report);
            if (report.status)
                continue;
            expect_same_image(what, gpu_context[k], &wanted, &images[i]);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[k], &images[i]);
        }
    }
    for (uint32_t i = 0; i < BATCH; i++)
        free(stream[i].data);
}

static void compare_strips(
    kst_context *context, const kst_buffer *buffer, const kst_decode_options *options, kst_memory memory, bool on_gpu)
{
    const struct stream stream = {buffer->data, buffer->length};
    kst_image wanted, image;
    kst_report wanted_report, report;
    decode_wanted(&stream, options, &wanted, &wanted_report);
    kst_image_init(&image);
    kst_report_init(&report);
    image.memory = memory;
    kst_status status = kst_decode(context, stream.data, stream.length, options, &image, &report);
    assert_int_equal(status, wanted_report.status);
    expect_same_report("strips", &wanted_report, &report);
    if (status)
        return;
    assert_int_equal(report.stage_device[KST_STAGE_ENTROPY] != KST_DEVICE_NONE, on_gpu);
    expect_same_image("strips", context, &wanted, &image);
    kst_image_release(cpu_context, &wanted);
    kst_image_release(context, &image);
}

/*
 * Pictures beyond the limit of memory, untiled and in tiles, are nevertheless decoded on the device; damaged ones by
 * the CPU, so that their warnings are those of the whole.
 */
static void check_strips(kst_context *context, kst_j2k_options *coding)
{
    const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(context)};
    kst_decode_options options;
    kst_encode_options encoding = j2k_coding(coding);
    kst_buffer buffer = encode_noise(310, 1000, &encoding);
    for (uint32_t m = 0; m < 3; m++) {
        kst_decode_options_init(&options);
        if (m == 0 || !fewer_cases())
            compare_strips(context, &buffer, &options, memories[m], true);
        options.format = KST_FORMAT_BGRA;
        options.region = (kst_region){7, 11, 303, 980};
        if (m == 1 || !fewer_cases())
            compare_strips(context, &buffer, &options, memories[m], true);
        options.format = KST_FORMAT_PLANAR;
        if (m == 2 || !fewer_cases())
            compare_strips(context, &buffer, &options, memories[m], true);
    }
    size_t length = buffer.length;
    buffer.length = length * 2 / 3;
    compare_strips(context, &buffer, &options, KST_MEMORY_HOST, false);
    options.strict = true;
    compare_strips(context, &buffer, &options, KST_MEMORY_HOST, false);
    buffer.length = length;
    kst_buffer_release(cpu_context, &buffer);
}

static void test_strips(void **state)
{
    (void)state;
    kst_j2k_options coding;
    kst_j2k_options_init(&coding);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], 7 << 20);
        coding.tile_width = coding.tile_height = 0;
        coding.target = KST_J2K_LOSSLESS;
        check_strips(context, &coding);
        coding.tile_width = coding.tile_height = 96;
        coding.target = KST_J2K_RATIO;
        coding.value = 3;
        check_strips(context, &coding);
        kst_context_destroy(&context);
    }
}

/* Make a stream whose blocks are short but for those of one corner, which pays the host's threads to decode. */
static kst_buffer encode_corner(void)
{
    enum { SIDE = 512, CORNER = 160 };
    static uint8_t pixels[SIDE * SIDE];
    kst_j2k_options coding;
    kst_j2k_options_init(&coding);
    kst_encode_options encoding = j2k_coding(&coding);
    kst_buffer buffer = {.data = NULL};
    kst_image image;
    uint32_t random = 1;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        bool corner = i / SIDE < CORNER && i % SIDE < CORNER;
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(random >> (corner ? 24 : 31));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, SIDE, SIDE, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(cpu_context, &image, &encoding, &buffer, NULL), KST_OK);
    return buffer;
}

/* The report tells how many of the host's threads decoded code-blocks beside the device. */
static void test_host_threads(void **state)
{
    (void)state;
    kst_buffer buffer = encode_corner();
    for (uint32_t k = 0; k < gpu_contexts; k++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            kst_device_info info = {.size = sizeof info};
            kst_image image;
            kst_report report;
            assert_int_equal(kst_context_device(gpu_context[k], &info), KST_OK);
            kst_context *context = context_create(info.name, threads, NULL);
            kst_image_init(&image);
            kst_report_init(&report);
            assert_int_equal(kst_decode(context, buffer.data, buffer.length, NULL, &image, &report), KST_OK);
            assert_int_equal(report.stage_device[KST_STAGE_ENTROPY], info.kind);
            assert_int_equal(report.threads, threads);
            kst_image_release(context, &image);
            kst_context_destroy(&context);
        }
    kst_buffer_release(cpu_context, &buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_host_threads),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
