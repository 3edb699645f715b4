/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the forward wavelet transform of a strip (T.800 F.4): columns are transformed first, and then rows, with the
 * same operations in the same order as on the CPU.
 */
#include "j2k/kernels/strips.h"

enum {
    /*
     * The samples of rows y − 1 and y, where y is even, complete rows y − LEAD and y − LEAD + 1; and a strip depends on
     * as many rows above it.
     */
    LEAD_53 = 2,
    LEAD_97 = 4
};

/*
 * Perform the lifting steps of the 5/3 filter: x − floor((a + b) / 2), and in the next function x + floor((a + b + 2) /
 * 4). Sums wrap.
 */
FUNCTION i32 predict(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b) >> 1));
}

FUNCTION i32 update(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

/* Perform a lifting step of the 9/7 filter: x + factor × (a + b). */
FUNCTION float raise(float x, float factor, float a, float b)
{
    return x + factor * (a + b);
}

#define RAISE_ALPHA(x, a, b) raise(x, J2K_DWT_ALPHA, a, b)
#define RAISE_BETA(x, a, b) raise(x, J2K_DWT_BETA, a, b)
#define RAISE_GAMMA(x, a, b) raise(x, J2K_DWT_GAMMA, a, b)
#define RAISE_DELTA(x, a, b) raise(x, J2K_DWT_DELTA, a, b)

/*
 * Return the strip of a group, as strip_of() does. `place` becomes the distances of a work-item's columns, or of their
 * mirror images, from the level's first column. `inside`: they are neighbours in memory, or not needed.
 */
FUNCTION struct strip strip_of_rows(
    GLOBAL const struct j2k_work_level *level, u32 components, u32 group, LOCAL u32x4 *table)
{
    struct strip s = strip_of(level, components, group, table);
    const u32 idle = s.x >= s.x1 && (s.x - s.x1) % STRIP_COLUMNS == 0 && s.x1 - s.x0 >= STRIP_COLUMNS;
    UNROLL for (i32 i = 0; i < STRIP_COLUMNS; i++) s.place[i] =
        idle ? (u32)i : (u32)(mirror(s.x + i, s.x0, s.x1) - s.x0);
    s.inside = idle || (s.x >= s.x0 && s.x + STRIP_COLUMNS <= s.x1);
    return s;
}

/* Holds what a column keeps of the rows above: the last even one, and rows after the first steps. */
struct kept_53 {
    i32 even, odd;
};

struct kept_97 {
    float even, odd, first_even, second_odd;
};

/*
 * Process the next two rows of a column, an odd one and an even one, which become the two rows that these complete: a
 * low one, and the high one below it.
 */
FUNCTION void sink_53(struct kept_53 *kept, i32 *odd, i32 *even)
{
    const i32 high = predict(*odd, kept->even, *even), low = update(kept->even, kept->odd, high);
    kept->even = *even;
    kept->odd = high;
    *odd = low;
    *even = high;
}

FUNCTION void sink_97(struct kept_97 *kept, float *odd, float *even)
{
    const float first = RAISE_ALPHA(*odd, kept->even, *even), second = RAISE_BETA(kept->even, kept->odd, first);
    const float third = RAISE_GAMMA(kept->odd, kept->first_even, second);
    const float fourth = RAISE_DELTA(kept->first_even, kept->second_odd, third);
    kept->even = *even;
    kept->odd = first;
    kept->first_even = second;
    kept->second_odd = third;
    *odd = J2K_DWT_INVERSE_SCALE * fourth;
    *even = J2K_DWT_SCALE * third;
}

/* Double a sample if it is the only one of its row or column, and that is at an odd position (F.4.6). */
FUNCTION i32 doubled_53(i32 x, i32 position)
{
    return (i32)((u32)x << position);
}

FUNCTION float doubled_97(float x, i32 position)
{
    return x * (position == 1 ? 2.0f : 1.0f);
}

/* Transform two rows along columns. If a level has a single row, it was loaded for all others, too. */
#define ANALYSE_COLUMNS_OF(s, filter, components, kept, value)                                                         \
    if ((s).y1 - (s).y0 == 1) {                                                                                        \
        UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++)(value)[i] = doubled_##filter((value)[i], (s).y0);     \
    } else {                                                                                                           \
        UNROLL for (u32 c = 0; c < (components); c++) UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)                   \
            sink_##filter(&(kept)[c * STRIP_COLUMNS + i], &(value)[c * STRIP_LINE + i],                                \
                &(value)[c * STRIP_LINE + STRIP_COLUMNS + i]);                                                         \
    }

/* Perform all steps along rows. */
#define ANALYSE_ROWS_OF_53(rows, value)                                                                                \
    LIFT_ODD_COLUMNS(i32, rows, value, predict)                                                                        \
    LIFT_EVEN_COLUMNS(i32, rows, value, update)

#define ANALYSE_ROWS_OF_97(rows, value)                                                                                \
    LIFT_ODD_COLUMNS(float, rows, value, RAISE_ALPHA)                                                                  \
    LIFT_EVEN_COLUMNS(float, rows, value, RAISE_BETA)                                                                  \
    LIFT_ODD_COLUMNS(float, rows, value, RAISE_GAMMA)                                                                  \
    LIFT_EVEN_COLUMNS(float, rows, value, RAISE_DELTA)                                                                 \
    UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *=                                                 \
        i % 2 != 0 ? J2K_DWT_SCALE : J2K_DWT_INVERSE_SCALE;

