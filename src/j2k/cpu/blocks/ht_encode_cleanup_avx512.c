/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for AVX-512. */
#include "j2k/cpu/blocks/ht_encode_row_avx512.h"

enum {
    QUADS_AROUND = 32, /* bytes of zeros around the exponents of a row */
    SMALL_BOUND = 7,   /* U with which MagSgn of two quads fits into one word */
    SIGNS_AT_ONCE = 4, /* quads whose MagSgn is made together */
    CODES_AT_ONCE = 16 /* quads whose codewords are */
};

/* Return the exponents of the upper row of samples. Those of the lower row are kept for the next row of quads. */
ALWAYS_INLINE uint8_t *upper_exponents(struct j2k_ht_encoder *encoder)
{
    return encoder->row.exponent + QUADS_AROUND;
}

ALWAYS_INLINE void store_bytes(uint8_t *to, __m128i bytes)
{
    _mm_storeu_si128((__m128i *)(void *)to, bytes);
}

/* Make the values of all samples of a row of quads, and their exponents. Returns whether any sample is not 0. */
ALWAYS_INLINE bool make_values(struct j2k_ht_encoder *encoder, uint32_t y)
{
    const uint32_t width = encoder->width, *from = encoder->sample + (size_t)y * width;
    const __m128i plane = _mm_cvtsi32_si128((int32_t)encoder->plane);
    const bool below = y + 1 < encoder->height;
    const struct j2k_ht_sixteen_samples none = {_mm512_setzero_si512(), _mm_setzero_si128()};
    uint8_t *upper_to = upper_exponents(encoder), *lower_to = encoder->above[y / 2 % 2].exponent + 2;
    __m128i any = _mm_setzero_si128();
    for (uint32_t x = 0; x < width; x += 16) {
        const struct j2k_ht_sixteen_samples upper = take_samples(load_samples(from + x, width - x), plane);
        const struct j2k_ht_sixteen_samples lower =
            below ? take_samples(load_samples(from + width + x, width - x), plane) : none;
        any = _mm_or_si128(any, _mm_or_si128(upper.exponent, lower.exponent));
        store_by_quads(encoder->row.value + (size_t)2 * x, upper.value, lower.value);
        store_bytes(upper_to + x, upper.exponent);
        store_bytes(lower_to + x, lower.exponent);
    }
    return _mm_testz_si128(any, any) == 0;
}

static uint32_t any_bits(const uint32_t *sample, uint32_t count)
{
    __m512i sum = _mm512_setzero_si512();
    for (uint32_t i = 0; i < count; i += 16)
        sum = _mm512_or_si512(sum, load_samples(sample + i, count - i));
    return (uint32_t)_mm512_reduce_or_epi32(sum);
}

/* Prepare a row of quads. Behind the exponents of its upper samples there are zeros, as there are behind the others. */
ALWAYS_INLINE bool make_row(struct j2k_ht_encoder *encoder, uint32_t y)
{
    uint8_t *upper = upper_exponents(encoder);
    if (!ht_note_row(encoder, y, make_values(encoder, y)))
        return false;
    _mm256_storeu_si256((__m256i *)(void *)(upper - QUADS_AROUND), _mm256_setzero_si256());
    _mm512_storeu_si512(upper + (encoder->width + 15) / 16 * 16, _mm512_setzero_si512());
    for (uint32_t x = 0; x < encoder->width; x += 64) {
        const struct j2k_ht_exponent_rows rows = {.upper = upper + x,
            .lower = encoder->above[y / 2 % 2].exponent + 2 + x,
            .above = encoder->above[(y / 2 + 1) % 2].exponent + 2 + x};
        const struct j2k_ht_many_quads q = find_quads(&rows, y == 0);
        keep_quads(&encoder->row, x / 2, &q);
    }
    return true;
}

ALWAYS_INLINE uint32_t some_codes(const struct j2k_ht_row *row, uint32_t quad, uint32_t count, uint32_t mask)
{
    const __m512i codes = _mm512_loadu_si512(row->code + quad);
    return _mm512_test_epi16_mask(codes, _mm512_set1_epi16((int16_t)mask)) &
           UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count);
}

#include "j2k/cpu/blocks/ht_encode_events_bmi2.h"

/* Holds words of bits, each with its number of bits, in four or eight lanes of 64 bits. */
struct word_vectors {
    __m512i bits, count;
};

/* Append a lower word of bits to the upper one in each half of 128 bits; the lower half of it has the result. */
ALWAYS_INLINE struct word_vectors join_words(struct word_vectors words)
{
    const __m512i upper = _mm512_unpackhi_epi64(words.bits, words.bits);
    const __m512i more = _mm512_unpackhi_epi64(words.count, words.count);
    return (struct word_vectors){.bits = _mm512_or_si512(words.bits, _mm512_sllv_epi64(upper, words.count)),
        .count = _mm512_add_epi64(words.count, more)};
}

