/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks decoding JPEG 2000 to a function that takes rows: the same samples as in memory, each row once, in order if
 * that is wanted; and in little memory if no tiles lie beside each other.
 */
#include <stdlib.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/sanitizers.h"
#include "support/taken_rows.h"
#include "support/test.h"

struct kind {
    kst_format format;
    uint8_t depth;
    kst_j2k_options options;
};

/* Noise upon a ramp, coded. */
static kst_buffer make(kst_context *context, uint32_t width, uint32_t height, const struct kind *kind)
{
    kst_image image;
    kst_encode_options options;
    kst_buffer stream = {0};
    uint32_t seed = 1, channels = kst_format_channels(kind->format);
    size_t bytes = kind->depth > 8 ? 2 : 1, count = (size_t)width * height * channels;
    uint8_t *pixels = malloc(count * bytes);
    assert_non_null(pixels);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t sample = (uint32_t)(i / 7 % 200 + (seed >> 30));
        if (bytes == 2)
            ((uint16_t *)(void *)pixels)[i] = (uint16_t)(sample << (kind->depth - 8));
        else
            pixels[i] = (uint8_t)sample;
    }
    assert_int_equal(
        kst_image_wrap(&image, kind->format, width, height, pixels, (ptrdiff_t)(width * channels * bytes)), KST_OK);
    image.plane[0].depth = kind->depth;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &kind->options;
    assert_int_equal(kst_encode(context, &image, &options, &stream, NULL), KST_OK);
    free(pixels);
    return stream;
}

static struct kind plain(kst_format format, uint8_t depth)
{
    struct kind kind = {.format = format, .depth = depth};
    kst_j2k_options_init(&kind.options);
    return kind;
}

enum { KINDS = 8 };

static void make_kinds(struct kind kind[KINDS])
{
    kind[0] = plain(KST_FORMAT_RGB, 8);
    kind[1] = plain(KST_FORMAT_GREY, 12);
    kind[2] = plain(KST_FORMAT_RGB, 16);
    kind[3] = plain(KST_FORMAT_RGBA, 8); /* alpha is decoded apart: as a whole */
    kind[4] = plain(KST_FORMAT_RGB, 8);
    kind[4].options.tile_width = 5000;
    kind[4].options.tile_height = 100;
    kind[5] = kind[4];
    kind[5].options.tile_width = 200; /* tiles beside each other: as a whole */
    kind[6] = plain(KST_FORMAT_GREY, 8);
    kind[6].options.levels = 0;
    kind[7] = plain(KST_FORMAT_RGB, 8);
    kind[7].options.reversible = false;
}

static void test_same_samples(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 500}, {3000, 1}, {317, 431}};
    static const kst_format formats[] = {KST_FORMAT_AUTO, KST_FORMAT_BGR, KST_FORMAT_RAW};
    struct kind kind[KINDS];
    make_kinds(kind);
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 4; threads += 2) {
        kst_context *context = cpu_context_create(threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int k = 0; k < KINDS; k++) {
                kst_buffer stream = make(context, sizes[s][0], sizes[s][1], &kind[k]);
                for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
                    kst_decode_options options;
                    kst_decode_options_init(&options);
                    if (formats[f] == KST_FORMAT_BGR && kind[k].format == KST_FORMAT_GREY)
                        continue;
                    if (fewer_cases() && (s + (size_t)k + f) % 3 != 0)
                        continue;
                    options.format = formats[f];
                    options.reduce = f == 0 && s == 3 && kind[k].options.levels > 0 ? 1 : 0;
                    if (f == 1 && s == 3)
                        options.region = (kst_region){33, 47, 200, 300};
                    rows_check(context, &stream, &options);
                }
                kst_buffer_release(context, &stream);
            }
        kst_context_destroy(&context);
    }
}

/* Check which pictures are decoded in rows. */
static void test_calls(void **state)
{
    (void)state;
    static const bool goes[KINDS] = {true, true, true, false, true, false, true, true};
    struct kind kind[KINDS];
    make_kinds(kind);
    kst_context *context = cpu_context_create(1);
    for (int k = 0; k < KINDS && !THREADS_WATCHED; k++) { /* there is one */
        kst_buffer stream = make(context, 320, 900, &kind[k]);
        uint32_t calls = rows_check(context, &stream, NULL);
        if (goes[k])
            assert_true(calls > 3);
        else
            assert_int_equal(calls, 1);
        kst_buffer_release(context, &stream);
    }
    kst_context_destroy(&context);
}

