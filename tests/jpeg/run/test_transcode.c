/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks without an oracle what kst_transcode() promises: the same pixels, whatever the coding, and for any number of
 * callers.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

static uint32_t random_state;

static kst_image decode(const void *data, size_t length)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, data, length, NULL, &image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    return image;
}

static uint32_t restart_interval(const kst_buffer *buffer)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, buffer->data, buffer->length), KST_OK);
    uint32_t interval = kst_decoder_info(decoder)->restart_interval;
    kst_decoder_destroy(&decoder);
    return interval;
}

static void assert_same_pixels(const struct contents *jpeg, const kst_buffer *output)
{
    kst_image before = decode(jpeg->data, jpeg->length), after = decode(output->data, output->length);
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(&before, &after, &comparison), KST_OK);
    assert_true(comparison.identical);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
}

/* Whatever the coding and the restart markers, the picture is the same, and so is a second transcoding. */
static void test_pixels(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_CMYK};
    static const kst_restart restarts[] = {{KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 3}, {KST_RESTART_ROWS, 2},
        {KST_RESTART_AUTO, 0}, {KST_RESTART_KEEP, 0}, {KST_RESTART_MCUS, 0}};
    (void)state;
    random_state = 1;
    for (int n = 0; n < 3 * 3 * 3 * 6; n++) {
        struct recipe recipe = {
            .width = 1 + random_below(&random_state, 90),
            .height = 1 + random_below(&random_state, 90),
            .format = formats[n % 3],
            .subsampling = (kst_subsampling)random_below(&random_state, 6),
            .coding = (kst_coding)(n / 3 % 3),
            .restart = {random_below(&random_state, 2) ? KST_RESTART_MCUS : KST_RESTART_NONE,
                1 + random_below(&random_state, 5)},
        };
        struct contents jpeg = recipe_make(context, &recipe, &random_state);
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n / 9 % 3);
        options.restart = restarts[n / 27];
        kst_buffer first = recipe_transcode(context, &jpeg, &options);
        assert_same_pixels(&jpeg, &first);
        kst_buffer second = recipe_transcode(context, &(struct contents){first.data, first.length}, &options);
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.data, second.data, first.length);
        kst_buffer_release(context, &first);
        kst_buffer_release(context, &second);
        contents_free(&jpeg);
    }
}

/* Components that do not fit one MCU together stay in scans of their own, which jpegtran cannot write. */
static void test_many_blocks(void **state)
{
    static const kst_scan scans[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    static uint8_t pixels[70 * 50 * 3];
    (void)state;
    random_state = 5;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i / 40 + random_below(&random_state, 30));
    kst_image image;
    kst_encode_options encode;
    kst_buffer coded = {.data = NULL};
    kst_encode_options_init(&encode);
    memset(encode.h, 2, 3);
    memset(encode.v, 2, 3);
    encode.script = scans;
    encode.script_length = 3;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 70, 50, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &encode, &coded, NULL), KST_OK);
    struct contents jpeg = {coded.data, coded.length};
    for (int n = 0; n < 3; n++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)n;
        options.restart = (kst_restart){.unit = KST_RESTART_ROWS, .interval = 1};
        kst_buffer output = recipe_transcode(context, &jpeg, &options);
        assert_same_pixels(&jpeg, &output);
        kst_buffer_release(context, &output);
    }
    kst_buffer_release(context, &coded);
}

/* An id given twice would leave a scan of one component without a name. */
static void test_repeated_ids(void **state)
{
    (void)state;
    struct contents jpeg =
        recipe_make(context, &(struct recipe){.width = 50, .height = 40, .format = KST_FORMAT_RGB}, &random_state);
    for (size_t i = 0; i + 20 < jpeg.length; i++) {
        bool frame = jpeg.data[i] == 0xFF && jpeg.data[i + 1] == 0xC0,
             scan = jpeg.data[i] == 0xFF && jpeg.data[i + 1] == 0xDA;
        if (frame)
            jpeg.data[i + 16] = 2; /* the third component's id */
        if (scan)
            jpeg.data[i + 9] = 2;
    }
    for (int n = 0; n < 3; n++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)n;
        kst_buffer output = recipe_transcode(context, &jpeg, &options);
        assert_same_pixels(&jpeg, &output);
        kst_buffer_release(context, &output);
    }
    contents_free(&jpeg);
}

