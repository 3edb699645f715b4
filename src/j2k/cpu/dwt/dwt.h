/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse wavelet transforms (T.800 Annex F), one level at a time and any rows of it: the rows above and below that
 * they depend on are worked out again, which is why strips of a level may be made side by side. Borders are not
 * special: what lies outside is the mirror image of the coefficients (F.3.7).
 */
#ifndef KOSTKA_J2K_CPU_DWT_DWT_H
#define KOSTKA_J2K_CPU_DWT_DWT_H

#include "j2k/cpu/dwt/inverse.h"
#include "j2k/syntax/geometry.h"

/*
 * Resolution r and the bands it is made of. The parts of the bands are those that interleave to `rect`: of a band that
 * is low-pass across, ceil(x1 / 2) − ceil(x0 / 2) columns, of a high-pass one floor(x1 / 2) − floor(x0 / 2); rows
 * likewise.
 */
struct j2k_level {
    struct j2k_rect rect;
    bool reversible;     /* 5/3 on int32_t, else 9/7 in single precision */
    bool narrow;         /* 5/3 on int16_t, which holds all that there is (j2k/cpu/blocks/narrow.h) */
    const void *band[4]; /* by enum j2k_orientation; an empty one is not looked at */
    size_t pitch[4];     /* of each, in samples */
    /* Where not all rows are there: row n of the part is row (n + first) % rows of what band[] points at. 0: all. */
    uint32_t first[4], rows[4];
};

/* Bytes of scratch memory that either transform needs for rows of `width`. */
size_t kst_j2k_synthesis_room(uint32_t width);

/* Making rows of a level, one or two at a time. */
struct j2k_synthesis {
    const struct j2k_inverse *steps;
    const struct j2k_level *level;
    uint32_t y0, y1;
    void *to; /* row y0; null: rows are handed out in scratch memory */
    size_t pitch;
    int64_t n; /* round: 5/3 ends with even row 2 n, 9/7 with 2 n − 2 */
    uint8_t *half[2];
    void *row[8];
};

/* Rows as they come: samples as the level's transform has them. They may be changed. */
struct j2k_made_rows {
    uint32_t y, count; /* the first, and 1 or 2 */
    void *row[2];
};

/*
 * Rows y0 ≤ y < y1 of the level's rect, to `to`, rows `pitch` samples apart, or if that is null to where
 * kst_j2k_synthesis_next() says. `room`: aligned as by core/memory.h, of kst_j2k_synthesis_room(). Of 5/3 sums wrap in
 * 32 bits, which only damaged data need. Of 9/7 every operation is rounded by itself; low-pass coefficients are scaled
 * by K, high-pass ones by 1/K, which goes with sub-band gains of 0, 1, 1 and 2.
 */
void kst_j2k_synthesis_begin(struct j2k_synthesis *synthesis, const struct j2k_inverse *steps,
    const struct j2k_level *level, uint32_t y0, uint32_t y1, void *to, size_t pitch, void *room);

/* False when there are no more. What is in scratch memory is so until the next call. */
bool kst_j2k_synthesis_next(struct j2k_synthesis *synthesis, struct j2k_made_rows *rows);

/* All of them. */
void kst_j2k_synthesise(const struct j2k_inverse *steps, const struct j2k_level *level, uint32_t y0, uint32_t y1,
    void *to, size_t pitch, void *room);

#endif
