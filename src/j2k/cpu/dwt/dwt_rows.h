/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the wavelet transforms share: constants, finding rows, and mirror images. */
#ifndef KOSTKA_J2K_CPU_DWT_DWT_ROWS_H
#define KOSTKA_J2K_CPU_DWT_DWT_ROWS_H

#include "j2k/cpu/dwt/dwt.h"
#include "j2k/syntax/geometry.h"
#include "j2k/tables/transforms.h"

enum {
    J2K_DWT_MARGIN = 2, /* pairs of coefficients added at either side of a row: as far as 9/7 reaches */
    J2K_DWT_ROWS = 8,   /* rows of scratch memory, not counting the two half rows */
    J2K_DWT_ALIGN = 16  /* in samples */
};

/* Return the length in samples of a scratch row: `width`, and the margins that each of its halves has. */
static inline size_t j2k_dwt_row(uint32_t width)
{
    size_t length = (size_t)width + 4 * J2K_DWT_MARGIN + 4;
    return (length + J2K_DWT_ALIGN - 1) / J2K_DWT_ALIGN * J2K_DWT_ALIGN;
}

/* Return the index of the coefficient at position i among those of its parity in [i0, …). */
static inline int64_t j2k_half_index(int64_t i, int64_t i0)
{
    return i % 2 == 0 ? i / 2 - (i0 + 1) / 2 : (i - 1) / 2 - i0 / 2;
}

/*
 * Holds the low and the high half of row y of the level. The row may lie outside the level; if the level has a single
 * column, both are the same.
 */
struct j2k_halves {
    const void *low, *high;
};

static inline size_t j2k_sample_size(const struct j2k_level *level)
{
    return level->narrow ? sizeof(int16_t) : sizeof(int32_t);
}

static inline const void *j2k_part_row(const struct j2k_level *level, size_t part, size_t row)
{
    if (level->rows[part] > 0)
        row %= level->rows[part];
    return (const uint8_t *)level->band[part] + row * level->pitch[part] * j2k_sample_size(level);
}

static inline struct j2k_halves j2k_find_row(const struct j2k_level *level, int64_t y)
{
    int64_t y0 = level->rect.y0, y1 = level->rect.y1;
    int64_t from = y1 - y0 < 2 ? y0 : j2k_mirror(y, y0, y1);
    size_t low = from % 2 == 0 ? J2K_LL : J2K_LH, high = low + 1; /* HL and HH directly follow LL and LH */
    if (level->rect.x1 - level->rect.x0 == 1)
        low = high = low + level->rect.x0 % 2;
    size_t row = (size_t)j2k_half_index(from, y0);
    return (struct j2k_halves){j2k_part_row(level, low, row), j2k_part_row(level, high, row)};
}

#endif
