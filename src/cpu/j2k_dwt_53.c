/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse reversible transform (T.800 F.3.8.1). */
#include <stdbool.h>
#include <string.h>

#include "cpu/j2k_dwt_rows.h"

size_t kst_j2k_synthesis_room(uint32_t width)
{
    return (J2K_DWT_ROWS + 2) * j2k_dwt_row(width) * 4;
}

/* x − floor((a + b + 2) / 4), wrapping. */
static inline int32_t lift_even(int32_t x, int32_t a, int32_t b)
{
    int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b + 2);
    return (int32_t)((uint32_t)x - (uint32_t)(sum >> 2));
}

/* x + floor((a + b) / 2), wrapping. */
static inline int32_t lift_odd(int32_t x, int32_t a, int32_t b)
{
    int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    return (int32_t)((uint32_t)x + (uint32_t)(sum >> 1));
}

struct rows {
    const struct j2k_level *level;
    int64_t x0, x1;
    int32_t *even, *odd; /* half rows with margins */
};

/* One half of a row with its mirror images: even positions with parity 0, odd ones with 1. half[0] is that of n =
 * first. */
static void load_half(
    const struct rows *rows, const int32_t *from, int64_t parity, int32_t *half, int64_t first, int64_t end)
{
    int64_t begin = (rows->x0 + 1 - parity) / 2, stop = (rows->x1 + 1 - parity) / 2;
    memcpy(half + (begin - first), from, sizeof(int32_t) * (size_t)(stop - begin));
    for (int64_t n = first; n < begin; n++)
        half[n - first] = from[j2k_half_index(j2k_mirror(2 * n + parity, rows->x0, rows->x1), rows->x0)];
    for (int64_t n = stop; n < end; n++)
        half[n - first] = from[j2k_half_index(j2k_mirror(2 * n + parity, rows->x0, rows->x1), rows->x0)];
}

/* even[i] and odd[i] by turns; a row that begins at an odd position lacks the first even one. */
static void interleave(const int32_t *even, const int32_t *odd, int64_t skip, size_t width, int32_t *to)
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
static void make_row(const struct rows *rows, int64_t y, int32_t *restrict to)
{
    struct j2k_halves halves = j2k_find_row(rows->level, y);
    size_t width = (size_t)(rows->x1 - rows->x0);
    if (width == 1) {
        int32_t only = *(const int32_t *)halves.low;
        *to = rows->x0 % 2 == 0 ? only : only >> 1;
        return;
    }
    int64_t first = rows->x0 / 2 - 1, end = rows->x1 / 2 + 1;
    size_t pairs = (size_t)(end - first);
    int32_t *restrict even = rows->even, *restrict odd = rows->odd;
    load_half(rows, halves.low, 0, even, first, end);
    load_half(rows, halves.high, 1, odd, first, end);
    for (size_t i = 1; i < pairs; i++)
        even[i] = lift_even(even[i], odd[i - 1], odd[i]);
    for (size_t i = 1; i + 1 < pairs; i++)
        odd[i] = lift_odd(odd[i], even[i], even[i + 1]);
    interleave(even + 1, odd + 1, rows->x0 % 2, width, to);
}

/* Even row 2 n from its low-pass row and the high-pass rows around it, and the odd one above it. */
static void make_two_rows(const int32_t *restrict low, const int32_t *restrict above, const int32_t *restrict below,
    const int32_t *restrict even_above, int32_t *restrict even, int32_t *restrict odd, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        int32_t value = lift_even(low[i], above[i], below[i]);
        odd[i] = lift_odd(above[i], even_above[i], value);
        even[i] = value;
    }
}

static void make_only_row(const struct rows *rows, int32_t *to)
{
    make_row(rows, rows->level->rect.y0, to);
    if (rows->level->rect.y0 % 2 == 1)
        for (int64_t i = 0; i < rows->x1 - rows->x0; i++)
            to[i] >>= 1;
}

void kst_j2k_synthesise_53(
    const struct j2k_level *level, uint32_t y0, uint32_t y1, int32_t *to, size_t pitch, void *room)
{
    if (y0 >= y1 || level->rect.x0 >= level->rect.x1)
        return;
    size_t row = j2k_dwt_row(level->rect.x1 - level->rect.x0), width = level->rect.x1 - level->rect.x0;
    int32_t *scratch[J2K_DWT_ROWS];
    struct rows rows = {.level = level, .x0 = level->rect.x0, .x1 = level->rect.x1};
    rows.even = room;
    rows.odd = rows.even + row;
    for (size_t i = 0; i < J2K_DWT_ROWS; i++)
        scratch[i] = rows.odd + (i + 1) * row;
    if (level->rect.y1 - level->rect.y0 == 1) {
        make_only_row(&rows, to);
        return;
    }
    int32_t *low = scratch[0], *above = scratch[1], *below = scratch[2], *even_above = scratch[3];
    int64_t first = y0 / 2, last = y1 / 2;
    make_row(&rows, 2 * first - 1, above);
    memset(even_above, 0, sizeof(int32_t) * width);
    for (int64_t n = first; n <= last; n++) {
        bool has_even = 2 * n >= y0 && 2 * n<y1, has_odd = n> first;
        int32_t *even = has_even ? to + (size_t)(2 * n - y0) * pitch : scratch[4 + n % 2];
        int32_t *odd = has_odd ? to + (size_t)(2 * n - 1 - y0) * pitch : scratch[6];
        make_row(&rows, 2 * n, low);
        make_row(&rows, 2 * n + 1, below);
        make_two_rows(low, above, below, even_above, even, odd, width);
        even_above = even;
        int32_t *swap = above;
        above = below;
        below = swap;
    }
}
