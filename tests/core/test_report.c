/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests reports: messages, offsets, warnings and their counts. */
#include "core/report.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static void test_init(void **state)
{
    (void)state;
    kst_report report;
    memset(&report, 0xFF, sizeof report);
    kst_report_init(&report);
    assert_int_equal(report.size, sizeof report);
    assert_int_equal(report.status, KST_OK);
    assert_true(report.offset == UINT64_MAX);
    assert_true(report.first_warning_offset == UINT64_MAX);
    assert_string_equal(report.message, "");
    kst_report_init(NULL);
}

static void test_first_error_wins(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_report_error(&report, KST_ERROR_JPEG_SOI, 12, "found 0x%02X", 0xABu), KST_ERROR_JPEG_SOI);
    assert_int_equal(kst_report_error(&report, KST_ERROR_MEMORY, 99, NULL), KST_ERROR_JPEG_SOI);
    assert_int_equal(report.status, KST_ERROR_JPEG_SOI);
    assert_int_equal(report.offset, 12);
    char wanted[192];
    snprintf(wanted, sizeof wanted, "%s: found 0xAB (at byte 12)", kst_status_text(KST_ERROR_JPEG_SOI));
    assert_string_equal(report.message, wanted);
    assert_int_equal(kst_report_error(NULL, KST_ERROR_MEMORY, 0, NULL), KST_ERROR_MEMORY);
}

static void test_error_without_offset(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    kst_report_error(&report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    assert_string_equal(report.message, kst_status_text(KST_ERROR_MEMORY));
}

static void test_long_message_keeps_offset(void **state)
{
    (void)state;
    char detail[400];
    memset(detail, 'x', sizeof detail - 1);
    detail[sizeof detail - 1] = '\0';
    for (size_t length = 80; length < sizeof detail - 1; length++) {
        kst_report report;
        kst_report_init(&report);
        kst_report_error(&report, KST_ERROR_JPEG_SOI, UINT64_MAX - 1, "%.*s", (int)length, detail);
        assert_true(strlen(report.message) < sizeof report.message);
        assert_non_null(strstr(report.message, "x (at byte 18446744073709551614)"));
    }
}

static void test_warnings(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_report_warning(&report, KST_WARNING_JPEG_NO_EOI, KST_NO_OFFSET, 1, false), KST_OK);
    assert_int_equal(kst_report_warning(&report, KST_WARNING_JPEG_CODE, 500, 3, false), KST_OK);
    assert_int_equal(kst_report_warning(&report, KST_WARNING_JPEG_RESTART, 700, 1, false), KST_OK);
    assert_int_equal(kst_report_warning(&report, KST_WARNING_JPEG_ADOBE, 2, 0, true), KST_OK);
    assert_int_equal(report.warnings, 5);
    assert_int_equal(report.first_warning, KST_WARNING_JPEG_CODE);
    assert_int_equal(report.first_warning_offset, 500);
    assert_int_equal(report.status, KST_OK);
    char wanted[192];
    snprintf(wanted, sizeof wanted, "%s (at byte 500)", kst_status_text(KST_WARNING_JPEG_CODE));
    assert_string_equal(report.message, wanted);

    kst_report_error(&report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    kst_report_warning(&report, KST_WARNING_JPEG_ADOBE, 2, 1, false);
    assert_string_equal(report.message, kst_status_text(KST_ERROR_MEMORY));
    assert_int_equal(report.first_warning, KST_WARNING_JPEG_ADOBE);
}

static void test_strict(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_report_warning(&report, KST_WARNING_JPEG_CODE, 5, 2, true), KST_WARNING_JPEG_CODE);
    assert_int_equal(report.status, KST_WARNING_JPEG_CODE);
    assert_int_equal(report.offset, 5);
    assert_int_equal(report.warnings, 2);
    assert_int_equal(kst_report_warning(NULL, KST_WARNING_JPEG_CODE, 5, 2, true), KST_WARNING_JPEG_CODE);
    assert_int_equal(kst_report_warning(NULL, KST_WARNING_JPEG_CODE, 5, 2, false), KST_OK);
}

static void test_stages(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    double start = kst_seconds();
    assert_true(kst_seconds() >= start);
    kst_report_stage(&report, KST_STAGE_PARSE, KST_DEVICE_CPU, start - 1);
    kst_report_stage(&report, KST_STAGE_PARSE, KST_DEVICE_CPU, start - 2);
    assert_int_equal(report.stage_device[KST_STAGE_PARSE], KST_DEVICE_CPU);
    assert_true(report.stage_seconds[KST_STAGE_PARSE] >= 3 && report.stage_seconds[KST_STAGE_PARSE] < 60);
    assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_NONE);
}

static void test_copy_respects_size(void **state)
{
    (void)state;
    kst_report from;
    kst_report_init(&from);
    kst_report_error(&from, KST_ERROR_MEMORY, 7, NULL);
    from.threads = 3;

    kst_report to;
    memset(&to, 0x11, sizeof to);
    to.size = offsetof(kst_report, warnings);
    kst_report_copy(&to, &from);
    assert_int_equal(to.size, offsetof(kst_report, warnings));
    assert_int_equal(to.status, KST_ERROR_MEMORY);
    assert_int_equal(to.offset, 7);
    assert_true(to.warnings == UINT64_C(0x1111111111111111));

    to.size = sizeof to;
    kst_report_copy(&to, &from);
    assert_memory_equal(&to, &from, sizeof to);

    memset(&to, 0x11, sizeof to);
    to.size = 0;
    kst_report_copy(&to, &from);
    assert_int_equal(to.size, 0);
    assert_true(to.offset == UINT64_C(0x1111111111111111));
    kst_report_copy(NULL, &from);
    kst_report_copy(&from, &from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_error_without_offset),
        cmocka_unit_test(test_long_message_keeps_offset),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_copy_respects_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
