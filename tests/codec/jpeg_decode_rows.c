/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG decoded to a function that takes rows: the same samples as in memory, each row once, in order where that is
 * asked. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "context.h"
#include "sanitizers.h"
#include "support.h"

/* Where rows are collected. */
struct target {
    kst_image shape; /* of the picture */
    uint8_t *data;   /* tight; the planes of what has several follow each other */
    uint8_t *times;  /* each row came */
    bool in_order;
    uint32_t next, fail_at;
    atomic_uint inside, calls;
};

static size_t row_bytes(const kst_image *image, uint32_t plane)
{
    uint32_t channels = kst_format_channels(image->format);
    size_t sample = image->plane[plane].sample == KST_SAMPLE_FLOAT32 ? 4 : 1;
    return (size_t)image->plane[plane].width * (channels ? channels : 1) * sample;
}

static bool take(void *user, uint32_t y, const kst_image *rows)
{
    struct target *target = user;
    uint8_t *to = target->data;
    atomic_fetch_add(&target->calls, 1);
    if (target->in_order) {
        assert_int_equal(atomic_fetch_add(&target->inside, 1), 0);
        assert_int_equal(y, target->next);
        target->next = y + rows->height;
        atomic_fetch_sub(&target->inside, 1);
    }
    if (y + rows->height > target->fail_at)
        return false;
    assert_int_equal(rows->width, target->shape.width);
    assert_int_equal(rows->format, target->shape.format);
    for (uint32_t i = 0; i < rows->height; i++)
        target->times[y + i]++;
    for (uint32_t p = 0; p < rows->plane_count; p++) {
        size_t row = row_bytes(rows, p);
        for (uint32_t i = 0; i < rows->plane[p].height; i++)
            memcpy(to + (size_t)(y + i) * row,
                (const uint8_t *)rows->plane[p].data + (ptrdiff_t)i * rows->plane[p].pitch, row);
        to += row * target->shape.plane[p].height;
    }
    return true;
}

static kst_status decode_rows(kst_context *context, const kst_buffer *stream, const kst_decode_options *options,
    struct target *target, kst_report *report)
{
    const kst_row_writer writer = {.size = sizeof writer, .write = take, .user = target, .in_order = target->in_order};
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    assert_int_equal(kst_decoder_describe(decoder, options, &target->shape), KST_OK);
    size_t length = 0;
    for (uint32_t p = 0; p < target->shape.plane_count; p++)
        length += row_bytes(&target->shape, p) * target->shape.plane[p].height;
    target->data = realloc(target->data, length);
    free(target->times);
    target->times = calloc(target->shape.height, 1);
    assert_non_null(target->data);
    assert_non_null(target->times);
    memset(target->data, 0xA5, length);
    target->next = 0;
    kst_status status = kst_decoder_decode_rows(decoder, options, &writer);
    if (report)
        *report = *kst_decoder_report(decoder);
    kst_decoder_destroy(&decoder);
    return status;
}

static void check_same(kst_context *context, const kst_buffer *stream, const kst_decode_options *options)
{
    kst_image whole;
    kst_report report, of_rows;
    kst_report_init(&report);
    kst_image_init(&whole);
    assert_int_equal(kst_decode(context, stream->data, stream->length, options, &whole, &report), KST_OK);
    for (int order = 0; order < 2; order++) {
        struct target target = {.in_order = order, .fail_at = UINT32_MAX};
        assert_int_equal(decode_rows(context, stream, options, &target, &of_rows), KST_OK);
        assert_int_equal(of_rows.warnings, report.warnings);
        assert_int_equal(of_rows.first_warning_offset, report.first_warning_offset);
        const uint8_t *from = target.data;
        for (uint32_t p = 0; p < whole.plane_count; p++) {
            size_t row = row_bytes(&whole, p);
            for (uint32_t y = 0; y < whole.plane[p].height; y++, from += row)
                assert_memory_equal(from, (uint8_t *)whole.plane[p].data + (ptrdiff_t)y * whole.plane[p].pitch, row);
        }
        for (uint32_t y = 0; y < whole.height; y++)
            assert_int_equal(target.times[y], 1);
        free(target.data);
        free(target.times);
    }
    kst_image_release(context, &whole);
}

/* Noise upon a ramp, coded. */
static kst_buffer make(kst_context *context, uint32_t width, uint32_t height, const kst_encode_options *options)
{
    kst_image image;
    kst_buffer stream = {0};
    uint32_t seed = 1;
    uint8_t *pixels = malloc((size_t)width * height * 3);
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)width * height * 3; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 7 % 200 + (seed >> 27));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, options, &stream, NULL), KST_OK);
    free(pixels);
    return stream;
}