/* Flag in the word that says which of its columns a work-item stores: all, and pairs of a band lie at even places. */
#define STORED_PAIRS 0x10u

/* Return that word, which has a bit for each of the columns. */
FUNCTION u32 find_stored(const struct strip *s, u32 components)
{
    const u32 all = s->x >= s->left && s->x + STRIP_COLUMNS <= s->right && is_even(s->table, components);
    u32 stored = all ? STORED_PAIRS : 0;
    UNROLL for (i32 i = 0; i < STRIP_COLUMNS; i++) stored |= s->x + i >= s->left && s->x + i < s->right ? 1u << i : 0;
    return stored;
}

/*
 * Return the place of a work-item's first column in a row of a band, and in the next function point to the first of its
 * coefficients there. Bands are counted through all components. `lower`, a constant, says that the row is odd.
 */
FUNCTION u32 stored_at(const struct strip *s, const u32 *row, u32 band, u32 lower)
{
    return pick_word(s->table[1 + band / 2], 2 * lower + band % 2) + row[band % 2];
}

FUNCTION const u32 *stored_from(const u32 *made, u32 band, u32 lower)
{
    return made + band / 2 * STRIP_LINE + lower * STRIP_COLUMNS + band % 2;
}

/*
 * Store the coefficients of row y of components in their bands, if the row is the strip's. `made` has, for each
 * component, the coefficients of an even row and then those of an odd one.
 */
FUNCTION void store_row(
    const struct strip *s, GLOBAL u32 *samples, u32 components, u32 stored, i32 y, u32 lower, const u32 *made)
{
    u32 row[2];
    if (y < s->y || y < s->y0 || y >= s->end || stored == 0)
        return;
    UNROLL for (u32 right = 0; right < 2; right++) row[right] =
        ((u32)y / 2 - (lower ? 0 : s->above)) * pick_word(s->table[0], 2 * lower + right) + (u32)(s->x / 2);
    if (stored & STORED_PAIRS) {
        UNROLL for (u32 band = 0; band < 2 * components; band++)
        {
            const u32 *from = stored_from(made, band, lower);
            *(GLOBAL u32x2 *)(GLOBAL void *)(samples + stored_at(s, row, band, lower)) = make_u32x2(from[0], from[2]);
        }
        return;
    }
    UNROLL for (u32 k = 0; k < STRIP_COLUMNS; k++) if (stored >> k & 1)
    {
        UNROLL for (u32 c = 0; c < components; c++)
        {
            const u32 band = 2 * c + k % 2;
            samples[stored_at(s, row, band, lower) + k / 2] = stored_from(made, band, lower)[k / 2 * 2];
        }
    }
}

/*
 * Go down a strip; `filter` names the filter's steps. `load(y, rows, next)` loads `words` words for each of `rows` rows
 * from y on, or of their mirror images, and `take(next, value)` converts those of a row to the samples of components,
 * which lie STRIP_LINE apart. The next two rows are loaded while two rows are transformed. The whole work-group calls
 * this.
 */
#define SINK(s, samples, filter, type, components, words, load, take)                                                  \
    STRIP_NEIGHBOURS(s)                                                                                                \
    const u32 stored = find_stored(&(s), components);                                                                  \
    struct kept_##filter kept[(components)*STRIP_COLUMNS];                                                             \
    const struct kept_##filter zero = {0};                                                                             \
    type value[(components)*STRIP_LINE], far[2 * (components)];                                                        \
    u32 next[2 * (words)], made[(components)*STRIP_LINE];                                                              \
    load((s).y - LEAD_##filter, 1, next);                                                                              \
    take(next, value);                                                                                                 \
    load((s).y - LEAD_##filter + 1, 2, next);                                                                          \
    UNROLL for (u32 i = 0; i < (components)*STRIP_COLUMNS; i++)                                                        \
    {                                                                                                                  \
        kept[i] = zero;                                                                                                \
        kept[i].even = value[i / STRIP_COLUMNS * STRIP_LINE + i % STRIP_COLUMNS];                                      \
    }                                                                                                                  \
    ROLL for (i32 y = (s).y - LEAD_##filter + 2; y - LEAD_##filter < (s).end; y += 2)                                  \
    {                                                                                                                  \
        take(next, value);                                                                                             \
        take(next + (words), value + STRIP_COLUMNS);                                                                   \
        if (y + 2 - LEAD_##filter < (s).end)                                                                           \
            load(y + 1, 2, next);                                                                                      \
        ANALYSE_COLUMNS_OF(s, filter, components, kept, value)                                                         \
        if ((s).x1 - (s).x0 == 1) {                                                                                    \
            UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) value[i] = doubled_##filter(value[i], (s).x0);    \
        } else {                                                                                                       \
            ANALYSE_ROWS_OF_##filter(2 * (components), value)                                                          \
        }                                                                                                              \
        UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) made[i] = bits_of_##type(value[i]);                   \
        store_row(&(s), samples, components, stored, y - LEAD_##filter, 0, made);                                      \
        store_row(&(s), samples, components, stored, y - LEAD_##filter + 1, 1, made);                                  \
    }
