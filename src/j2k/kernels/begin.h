/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes in three components whose pixels are interleaved bytes, and transforms their last level at once, so that its
 * samples are in no memory. A work-group goes down a strip of one of them, two rows at a time: of each column the
 * filter's last values stay in registers. Those of all three would leave room for a third of the work-groups. It does
 * what take_in and analyse_53 or analyse_97 do, and in the same order: columns first and then rows.
 */
#include "j2k/kernels/analyse.h"
#include "j2k/kernels/intake.h"
#include "j2k/kernels/strip.h"

enum {
    /* Work-groups that a multiprocessor shall hold: as many as keep all in registers. */
    BEGIN_GROUPS_53 = 28,
    BEGIN_GROUPS_97 = 32,
    PIXEL_WORDS = 3, /* of a work-item's pixels in a row */
    /* Rows y − BEHIND and y − BEHIND + 1 are completed with the samples of rows y − 1 and y. */
    BEHIND_53 = 2,
    BEHIND_97 = 4
};

/* Says where the pixels of a strip are. */
struct strip_pixels {
    GLOBAL const u8 *first; /* that of the level's first sample */
    i32 pitch;
    u32 whole; /* the work-item's pixels in a row are whole words of memory */
    u32 transform;
};

FUNCTION struct strip_pixels find_pixels(const struct strip *s, GLOBAL const struct j2k_work_view *view,
    GLOBAL const struct j2k_work_output *o, GLOBAL const u8 *pixels)
{
    struct strip_pixels p;
    u64 place = pixel_place(view, o->x, o->y);
    p.first = pixels + place;
#if defined(__CUDACC__)
    if (view->channel[0].absolute)
        p.first = (const u8 *)place;
#endif
    p.pitch = (i32)view->channel[0].pitch;
    p.whole = s->inside && (((u32)place + 3 * (u32)(s->x - s->x0)) & 3) == 0 && p.pitch % 4 == 0;
    p.transform = o->transform;
    return p;
}

/* Load a pixel: red in the lowest byte, then green and blue. */
FUNCTION u32 load_pixel(GLOBAL const u8 *from)
{
    return (u32)from[0] | (u32)from[1] << 8 | (u32)from[2] << 16;
}

/* Load a work-item's pixels of a row, or their mirror images, as their bytes follow each other in memory. */
FUNCTION void load_row(const struct strip *s, const struct strip_pixels *p, i32 y, u32 *word)
{
    GLOBAL const u8 *row = p->first + (i64)(mirror(y, s->y0, s->y1) - s->y0) * p->pitch;
    u32 pixel[STRIP_COLUMNS];
    if (p->whole) {
        GLOBAL const u32 *from = (GLOBAL const u32 *)(GLOBAL const void *)(row + 3 * (s->x - s->x0));
        UNROLL for (u32 i = 0; i < PIXEL_WORDS; i++) word[i] = from[i];
        return;
    }
    UNROLL for (i32 i = 0; i < STRIP_COLUMNS; i++) pixel[i] =
        load_pixel(row + 3 * (mirror(s->x + i, s->x0, s->x1) - s->x0));
    UNROLL for (u32 i = 0; i < PIXEL_WORDS; i++) word[i] = pixel[i] >> 8 * i | pixel[i + 1] << (24 - 8 * i);
}

/* Return a byte of pixels as a sample of 8 bits around 0 (G.1): an integer, or a number without conversion. */
FUNCTION i32 integer_sample(const u32 *word, u32 byte)
{
    return (i32)(word[byte / 4] >> byte % 4 * 8 & 255) - 128;
}

FUNCTION float real_sample(const u32 *word, u32 byte)
{
    return float_of(pick_bytes(word[byte / 4], 0x4B000000u, 0x7440 + byte % 4)) - (8388608.0f + 128.0f);
}

/* Turn the pixels of a row into samples of component `c` (G.2.1, G.3.1). */
FUNCTION void take_row_53(const u32 *word, u32 transform, u32 c, i32 *value)
{
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
    {
        i32 red = integer_sample(word, 3 * i), green = integer_sample(word, 3 * i + 1),
            blue = integer_sample(word, 3 * i + 2);
        if (transform == J2K_TRANSFORM_NONE)
            value[i] = c == 0 ? red : c == 1 ? green : blue;
        else
            value[i] = c == 0 ? (red + 2 * green + blue) >> 2 : (c == 1 ? blue : red) - green;
    }
}

