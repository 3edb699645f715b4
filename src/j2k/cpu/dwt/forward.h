/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the steps from samples to quantiser indices that work on single rows (T.800 Annexes E, F and G): a table of
 * functions that each tier of the processor fills. Arrays do not overlap; some functions change their inputs, as
 * stated. Integer sums wrap. In single precision every operation is rounded on its own, in the order in which it is
 * written, so that all tiers agree. Functions named narrow do the same in 16 bits, for data that fit them
 * (j2k/cpu/blocks/narrow.h).
 */
#ifndef KOSTKA_J2K_CPU_DWT_FORWARD_H
#define KOSTKA_J2K_CPU_DWT_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

enum { J2K_FORWARD_MARGIN = 8 }; /* samples beyond the half of a row that the scratch memory of a half needs */

/* Describes the samples of a component as they are in memory. */
struct j2k_origin {
    const void *data; /* where the rows begin: the plane's first pixel */
    ptrdiff_t pitch;  /* bytes from one row to the next */
    size_t stride;    /* distance of neighbouring samples of a row, in samples */
    uint32_t plane;   /* index of the plane in the image */
    uint32_t place;   /* index of the component's sample in a pixel */
    uint8_t bytes;    /* bytes per sample: 1, 2 or 4; signed samples are in two's complement */
    uint8_t depth;    /* 1–31 bits */
    bool is_signed;
    bool real; /* samples are coefficients along z in single precision, `stride` 1; only for 9/7 */
};

/* Describes a row of the columns x0 ≤ x < x1, of which some at either end are only needed for the others. */
struct j2k_columns {
    uint32_t x0, x1;
    uint32_t left, right; /* how many are not stored; 0 if there is only one column */
};

struct j2k_forward {
    /*
     * Load `count` samples from `from` on. Samples beyond the depth are clamped, unsigned ones are moved down by half
     * the range (G.1).
     */
    void (*load_integers)(const struct j2k_origin *origin, const void *from, size_t count, int32_t *to);
    void (*load_narrow)(const struct j2k_origin *origin, const void *from, size_t count, int16_t *to);
    void (*load_reals)(const struct j2k_origin *origin, const void *from, size_t count, float *to);
    void (*rct)(int32_t *red, int32_t *green, int32_t *blue, size_t count); /* in place: to Y, U, V (G.2.1) */
    void (*rct_narrow)(int16_t *red, int16_t *green, int16_t *blue, size_t count);
    void (*ict)(float *red, float *green, float *blue, size_t count); /* in place: to Y, Cb, Cr (G.3.1) */

    /*
     * Step n of the vertical transform (F.4.8) makes a low and a high row from the rows 2 n, 2 n + 1 and 2 n + 2, and
     * from `state`, which the steps before left. 5/3: `state` is high row n − 1 and becomes high row n; the results are
     * low row n and this high row. 9/7: `state` is three rows; the results are low and high row n − 1.
     */
    void (*lift_53)(
        const int32_t *even, const int32_t *odd, const int32_t *next, int32_t *state, int32_t *low, size_t width);
    void (*lift_53_narrow)(
        const int16_t *even, const int16_t *odd, const int16_t *next, int16_t *state, int16_t *low, size_t width);
    void (*lift_97)(const float *even, const float *odd, const float *next, float *const state[3], float *low,
        float *high, size_t width);

    /*
     * Single lifting steps between rows, in place, for transforms along z. `a` and `b` are the rows on either side, and
     * may be the same one: x − floor((a + b) / 2), x + floor((a + b + 2) / 4), and x + factor × (a + b).
     */
    void (*predict_53)(int32_t *row, const int32_t *a, const int32_t *b, size_t width);
    void (*update_53)(int32_t *row, const int32_t *a, const int32_t *b, size_t width);
    void (*lift_rows_97)(float *row, const float *a, const float *b, float factor, size_t width);

    /*
     * Split a row, which is not empty, into a low and a high half. `room` has 2 × ((x1 − x0) / 2 + J2K_FORWARD_MARGIN)
     * samples.
     */
    void (*split_53)(const int32_t *row, const struct j2k_columns *columns, int32_t *low, int32_t *high, int32_t *room);
    void (*split_53_narrow)(
        const int16_t *row, const struct j2k_columns *columns, int16_t *low, int16_t *high, int16_t *room);
    void (*split_97)(const float *row, const struct j2k_columns *columns, float *low, float *high, float *room);

    /*
     * Write signs to bit 31 and magnitudes below. Magnitudes of reals are floor(|x| × factor) (E-8), below 2^31; of
     * these the largest |x| is returned, 0 for none.
     */
    void (*sign_integers)(const int32_t *from, size_t count, uint32_t *to);
    void (*sign_narrow)(const int16_t *from, size_t count, uint32_t *to);
    float (*quantise)(const float *from, size_t count, float factor, uint32_t *to);
};

void kst_j2k_cpu_forward_init(struct j2k_forward *forward, enum cpu_tier tier);

#endif
