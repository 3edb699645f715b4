/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces colours by those of a table that is read from a file, interpolated in integers. Alpha stays as it is. */
#include <stdio.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/cube.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/lut.h"
#include "image/sample.h"

enum { LUT_FILE, LUT_BETWEEN, PATH_MAX_LENGTH = 4096 };

static kst_status lut_open(
    struct memory *memory, const struct filter_value *value, void **data, char reason[FILTER_REASON])
{
    char path[PATH_MAX_LENGTH];
    kst_status status = KST_OK;
    if (value[LUT_FILE].length >= sizeof path) {
        snprintf(reason, FILTER_REASON, "the path of the table has more than %zu bytes", sizeof path - 1);
        return KST_ERROR_OPTIONS;
    }
    memcpy(path, value[LUT_FILE].text, value[LUT_FILE].length);
    path[value[LUT_FILE].length] = '\0';
    struct filter_cube *cube = kst_memory_zeroed(memory, 1, sizeof *cube, &status);
    if (!cube)
        return status;
    *data = cube;
    status = kst_filter_cube_read(memory, path, cube, reason);
    if (status || cube->is_solid || value[LUT_BETWEEN].number == 0)
        return status;
    snprintf(reason, FILTER_REASON, "the table has a curve for each colour; between is for those of three dimensions");
    return KST_ERROR_OPTIONS;
}

static void lut_close(struct memory *memory, void *data)
{
    kst_filter_cube_drop(memory, data);
    kst_memory_release(memory, data);
}

static kst_status lut_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    if (shape->format != KST_FORMAT_GREY)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "lut takes colours; rgb before it makes such of grey");
    return KST_ERROR_IMAGE_FORMAT;
}

bool kst_filter_lut_is_trilinear(const struct filter_value *value)
{
    return value[LUT_BETWEEN].number == 2;
}

uint32_t kst_filter_lut_colour(const struct filter_pixels *pixels, uint32_t channel)
{
    return pixels->reversed ? FILTER_CUBE_COLOURS - 1 - channel : channel;
}

/* Holds the entry that is looked up for a sample of each channel: its new value, or its place in the table. */
struct lut_tables {
    const struct filter_cube *cube;
    bool trilinear;
    uint32_t *entry; /* entries of all samples of a channel, then of the next channel */
};

/*
 * Describes a cell of the table: its point nearest to 0, the steps to the neighbours of that point, and the position of
 * a colour within the cell.
 */
struct lut_cell {
    const uint16_t *point;
    size_t step[FILTER_CUBE_COLOURS];
    uint32_t part[FILTER_CUBE_COLOURS];
};

static struct lut_cell find_cell(const struct filter_cube *cube, const uint32_t place[FILTER_CUBE_COLOURS])
{
    struct lut_cell cell = {.point = cube->value};
    size_t step = FILTER_CUBE_COLOURS;
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++, step *= cube->size) {
        cell.point += (place[i] >> 16) * step;
        cell.part[i] = place[i] & 65535;
        cell.step[i] = cell.part[i] > 0 ? step : 0; /* the last point has no neighbour, and needs none */
    }
    return cell;
}

/*
 * Interpolate in a tetrahedron. Walk from the cell's point nearest to 0 to the farthest one, first along the side on
 * which the colour lies farthest: the tetrahedron has these four corners, whose weights add up to 65536.
 */
static void mix_tetrahedral(const struct lut_cell *cell, uint32_t made[FILTER_CUBE_COLOURS])
{
    int order[FILTER_CUBE_COLOURS] = {0, 1, 2};
    for (int pass = 0; pass < FILTER_CUBE_COLOURS; pass++) {
        int at = pass % 2;
        bool turned = cell->part[order[at]] < cell->part[order[at + 1]];
        int first = order[at];
        order[at] = turned ? order[at + 1] : first;
        order[at + 1] = turned ? first : order[at + 1];
    }
    uint32_t sum[FILTER_CUBE_COLOURS] = {32768, 32768, 32768}, before = 65536;
    const uint16_t *point = cell->point;
    for (int corner = 0; corner <= FILTER_CUBE_COLOURS; corner++) {
        uint32_t behind = corner < FILTER_CUBE_COLOURS ? cell->part[order[corner]] : 0;
        for (int i = 0; i < FILTER_CUBE_COLOURS; i++)
            sum[i] += point[i] * (before - behind);
        point += corner < FILTER_CUBE_COLOURS ? cell->step[order[corner]] : 0;
        before = behind;
    }
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++)
        made[i] = sum[i] >> 16;
}

