/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes rows of 8-bit samples with AVX2. A weight is split into a high and a low part of 12 bits, whose products with
 * pairs of samples are summed up apart: sums of 32 bits may wrap, for the whole does not.
 */
#include <immintrin.h>
#include <string.h>

#include "resize/cpu/rows.h"

enum {
    LOW_BITS = 12,
    TAPS = 4, /* weights of a packed group: four low parts, then four high ones */
    COLUMNS = 16,
    STRIP = 4, /* rows that are made together */
    REACH = 8
};

static int16_t low_part(int32_t weight)
{
    return (int16_t)(weight & ((1 << LOW_BITS) - 1));
}

static int16_t high_part(int32_t weight)
{
    return (int16_t)(weight >> LOW_BITS);
}

/* Groups of `taps` weights, 2 or 4, become as many low parts and then their high ones. */
static void pack(struct resize_weights *weights, size_t taps)
{
    size_t count = (size_t)weights->count * weights->most;
    for (size_t i = 0; i < count; i += taps) {
        int16_t parts[2 * TAPS];
        for (size_t k = 0; k < taps; k++) {
            parts[k] = low_part(weights->weight[i + k]);
            parts[taps + k] = high_part(weights->weight[i + k]);
        }
        memcpy(&weights->weight[i], parts, taps * sizeof *weights->weight);
    }
}

static void pack_across(struct resize_weights *weights)
{
    pack(weights, TAPS);
}

static void pack_down(struct resize_weights *weights)
{
    pack(weights, 2);
}

static __m256i join(__m256i low, __m256i high)
{
    return _mm256_add_epi32(low, _mm256_slli_epi32(high, LOW_BITS));
}

/* Round sums, to four samples in the low bytes. */
static int32_t round_four(__m128i sums, __m128i greatest)
{
    const __m128i half = _mm_set1_epi32(1 << (RESIZE_BITS - 1));
    __m128i values = _mm_srai_epi32(_mm_add_epi32(sums, half), RESIZE_BITS);
    values = _mm_packs_epi32(values, values);
    return _mm_cvtsi128_si32(_mm_min_epu8(_mm_packus_epi16(values, values), greatest));
}

/*
 * Where samples of four pixels go in words: pairs of the first two pixels in the low lane, of the others in the high
 * one.
 */
static __m256i order_of(uint32_t channels)
{
    if (channels == 4)
        return _mm256_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1, 8, -1, 12, -1, 9, -1, 13, -1,
            10, -1, 14, -1, 11, -1, 15, -1);
    return _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1, 6, -1, 9, -1, 7, -1, 10, -1, 8,
        -1, 11, -1, -1, -1, -1, -1);
}

static __m256i load_twice(const void *from)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(from));
}

/* Sum up a window in some rows: a sum for each channel. */
static inline void sum_pixels(const uint8_t *from, ptrdiff_t pitch, const int32_t *weight, uint32_t length,
    uint32_t channels, uint32_t rows, __m128i *sums)
{
    const __m256i order = order_of(channels);
    const __m256i lows = _mm256_setr_epi32(
        0x03020100, 0x03020100, 0x03020100, 0x03020100, 0x07060504, 0x07060504, 0x07060504, 0x07060504);
    const __m256i highs = _mm256_add_epi8(lows, _mm256_set1_epi8(2 * TAPS));
    __m256i low[STRIP], high[STRIP];
    for (uint32_t r = 0; r < rows; r++)
        low[r] = high[r] = _mm256_setzero_si256();
    for (uint32_t i = 0; i < length; i += TAPS, from += (size_t)TAPS * channels) {
        __m256i weights = load_twice(weight + i);
        __m256i low_weights = _mm256_shuffle_epi8(weights, lows), high_weights = _mm256_shuffle_epi8(weights, highs);
        for (uint32_t r = 0; r < rows; r++) {
            __m256i samples = _mm256_shuffle_epi8(load_twice(from + r * pitch), order);
            low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(samples, low_weights));
            high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(samples, high_weights));
        }
    }
    for (uint32_t r = 0; r < rows; r++) {
        __m256i sum = join(low[r], high[r]);
        sums[r] = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    }
}

/* Sum up a window of single samples in some rows: the sum is first. */
static inline void sum_samples(
    const uint8_t *from, ptrdiff_t pitch, const int32_t *weight, uint32_t length, uint32_t rows, __m128i *sums)
{
    const __m256i order = _mm256_setr_epi8(
        0, -1, 1, -1, 2, -1, 3, -1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1, 4, -1, 5, -1, 6, -1, 7, -1);
    __m256i sum[STRIP];
    for (uint32_t r = 0; r < rows; r++)
        sum[r] = _mm256_setzero_si256();
    for (uint32_t i = 0; i < length; i += 2 * TAPS) {
        __m256i weights = _mm256_loadu_si256((const __m256i *)(const void *)(weight + i));
        for (uint32_t r = 0; r < rows; r++) {
            __m256i samples = _mm256_broadcastq_epi64(_mm_loadl_epi64((const void *)(from + r * pitch + i)));
            samples = _mm256_shuffle_epi8(samples, order);
            sum[r] = _mm256_add_epi32(sum[r], _mm256_madd_epi16(samples, weights));
        }
    }
    for (uint32_t r = 0; r < rows; r++) {
        __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sum[r]), _mm256_extracti128_si256(sum[r], 1));
        both = _mm_hadd_epi32(both, both); /* the low and the high sum */
        sums[r] = _mm_add_epi32(both, _mm_slli_epi32(_mm_srli_si128(both, 4), LOW_BITS));
    }
}

