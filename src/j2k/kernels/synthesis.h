/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the inverse wavelet transform of a strip: rows are transformed first, and then columns. */
#include "j2k/kernels/store.h"
#include "j2k/kernels/strips.h"

enum {
    /* Values of `format`: how the coefficients of a level lie in the buffer of samples. */
    STRIP_WORDS = 0,   /* 32 bits each */
    STRIP_HALVES = 1,  /* 16 bits each; the resulting samples have 16 bits, too */
    STRIP_INDICES = 2, /* 16 bits each, to be multiplied by the factor of their band; those of LL have 32 bits */
    /* Rows above a strip on which its samples depend. */
    ABOVE_53 = 2,
    ABOVE_97 = 4,
    /* The coefficients of rows y and y + 1 complete rows y − DELAY and y − DELAY + 1. */
    DELAY_53 = 1,
    DELAY_97 = 3,
    /* A level of so many rows mirrors each row that strips load at most once. */
    MIRRORED_ONCE = 16,
    /*
     * Pairs of rows after which the registers of a column have the roles again that they had before: code for so many
     * moves nothing from one register to another.
     */
    ROLES_53 = 2,
    ROLES_97 = 3
};

/*
 * Return whether each work-item's columns lie either all in the level, or all behind it, where they are not needed; and
 * pairs of coefficients lie at even places. All of a group get the same answer.
 */
FUNCTION u32 has_whole_columns(const struct strip *s, u32 components)
{
    const i32 first = s->x - STRIP_COLUMNS * (i32)local_index();
    return first >= s->x0 && (first + J2K_STRIP_WIDTH <= s->x1 || (s->x1 - first) % STRIP_COLUMNS == 0) &&
           is_even(s->table, components);
}

/*
 * Return the strip of a group, as strip_of() does. `place` becomes the places of a work-item's columns, or of their
 * mirror images, in rows of their bands. `inside`: has_whole_columns().
 */
FUNCTION struct strip strip_of_bands(
    GLOBAL const struct j2k_work_level *level, u32 components, u32 group, LOCAL u32x4 *table)
{
    struct strip s = strip_of(level, components, group, table);
    UNROLL for (i32 i = 0; i < STRIP_COLUMNS; i++) s.place[i] = (u32)mirror(s.x + i, s.x0, s.x1) / 2;
    s.inside = has_whole_columns(&s, components);
    return s;
}

/* Return whether a strip is regular: its columns are `inside`, and its level mirrors each row at most once. */
FUNCTION u32 is_regular_strip(const struct strip *s)
{
    return s->inside && s->y1 - s->y0 >= MIRRORED_ONCE;
}

/*
 * The number of words that a work-item loads of a component in two rows, and the index of a band's first word among
 * them.
 */
#define STRIP_LOADED(format) ((format) == STRIP_WORDS ? STRIP_LINE : 4 + (format) / 2)
#define STRIP_BAND(format, band)                                                                                       \
    ((format) == STRIP_WORDS ? 2 * (band) : (format) == STRIP_HALVES || (band) == 0 ? (band) : 1 + (band))
#define STRIP_IS_WIDE(format, band) ((format) == STRIP_WORDS || ((format) == STRIP_INDICES && (band) == 0))

/* Halve the pitches and places in a table, as load_pair() takes them. The whole work-group calls this. */
FUNCTION void halve_table(u32 components, LOCAL u32x4 *table)
{
    barrier_local();
    if (local_index() < 4 + 4 * components)
        ((LOCAL u32 *)table)[local_index()] /= 2;
    barrier_local();
}

/*
 * Load two coefficients of a band from a place that is given in pairs. Wide coefficients make two words, others one,
 * with the first coefficient in the lower half.
 */
FUNCTION void load_pair(GLOBAL const u32 *samples, u32 wide, u32 at, u32 *word)
{
    if (wide) {
        const u32x2 both = ((GLOBAL const u32x2 *)(GLOBAL const void *)samples)[at];
        word[0] = both.x;
        word[1] = both.y;
    } else {
        word[0] = samples[at];
    }
}

/* Return a value in a way that keeps the compiler from computing a sum of it and others in another order. */
FUNCTION u32 kept(u32 value)
{
#if defined(__CUDACC__)
    asm("" : "+r"(value));
#endif
    return value;
}

/* Load two coefficients that may lie apart. `column` says where the work-item's columns of the band lie in the row at
 * place `at`. */
FUNCTION void load_apart(GLOBAL const u32 *samples, u32 wide, u32 at, const u32 *column, u32 *word)
{
    const u32 first = take_sample(samples, at + column[0], !wide), second = take_sample(samples, at + column[2], !wide);
    word[0] = wide ? first : join_halves(first, second);
    if (wide)
        word[1] = second;
}

