/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the filter `bilateral`, and writes its weights. */
#include "filters/cpu/bilateral.h"

#include <string.h>

#include "filters/gpu/plans.h"

/* The values of a record, as kernels/bilateral.h names them. */
enum {
    BILATERAL_RADIUS,
    BILATERAL_PLACES,
    BILATERAL_COUNT,
    BILATERAL_WEIGHTS,
    BILATERAL_ROW,
    BILATERAL_ALL,
    BILATERAL_SHIFT = BILATERAL_ALL
};
enum { NO_ROW = UINT16_MAX };
_Static_assert((int)FILTER_BILATERAL_MOST == (int)FILTER_BILATERAL_RADIUS, "the kernel's memory holds any border");
_Static_assert((int)FILTER_BILATERAL_STEPS == (int)FILTER_BILATERAL_TABLE, "the kernel's memory holds any table");

/* Holds the squared distances of neighbours, each of which has a row of weights if it occurs. */
struct filter_gpu_disc {
    int32_t radius;
    uint32_t places, rows, length; /* length of a row of weights */
    uint16_t row[FILTER_BILATERAL_SQUARES];
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

/*
 * Write for each neighbour its distance from the pixel in a tile, and in the upper half of the word the index of the
 * first weight of its row or, with `wide`, its weight.
 */
static void write_places(const struct filter_gpu_disc *disc, const struct filter_bilateral_wide *wide, uint32_t *table)
{
    int32_t side = FILTER_TILE + 2 * disc->radius;
    for (int32_t y = -disc->radius; y <= disc->radius; y++)
        for (int32_t x = -disc->radius; x <= disc->radius; x++) {
            int32_t square = x * x + y * y;
            if (square > disc->radius * disc->radius)
                continue;
            uint32_t upper = wide ? wide->space[square] : disc->row[square] * disc->length;
            *table++ = ((uint32_t)(y * side + x) & UINT16_MAX) | upper << 16;
        }
}

/* Plan the kernel for samples of more than 8 bits. */
static kst_status plan_wide(struct filter_gpu_step *step, struct filter_record *record, struct filter_gpu_disc *disc)
{
    struct filter_bilateral_wide wide;
    uint32_t *table;
    kst_filter_bilateral_settle(step->value, record->colours, record->greatest, &wide);
    record->value[BILATERAL_ROW] = (int32_t)wide.last + 1;
    record->value[BILATERAL_SHIFT] = (int32_t)wide.shift;
    kst_status status = kst_filter_gpu_table(step, disc->places, &table, &record->value[BILATERAL_PLACES]);
    if (status)
        return status;
    write_places(disc, &wide, table);
    status = kst_filter_gpu_table(step, (wide.last + 2) / 2, &table, &record->value[BILATERAL_WEIGHTS]);
    if (status)
        return status;
    memcpy(table, wide.colour, (size_t)(wide.last + 2) / 2 * sizeof *table);
    return kst_filter_gpu_add(step, FILTER_WIDE_BILATERAL, record);
}

kst_status kst_filter_gpu_bilateral(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    struct filter_gpu_disc disc = {.radius = kst_filter_bilateral_radius(step->value)};
    uint32_t *table;
    find_rows(&disc);
    record.value[BILATERAL_RADIUS] = disc.radius;
    record.value[BILATERAL_COUNT] = (int32_t)disc.places;
    if (record.bytes > 1)
        return plan_wide(step, &record, &disc);
    disc.length = length_of(step->value);
    record.value[BILATERAL_ROW] = (int32_t)disc.length;
    record.value[BILATERAL_ALL] = (int32_t)(disc.rows * disc.length);
    kst_status status = kst_filter_gpu_table(step, disc.places, &table, &record.value[BILATERAL_PLACES]);
    if (status)
        return status;
    write_places(&disc, NULL, table);
    status = kst_filter_gpu_table(step, (disc.rows * disc.length + 1) / 2, &table, &record.value[BILATERAL_WEIGHTS]);
    if (status)
        return status;
    write_weights(step->value, &disc, table);
    return kst_filter_gpu_add(step, FILTER_BILATERAL, &record);
}
