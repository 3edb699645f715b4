/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse wavelet transforms (T.800 Annex F), one level at a time and any rows of it: the rows above and below that
 * they depend on are worked out again, which is why strips of a level may be made side by side. Borders are not
 * special: what lies outside is the mirror image of the coefficients (F.3.7).
 */
#ifndef KOSTKA_CPU_J2K_DWT_H
#define KOSTKA_CPU_J2K_DWT_H

#include <stddef.h>
#include <stdint.h>

#include "j2k/plan.h"

/*
 * Resolution r and the bands it is made of. The parts of the bands are those that interleave to `rect`: of a band that
 * is low- pass across, ceil(x1 / 2) − ceil(x0 / 2) columns, of a high-pass one floor(x1 / 2) − floor(x0 / 2); rows
 * likewise.
 */
struct j2k_level {
    struct j2k_rect rect;
    const void *band[4]; /* by enum j2k_orientation: int32_t for 5/3, float for 9/7; an empty one is not looked at */
    size_t pitch[4];     /* of each, in samples */
};

/* Bytes of scratch memory that either transform needs for rows of `width`. */
size_t kst_j2k_synthesis_room(uint32_t width);

/*
 * Rows y0 ≤ y < y1 of the level's rect to `to`, rows `pitch` samples apart. `room`: aligned as by core/memory.h, of
 * kst_j2k_synthesis_room(). Sums wrap in 32 bits, which only damaged data need.
 */
void kst_j2k_synthesise_53(
    const struct j2k_level *level, uint32_t y0, uint32_t y1, int32_t *to, size_t pitch, void *room);

/*
 * The same in single precision, every operation rounded by itself, in the order that is written there. Low-pass
 * coefficients are scaled by K, high-pass ones by 1/K, which goes with sub-band gains of 0, 1, 1 and 2.
 */
void kst_j2k_synthesise_97(
    const struct j2k_level *level, uint32_t y0, uint32_t y1, float *to, size_t pitch, void *room);

#endif
