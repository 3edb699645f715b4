/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the inverse wavelet transforms (T.800 Annex F), for any rows of one level at a time. The rows above and
 * below that they depend on are computed again, so strips of a level can be made side by side. Borders are not special:
 * coefficients outside are mirror images of those inside (F.3.7).
 */
#ifndef KOSTKA_J2K_CPU_DWT_DWT_H
#define KOSTKA_J2K_CPU_DWT_DWT_H

#include "j2k/cpu/dwt/inverse.h"
#include "j2k/syntax/geometry.h"

/*
 * Describes a resolution and the bands that it is made of. The parts of the bands that are used are those that
 * interleave to `rect`: ceil(x1 / 2) − ceil(x0 / 2) columns of a band that is low-pass horizontally, floor(x1 / 2) −
 * floor(x0 / 2) columns of a high-pass one, and the same for rows vertically.
 */
struct j2k_level {
    struct j2k_rect rect;
    bool reversible;     /* 5/3 on int32_t; otherwise 9/7 in single precision */
    bool narrow;         /* 5/3 on int16_t, into which everything fits (j2k/cpu/blocks/narrow.h) */
    const void *band[4]; /* by enum j2k_orientation; an empty band is not read */
    size_t pitch[4];     /* of each band, in samples */
    uint32_t rows[4];    /* if not all rows are in memory, row n is row n % rows of what band[] points to; 0: all are */
};

/* Return the number of bytes of scratch memory that either transform needs for rows of `width` samples. */
size_t kst_j2k_cpu_synthesis_room(uint32_t width);

/* Holds the state of making the rows of a level, one or two at a time. */
struct j2k_synthesis {
    const struct j2k_inverse *steps;
    const struct j2k_level *level;
    uint32_t y0, y1;
    void *to; /* where row y0 goes; null: rows are handed out in scratch memory */
    size_t pitch;
    int64_t n; /* the next round: in 5/3 it completes even row 2 n, in 9/7 even row 2 n − 2 */
    uint8_t *half[2];
    void *row[8];
};

/* Holds rows as they are made, with samples of the type that the level's transform has. The caller may change them. */
struct j2k_made_rows {
    uint32_t y, count; /* the first row, and how many rows there are: 1 or 2 */
    void *row[2];
};

/*
 * Begin making the rows y0 ≤ y < y1 of the level's rect. They go to `to`, `pitch` samples apart, or, if that is null,
 * to where kst_j2k_cpu_synthesis_next() reports. `room` has kst_j2k_cpu_synthesis_room() bytes, aligned like memory
 * from core/memory.h. Sums of 5/3 wrap in 32 bits, which only damaged data need. In 9/7 every operation is rounded on
 * its own; low-pass coefficients are scaled by K and high-pass ones by 1/K, which matches subband gains of 0, 1, 1
 * and 2.
 */
void kst_j2k_cpu_synthesis_begin(struct j2k_synthesis *synthesis, const struct j2k_inverse *steps,
    const struct j2k_level *level, uint32_t y0, uint32_t y1, void *to, size_t pitch, void *room);

/* Make the next rows. Returns false when there are no more. Rows in scratch memory stay valid until the next call. */
bool kst_j2k_cpu_synthesis_next(struct j2k_synthesis *synthesis, struct j2k_made_rows *rows);

/* Make all rows y0 ≤ y < y1 at once. */
void kst_j2k_cpu_synthesise(const struct j2k_inverse *steps, const struct j2k_level *level, uint32_t y0, uint32_t y1,
    void *to, size_t pitch, void *room);

#endif
