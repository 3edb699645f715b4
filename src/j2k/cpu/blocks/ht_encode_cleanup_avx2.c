/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for AVX2, with vector code that prepares a row, eight quads at a time. */
#include <immintrin.h>

#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/cpu/blocks/ht_encode_quad.h"

/* Holds the values and the exponents of eight samples of a row. */
struct sample_vectors {
    __m256i value, exponent;
};

/*
 * Find values and exponents. An exponent is 1 more than the number of bits of magnitude − 1, which the exponent of a
 * floating-point number gives if nothing is rounded up.
 */
ALWAYS_INLINE struct sample_vectors take_samples(__m256i sample, __m128i plane)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m256i magnitude = _mm256_srl_epi32(_mm256_and_si256(sample, _mm256_set1_epi32(0x7FFFFFFF)), plane);
    __m256i some = _mm256_cmpgt_epi32(magnitude, _mm256_setzero_si256()), less = _mm256_sub_epi32(magnitude, one);
    __m256i top = _mm256_andnot_si256(_mm256_srli_epi32(less, 1), less);
    __m256i biased = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(top)), 23);
    __m256i length = _mm256_max_epi32(_mm256_sub_epi32(biased, _mm256_set1_epi32(125)), one);
    __m256i value = _mm256_or_si256(_mm256_add_epi32(less, less), _mm256_srli_epi32(sample, 31));
    return (struct sample_vectors){_mm256_and_si256(value, some), _mm256_and_si256(length, some)};
}

/*
 * Load eight samples; those from `count` on are 0. There is memory behind the samples of a block, so that they may be
 * read beyond their end.
 */
ALWAYS_INLINE __m256i load_samples(const uint32_t *from, uint32_t count)
{
    __m256i sample = _mm256_loadu_si256((const __m256i *)(const void *)from);
    if (count >= 8)
        return sample;
    __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_and_si256(sample, there);
}

/* Order the samples of eight columns by quads, with the upper left one first and the one below it second. */
ALWAYS_INLINE void order_by_quads(__m256i upper, __m256i lower, __m256i *first, __m256i *second)
{
    __m256i even = _mm256_unpacklo_epi32(upper, lower), odd = _mm256_unpackhi_epi32(upper, lower);
    *first = _mm256_permute2x128_si256(even, odd, 0x20);
    *second = _mm256_permute2x128_si256(even, odd, 0x31);
}

/*
 * Make the values of all samples of a row of quads, and their exponents, which are bytes. Returns whether any sample is
 * not 0.
 */
ALWAYS_INLINE bool make_values(struct j2k_ht_encoder *encoder, uint32_t y)
{
    __m256i any = _mm256_setzero_si256();
    const uint32_t width = encoder->width;
    const uint32_t *from = encoder->sample + (size_t)y * width;
    const __m128i plane = _mm_cvtsi32_si128((int32_t)encoder->plane);
    const bool below = y + 1 < encoder->height;
    const struct sample_vectors none = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (uint32_t x = 0; x < width; x += 8) {
        struct sample_vectors upper = take_samples(load_samples(from + x, width - x), plane);
        struct sample_vectors lower = below ? take_samples(load_samples(from + width + x, width - x), plane) : none;
        __m256i first, second;
        any = _mm256_or_si256(any, _mm256_or_si256(upper.exponent, lower.exponent));
        order_by_quads(upper.value, lower.value, &first, &second);
        _mm256_storeu_si256((__m256i *)(void *)(encoder->row.value + (size_t)2 * x), first);
        _mm256_storeu_si256((__m256i *)(void *)(encoder->row.value + (size_t)2 * x + 8), second);
        order_by_quads(upper.exponent, lower.exponent, &first, &second);
        __m256i words = _mm256_packs_epi32(first, second); /* quads 0, 2 and 1, 3 */
        words = _mm256_permute4x64_epi64(words, 0xD8);
        __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storeu_si128((__m128i *)(void *)(encoder->row.exponent + (size_t)2 * x), bytes);
    }
    return _mm256_testz_si256(any, any) == 0;
}

ALWAYS_INLINE __m256i load_exponents(const struct j2k_ht_encoder *encoder, uint32_t quad)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(encoder->row.exponent + (size_t)4 * quad));
}

/* Gather in the lowest bits of each quad a bit for each of its four bytes that are all ones. */
ALWAYS_INLINE __m256i gather_bits(__m256i bytes)
{
    __m256i bits = _mm256_and_si256(bytes, _mm256_set1_epi32(0x08040201));
    bits = _mm256_or_si256(bits, _mm256_srli_epi32(bits, 16));
    return _mm256_and_si256(_mm256_or_si256(bits, _mm256_srli_epi32(bits, 8)), _mm256_set1_epi32(15));
}

