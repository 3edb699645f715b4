/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that read all pixels around each pixel, and writes their weights. */
#include <string.h>

#include "filters/cpu/blur.h"
#include "filters/gpu/plans.h"

/* The values of a record, as kernels/blur.h names them. */
enum { BLUR_RADIUS, BLUR_TAPS, BLUR_SHARPENS, BLUR_AMOUNT, BLUR_THRESHOLD };
_Static_assert((int)FILTER_BLUR_RADIUS_MAX == (int)FILTER_BLUR_RADIUS, "the kernel's memory holds any border");

/* Return the tap at an index; 0 outside the taps. */
static uint32_t tap_at(const struct filter_taps *taps, int64_t index)
{
    return index >= 0 && index <= 2 * (int64_t)taps->radius ? taps->tap[index] : 0;
}

/* Write the table of the horizontal pass: for each quad of the window four words of weights, one for each sum. */
static void write_across(const struct filter_taps *taps, uint32_t side, uint32_t *table)
{
    for (uint32_t i = 0; i < 4 * (2 * side + 1); i++) {
        int64_t first = (int64_t)(i / 4 * 4) - 4 * side + taps->radius - i % 4;
        table[i] = 0;
        for (uint32_t j = 0; j < 4; j++)
            table[i] |= tap_at(taps, first + j) << (8 * j);
    }
}

/* Write the table of the vertical pass: for each pair of rows two taps for a row of the result and two for the next. */
static void write_down(const struct filter_taps *taps, uint32_t *table)
{
    for (uint32_t i = 0; i < taps->radius + 2; i++) {
        const int64_t first = 2 * (int64_t)i;
        table[i] = tap_at(taps, first) | tap_at(taps, first + 1) << 8 | tap_at(taps, first - 1) << 16 |
                   tap_at(taps, first) << 24;
    }
}

/* Plan the horizontal pass over bytes; its table begins at a multiple of four words. */
static kst_status across(struct filter_gpu_step *step, const struct filter_taps *taps, struct filter_record record)
{
    static const enum filter_gpu_kernel kernels[] = {
        [1] = FILTER_BLUR_ACROSS_ONE, [3] = FILTER_BLUR_ACROSS_THREE, [4] = FILTER_BLUR_ACROSS_FOUR};
    uint32_t *table, side = (taps->radius + 3) / 4;
    kst_status status = kst_filter_gpu_table(step, 4 * (2 * side + 1) + 3, &table, &record.value[BLUR_TAPS]);
    if (status)
        return status;
    const uint32_t odd = (0u - (uint32_t)record.value[BLUR_TAPS]) % 4;
    memset(table, 0, (4 * (2 * (size_t)side + 1) + 3) * sizeof *table);
    write_across(taps, side, table + odd);
    record.value[BLUR_TAPS] += (int32_t)odd;
    record.groups_of_row = (record.width + FILTER_BLUR_COLUMNS - 1) / FILTER_BLUR_COLUMNS;
    const uint64_t rows = ((uint64_t)record.height + FILTER_BLUR_ROWS - 1) / FILTER_BLUR_ROWS;
    return kst_filter_gpu_add_groups(step, kernels[record.channels], &record, rows * record.groups_of_row);
}

/* Plan the vertical pass over bytes. */
static kst_status down(struct filter_gpu_step *step, const struct filter_taps *taps, struct filter_record record)
{
    uint32_t *table;
    kst_status status = kst_filter_gpu_table(step, taps->radius + 2, &table, &record.value[BLUR_TAPS]);
    if (status)
        return status;
    write_down(taps, table);
    const uint64_t samples = (uint64_t)record.width * record.channels;
    record.groups_of_row = (uint32_t)((samples + FILTER_BLUR_SAMPLES - 1) / FILTER_BLUR_SAMPLES);
    const uint64_t rows = ((uint64_t)record.height + FILTER_BLUR_DOWN_ROWS - 1) / FILTER_BLUR_DOWN_ROWS;
    return kst_filter_gpu_add_groups(step, FILTER_BLUR_DOWN, &record, rows * record.groups_of_row);
}

/* Plan the two passes over samples of more than 8 bits. */
static kst_status wide(struct filter_gpu_step *step, const struct filter_taps *taps, struct filter_record record)
{
    uint32_t *table;
    kst_status status = kst_filter_gpu_table(step, 2 * taps->radius + 1, &table, &record.value[BLUR_TAPS]);
    if (status)
        return status;
    memcpy(table, taps->tap, (2 * (size_t)taps->radius + 1) * sizeof *table);
    status = kst_filter_gpu_add(step, FILTER_WIDE_BLUR_ACROSS, &record);
    return status ? status : kst_filter_gpu_add(step, FILTER_WIDE_BLUR_DOWN, &record);
}

/*
 * Plan a blur. Horizontal sums have twice the bits of samples. The kernels' taps are bytes, and one of 256 means that
 * nothing changes.
 */
static kst_status blur(struct filter_gpu_step *step, uint32_t sigma, uint32_t radius, struct filter_record *record)
{
    struct filter_taps taps;
    size_t row = (size_t)record->width * record->channels * record->bytes * 2, pitch = (row + 15) / 16 * 16;
    kst_filter_taps(sigma, radius, record->bytes, &taps);
    if (record->bytes == 1 && taps.tap[taps.radius] == 1u << taps.bits)
        return kst_filter_gpu_copy(step);
    kst_filter_gpu_extra(step, (uint64_t)pitch * record->height, pitch);
    record->extra_pitch = (uint32_t)pitch;
    record->value[BLUR_RADIUS] = (int32_t)taps.radius;
    if (record->bytes > 1)
        return wide(step, &taps, *record);
    kst_status status = across(step, &taps, *record);
    return status ? status : down(step, &taps, *record);
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
    enum { NEAR = 2, NEAR_END = 4 /* radii with kernels of their own */ };
    record.value[0] = step->value[0].number;
    if (record.value[0] < NEAR || record.value[0] >= NEAR_END)
        return kst_filter_gpu_add(step, FILTER_MEDIAN, &record);
    const enum filter_gpu_kernel kernel = record.bytes == 1 ? FILTER_MEDIAN_NEAR : FILTER_WIDE_MEDIAN_NEAR;
    const uint64_t rows = ((uint64_t)record.height + FILTER_MEDIAN_ROWS - 1) / FILTER_MEDIAN_ROWS;
    return kst_filter_gpu_add_groups(step, kernel, &record, rows * record.groups_of_row);
}
