/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts integer samples to floating point. */
#include "image/normalise.h"

#include <math.h>
#include <string.h>

/*
 * Means and scales are limited to magnitudes of 2^±60: products then are normal numbers, so it does not matter how a
 * device treats subnormal ones.
 */
enum { DEPTH_MAX = 16 };

static const float LEAST = 0x1p-60F, MOST = 0x1p60F;

static bool is_within(float value)
{
    return value == 0 || (fabsf(value) >= LEAST && fabsf(value) <= MOST);
}

bool kst_normal_init(struct normal *normal, const kst_decode_options *options, uint32_t depth, bool is_signed)
{
    if (depth > DEPTH_MAX)
        return false;
    float greatest = (float)((1U << (is_signed ? depth - 1 : depth)) - 1);
    normal->sample = options->sample;
    for (int i = 0; i < 4; i++) {
        if (!is_within(options->mean[i]) || !is_within(options->scale[i]))
            return false;
        normal->mean[i] = options->mean[i];
        normal->scale[i] = options->scale[i] == 0 ? 1.0F / (greatest > 0 ? greatest : 1.0F) : options->scale[i];
    }
    return true;
}

/* Convert binary32 to binary16, rounding to nearest, ties to even (IEEE 754, 4.3.1). The numbers here are never NaN. */
static uint32_t half_of(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF, half, rest, middle;
    if (magnitude >= 0x47800000) /* 2^16 */
        return sign | 0x7C00;
    if (magnitude < 0x33000000) /* 2^-25 */
        return sign;
    if (magnitude < 0x38800000) { /* 2^-14: what comes out is subnormal, in units of 2^-24 */
        uint32_t shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7FFFFF) | 0x800000;
        half = mantissa >> shift;
        rest = mantissa & ((1U << shift) - 1);
        middle = 1U << (shift - 1);
    } else {
        half = (magnitude - 0x38000000) >> 13;
        rest = magnitude & 0x1FFF;
        middle = 0x1000;
    }
    return sign | (half + (rest > middle || (rest == middle && half % 2 == 1)));
}

uint32_t kst_normal_value(const struct normal *normal, int32_t value, uint32_t channel)
{
    float difference = (float)value - normal->mean[channel];
    float result = difference * normal->scale[channel];
    uint32_t bits;
    memcpy(&bits, &result, sizeof bits);
    return normal->sample == KST_SAMPLE_FLOAT16 ? half_of(bits) : bits;
}

/* Holds the results for all values of a byte. */
struct table {
    uint32_t value[4][256];
};

static void fill_table(const struct normal *normal, uint32_t channels, bool is_signed, struct table *table)
{
    for (uint32_t i = 0; i < channels; i++)
        for (int32_t byte = 0; byte < 256; byte++)
            table->value[i][byte] = kst_normal_value(normal, is_signed && byte > 127 ? byte - 256 : byte, i);
}

static void store(uint8_t *to, size_t index, uint32_t value, bool half)
{
    uint16_t low = (uint16_t)value;
    if (half)
        memcpy(to + 2 * index, &low, sizeof low);
    else
        memcpy(to + 4 * index, &value, sizeof value);
}

/* Convert a row of bytes, in which the channels from `first` on are interleaved. */
static void convert_bytes(const struct table *table, const uint8_t *from, uint8_t *to, size_t pixels, uint32_t first,
    uint32_t channels, bool half)
{
    for (size_t i = 0; i < pixels; i++)
        for (uint32_t c = 0; c < channels; c++)
            store(to, i * channels + c, table->value[first + c][from[i * channels + c]], half);
}

static void convert_words(const struct normal *normal, bool is_signed, const uint8_t *from, uint8_t *to, size_t pixels,
    uint32_t first, uint32_t channels)
{
    for (size_t i = 0; i < pixels * channels; i++) {
        uint16_t word;
        memcpy(&word, from + 2 * i, sizeof word);
        store(to, i,
            kst_normal_value(
                normal, is_signed ? (int32_t)(int16_t)word : (int32_t)word, first + (uint32_t)(i % channels)),
            normal->sample == KST_SAMPLE_FLOAT16);
    }
}

void kst_image_normalise(
    const kst_image *from, const kst_image *to, const struct normal *normal, uint32_t first, uint32_t end)
{
    struct table table;
    uint32_t channels = kst_format_samples(from->format);
    bool is_signed = from->plane[0].is_signed, bytes = kst_plane_sample_bytes(&from->plane[0]) == 1;
    if (bytes)
        fill_table(normal, channels > 1 ? channels : from->plane_count, is_signed, &table);
    for (uint32_t i = 0; i < from->plane_count; i++)
        for (uint32_t y = first; y < end; y++) {
            const uint8_t *row = (const uint8_t *)from->plane[i].data + (ptrdiff_t)y * from->plane[i].pitch;
            uint8_t *out = (uint8_t *)to->plane[i].data + (ptrdiff_t)y * to->plane[i].pitch;
            if (bytes)
                convert_bytes(&table, row, out, from->width, i, channels, normal->sample == KST_SAMPLE_FLOAT16);
            else
                convert_words(normal, is_signed, row, out, from->width, i, channels);
        }
}
