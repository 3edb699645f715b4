/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes inverse DCTs that give 4×4, 2×2 or 1 samples from a block of 8×8 coefficients. They are not just small DCTs
 * of the low frequencies: every coefficient takes part, except those whose basis function vanishes at the centres of
 * the output samples.
 */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

/* Compute four sums from eight values, `step` apart; the value at index 4 is not used. */
static void idct_4(const int16_t *in, int step, uint32_t out[4])
{
    const int32_t a1 = in[step], a3 = in[3 * step], a5 = in[5 * step], a7 = in[7 * step];
    const uint32_t t0 = term(in[0], 2 << DCT_BITS);
    const uint32_t t2 = term(in[2 * step], F_1_847) - term(in[6 * step], F_0_765);
    const uint32_t odd0 = term(a1, F_1_061) - term(a3, F_2_172) + term(a5, F_1_451) - term(a7, F_0_211);
    const uint32_t odd2 = term(a1, F_2_562) + term(a3, F_0_899) - term(a5, F_0_601) - term(a7, F_0_509);

    out[0] = t0 + t2 + odd2;
    out[3] = t0 + t2 - odd2;
    out[1] = t0 - t2 + odd0;
    out[2] = t0 - t2 - odd0;
}

static void idct_4x4(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64], rows[4][8];
    uint32_t sums[4];
    for (int i = 0; i < 64; i++)
        block[i] = dequantise(coefficients[i], quant[i]);
    for (int x = 0; x < 8; x++) {
        idct_4(block + x, 8, sums);
        for (int y = 0; y < 4; y++)
            rows[y][x] = saturate16(descale(sums[y], DCT_BITS - DCT_PASS_BITS + 1));
    }
    for (int y = 0; y < 4; y++) {
        idct_4(rows[y], 1, sums);
        for (int x = 0; x < 4; x++)
            out[y * pitch + x] = descale_sample(sums[x], DCT_BITS + DCT_PASS_BITS + 3 + 1);
    }
}

/* Compute two sums from the first and the odd ones of eight values. */
static void idct_2(int32_t a0, int32_t a1, int32_t a3, int32_t a5, int32_t a7, uint32_t out[2])
{
    const uint32_t even = term(a0, 4 << DCT_BITS);
    const uint32_t odd = term(a1, F_3_624) - term(a3, F_1_272) + term(a5, F_0_850) - term(a7, F_0_720);
    out[0] = even + odd;
    out[1] = even - odd;
}

/* Compute 2×2 samples. Between the passes, column 0 is kept in 32 bits, and the odd columns saturate to 16 bits. */
static void idct_2x2(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64];
    int32_t rows[2][8];
    uint32_t sums[2];
    for (int i = 0; i < 64; i++)
        block[i] = dequantise(coefficients[i], quant[i]);
    for (int x = 0; x < 8; x++) {
        idct_2(block[x], block[8 + x], block[24 + x], block[40 + x], block[56 + x], sums);
        for (int y = 0; y < 2; y++)
            rows[y][x] = descale(sums[y], DCT_BITS - DCT_PASS_BITS + 2);
    }
    for (int y = 0; y < 2; y++) {
        const int32_t *r = rows[y];
        idct_2(r[0], saturate16(r[1]), saturate16(r[3]), saturate16(r[5]), saturate16(r[7]), sums);
        for (int x = 0; x < 2; x++)
            out[y * pitch + x] = descale_sample(sums[x], DCT_BITS + DCT_PASS_BITS + 3 + 2);
    }
}

/* Compute one sample, from the DC coefficient alone. Values of more than 10 bits wrap, as in libjpeg's range limit. */
static void idct_1x1(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    (void)pitch;
    const uint32_t sample = ((uint32_t)(coefficients[0] * quant[0]) + 4) >> 3 & 1023;
    out[0] = clamp8((int32_t)(sample ^ 512) - 512 + 128);
}

void kst_jpeg_cpu_idct_reduced_c(struct jpeg_dsp *dsp)
{
    dsp->idct[4] = idct_4x4;
    dsp->idct[2] = idct_2x2;
    dsp->idct[1] = idct_1x1;
}
