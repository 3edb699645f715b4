/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces each sample by the median of the samples around it, as OpenCV's medianBlur() does; pixels outside the image
 * are replaced by those at its edge. A radius of 1 has loops of its own; larger radii count samples in a histogram that
 * moves along a row, or find the bits of a 16-bit median from the highest one down.
 */
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/kinds.h"

enum { VALUES = 256 };

static void small_row(const struct filter_work *work, const struct filter_window *window, uint32_t y)
{
    const struct filter_hot *hot = kst_filter_hot(work->operation->tier);
    size_t count = kst_filter_row_samples(work->to);
    uint8_t *to = kst_filter_row(work->to, y);
    const uint8_t *row[3];
    for (int k = 0; k < 3; k++)
        row[k] = kst_filter_window_row(window, (int64_t)y + k - 1);
    if (work->from->bytes == 1) {
        hot->median_8(row, to, count, (int)work->from->channels);
        return;
    }
    const uint16_t *const wide[3] = {(const uint16_t *)(const void *)row[0], (const uint16_t *)(const void *)row[1],
        (const uint16_t *)(const void *)row[2]};
    hot->median_16(wide, (uint16_t *)(void *)to, count, (int)work->from->channels);
}

/* Holds samples of one channel by value, and how many of them are below `median`. */
struct filter_histogram {
    uint32_t count[VALUES];
    uint32_t below;
    uint32_t median;
};

static void change(struct filter_histogram *histogram, uint32_t value, uint32_t by)
{
    histogram->count[value] += by;
    if (value < histogram->median)
        histogram->below += by;
}

/* Move `median` to the value that has at most `half` samples below it, and more than `half` up to it. */
static void settle(struct filter_histogram *histogram, uint32_t half)
{
    while (histogram->below > half)
        histogram->below -= histogram->count[--histogram->median];
    while (histogram->below + histogram->count[histogram->median] <= half)
        histogram->below += histogram->count[histogram->median++];
}

/* Find the rows around a row; each pointer is to a channel, at `offset`, of the row's first pixel. */
static void find_rows(const struct filter_window *window, uint32_t y, size_t offset, const uint8_t **row)
{
    for (uint32_t k = 0; k < window->count; k++)
        row[k] = kst_filter_window_row(window, (int64_t)y + k - window->radius) + offset;
}

static void histogram_row(
    const struct filter_window *window, const uint8_t *const *row, uint8_t *to, ptrdiff_t channels)
{
    struct filter_histogram histogram = {.below = 0};
    ptrdiff_t radius = (ptrdiff_t)window->radius, width = (ptrdiff_t)window->from->width;
    uint32_t half = window->count * window->count / 2;
    for (ptrdiff_t x = -radius; x < radius; x++)
        for (uint32_t k = 0; k < window->count; k++)
            change(&histogram, row[k][x * channels], 1);
    for (ptrdiff_t x = 0; x < width; x++) {
        for (uint32_t k = 0; k < window->count; k++)
            change(&histogram, row[k][(x + radius) * channels], 1);
        settle(&histogram, half);
        to[x * channels] = (uint8_t)histogram.median;
        for (uint32_t k = 0; k < window->count; k++)
            change(&histogram, row[k][(x - radius) * channels], (uint32_t)-1);
    }
}

/* Count the samples around column `x` that are below a value. */
static uint32_t count_below(
    const struct filter_window *window, const uint8_t *const *row, ptrdiff_t x, ptrdiff_t channels, uint32_t value)
{
    uint32_t count = 0;
    ptrdiff_t radius = (ptrdiff_t)window->radius;
    for (uint32_t k = 0; k < window->count; k++)
        for (ptrdiff_t i = -radius; i <= radius; i++)
            count += ((const uint16_t *)(const void *)row[k])[(x + i) * channels] < value;
    return count;
}

static void bits_row(const struct filter_window *window, const uint8_t *const *row, uint16_t *to, ptrdiff_t channels)
{
    uint32_t half = window->count * window->count / 2;
    for (ptrdiff_t x = 0; x < (ptrdiff_t)window->from->width; x++) {
        uint32_t median = 0;
        for (uint32_t bit = 1u << 15; bit > 0; bit >>= 1)
            if (count_below(window, row, x, channels, median + bit) <= half)
                median += bit;
        to[x * channels] = (uint16_t)median;
    }
}

enum { RADIUS_MAX = 15 };

static void large_row(const struct filter_work *work, const struct filter_window *window, uint32_t y)
{
    const uint8_t *row[2 * RADIUS_MAX + 1];
    uint8_t *to = kst_filter_row(work->to, y);
    for (uint32_t c = 0; c < work->from->channels; c++) {
        size_t offset = (size_t)c * work->from->bytes;
        find_rows(window, y, offset, row);
        if (work->from->bytes == 1)
            histogram_row(window, row, to + offset, (ptrdiff_t)work->from->channels);
        else
            bits_row(window, row, (uint16_t *)(void *)(to + offset), (ptrdiff_t)work->from->channels);
    }
}

static kst_status median_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const uint32_t radius = (uint32_t)work->value[0].number;
    struct filter_window window;
    kst_status status = kst_filter_window_make(work->operation->memory, work->from, radius, FILTER_REPLICATE, &window);
    (void)arg;
    for (int64_t y = (int64_t)first - radius; y < (int64_t)end + radius && !status; y++) {
        kst_filter_window_load(&window, y);
        if (y < (int64_t)first + radius)
            continue;
        if (radius == 1)
            small_row(work, &window, (uint32_t)(y - radius));
        else
            large_row(work, &window, (uint32_t)(y - radius));
    }
    kst_filter_window_drop(work->operation->memory, &window);
    return status;
}

static kst_status median_run(const struct filter_work *work)
{
    return kst_filter_bands(work, work->to->height, median_band, NULL);
}

const struct filter_kind kst_filter_median = {"median",
    "the middle one of the samples around each, which removes specks",
    {{"radius", "of the square of pixels that count", KST_FILTER_INTEGER, false, 1, RADIUS_MAX, 1, NULL}}, NULL, NULL,
    median_run};