/*
 * Load a work-item's coefficients in two rows, y and y + 1, or in their mirror images; y is even. There are
 * STRIP_LOADED words for each component. `regular` is a constant; if it is set, the table must have been halved.
 */
FUNCTION void load_rows(
    const struct strip *s, GLOBAL const u32 *samples, u32 format, u32 components, u32 regular, i32 y, u32 *loaded)
{
    const u32x4 pitch = s->table[0];
    const i32 even = regular ? mirror_once(y, s->y0, s->y1) : mirror(y, s->y0, s->y1);
    const i32 odd = regular ? mirror_once(y + 1, s->y0, s->y1) : mirror(y + 1, s->y0, s->y1);
    UNROLL for (u32 band = 0; band < 4; band++)
    {
        const u32 down = band < 2 ? (u32)even / 2 - s->above : (u32)odd / 2;
        const u32 row = kept(down * pick_word(pitch, band) + (regular ? s->place[0] / 2 : 0));
        UNROLL for (u32 c = 0; c < components; c++)
        {
            u32 *to = loaded + c * STRIP_LOADED(format) + STRIP_BAND(format, band);
            const u32 place = pick_word(s->table[1 + c], band), wide = STRIP_IS_WIDE(format, band);
            if (regular)
                load_pair(samples, wide, row + place, to);
            else
                load_apart(samples, wide, row + place, s->place + band % 2, to);
        }
    }
}

/*
 * Convert what was loaded to coefficients. `value` receives, for each component, those of the first row and then those
 * of the second one.
 */
FUNCTION void unpack_columns(const struct strip *s, u32 format, u32 components, const u32 *loaded, u32 *value)
{
    UNROLL for (u32 c = 0; c < components; c++) UNROLL for (u32 band = 0; band < 4; band++)
    {
        const u32 *from = loaded + c * STRIP_LOADED(format) + STRIP_BAND(format, band);
        u32 *to = value + c * STRIP_LINE + band / 2 * STRIP_COLUMNS + band % 2;
        const i32 low = (i32)(from[0] << 16) >> 16, high = (i32)from[0] >> 16;
        if (STRIP_IS_WIDE(format, band)) {
            to[0] = from[0];
            to[2] = from[1];
        } else if (format == STRIP_HALVES) {
            to[0] = (u32)low;
            to[2] = (u32)high;
        } else {
            const float factor = as_real(pick_word(s->table[1 + components + c], band));
            to[0] = real_bits((float)low * factor);
            to[2] = real_bits((float)high * factor);
        }
    }
}

/*
 * Perform the lifting steps of the inverse 5/3 filter: x − floor((a + b + 2) / 4), and in the next function x +
 * floor((a + b) / 2). Sums wrap.
 */
FUNCTION i32 lift_even(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

FUNCTION i32 lift_odd(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b) >> 1));
}

/* Perform a lifting step of the inverse 9/7 filter: x − factor × (a + b). */
FUNCTION float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

#define LIFT_DELTA(x, a, b) lift(x, J2K_DWT_DELTA, a, b)
#define LIFT_GAMMA(x, a, b) lift(x, J2K_DWT_GAMMA, a, b)
#define LIFT_BETA(x, a, b) lift(x, J2K_DWT_BETA, a, b)
#define LIFT_ALPHA(x, a, b) lift(x, J2K_DWT_ALPHA, a, b)

/*
 * Perform all steps along rows. A single column or row at an odd position is halved (F.3.6). Here and in the functions
 * below, `regular` is a constant that says whether the strip is regular; its level has several columns and rows then.
 */
#define SYNTHESISE_ROWS_53(s, regular, rows, value)                                                                    \
    if (!(regular) && is_one_column(&(s))) {                                                                           \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] >>= (s).x0;                                    \
    } else {                                                                                                           \
        LIFT_EVEN_COLUMNS(i32, rows, value, lift_even)                                                                 \
        LIFT_ODD_COLUMNS(i32, rows, value, lift_odd)                                                                   \
    }

#define SYNTHESISE_ROWS_97(s, regular, rows, value)                                                                    \
    if (!(regular) && is_one_column(&(s))) {                                                                           \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *= (s).x0 == 1 ? 0.5f : 1.0f;                  \
    } else {                                                                                                           \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *=                                             \
            i % 2 != 0 ? J2K_DWT_INVERSE_SCALE : J2K_DWT_SCALE;                                                        \
        LIFT_EVEN_COLUMNS(float, rows, value, LIFT_DELTA)                                                              \
        LIFT_ODD_COLUMNS(float, rows, value, LIFT_GAMMA)                                                               \
        LIFT_EVEN_COLUMNS(float, rows, value, LIFT_BETA)                                                               \
        LIFT_ODD_COLUMNS(float, rows, value, LIFT_ALPHA)                                                               \
    }

