/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that work on bytes for samples of more than 8 bits, as filters/cpu/narrow.c runs them. */
#include "filters/gpu/plans.h"

kst_status kst_filter_gpu_in_bytes(struct filter_gpu_step *step, filter_gpu_plan plan)
{
    const struct filter_pixels *wide = &step->from.pixels;
    uint64_t length = 0;
    if (wide->bytes == 1)
        return plan(step);
    struct filter_gpu_pixels from = kst_filter_gpu_sheet(step, wide->channels, &length);
    struct filter_gpu_pixels to = kst_filter_gpu_sheet(step, wide->channels, &length);
    from.pixels.bytes = to.pixels.bytes = 1;
    from.pixels.greatest = to.pixels.greatest = UINT8_MAX;
    kst_status status = kst_filter_gpu_apply(step, kst_filter_gpu_depth, NULL, &step->from, &from);
    struct filter_gpu_step inner = *step;
    inner.from = from;
    inner.to = to;
    inner.extra_at += length;
    inner.extra_length = 0;
    if (!status)
        status = plan(&inner);
    step->order = inner.order;
    kst_filter_gpu_extra(step, length + inner.extra_length, 0);
    if (!status)
        status = kst_filter_gpu_apply(step, kst_filter_gpu_depth, NULL, &to, &step->to);
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = record.value[1] = (int32_t)wide->colours;
    return status || wide->channels == wide->colours ? status : kst_filter_gpu_add(step, FILTER_CHANNEL, &record);
}
