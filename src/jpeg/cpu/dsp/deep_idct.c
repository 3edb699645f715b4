/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the inverse DCTs of deep pictures, which give n×n samples from 8×8 coefficients. The factors are those of 8
 * bits; between the passes, columns then rows, values keep 1 extra bit. Sums have 64 bits, which coefficients of
 * damaged streams need, too: at most 32 bits of a coefficient, 16 of a factor, and 3 for the eight terms.
 */
#include "jpeg/cpu/dsp/deep.h"
#include "jpeg/cpu/dsp/scaled_factors.h"
#include "jpeg/tables/dct.h"

enum { PASS_BITS = 1, SHIFT_1 = DCT_BITS - PASS_BITS, SHIFT_2 = DCT_BITS + PASS_BITS + 3 };

/* Divide a sum by 2^bits, rounding half up; the lower 32 bits of the result count. */
static inline int32_t descale(int64_t sum, int bits)
{
    return (int32_t)((sum + ((int64_t)1 << (bits - 1))) >> bits);
}

/*
 * Make a sample of a sum: descale it and shift the level. Samples of more than 14 bits wrap before they are clamped, as
 * in libjpeg.
 */
static inline uint16_t sample_of(int64_t sum, int bits)
{
    const uint32_t sample = (uint32_t)descale(sum, bits) & (4 * (DEEP_MAX + 1) - 1);
    return jpeg_deep_clamp((int32_t)(sample ^ (2 * (DEEP_MAX + 1))) - 2 * (DEEP_MAX + 1) + DEEP_CENTRE);
}

/* Transform eight values that are `step` apart to eight sums (Loeffler, Ligtenberg and Moschytz). */
static void idct_8(const int32_t *in, int step, int64_t out[8])
{
    const int64_t c0 = in[0], c4 = in[4 * step], c2 = in[2 * step], c6 = in[6 * step];
    const int64_t t0 = (c0 + c4) * (1 << DCT_BITS), t1 = (c0 - c4) * (1 << DCT_BITS);
    const int64_t t2 = c2 * F_0_541 + c6 * (F_0_541 - F_1_847);
    const int64_t t3 = c2 * (F_0_541 + F_0_765) + c6 * F_0_541;

    const int64_t a0 = in[7 * step], a1 = in[5 * step], a2 = in[3 * step], a3 = in[step];
    const int64_t s3 = (a0 + a2) * (F_1_175 - F_1_961) + (a1 + a3) * F_1_175;
    const int64_t s4 = (a0 + a2) * F_1_175 + (a1 + a3) * (F_1_175 - F_0_390);
    const int64_t odd0 = a0 * (F_0_298 - F_0_899) - a3 * F_0_899 + s3;
    const int64_t odd1 = a1 * (F_2_053 - F_2_562) - a2 * F_2_562 + s4;
    const int64_t odd2 = a2 * (F_3_072 - F_2_562) - a1 * F_2_562 + s3;
    const int64_t odd3 = a3 * (F_1_501 - F_0_899) - a0 * F_0_899 + s4;

    out[0] = t0 + t3 + odd3;
    out[7] = t0 + t3 - odd3;
    out[1] = t1 + t2 + odd2;
    out[6] = t1 + t2 - odd2;
    out[2] = t1 - t2 + odd1;
    out[5] = t1 - t2 - odd1;
    out[3] = t0 - t3 + odd0;
    out[4] = t0 - t3 - odd0;
}

/* Return whether the seven values behind the first one, which are `step` apart, are all 0. */
static bool is_flat(const int32_t *in, int step)
{
    int32_t any = 0;
    for (int i = 1; i < 8; i++)
        any |= in[i * step];
    return any == 0;
}

static void idct_8x8(int32_t block[64], uint16_t *out, size_t pitch)
{
    int64_t sums[8];
    for (int x = 0; x < 8; x++) {
        if (is_flat(block + x, 8)) { /* the same without the factors */
            for (int y = 7; y >= 0; y--)
                block[8 * y + x] = (int32_t)((uint32_t)block[x] << PASS_BITS);
            continue;
        }
        idct_8(block + x, 8, sums);
        for (int y = 0; y < 8; y++)
            block[8 * y + x] = descale(sums[y], SHIFT_1);
    }
    for (int y = 0; y < 8; y++) {
        idct_8(block + 8 * y, 1, sums);
        for (int x = 0; x < 8; x++)
            out[(size_t)y * pitch + (size_t)x] = sample_of(sums[x], SHIFT_2);
    }
}