/* Store eight numbers of 32 bits as eight bytes. */
ALWAYS_INLINE void store_bytes(uint8_t *to, __m256i numbers)
{
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(words, words));
}

ALWAYS_INLINE __m256i load_bytes(const uint8_t *from)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

/* Keep what the next row of quads needs. */
ALWAYS_INLINE void keep_for_next(struct j2k_ht_encoder *encoder, struct j2k_ht_above *own)
{
    for (uint32_t quad = 0; 2 * quad < encoder->width; quad += 8) {
        __m256i exponent = load_exponents(encoder, quad);
        __m256i rho = gather_bits(_mm256_cmpgt_epi8(exponent, _mm256_setzero_si256()));
        __m256i lower = _mm256_and_si256(_mm256_srli_epi32(exponent, 8), _mm256_set1_epi32(0x00FF00FF));
        lower = _mm256_permute4x64_epi64(_mm256_packus_epi16(lower, lower), 0xD8);
        store_bytes(own->rho + 1 + quad, rho);
        _mm_storeu_si128((__m128i *)(void *)(own->exponent + 2 + (size_t)2 * quad), _mm256_castsi256_si128(lower));
    }
}

/* Return the largest of the four exponents above each of eight quads. */
ALWAYS_INLINE __m256i largest_above(const uint8_t *exponent)
{
    const __m128i low = _mm_set1_epi16(0xFF);
    __m128i left = _mm_loadu_si128((const __m128i *)(const void *)exponent);
    __m128i right = _mm_loadu_si128((const __m128i *)(const void *)(exponent + 2));
    __m128i most = _mm_max_epu8(left, right);
    return _mm256_cvtepu16_epi32(_mm_and_si128(_mm_max_epu8(most, _mm_srli_epi16(most, 8)), low));
}

ALWAYS_INLINE __m256i bit_of(__m256i a, int i, __m256i b, int k, int place)
{
    __m256i bit = _mm256_or_si256(_mm256_srli_epi32(a, i), _mm256_srli_epi32(b, k));
    return _mm256_slli_epi32(_mm256_and_si256(bit, _mm256_set1_epi32(1)), place);
}

ALWAYS_INLINE __m256i make_contexts(const uint8_t *own, const uint8_t *above, bool first)
{
    __m256i left = load_bytes(own);
    if (first)
        return _mm256_or_si256(
            bit_of(left, 0, left, 1, 0), _mm256_and_si256(_mm256_srli_epi32(left, 1), _mm256_set1_epi32(6)));
    __m256i middle = load_bytes(above + 1);
    __m256i sides =
        _mm256_or_si256(bit_of(load_bytes(above), 3, middle, 1, 0), bit_of(middle, 3, load_bytes(above + 2), 1, 2));
    return _mm256_or_si256(sides, bit_of(left, 2, left, 3, 1));
}

ALWAYS_INLINE void make_codes(struct j2k_ht_encoder *encoder, uint32_t quad, const struct j2k_ht_above *own,
    const struct j2k_ht_above *above, bool first)
{
    const __m256i one = _mm256_set1_epi32(1), zero = _mm256_setzero_si256();
    __m256i exponent = load_exponents(encoder, quad), rho = load_bytes(own->rho + 1 + quad), kappa = one;
    __m256i most = _mm256_max_epu8(exponent, _mm256_srli_epi32(exponent, 16));
    most = _mm256_and_si256(_mm256_max_epu8(most, _mm256_srli_epi32(most, 8)), _mm256_set1_epi32(0xFF));
    if (!first) {
        __m256i several = _mm256_cmpgt_epi32(_mm256_and_si256(rho, _mm256_sub_epi32(rho, one)), zero);
        __m256i around = _mm256_sub_epi32(largest_above(above->exponent + 1 + (size_t)2 * quad), one);
        kappa = _mm256_max_epi32(_mm256_and_si256(around, several), one);
    }
    __m256i bound = _mm256_max_epi32(most, kappa), excess = _mm256_sub_epi32(bound, kappa);
    __m256i equal = _mm256_cmpeq_epi8(exponent, _mm256_mullo_epi32(most, _mm256_set1_epi32(0x01010101)));
    __m256i eps = _mm256_and_si256(gather_bits(equal), _mm256_cmpgt_epi32(excess, zero));
    __m256i code = _mm256_slli_epi32(make_contexts(own->rho + quad, above->rho + quad, first), 8);
    code = _mm256_or_si256(_mm256_or_si256(code, eps), _mm256_slli_epi32(rho, 4));
    _mm_storeu_si128((__m128i *)(void *)(encoder->row.code + quad),
        _mm_packus_epi32(_mm256_castsi256_si128(code), _mm256_extracti128_si256(code, 1)));
    store_bytes(encoder->row.bound + quad, bound);
    store_bytes(encoder->row.excess + quad, excess);
}

