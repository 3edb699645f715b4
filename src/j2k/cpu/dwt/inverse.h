/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the steps from quantiser indices to samples that work on single rows (T.800 Annexes E, F and G): a table of
 * functions that each tier of the processor fills. Arrays do not overlap; some are changed. Integer sums wrap. In
 * single precision every operation is rounded on its own, in the order in which it is written, so that every tier and
 * device gives the same result. Functions named narrow do the same in 16 bits, for data that fit them
 * (j2k/cpu/blocks/narrow.h).
 */
#ifndef KOSTKA_J2K_CPU_DWT_INVERSE_H
#define KOSTKA_J2K_CPU_DWT_INVERSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Holds part of a decoded block: rows of indices, `pitch` apart, with signs in bit 31 and magnitudes below. */
struct j2k_indices {
    const uint32_t *from;
    size_t pitch;
    uint32_t width, height;
};

struct j2k_inverse {
    void (*store_integers)(const struct j2k_indices *indices, int32_t *to, size_t pitch);
    void (*store_narrow)(const struct j2k_indices *indices, int16_t *to, size_t pitch);
    /* `factor` is the step Δ_b (E-3) divided by 2^fraction of the block's decoding. */
    void (*store_reals)(const struct j2k_indices *indices, float factor, float *to, size_t pitch);

    void (*scale)(const float *from, size_t count, float factor, float *to);
    /*
     * 1D_SR of a row (F.3.6), from pairs of scaled coefficients at positions 2 n and 2 n + 1. The first and last
     * J2K_DWT_MARGIN pairs continue the row. The result starts at the pair after the margin, without its first `skip`
     * (0 or 1) samples; `width` samples of it go to `to`.
     */
    void (*join_53)(int32_t *even, int32_t *odd, size_t pairs, size_t skip, size_t width, int32_t *to);
    void (*join_53_narrow)(int16_t *even, int16_t *odd, size_t pairs, size_t skip, size_t width, int16_t *to);
    void (*join_97)(float *even, float *odd, size_t pairs, size_t skip, size_t width, float *to);
    /*
     * A vertical step. 5/3: makes even row 2 n from its low-pass row and the high-pass rows around it, and the odd row
     * above it; `state` is even row 2 n − 2 and becomes even row 2 n. 9/7: makes even row 2 n − 2 and odd row 2 n − 3
     * from low-pass row 2 n and high-pass row 2 n + 1; `state` is what the steps before made of the rows above.
     */
    void (*lift_53)(const int32_t *low, const int32_t *above, const int32_t *below, int32_t *state, int32_t *even,
        int32_t *odd, size_t width);
    void (*lift_53_narrow)(const int16_t *low, const int16_t *above, const int16_t *below, int16_t *state,
        int16_t *even, int16_t *odd, size_t width);
    void (*lift_97)(const float *low, const float *high, float *const state[4], float *even, float *odd, size_t width);

    /*
     * Single lifting steps between rows, in place, for transforms along z. `a` and `b` are the rows on either side, and
     * may be the same one: x − floor((a + b + 2) / 4), x + floor((a + b) / 2), and x − factor × (a + b).
     */
    void (*undo_update_53)(int32_t *row, const int32_t *a, const int32_t *b, size_t width);
    void (*undo_predict_53)(int32_t *row, const int32_t *a, const int32_t *b, size_t width);
    void (*undo_lift_97)(float *row, const float *a, const float *b, float factor, size_t width);

    /* The inverse component transforms of G.2.2 and G.3.2, in place. */
    void (*rct)(int32_t *y, int32_t *u, int32_t *v, size_t count);
    void (*rct_narrow)(int16_t *y, int16_t *u, int16_t *v, size_t count);
    void (*ict)(float *y, float *cb, float *cr, size_t count);

    /*
     * Level shift of unsigned components (G.1), rounding and clamping. The depth is 1 to 31, for narrow samples 1 to
     * 14.
     */
    void (*finish_integers)(const int32_t *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);
    void (*finish_narrow)(const int16_t *from, size_t count, uint32_t depth, bool is_signed, int16_t *to);
    void (*finish_reals)(const float *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);

    /* Store the low bits of the samples in every step-th element of `to`. */
    void (*pack_8)(const int32_t *from, size_t count, uint8_t *to, size_t step);
    void (*pack_8_narrow)(const int16_t *from, size_t count, uint8_t *to, size_t step);
    void (*pack_16)(const int32_t *from, size_t count, uint16_t *to, size_t step);
    void (*pack_16_narrow)(const int16_t *from, size_t count, uint16_t *to, size_t step);
    void (*pack_32)(const int32_t *from, size_t count, int32_t *to, size_t step);
    void (*pack_32_narrow)(const int16_t *from, size_t count, int32_t *to, size_t step);
    /* Interleave three rows of bytes into pixels. */
    void (*interleave_8)(const uint8_t *first, const uint8_t *second, const uint8_t *third, size_t count, uint8_t *to);
};

void kst_j2k_cpu_inverse_init(struct j2k_inverse *inverse, enum cpu_tier tier);

#endif
