/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that fails at its n-th call, for every n: the right status, nothing leaked, no crash. */
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/jpeg/streams.h"
#include "support/machines.h"
#include "support/test.h"

struct decoding {
    const struct stream *stream;
    kst_format format;
    bool orient;
};

static kst_status decode_once(kst_context *context, const void *argument)
{
    const struct decoding *wanted = argument;
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = wanted->format;
    options.orient = wanted->orient;
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status = kst_decode(context, wanted->stream->data, wanted->stream->length, &options, &image, &report);
    assert_int_equal(report.status, status);
    assert_int_equal(image.plane[0].data != NULL, !status);
    if (status)
        assert_true(strlen(report.message) > 0);
    kst_image_release(context, &image);
    return status;
}

static void check(const struct stream *stream, uint32_t threads, kst_format format, bool orient)
{
    const struct decoding wanted = {stream, format, orient};
    assert_true(failing_check(decode_once, &wanted, threads) >= 8);
}

static const kst_scan by_component[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};

static void decoding(void **state)
{
    static uint8_t icc[150000];
    static const uint8_t exif[] = {
        'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata[] = {
        {.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = sizeof exif},
        {.kind = KST_METADATA_ICC, .data = icc, .length = sizeof icc},
        {.kind = KST_METADATA_COMMENT, .data = exif, .length = 5},
    };
#define FACTORS .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = { 2, 1, 1 }
    const struct recipe recipes[] = {
        {.width = 300, .height = 260, FACTORS},
        {.width = 300, .height = 260, FACTORS, .restart = {KST_RESTART_MCUS, 3}},
        {.width = 300, .height = 260, FACTORS, .coding = KST_CODING_PROGRESSIVE},
        {.width = 300, .height = 260, FACTORS, .script = by_component, .script_length = COUNT(by_component)},
        {.width = 300, .height = 260, FACTORS, .metadata = metadata, .metadata_count = COUNT(metadata)},
        {.width = 40, .height = 26, .colour = KST_COLOUR_YCCK, .h = {1, 1, 1, 1}, .v = {1, 1, 1, 1}},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(recipes); i++) {
        struct stream stream = make_stream(&recipes[i]);
        for (uint32_t threads = 1; threads <= 4; threads++) {
            if (SANITIZED && (threads + i) % 2 != 0)
                continue;
            check(&stream, threads, KST_FORMAT_AUTO, true);
            check(&stream, threads, KST_FORMAT_RAW, false);
        }
        free(stream.data);
    }
}

static void making_contexts(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        kst_status status = KST_ERROR_MEMORY;
        for (long n = 1; status; n++) {
            struct failing failing = {.ever_after = true};
            kst_context_options options;
            kst_context *context;
            atomic_store(&failing.failing, n);
            kst_context_options_init(&options);
            options.device = "cpu";
            options.threads = threads;
            options.allocator = (kst_allocator){failing_allocate, failing_release, &failing};
            status = kst_context_create(&options, &context);
            if (status) {
                assert_int_equal(status, KST_ERROR_MEMORY);
                assert_null(context);
                assert_true(n < 20);
            }
            kst_context_destroy(&context);
            assert_int_equal(atomic_load(&failing.live), 0);
        }
    }
}

/* In a batch the item that lacks memory fails, or none. */
static void batches(void **state)
{
    const struct recipe recipe = {.width = 120, .height = 90, FACTORS};
    struct stream stream = make_stream(&recipe);
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context(&failing, 2);
    long idle = atomic_load(&failing.live);
    (void)state;
    for (long n = 1; n < 40; n++) {
        kst_decode_item item[4];
        kst_image image[4];
        uint32_t failed = 0;
        memset(item, 0, sizeof item);
        for (uint32_t i = 0; i < 4; i++) {
            kst_image_init(&image[i]);
            item[i].data = stream.data;
            item[i].length = stream.length;
            item[i].image = &image[i];
        }
        atomic_store(&failing.calls, 0);
        atomic_store(&failing.failing, n);
        kst_status status = kst_decode_batch(context, item, 4);
        for (uint32_t i = 0; i < 4; i++) {
            failed += item[i].report.status == KST_ERROR_MEMORY;
            assert_true(!item[i].report.status || item[i].report.status == KST_ERROR_MEMORY);
            kst_image_release(context, &image[i]);
        }
        assert_int_equal(failed, status ? 1 : 0);
        assert_int_equal(atomic_load(&failing.live), idle);
    }
    kst_context_destroy(&context);
    free(stream.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding),
        cmocka_unit_test(making_contexts),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
