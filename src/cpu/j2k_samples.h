/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From quantiser indices to coefficients (T.800 Annex E), and from components to samples (Annex G). Rows of `count`;
 * the arrays do not overlap. Integer sums wrap, and in single precision every operation is rounded by itself in the
 * order that is written there, so that every device gives the same.
 */
#ifndef KOSTKA_CPU_J2K_SAMPLES_H
#define KOSTKA_CPU_J2K_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of a decoded block: rows `pitch` apart of signs in bit 31 with magnitudes below. */
struct j2k_indices {
    const uint32_t *from;
    size_t pitch;
    uint32_t width, height;
};

void kst_j2k_store_integers(const struct j2k_indices *indices, int32_t *to, size_t pitch);

/* `factor`: the step Δ_b (E-3) divided by 2^fraction of the block's decoding. */
void kst_j2k_store_reals(const struct j2k_indices *indices, float factor, float *to, size_t pitch);

/* G.2.2 and G.3.2, in place. */
void kst_j2k_inverse_rct(int32_t *y, int32_t *u, int32_t *v, size_t count);
void kst_j2k_inverse_ict(float *y, float *cb, float *cr, size_t count);

/* DC level shift of unsigned components (G.1), rounding and clamping. Depth 1 to 31. */
void kst_j2k_finish_integers(const int32_t *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);
void kst_j2k_finish_reals(const float *from, size_t count, uint32_t depth, bool is_signed, int32_t *to);

/* To every step-th sample of `to`: the low bits. */
void kst_j2k_pack_8(const int32_t *from, size_t count, uint8_t *to, size_t step);
void kst_j2k_pack_16(const int32_t *from, size_t count, uint16_t *to, size_t step);

#endif