static void test_same_samples(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 500}, {3000, 1}, {517, 1031}, {2000, 1300}};
    static const kst_format formats[] = {
        KST_FORMAT_AUTO, KST_FORMAT_GREY, KST_FORMAT_BGRA, KST_FORMAT_PLANAR, KST_FORMAT_RAW};
    const uint32_t first =
        THREADS_WATCHED ? 3 : 1; /* that takes forty times as long, and one thread says nothing then */
    for (uint32_t threads = first; threads <= 4; threads += first) {
        kst_context *context = cpu_context_create(threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int kind = 0; kind < 4; kind++) {
                kst_encode_options coding;
                kst_encode_options_init(&coding);
                coding.quality = 85;
                coding.subsampling = kind == 1 ? KST_SUBSAMPLING_444 : KST_SUBSAMPLING_420;
                coding.coding = kind == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
                coding.restart.unit = kind == 3 ? KST_RESTART_ROWS : KST_RESTART_NONE;
                coding.restart.interval = 2;
                kst_buffer stream = make(context, sizes[s][0], sizes[s][1], &coding);
                for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
                    if (THREADS_WATCHED && (s + (size_t)kind + f) % 5 != 0)
                        continue;
                    kst_decode_options options;
                    kst_decode_options_init(&options);
                    options.format = formats[f];
                    options.reduce = f == 1 && s > 2 ? 2 : 0;
                    if (f == 2 && s > 2)
                        options.region = (kst_region){33, 47, 400, 700};
                    check_same(context, &stream, &options);
                }
                kst_buffer_release(context, &stream);
            }
        kst_context_destroy(&context);
    }
}

/* Damage is reported alike, and other samples, which come at once, are the same too. */
static void test_damage_and_samples(void **state)
{
    (void)state;
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        kst_context *context = cpu_context_create(threads);
        kst_encode_options coding;
        kst_decode_options options;
        kst_encode_options_init(&coding);
        kst_decode_options_init(&options);
        kst_buffer stream = make(context, 1200, 900, &coding);
        options.sample = KST_SAMPLE_FLOAT32;
        check_same(context, &stream, &options);
        options.sample = KST_SAMPLE_INTEGER;
        for (size_t i = stream.length / 3; i < stream.length - 2; i += 5000)
            stream.data[i] ^= 0x55;
        check_same(context, &stream, &options);
        stream.length = stream.length * 2 / 3;
        check_same(context, &stream, &options);
        options.strict = true;
        struct target target = {.fail_at = UINT32_MAX};
        kst_status status = decode_rows(context, &stream, &options, &target, NULL);
        assert_true(status != KST_OK && kst_status_is_warning(status));
        free(target.data);
        free(target.times);
        kst_buffer_release(context, &stream);
        kst_context_destroy(&context);
    }
}

/* Rows that are not taken end the decoding, and every thread of it. */
static void test_failing_writer(void **state)
{
    (void)state;
    for (uint32_t threads = THREADS_WATCHED ? 4 : 1; threads <= 4; threads++) {
        kst_context *context = cpu_context_create(threads);
        kst_encode_options coding;
        kst_encode_options_init(&coding);
        kst_buffer stream = make(context, 1500, 1500, &coding);
        for (int order = 0; order < 2; order++)
            for (uint32_t row = 0; row < 1500; row += THREADS_WATCHED ? 999 : 333) {
                struct target target = {.in_order = order, .fail_at = row};
                kst_report report;
                assert_int_equal(decode_rows(context, &stream, NULL, &target, &report), KST_ERROR_WRITE);
                assert_int_equal(report.status, KST_ERROR_WRITE);
                free(target.data);
                free(target.times);
            }
        kst_buffer_release(context, &stream);
        kst_context_destroy(&context);
    }
}

/* The picture of 48 MB is never in memory. */
static void test_little_memory(void **state)
{
    (void)state;
    kst_context *plenty = cpu_context_create(1);
    kst_encode_options coding;
    kst_encode_options_init(&coding);
    coding.quality = 20;
    kst_buffer stream = make(plenty, 4000, THREADS_WATCHED ? 2000 : 4000, &coding);
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        const kst_limits limits = {.memory = threads == 1 ? 2 << 20 : 40 << 20};
        kst_context *context = context_create("cpu", threads, &limits);
        struct target target = {.fail_at = UINT32_MAX, .in_order = threads == 3};
        assert_int_equal(decode_rows(context, &stream, NULL, &target, NULL), KST_OK);
        assert_true(target.calls > (THREADS_WATCHED ? 40 : 100));
        free(target.data);
        free(target.times);
        kst_context_destroy(&context);
    }
    kst_buffer_release(plenty, &stream);
    kst_context_destroy(&plenty);
}

static void test_refused(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(1);
    struct target target = {.fail_at = UINT32_MAX};
    kst_row_writer writer = {.size = sizeof writer, .write = take, .user = &target};
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_decode_rows(decoder, NULL, &writer), KST_ERROR_STATE);
    assert_int_equal(kst_decoder_decode_rows(decoder, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_decode_rows(NULL, NULL, &writer), KST_ERROR_ARGUMENT);
    writer.size--;
    assert_int_equal(kst_decoder_decode_rows(decoder, NULL, &writer), KST_ERROR_ARGUMENT);
    writer = (kst_row_writer){.size = sizeof writer};
    assert_int_equal(kst_decoder_decode_rows(decoder, NULL, &writer), KST_ERROR_ARGUMENT);
    kst_decoder_destroy(&decoder);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_samples),
        cmocka_unit_test(test_damage_and_samples),
        cmocka_unit_test(test_failing_writer),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
