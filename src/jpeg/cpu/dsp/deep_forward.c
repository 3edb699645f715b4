/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provides, in plain C, what encoding deep pictures needs in place of struct jpeg_dsp: colours, downsampling, and the
 * forward DCT. Factors and biases are those of 8 bits.
 */
#include "jpeg/cpu/dsp/deep.h"
#include "jpeg/tables/colour.h"
#include "jpeg/tables/dct.h"

static inline uint16_t luma(int32_t r, int32_t g, int32_t b)
{
    return (uint16_t)((YCC_Y_RED * r + YCC_Y_GREEN * g + YCC_Y_BLUE * b + 32768) >> 16);
}

void kst_jpeg_cpu_deep_rgb_to_grey(const uint16_t *const in[3], uint16_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = luma(in[0][i], in[1][i], in[2][i]);
}

void kst_jpeg_cpu_deep_rgb_to_ycc(const uint16_t *const in[3], uint16_t *const out[3], uint32_t n, bool ink)
{
    const uint16_t flip = ink ? DEEP_MAX : 0;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t r = in[0][i] ^ flip, g = in[1][i] ^ flip, b = in[2][i] ^ flip, half = (DEEP_CENTRE << 16) + 32767;
        out[0][i] = luma(r, g, b);
        out[1][i] = (uint16_t)((-YCC_CB_RED * r - YCC_CB_GREEN * g + 32768 * b + half) >> 16);
        out[2][i] = (uint16_t)((32768 * r - YCC_CR_GREEN * g - YCC_CR_BLUE * b + half) >> 16);
    }
}

void kst_jpeg_cpu_deep_downsample(
    const uint16_t *in, size_t pitch, uint32_t box_w, uint32_t box_h, uint16_t *out, uint32_t n)
{
    const uint32_t area = box_w * box_h > 0 ? box_w * box_h : 1; /* no side is 0, which clang-tidy cannot know */
    const bool alternates = box_w == 2 && box_h <= 2;            /* as libjpeg does there */
    for (uint32_t x = 0; x < n; x++) {
        uint32_t sum = alternates ? (box_h == 1 ? 0 : 1) + (x & 1) : area / 2;
        for (uint32_t j = 0; j < box_h; j++)
            for (uint32_t i = 0; i < box_w; i++)
                sum += in[j * pitch + (size_t)x * box_w + i];
        out[x] = (uint16_t)(sum / area);
    }
}

static inline int32_t descale(int64_t sum, int bits)
{
    return (int32_t)((sum + ((int64_t)1 << (bits - 1))) >> bits);
}

/*
 * Transform eight values that are `step` apart, in place. `shift` is applied to the products: the first pass gains a
 * bit, the second loses it.
 */
static void fdct_8(int32_t *data, int step, int shift)
{
    const int64_t t0 = data[0] + data[7 * step], t7 = data[0] - data[7 * step];
    const int64_t t1 = data[step] + data[6 * step], t6 = data[step] - data[6 * step];
    const int64_t t2 = data[2 * step] + data[5 * step], t5 = data[2 * step] - data[5 * step];
    const int64_t t3 = data[3 * step] + data[4 * step], t4 = data[3 * step] - data[4 * step];

    const int64_t t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
    data[0] = descale((t10 + t11) * (1 << DCT_BITS), shift);
    data[4 * step] = descale((t10 - t11) * (1 << DCT_BITS), shift);
    data[2 * step] = descale(t13 * (F_0_541 + F_0_765) + t12 * F_0_541, shift);
    data[6 * step] = descale(t13 * F_0_541 + t12 * (F_0_541 - F_1_847), shift);

    const int64_t z3 = t4 + t6, z4 = t5 + t7;
    const int64_t s3 = z3 * (F_1_175 - F_1_961) + z4 * F_1_175;
    const int64_t s4 = z3 * F_1_175 + z4 * (F_1_175 - F_0_390);
    data[7 * step] = descale(t4 * (F_0_298 - F_0_899) - t7 * F_0_899 + s3, shift);
    data[5 * step] = descale(t5 * (F_2_053 - F_2_562) - t6 * F_2_562 + s4, shift);
    data[3 * step] = descale(t6 * (F_3_072 - F_2_562) - t5 * F_2_562 + s3, shift);
    data[step] = descale(t7 * (F_1_501 - F_0_899) - t4 * F_0_899 + s4, shift);
}

/*
 * Divide by `divisor`, which is 8 times the quantiser because the DCT leaves that factor, rounding half away from zero.
 */
static inline int16_t quantise(int32_t value, uint32_t divisor)
{
    const uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
    const int32_t quotient = (int32_t)((magnitude + divisor / 2) / divisor);
    return (int16_t)(value < 0 ? -quotient : quotient);
}

void kst_jpeg_cpu_deep_fdct(const uint16_t *in, size_t pitch, const uint16_t quant[64], int16_t *out)
{
    enum { PASS_BITS = 1 };
    int32_t block[64];
    for (size_t y = 0; y < 8; y++) {
        for (size_t x = 0; x < 8; x++)
            block[8 * y + x] = in[y * pitch + x] - DEEP_CENTRE;
        fdct_8(block + 8 * y, 1, DCT_BITS - PASS_BITS);
    }
    for (int x = 0; x < 8; x++)
        fdct_8(block + x, 8, DCT_BITS + PASS_BITS);
    for (int i = 0; i < 64; i++)
        out[i] = quantise(block[i], 8U * quant[i]);
}