/* Do the same with numbers of 32 bits in each word. */
ALWAYS_INLINE struct word_vectors join_numbers(__m512i bits, __m512i count)
{
    const __mmask16 lower = 0x5555;
    const __m512i first = _mm512_maskz_mov_epi32(lower, count);
    return (struct word_vectors){.bits = _mm512_or_si512(_mm512_maskz_mov_epi32(lower, bits),
                                     _mm512_sllv_epi64(_mm512_srli_epi64(bits, 32), first)),
        .count = _mm512_add_epi64(first, _mm512_srli_epi64(count, 32))};
}

/* Append the lower words of the four halves of 128 bits. */
ALWAYS_INLINE void put_words(struct j2k_ht_flat *to, struct word_vectors words)
{
    uint64_t bits[8], count[8];
    _mm512_storeu_si512(bits, words.bits);
    _mm512_storeu_si512(count, words.count);
    for (uint32_t i = 0; i < 8; i += 2)
        ht_flat_put(to, bits[i], (uint32_t)count[i]);
}

/* Join the numbers of four quads whose U is at most 14: samples to pairs, and these to quads. */
ALWAYS_INLINE struct word_vectors join_signs(const struct j2k_ht_row *row, uint32_t quad)
{
    const __m512i repeat = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    uint64_t codes;
    uint32_t bounds, knowns;
    memcpy(&codes, row->code + quad, sizeof codes);
    memcpy(&bounds, row->bound + quad, sizeof bounds);
    memcpy(&knowns, row->known + quad, sizeof knowns);
    const __mmask16 some = (__mmask16)_pext_u64(codes, UINT64_C(0x00F000F000F000F0));
    const __mmask16 known = (__mmask16)_pext_u32(knowns, 0x0F0F0F0F) & some;
    const __m512i bound =
        _mm512_maskz_shuffle_epi8(UINT64_C(0x1111111111111111), _mm512_set1_epi32((int32_t)bounds), repeat);
    __m512i count = _mm512_maskz_mov_epi32(some, bound);
    count = _mm512_mask_sub_epi32(count, known, count, _mm512_set1_epi32(1));
    const __m512i value = _mm512_loadu_si512(row->value + (size_t)4 * quad);
    return join_words(join_numbers(_mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), count), value), count));
}

/* Append MagSgn of four quads. */
ALWAYS_INLINE void put_group_signs(struct j2k_ht_flat *signs, const struct j2k_ht_row *row, uint32_t quad)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 0, 0, 4, 6, 0, 0);
    uint32_t bounds;
    memcpy(&bounds, row->bound + quad, sizeof bounds);
    if ((bounds & 0xF8F8F8F8) == 0) {
        struct word_vectors words = join_signs(row, quad);
        words.bits = _mm512_permutexvar_epi64(even, words.bits);
        words.count = _mm512_permutexvar_epi64(even, words.count);
        words = join_words(words);
        ht_flat_put(signs, (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(words.bits)),
            (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(words.count)));
        ht_flat_put(signs, (uint64_t)_mm_cvtsi128_si64(_mm512_extracti32x4_epi32(words.bits, 2)),
            (uint32_t)_mm_cvtsi128_si32(_mm512_extracti32x4_epi32(words.count, 2)));
    } else if (((bounds + 0x01010101) & 0xF0F0F0F0) == 0) {
        put_words(signs, join_signs(row, quad));
    } else
        for (uint32_t q = quad; q < quad + SIGNS_AT_ONCE; q++)
            ht_put_signs(signs, row->value + (size_t)4 * q, row->code[q] >> 4 & 15, row->known[q], row->bound[q]);
}

ALWAYS_INLINE void put_row_signs(struct j2k_ht_encoder *encoder, uint32_t quads)
{
    const struct j2k_ht_row *row = &encoder->row;
    struct j2k_ht_flat signs = encoder->signs;
    for (uint32_t from = 0; from < quads; from += J2K_HT_QUADS_AT_ONCE) {
        const uint32_t left = quads - from, count = left < J2K_HT_QUADS_AT_ONCE ? left : J2K_HT_QUADS_AT_ONCE;
        const uint32_t some = some_codes(row, from, count, 0xF0), pairs = some | some >> 1;
        for (uint32_t groups = (pairs | pairs >> 2) & 0x11111111; groups != 0; groups &= groups - 1)
            put_group_signs(&signs, row, from + (uint32_t)__builtin_ctz(groups));
    }
    encoder->signs = signs;
}

#include "j2k/cpu/blocks/ht_encode_cleanup.h"

