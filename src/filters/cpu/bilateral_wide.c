/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the filter `bilateral` on samples of more than 8 bits. A table of weights for each pair of distances would be
 * too long, so the weights of both distances are multiplied, and distances of colours are rounded where Gaussians are
 * wide.
 */
#include <math.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/bilateral.h"
#include "filters/cpu/exponential.h"
#include "filters/cpu/hot.h"

enum { COLOUR, SPACE, RADIUS };
enum { SIDE_MAX = 2 * FILTER_BILATERAL_MOST + 1, THOUSAND = 1000, ROOM = 32 /* samples on either side of a row */ };
enum { WEIGHT_ONE = 32767, GREATEST_BYTE = 255 };

/* Holds the last rows loaded, with each colour in a row of its own, and behind these a row for each colour made. */
struct wide_planes {
    uint16_t *memory;
    size_t pitch; /* samples */
    uint32_t colours, count;
};

static uint16_t *plane_row(const struct wide_planes *planes, int64_t y, uint32_t colour)
{
    size_t row = (size_t)((y + planes->count) % planes->count) * planes->colours + colour;
    return planes->memory + row * planes->pitch + ROOM;
}

static uint16_t *made_row(const struct wide_planes *planes, uint32_t colour)
{
    return planes->memory + ((size_t)planes->count * planes->colours + colour) * planes->pitch + ROOM;
}

/* Copy the colours of a loaded row, with the pixels beside it, into rows of their own. */
static void separate(const struct filter_window *window, const struct wide_planes *planes, int64_t y)
{
    const ptrdiff_t radius = (ptrdiff_t)window->radius;
    const size_t channels = window->from->channels, count = window->from->width + 2 * (size_t)radius;
    const uint16_t *row = (const uint16_t *)(const void *)kst_filter_window_row(window, y);
    for (uint32_t c = 0; c < planes->colours; c++) {
        const uint16_t *from = row - radius * (ptrdiff_t)channels + c;
        uint16_t *to = plane_row(planes, y, c) - radius;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i * channels];
    }
}

/* Interleave the colours of a row. Alpha is copied from the source. */
static void join(const struct filter_work *work, const struct wide_planes *planes, uint32_t y)
{
    const struct filter_pixels *to = work->to;
    uint8_t *row = kst_filter_row(to, y);
    if (to->channels > to->colours)
        memcpy(row, kst_filter_row(work->from, y), kst_filter_row_samples(to) * sizeof(uint16_t));
    for (uint32_t c = 0; c < planes->colours; c++) {
        const uint16_t *made = made_row(planes, c);
        for (size_t x = 0; x < to->width; x++)
            ((uint16_t *)(void *)row)[x * to->channels + c] = made[x];
    }
}

static void make_row(const struct filter_work *work, const struct filter_bilateral_wide *wide,
    const struct wide_planes *planes, uint32_t y)
{
    struct filter_wide_neighbour neighbour[SIDE_MAX * SIDE_MAX];
    struct filter_wide_row row = {.neighbour = neighbour,
        .colours = planes->colours,
        .weight = wide->colour,
        .last = (uint16_t)wide->last,
        .shift = (uint16_t)wide->shift,
        .width = work->to->width};
    for (int32_t j = -wide->radius; j <= wide->radius; j++)
        for (int32_t i = -wide->radius; i <= wide->radius; i++) {
            if (i * i + j * j > wide->radius * wide->radius)
                continue;
            struct filter_wide_neighbour *next = &neighbour[row.neighbours++];
            next->weight = wide->space[i * i + j * j];
            for (uint32_t c = 0; c < planes->colours; c++)
                next->sample[c] = plane_row(planes, (int64_t)y + j, c) + i;
        }
    for (uint32_t c = 0; c < planes->colours; c++) {
        row.own[c] = plane_row(planes, y, c);
        row.to[c] = made_row(planes, c);
    }
    kst_filter_hot(work->operation->tier)->bilateral_16(&row);
    join(work, planes, y);
}

static kst_status wide_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_bilateral_wide *wide = arg;
    const int64_t radius = wide->radius;
    struct memory *memory = work->operation->memory;
    struct filter_window window;
    struct wide_planes planes = {.colours = work->from->colours, .count = 2 * (uint32_t)radius + 1};
    kst_status status = kst_filter_window_make(memory, work->from, (uint32_t)radius, FILTER_REFLECT, &window);
    if (status)
        return status;
    planes.pitch = ((size_t)work->from->width / ROOM + 3) * ROOM;
    planes.memory = kst_memory_zeroed(
        memory, ((size_t)planes.count + 1) * planes.colours, planes.pitch * sizeof *planes.memory, &status);
    for (int64_t y = first - radius; y < end + radius && !status; y++) {
        kst_filter_window_load(&window, y);
        separate(&window, &planes, y);
        if (y >= first + radius)
            make_row(work, wide, &planes, (uint32_t)(y - radius));
    }
    kst_memory_release(memory, planes.memory);
    kst_filter_window_drop(memory, &window);
    return status;
}

/* Return the least shift with which the table reaches a distance whose weight is 0, or the greatest distance. */
static uint32_t shift_of(double deviation, double greatest)
{
    uint32_t shift = 0;
    for (;; shift++) {
        double reach = (double)((FILTER_BILATERAL_STEPS - 1) << shift);
        if (reach >= greatest || WEIGHT_ONE * kst_filter_exp(-reach * reach / (2 * deviation * deviation)) < 0.5)
            return shift;
    }
}

/*
 * Write the Gaussian of the distances i × step up to the first one that is 0. The ratio of neighbouring values changes
 * by the same factor each time, so that no value takes more than two products.
 */
static uint32_t write_gaussian(double step, double deviation, uint16_t *weight)
{
    const double square = step * step / (2 * deviation * deviation), factor = kst_filter_exp(-2 * square);
    double value = WEIGHT_ONE, ratio = kst_filter_exp(-square);
    uint32_t last = 0;
    memset(weight, 0, FILTER_BILATERAL_STEPS * sizeof *weight);
    weight[0] = WEIGHT_ONE;
    while (last + 1 < FILTER_BILATERAL_STEPS && weight[last] > 0) {
        value *= ratio;
        ratio *= factor;
        weight[++last] = (uint16_t)rint(value);
    }
    return last;
}

void kst_filter_bilateral_settle(
    const struct filter_value *value, uint32_t colours, uint32_t greatest, struct filter_bilateral_wide *wide)
{
    const double space = (double)value[SPACE].number / THOUSAND;
    const double deviation = (double)value[COLOUR].number / THOUSAND * greatest / GREATEST_BYTE;
    wide->radius = kst_filter_bilateral_radius(value);
    for (int32_t square = 0; square <= wide->radius * wide->radius; square++)
        wide->space[square] = (uint16_t)rint(WEIGHT_ONE * kst_filter_exp(-square / (2 * space * space)));
    wide->shift = shift_of(deviation, (double)colours * greatest);
    wide->last = write_gaussian((double)(1u << wide->shift), deviation, wide->colour);
}

kst_status kst_filter_bilateral_run_wide(const struct filter_work *work)
{
    struct filter_bilateral_wide wide;
    kst_filter_bilateral_settle(work->value, work->from->colours, work->from->greatest, &wide);
    return kst_filter_bands(work, work->to->height, wide_band, &wide);
}
