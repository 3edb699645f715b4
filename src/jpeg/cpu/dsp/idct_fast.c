/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the inverse DCT of 8×8 coefficients after Arai, Agui and Nakajima in plain C, with the bytes of libjpeg's
 * IFAST method. All values have 16 bits and wrap; products are rounded down.
 */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/fast.h"
#include "jpeg/cpu/dsp/tiers.h"

/* Transform eight values that are `step` apart, in place. */
static void idct_8(int16_t *v, int step)
{
    const int16_t even_sum = wrap(v[0] + v[4 * step]), even_difference = wrap(v[0] - v[4 * step]);
    const int16_t t13 = wrap(v[2 * step] + v[6 * step]);
    const int16_t t12 = wrap(fast_product(wrap(v[2 * step] - v[6 * step]), FAST_1_414) - t13);
    const int16_t t0 = wrap(even_sum + t13), t3 = wrap(even_sum - t13);
    const int16_t t1 = wrap(even_difference + t12), t2 = wrap(even_difference - t12);

    const int16_t z13 = wrap(v[5 * step] + v[3 * step]), z10 = wrap(v[5 * step] - v[3 * step]);
    const int16_t z11 = wrap(v[step] + v[7 * step]), z12 = wrap(v[step] - v[7 * step]);
    const int16_t t7 = wrap(z11 + z13), t11 = fast_product(wrap(z11 - z13), FAST_1_414);
    const int16_t z5 = fast_product(wrap(z10 + z12), FAST_1_847);
    const int16_t t10 = wrap(fast_product(z12, FAST_1_082) - z5);
    const int16_t t6 = wrap(fast_product(z10, -FAST_1_613) - z10 + z5 - t7);
    const int16_t t5 = wrap(t11 - t6), t4 = wrap(t10 + t5);

    v[0] = wrap(t0 + t7);
    v[7 * step] = wrap(t0 - t7);
    v[step] = wrap(t1 + t6);
    v[6 * step] = wrap(t1 - t6);
    v[2 * step] = wrap(t2 + t5);
    v[5 * step] = wrap(t2 - t5);
    v[4 * step] = wrap(t3 + t4);
    v[3 * step] = wrap(t3 - t4);
}

static void idct_fast(
    const int16_t *coefficients, const uint16_t *multiplier, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64];
    for (int i = 0; i < 64; i++)
        block[i] = dequantise(coefficients[i], multiplier[i]);
    for (int x = 0; x < 8; x++)
        idct_8(block + x, 8);
    for (int y = 0; y < 8; y++) {
        idct_8(block + 8 * y, 1);
        for (int x = 0; x < 8; x++)
            out[y * pitch + x] = clamp8((block[8 * y + x] >> (FAST_PASS_BITS + 3)) + 128);
    }
}

void kst_jpeg_cpu_idct_fast_c(struct jpeg_dsp *dsp)
{
    dsp->idct_fast = idct_fast;
}
