/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The row by row steps from samples to quantiser indices (T.800 Annexes E, F and G), a table of functions that each
 * tier of the processor fills. Arrays do not overlap unless one is said to be changed. Integer sums wrap, and in single
 * precision every operation is rounded by itself in the order that is written there, so that all tiers agree. Narrow
 * ones do the same in 16 bits, for what these hold (j2k/cpu/blocks/narrow.h).
 */
#ifndef KOSTKA_J2K_CPU_DWT_FORWARD_H
#define KOSTKA_J2K_CPU_DWT_FORWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

enum { J2K_FORWARD_MARGIN = 8 }; /* samples beside those of a row that a half of it may need */

/* Samples of a component as they lie in memory. */
struct j2k_origin {
    const void *data; /* where the rows begin: the plane's first pixel */
    ptrdiff_t pitch;  /* bytes from row to row */
    size_t step;      /* samples from one to the next in a row */
    uint32_t plane;   /* of the image */
    uint32_t place;   /* of the component's sample in a pixel */
    uint8_t bytes;    /* of a sample: 1, 2 or 4; signed ones in two's complement */
    uint8_t depth;    /* 1–31 */
    bool is_signed;
};

struct j2k_forward {
    /* `count` samples from `from` on, those beyond the depth clamped, unsigned ones moved down by half (G.1). */
    void (*load_integers)(const struct j2k_origin *origin, const void *from, size_t count, int32_t *to);
    void (*load_narrow)(const struct j2k_origin *origin, const void *from, size_t count, int16_t *to);
    void (*load_reals)(const struct j2k_origin *origin, const void *from, size_t count, float *to);
    void (*rct)(int32_t *red, int32_t *green, int32_t *blue, size_t count); /* in place: Y, U, V (G.2.1) */
    void (*rct_narrow)(int16_t *red, int16_t *green, int16_t *blue, size_t count);
    void (*ict)(float *red, float *green, float *blue, size_t count); /* in place: Y, Cb, Cr (G.3.1) */

    /*
     * Step n of the vertical transform (F.4.8): from rows 2 n, 2 n + 1 and 2 n + 2 a low and a high row. `state` is
     * what the steps before left: of 5/3 row n − 1 of the high ones, and the outcome is low row n and high row n, the
     * latter being state[0] afterwards. Of 9/7 three rows, and the outcome is low and high row n − 1.
     */
    void (*lift_53)(
        const int32_t *even, const int32_t *odd, const int32_t *next, int32_t *state, int32_t *low, size_t width);
    void (*lift_53_narrow)(
        const int16_t *even, const int16_t *odd, const int16_t *next, int16_t *state, int16_t *low, size_t width);
    void (*lift_97)(const float *even, const float *odd, const float *next, float *const state[3], float *low,
        float *high, size_t width);

    /*
     * Low and high half of a row of `width` > 0 samples, the first at position x0. `room`: 2 × (width / 2 +
     * J2K_FORWARD_MARGIN) samples.
     */
    void (*split_53)(const int32_t *row, uint32_t x0, size_t width, int32_t *low, int32_t *high, int32_t *room);
    void (*split_53_narrow)(const int16_t *row, uint32_t x0, size_t width, int16_t *low, int16_t *high, int16_t *room);
    void (*split_97)(const float *row, uint32_t x0, size_t width, float *low, float *high, float *room);

    /* Signs in bit 31, magnitudes below; of reals floor(|x| × factor) (E-8), below 2^31. */
    void (*sign_integers)(const int32_t *from, size_t count, uint32_t *to);
    void (*sign_narrow)(const int16_t *from, size_t count, uint32_t *to);
    void (*quantise)(const float *from, size_t count, float factor, uint32_t *to);
};

void kst_j2k_forward_init(struct j2k_forward *forward, enum cpu_tier tier);

#endif
