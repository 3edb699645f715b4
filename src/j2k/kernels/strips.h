/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the inverse wavelet transform of a strip of a level (T.800 Annex F). A work-group computes up to
 * J2K_STRIP_WIDTH columns and goes down their rows, two at a time: a work-item has four columns, takes the samples
 * beside them from its neighbours, and keeps in registers what the next rows need, so that no sample of the transform
 * is ever in memory. Coefficients beside and above the strip that its samples depend on are transformed too; what lies
 * outside of the level is mirrored. All operations are those of the CPU's code.
 */
#include "j2k/kernels/store.h"
#include "j2k/kernels/strip.h"
#include "j2k/tables/transforms.h"

enum {
    /* How the coefficients of a level lie in the buffer of samples, where `format` is asked for. */
    STRIP_WORDS = 0,   /* 32 bits each */
    STRIP_HALVES = 1,  /* 16 bits each, and so have the samples that are made */
    STRIP_INDICES = 2, /* 16 bits, to be multiplied by their band's factor; LL has words */
    /* Rows above a strip on which its samples depend. */
    ABOVE_53 = 2,
    ABOVE_97 = 4,
    /* With the coefficients of rows y and y + 1, rows y − DELAY and y − DELAY + 1 are completed. */
    DELAY_53 = 1,
    DELAY_97 = 3
};

/* The words that a work-item loads of a component in two rows, and where those of a band are among them. */
#define STRIP_LOADED(format) ((format) == STRIP_WORDS ? STRIP_LINE : 4 + (format) / 2)
#define STRIP_BAND(format, band)                                                                                       \
    ((format) == STRIP_WORDS ? 2 * (band) : (format) == STRIP_HALVES || (band) == 0 ? (band) : 1 + (band))
#define STRIP_IS_WIDE(format, band) ((format) == STRIP_WORDS || ((format) == STRIP_INDICES && (band) == 0))

/* Load two coefficients of a row: neighbours at an even place, or with `place` at two places from `at` on. */
FUNCTION void load_words(GLOBAL const u32 *samples, u32 at, const u32 *place, u32 *word)
{
    if (place) {
        word[0] = samples[at + place[0]];
        word[1] = samples[at + place[2]];
    } else {
        const u32x2 both = ((GLOBAL const u32x2 *)(GLOBAL const void *)samples)[at / 2];
        word[0] = both.x;
        word[1] = both.y;
    }
}

/* Do the same with 16 bits each, the first one in the lower half of the word. */
FUNCTION u32 load_halves(GLOBAL const u32 *samples, u32 at, const u32 *place)
{
    return place ? join_halves(take_sample(samples, at + place[0], 1), take_sample(samples, at + place[2], 1))
                 : samples[at / 2];
}

/*
 * Load a work-item's coefficients in two rows, an even one and an odd one: STRIP_LOADED words of one component after
 * the other. `inside` is a constant that says whether no columns are mirrored, and pairs are at even places.
 */
FUNCTION void load_columns(const struct strip *s, GLOBAL const u32 *samples, u32 format, u32 components, u32 inside,
    i32 even, i32 odd, u32 *loaded)
{
    const u32x4 pitch = s->table[0];
    u32 row[4];
    UNROLL for (u32 band = 0; band < 4; band++) row[band] =
        (u32)(band < 2 ? even : odd) / 2 * pick_word(pitch, band) + (inside ? s->place[0] : 0);
    UNROLL for (u32 c = 0; c < components; c++)
    {
        const u32x4 place = s->table[1 + c];
        UNROLL for (u32 band = 0; band < 4; band++)
        {
            u32 *to = loaded + c * STRIP_LOADED(format) + STRIP_BAND(format, band);
            const u32 at = pick_word(place, band) + row[band], *mirrored = inside ? 0 : s->place + band % 2;
            if (STRIP_IS_WIDE(format, band))
                load_words(samples, at, mirrored, to);
            else
                to[0] = load_halves(samples, at, mirrored);
        }
    }
}

/*
 * Turn what was loaded into coefficients: `value` gets those of either row one after the other, for one component after
 * the other.
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

/* Load rows y and y + 1, or their mirror images; y is even. */
FUNCTION void load_rows(
    const struct strip *s, GLOBAL const u32 *samples, u32 format, u32 components, i32 y, u32 *loaded)
{
    i32 even = mirror(y, s->y0, s->y1), odd = mirror(y + 1, s->y0, s->y1);
    if (s->paired)
        load_columns(s, samples, format, components, 1, even, odd, loaded);
    else
        load_columns(s, samples, format, components, 0, even, odd, loaded);
}

/*
 * Make the lifting steps of the inverse 5/3 filter: x − floor((a + b + 2) / 4), and below x + floor((a + b) / 2). Sums
 * wrap.
 */
FUNCTION i32 lift_even(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x - (u32)((i32)((u32)a + (u32)b + 2) >> 2));
}

FUNCTION i32 lift_odd(i32 x, i32 a, i32 b)
{
    return (i32)((u32)x + (u32)((i32)((u32)a + (u32)b) >> 1));
}

/* Make a lifting step of the inverse 9/7 filter: x − factor × (a + b). */
FUNCTION float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

