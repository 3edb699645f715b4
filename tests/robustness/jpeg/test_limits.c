/* SPDX-License-Identifier: BSD-2-Clause */
/* Small streams that ask for much: each meets its limit, quickly, or is decoded in a bounded time. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/bytes.h"
#include "support/context.h"
#include "support/counting_allocator.h"
#include "support/machines.h"
#include "support/test.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* other programs on the machine do not count */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static kst_status decode_with(
    const kst_limits *limits, const struct bytes *bytes, const kst_decode_options *options, kst_report *report)
{
    kst_context *context = context_create("cpu", 1, limits);
    kst_image image;
    kst_image_init(&image);
    kst_report_init(report);
    kst_status status = kst_decode(context, bytes->data, bytes->length, options, &image, report);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
    return status;
}

static void expect(const kst_limits *limits, const struct bytes *bytes, kst_status expected)
{
    kst_report report;
    double start = seconds();
    kst_status status = decode_with(limits, bytes, NULL, &report);
    if (status != expected)
        fail_msg("%s instead of %s: %s", kst_status_name(status), kst_status_name(expected), report.message);
    assert_int_equal(report.status, expected);
    assert_true(seconds() - start < (SANITIZED ? 10.0 : 1.0));
}

static void too_many_pixels(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC0, 65500, 65500, 3, NULL);
    put_scan(&b, 0, 3, 0, 63, 0, 0);
    put_zeros(&b, 10);
    put_marker(&b, 0xD9);
    expect(NULL, &b, KST_ERROR_LIMIT_PIXELS);
    expect(&(kst_limits){.pixels = UINT64_MAX}, &b, KST_ERROR_LIMIT_MEMORY);
    bytes_free(&b);

    put_start(&b);
    put_frame(&b, 0xC0, 100, 50, 1, NULL);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    put_zeros(&b, 100);
    put_marker(&b, 0xD9);
    expect(&(kst_limits){.pixels = 4999}, &b, KST_ERROR_LIMIT_PIXELS);
    expect(&(kst_limits){.pixels = 5000}, &b, KST_OK);
    bytes_free(&b);
}

/* The height comes from a DNL segment (B.2.5); it counts too. */
static void too_many_lines(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC0, 65500, 0, 1, NULL);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    put_zeros(&b, 10);
    put_segment(&b, 0xDC, "\xFF\x00", 2);
    put_marker(&b, 0xD9);
    expect(NULL, &b, KST_ERROR_LIMIT_PIXELS);
    bytes_free(&b);
}

static void too_many_scans(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC2, 64, 64, 1, NULL);
    put_scan(&b, 0, 1, 0, 0, 0, 0);
    for (uint32_t i = 0; i < 999; i++)
        put_scan(&b, 0, 1, 1, 63, 0, 0);
    put_marker(&b, 0xD9);
    expect(NULL, &b, KST_ERROR_LIMIT_SCANS);
    expect(&(kst_limits){.scans = 999}, &b, KST_ERROR_LIMIT_SCANS);
    expect(&(kst_limits){.scans = 1000}, &b, KST_OK);
    bytes_free(&b);
}

static void too_many_markers(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    for (uint32_t i = 0; i < 20000; i++)
        put_segment(&b, 0xFE, NULL, 0);
    put_frame(&b, 0xC0, 8, 8, 1, NULL);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    put_zeros(&b, 2);
    put_marker(&b, 0xD9);
    expect(NULL, &b, KST_ERROR_LIMIT_MARKERS);
    expect(&(kst_limits){.markers = 20007}, &b, KST_OK);
    expect(&(kst_limits){.markers = 20006}, &b, KST_ERROR_LIMIT_MARKERS);
    bytes_free(&b);
}

static void too_much_metadata(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    for (uint32_t i = 0; i < 4; i++)
        put_segment(&b, 0xE5, NULL, 50000);
    put_frame(&b, 0xC0, 8, 8, 1, NULL);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    put_zeros(&b, 2);
    put_marker(&b, 0xD9);
    expect(&(kst_limits){.metadata = 199999}, &b, KST_ERROR_LIMIT_METADATA);
    expect(&(kst_limits){.metadata = 200000}, &b, KST_OK);
    bytes_free(&b);
}

/* The memory for one decoding, the picture itself included, never exceeds the limit. */
static void check_memory(const struct bytes *bytes, bool orient)
{
    uint32_t refused = 0, decoded = 0;
    for (uint64_t limit = 1 << 16; limit < 1 << 25; limit += limit / 3) {
        struct counter counter = {0};
        kst_context_options options;
        kst_context *context;
        kst_image image;
        kst_decode_options decode_options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.threads = 1;
        options.allocator = (kst_allocator){counting_allocate, counting_release, &counter};
        options.limits.memory = limit;
        assert_int_equal(kst_context_create(&options, &context), KST_OK);
        kst_decode_options_init(&decode_options);
        decode_options.orient = orient;
        kst_image_init(&image);
        size_t before = counter.now;
        counter.most = before;
        kst_status status = kst_decode(context, bytes->data, bytes->length, &decode_options, &image, NULL);
        assert_true(!status || status == KST_ERROR_LIMIT_MEMORY);
        refused += status ? 1 : 0;
        decoded += status ? 0 : 1;
        if (counter.most - before > limit + (1 << 14)) /* the decoder itself */
            fail_msg("%zu bytes were allocated, the limit is %llu", counter.most - before, (unsigned long long)limit);
        kst_image_release(context, &image);
        kst_context_destroy(&context);
        assert_int_equal(counter.now, 0);
    }
    assert_true(refused > 3 && decoded > 3);
}

