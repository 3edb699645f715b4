/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the loops of filters for AVX2, and holds intrinsics for the loops that compilers do not vectorise well. */
#include <immintrin.h>
#include <string.h>

#define TIER(name) name##_avx2
#define HAS_ACROSS_8
#define HAS_DOWN_8
#define HAS_STRONGEST_OF_THREE
#define HAS_BILATERAL
#define BILATERAL_PAIRS bilateral_pairs_avx2

#include "filters/cpu/hot.h"

static inline __m256i load_any(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline void store_any(void *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

/* Store the words of samples 0–7 and 16–23 (`low`) and of the others (`high`) in order. */
static inline void store_words(uint16_t *to, __m256i low, __m256i high)
{
    store_any(to, _mm256_permute2x128_si256(low, high, 0x20));
    store_any(to + 16, _mm256_permute2x128_si256(low, high, 0x31));
}

/*
 * Return whether taps fit pmaddubsw: if two neighbouring taps add up to at most 2^7, it multiplies them by bytes and
 * adds the products without overflow. Larger taps, of which there are few, are multiplied as words.
 */
static bool fits_bytes(const uint32_t *tap, int last)
{
    for (int k = 0; k <= last; k += 2)
        if (tap[k] + (k < last ? tap[k + 1] : 0) > 128)
            return false;
    return tap[last / 2] < 128;
}

static void across_bytes(
    const uint8_t *line, uint16_t *restrict sums, size_t count, const uint32_t *tap, const int radius, int step)
{
    const int last = 2 * radius;
    for (size_t i = 0; i < count; i += 32) {
        __m256i low = _mm256_setzero_si256(), high = low;
        for (int k = 0; k <= last; k += 2) {
            const uint8_t *first = line + i + (k - radius) * step;
            const __m256i a = load_any(first), b = load_any(k < last ? first + step : first);
            const __m256i taps = _mm256_set1_epi16((int16_t)(tap[k] | (k < last ? tap[k + 1] << 8 : 0)));
            low = _mm256_add_epi16(low, _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), taps));
            high = _mm256_add_epi16(high, _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), taps));
        }
        store_words(sums + i, low, high);
    }
}

static void across_words(
    const uint8_t *line, uint16_t *restrict sums, size_t count, const uint32_t *tap, const int radius, int step)
{
    const __m256i zero = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += 32) {
        __m256i low = zero, high = zero;
        for (int k = -radius; k <= radius; k++) {
            const __m256i a = load_any(line + i + k * step), taps = _mm256_set1_epi16((int16_t)tap[k + radius]);
            low = _mm256_add_epi16(low, _mm256_mullo_epi16(_mm256_unpacklo_epi8(a, zero), taps));
            high = _mm256_add_epi16(high, _mm256_mullo_epi16(_mm256_unpackhi_epi8(a, zero), taps));
        }
        store_words(sums + i, low, high);
    }
}

static void across_8_avx2(const uint8_t *line, uint16_t *sums, size_t count, const uint32_t *tap, int radius, int step)
{
    if (fits_bytes(tap, 2 * radius))
        across_bytes(line, sums, count, tap, radius, step);
    else
        across_words(line, sums, count, tap, radius, step);
}

/* Return the weights of two rows, for pmaddwd; rows before the first and behind the last tap have the weight 0. */
static __m256i weights_of(const uint32_t *tap, int k, int last)
{
    uint32_t first = k >= 0 && k <= last ? tap[k] : 0, second = k + 1 <= last ? tap[k + 1] : 0;
    return _mm256_set1_epi32((int)(first | second << 16));
}

static inline void store_bytes(uint8_t *to, __m256i low, __m256i high, size_t count)
{
    const __m256i words = _mm256_packus_epi32(_mm256_srli_epi32(low, 16), _mm256_srli_epi32(high, 16));
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
    const __m128i made = _mm256_castsi256_si128(bytes);
    if (count >= 16)
        _mm_storeu_si128((__m128i *)(void *)to, made);
    else
        memcpy(to, &made, count);
}

/*
 * Multiply and add pairs of rows at once. This needs signed words, so that 2^15 is subtracted from the sums, and 2^15
 * times the sum of all weights is added back, with the half for rounding. The second result is computed from the same
 * pairs, with weights shifted by a row.
 */
