/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the samples of each channel. The counts form an image, so that they are returned like all results of any
 * device: it has a row for each channel, in which four samples of 8 bits are a number of 32 bits.
 */
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"
#include "image/format.h"
#include "image/sample.h"

enum { COUNT_BYTES = 4 };

static kst_status histogram_shape(
    const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    (void)reason;
    if ((uint64_t)shape->width * shape->height > UINT32_MAX)
        return KST_ERROR_LIMIT_PIXELS;
    *shape = (struct filter_shape){
        KST_FORMAT_GREY, (uint32_t)COUNT_BYTES << shape->depth, kst_format_samples(shape->format), 8};
    return KST_OK;
}

static kst_status histogram_run(const struct filter_work *work)
{
    const struct filter_pixels *from = work->from;
    for (uint32_t c = 0; c < from->channels; c++)
        memset(kst_filter_row(work->to, c), 0, work->to->width);
    for (uint32_t y = 0; y < from->height; y++)
        for (size_t i = 0; i < kst_filter_row_samples(from); i++) {
            uint32_t sample = sample_get(kst_filter_row(from, y), i, from->bytes);
            uint32_t *count = (uint32_t *)(void *)kst_filter_row(work->to, (uint32_t)(i % from->channels));
            count[sample < from->greatest ? sample : from->greatest]++;
        }
    return KST_OK;
}

const struct filter_kind kst_filter_histogram_kind = {
    "histogram", "counts of samples", {{.name = NULL}}, NULL, histogram_shape, histogram_run};
