/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares tables of colours that are read from files. */
#ifndef KOSTKA_FILTERS_CPU_CUBE_H
#define KOSTKA_FILTERS_CPU_CUBE_H

#include "core/memory.h"
#include "filters/filter.h"

enum { FILTER_CUBE_COLOURS = 3, FILTER_CUBE_POINTS = 65536, FILTER_CUBE_SIDE = 129 };

/*
 * Holds a table of RGB: a curve of `size` points for each colour, or, if it is solid, `size`³ points for all three
 * colours, red fastest. Points lie at equal distances from `least` to `greatest`, which are millionths of the range of
 * samples.
 */
struct filter_cube {
    bool is_solid;
    uint32_t size;
    int64_t least[FILTER_CUBE_COLOURS], greatest[FILTER_CUBE_COLOURS];
    uint16_t *value; /* red, green and blue of each point, 65535 for 1 */
};

/*
 * Read a file of the type .cube. If it cannot be read or is no such file, returns KST_ERROR_READ, with the reason and
 * the line; otherwise KST_OK or KST_ERROR_MEMORY. The caller drops the cube in any case.
 */
kst_status kst_filter_cube_read(
    struct memory *memory, const char *path, struct filter_cube *cube, char reason[FILTER_REASON]);
void kst_filter_cube_drop(struct memory *memory, struct filter_cube *cube);

/* Return how many points a table has. */
static inline size_t kst_filter_cube_points(const struct filter_cube *cube)
{
    return cube->is_solid ? (size_t)cube->size * cube->size * cube->size : cube->size;
}

/* Return where a sample lies along one side of the table, in 65536ths of the distance of points, rounded. */
uint32_t kst_filter_cube_place(const struct filter_cube *cube, uint32_t colour, uint32_t sample, uint32_t greatest);

/* Return the sample to which a curve maps a sample of a colour. */
uint32_t kst_filter_cube_curve(const struct filter_cube *cube, uint32_t colour, uint32_t sample, uint32_t greatest);

/* Scale a value of 16 bits to samples; products are below 2^32. */
static inline uint32_t kst_filter_cube_sample(uint32_t value, uint32_t greatest)
{
    return (value * greatest + 32767) / 65535;
}

#endif