static inline void down_pairs(
    const uint16_t *const *row, uint8_t *const to[2], size_t count, const uint32_t *tap, const int last, const bool two)
{
    const __m256i bias = _mm256_set1_epi16(INT16_MIN), begin = _mm256_set1_epi32((1 << 15) + (1 << 15) * 256);
    for (size_t i = 0; i < count; i += 16) {
        __m256i low = begin, high = begin, next_low = begin, next_high = begin;
        for (int k = 0; k <= last; k += 2) {
            const uint16_t *second = row[two || k < last ? k + 1 : k];
            const __m256i a = _mm256_xor_si256(load_any(row[k] + i), bias);
            const __m256i b = _mm256_xor_si256(load_any(second + i), bias);
            const __m256i even = _mm256_unpacklo_epi16(a, b), odd = _mm256_unpackhi_epi16(a, b);
            const __m256i weights = weights_of(tap, k, last);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(even, weights));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(odd, weights));
            if (two) {
                const __m256i lower = weights_of(tap, k - 1, last);
                next_low = _mm256_add_epi32(next_low, _mm256_madd_epi16(even, lower));
                next_high = _mm256_add_epi32(next_high, _mm256_madd_epi16(odd, lower));
            }
        }
        store_bytes(to[0] + i, low, high, count - i);
        if (two)
            store_bytes(to[1] + i, next_low, next_high, count - i);
    }
}

static void down_8_avx2(const uint16_t *const *row, uint8_t *const to[2], size_t count, const uint32_t *tap, int radius)
{
    if (to[1])
        down_pairs(row, to, count, tap, 2 * radius, true);
    else
        down_pairs(row, to, count, tap, 2 * radius, false);
}

/* Holds sums over the neighbours of 16 pixels: first those of pixels 0–3 and 8–11, then those of the others. */
struct filter_weighed {
    __m256i weight[2], sum[3][2];
};

static inline __m256i load_bytes(const uint8_t *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
}

/* Look up eight weights. On many processors eight separate loads take half as long as a gather. */
static inline __m128i look_up(const uint16_t *weight, const uint16_t *index)
{
    __m128i found = _mm_cvtsi32_si128(weight[index[0]]);
    found = _mm_insert_epi16(found, weight[index[1]], 1);
    found = _mm_insert_epi16(found, weight[index[2]], 2);
    found = _mm_insert_epi16(found, weight[index[3]], 3);
    found = _mm_insert_epi16(found, weight[index[4]], 4);
    found = _mm_insert_epi16(found, weight[index[5]], 5);
    found = _mm_insert_epi16(found, weight[index[6]], 6);
    return _mm_insert_epi16(found, weight[index[7]], 7);
}

/* Return the weights between 16 pixels and a neighbour of each, from a table. */
static inline __m256i weights_at(const uint16_t *weight, const uint8_t *const sample[3], const uint8_t *const own[3],
    ptrdiff_t i, const uint32_t colours)
{
    __m256i distance = _mm256_setzero_si256();
    for (uint32_t c = 0; c < colours; c++) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(sample[c] + i));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(own[c] + i));
        const __m128i apart = _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a));
        distance = _mm256_add_epi16(distance, _mm256_cvtepu8_epi16(apart));
    }
    uint16_t index[16];
    store_any(index, distance);
    __asm__("" : "+m"(index)); /* keeps the indices in memory, where reading them is faster than in the register */
    return _mm256_set_m128i(look_up(weight, index + 8), look_up(weight, index));
}

/* Add the weighted samples of two neighbours. */
static inline void add_two(struct filter_weighed *weighed, const uint8_t *const first[3],
    const uint8_t *const second[3], const __m256i weight[2], size_t i, const uint32_t colours)
{
    const __m256i low = _mm256_unpacklo_epi16(weight[0], weight[1]), ones = _mm256_set1_epi16(1);
    const __m256i high = _mm256_unpackhi_epi16(weight[0], weight[1]);
    weighed->weight[0] = _mm256_add_epi32(weighed->weight[0], _mm256_madd_epi16(low, ones));
    weighed->weight[1] = _mm256_add_epi32(weighed->weight[1], _mm256_madd_epi16(high, ones));
    for (uint32_t c = 0; c < colours; c++) {
        const __m256i a = load_bytes(first[c] + i), b = load_bytes(second[c] + i);
        const __m256i left = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), low);
        const __m256i right = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), high);
        weighed->sum[c][0] = _mm256_add_epi32(weighed->sum[c][0], left);
        weighed->sum[c][1] = _mm256_add_epi32(weighed->sum[c][1], right);
    }
}

