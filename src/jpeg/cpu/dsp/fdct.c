/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the forward DCT of 8×8 samples (T.81 A.3.3) in plain C: the transpose of idct.c's transform, rows first,
 * then columns. Its results are 8 times those of the standard; the quantiser's divisors remove that factor. Because
 * samples are 8-bit, nothing overflows 16 bits between the steps.
 */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/quantise.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

/*
 * Transform eight values that are `step` apart, in place. `shift` is applied to the products: the first pass gains
 * DCT_PASS_BITS, the second loses them.
 */
static void fdct_8(int16_t *data, int step, int shift)
{
    const int32_t t0 = data[0] + data[7 * step], t7 = data[0] - data[7 * step];
    const int32_t t1 = data[step] + data[6 * step], t6 = data[step] - data[6 * step];
    const int32_t t2 = data[2 * step] + data[5 * step], t5 = data[2 * step] - data[5 * step];
    const int32_t t3 = data[3 * step] + data[4 * step], t4 = data[3 * step] - data[4 * step];

    const int32_t t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
    data[0] = (int16_t)descale(term(t10 + t11, 1 << DCT_BITS), shift);
    data[4 * step] = (int16_t)descale(term(t10 - t11, 1 << DCT_BITS), shift);
    data[2 * step] = (int16_t)descale(term(t13, F_0_541 + F_0_765) + term(t12, F_0_541), shift);
    data[6 * step] = (int16_t)descale(term(t13, F_0_541) + term(t12, F_0_541 - F_1_847), shift);

    const int32_t z3 = t4 + t6, z4 = t5 + t7;
    const uint32_t s3 = term(z3, F_1_175 - F_1_961) + term(z4, F_1_175);
    const uint32_t s4 = term(z3, F_1_175) + term(z4, F_1_175 - F_0_390);
    data[7 * step] = (int16_t)descale(term(t4, F_0_298 - F_0_899) - term(t7, F_0_899) + s3, shift);
    data[5 * step] = (int16_t)descale(term(t5, F_2_053 - F_2_562) - term(t6, F_2_562) + s4, shift);
    data[3 * step] = (int16_t)descale(term(t6, F_3_072 - F_2_562) - term(t5, F_2_562) + s3, shift);
    data[step] = (int16_t)descale(term(t7, F_1_501 - F_0_899) - term(t4, F_0_899) + s4, shift);
}

static void fdct(const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *quantizer, int16_t *out)
{
    int16_t block[64];
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++)
            block[8 * y + x] = (int16_t)(in[y * pitch + x] - 128);
        fdct_8(block + 8 * y, 1, DCT_BITS - DCT_PASS_BITS);
    }
    for (int x = 0; x < 8; x++)
        fdct_8(block + x, 8, DCT_BITS + DCT_PASS_BITS);
    for (int i = 0; i < 64; i++)
        out[i] = quantise(block[i], quantizer, i);
}

void kst_jpeg_cpu_fdct_c(struct jpeg_dsp *dsp)
{
    dsp->fdct = fdct;
    dsp->fdct_zigzag = NULL;
}
