/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes streams, and compares everything that a caller can see of the results. */
#include "support/outcome.h"

#include <string.h>

#include "support/pixels.h"
#include "support/test.h"

/*
 * Add a row to a hash, eight bytes at a time: sanitizers check each access, and hashes of whole pictures take much of
 * the time of long tests.
 */
static uint64_t add_row(uint64_t sum, const uint8_t *row, size_t length)
{
    for (size_t x = 0; x < length; x += 8) {
        uint64_t word = 0;
        memcpy(&word, row + x, length - x < 8 ? length - x : 8);
        sum = (sum ^ word) * 0x100000001B3;
        sum ^= sum >> 32;
    }
    return sum;
}

static uint64_t sum_of(const kst_image *image)
{
    uint64_t sum = 0xCBF29CE484222325;
    for (uint32_t i = 0; i < image->plane_count; i++)
        for (uint32_t y = 0; y < image->plane[i].height; y++)
            sum = add_row(sum, image_at(image, i, 0, y), (size_t)image->plane[i].width * pixel_bytes(image));
    return sum;
}

struct outcome decode_outcome(
    kst_context *context, const uint8_t *data, size_t length, const kst_decode_options *options)
{
    struct outcome outcome;
    kst_image image;
    kst_report report;
    memset(&outcome, 0, sizeof outcome);
    kst_image_init(&image);
    kst_report_init(&report);
    outcome.status = kst_decode(context, data, length, options, &image, &report);
    assert_int_equal(report.status, outcome.status);
    outcome.first_warning = report.first_warning;
    outcome.offset = report.offset;
    outcome.first_warning_offset = report.first_warning_offset;
    outcome.warnings = report.warnings;
    strcpy(outcome.message, report.message);
    if (!outcome.status) {
        outcome.width = image.width;
        outcome.height = image.height;
        outcome.pixels = sum_of(&image);
        assert_int_equal(report.warnings == 0, !report.first_warning);
    } else {
        assert_null(image.plane[0].data);
    }
    kst_image_release(context, &image);
    return outcome;
}

static void show(const char *machine, const struct outcome *o)
{
    print_error("%s: status %s, pixels %016llx, %llu warnings, first %s at %lld, \"%s\"\n", machine,
        kst_status_name(o->status), (unsigned long long)o->pixels, (unsigned long long)o->warnings,
        kst_status_name(o->first_warning), (long long)o->first_warning_offset, o->message);
}

void expect_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, const struct outcome *expected, uint32_t first, uint32_t step)
{
    for (uint32_t i = first; i < list->count; i += step) {
        struct outcome got = decode_outcome(list->context[i], data, length, options);
        if (memcmp(&got, expected, sizeof got) == 0)
            continue;
        show(list->name[0], expected);
        show(list->name[i], &got);
        fail_msg("%s: format %d, 1/%u, region %u, %u, %u×%u, strict %d", name, (int)options->format,
            1U << options->reduce, options->region.x, options->region.y, options->region.width, options->region.height,
            options->strict);
    }
}

struct outcome decode_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, uint32_t first, uint32_t step)
{
    struct outcome expected = decode_outcome(list->context[0], data, length, options);
    expect_on_all(list, name, data, length, options, &expected, first, step);
    return expected;
}
