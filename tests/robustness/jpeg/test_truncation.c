/* SPDX-License-Identifier: BSD-2-Clause */
/* Valid streams cut off at every byte: a warning or an error, the same on every machine, and no byte read behind. */
#include <stdlib.h>
#include <string.h>

#include "support/jpeg/streams.h"
#include "support/outcome.h"
#include "support/test.h"

static bool has_all_data(const struct stream *stream, size_t length)
{
    return length >= stream->length - 2; /* all but EOI */
}

static void check_length(const struct stream *stream, size_t length, const kst_decode_options *options)
{
    uint8_t *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, stream->data, length);
    struct outcome outcome = decode_on_all(
        &contexts, "a truncated stream", exact, length, options, 1 + (uint32_t)length % 3, SANITIZED ? 5 : 3);
    if (!outcome.status) {
        assert_true(outcome.warnings > 0);
        if (has_all_data(stream, length))
            assert_int_equal(outcome.first_warning, KST_WARNING_JPEG_NO_EOI);
    } else if (!options->strict) {
        bool before_scan = outcome.status == KST_ERROR_TRUNCATED || outcome.status == KST_ERROR_JPEG_NO_SCAN ||
                           outcome.status == KST_ERROR_JPEG_NO_FRAME || outcome.status == KST_ERROR_JPEG_SOI ||
                           outcome.status == KST_ERROR_EMPTY;
        if (!before_scan)
            fail_msg("%zu bytes: %s", length, outcome.message);
    }
    free(exact);
}

static const kst_scan by_component[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};

static void every_byte(void **state)
{
#define FACTORS .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = { 2, 1, 1 }
    static const struct recipe recipes[] = {
        {.width = 37, .height = 41, FACTORS, .quality = 40},
        {.width = 37, .height = 41, FACTORS, .quality = 40, .restart = {KST_RESTART_MCUS, 2}},
        {.width = 37, .height = 41, FACTORS, .quality = 40, .coding = KST_CODING_PROGRESSIVE},
        {.width = 37,
            .height = 41,
            FACTORS,
            .quality = 40,
            .script = by_component,
            .script_length = COUNT(by_component)},
        {.width = 200, .height = 136, .colour = KST_COLOUR_GREY, .quality = 5},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(recipes); i++) {
        struct stream stream = make_stream(&recipes[i]);
        for (size_t length = 0; length < stream.length; length++) {
            kst_decode_options options;
            if (SANITIZED && length % 11 != i)
                continue;
            kst_decode_options_init(&options);
            options.strict = length % 11 == 0;
            check_length(&stream, length, &options);
        }
        free(stream.data);
    }
}

/* All but strict decoding gives the picture as far as there are data. */
static void rows_that_are_there(void **state)
{
    static const struct recipe recipe = {.width = 320, .height = 320, FACTORS};
    struct stream stream = make_stream(&recipe);
    kst_context *context = contexts.context[contexts.count - 1];
    kst_image whole, half;
    kst_report report;
    (void)state;
    kst_image_init(&whole);
    kst_image_init(&half);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, stream.data, stream.length, NULL, &whole, NULL), KST_OK);
    assert_int_equal(kst_decode(context, stream.data, stream.length / 2, NULL, &half, &report), KST_OK);
    assert_true(report.warnings > 0);
    assert_true(report.first_warning_offset <= stream.length / 2);
    size_t rows = 0;
    while (
        rows < 320 && memcmp((uint8_t *)whole.plane[0].data + (ptrdiff_t)rows * whole.plane[0].pitch,
                          (uint8_t *)half.plane[0].data + (ptrdiff_t)rows * half.plane[0].pitch, (size_t)3 * 320) == 0)
        rows++;
    assert_in_range(rows, 100, 250);
    kst_image_release(context, &whole);
    kst_image_release(context, &half);
    free(stream.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte),
        cmocka_unit_test(rows_that_are_there),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
