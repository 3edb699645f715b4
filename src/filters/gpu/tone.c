/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that change colours, count samples or map places, and writes their tables. */
#include <string.h>

#include "filters/cpu/colours.h"
#include "filters/cpu/lut.h"
#include "filters/cpu/warp.h"
#include "filters/cpu/xyz.h"
#include "filters/gpu/plans.h"

enum { COLOURS = 3 };

kst_status kst_filter_gpu_rgb(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    for (uint32_t c = 0; c < COLOURS; c++)
        record.value[c] = (int32_t)kst_filter_rgb_channel(&step->from.pixels, c);
    return kst_filter_gpu_add(step, FILTER_PICK, &record);
}

kst_status kst_filter_gpu_channel(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = (int32_t)kst_filter_channel_of(step->value, &step->from.pixels);
    return kst_filter_gpu_add(step, FILTER_PICK, &record);
}

static void write_wide(uint32_t *table, int64_t value)
{
    table[0] = (uint32_t)value;
    table[1] = (uint32_t)((uint64_t)value >> 32);
}

kst_status kst_filter_gpu_matrix_table(struct filter_gpu_step *step, const struct filter_matrix *matrix, int32_t *at)
{
    uint32_t *table;
    kst_status status = kst_filter_gpu_table(step, COLOURS * COLOURS + 2 * COLOURS, &table, at);
    if (status)
        return status;
    memcpy(table, matrix->weight, sizeof matrix->weight);
    for (uint32_t c = 0; c < COLOURS; c++)
        write_wide(table + COLOURS * COLOURS + 2 * (size_t)c, matrix->added[c]);
    return KST_OK;
}

kst_status kst_filter_gpu_matrix(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    struct filter_matrix matrix;
    kst_filter_matrix_settle(step->value, &step->from.pixels, &matrix);
    kst_status status = kst_filter_gpu_matrix_table(step, &matrix, &record.value[0]);
    return status ? status : kst_filter_gpu_add(step, FILTER_MATRIX, &record);
}

/* Write red and green of a point into a word, and blue into the next one. */
static void write_points(const struct filter_cube *cube, uint32_t *table)
{
    const uint16_t *value = cube->value;
    for (size_t i = 0; i < kst_filter_cube_points(cube); i++, value += FILTER_CUBE_COLOURS) {
        *table++ = value[0] | (uint32_t)value[1] << 16;
        *table++ = value[2];
    }
}

kst_status kst_filter_gpu_lut(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    const struct filter_cube *cube = step->data;
    uint32_t *table;
    kst_status status =
        kst_filter_gpu_table(step, FILTER_CUBE_COLOURS * (record.greatest + 1), &table, &record.value[0]);
    if (status)
        return status;
    kst_filter_lut_fill(cube, &step->from.pixels, table);
    if (!cube->is_solid)
        return kst_filter_gpu_add(step, FILTER_CURVES, &record);
    status = kst_filter_gpu_table(step, 2 * (uint32_t)kst_filter_cube_points(cube), &table, &record.value[1]);
    if (status)
        return status;
    write_points(cube, table);
    record.value[2] = (int32_t)cube->size;
    record.value[3] = kst_filter_lut_is_trilinear(step->value);
    record.value[4] = step->from.pixels.reversed;
    return kst_filter_gpu_add(step, FILTER_LUT, &record);
}

kst_status kst_filter_gpu_xyz(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    uint32_t *table;
    kst_status status = kst_filter_gpu_table(step, FILTER_XYZ_WEIGHTS, &table, &record.value[0]);
    if (status)
        return status;
    memcpy(table, kst_filter_xyz_weights(step->value), FILTER_XYZ_WEIGHTS * sizeof *table);
    status = kst_filter_gpu_table(step, record.greatest + 1, &table, &record.value[1]);
    const uint32_t *light = status ? NULL : kst_filter_xyz_light(step->data, step->value, record.greatest, &status);
    if (status)
        return status;
    memcpy(table, light, ((size_t)record.greatest + 1) * sizeof *table);
    status = kst_filter_gpu_table(step, record.to_greatest + 1, &table, &record.value[2]);
    const uint32_t *least = status ? NULL : kst_filter_xyz_least(step->data, record.to_greatest, &status);
    if (status)
        return status;
    memcpy(table, least, ((size_t)record.to_greatest + 1) * sizeof *table);
    record.value[3] = step->from.pixels.reversed;
    return kst_filter_gpu_add(step, FILTER_XYZ, &record);
}

kst_status kst_filter_gpu_warp(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    static const enum filter_gpu_kernel kernels[] = {
        [1] = FILTER_WARP_ONE, [3] = FILTER_WARP_THREE, [4] = FILTER_WARP_FOUR};
    struct filter_warp warp;
    uint32_t *table;
    enum { COEFFICIENTS = sizeof warp.coefficient / sizeof *warp.coefficient };
    kst_filter_warp_settle(step->value, &warp);
    kst_status status = kst_filter_gpu_table(step, 2 * COEFFICIENTS, &table, &record.value[0]);
    if (status)
        return status;
    for (size_t i = 0; i < COEFFICIENTS; i++)
        write_wide(table + 2 * i, warp.coefficient[i]);
    record.value[1] = warp.edge;
    if (warp.cubic || warp.projective || record.bytes > 1)
        return kst_filter_gpu_add(step, warp.cubic ? FILTER_WARP_CUBIC : FILTER_WARP, &record);
    const uint64_t rows = ((uint64_t)record.height + FILTER_WARP_ROWS - 1) / FILTER_WARP_ROWS;
    return kst_filter_gpu_add_groups(step, kernels[record.channels], &record, rows * record.groups_of_row);
}

/* Plan the counting of the source's pixels, whose tiles are divided among work-groups. */
kst_status kst_filter_gpu_histogram(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.width = record.from_width;
    record.height = record.from_height;
    record.groups_of_row = (record.width + FILTER_TILE - 1) / FILTER_TILE;
    uint64_t rows = (record.height + (uint64_t)FILTER_TILE - 1) / FILTER_TILE;
    kst_status status =
        kst_filter_gpu_add_groups(step, FILTER_HISTOGRAM_CLEAR, &record, record.greatest / FILTER_GROUP_ITEMS + 1);
    return status ? status : kst_filter_gpu_add_groups(step, FILTER_HISTOGRAM, &record, rows * record.groups_of_row);
}
