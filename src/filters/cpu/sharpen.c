/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharpens: adds to each colour a multiple of its difference from the blurred colour. */
#include "core/memory.h"
#include "filters/bands.h"
#include "filters/cpu/blur.h"
#include "filters/cpu/kinds.h"
#include "image/allocate.h"
#include "image/sample.h"

enum { AMOUNT, SIGMA, THRESHOLD, THOUSAND = 1000 };

/*
 * Return a sharpened colour. The difference × amount in thousandths, rounded half away from 0, is below 2^30 for 16
 * bits.
 */
static uint32_t sharpened(uint32_t own, uint32_t blurred, const struct filter_value *value, uint32_t greatest)
{
    int32_t difference = (int32_t)own - (int32_t)blurred, amount = value[AMOUNT].number;
    if (difference <= value[THRESHOLD].number && -difference <= value[THRESHOLD].number)
        return own;
    int32_t added = (difference * amount + (difference < 0 ? -THOUSAND / 2 : THOUSAND / 2)) / THOUSAND;
    int32_t sum = (int32_t)own + added;
    return sum < 0 ? 0 : sum > (int32_t)greatest ? greatest : (uint32_t)sum;
}

/* Replace the blurred rows by sharpened ones. */
static kst_status sharpen_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    (void)arg;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *row = kst_filter_row(from, y);
        uint8_t *to = kst_filter_row(work->to, y);
        for (size_t i = 0, count = kst_filter_row_samples(from); i < count; i++) {
            uint32_t own = sample_get(row, i, from->bytes);
            if (i % from->channels < from->colours)
                own = sharpened(own, sample_get(to, i, from->bytes), work->value, from->greatest);
            if (from->bytes == 1)
                to[i] = (uint8_t)own;
            else
                ((uint16_t *)(void *)to)[i] = (uint16_t)own;
        }
    }
    return KST_OK;
}

static kst_status sharpen_run(const struct filter_work *work)
{
    struct filter_taps taps;
    kst_filter_taps((uint32_t)work->value[SIGMA].number, 0, work->from->bytes, &taps);
    kst_status status = kst_filter_blur(work, &taps);
    return status ? status : kst_filter_bands(work, work->to->height, sharpen_band, NULL);
}

const struct filter_kind kst_filter_sharpen = {"sharpen", "unsharp mask: add the difference from a blurred image",
    {{"amount", "by which the difference is multiplied", KST_FILTER_DECIMAL, false, 0, 16, 1, NULL},
        {"sigma", "of the blur, in pixels", KST_FILTER_DECIMAL, false, 0.1, 40, 1, NULL},
        {"threshold", "the greatest difference that is left alone", KST_FILTER_INTEGER, false, 0, UINT16_MAX, 0, NULL}},
    NULL, NULL, sharpen_run};
