/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the inverse DCT of 8×8 coefficients (T.81 A.3.3) in plain C, in 13-bit fixed point after Loeffler,
 * Ligtenberg and Moschytz. There are two passes, columns then rows; between them values keep 2 extra bits and saturate
 * to 16 bits. Sums are kept modulo 2^32, so that any order of summation gives the same result.
 */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

/* Transform eight values that are `step` apart to eight sums. */
static void idct_8(const int16_t *in, int step, uint32_t out[8])
{
    const int32_t c2 = in[2 * step], c6 = in[6 * step];
    const uint32_t t0 = term(in[0] + in[4 * step], 1 << DCT_BITS);
    const uint32_t t1 = term(in[0] - in[4 * step], 1 << DCT_BITS);
    const uint32_t t2 = term(c2, F_0_541) + term(c6, F_0_541 - F_1_847);
    const uint32_t t3 = term(c2, F_0_541 + F_0_765) + term(c6, F_0_541);

    const int32_t a0 = in[7 * step], a1 = in[5 * step], a2 = in[3 * step], a3 = in[step];
    const uint32_t s3 = term(a0 + a2, F_1_175 - F_1_961) + term(a1 + a3, F_1_175);
    const uint32_t s4 = term(a0 + a2, F_1_175) + term(a1 + a3, F_1_175 - F_0_390);
    const uint32_t odd0 = term(a0, F_0_298 - F_0_899) - term(a3, F_0_899) + s3;
    const uint32_t odd1 = term(a1, F_2_053 - F_2_562) - term(a2, F_2_562) + s4;
    const uint32_t odd2 = term(a2, F_3_072 - F_2_562) - term(a1, F_2_562) + s3;
    const uint32_t odd3 = term(a3, F_1_501 - F_0_899) - term(a0, F_0_899) + s4;

    out[0] = t0 + t3 + odd3;
    out[7] = t0 + t3 - odd3;
    out[1] = t1 + t2 + odd2;
    out[6] = t1 + t2 - odd2;
    out[2] = t1 - t2 + odd1;
    out[5] = t1 - t2 - odd1;
    out[3] = t0 - t3 + odd0;
    out[4] = t0 - t3 - odd0;
}

static void idct_8x8(const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (void)last;
    int16_t block[64];
    uint32_t sums[8];
    for (int i = 0; i < 64; i++)
        block[i] = dequantise(coefficients[i], quant[i]);
    for (int x = 0; x < 8; x++) {
        idct_8(block + x, 8, sums);
        for (int y = 0; y < 8; y++)
            block[8 * y + x] = saturate16(descale(sums[y], DCT_BITS - DCT_PASS_BITS));
    }
    for (int y = 0; y < 8; y++) {
        idct_8(block + 8 * y, 1, sums);
        for (int x = 0; x < 8; x++)
            out[y * pitch + x] = descale_sample(sums[x], DCT_BITS + DCT_PASS_BITS + 3);
    }
}

void kst_jpeg_cpu_idct_c(struct jpeg_dsp *dsp)
{
    dsp->idct[8] = idct_8x8;
}