static uint32_t any_bits(const uint32_t *sample, uint32_t count)
{
    __m256i sum = _mm256_setzero_si256();
    for (uint32_t i = 0; i < count; i += 8)
        sum = _mm256_or_si256(sum, load_samples(sample + i, count - i));
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_or_si128(half, _mm_srli_si128(half, 8));
    return (uint32_t)_mm_cvtsi128_si32(_mm_or_si128(half, _mm_srli_si128(half, 4)));
}

/* Prepare a row of quads. */
ALWAYS_INLINE bool make_row(struct j2k_ht_encoder *encoder, uint32_t y)
{
    const struct j2k_ht_above *above = &encoder->above[(y / 2 + 1) % 2];
    struct j2k_ht_above *own = &encoder->above[y / 2 % 2];
    if (!ht_note_row(encoder, y, make_values(encoder, y)))
        return false;
    if ((encoder->width + 7) / 8 % 2 != 0) /* quads up to a multiple of eight are read */
        _mm_storeu_si128((__m128i *)(void *)(encoder->row.exponent + (size_t)2 * ((encoder->width + 7) / 8 * 8)),
            _mm_setzero_si128());
    keep_for_next(encoder, own);
    for (uint32_t quad = 0; 2 * quad < encoder->width; quad += 8)
        make_codes(encoder, quad, own, above, y == 0);
    return true;
}

ALWAYS_INLINE uint32_t some_codes(const struct j2k_ht_row *row, uint32_t quad, uint32_t count, uint32_t mask)
{
    const __m256i zero = _mm256_setzero_si256(), wanted = _mm256_set1_epi16((int16_t)mask);
    const __m256i *words = (const __m256i *)(const void *)(row->code + quad);
    const __m256i first = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_loadu_si256(words), wanted), zero);
    const __m256i second = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_loadu_si256(words + 1), wanted), zero);
    const __m256i none = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, second), 0xD8);
    return ~(uint32_t)_mm256_movemask_epi8(none) & UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count);
}

#include "j2k/cpu/blocks/ht_encode_events_bmi2.h"

/* Holds the bits of MagSgn of two quads, in the lower words of both halves, and how many they are. */
struct sign_vectors {
    __m256i bits, count;
};

/* Repeat the lower of two bytes in the words of the lower half, the upper one in those of the upper half. */
ALWAYS_INLINE __m256i spread_bytes(const uint8_t *from)
{
    const __m256i places = _mm256_setr_epi32(-256, -256, -256, -256, -255, -255, -255, -255);
    uint16_t both;
    memcpy(&both, from, sizeof both);
    return _mm256_shuffle_epi8(_mm256_set1_epi16((int16_t)both), places);
}

/* Join the numbers of two quads whose U is at most 14: samples to pairs, and these to quads. */
ALWAYS_INLINE struct sign_vectors join_signs(const struct j2k_ht_row *row, uint32_t quad)
{
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF), ones = _mm256_set1_epi32(-1);
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3);
    const __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)(row->value + (size_t)4 * quad));
    __m256i some = _mm256_cmpgt_epi32(load_bytes(row->exponent + (size_t)4 * quad), _mm256_setzero_si256());
    __m256i known = _mm256_srlv_epi32(spread_bytes(row->known + quad), order);
    known = _mm256_and_si256(known, _mm256_set1_epi32(1));
    const __m256i count = _mm256_and_si256(_mm256_sub_epi32(spread_bytes(row->bound + quad), known), some);
    const __m256i bits = _mm256_andnot_si256(_mm256_sllv_epi32(ones, count), value);
    const __m256i first = _mm256_and_si256(count, low);
    __m256i pair = _mm256_sllv_epi64(_mm256_srli_epi64(bits, 32), first);
    pair = _mm256_or_si256(pair, _mm256_and_si256(bits, low));
    const __m256i sum = _mm256_add_epi64(first, _mm256_srli_epi64(count, 32));
    return (struct sign_vectors){.bits = _mm256_or_si256(pair, _mm256_sllv_epi64(_mm256_bsrli_epi128(pair, 8), sum)),
        .count = _mm256_add_epi64(sum, _mm256_bsrli_epi128(sum, 8))};
}

