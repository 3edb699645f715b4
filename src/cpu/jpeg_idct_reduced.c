/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inverse DCTs that give 4×4, 2×2 or 1 samples from a block of 8×8 coefficients. They are no plain small DCTs of the
 * low frequencies: every coefficient but those whose basis function vanishes at the output's centres takes part. Sums
 * are kept modulo 2^32: unlike in the full transform, hostile coefficients can exceed it.
 */
#include "cpu/jpeg_arithmetic.h"
#include "cpu/jpeg_dct_constants.h"
#include "cpu/jpeg_tiers.h"

static uint32_t product(int32_t value, int32_t constant)
{
    return (uint32_t)(value * constant);
}

/* Of eight values, `step` apart, all but that at index 4 give four. */
static void idct_4(const int16_t *in, int step, int16_t out[4], int shift)
{
    const int32_t a1 = in[step], a3 = in[3 * step], a5 = in[5 * step], a7 = in[7 * step];
    const uint32_t t0 = product(in[0], 2 << DCT_BITS);
    const uint32_t t2 = product(in[2 * step], F_1_847) + product(in[6 * step], -F_0_765);
    const uint32_t odd0 = product(a1, F_1_061) + product(a3, -F_2_172) + product(a5, F_1_451) + product(a7, -F_0_211);
    const uint32_t odd2 = product(a1, F_2_562) + product(a3, F_0_899) + product(a5, -F_0_601) + product(a7, -F_0_509);

    out[0] = saturate16(descale_wrapped(t0 + t2 + odd2, shift));
    out[3] = saturate16(descale_wrapped(t0 + t2 - odd2, shift));
    out[1] = saturate16(descale_wrapped(t0 - t2 + odd0, shift));
    out[2] = saturate16(descale_wrapped(t0 - t2 - odd0, shift));
}

static void idct_4x4(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64], rows[4][8] = {{0}};
    for (int i = 0; i < 64; i++)
        block[i] = (int16_t)dequantise(coefficients[i], quant[i]);
    for (int x = 0; x < 8; x++) {
        int16_t column[4];
        idct_4(block + x, 8, column, DCT_BITS - DCT_PASS_BITS + 1);
        for (int y = 0; y < 4; y++)
            rows[y][x] = column[y];
    }
    for (int y = 0; y < 4; y++) {
        int16_t row[4];
        idct_4(rows[y], 1, row, DCT_BITS + DCT_PASS_BITS + 3 + 1);
        for (int x = 0; x < 4; x++)
            out[y * pitch + x] = clamp8(row[x] + 128);
    }
}

static uint32_t odd_2(int32_t a1, int32_t a3, int32_t a5, int32_t a7)
{
    return product(a1, F_3_624) + product(a3, -F_1_272) + product(a5, F_0_850) + product(a7, -F_0_720);
}

/* Column 0 stays in 32 bits between the passes, the odd columns saturate to 16. */
static void idct_2x2(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    const int shift = DCT_BITS - DCT_PASS_BITS + 2;
    int32_t column[8][2] = {{0}};
    for (int x = 0; x < 8; x += x == 0 ? 1 : 2) {
        int32_t c[8];
        for (int y = 0; y < 8; y++)
            c[y] = dequantise(coefficients[8 * y + x], quant[8 * y + x]);
        const uint32_t even = product(c[0], 4 << DCT_BITS), odd = odd_2(c[1], c[3], c[5], c[7]);
        column[x][0] = descale_wrapped(even + odd, shift);
        column[x][1] = descale_wrapped(even - odd, shift);
    }
    for (int y = 0; y < 2; y++) {
        const uint32_t even = (uint32_t)column[0][y] << (DCT_BITS + 2);
        const uint32_t odd = odd_2(
            saturate16(column[1][y]), saturate16(column[3][y]), saturate16(column[5][y]), saturate16(column[7][y]));
        for (int x = 0; x < 2; x++) {
            const uint32_t sum = x == 0 ? even + odd : even - odd;
            out[y * pitch + x] = clamp8(descale_wrapped(sum, DCT_BITS + DCT_PASS_BITS + 3 + 2) + 128);
        }
    }
}

/* From DC alone; what exceeds 10 bits wraps, as libjpeg's range limit does. */
static void idct_1x1(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    (void)pitch;
    const uint32_t sample = ((uint32_t)(coefficients[0] * quant[0]) + 4) >> 3 & 1023;
    out[0] = clamp8((int32_t)(sample ^ 512) - 512 + 128);
}

void kst_jpeg_idct_reduced_c(struct jpeg_dsp *dsp)
{
    dsp->idct[1] = idct_4x4;
    dsp->idct[2] = idct_2x2;
    dsp->idct[3] = idct_1x1;
}