/* Holds what a column keeps of the rows above: the last odd row before lifting, and rows after the first steps. */
struct column_53 {
    i32 odd, even;
};

struct column_97 {
    float odd, even, second_odd, second_even;
};

/*
 * Process the next two rows of a column, which become the two rows that these complete. If a level has a single row, it
 * is loaded for all others, too, and is completed at once.
 */
FUNCTION void descend_53(const struct strip *s, u32 regular, struct column_53 *column, i32 *even, i32 *odd)
{
    if (!regular && is_one_row(s)) {
        *even >>= s->y0;
        *odd = *even;
        return;
    }
    i32 raised = lift_even(*even, column->odd, *odd), completed = lift_odd(column->odd, column->even, raised);
    column->odd = *odd;
    column->even = raised;
    *odd = raised;
    *even = completed;
}

FUNCTION void descend_97(const struct strip *s, u32 regular, struct column_97 *column, float *even, float *odd)
{
    if (!regular && is_one_row(s)) {
        *even *= s->y0 == 1 ? 0.5f : 1.0f;
        *odd = *even;
        return;
    }
    float own = J2K_DWT_SCALE * *even, next = J2K_DWT_INVERSE_SCALE * *odd;
    float first = LIFT_DELTA(own, column->odd, next), second = LIFT_GAMMA(column->odd, column->even, first);
    float third = LIFT_BETA(column->even, column->second_odd, second);
    *even = LIFT_ALPHA(column->second_odd, column->second_even, third);
    *odd = third;
    column->odd = next;
    column->even = first;
    column->second_odd = second;
    column->second_even = third;
}

/*
 * Go down a strip. The coefficients of the next two rows are loaded while two rows are transformed. `statement` runs
 * for each two completed rows, from `row` on, which may be outside of the strip; `made` holds their samples in the
 * order of unpack_columns(). `roles` pairs of rows are written out one after the other.
 */
#define GO_DOWN(s, samples, filter, type, format, components, regular, roles, statement)                               \
    load_rows(&(s), samples, format, components, regular, (s).y - ABOVE_##filter, next);                               \
    ROLL for (i32 y = (s).y - ABOVE_##filter; y - DELAY_##filter < (s).end;)                                           \
    {                                                                                                                  \
        WRITTEN_OUT for (u32 role = 0; role < (roles); role++, y += 2)                                                 \
        {                                                                                                              \
            u32 made[(components)*STRIP_LINE];                                                                         \
            type value[(components)*STRIP_LINE], far[2 * (components)];                                                \
            unpack_columns(&(s), format, components, next, made);                                                      \
            UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) value[i] = type##_of(made[i]);                    \
            load_rows(&(s), samples, format, components, regular, y + 2, next);                                        \
            SYNTHESISE_ROWS_##filter(s, regular, 2 * (components), value);                                             \
            UNROLL for (u32 c = 0; c < (components); c++)                                                              \
            {                                                                                                          \
                type *v = value + c * STRIP_LINE;                                                                      \
                UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)                                                         \
                    descend_##filter(&(s), regular, &column[c * STRIP_COLUMNS + i], &v[i], &v[i + STRIP_COLUMNS]);     \
            }                                                                                                          \
            UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) made[i] = bits_of_##type(value[i]);               \
            i32 row = y - DELAY_##filter;                                                                              \
            statement;                                                                                                 \
        }                                                                                                              \
    }

/*
 * Transform a strip; `filter` names the filter's steps. `regular` says whether `swift` rather than `statement` runs for
 * completed rows; the strip must be regular then. The whole work-group calls this, with the same `regular`.
 */
#define DESCEND(s, samples, filter, type, format, components, regular, swift, statement)                               \
    STRIP_NEIGHBOURS(s)                                                                                                \
    struct column_##filter column[(components)*STRIP_COLUMNS];                                                         \
    const struct column_##filter zero = {0};                                                                           \
    UNROLL for (u32 i = 0; i < (components)*STRIP_COLUMNS; i++) column[i] = zero;                                      \
    u32 next[(components)*STRIP_LOADED(format)];                                                                       \
    if (FOR_ALL(regular)) {                                                                                            \
        halve_table(components, table);                                                                                \
        GO_DOWN(s, samples, filter, type, format, components, 1, ROLES_##filter, swift)                                \
    } else {                                                                                                           \
        GO_DOWN(s, samples, filter, type, format, components, 0, 1, statement)                                         \
    }
