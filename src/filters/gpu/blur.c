/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that read all pixels around each pixel, and writes their weights. */
#include <string.h>

#include "filters/cpu/bilateral.h"
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

/* The values of a record, as kernels/bilateral.h names them. */
enum { BILATERAL_RADIUS, BILATERAL_PLACES, BILATERAL_COUNT, BILATERAL_WEIGHTS, BILATERAL_ROW, BILATERAL_ALL };
enum { SQUARES = FILTER_BILATERAL_MOST * FILTER_BILATERAL_MOST + 1, NO_ROW = UINT16_MAX };
_Static_assert((int)FILTER_BILATERAL_MOST == (int)FILTER_BILATERAL_RADIUS, "the kernel's memory holds any border");

/* Holds the squared distances of neighbours, each of which has a row of weights if it occurs. */
struct filter_gpu_disc {
    int32_t radius;
    uint32_t places, rows, length; /* length of a row of weights */
    uint16_t row[SQUARES];
};

static void find_rows(struct filter_gpu_disc *disc)
{
    memset(disc->row, 0xFF, sizeof disc->row);
    for (int32_t y = -disc->radius; y <= disc->radius; y++)
        for (int32_t x = -disc->radius; x <= disc->radius; x++) {
            int32_t square = x * x + y * y;
            if (square > disc->radius * disc->radius)
                continue;
            disc->places++;
            if (disc->row[square] == NO_ROW)
                disc->row[square] = (uint16_t)disc->rows++;
        }
}

/*
 * Return the length of the longest row, up to its first 0, behind which all weights are 0: the row of the nearest
 * neighbours.
 */
static uint32_t length_of(const struct filter_value *value)
{
    uint16_t weight[FILTER_BILATERAL_DISTANCES];
    uint32_t length = 1;
    kst_filter_bilateral_weigh(value, 0, weight);
    while (length < FILTER_BILATERAL_DISTANCES && weight[length - 1] > 0)
        length++;
    return length;
}

static void write_weights(const struct filter_value *value, const struct filter_gpu_disc *disc, uint32_t *table)
{
    uint16_t weight[FILTER_BILATERAL_DISTANCES];
    for (int32_t square = 0; square <= disc->radius * disc->radius; square++) {
        if (disc->row[square] == NO_ROW)
            continue;
        kst_filter_bilateral_weigh(value, square, weight);
        memcpy((uint16_t *)(void *)table + (size_t)disc->row[square] * disc->length, weight,
            disc->length * sizeof *weight);
    }
}

/* Write for each neighbour its distance from the pixel in a tile, and the index of the first weight of its row. */
static void write_places(const struct filter_gpu_disc *disc, uint32_t *table)
{
    int32_t side = FILTER_TILE + 2 * disc->radius;
    for (int32_t y = -disc->radius; y <= disc->radius; y++)
        for (int32_t x = -disc->radius; x <= disc->radius; x++) {
            int32_t square = x * x + y * y;
            if (square <= disc->radius * disc->radius)
                *table++ = ((uint32_t)(y * side + x) & UINT16_MAX) | (uint32_t)disc->row[square] * disc->length << 16;
        }
}

kst_status kst_filter_gpu_bilateral(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    struct filter_gpu_disc disc = {.radius = kst_filter_bilateral_radius(step->value)};
    uint32_t *table;
    find_rows(&disc);
    disc.length = length_of(step->value);
    record.value[BILATERAL_RADIUS] = disc.radius;
    record.value[BILATERAL_COUNT] = (int32_t)disc.places;
    record.value[BILATERAL_ROW] = (int32_t)disc.length;
    record.value[BILATERAL_ALL] = (int32_t)(disc.rows * disc.length);
    kst_status status = kst_filter_gpu_table(step, disc.places, &table, &record.value[BILATERAL_PLACES]);
    if (status)
        return status;
    write_places(&disc, table);
    status = kst_filter_gpu_table(step, (disc.rows * disc.length + 1) / 2, &table, &record.value[BILATERAL_WEIGHTS]);
    if (status)
        return status;
    write_weights(step->value, &disc, table);
    return kst_filter_gpu_add(step, FILTER_BILATERAL, &record);
}
