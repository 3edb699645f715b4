/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse wavelet transforms (T.800 F.3.8), as rows by turns: across each row, then what has come in so far down.
 */
#include "cpu/j2k_dwt.h"

#include <string.h>

#include "cpu/j2k_dwt_rows.h"

size_t kst_j2k_synthesis_room(uint32_t width)
{
    return (J2K_DWT_ROWS + 2) * j2k_dwt_row(width) * 4;
}

static size_t width_of(const struct j2k_level *level)
{
    return level->rect.x1 - level->rect.x0;
}

/* Coefficients of one half of a row, scaled for 9/7. */
static void copy_half(const struct j2k_synthesis *s, const uint32_t *from, size_t count, int64_t parity, uint32_t *to)
{
    if (s->level->reversible)
        memcpy(to, from, sizeof *to * count);
    else
        s->steps->scale((const float *)from, count, parity ? J2K_DWT_HIGH_SCALE : J2K_DWT_LOW_SCALE, (float *)to);
}

/* One half of a row with its mirror images: even positions with parity 0, odd ones with 1. */
static void load_half(const struct j2k_synthesis *s, const uint32_t *from, int64_t parity)
{
    int64_t x0 = s->level->rect.x0, x1 = s->level->rect.x1;
    int64_t first = x0 / 2 - J2K_DWT_MARGIN, end = x1 / 2 + J2K_DWT_MARGIN;
    int64_t begin = (x0 + 1 - parity) / 2, stop = (x1 + 1 - parity) / 2;
    uint32_t *half = s->half[parity];
    copy_half(s, from, (size_t)(stop - begin), parity, half + (begin - first));
    for (int64_t n = first; n < begin; n++)
        half[n - first] = half[begin - first + j2k_half_index(j2k_mirror(2 * n + parity, x0, x1), x0)];
    for (int64_t n = stop; n < end; n++)
        half[n - first] = half[begin - first + j2k_half_index(j2k_mirror(2 * n + parity, x0, x1), x0)];
}

/* F.3.6: one coefficient alone; at an odd position it is halved. */
static void halve(const struct j2k_level *level, uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count && level->reversible; i++)
        ((int32_t *)values)[i] >>= 1;
    for (size_t i = 0; i < count && !level->reversible; i++)
        ((float *)values)[i] *= 0.5F;
}

/* 1D_SR of row y (F.3.6). */
static void make_row(const struct j2k_synthesis *s, int64_t y, uint32_t *to)
{
    const struct j2k_level *level = s->level;
    struct j2k_halves halves = j2k_find_row(level, y);
    size_t width = width_of(level), skip = level->rect.x0 % 2;
    if (width == 1) {
        *to = *halves.low;
        halve(level, to, skip);
        return;
    }
    size_t pairs = level->rect.x1 / 2 - level->rect.x0 / 2 + 2 * J2K_DWT_MARGIN;
    load_half(s, halves.low, 0);
    load_half(s, halves.high, 1);
    if (level->reversible)
        s->steps->join_53((int32_t *)s->half[0], (int32_t *)s->half[1], pairs, skip, width, (int32_t *)to);
    else
        s->steps->join_97((float *)s->half[0], (float *)s->half[1], pairs, skip, width, (float *)to);
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *kept = *a;
    *a = *b;
    *b = kept;
}

/* Rows of scratch memory by what they hold. */
enum {
    LOW = 0,
    HIGH = 1,
    EVEN = 2,
    ODD = 3,
    STATE = 4, /* 9/7: four rows */
    ABOVE_53 = 5
};