ALWAYS_INLINE void put_pair_signs(
    struct j2k_ht_flat *signs, const struct j2k_ht_row *row, uint32_t quad, uint32_t quads)
{
    const uint32_t end = quads - quad < 2 ? quad + 1 : quad + 2;
    if (row->bound[quad] <= J2K_HT_SHORT_BOUND && row->bound[end - 1] <= J2K_HT_SHORT_BOUND) {
        const struct sign_vectors joined = join_signs(row, quad);
        const __m128i bits = _mm256_extracti128_si256(joined.bits, 1);
        const __m128i count = _mm256_extracti128_si256(joined.count, 1);
        ht_flat_put(signs, (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(joined.bits)),
            (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(joined.count)));
        ht_flat_put(signs, (uint64_t)_mm_cvtsi128_si64(bits), (uint32_t)_mm_cvtsi128_si32(count));
        return;
    }
    for (uint32_t q = quad; q < end; q++)
        ht_put_signs(signs, row->value + (size_t)4 * q, row->code[q] >> 4 & 15, row->known[q], row->bound[q]);
}

ALWAYS_INLINE void put_row_signs(struct j2k_ht_encoder *encoder, uint32_t quads)
{
    const struct j2k_ht_row *row = &encoder->row;
    struct j2k_ht_flat signs = encoder->signs;
    for (uint32_t from = 0; from < quads; from += J2K_HT_QUADS_AT_ONCE) {
        const uint32_t left = quads - from, count = left < J2K_HT_QUADS_AT_ONCE ? left : J2K_HT_QUADS_AT_ONCE;
        for (uint32_t pairs = ht_pairs(some_codes(row, from, count, 0xF0)); pairs != 0; pairs &= pairs - 1)
            put_pair_signs(&signs, row, from + (uint32_t)__builtin_ctz(pairs), quads);
    }
    encoder->signs = signs;
}

#include "j2k/cpu/blocks/ht_encode_cleanup.h"

#include "j2k/cpu/blocks/ht_encode_count.h"

ALWAYS_INLINE void put_codes(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count)
{
    put_pairs(encoder, to, quad, count);
}

/* Return the number of bits that are set in each of eight numbers below 16. */
ALWAYS_INLINE __m256i count_bits(__m256i numbers)
{
    const __m256i counts = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_shuffle_epi8(counts, numbers);
}

/* Return the bits of u of eight quads, which are the same for all u from 5 on. */
ALWAYS_INLINE __m256i excess_lengths(__m256i excess)
{
    const __m256i lengths = _mm256_setr_epi8(
        0, 1, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 1, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8);
    return _mm256_shuffle_epi8(lengths, _mm256_min_epi32(excess, _mm256_set1_epi32(15)));
}

/*
 * Look up the codes of eight quads below the first row. Each read of 32 bits ends with the entry, so that the entry in
 * front of it is read, too, but nothing behind the table.
 */
ALWAYS_INLINE __m256i look_up(__m256i code)
{
    const __m256i place = _mm256_add_epi32(code, _mm256_set1_epi32(J2K_HT_CODE_ENTRIES - 1));
    return _mm256_srli_epi32(_mm256_i32gather_epi32((const int *)(const void *)codes, place, 2), 16);
}

ALWAYS_INLINE uint32_t add_lanes(__m256i sum)
{
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_srli_si128(half, 8));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(half, _mm_srli_si128(half, 4)));
}

static uint32_t row_bits(const struct j2k_ht_row *row, uint32_t quads)
{
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i sum = _mm256_setzero_si256();
    for (uint32_t quad = 0; quad < quads; quad += 8) {
        const __m128i words = _mm_loadu_si128((const __m128i *)(const void *)(row->code + quad));
        if (_mm_testz_si128(words, words))
            continue;
        const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(quads - quad)), order);
        const __m256i code = _mm256_and_si256(_mm256_cvtepu16_epi32(words), there), entry = look_up(code);
        const __m256i rho = _mm256_and_si256(_mm256_srli_epi32(code, 4), _mm256_set1_epi32(15));
        const __m256i length = _mm256_and_si256(_mm256_srli_epi32(entry, 8), _mm256_set1_epi32(7));
        const __m256i signs = _mm256_mullo_epi16(count_bits(rho), load_bytes(row->bound + quad));
        __m256i bits = _mm256_sub_epi32(_mm256_add_epi32(length, signs), count_bits(_mm256_srli_epi32(entry, 12)));
        bits = _mm256_add_epi32(bits, excess_lengths(load_bytes(row->excess + quad)));
        sum = _mm256_add_epi32(sum, bits);
    }
    return add_lanes(sum);
}

#include "j2k/cpu/blocks/ht_count_reals_avx2.h"

static const struct j2k_ht_coding coding = {
    .any = any_bits, .cleanup = cleanup, .count = count, .count_reals = count_reals};

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_avx2(void)
{
    return &coding;
}