/* Damage is reported alike, and strict decoding fails. */
static void test_damage(void **state)
{
    (void)state;
    const struct kind kind = plain(KST_FORMAT_RGB, 8);
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        kst_context *context = cpu_context_create(threads);
        kst_decode_options options;
        kst_decode_options_init(&options);
        kst_buffer stream = make(context, 250, 700, &kind);
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
    const struct kind kind = plain(KST_FORMAT_RGB, 8);
    for (uint32_t threads = THREADS_WATCHED ? 4 : 1; threads <= 4; threads++) {
        kst_context *context = cpu_context_create(threads);
        kst_buffer stream = make(context, 200, 1500, &kind);
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

/* The picture of 5.1 MB is never in memory; and of coefficients, only the rows that a step and its blocks need. */
static void test_little_memory(void **state)
{
    (void)state;
    const struct kind kind = plain(KST_FORMAT_RGB, 8);
    kst_context *plenty = cpu_context_create(1);
    kst_buffer stream = make(plenty, 1000, 1700, &kind);
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        static const uint32_t kib[] = {0, 3072, 4352, 4608};
        const kst_limits limits = {.memory = (uint64_t)kib[threads] << 10};
        kst_context *context = context_create("cpu", threads, &limits);
        struct taken_rows target = {.fail_at = UINT32_MAX, .in_order = threads == 3};
        assert_int_equal(rows_decode(context, &stream, NULL, &target, NULL), KST_OK);
        assert_true(target.calls > 10);
        rows_free(&target);
        kst_context_destroy(&context);
    }
    kst_buffer_release(plenty, &stream);
    kst_context_destroy(&plenty);
}

/* Says when a decoding is to be cancelled. */
struct stop {
    uint32_t calls, at;
};

static bool goes_on(void *user, double done)
{
    struct stop *stop = user;
    (void)done;
    return ++stop->calls != stop->at;
}

/* Threads that wait for their turn end when another one cancels the decoding. */
static void test_cancelled(void **state)
{
    (void)state;
    enum { HEIGHT = 1500 };
    static const uint32_t threads[] = {4, 64};
    const struct kind kind = plain(KST_FORMAT_RGB, 8);
    for (size_t t = 0; t < (THREADS_WATCHED ? 1 : 2); t++) {
        kst_context *context = cpu_context_create(threads[t]);
        kst_buffer stream = make(context, 300, HEIGHT, &kind);
        uint32_t cancelled = 0;
        bool ended = false;
        for (uint32_t at = 1; !ended && at < 10000; at += fewer_cases() ? 97 : 41) {
            struct stop stop = {.at = at};
            const kst_progress progress = {sizeof progress, goes_on, &stop};
            struct taken_rows target = {.in_order = true, .fail_at = UINT32_MAX};
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.progress = &progress;
            kst_status status = rows_decode(context, &stream, &options, &target, NULL);
            ended = stop.calls < at;
            /* Cancelling has no effect if everything else is done when the function is called. */
            if (!status)
                assert_int_equal(target.next, HEIGHT);
            else
                assert_int_equal(status, KST_ERROR_CANCELLED);
            assert_true(!status || !ended);
            cancelled += status ? 1 : 0;
            rows_free(&target);
        }
        assert_true(ended && cancelled > 3);
        kst_buffer_release(context, &stream);
        kst_context_destroy(&context);
    }
}

/* Takes rows in order, and nothing of them. */
static bool pass_over(void *user, uint32_t y, const kst_image *rows)
{
    uint32_t *next = user;
    assert_int_equal(y, *next);
    *next += rows->height;
    return true;
}

static kst_status decode_in_order(kst_context *context, const void *argument)
{
    const kst_buffer *stream = argument;
    uint32_t next = 0;
    const kst_row_writer writer = {.size = sizeof writer, .write = pass_over, .user = &next, .in_order = true};
    kst_decoder *decoder = NULL;
    kst_status status = kst_decoder_create(context, &decoder);
    if (!status)
        status = kst_decoder_open(decoder, stream->data, stream->length);
    if (!status)
        status = kst_decoder_decode_rows(decoder, NULL, &writer);
    kst_decoder_destroy(&decoder);
    return status;
}

/* Nor do they wait for a thread that has no memory. */
static void test_failing_memory(void **state)
{
    (void)state;
    struct kind kind = plain(KST_FORMAT_GREY, 8);
    kst_context *plenty = cpu_context_create(1);
    kind.options.tile_width = 300;
    kind.options.tile_height = 200;
    kst_buffer stream = make(plenty, 300, 400, &kind);
    assert_true(failing_check(decode_in_order, &stream, 4) >= 30);
    kst_buffer_release(plenty, &stream);
    kst_context_destroy(&plenty);
}

/* With more threads than steps have strips, the same rows in order. */
static void test_many_threads(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(THREADS_WATCHED ? 12 : 64);
    for (int k = THREADS_WATCHED; k < 2; k++) {
        const struct kind kind = plain(k ? KST_FORMAT_RGB : KST_FORMAT_GREY, 8);
        kst_buffer stream = make(context, 1300, 300, &kind);
        assert_true(rows_check(context, &stream, NULL) > 3);
        kst_buffer_release(context, &stream);
    }
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_samples),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_failing_writer),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
