/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that read all pixels around each pixel, and writes their weights. */
#include <string.h>

#include "filters/cpu/blur.h"
#include "filters/gpu/plans.h"

/* The values of a record, as kernels/blur.h names them. */
enum { BLUR_RADIUS, BLUR_TAPS, BLUR_SHARPENS, BLUR_AMOUNT, BLUR_THRESHOLD };

/* Plan the two passes of a blur. Horizontal sums have twice the bits of samples. */
static kst_status blur(struct filter_gpu_step *step, uint32_t sigma, uint32_t radius, struct filter_record *record)
{
    struct filter_taps taps;
    uint32_t *table;
    size_t row = (size_t)record->width * record->channels * record->bytes * 2, pitch = (row + 15) / 16 * 16;
    kst_filter_taps(sigma, radius, record->bytes, &taps);
    kst_filter_gpu_extra(step, (uint64_t)pitch * record->height, pitch);
    record->extra_pitch = (uint32_t)pitch;
    record->value[BLUR_RADIUS] = (int32_t)taps.radius;
    kst_status status = kst_filter_gpu_table(step, 2 * taps.radius + 1, &table, &record->value[BLUR_TAPS]);
    if (status)
        return status;
    memcpy(table, taps.tap, (2 * (size_t)taps.radius + 1) * sizeof *table);
    status = kst_filter_gpu_add(step, FILTER_BLUR_ACROSS, record);
    return status ? status : kst_filter_gpu_add(step, FILTER_BLUR_DOWN, record);
}

kst_status kst_filter_gpu_gaussian(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    return blur(step, (uint32_t)step->value[0].number, (uint32_t)step->value[1].number, &record);
}

kst_status kst_filter_gpu_sharpen(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[BLUR_SHARPENS] = true;
    record.value[BLUR_AMOUNT] = step->value[0].number;
    record.value[BLUR_THRESHOLD] = step->value[2].number;
    return blur(step, (uint32_t)step->value[1].number, 0, &record);
}

kst_status kst_filter_gpu_median(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = step->value[0].number;
    return kst_filter_gpu_add(step, FILTER_MEDIAN, &record);
}
