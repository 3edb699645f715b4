/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the forward wavelet transforms; a launch takes one level of all tile-components. See analysis.h. */
#include "j2k/kernels/analysis.h"

/* Says where the samples of a level lie: row 0 of the level's coordinates, and the level's first column. */
struct source_rows {
    u32 at, pitch;
    u32 whole; /* four samples of the work-item are a vector */
};

FUNCTION struct source_rows find_rows(const struct strip *s, GLOBAL const struct j2k_work_level *level)
{
    struct source_rows rows;
    rows.pitch = level->to_pitch;
    rows.at = level->to - level->y0 * rows.pitch;
    rows.whole = s->inside && (level->to + s->place[0]) % 4 == 0 && rows.pitch % 4 == 0;
    return rows;
}

/* Load a work-item's samples of some rows from y on, or their mirror images. */
FUNCTION void load_samples(
    const struct strip *s, const struct source_rows *rows, GLOBAL const u32 *samples, i32 y, u32 count, u32 *word)
{
    u32 at[2];
    UNROLL for (u32 r = 0; r < count; r++) at[r] = rows->at + (u32)mirror(y + (i32)r, s->y0, s->y1) * rows->pitch;
    if (rows->whole) {
        UNROLL for (u32 r = 0; r < count; r++)
        {
            const u32x4 four = *(GLOBAL const u32x4 *)(GLOBAL const void *)(samples + at[r] + s->place[0]);
            UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++) word[r * STRIP_COLUMNS + i] = pick_word(four, i);
        }
    } else {
        UNROLL for (u32 r = 0; r < count; r++) UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
            word[r * STRIP_COLUMNS + i] = samples[at[r] + s->place[i]];
    }
}

#define LOAD_SAMPLES(y, count, next) load_samples(&s, &rows, samples, y, count, next)
#define TAKE_SAMPLES(type, next, value) UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)(value)[i] = type##_of((next)[i])
#define TAKE_SAMPLES_53(next, value) TAKE_SAMPLES(i32, next, value)
#define TAKE_SAMPLES_97(next, value) TAKE_SAMPLES(float, next, value)

/* Define a kernel for samples of a type; `filter` names the steps of its filter. */
#define ANALYSE(name, filter, type)                                                                                    \
    KERNEL(J2K_STRIP_GROUP)                                                                                            \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *samples, u32 list, u32 count, u32 first_level)                   \
    {                                                                                                                  \
        STRIP_MEMORY(1)                                                                                                \
        u32 group;                                                                                                     \
        GLOBAL const struct j2k_work_level *level = level_of_group(work, list, count, first_level, &group);            \
        const struct strip s = strip_of_rows(level, 1, group, table);                                                  \
        const struct source_rows rows = find_rows(&s, level);                                                          \
        SINK(s, samples, filter, type, 1, STRIP_COLUMNS, LOAD_SAMPLES, TAKE_SAMPLES_##filter)                          \
    }

ANALYSE(analyse_53, 53, i32)
ANALYSE(analyse_97, 97, float)