static uint32_t between(uint32_t a, uint32_t b, uint32_t part)
{
    return (a * (65536 - part) + b * part + 32768) >> 16;
}

/* Interpolate along red, then green, then blue; each step is rounded. */
static void mix_trilinear(const struct lut_cell *cell, uint32_t made[FILTER_CUBE_COLOURS])
{
    const size_t *step = cell->step;
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++) {
        uint32_t plane[2];
        for (size_t b = 0; b < 2; b++) {
            const uint16_t *low = cell->point + b * step[2] + i, *high = low + step[1];
            plane[b] = between(between(low[0], low[step[0]], cell->part[0]),
                between(high[0], high[step[0]], cell->part[0]), cell->part[1]);
        }
        made[i] = between(plane[0], plane[1], cell->part[2]);
    }
}

static void look_up(const struct lut_tables *tables, const struct filter_pixels *from, const uint32_t *sample,
    uint32_t result[FILTER_CUBE_COLOURS])
{
    uint32_t place[FILTER_CUBE_COLOURS], made[FILTER_CUBE_COLOURS];
    for (uint32_t c = 0; c < FILTER_CUBE_COLOURS; c++)
        place[kst_filter_lut_colour(from, c)] = tables->entry[(size_t)c * (from->greatest + 1) + sample[c]];
    const struct lut_cell cell = find_cell(tables->cube, place);
    if (tables->trilinear)
        mix_trilinear(&cell, made);
    else
        mix_tetrahedral(&cell, made);
    for (uint32_t c = 0; c < FILTER_CUBE_COLOURS; c++)
        result[c] = kst_filter_cube_sample(made[kst_filter_lut_colour(from, c)], from->greatest);
}

static void change_pixel(
    const struct lut_tables *tables, const struct filter_pixels *from, const uint8_t *source, uint8_t *target, size_t x)
{
    uint32_t sample[4] = {0, 0, 0, 0}, result[FILTER_CUBE_COLOURS];
    for (uint32_t c = 0; c < from->channels; c++) {
        sample[c] = sample_get(source, x * from->channels + c, from->bytes);
        sample[c] = sample[c] < from->greatest ? sample[c] : from->greatest;
    }
    if (tables->cube->is_solid)
        look_up(tables, from, sample, result);
    else
        for (uint32_t c = 0; c < FILTER_CUBE_COLOURS; c++)
            result[c] = tables->entry[(size_t)c * (from->greatest + 1) + sample[c]];
    for (uint32_t c = 0; c < from->channels; c++)
        sample_put(target, x * from->channels + c, from->bytes, c < FILTER_CUBE_COLOURS ? result[c] : sample[c]);
}

static kst_status lut_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    for (uint32_t y = first; y < end; y++)
        for (size_t x = 0; x < work->from->width; x++)
            change_pixel(arg, work->from, kst_filter_row(work->from, y), kst_filter_row(work->to, y), x);
    return KST_OK;
}

void kst_filter_lut_fill(const struct filter_cube *cube, const struct filter_pixels *from, uint32_t *entry)
{
    for (uint32_t c = 0; c < FILTER_CUBE_COLOURS; c++)
        for (uint32_t sample = 0; sample <= from->greatest; sample++) {
            uint32_t colour = kst_filter_lut_colour(from, c);
            *entry++ = cube->is_solid ? kst_filter_cube_place(cube, colour, sample, from->greatest)
                                      : kst_filter_cube_curve(cube, colour, sample, from->greatest);
        }
}

static kst_status lut_run(const struct filter_work *work)
{
    kst_status status = KST_OK;
    struct memory *memory = work->operation->memory;
    struct lut_tables tables = {.cube = work->data, .trilinear = kst_filter_lut_is_trilinear(work->value)};
    tables.entry = kst_memory_array(
        memory, ((size_t)work->from->greatest + 1) * FILTER_CUBE_COLOURS, sizeof *tables.entry, &status);
    if (!tables.entry)
        return status;
    kst_filter_lut_fill(tables.cube, work->from, tables.entry);
    status = kst_filter_bands(work, work->from->height, lut_band, &tables);
    kst_memory_release(memory, tables.entry);
    return status;
}

const struct filter_kind kst_filter_lut = {"lut", "colours by a table, a file of the type .cube",
    {{"file", "with a curve for each colour, or points of three dimensions", KST_FILTER_FILE, true, 0, 0, 0, NULL},
        {"between", "how a colour between points of three dimensions is found", KST_FILTER_WORD, false, 0, 0, 0,
            "auto|tetrahedral|trilinear"}},
    NULL, lut_shape, lut_run};

const struct filter_data kst_filter_lut_data = {lut_open, lut_close};
