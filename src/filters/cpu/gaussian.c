/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blurs by a Gaussian in fixed point, first horizontally and then vertically. For samples of 8 bits the result is that
 * of OpenCV's GaussianBlur(): its weights with 8 fractional bits are rounded from the outermost one inwards, each with
 * the error carried over from those before, and the middle one takes the rest.
 */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "filters/bands.h"
#include "filters/cpu/blur.h"
#include "filters/cpu/exponential.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/kinds.h"

enum { THOUSAND = 1000, ALIGNMENT = 64 };

/* Return the radius that covers three standard deviations, four for samples of 16 bits. */
static uint32_t radius_of(uint32_t sigma, uint32_t bytes)
{
    uint32_t reach = bytes == 1 ? 3 : 4, size = (2 * reach * sigma + THOUSAND + THOUSAND / 2) / THOUSAND;
    uint32_t radius = (size | 1) / 2;
    return radius < 1 ? 1 : radius > FILTER_BLUR_RADIUS_MAX ? FILTER_BLUR_RADIUS_MAX : radius;
}

void kst_filter_taps(uint32_t sigma, uint32_t radius, uint32_t bytes, struct filter_taps *taps)
{
    double weight[FILTER_BLUR_RADIUS_MAX + 1], total = 0, error = 0, s = (double)sigma / THOUSAND;
    taps->radius = radius > 0 ? radius : radius_of(sigma, bytes);
    taps->bits = bytes == 1 ? 8 : 16;
    uint32_t rest = 1u << taps->bits, last = 2 * taps->radius;
    for (uint32_t i = 0; i <= taps->radius; i++) {
        double x = (double)taps->radius - i;
        weight[i] = kst_filter_exp(-x * x / (2 * s * s));
        total += i < taps->radius ? 2 * weight[i] : weight[i];
    }
    for (uint32_t i = 0; i < taps->radius; i++) {
        double wanted = weight[i] / total * (1u << taps->bits) + error;
        taps->tap[i] = taps->tap[last - i] = (uint32_t)rint(wanted);
        error = wanted - taps->tap[i];
        rest -= 2 * taps->tap[i];
    }
    taps->tap[taps->radius] = rest;
}

struct filter_blur {
    const struct filter_taps *taps;
    const struct filter_hot *hot;
};

/* Holds the last 2 × radius + 2 rows of a band that were blurred horizontally. */
struct filter_sums {
    uint8_t *memory;
    size_t pitch;
    uint32_t count;
};

static uint8_t *sums_row(const struct filter_sums *sums, int64_t y)
{
    return sums->memory + (size_t)((y + sums->count) % sums->count) * sums->pitch;
}

static void go_across(
    const struct filter_blur *blur, const struct filter_window *line, const struct filter_sums *sums, int64_t y)
{
    const struct filter_taps *taps = blur->taps;
    size_t count = kst_filter_row_samples(line->from);
    const uint8_t *from = kst_filter_window_row(line, y);
    void *to = sums_row(sums, y);
    if (line->from->bytes == 1)
        blur->hot->across_8(from, to, count, taps->tap, (int)taps->radius, (int)line->from->channels);
    else
        blur->hot->across_16(
            (const uint16_t *)(const void *)from, to, count, taps->tap, (int)taps->radius, (int)line->from->channels);
}

/* Make a row of the result, and with `two` also the next one (samples of 8 bits only). */
static void go_down(const struct filter_work *work, const struct filter_blur *blur, const struct filter_sums *sums,
    uint32_t y, bool two)
{
    const void *row[2 * FILTER_BLUR_RADIUS_MAX + 2];
    const struct filter_taps *taps = blur->taps;
    size_t count = kst_filter_row_samples(work->to);
    uint8_t *const to[2] = {kst_filter_row(work->to, y), two ? kst_filter_row(work->to, y + 1) : NULL};
    for (uint32_t k = 0; k <= 2 * taps->radius + 1; k++)
        row[k] = sums_row(sums, (int64_t)y + k - taps->radius);
    if (work->to->bytes == 1)
        blur->hot->down_8((const uint16_t *const *)row, to, count, taps->tap, (int)taps->radius);
    else
        blur->hot->down_16(
            (const uint32_t *const *)row, (uint16_t *)(void *)to[0], count, taps->tap, (int)taps->radius);
}

/* Make the rows of a band, two at once if samples are bytes. */
static void blur_rows(const struct filter_work *work, const struct filter_blur *blur, const struct filter_window *line,
    const struct filter_sums *sums, int64_t first, int64_t end)
{
    const int64_t radius = blur->taps->radius;
    int64_t loaded = first - radius;
    for (int64_t y = first; y < end; y++) {
        bool two = work->to->bytes == 1 && y + 1 < end;
        for (; loaded <= y + two + radius; loaded++) {
            kst_filter_window_load(line, loaded);
            go_across(blur, line, sums, loaded);
        }
        go_down(work, blur, sums, (uint32_t)y, two);
        y += two;
    }
}

static kst_status blur_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_blur *blur = arg;
    struct memory *memory = work->operation->memory;
    struct filter_window line;
    struct filter_sums sums = {.count = 2 * blur->taps->radius + 2};
    kst_status status = kst_filter_window_make(memory, work->from, blur->taps->radius, FILTER_REFLECT, &line);
    if (status)
        return status;
    sums.pitch = (kst_filter_row_samples(work->from) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT * 2 * work->from->bytes;
    sums.memory = kst_memory_zeroed(memory, sums.count, sums.pitch, &status);
    if (!status)
        blur_rows(work, blur, &line, &sums, first, end);
    kst_memory_release(memory, sums.memory);
    kst_filter_window_drop(memory, &line);
    return status;
}

kst_status kst_filter_blur(const struct filter_work *work, const struct filter_taps *taps)
{
    struct filter_blur blur = {taps, kst_filter_hot(work->operation->tier)};
    return kst_filter_bands(work, work->to->height, blur_band, &blur);
}

static kst_status gaussian_run(const struct filter_work *work)
{
    struct filter_taps taps;
    kst_filter_taps((uint32_t)work->value[0].number, (uint32_t)work->value[1].number, work->from->bytes, &taps);
    return kst_filter_blur(work, &taps);
}

const struct filter_kind kst_filter_gaussian = {"gaussian", "blur",
    {{"sigma", "the standard deviation in pixels", KST_FILTER_DECIMAL, false, 0.1, 40, 1, NULL},
        {"radius", "the farthest pixel that counts; 0: three times sigma, four with 16 bits", KST_FILTER_INTEGER, false,
            0, FILTER_BLUR_RADIUS_MAX, 0, NULL}},
    NULL, NULL, gaussian_run};