FUNCTION void take_row_97(const u32 *word, u32 transform, u32 c, float *value)
{
    float from_red = c == 0 ? J2K_ICT_Y_RED : c == 1 ? -J2K_ICT_CB_RED : 0.5f;
    float from_green = c == 0 ? J2K_ICT_Y_GREEN : c == 1 ? -J2K_ICT_CB_GREEN : -J2K_ICT_CR_GREEN;
    float from_blue = c == 0 ? J2K_ICT_Y_BLUE : c == 1 ? 0.5f : -J2K_ICT_CR_BLUE;
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
    {
        float red = real_sample(word, 3 * i), green = real_sample(word, 3 * i + 1), blue = real_sample(word, 3 * i + 2);
        if (transform == J2K_TRANSFORM_NONE)
            value[i] = c == 0 ? red : c == 1 ? green : blue;
        else
            value[i] = from_red * red + from_green * green + from_blue * blue;
    }
}

/* Holds what a column keeps of the rows above: the last even one, and rows after the first steps. */
struct sunk_53 {
    i32 even, odd;
};

struct sunk_97 {
    float even, odd, first_even, second_odd;
};

/*
 * Take the next two rows of a column, an odd one and the even one below it, which become those that are completed by
 * them: a high one and the low one above it. A row that is the only one is completed at once, and doubled if it is odd
 * (F.4.6).
 */
FUNCTION void sink_53(const struct strip *s, struct sunk_53 *column, i32 *even, i32 *odd)
{
    if (is_one_row(s)) {
        *odd = (i32)((u32)*odd << s->y0);
        return;
    }
    i32 high = predict(*odd, column->even, *even), low = update(column->even, column->odd, high);
    column->even = *even;
    column->odd = high;
    *even = low;
    *odd = high;
}

FUNCTION void sink_97(const struct strip *s, struct sunk_97 *column, float *even, float *odd)
{
    if (is_one_row(s)) {
        *odd *= s->y0 == 1 ? 2.0f : 1.0f;
        return;
    }
    float first = raise(*odd, J2K_DWT_ALPHA, column->even, *even);
    float second = raise(column->even, J2K_DWT_BETA, column->odd, first);
    float third = raise(column->odd, J2K_DWT_GAMMA, column->first_even, second);
    float fourth = raise(column->first_even, J2K_DWT_DELTA, column->second_odd, third);
    column->even = *even;
    column->odd = first;
    column->first_even = second;
    column->second_odd = third;
    *even = J2K_DWT_INVERSE_SCALE * fourth;
    *odd = J2K_DWT_SCALE * third;
}

#define RAISE_ALPHA(x, a, b) raise(x, J2K_DWT_ALPHA, a, b)
#define RAISE_BETA(x, a, b) raise(x, J2K_DWT_BETA, a, b)
#define RAISE_GAMMA(x, a, b) raise(x, J2K_DWT_GAMMA, a, b)
#define RAISE_DELTA(x, a, b) raise(x, J2K_DWT_DELTA, a, b)

/* All steps along rows. A single odd column is doubled. */
#define ANALYSE_STRIP_53(s, rows, value)                                                                               \
    if (is_one_column(&(s))) {                                                                                         \
        UNROLL for (u32 i = 1; i < (rows)*STRIP_COLUMNS; i += 2)(value)[i] = (i32)((u32)(value)[i] << (s).x0);         \
    } else {                                                                                                           \
        LIFT_ODD_COLUMNS(i32, rows, value, predict)                                                                    \
        LIFT_EVEN_COLUMNS(i32, rows, value, update)                                                                    \
    }

#define ANALYSE_STRIP_97(s, rows, value)                                                                               \
    if (is_one_column(&(s))) {                                                                                         \
        UNROLL for (u32 i = 1; i < (rows)*STRIP_COLUMNS; i += 2)(value)[i] *= (s).x0 == 1 ? 2.0f : 1.0f;               \
    } else {                                                                                                           \
        LIFT_ODD_COLUMNS(float, rows, value, RAISE_ALPHA)                                                              \
        LIFT_EVEN_COLUMNS(float, rows, value, RAISE_BETA)                                                              \
        LIFT_ODD_COLUMNS(float, rows, value, RAISE_GAMMA)                                                              \
        LIFT_EVEN_COLUMNS(float, rows, value, RAISE_DELTA)                                                             \
        UNROLL for (u32 i = 0; i < (rows)*STRIP_COLUMNS; i++)(value)[i] *=                                             \
            i % 2 != 0 ? J2K_DWT_SCALE : J2K_DWT_INVERSE_SCALE;                                                        \
    }

