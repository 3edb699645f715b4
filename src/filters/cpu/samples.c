/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts samples: colours to grey, and one depth to another. */
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"

static kst_status grey_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    (void)reason;
    shape->format = KST_FORMAT_GREY;
    return KST_OK;
}

static kst_status grey_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    const struct filter_hot *hot = kst_filter_hot(work->operation->tier);
    const uint32_t weight[3] = {
        from->reversed ? FILTER_BLUE : FILTER_RED, FILTER_GREEN, from->reversed ? FILTER_RED : FILTER_BLUE};
    (void)arg;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *row = kst_filter_row(from, y);
        uint8_t *to = kst_filter_row(work->to, y);
        if (from->bytes == 1 && from->colours == 3)
            hot->luminance_8(row, to, from->width, from->channels, weight);
        else if (from->bytes == 1)
            memcpy(to, row, from->width);
        else
            for (size_t x = 0; x < from->width; x++)
                ((uint16_t *)(void *)to)[x] = (uint16_t)kst_filter_luminance(from, row, x);
    }
    return KST_OK;
}

static kst_status grey_run(const struct filter_work *work)
{
    return kst_filter_bands(work, work->from->height, grey_band, NULL);
}

const struct filter_kind kst_filter_grey = {
    "grey", "luminance, by the weights of BT.601; alpha is dropped", {{.name = NULL}}, NULL, grey_shape, grey_run};

static kst_status depth_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)reason;
    shape->depth = (uint32_t)value[0].number;
    return KST_OK;
}

static kst_status depth_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from, *to = work->to;
    size_t count = kst_filter_row_samples(from);
    (void)arg;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *row = kst_filter_row(from, y);
        uint8_t *made = kst_filter_row(to, y);
        for (size_t i = 0; i < count; i++) {
            uint32_t sample = from->bytes == 1 ? row[i] : ((const uint16_t *)(const void *)row)[i];
            sample = sample < from->greatest ? sample : from->greatest;
            sample = (uint32_t)(((uint64_t)sample * to->greatest + from->greatest / 2) / from->greatest);
            if (to->bytes == 1)
                made[i] = (uint8_t)sample;
            else
                ((uint16_t *)(void *)made)[i] = (uint16_t)sample;
        }
    }
    return KST_OK;
}

static kst_status depth_run(const struct filter_work *work)
{
    return kst_filter_bands(work, work->from->height, depth_band, NULL);
}

const struct filter_kind kst_filter_depth = {"depth", "samples of another depth, over the same range of brightness",
    {{"bits", "of a sample", KST_FILTER_INTEGER, true, 1, 16, 0, NULL}}, NULL, depth_shape, depth_run};
