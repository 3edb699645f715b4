/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse irreversible transform (T.800 F.3.8.2). */
#include <stdbool.h>
#include <string.h>

#include "cpu/j2k_dwt_rows.h"

/* Table F.4, and K of F.3.8.2. */
static const float alpha = -1.586134342059924F, beta = -0.052980118572961F, gamma = 0.882911075530934F,
                   delta = 0.443506852043971F, scale = 1.230174104914001F, inverse_scale = 1.0F / 1.230174104914001F;

/* x − factor × (a + b) */
static inline float lift(float x, float factor, float a, float b)
{
    return x - factor * (a + b);
}

struct rows {
    const struct j2k_level *level;
    int64_t x0, x1;
    float *even, *odd; /* half rows with margins */
};

/* One half of a row, scaled, with its mirror images: even positions with parity 0, odd ones with 1; half[0] is that of
 * n = first. */
static void load_half(const struct rows *rows, const float *restrict from, int64_t parity, float *restrict half,
    int64_t first, int64_t end)
{
    int64_t begin = (rows->x0 + 1 - parity) / 2, stop = (rows->x1 + 1 - parity) / 2;
    float factor = parity ? inverse_scale : scale;
    for (int64_t n = first; n < begin; n++)
        half[n - first] = factor * from[j2k_half_index(j2k_mirror(2 * n + parity, rows->x0, rows->x1), rows->x0)];
    for (int64_t i = 0; i < stop - begin; i++)
        half[begin - first + i] = factor * from[i];
    for (int64_t n = stop; n < end; n++)
        half[n - first] = factor * from[j2k_half_index(j2k_mirror(2 * n + parity, rows->x0, rows->x1), rows->x0)];
}

/* even[i] and odd[i] by turns; a row that begins at an odd position lacks the first even one. */
static void interleave(const float *even, const float *odd, int64_t skip, size_t width, float *to)
{
    if (skip) {
        *to++ = *odd++;
        even++;
        width--;
    }
    for (size_t i = 0; i < width / 2; i++) {
        to[2 * i] = even[i];
        to[2 * i + 1] = odd[i];
    }
    if (width % 2 == 1)
        to[width - 1] = even[width / 2];
}

/* 1D_SR of row y (F.3.6). */
static void make_row(const struct rows *rows, int64_t y, float *restrict to)
{
    struct j2k_halves halves = j2k_find_row(rows->level, y);
    size_t width = (size_t)(rows->x1 - rows->x0);
    if (width == 1) {
        float only = *(const float *)halves.low;
        *to = rows->x0 % 2 == 0 ? only : only * 0.5F;
        return;
    }
    int64_t first = rows->x0 / 2 - J2K_DWT_MARGIN, end = rows->x1 / 2 + J2K_DWT_MARGIN;
    size_t pairs = (size_t)(end - first);
    float *restrict even = rows->even, *restrict odd = rows->odd;
    load_half(rows, halves.low, 0, even, first, end);
    load_half(rows, halves.high, 1, odd, first, end);
    for (size_t i = 1; i < pairs; i++)
        even[i] = lift(even[i], delta, odd[i - 1], odd[i]);
    for (size_t i = 1; i + 1 < pairs; i++)
        odd[i] = lift(odd[i], gamma, even[i], even[i + 1]);
    for (size_t i = 2; i + 1 < pairs; i++)
        even[i] = lift(even[i], beta, odd[i - 1], odd[i]);
    for (size_t i = 2; i + 2 < pairs; i++)
        odd[i] = lift(odd[i], alpha, even[i], even[i + 1]);
    interleave(even + J2K_DWT_MARGIN, odd + J2K_DWT_MARGIN, rows->x0 % 2, width, to);
}

/* What the steps have made so far of the rows above: each is used once more. */
struct state {
    float *odd0, *even1, *odd1, *even2;
};

/* From low-pass row 2 n and high-pass row 2 n + 1, even row 2 n − 2 and odd row 2 n − 3. */
static void make_two_rows(const float *restrict low, const float *restrict high, const struct state *state,
    float *restrict even, float *restrict odd, size_t width)
{
    float *restrict odd0 = state->odd0, *restrict even1 = state->even1, *restrict odd1 = state->odd1,
                    *restrict even2 = state->even2;
    for (size_t i = 0; i < width; i++) {
        float new_odd0 = inverse_scale * high[i];
        float new_even1 = lift(scale * low[i], delta, odd0[i], new_odd0);
        float new_odd1 = lift(odd0[i], gamma, even1[i], new_even1);
        float new_even2 = lift(even1[i], beta, odd1[i], new_odd1);
        odd[i] = lift(odd1[i], alpha, even2[i], new_even2);
        even[i] = new_even2;
        odd0[i] = new_odd0;
        even1[i] = new_even1;
        odd1[i] = new_odd1;
        even2[i] = new_even2;
    }
}

static void make_only_row(const struct rows *rows, float *to)
{
    make_row(rows, rows->level->rect.y0, to);
    if (rows->level->rect.y0 % 2 == 1)
        for (int64_t i = 0; i < rows->x1 - rows->x0; i++)
            to[i] *= 0.5F;
}

/* The first two rounds only fill the state. */
static void make_rows(const struct rows *rows, float *const *scratch, int64_t y0, int64_t y1, float *to, size_t pitch)
{
    size_t width = (size_t)(rows->x1 - rows->x0);
    struct state state = {scratch[0], scratch[1], scratch[2], scratch[3]};
    float *low = scratch[4], *high = scratch[5];
    int64_t first = y0 / 2, last = y1 / 2;
    for (size_t i = 0; i < 4; i++)
        memset(scratch[i], 0, sizeof(float) * width);
    make_row(rows, 2 * first - 3, state.odd0);
    for (size_t i = 0; i < width; i++)
        state.odd0[i] *= inverse_scale;
    for (int64_t n = first - 1; n <= last + 1; n++) {
        bool has_even = 2 * n - 2 >= y0 && 2 * n - 2 < y1, has_odd = 2 * n - 3 >= y0;
        make_row(rows, 2 * n, low);
        make_row(rows, 2 * n + 1, high);
        make_two_rows(low, high, &state, has_even ? to + (size_t)(2 * n - 2 - y0) * pitch : scratch[6],
            has_odd ? to + (size_t)(2 * n - 3 - y0) * pitch : scratch[7], width);
    }
}

void kst_j2k_synthesise_97(const struct j2k_level *level, uint32_t y0, uint32_t y1, float *to, size_t pitch, void *room)
{
    if (y0 >= y1 || level->rect.x0 >= level->rect.x1)
        return;
    size_t row = j2k_dwt_row(level->rect.x1 - level->rect.x0);
    float *scratch[J2K_DWT_ROWS];
    struct rows rows = {.level = level, .x0 = level->rect.x0, .x1 = level->rect.x1};
    rows.even = room;
    rows.odd = rows.even + row;
    for (size_t i = 0; i < J2K_DWT_ROWS; i++)
        scratch[i] = rows.odd + (i + 1) * row;
    if (level->rect.y1 - level->rect.y0 == 1)
        make_only_row(&rows, to);
    else
        make_rows(&rows, scratch, y0, y1, to, pitch);
}