#include "j2k/cpu/blocks/ht_encode_count.h"

/*
 * Look up the codes of sixteen quads below the first row. Each read of 32 bits ends with the entry, so that the entry
 * in front of it is read, too, but nothing behind the table.
 */
ALWAYS_INLINE __m512i look_up(__m512i code)
{
    const __m512i place = _mm512_add_epi32(code, _mm512_set1_epi32(J2K_HT_CODE_ENTRIES - 1));
    return _mm512_srli_epi32(_mm512_i32gather_epi32(place, codes, 2), 16);
}

/* Look up the codes of u of eight pairs of quads, from sixteen u. */
ALWAYS_INLINE struct word_vectors look_up_excesses(__m128i excess)
{
    const __m128i place = _mm_maddubs_epi16(excess, _mm_set1_epi16(1 << 8 | EXCESSES));
    const __m256i entry =
        _mm256_i32gather_epi32((const int *)(const void *)excess_pairs, _mm256_cvtepu16_epi32(place), 4);
    return (struct word_vectors){.bits = _mm512_cvtepu32_epi64(_mm256_and_si256(entry, _mm256_set1_epi32(0xFFFF))),
        .count = _mm512_cvtepu32_epi64(_mm256_srli_epi32(entry, 16))};
}

/*
 * Make VLC of sixteen quads, pair by pair, of which those in `there` exist. A quad whose code is 0 has no bits.
 */
ALWAYS_INLINE struct word_vectors make_pairs(struct j2k_ht_row *row, uint32_t quad, __mmask16 there)
{
    const __m256i code = _mm256_loadu_si256((const __m256i *)(const void *)(row->code + quad));
    const __m512i entry = look_up(_mm512_maskz_cvtepu16_epi32(there, code));
    const __m512i length = _mm512_and_si512(_mm512_srli_epi32(entry, 8), _mm512_set1_epi32(7));
    const struct word_vectors words = join_numbers(_mm512_and_si512(entry, _mm512_set1_epi32(127)), length);
    const struct word_vectors excesses = look_up_excesses(_mm_maskz_loadu_epi8(there, row->excess + quad));
    _mm_storeu_si128((__m128i *)(void *)(row->known + quad), _mm512_cvtepi32_epi8(_mm512_srli_epi32(entry, 12)));
    return (struct word_vectors){.bits = _mm512_or_si512(words.bits, _mm512_sllv_epi64(excesses.bits, words.count)),
        .count = _mm512_add_epi64(words.count, excesses.count)};
}

ALWAYS_INLINE void put_codes(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count)
{
    enum { ALL = 0xFFF, MOST = 56 /* bits that can be appended together */ };
    const uint32_t there = UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count),
                   some = some_codes(&encoder->row, quad, count, ALL);
    for (uint32_t i = 0; i < count; i += CODES_AT_ONCE) {
        if ((some >> i & 0xFFFF) == 0)
            continue;
        const struct word_vectors pairs = make_pairs(&encoder->row, quad + i, (__mmask16)(there >> i));
        const struct word_vectors both = join_words(pairs);
        if (_mm512_mask_cmpgt_epi64_mask(0x55, both.count, _mm512_set1_epi64(MOST)) == 0) {
            put_words(to, both);
            continue;
        }
        for (uint32_t p = 0; p < CODES_AT_ONCE; p += 2)
            if ((some >> (i + p) & 3) != 0)
                code_pair(encoder, to, false, quad + i + p, quad + count);
    }
}

#include "j2k/cpu/blocks/ht_count_reals_avx512.h"

/* Return the bits of 32 quads below the first row, of which those in `there` exist. */
static uint32_t row_bits(const struct j2k_ht_row *row, uint32_t quads)
{
    uint32_t bits = 0;
    for (uint32_t quad = 0; quad < quads; quad += COUNTED_AT_ONCE) {
        const __m512i code = _mm512_loadu_si512(row->code + quad);
        const __m512i rho = _mm512_and_si512(_mm512_srli_epi16(code, 4), _mm512_set1_epi16(15));
        const struct j2k_ht_many_quads q = {.code = code,
            .rho = rho,
            .bound = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(row->bound + quad))),
            .excess = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(row->excess + quad)))};
        const uint32_t left = quads - quad, count = left < COUNTED_AT_ONCE ? left : COUNTED_AT_ONCE;
        if (some_codes(row, quad, count, 0xFFF) != 0)
            bits += count_quads(&q, UINT32_MAX >> (COUNTED_AT_ONCE - count));
    }
    return bits;
}

static const struct j2k_ht_coding coding = {
    .any = any_bits, .cleanup = cleanup, .count = count, .count_reals = count_reals};

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_avx512(void)
{
    return &coding;
}
