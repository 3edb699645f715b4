/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the inverse wavelet transforms; a launch takes one level of all tile-components. See synthesis.h. */
#include "j2k/kernels/synthesis.h"

/* Says where the samples of a strip go. */
struct level_rows {
    u32 to, pitch;  /* `to` is the place of row 0 and column 0 in the level's coordinates */
    i32 begin, end; /* rows that are stored */
    u32 whole;      /* all of the work-item's columns are stored */
    u32 aligned;    /* the work-items' places are multiples of STRIP_COLUMNS */
};

FUNCTION struct level_rows find_rows(const struct strip *s, GLOBAL const struct j2k_work_level *level)
{
    struct level_rows rows;
    rows.pitch = level->to_pitch;
    rows.to = level->to - level->y0 * rows.pitch - level->x0;
    rows.begin = s->y > s->y0 ? s->y : s->y0;
    rows.end = s->end;
    rows.whole = s->x >= s->left && s->x + STRIP_COLUMNS <= s->right;
    rows.aligned = (rows.to | rows.pitch) % STRIP_COLUMNS == 0;
    return rows;
}

FUNCTION void store_whole(GLOBAL u32 *samples, u32 to, u32 narrow, const u32 *value)
{
    if (narrow)
        ((GLOBAL u32x2 *)(GLOBAL void *)samples)[to / STRIP_COLUMNS] =
            make_u32x2(join_halves(value[0], value[1]), join_halves(value[2], value[3]));
    else
        ((GLOBAL u32x4 *)(GLOBAL void *)samples)[to / STRIP_COLUMNS] =
            make_u32x4(value[0], value[1], value[2], value[3]);
}

/* Store four samples of a row of a level, from the work-item's first column on, as far as they lie in the strip. */
FUNCTION void store_samples(
    const struct strip *s, const struct level_rows *rows, GLOBAL u32 *samples, u32 narrow, i32 y, const u32 *value)
{
    if (y < rows->begin || y >= rows->end)
        return;
    u32 to = rows->to + (u32)y * rows->pitch + (u32)s->x;
    if (rows->whole && to % STRIP_COLUMNS == 0) {
        store_whole(samples, to, narrow, value);
        return;
    }
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++) if (s->x + (i32)i >= s->left && s->x + (i32)i < s->right)
        put_sample(samples, to + i, narrow, value[i]);
}

/* Do the same for two rows of a regular strip whose rows are aligned: a work-item's columns are all stored, or none. */
FUNCTION void store_two(
    const struct strip *s, const struct level_rows *rows, GLOBAL u32 *samples, u32 narrow, i32 y, const u32 *value)
{
    u32 to = rows->to + (u32)y * rows->pitch + (u32)s->x;
    if (rows->whole && y >= rows->begin && y < rows->end)
        store_whole(samples, to, narrow, value);
    if (rows->whole && y + 1 >= rows->begin && y + 1 < rows->end)
        store_whole(samples, to + rows->pitch, narrow, value + STRIP_COLUMNS);
}

/*
 * Define a kernel for samples of a type. `filter` names the steps of its filter, and `format` says how coefficients lie
 * in memory.
 */
#define SYNTHESISE(name, filter, type, format)                                                                         \
    DENSE_KERNEL(J2K_STRIP_GROUP, 32)                                                                                  \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)                   \
    {                                                                                                                  \
        STRIP_MEMORY(1)                                                                                                \
        u32 group;                                                                                                     \
        GLOBAL const struct j2k_work_level *level = level_of_group(work, list, count, first_level, &group);            \
        const struct strip s = strip_of_bands(level, 1, group, table);                                                 \
        const struct level_rows rows = find_rows(&s, level);                                                           \
        DESCEND(s, samples, filter, type, format, 1, is_regular_strip(&s) && rows.aligned,                             \
            store_two(&s, &rows, samples, format == STRIP_HALVES, row, made), {                                        \
                store_samples(&s, &rows, samples, format == STRIP_HALVES, row, made);                                  \
                store_samples(&s, &rows, samples, format == STRIP_HALVES, row + 1, made + STRIP_COLUMNS);              \
            })                                                                                                         \
    }

SYNTHESISE(synthesise_53, 53, i32, STRIP_WORDS)
SYNTHESISE(synthesise_53_narrow, 53, i32, STRIP_HALVES)
SYNTHESISE(synthesise_97, 97, float, STRIP_WORDS)
SYNTHESISE(synthesise_97_indices, 97, float, STRIP_INDICES)