static inline void make_across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t first,
    uint32_t count, uint32_t begin, uint32_t end, uint32_t channels)
{
    const __m128i greatest = _mm_set1_epi8((char)rows->greatest);
    const uint8_t *from = rows->from + first * rows->from_pitch;
    for (uint32_t x = begin; x < end; x++) {
        const struct resize_window window = weights->window[x];
        const int32_t *weight = kst_resize_weights_of(weights, x);
        const uint8_t *sample = from + (size_t)window.first * channels;
        __m128i sums[STRIP];
        if (channels == 1)
            sum_samples(sample, rows->from_pitch, weight, window.length, count, sums);
        else
            sum_pixels(sample, rows->from_pitch, weight, window.length, channels, count, sums);
        for (uint32_t r = 0; r < count; r++) {
            int32_t pixel = round_four(sums[r], greatest);
            memcpy(rows->to + (ptrdiff_t)(first + r) * rows->to_pitch + (size_t)x * channels, &pixel, channels);
        }
    }
}

static inline void across_channels(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin,
    uint32_t end, uint32_t channels)
{
    uint32_t row = 0;
    for (; row + STRIP <= rows->count; row += STRIP)
        make_across(weights, rows, row, STRIP, begin, end, channels);
    for (; row < rows->count; row++)
        make_across(weights, rows, row, 1, begin, end, channels);
}

static void across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end)
{
    if (rows->channels == 1)
        across_channels(weights, rows, begin, end, 1);
    else if (rows->channels == 3)
        across_channels(weights, rows, begin, end, 3);
    else
        across_channels(weights, rows, begin, end, 4);
}

/* Sums of products of pairs of samples. */
struct pair_sums {
    __m256i low;
    __m256i high;
};

static inline void add_pairs(struct pair_sums *sums, __m128i samples, __m256i low, __m256i high)
{
    __m256i words = _mm256_cvtepu8_epi16(samples);
    sums->low = _mm256_add_epi32(sums->low, _mm256_madd_epi16(words, low));
    sums->high = _mm256_add_epi32(sums->high, _mm256_madd_epi16(words, high));
}

static __m256i round_pairs(const struct pair_sums *sums)
{
    const __m256i half = _mm256_set1_epi32(1 << (RESIZE_BITS - 1));
    return _mm256_srai_epi32(_mm256_add_epi32(join(sums->low, sums->high), half), RESIZE_BITS);
}

static __m128i round_columns(const struct pair_sums *first, const struct pair_sums *second, uint32_t greatest)
{
    __m256i words = _mm256_packs_epi32(round_pairs(first), round_pairs(second));
    words = _mm256_permute4x64_epi64(words, _MM_SHUFFLE(3, 1, 2, 0));
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return _mm_min_epu8(bytes, _mm_set1_epi8((char)greatest));
}

/* Load `samples` samples, or COLUMNS where there are as many. */
static inline __m128i load_columns(const uint8_t *from, size_t samples)
{
    uint8_t line[COLUMNS] = {0};
    if (samples >= COLUMNS)
        return _mm_loadu_si128((const void *)from);
    memcpy(line, from, samples);
    return _mm_loadu_si128((const void *)line);
}

/* Make up to COLUMNS samples of a row. */
static inline __m128i down_columns(
    const int32_t *weight, uint32_t length, const struct resize_rows *rows, size_t column, size_t samples)
{
    struct pair_sums first = {_mm256_setzero_si256(), _mm256_setzero_si256()}, second = first;
    const uint8_t *from = rows->from + column;
    for (uint32_t i = 0; i < length; i += 2, from += 2 * rows->from_pitch) {
        __m256i low = _mm256_set1_epi32(weight[i]), high = _mm256_set1_epi32(weight[i + 1]);
        __m128i a = load_columns(from, samples), b = a; /* the weight of a row that is missing is 0 */
        if (i + 1 < length)
            b = load_columns(from + rows->from_pitch, samples);
        add_pairs(&first, _mm_unpacklo_epi8(a, b), low, high);
        add_pairs(&second, _mm_unpackhi_epi8(a, b), low, high);
    }
    return round_columns(&first, &second, rows->greatest);
}

static void down(const struct resize_weights *weights, uint32_t index, const struct resize_rows *rows, size_t samples)
{
    const int32_t *weight = kst_resize_weights_of(weights, index);
    uint32_t length = weights->window[index].length;
    if (samples < COLUMNS) {
        uint8_t line[COLUMNS];
        _mm_storeu_si128((void *)line, down_columns(weight, length, rows, 0, samples));
        memcpy(rows->to, line, samples);
        return;
    }
    for (size_t at = 0; at < samples; at += COLUMNS) {
        size_t column = at + COLUMNS <= samples ? at : samples - COLUMNS; /* the last ones overlap */
        _mm_storeu_si128((void *)(rows->to + column), down_columns(weight, length, rows, column, COLUMNS));
    }
}

void kst_resize_rows_avx2(struct resize_dsp *dsp)
{
    *dsp = (struct resize_dsp){
        .across = across, .down = down, .pack_across = pack_across, .pack_down = pack_down, .reach = REACH};
}