static void test_restart_intervals(void **state)
{
    (void)state;
    struct recipe recipe = {
        .width = 640, .height = 480, .format = KST_FORMAT_RGB, .restart = {.unit = KST_RESTART_MCUS, .interval = 10}};
    struct contents jpeg = recipe_make(context, &recipe, &random_state);
    const struct {
        kst_restart restart;
        bool grey;
        uint32_t interval;
    } cases[] = {
        {{KST_RESTART_NONE, 0}, false, 0},
        {{KST_RESTART_KEEP, 0}, false, 10},
        {{KST_RESTART_KEEP, 0}, true, 40},
        {{KST_RESTART_AUTO, 0}, false, 8},
        {{KST_RESTART_MCUS, 7}, false, 7},
        {{KST_RESTART_ROWS, 3}, false, 120},
        {{KST_RESTART_ROWS, UINT32_MAX}, false, 65535},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.restart = cases[i].restart;
        options.grey = cases[i].grey;
        kst_buffer output = recipe_transcode(context, &jpeg, &options);
        assert_int_equal(restart_interval(&output), cases[i].interval);
        kst_buffer_release(context, &output);
    }
    contents_free(&jpeg);
}

/* Many threads and one give the same bytes. */
static void test_threads(void **state)
{
    (void)state;
    random_state = 2;
    for (int n = 0; n < 8; n++) {
        struct recipe recipe = {.width = 100 + random_below(&random_state, 400),
            .height = 100 + random_below(&random_state, 400),
            .format = KST_FORMAT_RGB,
            .coding = (kst_coding)random_below(&random_state, 3),
            .subsampling = (kst_subsampling)random_below(&random_state, 3)};
        struct contents jpeg = recipe_make(context, &recipe, &random_state);
        kst_transcode_options options;
        kst_context_options context_options;
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)n;
        options.coding = (kst_coding)(n % 3);
        options.restart.unit = n % 2 ? KST_RESTART_AUTO : KST_RESTART_NONE;
        kst_buffer first = {.data = NULL};
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            kst_context *other;
            kst_buffer output = {.data = NULL};
            kst_context_options_init(&context_options);
            context_options.threads = threads;
            assert_int_equal(kst_context_create(&context_options, &other), KST_OK);
            assert_int_equal(kst_transcode(other, jpeg.data, jpeg.length, &options, &output, NULL), KST_OK);
            if (threads == 1) {
                first.data = malloc(output.length);
                assert_non_null(first.data);
                memcpy(first.data, output.data, output.length);
                first.length = output.length;
            }
            assert_int_equal(output.length, first.length);
            assert_memory_equal(output.data, first.data, first.length);
            kst_buffer_release(other, &output);
            kst_context_destroy(&other);
        }
        free(first.data);
        contents_free(&jpeg);
    }
}

struct caller {
    const struct contents *jpeg;
    kst_buffer output;
    kst_transform transform;
    kst_status status;
};

static void *call(void *arg)
{
    struct caller *caller = arg;
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = caller->transform;
    options.coding = KST_CODING_PROGRESSIVE;
    caller->status = kst_transcode(context, caller->jpeg->data, caller->jpeg->length, &options, &caller->output, NULL);
    return NULL;
}

/* A context serves many callers at once. */
static void test_concurrent_calls(void **state)
{
    enum { CALLERS = 8 };
    (void)state;
    struct contents jpeg =
        recipe_make(context, &(struct recipe){.width = 300, .height = 200, .format = KST_FORMAT_RGB}, &random_state);
    pthread_t thread[CALLERS];
    struct caller caller[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        caller[i] = (struct caller){.jpeg = &jpeg, .transform = (kst_transform)(i % 4)};
        assert_int_equal(pthread_create(&thread[i], NULL, call, &caller[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(caller[i].status, KST_OK);
        assert_int_equal(caller[i].output.length, caller[i % 4].output.length);
        assert_memory_equal(caller[i].output.data, caller[i % 4].output.data, caller[i].output.length);
    }
    for (int i = 0; i < CALLERS; i++)
        kst_buffer_release(context, &caller[i].output);
    contents_free(&jpeg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_repeated_ids),
        cmocka_unit_test(test_restart_intervals),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_concurrent_calls),
    };
    return run_with_context(0, tests, NULL, NULL);
}
