/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the inverse wavelet transforms (T.800 F.3.8) over rows: first along a row, then vertically as far as rows are
 * available.
 */
#include "j2k/cpu/dwt/dwt.h"

#include <string.h>

#include "j2k/cpu/dwt/dwt_rows.h"

size_t kst_j2k_cpu_synthesis_room(uint32_t width)
{
    return (J2K_DWT_ROWS + 2) * j2k_dwt_row(width) * 4;
}

static size_t width_of(const struct j2k_level *level)
{
    return level->rect.x1 - level->rect.x0;
}

/* Copy the coefficients of one half of a row; for 9/7 they are scaled. */
static void copy_half(const struct j2k_synthesis *s, const void *from, size_t count, int64_t parity, void *to)
{
    if (s->level->reversible)
        memcpy(to, from, j2k_sample_size(s->level) * count);
    else
        s->steps->scale(from, count, parity ? J2K_DWT_INVERSE_SCALE : J2K_DWT_SCALE, to);
}

/* Load one half of a row with its mirror images: even positions for parity 0, odd positions for parity 1. */
static void load_half(const struct j2k_synthesis *s, const void *from, int64_t parity)
{
    int64_t x0 = s->level->rect.x0, x1 = s->level->rect.x1;
    int64_t first = x0 / 2 - J2K_DWT_MARGIN, end = x1 / 2 + J2K_DWT_MARGIN;
    int64_t begin = (x0 + 1 - parity) / 2, stop = (x1 + 1 - parity) / 2;
    size_t size = j2k_sample_size(s->level);
    uint8_t *half = s->half[parity], *own = half + (size_t)(begin - first) * size;
    copy_half(s, from, (size_t)(stop - begin), parity, own);
    for (int64_t n = first; n < end; n = n + 1 == begin ? stop : n + 1) /* all except those just copied */
        memcpy(half + (size_t)(n - first) * size,
            own + (size_t)j2k_half_index(j2k_mirror(2 * n + parity, x0, x1), x0) * size, size);
}

/* Halve single coefficients: a coefficient alone at an odd position is halved (F.3.6). */
static void halve(const struct j2k_level *level, void *values, size_t count)
{
    for (size_t i = 0; i < count && level->narrow; i++)
        ((int16_t *)values)[i] >>= 1;
    for (size_t i = 0; i < count && level->reversible && !level->narrow; i++)
        ((int32_t *)values)[i] >>= 1;
    for (size_t i = 0; i < count && !level->reversible; i++)
        ((float *)values)[i] *= 0.5F;
}

/* Compute row y across: 1D_SR (F.3.6). */
static void make_row(const struct j2k_synthesis *s, int64_t y, void *to)
{
    const struct j2k_level *level = s->level;
    struct j2k_halves halves = j2k_find_row(level, y);
    size_t width = width_of(level), skip = level->rect.x0 % 2;
    if (width == 1) {
        memcpy(to, halves.low, j2k_sample_size(level));
        halve(level, to, skip);
        return;
    }
    size_t pairs = level->rect.x1 / 2 - level->rect.x0 / 2 + 2 * J2K_DWT_MARGIN;
    void *even = s->half[0], *odd = s->half[1];
    load_half(s, halves.low, 0);
    load_half(s, halves.high, 1);
    if (level->narrow)
        s->steps->join_53_narrow(even, odd, pairs, skip, width, to);
    else if (level->reversible)
        s->steps->join_53(even, odd, pairs, skip, width, to);
    else
        s->steps->join_97(even, odd, pairs, skip, width, to);
}

static void swap(void **a, void **b)
{
    void *kept = *a;
    *a = *b;
    *b = kept;
}

/* The rows of scratch memory, by what they hold. */
enum {
    LOW = 0,
    HIGH = 1,
    EVEN = 2,
    ODD = 3,
    STATE = 4, /* 9/7: four rows */
    ABOVE_53 = 5
};

