/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paints as if in oil: each pixel becomes the mean of those pixels in a square around it that have the most common
 * luminance there. Luminance of 8 bits is divided by a ratio and rounded; the darkest of equally common values counts,
 * and pixels outside the image do not. OpenCV's oilPainting() of its module xphoto gives the same bytes.
 */
#include "filters/cpu/oil.h"
#include "filters/bands.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"

enum { RADIUS, RATIO };
enum { BYTE = 255 };

/* Holds the bins of all pixels' luminance, row by row without padding. */
struct filter_oil {
    uint8_t *bins;
    uint8_t bin[FILTER_OIL_BINS]; /* bin of each luminance of 8 bits */
    uint32_t radius;
};

/* List the bin of each luminance: the quotient rounded to nearest, ties to even. */
static void list_bins(struct filter_oil *oil, uint32_t ratio)
{
    for (uint32_t i = 0; i < FILTER_OIL_BINS; i++) {
        uint32_t quotient = i / ratio, twice = i % ratio * 2;
        oil->bin[i] = (uint8_t)(quotient + (twice > ratio || (twice == ratio && quotient % 2 == 1)));
    }
}

/* Return a pixel's luminance, converted to 8 bits. */
static uint32_t narrow(const struct filter_pixels *from, const uint8_t *row, size_t x)
{
    uint32_t luminance = kst_filter_luminance(from, row, x);
    if (luminance >= from->greatest)
        return BYTE;
    return (luminance * BYTE + from->greatest / 2) / from->greatest;
}

static kst_status bins_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    const struct filter_oil *oil = arg;
    const struct filter_hot *hot = kst_filter_hot(work->operation->tier);
    const uint32_t weight[3] = {
        from->reversed ? FILTER_BLUE : FILTER_RED, FILTER_GREEN, from->reversed ? FILTER_RED : FILTER_BLUE};
    bool fast = from->greatest == BYTE && from->colours == 3;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *row = kst_filter_row(from, y);
        uint8_t *to = oil->bins + (size_t)y * from->width;
        if (fast)
            hot->luminance_8(row, to, from->width, from->channels, weight);
        for (size_t x = 0; x < from->width; x++)
            to[x] = oil->bin[fast ? to[x] : narrow(from, row, x)];
    }
    return KST_OK;
}

static kst_status oil_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    const struct filter_oil *oil = arg;
    const uint8_t *pixels[2 * FILTER_OIL_MOST + 1], *bins[2 * FILTER_OIL_MOST + 1];
    struct filter_oil_row row = {.pixels = pixels,
        .bins = bins,
        .bin_count = oil->bin[FILTER_OIL_BINS - 1] + 1u,
        .width = from->width,
        .radius = oil->radius,
        .channels = from->channels,
        .colours = from->colours,
        .bytes = from->bytes};
    for (uint32_t y = first; y < end; y++) {
        uint32_t top = y > row.radius ? y - row.radius : 0, bottom = from->height - 1;
        bottom = bottom - y < row.radius ? bottom : y + row.radius;
        row.rows = bottom - top + 1;
        for (uint32_t k = 0; k < row.rows; k++) {
            pixels[k] = kst_filter_row(from, top + k);
            bins[k] = oil->bins + (size_t)(top + k) * from->width;
        }
        row.own = kst_filter_row(from, y);
        row.to = kst_filter_row(work->to, y);
        kst_filter_hot(work->operation->tier)->oil(&row);
    }
    return KST_OK;
}

static kst_status oil_run(const struct filter_work *work)
{
    struct memory *memory = work->operation->memory;
    kst_status status = KST_OK;
    struct filter_oil oil = {.radius = (uint32_t)work->value[RADIUS].number};
    list_bins(&oil, (uint32_t)work->value[RATIO].number);
    oil.bins = kst_memory_array(memory, work->from->height, work->from->width, &status);
    if (!status)
        status = kst_filter_bands(work, work->to->height, bins_band, &oil);
    if (!status)
        status = kst_filter_bands(work, work->to->height, oil_band, &oil);
    kst_memory_release(memory, oil.bins);
    return status;
}

const struct filter_kind kst_filter_oil = {"oil",
    "paint in oil: the mean of the most common luminance around each pixel",
    {{"radius", "of the square of pixels that count", KST_FILTER_INTEGER, false, 1, FILTER_OIL_MOST, 4, NULL},
        {"ratio", "by which luminance of 8 bits is divided", KST_FILTER_INTEGER, false, 1, 127, 8, NULL}},
    NULL, NULL, oil_run};
