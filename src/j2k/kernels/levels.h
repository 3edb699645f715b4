/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the inverse wavelet transforms; a launch takes one level of all tile-components. See synthesis.h. */
#include "j2k/kernels/synthesis.h"

/* Says where the samples of a strip go: `to` is the place of row 0 and column 0 in the level's coordinates. */
struct level_rows {
    u32 to, pitch;
};

/* Store four samples of a row of a level, from the work-item's first column on, as far as they lie in the strip. */
FUNCTION void store_samples(
    const struct strip *s, const struct level_rows *rows, GLOBAL u32 *samples, u32 narrow, i32 y, const u32 *value)
{
    if (y < s->y || y < s->y0 || y >= s->end)
        return;
    u32 to = rows->to + (u32)y * rows->pitch + (u32)s->x;
    if (s->x >= s->left && s->x + STRIP_COLUMNS <= s->right && to % STRIP_COLUMNS == 0) {
        if (narrow)
            ((GLOBAL u32x2 *)(GLOBAL void *)samples)[to / STRIP_COLUMNS] =
                make_u32x2(join_halves(value[0], value[1]), join_halves(value[2], value[3]));
        else
            ((GLOBAL u32x4 *)(GLOBAL void *)samples)[to / STRIP_COLUMNS] =
                make_u32x4(value[0], value[1], value[2], value[3]);
        return;
    }
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++) if (s->x + (i32)i >= s->left && s->x + (i32)i < s->right)
        put_sample(samples, to + i, narrow, value[i]);
}

/*
 * Define a kernel for samples of a type. `filter` names the steps of its filter, and `format` says how coefficients lie
 * in memory.
 */
#define SYNTHESISE(name, filter, type, format)                                                                         \
    KERNEL(J2K_STRIP_GROUP)                                                                                            \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)                   \
    {                                                                                                                  \
        STRIP_MEMORY(1)                                                                                                \
        GLOBAL const u32 *groups = work + list;                                                                        \
        u32 index = find_owner(groups, count, group_index());                                                          \
        GLOBAL const struct j2k_work_level *level =                                                                    \
            (GLOBAL const struct j2k_work_level *)(work + ((GLOBAL const struct j2k_part_work *)work)->level) +        \
            first_level + index;                                                                                       \
        const struct strip s = strip_of_bands(level, 1, group_index() - groups[index], table);                         \
        struct level_rows rows;                                                                                        \
        rows.pitch = level->to_pitch;                                                                                  \
        rows.to = level->to - level->y0 * rows.pitch - level->x0;                                                      \
        DESCEND(s, samples, filter, type, format, 1, {                                                                 \
            store_samples(&s, &rows, samples, format == STRIP_HALVES, row, made);                                      \
            store_samples(&s, &rows, samples, format == STRIP_HALVES, row + 1, made + STRIP_COLUMNS);                  \
        })                                                                                                             \
    }

SYNTHESISE(synthesise_53, 53, i32, STRIP_WORDS)
SYNTHESISE(synthesise_53_narrow, 53, i32, STRIP_HALVES)
SYNTHESISE(synthesise_97, 97, float, STRIP_WORDS)
SYNTHESISE(synthesise_97_indices, 97, float, STRIP_INDICES)
