/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG decoded to a function that takes rows: the same samples as in memory, each row once, in order where that is
 * asked. */
#include <stdlib.h>

#include "support/context.h"
#include "support/sanitizers.h"
#include "support/taken_rows.h"
#include "support/test.h"

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
    static const uint32_t sizes[][2] = {{1, 1}, {1, 500}, {3000, 1}, {517, 1031}, {1200, 700}};
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
                    if (fewer_cases() && (s + (size_t)kind + f) % 5 != 0)
                        continue;
                    kst_decode_options options;
                    kst_decode_options_init(&options);
                    options.format = formats[f];
                    options.reduce = f == 1 && s > 2 ? 2 : 0;
                    if (f == 2 && s > 2)
                        options.region = (kst_region){33, 47, 400, 600};
                    rows_check(context, &stream, &options);
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
        kst_buffer stream = make(context, 500, 900, &coding);
        options.sample = KST_SAMPLE_FLOAT32;
        rows_check(context, &stream, &options);
        options.sample = KST_SAMPLE_INTEGER;
        for (size_t i = stream.length / 3; i < stream.length - 2; i += 5000)
            stream.data[i] ^= 0x55;
        rows_check(context, &stream, &options);
        stream.length = stream.length * 2 / 3;
        rows_check(context, &stream, &options);
        options.strict = true;
        struct taken_rows target = {.fail_at = UINT32_MAX};
        kst_status status = rows_decode(context, &stream, &options, &target, NULL);
        assert_true(status && kst_status_is_warning(status));
        rows_free(&target);
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
        kst_buffer stream = make(context, 500, 1500, &coding);
        for (int order = 0; order < 2; order++)
            for (uint32_t row = 0; row < 1500; row += THREADS_WATCHED ? 999 : 333) {
                struct taken_rows target = {.in_order = order, .fail_at = row};
                kst_report report;
                assert_int_equal(rows_decode(context, &stream, NULL, &target, &report), KST_ERROR_WRITE);
                assert_int_equal(report.status, KST_ERROR_WRITE);
                rows_free(&target);
            }
        kst_buffer_release(context, &stream);
        kst_context_destroy(&context);
    }
}

/* The picture of 24 MB is never in memory. */
static void test_little_memory(void **state)
{
    (void)state;
    kst_context *plenty = cpu_context_create(1);
    kst_encode_options coding;
    kst_encode_options_init(&coding);
    coding.quality = 20;
    kst_buffer stream = make(plenty, 4000, 2000, &coding);
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        const kst_limits limits = {.memory = threads == 1 ? 2 << 20 : 20 << 20};
        kst_context *context = context_create("cpu", threads, &limits);
        struct taken_rows target = {.fail_at = UINT32_MAX, .in_order = threads == 3};
        assert_int_equal(rows_decode(context, &stream, NULL, &target, NULL), KST_OK);
        assert_true(target.calls > 40);
        rows_free(&target);
        kst_context_destroy(&context);
    }
    kst_buffer_release(plenty, &stream);
    kst_context_destroy(&plenty);
}

static void test_refused(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(1);
    struct taken_rows target = {.fail_at = UINT32_MAX};
    kst_row_writer writer = {.size = sizeof writer, .write = rows_take, .user = &target};
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