/* Return the rounded quotient, as divide() of the template computes it. */
static inline __m256i quotient_of(__m256i sum, __m256i weight)
{
    const __m256i whole = _mm256_add_epi32(sum, _mm256_srli_epi32(weight, 1)), one = _mm256_set1_epi32(1);
    const __m256 ratio = _mm256_div_ps(_mm256_cvtepi32_ps(whole), _mm256_cvtepi32_ps(weight));
    const __m256i quotient = _mm256_cvttps_epi32(ratio);
    const __m256i rest = _mm256_sub_epi32(whole, _mm256_mullo_epi32(quotient, weight));
    const __m256i least = _mm256_add_epi32(quotient, _mm256_srai_epi32(rest, 31));
    return _mm256_sub_epi32(least, _mm256_cmpgt_epi32(rest, _mm256_sub_epi32(weight, one)));
}

static inline void store_means(const struct filter_weighed *weighed, uint32_t c, uint8_t *to, size_t count)
{
    const __m256i low = quotient_of(weighed->sum[c][0], weighed->weight[0]);
    const __m256i high = quotient_of(weighed->sum[c][1], weighed->weight[1]);
    const __m256i words = _mm256_packus_epi32(low, high);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
    const __m128i made = _mm256_castsi256_si128(bytes);
    memcpy(to, &made, count < 16 ? count : 16);
}

static inline void bilateral_by(const struct filter_neighbour *neighbour, uint32_t neighbours,
    const uint8_t *const own[3], const uint32_t colours, uint8_t *const to[3], size_t count)
{
    for (size_t i = 0; i < count; i += 16) {
        struct filter_weighed weighed;
        memset(&weighed, 0, sizeof weighed);
        for (uint32_t k = 0; k < neighbours; k += 2) {
            const struct filter_neighbour *first = &neighbour[k], *second = first + (k + 1 < neighbours);
            const ptrdiff_t at = (ptrdiff_t)i;
            const __m256i weight[2] = {weights_at(first->weight, first->sample, own, at, colours),
                second > first ? weights_at(second->weight, second->sample, own, at, colours) : _mm256_setzero_si256()};
            add_two(&weighed, first->sample, second->sample, weight, i, colours);
        }
        for (uint32_t c = 0; c < colours; c++)
            store_means(&weighed, c, to[c] + i, count - i);
    }
}

static void bilateral_avx2(const struct filter_neighbour *neighbour, uint32_t neighbours, const uint8_t *const own[3],
    uint32_t colours, uint8_t *const to[3], size_t count)
{
    if (colours == 1)
        bilateral_by(neighbour, neighbours, own, 1, to, count);
    else
        bilateral_by(neighbour, neighbours, own, 3, to, count);
}

/* Keep the weights between 16 pixels and their neighbours ahead. */
static inline void keep_weights(const struct filter_pairs *pairs, ptrdiff_t i, const uint32_t colours)
{
    for (uint32_t k = 0; k < pairs->count; k++) {
        const struct filter_pair *pair = &pairs->pair[k];
        store_any(pair->kept + i, weights_at(pair->weight, pair->ahead, pairs->own, i, colours));
    }
}

static inline void make_means(const struct filter_pairs *pairs, size_t i, const uint32_t colours)
{
    struct filter_weighed weighed;
    const __m256i centre[2] = {_mm256_set1_epi16((int16_t)pairs->centre), _mm256_setzero_si256()};
    memset(&weighed, 0, sizeof weighed);
    add_two(&weighed, pairs->own, pairs->own, centre, i, colours);
    for (uint32_t k = 0; k < pairs->count; k++) {
        const struct filter_pair *pair = &pairs->pair[k];
        __m256i weight[2];
        weight[0] = weights_at(pair->weight, pair->ahead, pairs->own, (ptrdiff_t)i, colours);
        store_any(pair->kept + i, weight[0]);
        weight[1] = load_any(pair->before + i);
        add_two(&weighed, pair->ahead, pair->behind, weight, i, colours);
    }
    for (uint32_t c = 0; c < colours; c++)
        store_means(&weighed, c, pairs->to[c] + i, pairs->width - i);
}

