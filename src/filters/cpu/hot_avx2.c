/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the loops of filters for AVX2, and has those for which compilers do not find the instructions. */
#include <immintrin.h>
#include <string.h>

#define TIER(name) name##_avx2
#define HAS_DOWN_8
#define HAS_BILATERAL

#include "filters/cpu/hot.h"

/* The weights of two rows, for pmaddwd. There may be no second one. */
static __m256i weights_of(const uint32_t *tap, int k, int last)
{
    return _mm256_set1_epi32((int)(tap[k] | (k < last ? tap[k + 1] << 16 : 0)));
}

/*
 * Pairs of rows are multiplied and added at once. That takes words with a sign, so that 2^15 is taken off the sums, and
 * 2^15 times all weights put back in the end, with the half for rounding.
 */
static void down_8_avx2(const uint16_t *const *row, uint8_t *to, size_t count, const uint32_t *tap, int radius)
{
    const __m256i bias = _mm256_set1_epi16(INT16_MIN), begin = _mm256_set1_epi32((1 << 15) + (1 << 15) * 256);
    const int last = 2 * radius;
    for (size_t i = 0; i < count; i += 16) {
        __m256i low = begin, high = begin;
        for (int k = 0; k <= last; k += 2) {
            const __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)(row[k] + i));
            const __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(row[k < last ? k + 1 : k] + i));
            const __m256i a = _mm256_xor_si256(first, bias), b = _mm256_xor_si256(second, bias);
            const __m256i weights = weights_of(tap, k, last);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
        }
        const __m256i words = _mm256_packus_epi32(_mm256_srli_epi32(low, 16), _mm256_srli_epi32(high, 16));
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
        const __m128i made = _mm256_castsi256_si128(bytes);
        memcpy(to + i, &made, count - i < 16 ? count - i : 16);
    }
}

/* Sums over the neighbours of 16 pixels: of pixels 0–3 and 8–11 first, then of the others. */
struct filter_weighed {
    __m256i weight[2], sum[3][2];
};

static inline __m256i load_bytes(const uint8_t *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
}

static inline __m256i look_up(const uint16_t *weight, __m256i index)
{
    const __m256i found = _mm256_i32gather_epi32((const int *)(const void *)weight, index, 2);
    return _mm256_and_si256(found, _mm256_set1_epi32(UINT16_MAX));
}

/* The weights of a neighbour of 16 pixels. */
static inline __m256i weights_at(
    const struct filter_neighbour *neighbour, const uint8_t *const own[3], size_t i, const uint32_t colours)
{
    __m256i distance = _mm256_setzero_si256();
    for (uint32_t c = 0; c < colours; c++) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(neighbour->sample[c] + i));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(own[c] + i));
        const __m128i apart = _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a));
        distance = _mm256_add_epi16(distance, _mm256_cvtepu8_epi16(apart));
    }
    const __m256i low = _mm256_unpacklo_epi16(distance, _mm256_setzero_si256());
    const __m256i high = _mm256_unpackhi_epi16(distance, _mm256_setzero_si256());
    return _mm256_packus_epi32(look_up(neighbour->weight, low), look_up(neighbour->weight, high));
}

/* Add what two neighbours are worth; the second one has no weight if it is not there. */
static inline void add_two(struct filter_weighed *weighed, const struct filter_neighbour *first,
    const struct filter_neighbour *second, const __m256i weight[2], size_t i, const uint32_t colours)
{
    const __m256i low = _mm256_unpacklo_epi16(weight[0], weight[1]), ones = _mm256_set1_epi16(1);
    const __m256i high = _mm256_unpackhi_epi16(weight[0], weight[1]);
    weighed->weight[0] = _mm256_add_epi32(weighed->weight[0], _mm256_madd_epi16(low, ones));
    weighed->weight[1] = _mm256_add_epi32(weighed->weight[1], _mm256_madd_epi16(high, ones));
    for (uint32_t c = 0; c < colours; c++) {
        const __m256i a = load_bytes(first->sample[c] + i), b = load_bytes(second->sample[c] + i);
        const __m256i left = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), low);
        const __m256i right = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), high);
        weighed->sum[c][0] = _mm256_add_epi32(weighed->sum[c][0], left);
        weighed->sum[c][1] = _mm256_add_epi32(weighed->sum[c][1], right);
    }
}

/* The rounded quotient, as divide() of the template computes it. */
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
            const __m256i weight[2] = {weights_at(first, own, i, colours),
                second > first ? weights_at(second, own, i, colours) : _mm256_setzero_si256()};
            add_two(&weighed, first, second, weight, i, colours);
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

#include "filters/cpu/hot_template.h"