#define LIFT_DELTA(x, a, b) lift(x, J2K_DWT_DELTA, a, b)
#define LIFT_GAMMA(x, a, b) lift(x, J2K_DWT_GAMMA, a, b)
#define LIFT_BETA(x, a, b) lift(x, J2K_DWT_BETA, a, b)
#define LIFT_ALPHA(x, a, b) lift(x, J2K_DWT_ALPHA, a, b)

/* All steps along rows. A single odd column or row is halved (F.3.6). */
#define SYNTHESISE_ROWS_53(s, rows, value)                                                                             \
    if (is_one_column(&(s))) {                                                                                         \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] >>= (s).x0;                                    \
    } else {                                                                                                           \
        LIFT_EVEN_COLUMNS(i32, rows, value, lift_even)                                                                 \
        LIFT_ODD_COLUMNS(i32, rows, value, lift_odd)                                                                   \
    }

#define SYNTHESISE_ROWS_97(s, rows, value)                                                                             \
    if (is_one_column(&(s))) {                                                                                         \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *= (s).x0 == 1 ? 0.5f : 1.0f;                  \
    } else {                                                                                                           \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *=                                             \
            i % 2 != 0 ? J2K_DWT_INVERSE_SCALE : J2K_DWT_SCALE;                                                        \
        LIFT_EVEN_COLUMNS(float, rows, value, LIFT_DELTA)                                                              \
        LIFT_ODD_COLUMNS(float, rows, value, LIFT_GAMMA)                                                               \
        LIFT_EVEN_COLUMNS(float, rows, value, LIFT_BETA)                                                               \
        LIFT_ODD_COLUMNS(float, rows, value, LIFT_ALPHA)                                                               \
    }

/* Holds what a column keeps of the rows above: an odd row as it was loaded, and rows after the first steps. */
struct column_53 {
    i32 odd, even;
};

struct column_97 {
    float odd, even, second_odd, second_even;
};

/*
 * Take the next two rows of a column, which become those that are completed by them. A row that is the only one, and
 * which is loaded for all others too, is completed at once.
 */
FUNCTION void descend_53(const struct strip *s, struct column_53 *column, i32 *even, i32 *odd)
{
    i32 raised = lift_even(*even, column->odd, *odd), completed = lift_odd(column->odd, column->even, raised);
    column->odd = *odd;
    column->even = raised;
    *odd = is_one_row(s) ? *odd >> s->y0 : raised;
    *even = is_one_row(s) ? *even >> s->y0 : completed;
}

FUNCTION void descend_97(const struct strip *s, struct column_97 *column, float *even, float *odd)
{
    if (is_one_row(s)) {
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
 * Go down a strip; `filter` names the filter's steps. Coefficients of the next two rows are being loaded while two are
 * transformed. For each two rows from `row` on that are completed, which may be outside of the strip, `statement` gets
 * their samples in `made`, in the order of unpack_columns(). The whole work-group calls it.
 */
#define DESCEND(s, samples, filter, type, format, components, statement)                                               \
    u32 lane = local_index(), before = lane > 0 ? lane - 1 : 0, behind = lane + 1 < J2K_STRIP_GROUP ? lane + 1 : lane, \
        outermost =                                                                                                    \
            (lane == 0 ? 1u : 0u) | (lane + 1 == J2K_STRIP_GROUP || (s).x + STRIP_COLUMNS == (s).x1 ? 2u : 0u);        \
    struct column_##filter column[(components)*STRIP_COLUMNS];                                                         \
    const struct column_##filter zero = {0};                                                                           \
    UNROLL for (u32 i = 0; i < (components)*STRIP_COLUMNS; i++) column[i] = zero;                                      \
    u32 next[(components)*STRIP_LOADED(format)];                                                                       \
    load_rows(&(s), samples, format, components, (s).y - ABOVE_##filter, next);                                        \
    ROLL for (i32 y = (s).y - ABOVE_##filter; y - DELAY_##filter < (s).end; y += 2)                                    \
    {                                                                                                                  \
        u32 made[(components)*STRIP_LINE];                                                                             \
        type value[(components)*STRIP_LINE], far[2 * (components)];                                                    \
        unpack_columns(&(s), format, components, next, made);                                                          \
        UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) value[i] = type##_of(made[i]);                        \
        if (y + 2 - DELAY_##filter < (s).end)                                                                          \
            load_rows(&(s), samples, format, components, y + 2, next);                                                 \
        SYNTHESISE_ROWS_##filter(s, 2 * (components), value);                                                          \
        UNROLL for (u32 c = 0; c < (components); c++)                                                                  \
        {                                                                                                              \
            type *v = value + c * STRIP_LINE;                                                                          \
            UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)                                                             \
                descend_##filter(&(s), &column[c * STRIP_COLUMNS + i], &v[i], &v[i + STRIP_COLUMNS]);                  \
        }                                                                                                              \
        UNROLL for (u32 i = 0; i < (components)*STRIP_LINE; i++) made[i] = bits_of_##type(value[i]);                   \
        i32 row = y - DELAY_##filter;                                                                                  \
        statement;                                                                                                     \
    }
