/* SPDX-License-Identifier: BSD-2-Clause */
/* Dequantisation, component transforms and level shift of JPEG 2000. */
#include "cpu/j2k_samples.h"

/* Sign and magnitude as a two's complement number. */
static inline int32_t index_value(uint32_t index)
{
    int32_t magnitude = (int32_t)(index & 0x7FFFFFFF);
    return index >> 31 ? -magnitude : magnitude;
}

void kst_j2k_store_integers(const struct j2k_indices *indices, int32_t *to, size_t pitch)
{
    for (uint32_t y = 0; y < indices->height; y++) {
        const uint32_t *restrict from = indices->from + y * indices->pitch;
        int32_t *restrict row = to + y * pitch;
        for (size_t x = 0; x < indices->width; x++)
            row[x] = index_value(from[x]);
    }
}

void kst_j2k_store_reals(const struct j2k_indices *indices, float factor, float *to, size_t pitch)
{
    for (uint32_t y = 0; y < indices->height; y++) {
        const uint32_t *restrict from = indices->from + y * indices->pitch;
        float *restrict row = to + y * pitch;
        for (size_t x = 0; x < indices->width; x++)
            row[x] = (float)index_value(from[x]) * factor;
    }
}

void kst_j2k_inverse_rct(int32_t *restrict y, int32_t *restrict u, int32_t *restrict v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t first = (uint32_t)u[i], second = (uint32_t)v[i];
        uint32_t green = (uint32_t)y[i] - (uint32_t)((int32_t)(first + second) >> 2);
        y[i] = (int32_t)(second + green);
        u[i] = (int32_t)green;
        v[i] = (int32_t)(first + green);
    }
}

void kst_j2k_inverse_ict(float *restrict y, float *restrict cb, float *restrict cr, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float luma = y[i], blue = cb[i], red = cr[i];
        y[i] = luma + 1.402F * red;
        cb[i] = luma - 0.34413F * blue - 0.71414F * red;
        cr[i] = luma + 1.772F * blue;
    }
}

void kst_j2k_finish_integers(
    const int32_t *restrict from, size_t count, uint32_t depth, bool is_signed, int32_t *restrict to)
{
    int32_t half = (int32_t)((uint32_t)1 << (depth - 1));
    int32_t low = is_signed ? -half : 0, high = is_signed ? half - 1 : half - 1 + half;
    uint32_t shift = is_signed ? 0 : (uint32_t)half;
    for (size_t i = 0; i < count; i++) {
        int32_t value = (int32_t)((uint32_t)from[i] + shift);
        value = value < low ? low : value;
        to[i] = value > high ? high : value;
    }
}

/* Shifted to where nothing is negative, also if signed: truncation then rounds down. */
void kst_j2k_finish_reals(
    const float *restrict from, size_t count, uint32_t depth, bool is_signed, int32_t *restrict to)
{
    uint32_t half = (uint32_t)1 << (depth - 1);
    float shift = (float)half, rounding = depth < 24 ? 0.5F : 0;
    /* the largest number of this precision below 2^depth */
    float high = (float)(2 * half - (depth <= 24 ? 1 : (uint32_t)1 << (depth - 24)));
    int32_t back = is_signed ? (int32_t)half : 0;
    for (size_t i = 0; i < count; i++) {
        float value = from[i] + shift;
        value = value > 0 ? value : 0; /* what is no number, too */
        value = value < high ? value : high;
        to[i] = (int32_t)(value + rounding) - back;
    }
}

void kst_j2k_pack_8(const int32_t *restrict from, size_t count, uint8_t *restrict to, size_t step)
{
    if (step == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)from[i];
    else
        for (size_t i = 0; i < count; i++)
            to[i * step] = (uint8_t)from[i];
}

void kst_j2k_pack_16(const int32_t *restrict from, size_t count, uint16_t *restrict to, size_t step)
{
    if (step == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (uint16_t)from[i];
    else
        for (size_t i = 0; i < count; i++)
            to[i * step] = (uint16_t)from[i];
}
