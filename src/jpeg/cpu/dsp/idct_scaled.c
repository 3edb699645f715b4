/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes, in plain C, the inverse DCTs that give n×n samples from 8×8 coefficients, where n is 3, 5, 6, 7 or 9–16. If
 * n is below 8, only the first n coefficients of a row or column count. Each pass multiplies by a matrix of factors
 * (scaled_factors.h): columns first, which keep 2 extra bits, then rows.
 */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/scaled_factors.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/dct.h"

enum { SHIFT_1 = DCT_BITS - DCT_PASS_BITS, SHIFT_2 = DCT_BITS + DCT_PASS_BITS + 3 };

/*
 * Transform the columns. With coefficients of damaged streams, sums may need 48 bits; the lower 32 bits of each result
 * count.
 */
void kst_jpeg_cpu_scaled_columns(uint32_t n, const int16_t *coefficients, const uint16_t *quant, int32_t rows[16][8])
{
    const int32_t(*factor)[8] = kst_jpeg_cpu_scaled_factors[n];
    for (uint32_t j = 0; j < (n + 1) / 2; j++) {
        for (uint32_t x = 0; x < 8; x++) {
            int64_t even = 1 << (SHIFT_1 - 1), odd = 0;
            for (uint32_t k = 0; k < 8; k += 2) {
                even += (int64_t)factor[k][j] * coefficients[8 * k + x] * (int16_t)quant[8 * k + x];
                odd += (int64_t)factor[k + 1][j] * coefficients[8 * k + 8 + x] * (int16_t)quant[8 * k + 8 + x];
            }
            rows[j][x] = (int32_t)((even + odd) >> SHIFT_1);
            rows[n - 1 - j][x] = (int32_t)((even - odd) >> SHIFT_1);
        }
    }
}

/* Samples of more than 10 bits wrap before they are clamped, as they do in idct_1x1(). */
static uint8_t sample_of(uint32_t sum)
{
    const uint32_t sample = sum >> SHIFT_2 & 1023;
    return clamp8((int32_t)(sample ^ 512) - 512 + 128);
}

static void transform_row(uint32_t n, const int32_t in[8], uint8_t *out)
{
    const int32_t(*factor)[8] = kst_jpeg_cpu_scaled_factors[n];
    uint32_t even[8], odd[8] = {0};
    for (uint32_t j = 0; j < 8; j++)
        even[j] = 1U << (SHIFT_2 - 1);
    for (uint32_t k = 0; k < 8; k += 2) {
        for (uint32_t j = 0; j < 8; j++) {
            even[j] += term(in[k], factor[k][j]);
            odd[j] += term(in[k + 1], factor[k + 1][j]);
        }
    }
    for (uint32_t j = 0; j < (n + 1) / 2; j++) {
        out[j] = sample_of(even[j] + odd[j]);
        out[n - 1 - j] = sample_of(even[j] - odd[j]);
    }
}

static void idct(uint32_t n, const int16_t *coefficients, const uint16_t *quant, uint8_t *out, ptrdiff_t pitch)
{
    int32_t rows[16][8];
    kst_jpeg_cpu_scaled_columns(n, coefficients, quant, rows);
    for (uint32_t y = 0; y < n; y++)
        transform_row(n, rows[y], out + (ptrdiff_t)y * pitch);
}

#define DEFINE(n)                                                                                                      \
    static void idct_##n(                                                                                              \
        const int16_t *coefficients, const uint16_t *quant, uint32_t last, uint8_t *out, ptrdiff_t pitch)              \
    {                                                                                                                  \
        (void)last;                                                                                                    \
        idct(n, coefficients, quant, out, pitch);                                                                      \
    }

FOR_EACH_SCALED_SIZE(DEFINE)

#define SET(n) dsp->idct[n] = idct_##n;

void kst_jpeg_cpu_idct_scaled_c(struct jpeg_dsp *dsp)
{
    FOR_EACH_SCALED_SIZE(SET)
}
