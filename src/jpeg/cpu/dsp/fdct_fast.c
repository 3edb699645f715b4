/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the forward DCT of 8×8 samples after Arai, Agui and Nakajima in plain C, with the coefficients of libjpeg's
 * IFAST method: rows first, then columns. The factors that the transform leaves out are in the quantiser's divisors.
 */
#include "jpeg/cpu/dsp/fast.h"
#include "jpeg/cpu/dsp/quantise.h"
#include "jpeg/cpu/dsp/tiers.h"

static void fdct_8(int16_t *v, int step)
{
    const int16_t t0 = wrap(v[0] + v[7 * step]), t7 = wrap(v[0] - v[7 * step]);
    const int16_t t1 = wrap(v[step] + v[6 * step]), t6 = wrap(v[step] - v[6 * step]);
    const int16_t t2 = wrap(v[2 * step] + v[5 * step]), t5 = wrap(v[2 * step] - v[5 * step]);
    const int16_t t3 = wrap(v[3 * step] + v[4 * step]), t4 = wrap(v[3 * step] - v[4 * step]);

    const int16_t s0 = wrap(t0 + t3), s3 = wrap(t0 - t3), s1 = wrap(t1 + t2), s2 = wrap(t1 - t2);
    const int16_t z1 = fast_product(wrap(s2 + s3), FAST_0_707);
    v[0] = wrap(s0 + s1);
    v[4 * step] = wrap(s0 - s1);
    v[2 * step] = wrap(s3 + z1);
    v[6 * step] = wrap(s3 - z1);

    const int16_t s4 = wrap(t4 + t5), s5 = wrap(t5 + t6), s6 = wrap(t6 + t7);
    const int16_t z5 = fast_product(wrap(s4 - s6), FAST_0_382);
    const int16_t z2 = wrap(fast_product(s4, FAST_0_541) + z5), z4 = wrap(fast_product(s6, FAST_1_306) + z5);
    const int16_t z3 = fast_product(s5, FAST_0_707);
    const int16_t z11 = wrap(t7 + z3), z13 = wrap(t7 - z3);
    v[5 * step] = wrap(z13 + z2);
    v[3 * step] = wrap(z13 - z2);
    v[step] = wrap(z11 + z4);
    v[7 * step] = wrap(z11 - z4);
}

static void fdct_fast(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    int16_t block[64];
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++)
            block[8 * y + x] = (int16_t)(in[y * pitch + x] - 128);
        fdct_8(block + 8 * y, 1);
    }
    for (int x = 0; x < 8; x++)
        fdct_8(block + x, 8);
    for (int i = 0; i < 64; i++)
        out[i] = quantise(block[i], quantizer, i);
}

void kst_jpeg_cpu_fdct_fast_c(struct jpeg_dsp *dsp)
{
    dsp->fdct_fast = fdct_fast;
}