/* Prepare what the first round needs. For 9/7 the first two rounds only fill the state. */
static void prime(struct j2k_synthesis *s)
{
    const struct j2k_level *level = s->level;
    size_t width = width_of(level);
    s->n = s->y0 / 2;
    if (level->reversible) {
        make_row(s, 2 * s->n - 1, s->row[ABOVE_53]);
        memset(s->row[STATE], 0, j2k_sample_size(level) * width);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        memset(s->row[STATE + i], 0, sizeof(float) * width);
    make_row(s, 2 * s->n - 3, s->row[HIGH]);
    s->steps->scale(s->row[HIGH], width, J2K_DWT_INVERSE_SCALE, s->row[STATE]);
    s->n--;
}

void kst_j2k_cpu_synthesis_begin(struct j2k_synthesis *s, const struct j2k_inverse *steps,
    const struct j2k_level *level, uint32_t y0, uint32_t y1, void *to, size_t pitch, void *room)
{
    size_t row = j2k_dwt_row(level->rect.x1 - level->rect.x0) * j2k_sample_size(level);
    *s = (struct j2k_synthesis){.steps = steps, .level = level, .y0 = y0, .y1 = y1, .to = to, .pitch = pitch};
    for (size_t i = 0; i < 2; i++)
        s->half[i] = (uint8_t *)room + i * row;
    for (size_t i = 0; i < J2K_DWT_ROWS; i++)
        s->row[i] = (uint8_t *)room + (i + 2) * row;
    if (y0 < y1 && width_of(level) > 0 && level->rect.y1 - level->rect.y0 > 1)
        prime(s);
}

/* Return where row y goes: to the caller if it is one of the wanted rows, otherwise to scratch memory. */
static void *row_at(const struct j2k_synthesis *s, int64_t y, uint32_t place)
{
    bool wanted = y >= s->y0 && y < s->y1;
    size_t pitch = s->pitch * j2k_sample_size(s->level);
    return wanted && s->to ? (uint8_t *)s->to + (size_t)(y - s->y0) * pitch : s->row[place];
}

/* Hand out row `even` and the odd row above it, as far as they are wanted. */
static bool hand_out(
    const struct j2k_synthesis *s, int64_t even, void *even_row, void *odd_row, struct j2k_made_rows *rows)
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

static void round_53(struct j2k_synthesis *s, void *even, void *odd)
{
    void **row = s->row;
    size_t width = width_of(s->level);
    make_row(s, 2 * s->n, row[LOW]);
    make_row(s, 2 * s->n + 1, row[HIGH]);
    if (s->level->narrow)
        s->steps->lift_53_narrow(row[LOW], row[ABOVE_53], row[HIGH], row[STATE], even, odd, width);
    else
        s->steps->lift_53(row[LOW], row[ABOVE_53], row[HIGH], row[STATE], even, odd, width);
    swap(&row[HIGH], &row[ABOVE_53]);
}

static void round_97(struct j2k_synthesis *s, void *even, void *odd)
{
    void **row = s->row;
    float *const state[] = {row[STATE], row[STATE + 1], row[STATE + 2], row[STATE + 3]};
    make_row(s, 2 * s->n, row[LOW]);
    make_row(s, 2 * s->n + 1, row[HIGH]);
    s->steps->lift_97(row[LOW], row[HIGH], state, even, odd, width_of(s->level));
}

/* Handle a level of a single row. */
static bool only_row(struct j2k_synthesis *s, struct j2k_made_rows *rows)
{
    if (s->n > 0)
        return false;
    void *row = row_at(s, s->y0, EVEN);
    make_row(s, s->y0, row);
    if (s->y0 % 2 == 1)
        halve(s->level, row, width_of(s->level));
    *rows = (struct j2k_made_rows){.y = s->y0, .count = 1, .row = {row}};
    s->n = 1;
    return true;
}

bool kst_j2k_cpu_synthesis_next(struct j2k_synthesis *s, struct j2k_made_rows *rows)
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
        void *even = row_at(s, y, EVEN), *odd = row_at(s, y - 1, ODD);
        if (reversible)
            round_53(s, even, odd);
        else
            round_97(s, even, odd);
        made = hand_out(s, y, even, odd, rows);
    }
    return made;
}

void kst_j2k_cpu_synthesise(const struct j2k_inverse *steps, const struct j2k_level *level, uint32_t y0, uint32_t y1,
    void *to, size_t pitch, void *room)
{
    struct j2k_synthesis synthesis;
    struct j2k_made_rows rows;
    kst_j2k_cpu_synthesis_begin(&synthesis, steps, level, y0, y1, to, pitch, room);
    while (kst_j2k_cpu_synthesis_next(&synthesis, &rows))
        continue;
}
