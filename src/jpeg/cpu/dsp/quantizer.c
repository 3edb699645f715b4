/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the tables for division by a divisor d as a multiplication. With 2^b ≤ d < 2^(b+1), the reciprocal f = 2^(16+b)
 * / d, rounded to nearest, has 16 bits, and (x + d/2)·f >> (16 + b) is x / d rounded half away from zero; if f was
 * rounded down, 1 is added to x first. For d a power of two f would be 2^16, so f and the shift are one bit less.
 * Vector code multiplies twice and keeps the upper halves: by f, then by `scale` = 2^(32 − shift).
 */
#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/tables/dct_fast.h"

/*
 * Set the table for division by d. If d is 0 (for quantisers 8192, 16384, …, with which libjpeg fails), the quotient is
 * 0, as for the true divisor.
 */
static void set_divisor(struct jpeg_quantizer *quantizer, int i, uint16_t d)
{
    quantizer->divisor[i] = d;
    quantizer->reciprocal[i] = d == 1;
    quantizer->correction[i] = quantizer->scale[i] = 0;
    quantizer->shift[i] = d == 1 ? 0 : 31;
    quantizer->small = quantizer->small || d == 1 || d == 2;
    if (d < 2)
        return;
    uint32_t b = 1;
    while (d >> (b + 1) != 0)
        b++;
    uint32_t shift = 16 + b, f = (1U << shift) / d, correction = d / 2;
    const uint32_t rest = (1U << shift) % d;
    if (rest == 0) {
        f >>= 1;
        shift--;
    } else if (rest <= d / 2) {
        correction++;
    } else {
        f++;
    }
    quantizer->reciprocal[i] = (uint16_t)f;
    quantizer->correction[i] = (uint16_t)correction;
    quantizer->scale[i] = (uint16_t)(1U << (32 - shift));
    quantizer->shift[i] = (uint16_t)shift;
}

/*
 * The forward DCT leaves a factor of 8 to be divided out. libjpeg keeps 8q in 16 bits, which quantisers above 8191
 * exceed. It then divides by the bits that are left, and files must equal those of libjpeg.
 */
void kst_jpeg_cpu_quantizer_init(struct jpeg_quantizer *quantizer, const uint16_t quant[64])
{
    quantizer->small = false;
    for (int i = 0; i < 64; i++)
        set_divisor(quantizer, i, (uint16_t)(quant[i] * 8U));
}

/* The fast DCT leaves a factor for each coefficient, too, and the divisors of low quantisers may be 1 or 2. */
void kst_jpeg_cpu_quantizer_init_fast(struct jpeg_quantizer *quantizer, const uint16_t quant[64])
{
    enum { SHIFT = FAST_SCALE_BITS - 3 };
    static const uint16_t scale[64] = {JPEG_FAST_SCALES};
    quantizer->small = false;
    for (int i = 0; i < 64; i++)
        set_divisor(quantizer, i, (uint16_t)((quant[i] * (uint32_t)scale[i] + (1U << (SHIFT - 1))) >> SHIFT));
}