/*
 * Store the coefficients of row y in their bands, if the row is the strip's. `odd`: y is odd, and must be a constant.
 */
FUNCTION void store_coefficients(const struct strip *s, GLOBAL u32 *samples, i32 y, u32 odd, const u32 *made)
{
    const u32x4 pitch = s->table[0];
    if (y < s->y || y < s->y0 || y >= s->end)
        return;
    UNROLL for (u32 right = 0; right < 2; right++)
    {
        const u32 band = 2 * odd + right, *from = made + odd * STRIP_COLUMNS + right;
        const u32 at = pick_word(s->table[1], band) + (u32)y / 2 * pick_word(pitch, band);
        if (s->inside) {
            if (s->x >= s->left && s->x < s->right)
                ((GLOBAL u32x2 *)(GLOBAL void *)samples)[(at + (u32)s->x / 2) / 2] = make_u32x2(from[0], from[2]);
        } else {
            UNROLL for (i32 k = 0; k < STRIP_COLUMNS; k += 2)
            {
                const i32 x = s->x + k + (i32)right;
                if (x >= s->left && x < s->right)
                    samples[at + (u32)x / 2] = from[k];
            }
        }
    }
}

/*
 * A kernel for a filter. A launch takes the outputs of a decoder whose last level is computed with them; of each
 * three work-groups, every one has a component of the same strip.
 */
#define BEGIN(name, filter, type)                                                                                      \
    DENSE_KERNEL(J2K_STRIP_GROUP, BEGIN_GROUPS_##filter)                                                               \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT pixels, GLOBAL u32 *RESTRICT samples, u32 list,    \
        u32 count, u32 first_output)                                                                                   \
    {                                                                                                                  \
        STRIP_MEMORY(1)                                                                                                \
        GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;                           \
        GLOBAL const u32 *groups = work + list;                                                                        \
        u32 index = find_owner(groups, count, group_index()), group = group_index() - groups[index], c = group % 3;    \
        GLOBAL const struct j2k_work_output *o =                                                                       \
            (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;                       \
        const struct strip s =                                                                                         \
            strip_of((GLOBAL const struct j2k_work_level *)(work + head->level) + o->level + c, 1, group / 3, table);  \
        const struct strip_pixels p =                                                                                  \
            find_pixels(&s, (GLOBAL const struct j2k_work_view *)(work + head->view) + o->view, o, pixels);            \
        u32 lane = local_index(), before = lane > 0 ? lane - 1 : 0,                                                    \
            behind = lane + 1 < J2K_STRIP_GROUP ? lane + 1 : lane,                                                     \
            outermost = (lane == 0 ? 1u : 0u) | (lane + 1 == J2K_STRIP_GROUP ? 2u : 0u);                               \
        struct sunk_##filter column[STRIP_COLUMNS];                                                                    \
        const struct sunk_##filter zero = {0};                                                                         \
        UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++) column[i] = zero;                                               \
        u32 next[2 * PIXEL_WORDS];                                                                                     \
        load_row(&s, &p, s.y - BEHIND_##filter, next);                                                                 \
        load_row(&s, &p, s.y - BEHIND_##filter - 1, next + PIXEL_WORDS);                                               \
        ROLL for (i32 y = s.y - BEHIND_##filter; y - BEHIND_##filter < s.end; y += 2)                                  \
        {                                                                                                              \
            u32 made[STRIP_LINE];                                                                                      \
            type value[STRIP_LINE], far[2];                                                                            \
            take_row_##filter(next, p.transform, c, value);                                                            \
            take_row_##filter(next + PIXEL_WORDS, p.transform, c, value + STRIP_COLUMNS);                              \
            if (y + 2 - BEHIND_##filter < s.end) {                                                                     \
                load_row(&s, &p, y + 2, next);                                                                         \
                load_row(&s, &p, y + 1, next + PIXEL_WORDS);                                                           \
            }                                                                                                          \
            UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)                                                             \
                sink_##filter(&s, &column[i], &value[i], &value[STRIP_COLUMNS + i]);                                   \
            ANALYSE_STRIP_##filter(s, 2, value);                                                                       \
            UNROLL for (u32 i = 0; i < STRIP_LINE; i++) made[i] = bits_of_##type(value[i]);                            \
            store_coefficients(&s, samples, y - BEHIND_##filter, 0, made);                                             \
            store_coefficients(&s, samples, y - BEHIND_##filter + 1, 1, made);                                         \
        }                                                                                                              \
    }

BEGIN(begin_53, 53, i32)
BEGIN(begin_97, 97, float)