/*
 * Process a row: keep the weights of its pairs of pixels and, if the row is written, compute its means. The weights of
 * 16 pixels on each side of the row are kept as well, because their pairs reach into it.
 */
static inline void pairs_by(const struct filter_pairs *pairs, const uint32_t colours)
{
    size_t i = 0;
    keep_weights(pairs, -16, colours);
    for (; i < pairs->width; i += 16)
        if (pairs->to[0])
            make_means(pairs, i, colours);
        else
            keep_weights(pairs, (ptrdiff_t)i, colours);
    keep_weights(pairs, (ptrdiff_t)i, colours);
}

static void bilateral_pairs_avx2(const struct filter_pairs *pairs)
{
    if (pairs->colours == 1)
        pairs_by(pairs, 1);
    else
        pairs_by(pairs, 3);
}

enum { WIDE_MOST = 449 /* neighbours */ };

/* Return the weights between 16 pixels and a neighbour of each. Sums that are too great stay at 65535. */
static inline __m256i wide_weights(
    const struct filter_wide_row *row, const struct filter_wide_neighbour *neighbour, size_t i, const uint32_t colours)
{
    const __m256i half = _mm256_set1_epi16((int16_t)((1 << row->shift) / 2));
    const __m128i shift = _mm_cvtsi32_si128(row->shift);
    __m256i distance = _mm256_setzero_si256();
    uint16_t index[16];
    for (uint32_t c = 0; c < colours; c++) {
        const __m256i a = load_any(neighbour->sample[c] + i), b = load_any(row->own[c] + i);
        const __m256i apart = _mm256_or_si256(_mm256_subs_epu16(a, b), _mm256_subs_epu16(b, a));
        distance = _mm256_adds_epu16(distance, _mm256_srl_epi16(_mm256_adds_epu16(apart, half), shift));
    }
    store_any(index, _mm256_min_epu16(distance, _mm256_set1_epi16((int16_t)row->last)));
    __asm__("" : "+m"(index)); /* as in weights_at() */
    const __m256i found = _mm256_set_m128i(look_up(row->weight, index + 8), look_up(row->weight, index));
    return _mm256_mulhrs_epi16(found, _mm256_set1_epi16((int16_t)neighbour->weight));
}

/* Add up pairs of words, which are weights and bytes, as pmaddwd does. */
static inline void add_pairs(__m256i sum[2], __m256i a, __m256i b, __m256i low, __m256i high)
{
    sum[0] = _mm256_add_epi32(sum[0], _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), low));
    sum[1] = _mm256_add_epi32(sum[1], _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), high));
}

/* Store sums in the order of the pixels. */
static inline void store_sums(uint32_t to[16], const __m256i sum[2])
{
    store_any(to, _mm256_permute2x128_si256(sum[0], sum[1], 0x20));
    store_any(to + 8, _mm256_permute2x128_si256(sum[0], sum[1], 0x31));
}

/* Compute the means of a colour from weights; the upper and the lower bytes of samples are added up separately. */
static inline void wide_means(
    const struct filter_wide_row *row, const __m256i *weight, const uint32_t total[16], uint32_t c, size_t begin)
{
    const __m256i byte = _mm256_set1_epi16(255), zero = _mm256_setzero_si256();
    __m256i upper[2] = {zero, zero}, lower[2] = {zero, zero};
    uint32_t above[16], below[16];
    for (uint32_t k = 0; k < row->neighbours; k += 2) {
        const bool two = k + 1 < row->neighbours;
        const __m256i second = two ? weight[k + 1] : zero;
        const __m256i low = _mm256_unpacklo_epi16(weight[k], second), high = _mm256_unpackhi_epi16(weight[k], second);
        const __m256i a = load_any(row->neighbour[k].sample[c] + begin);
        const __m256i b = load_any(row->neighbour[k + two].sample[c] + begin);
        add_pairs(upper, _mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8), low, high);
        add_pairs(lower, _mm256_and_si256(a, byte), _mm256_and_si256(b, byte), low, high);
    }
    store_sums(above, upper);
    store_sums(below, lower);
    for (size_t i = 0; i < 16 && begin + i < row->width; i++)
        row->to[c][begin + i] = (uint16_t)((((uint64_t)above[i] << 8) + below[i] + total[i] / 2) / total[i]);
}