static void too_much_memory(void **state)
{
    static const uint8_t exif[] = {
        'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0};
    struct bytes b = {0};
    (void)state;
    for (uint8_t frame = 0xC0; frame <= 0xC2; frame += 2) {
        put_start(&b);
        put_segment(&b, 0xE1, exif, sizeof exif);
        put_frame(&b, frame, 1000, 500, 3, NULL);
        put_scan(&b, 0, 3, 0, frame == 0xC0 ? 63 : 0, 0, 0);
        put_zeros(&b, 2000);
        put_marker(&b, 0xD9);
        check_memory(&b, false);
        check_memory(&b, true);
        bytes_free(&b);
    }
}

static void check_time(const struct bytes *bytes, const kst_decode_options *options, double most)
{
    kst_report report;
    double start = seconds();
    kst_status status = decode_with(NULL, bytes, options, &report);
    double used = seconds() - start;
    if (status || report.warnings == 0)
        fail_msg("%s", report.message);
    if (used > most * (SANITIZED ? 10 : 1))
        fail_msg("%.2f seconds", used);
}

/* Five hundred scans of a large picture, without any data or with a little. */
static void scans_without_data(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++) {
        struct bytes b = {0};
        kst_decode_options options;
        put_start(&b);
        put_frame(&b, 0xC2, SANITIZED ? 8192 : 32768, 4096, 1, NULL);
        if (kind > 0)
            put_restart_interval(&b, 1);
        put_scan(&b, 0, 1, 0, 0, 0, 0);
        for (uint32_t i = 1; i < 500; i++) {
            put_scan(&b, 0, 1, 1, 63, 0, 0);
            if (kind == 2)
                put_zeros(&b, 1);
        }
        put_marker(&b, 0xD9);
        kst_decode_options_init(&options);
        options.reduce = 3;
        check_time(&b, &options, 1.5);
        bytes_free(&b);
    }
}

/* Millions of restart intervals that are not there. */
static void lost_intervals(void **state)
{
    struct bytes b = {0};
    kst_decode_options options;
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC0, 32768, SANITIZED ? 2048 : 16384, 1, NULL);
    put_restart_interval(&b, 1);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    put_zeros(&b, 3);
    put_marker(&b, 0xD9);
    kst_decode_options_init(&options);
    options.reduce = 3;
    check_time(&b, &options, 1.0);
    options.region = (kst_region){4000, SANITIZED ? 255 : 2040, 20, 1};
    check_time(&b, &options, 0.5);
    bytes_free(&b);
}

/* Restart markers alone, which are no marker segments: a million of them. */
static void restart_markers(void **state)
{
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC0, 4096, 1024, 1, NULL);
    put_restart_interval(&b, 1);
    put_scan(&b, 0, 1, 0, 63, 0, 0);
    for (uint32_t i = 0; i < 1000000; i++)
        put_marker(&b, (uint8_t)(0xD0 + i % 3 * 5 % 8));
    put_marker(&b, 0xD9);
    check_time(&b, NULL, 1.0);
    bytes_free(&b);
}

/* Scans that each bring their own Huffman table: more than an index of 16 bits tells apart. */
static void huffman_tables_without_end(void **state)
{
    static const uint8_t table[] = {0x10, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x01};
    const kst_limits limits = {.scans = UINT32_MAX, .markers = UINT32_MAX};
    struct bytes b = {0};
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC2, 8, 8, 1, NULL);
    put_scan(&b, 0, 1, 0, 0, 0, 0);
    for (uint32_t i = 0; i < 66000; i++) {
        put_segment(&b, 0xC4, table, sizeof table);
        put_scan(&b, 0, 1, 1, 63, 0, 0);
    }
    put_marker(&b, 0xD9);
    expect(&limits, &b, KST_ERROR_LIMIT_SCANS);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_pixels),
        cmocka_unit_test(too_many_lines),
        cmocka_unit_test(too_many_scans),
        cmocka_unit_test(too_many_markers),
        cmocka_unit_test(too_much_metadata),
        cmocka_unit_test(too_much_memory),
        cmocka_unit_test(scans_without_data),
        cmocka_unit_test(lost_intervals),
        cmocka_unit_test(restart_markers),
        cmocka_unit_test(huffman_tables_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
