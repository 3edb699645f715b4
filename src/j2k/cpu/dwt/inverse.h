/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The row by row steps from quantiser indices to samples (T.800 Annexes E, F and G), a table of functions that each
 * tier of the processor fills. Arrays do not overlap; some are changed. Integer sums wrap, and in single precision
 * every operation is rounded by itself in the order that is written there, so that every tier and device gives the
 * same. Narrow ones do the same in 16 bits, for what these hold (j2k/cpu/blocks/narrow.h).
 */
#ifndef KOSTKA_J2K_CPU_DWT_INVERSE_H
#define KOSTKA_J2K_CPU_DWT_INVERSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Part of a decoded block: rows `pitch` apart of signs in bit 31 with magnitudes below. */
struct j2k_indices {
    const uint32_t *from;
    size_t pitch;
    uint32_t width, height;
};

struct j2k_inverse {
    void (*store_integers)(const struct j2k_indices *indices, int32_t *to, size_t pitch);
    void (*store_narrow)(const struct j2k_indices *indices, int16_t *to, size_t pitch);
    /* `factor`: the step Δ_b (E-3) divided by 2^fraction of the block's decoding. */
    void (*store_reals)(const struct j2k_indices *indices, float factor, float *to, size_t pitch);

    void (*scale)(const float *from, size_t count, float factor, float *to);
    /*
     * 1D_SR of a row (F.3.6): pairs of coefficients at positions 2 n and 2 n + 1, already scaled, of which the first
     * and last J2K_DWT_MARGIN continue the row. From the pair behind the margin on, but for its first `skip` (0 or 1)
     * samples, `width` samples go to `to`.
     */
    void (*join_53)(int32_t *even, int32_t *odd, size_t pairs, size_t skip, size_t width, int32_t *to);
    void (*join_53_narrow)(int16_t *even, int16_t *odd, size_t pairs, size_t skip, size_t width, int16_t *to);
    void (*join_97)(float *even, float *odd, size_t pairs, size_t skip, size_t width, float *to);
    /*
     * Vertically. 5/3: even row 2 n from its low-pass row and the high-pass rows around it, and the odd row above it;
     * `state` is even row 2 n − 2, and then 2 n. 9/7: from low-pass row 2 n and high-pass row 2 n + 1 even row 2 n − 2
     * and odd row 2 n − 3; `state` is what the steps have made of the rows above.
     */
    void (*lift_53)(const int32_t *low, const int32_t *above, const int32_t *below, int32_t *state, int32_t *even,
        int32_t *odd, size_t width);
    void (*lift_53_narrow)(const int16_t *low, const int16_t *above, const int16_t *below, int16_t *state,
        int16_t *even, int16_t *odd, size_t width);
    void (*lift_97)(const float *low, const float *high, float *const state[4], float *even, float *odd, size_t width);

    /* G.2.2 and G.3.2, in place. */
    void (*rct)(int32_t *y, int32_t *u, int32_t *v, size_t count);
    void (*rct_narrow)(int16_t *y, int16_t *u, int16_t *v, size_t count);
    void (*ict)(float *y, float *cb, float *cr, size_t count);

    /* DC level shift of unsigned components (G.1), rounding and clamping. Depth 1 to 31, narrow 1 to 14. */
    void (*finish_integers)(const int32_t *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);
    void (*finish_narrow)(const int16_t *from, size_t count, uint32_t depth, bool is_signed, int16_t *to);
    void (*finish_reals)(const float *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);

    /* To every step-th sample of `to`: the low bits. */
    void (*pack_8)(const int32_t *from, size_t count, uint8_t *to, size_t step);
    void (*pack_8_narrow)(const int16_t *from, size_t count, uint8_t *to, size_t step);
    void (*pack_16)(const int32_t *from, size_t count, uint16_t *to, size_t step);
    void (*pack_16_narrow)(const int16_t *from, size_t count, uint16_t *to, size_t step);
};

void kst_j2k_inverse_init(struct j2k_inverse *inverse, enum cpu_tier tier);

#endif