static inline void wide_by(const struct filter_wide_row *row, const uint32_t colours)
{
    const __m256i ones = _mm256_set1_epi16(1), zero = _mm256_setzero_si256();
    __m256i weight[WIDE_MOST];
    for (size_t i = 0; i < row->width; i += 16) {
        __m256i sum[2] = {zero, zero};
        uint32_t total[16];
        for (uint32_t k = 0; k < row->neighbours; k++) {
            weight[k] = wide_weights(row, &row->neighbour[k], i, colours);
            add_pairs(sum, weight[k], zero, ones, ones);
        }
        store_sums(total, sum);
        for (uint32_t c = 0; c < colours; c++)
            wide_means(row, weight, total, c, i);
    }
}

static void bilateral_16_avx2(const struct filter_wide_row *row)
{
    if (row->colours == 1)
        wide_by(row, 1);
    else
        wide_by(row, 3);
}

/* De-interleave the samples of eight pixels of three channels, into a vector for each channel. */
static inline void part_three(const int16_t *from, __m128i to[3])
{
    const __m128i *vector = (const __m128i *)(const void *)from;
    const __m128i a = _mm_loadu_si128(vector), b = _mm_loadu_si128(vector + 1), c = _mm_loadu_si128(vector + 2);
    const __m128i first = _mm_blend_epi16(_mm_blend_epi16(a, b, 0x92), c, 0x24);
    const __m128i second = _mm_blend_epi16(_mm_blend_epi16(a, b, 0x24), c, 0x49);
    const __m128i third = _mm_blend_epi16(_mm_blend_epi16(a, b, 0x49), c, 0x92);
    to[0] = _mm_shuffle_epi8(first, _mm_setr_epi8(0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11));
    to[1] = _mm_shuffle_epi8(second, _mm_setr_epi8(2, 3, 8, 9, 14, 15, 4, 5, 10, 11, 0, 1, 6, 7, 12, 13));
    to[2] = _mm_shuffle_epi8(third, _mm_setr_epi8(4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15));
}

/* Return the magnitudes of eight gradients. */
static inline __m256i magnitudes_of(__m128i dx, __m128i dy, const bool squared)
{
    if (squared)
        return _mm256_set_m128i(_mm_madd_epi16(_mm_unpackhi_epi16(dx, dy), _mm_unpackhi_epi16(dx, dy)),
            _mm_madd_epi16(_mm_unpacklo_epi16(dx, dy), _mm_unpacklo_epi16(dx, dy)));
    return _mm256_add_epi32(_mm256_cvtepu16_epi32(_mm_abs_epi16(dx)), _mm256_cvtepu16_epi32(_mm_abs_epi16(dy)));
}

/* Process whole groups of eight pixels. Returns the number of pixels processed. */
static inline size_t strongest_of_three(
    const struct filter_gradient *all, const struct filter_gradient *to, size_t count, const bool squared)
{
    size_t x = 0;
    for (; x + 8 <= count; x += 8) {
        __m128i dx[3], dy[3];
        part_three(all->dx + 3 * x, dx);
        part_three(all->dy + 3 * x, dy);
        __m256i most = magnitudes_of(dx[0], dy[0], squared);
        for (int c = 1; c < 3; c++) {
            const __m256i next = magnitudes_of(dx[c], dy[c], squared), above = _mm256_cmpgt_epi32(next, most);
            const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(above), _mm256_extracti128_si256(above, 1));
            most = _mm256_max_epi32(next, most);
            dx[0] = _mm_blendv_epi8(dx[0], dx[c], words);
            dy[0] = _mm_blendv_epi8(dy[0], dy[c], words);
        }
        store_any(to->magnitude + x, most);
        _mm_storeu_si128((__m128i *)(void *)(to->dx + x), dx[0]);
        _mm_storeu_si128((__m128i *)(void *)(to->dy + x), dy[0]);
    }
    return x;
}

#include "filters/cpu/hot_template.h"
