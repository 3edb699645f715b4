/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes pictures for tests of filters, and compares the results with models in floating-point numbers. */
#include "support/filters/modelled.h"

#include <math.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

const kst_format formats[FORMATS] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA};
const uint32_t depths[FORMATS] = {8, 16, 12, 5, 1};

uint32_t picture_get(const struct picture *picture, uint32_t x, uint32_t y, uint32_t c)
{
    const kst_plane *plane = &picture->image.plane[0];
    const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    size_t at = (size_t)x * kst_format_channels(picture->image.format) + c;
    return plane->depth > 8 ? ((const uint16_t *)(const void *)row)[at] : row[at];
}

static void picture_set(struct picture *picture, uint32_t x, uint32_t y, uint32_t c, uint32_t value)
{
    const kst_plane *plane = &picture->image.plane[0];
    uint8_t *row = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    size_t at = (size_t)x * kst_format_channels(picture->image.format) + c;
    if (plane->depth > 8)
        ((uint16_t *)(void *)row)[at] = (uint16_t)value;
    else
        row[at] = (uint8_t)value;
}

static void describe(struct picture *picture, kst_format format, uint32_t width, uint32_t height, uint32_t depth)
{
    uint32_t channels = kst_format_channels(format), bytes = depth > 8 ? 2 : 1;
    kst_image_init(&picture->image);
    picture->image.format = format;
    picture->image.width = width;
    picture->image.height = height;
    picture->image.plane_count = 1;
    picture->image.plane[0] = (kst_plane){.data = picture->samples,
        .pitch = (ptrdiff_t)((width + PADDING) * channels * bytes),
        .width = width,
        .height = height,
        .depth = (uint8_t)depth};
    assert_true((width + PADDING) * channels * height <= MOST);
}

void picture_make(struct picture *picture, kst_format format, uint32_t depth)
{
    uint32_t greatest = (1u << depth) - 1;
    describe(picture, format, WIDTH, HEIGHT, depth);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < kst_format_channels(format); c++)
                picture_set(picture, x, y, c,
                    (x * greatest / WIDTH + (y / 9 + c) % 3 * greatest / 4 + next_random() % (greatest / 9 + 1)) &
                        greatest);
}

void picture_apply(kst_context *context, const char *chain, const struct picture *from, struct picture *to)
{
    kst_filter *filter;
    kst_report report;
    kst_image described;
    kst_report_init(&report);
    if (kst_filter_open(context, chain, &filter, &report))
        fail_msg("%s: %s", chain, report.message);
    if (kst_filter_describe(filter, &from->image, &described, &report))
        fail_msg("%s: %s", chain, report.message);
    describe(to, described.format, described.width, described.height, described.plane[0].depth);
    if (kst_filter_run(filter, &from->image, &to->image, &report))
        fail_msg("%s: %s", chain, report.message);
    kst_filter_close(&filter);
}

static void compare(const char *chain, const struct picture *from, const struct picture *to, model wanted)
{
    for (uint32_t y = 0; y < to->image.height; y++)
        for (uint32_t x = 0; x < to->image.width; x++)
            for (uint32_t c = 0; c < kst_format_channels(to->image.format); c++) {
                double within = 0.5001, value = wanted(from, x, y, c, &within);
                if (fabs(value - picture_get(to, x, y, c)) > within)
                    fail_msg("%s, format %d of %u bits: sample %u of (%u, %u) is %u, not %.3f", chain,
                        (int)from->image.format, from->image.plane[0].depth, c, x, y, picture_get(to, x, y, c), value);
            }
}

void check_model(const char *chain, kst_format format, uint32_t depth, model wanted)
{
    static struct picture from, to;
    picture_make(&from, format, depth);
    for (uint32_t i = 0; i < contexts.count; i++) {
        picture_apply(contexts.context[i], chain, &from, &to);
        compare(chain, &from, &to, wanted);
    }
}

void check_chains(const char *chain, const char *other, kst_format format, uint32_t depth)
{
    static struct picture from, to, wanted;
    picture_make(&from, format, depth);
    for (uint32_t i = 0; i < contexts.count; i++) {
        picture_apply(contexts.context[i], chain, &from, &to);
        picture_apply(contexts.context[i], other, &from, &wanted);
        assert_int_equal(to.image.width, wanted.image.width);
        assert_int_equal(to.image.height, wanted.image.height);
        assert_int_equal(to.image.format, wanted.image.format);
        for (uint32_t y = 0; y < to.image.height; y++)
            for (uint32_t x = 0; x < to.image.width; x++)
                for (uint32_t c = 0; c < kst_format_channels(to.image.format); c++)
                    if (picture_get(&to, x, y, c) != picture_get(&wanted, x, y, c))
                        fail_msg("%s and %s, %u bits: sample %u of (%u, %u) is %u and %u", chain, other, depth, c, x, y,
                            picture_get(&to, x, y, c), picture_get(&wanted, x, y, c));
    }
}

uint32_t picture_colour(const struct picture *from, uint32_t x, uint32_t y, uint32_t which)
{
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    return picture_get(from, x, y, reversed ? 2 - which : which);
}
