/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inverse DCT of 8×8 (T.81 A.3.3) in 13-bit fixed point after Loeffler, Ligtenberg and Moschytz. Two passes, columns
 * then rows; between them values keep 2 extra bits and saturate to 16.
 */
#include "cpu/jpeg_arithmetic.h"
#include "cpu/jpeg_dct_constants.h"
#include "cpu/jpeg_tiers.h"

/*
 * Eight values in int16_t's range, `step` apart, to eight saturated ones. The sums that vector code forms in 16 bits
 * wrap. No 32-bit sum overflows: the worst is 32768·(8192 + 15137 + 25171 + 16070) + 2^17 < 2^31.
 */
static void idct_8(const int16_t *in, int16_t *out, int step, int shift)
{
    const int32_t c2 = in[2 * step], c6 = in[6 * step];
    const int32_t t0 = wrap16(in[0] + in[4 * step]) * 8192;
    const int32_t t1 = wrap16(in[0] - in[4 * step]) * 8192;
    const int32_t t2 = c2 * F_0_541 + c6 * (F_0_541 - F_1_847);
    const int32_t t3 = c2 * (F_0_541 + F_0_765) + c6 * F_0_541;

    const int32_t a0 = in[7 * step], a1 = in[5 * step], a2 = in[3 * step], a3 = in[step];
    const int32_t z3 = wrap16(a0 + a2), z4 = wrap16(a1 + a3);
    const int32_t s3 = z3 * (F_1_175 - F_1_961) + z4 * F_1_175;
    const int32_t s4 = z3 * F_1_175 + z4 * (F_1_175 - F_0_390);
    const int32_t odd0 = a0 * (F_0_298 - F_0_899) - a3 * F_0_899 + s3;
    const int32_t odd1 = a1 * (F_2_053 - F_2_562) - a2 * F_2_562 + s4;
    const int32_t odd2 = a2 * (F_3_072 - F_2_562) - a1 * F_2_562 + s3;
    const int32_t odd3 = a3 * (F_1_501 - F_0_899) - a0 * F_0_899 + s4;

    out[0 * step] = saturate16(descale(t0 + t3 + odd3, shift));
    out[7 * step] = saturate16(descale(t0 + t3 - odd3, shift));
    out[1 * step] = saturate16(descale(t1 + t2 + odd2, shift));
    out[6 * step] = saturate16(descale(t1 + t2 - odd2, shift));
    out[2 * step] = saturate16(descale(t1 - t2 + odd1, shift));
    out[5 * step] = saturate16(descale(t1 - t2 - odd1, shift));
    out[3 * step] = saturate16(descale(t0 - t3 + odd0, shift));
    out[4 * step] = saturate16(descale(t0 - t3 - odd0, shift));
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64];
    for (int i = 0; i < 64; i++)
        block[i] = (int16_t)dequantise(coefficients[i], quant[i]);
    for (int x = 0; x < 8; x++)
        idct_8(block + x, block + x, 8, DCT_BITS - DCT_PASS_BITS);
    for (int y = 0; y < 8; y++) {
        int16_t row[8];
        idct_8(block + 8 * y, row, 1, DCT_BITS + DCT_PASS_BITS + 3);
        for (int x = 0; x < 8; x++)
            out[y * pitch + x] = clamp8(row[x] + 128);
    }
}

void kst_jpeg_idct_c(struct jpeg_dsp *dsp)
{
    dsp->idct[0] = idct_8x8;
}