/* Compute four sums from eight values, `step` apart; the value at index 4 is not used. */
static void idct_4(const int32_t *in, int step, int64_t out[4])
{
    const int64_t a1 = in[step], a3 = in[3 * step], a5 = in[5 * step], a7 = in[7 * step];
    const int64_t t0 = in[0] * ((int64_t)2 << DCT_BITS);
    const int64_t t2 = (int64_t)in[2 * step] * F_1_847 - (int64_t)in[6 * step] * F_0_765;
    const int64_t odd0 = a1 * F_1_061 - a3 * F_2_172 + a5 * F_1_451 - a7 * F_0_211;
    const int64_t odd2 = a1 * F_2_562 + a3 * F_0_899 - a5 * F_0_601 - a7 * F_0_509;

    out[0] = t0 + t2 + odd2;
    out[3] = t0 + t2 - odd2;
    out[1] = t0 - t2 + odd0;
    out[2] = t0 - t2 - odd0;
}

static void idct_4x4(int32_t block[64], uint16_t *out, size_t pitch)
{
    int64_t sums[4];
    for (int x = 0; x < 8; x++) {
        idct_4(block + x, 8, sums);
        for (int y = 0; y < 4; y++)
            block[8 * y + x] = descale(sums[y], SHIFT_1 + 1);
    }
    for (int y = 0; y < 4; y++) {
        idct_4(block + 8 * y, 1, sums);
        for (int x = 0; x < 4; x++)
            out[(size_t)y * pitch + (size_t)x] = sample_of(sums[x], SHIFT_2 + 1);
    }
}

/* Compute two sums from the first and the odd ones of eight values that are `step` apart. */
static void idct_2(const int32_t *in, int step, int64_t out[2])
{
    const int64_t even = in[0] * ((int64_t)4 << DCT_BITS);
    const int64_t odd = (int64_t)in[step] * F_3_624 - (int64_t)in[3 * step] * F_1_272 +
                        (int64_t)in[5 * step] * F_0_850 - (int64_t)in[7 * step] * F_0_720;
    out[0] = even + odd;
    out[1] = even - odd;
}

static void idct_2x2(int32_t block[64], uint16_t *out, size_t pitch)
{
    int64_t sums[2];
    for (int x = 0; x < 8; x++) {
        idct_2(block + x, 8, sums);
        for (int y = 0; y < 2; y++)
            block[8 * y + x] = descale(sums[y], SHIFT_1 + 2);
    }
    for (int y = 0; y < 2; y++) {
        idct_2(block + 8 * y, 1, sums);
        for (int x = 0; x < 2; x++)
            out[(size_t)y * pitch + (size_t)x] = sample_of(sums[x], SHIFT_2 + 2);
    }
}

/* Transform eight values that are `step` apart to n sums. If n is below 8, only the first n values count. */
static void idct_scaled(uint32_t n, const int32_t *in, size_t step, int64_t out[JPEG_BLOCK_MAX])
{
    const int32_t(*factor)[8] = kst_jpeg_cpu_scaled_factors[n];
    for (uint32_t j = 0; j < (n + 1) / 2; j++) {
        int64_t even = 0, odd = 0;
        for (uint32_t k = 0; k < 8; k += 2) {
            even += (int64_t)factor[k][j] * in[k * step];
            odd += (int64_t)factor[k + 1][j] * in[(k + 1) * step];
        }
        out[j] = even + odd;
        out[n - 1 - j] = even - odd;
    }
}

static void idct_nxn(uint32_t n, const int32_t block[64], uint16_t *out, size_t pitch)
{
    int32_t rows[JPEG_BLOCK_MAX][8];
    int64_t sums[JPEG_BLOCK_MAX] = {0};
    for (uint32_t x = 0; x < 8; x++) {
        idct_scaled(n, block + x, 8, sums);
        for (uint32_t y = 0; y < n; y++)
            rows[y][x] = descale(sums[y], SHIFT_1);
    }
    for (uint32_t y = 0; y < n; y++) {
        idct_scaled(n, rows[y], 1, sums);
        for (uint32_t x = 0; x < n; x++)
            out[y * pitch + x] = sample_of(sums[x], SHIFT_2);
    }
}

void kst_jpeg_cpu_deep_idct(uint32_t n, const int16_t *coefficients, const uint16_t *quant, uint16_t *out, size_t pitch)
{
    int32_t block[64];
    for (int i = 0; i < 64; i++) /* libjpeg's multipliers have 16 bits and a sign */
        block[i] = coefficients[i] * (int16_t)quant[i];
    switch (n) {
    case 8:
        idct_8x8(block, out, pitch);
        break;
    case 4:
        idct_4x4(block, out, pitch);
        break;
    case 2:
        idct_2x2(block, out, pitch);
        break;
    case 1:
        out[0] = sample_of(block[0], 3);
        break;
    default:
        idct_nxn(n, block, out, pitch);
    }
}