/* What comes before the first round; of 9/7 the first two rounds only fill the state. */
static void prime(struct j2k_synthesis *s)
{
    const struct j2k_level *level = s->level;
    size_t width = width_of(level);
    s->n = s->y0 / 2;
    if (level->reversible) {
        make_row(s, 2 * s->n - 1, s->row[ABOVE_53]);
        memset(s->row[STATE], 0, sizeof(uint32_t) * width);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        memset(s->row[STATE + i], 0, sizeof(uint32_t) * width);
    make_row(s, 2 * s->n - 3, s->row[HIGH]);
    s->steps->scale((const float *)s->row[HIGH], width, J2K_DWT_HIGH_SCALE, (float *)s->row[STATE]);
    s->n--;
}

void kst_j2k_synthesis_begin(struct j2k_synthesis *s, const struct j2k_inverse *steps, const struct j2k_level *level,
    uint32_t y0, uint32_t y1, void *to, size_t pitch, void *room)
{
    size_t row = j2k_dwt_row(level->rect.x1 - level->rect.x0);
    *s = (struct j2k_synthesis){.steps = steps, .level = level, .y0 = y0, .y1 = y1, .to = to, .pitch = pitch};
    for (size_t i = 0; i < 2; i++)
        s->half[i] = (uint32_t *)room + i * row;
    for (size_t i = 0; i < J2K_DWT_ROWS; i++)
        s->row[i] = (uint32_t *)room + (i + 2) * row;
    if (y0 < y1 && width_of(level) > 0 && level->rect.y1 - level->rect.y0 > 1)
        prime(s);
}

/* Where row y goes: to the caller, if it is one that is wanted. */
static uint32_t *row_at(const struct j2k_synthesis *s, int64_t y, uint32_t place)
{
    bool wanted = y >= s->y0 && y < s->y1;
    return wanted && s->to ? (uint32_t *)s->to + (size_t)(y - s->y0) * s->pitch : s->row[place];
}

/* The rows `even` and the odd one above it, as far as they are wanted. */
static bool hand_out(
    const struct j2k_synthesis *s, int64_t even, uint32_t *even_row, uint32_t *odd_row, struct j2k_made_rows *rows)
{
    *rows = (struct j2k_made_rows){.y = (uint32_t)even};
    if (even - 1 >= s->y0 && even - 1 < s->y1) {
        rows->y = (uint32_t)(even - 1);
        rows->row[rows->count++] = odd_row;
    }
    if (even >= s->y0 && even < s->y1)
        rows->row[rows->count++] = even_row;
    return rows->count > 0;
}

static void round_53(struct j2k_synthesis *s, uint32_t *even, uint32_t *odd)
{
    uint32_t **row = s->row;
    make_row(s, 2 * s->n, row[LOW]);
    make_row(s, 2 * s->n + 1, row[HIGH]);
    s->steps->lift_53((int32_t *)row[LOW], (int32_t *)row[ABOVE_53], (int32_t *)row[HIGH], (int32_t *)row[STATE],
        (int32_t *)even, (int32_t *)odd, width_of(s->level));
    swap(&row[HIGH], &row[ABOVE_53]);
}

static void round_97(struct j2k_synthesis *s, uint32_t *even, uint32_t *odd)
{
    uint32_t **row = s->row;
    float *const state[] = {
        (float *)row[STATE], (float *)row[STATE + 1], (float *)row[STATE + 2], (float *)row[STATE + 3]};
    make_row(s, 2 * s->n, row[LOW]);
    make_row(s, 2 * s->n + 1, row[HIGH]);
    s->steps->lift_97((float *)row[LOW], (float *)row[HIGH], state, (float *)even, (float *)odd, width_of(s->level));
}

/* A level of one row. */
static bool only_row(struct j2k_synthesis *s, struct j2k_made_rows *rows)
{
    if (s->n > 0)
        return false;
    uint32_t *row = row_at(s, s->y0, EVEN);
    make_row(s, s->y0, row);
    if (s->y0 % 2 == 1)
        halve(s->level, row, width_of(s->level));
    *rows = (struct j2k_made_rows){.y = s->y0, .count = 1, .row = {row}};
    s->n = 1;
    return true;
}

bool kst_j2k_synthesis_next(struct j2k_synthesis *s, struct j2k_made_rows *rows)
{
    bool reversible = s->level->reversible;
    int64_t last = s->y1 / 2 + !reversible;
    if (s->y0 >= s->y1 || width_of(s->level) == 0)
        return false;
    if (s->level->rect.y1 - s->level->rect.y0 == 1)
        return only_row(s, rows);
    bool made = false;
    for (; s->n <= last && !made; s->n++) {
        int64_t y = reversible ? 2 * s->n : 2 * s->n - 2;
        uint32_t *even = row_at(s, y, EVEN), *odd = row_at(s, y - 1, ODD);
        if (reversible)
            round_53(s, even, odd);
        else
            round_97(s, even, odd);
        made = hand_out(s, y, even, odd, rows);
    }
    return made;
}

void kst_j2k_synthesise(const struct j2k_inverse *steps, const struct j2k_level *level, uint32_t y0, uint32_t y1,
    void *to, size_t pitch, void *room)
{
    struct j2k_synthesis synthesis;
    struct j2k_made_rows rows;
    kst_j2k_synthesis_begin(&synthesis, steps, level, y0, y1, to, pitch, room);
    while (kst_j2k_synthesis_next(&synthesis, &rows))
        continue;
}
