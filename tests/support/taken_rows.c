/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the rows that a decoder passes to a function, and compares them with the whole picture. */
#include "support/taken_rows.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static size_t row_bytes(const kst_image *image, uint32_t plane)
{
    uint32_t channels = kst_format_channels(image->format);
    size_t sample = image->plane[plane].sample == KST_SAMPLE_FLOAT32 ? 4 : image->plane[plane].depth > 8 ? 2 : 1;
    return (size_t)image->plane[plane].width * (channels ? channels : 1) * sample;
}

bool rows_take(void *user, uint32_t y, const kst_image *rows)
{
    struct taken_rows *target = user;
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

kst_status rows_decode(kst_context *context, const kst_buffer *stream, const kst_decode_options *options,
    struct taken_rows *target, kst_report *report)
{
    const kst_row_writer writer = {
        .size = sizeof writer, .write = rows_take, .user = target, .in_order = target->in_order};
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

void rows_free(struct taken_rows *target)
{
    free(target->data);
    free(target->times);
}

uint32_t rows_check(kst_context *context, const kst_buffer *stream, const kst_decode_options *options)
{
    uint32_t calls = 0;
    kst_image whole;
    kst_report report, of_rows;
    kst_report_init(&report);
    kst_image_init(&whole);
    assert_int_equal(kst_decode(context, stream->data, stream->length, options, &whole, &report), KST_OK);
    for (int order = 0; order < 2; order++) {
        struct taken_rows target = {.in_order = order, .fail_at = UINT32_MAX};
        assert_int_equal(rows_decode(context, stream, options, &target, &of_rows), KST_OK);
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
        calls = target.calls;
        rows_free(&target);
    }
    kst_image_release(context, &whole);
    return calls;
}
