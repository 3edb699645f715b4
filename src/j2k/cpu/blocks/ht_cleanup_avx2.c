/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes cleanup passes with AVX2. While the quads of a row are read, one after the other, the samples of the row
 * above are taken, which do not depend on each other: that fills the time in which the processor waits for VLC. For a
 * row of quads it is first found how many bits each quad's numbers have and where they begin, eight quads at a time.
 * Then the samples of two quads are taken at once, each at its own place: from two words of 64 bits, or where a quad
 * may have more bits, from a word for each sample.
 */
#include <immintrin.h>

#include "j2k/cpu/blocks/ht_quads.h"

enum {
    AT_ONCE = 8,     /* quads */
    SHORT_BITS = 14, /* four numbers of this many bits fit into a word, wherever in its first byte they begin */
    COLUMNS = 4,     /* of samples of a pair of quads */
    SIGNIFICANT = 0xF0
};

/*
 * Holds what is known of the quads of a row: the entry, above it the number U of bits, and where in MagSgn each quad
 * begins.
 */
struct known_quads {
    uint32_t quad[J2K_HT_QUAD_COLUMNS + AT_ONCE];
    uint32_t at[J2K_HT_QUAD_COLUMNS + AT_ONCE];
};

struct row_reading {
    struct j2k_ht_decoder *decoder;
    uint32_t at;      /* bits of MagSgn in front of the row */
    uint32_t end;     /* bits of MagSgn up to the end of the row */
    uint32_t most;    /* largest U of the row */
    __m256i largest;  /* largest magnitudes less 1 of all rows */
    __m128i up, down; /* shifts from 2 µ + 1 to a sample, one of which is 0 */
};

ALWAYS_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

ALWAYS_INLINE void store(void *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

/* Join the columns that each of eight quads looks at: two above it, one on either side. */
ALWAYS_INLINE __m256i look_above(const uint32_t *above)
{
    __m256i half[2];
    for (uint32_t i = 0; i < 2; i++, above += AT_ONCE)
        half[i] = _mm256_or_si256(
            _mm256_or_si256(load(above - 1), load(above)), _mm256_or_si256(load(above + 1), load(above + 2)));
    const __m256 even = _mm256_shuffle_ps(_mm256_castsi256_ps(half[0]), _mm256_castsi256_ps(half[1]), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xD8);
}

/*
 * Return the number of bits of numbers below 2^31, or 1 for 0. A float has it in its exponent, if nothing is rounded
 * up.
 */
ALWAYS_INLINE __m256i bit_lengths(__m256i value)
{
    const __m256i exact = _mm256_andnot_si256(_mm256_srli_epi32(value, 1), value);
    const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(exact)), 23);
    return _mm256_max_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(126)), _mm256_set1_epi32(1));
}

/* Return the number of bits of numbers below 16. */
ALWAYS_INLINE __m256i bit_counts(__m256i value)
{
    const __m256i counts = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_shuffle_epi8(counts, value);
}

/* Return running sums, each of which includes its own number. */
ALWAYS_INLINE __m256i running_sums(__m256i value)
{
    value = _mm256_add_epi32(value, _mm256_slli_si256(value, 4));
    value = _mm256_add_epi32(value, _mm256_slli_si256(value, 8));
    const __m256i half = _mm256_permutevar8x32_epi32(value, _mm256_set1_epi32(3));
    return _mm256_add_epi32(value, _mm256_blend_epi32(_mm256_setzero_si256(), half, 0xF0));
}

/* Find how many bits the quads of a row have. What is computed for quads behind the last one has no effect. */
ALWAYS_INLINE void know_quads(struct row_reading *reading, uint32_t row, struct known_quads *known)
{
    const struct j2k_ht_decoder *decoder = reading->decoder;
    const uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    const uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    const __m256i one = _mm256_set1_epi32(1), low = _mm256_set1_epi32(15);
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i at = _mm256_set1_epi32((int32_t)reading->at), most = _mm256_setzero_si256();
    for (uint32_t q = 0; q < decoder->quad_columns; q += AT_ONCE) {
        const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(decoder->quad_columns - q)), numbers);
        const __m256i entry =
            _mm256_and_si256(inside, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(quad + q))));
        const __m256i rho = _mm256_and_si256(_mm256_srli_epi32(entry, 4), low), count = bit_counts(rho);
        const __m256i several = _mm256_cmpgt_epi32(count, one);
        const __m256i least = _mm256_blendv_epi8(one, bit_lengths(look_above(decoder->above + 2 * q + 2)), several);
        const __m256i word =
            _mm256_add_epi32(least, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(u + q))));
        const __m256i bits =
            _mm256_sub_epi32(_mm256_mullo_epi32(word, count), bit_counts(_mm256_srli_epi32(entry, 12)));
        const __m256i sums = running_sums(bits);
        most = _mm256_max_epi32(most, _mm256_and_si256(word, _mm256_cmpgt_epi32(count, _mm256_setzero_si256())));
        store(known->quad + q, _mm256_or_si256(entry, _mm256_slli_epi32(word, 16)));
        store(known->at + q, _mm256_add_epi32(at, _mm256_sub_epi32(sums, bits)));
        at = _mm256_add_epi32(at, _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7)));
    }
    reading->end = (uint32_t)_mm256_cvtsi256_si32(at);
    uint32_t all[AT_ONCE];
    store(all, most);
    reading->most = 0;
    for (uint32_t i = 0; i < AT_ONCE; i++)
        reading->most = all[i] > reading->most ? all[i] : reading->most;
}

/*
 * Take the numbers of two quads, each quad's from one word: they follow each other and have at most 64 bits together.
 */
ALWAYS_INLINE __m256i short_numbers(const uint8_t *data, const uint32_t at[2], __m256i before)
{
    const __m256i first = _mm256_set1_epi64x((int64_t)j2k_load64(data + at[0] / 8));
    const __m256i second = _mm256_set1_epi64x((int64_t)j2k_load64(data + at[1] / 8));
    const __m256i left = _mm256_srlv_epi64(first, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(before)));
    const __m256i right = _mm256_srlv_epi64(second, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(before, 1)));
    const __m256 both = _mm256_shuffle_ps(_mm256_castsi256_ps(left), _mm256_castsi256_ps(right), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xD8);
}

/* Take each number from a word of its own. */
ALWAYS_INLINE __m256i long_numbers(const uint8_t *data, __m256i at)
{
    const __m256i byte = _mm256_srli_epi32(at, 3), bit = _mm256_and_si256(at, _mm256_set1_epi32(7));
    const __m256i left = _mm256_i32gather_epi64((const long long *)(const void *)data, _mm256_castsi256_si128(byte), 1);
    const __m256i right =
        _mm256_i32gather_epi64((const long long *)(const void *)data, _mm256_extracti128_si256(byte, 1), 1);
    const __m256 both = _mm256_shuffle_ps(
        _mm256_castsi256_ps(_mm256_srlv_epi64(left, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(bit)))),
        _mm256_castsi256_ps(_mm256_srlv_epi64(right, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(bit, 1)))), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xD8);
}

/* Take the samples of a pair of quads: the upper row in the lower half. `less` receives magnitudes less 1. */
ALWAYS_INLINE __m256i take_pair(
    struct row_reading *reading, const struct known_quads *known, uint32_t q, bool is_short, __m256i *less)
{
    if (((known->quad[q] | known->quad[q + 1]) & SIGNIFICANT) == 0)
        return *less = _mm256_setzero_si256();
    const uint8_t *data = reading->decoder->magsgn;
    const __m256i halves = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1), one = _mm256_set1_epi32(1);
    const __m256i quad = _mm256_permutevar8x32_epi32(
        _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(const void *)(known->quad + q))), halves);
    const __m256i at = _mm256_permutevar8x32_epi32(
        _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(const void *)(known->at + q))), halves);
    const __m256i place = _mm256_setr_epi32(16, 32, 64, 128, 16, 32, 64, 128);
    const __m256i there = _mm256_cmpeq_epi32(_mm256_and_si256(quad, place), place);
    const __m256i known_at = _mm256_slli_epi32(place, 8), one_at = _mm256_slli_epi32(place, 4);
    const __m256i is_known = _mm256_cmpeq_epi32(_mm256_and_si256(quad, known_at), known_at);
    const __m256i is_one = _mm256_cmpeq_epi32(_mm256_and_si256(quad, one_at), one_at);
    const __m256i bits = _mm256_and_si256(there, _mm256_add_epi32(_mm256_srli_epi32(quad, 16), is_known));
    __m256i before = _mm256_add_epi32(_mm256_slli_si256(bits, 4), _mm256_slli_si256(bits, 8));
    before = _mm256_add_epi32(before, _mm256_slli_si256(bits, 12));
    __m256i number;
    if (is_short)
        number =
            short_numbers(data, known->at + q, _mm256_add_epi32(before, _mm256_and_si256(at, _mm256_set1_epi32(7))));
    else
        number = long_numbers(data, _mm256_add_epi32(before, at));
    const __m256i top = _mm256_sllv_epi32(one, bits);
    number = _mm256_and_si256(number, _mm256_sub_epi32(top, one));
    number = _mm256_or_si256(number, _mm256_and_si256(is_one, top));
    *less = _mm256_srli_epi32(number, 1);
    reading->largest = _mm256_max_epu32(reading->largest, *less);
    __m256i sample = _mm256_add_epi32(_mm256_or_si256(number, one), _mm256_set1_epi32(2));
    sample = _mm256_srl_epi32(_mm256_sll_epi32(sample, reading->up), reading->down);
    sample = _mm256_or_si256(sample, _mm256_slli_epi32(number, 31));
    const __m256i rows = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    *less = _mm256_permutevar8x32_epi32(*less, rows);
    return _mm256_permutevar8x32_epi32(_mm256_and_si256(sample, there), rows);
}

/* Holds the places that the samples of a row of quads go to, and those of the quads of the next row. */
struct row_places {
    uint32_t *upper, *lower, *above;
    const uint16_t *context;
    uint16_t *quad;
    uint8_t *u;
};

/* Take the samples of a row of quads, and with `more` the next row of quads, which may have an odd number of them. */
ALWAYS_INLINE struct j2k_ht_reading take_pairs(struct row_reading *reading, const struct known_quads *known,
    const struct row_places *to, struct j2k_ht_reading quads, bool is_short, bool more)
{
    const uint32_t width = reading->decoder->width, columns = reading->decoder->quad_columns;
    uint32_t left = 0, x = 0;
    __m256i less;
    for (; x + COLUMNS <= width; x += COLUMNS) {
        if (more)
            left = j2k_ht_take_pair(&quads, to->context + x / 2, left, false, to->quad + x / 2, to->u + x / 2);
        const __m256i sample = take_pair(reading, known, x / 2, is_short, &less);
        _mm_storeu_si128((__m128i *)(void *)(to->upper + x), _mm256_castsi256_si128(sample));
        _mm_storeu_si128((__m128i *)(void *)(to->lower + x), _mm256_extracti128_si256(sample, 1));
        _mm_storeu_si128((__m128i *)(void *)(to->above + x), _mm256_extracti128_si256(less, 1));
    }
    if (x == width)
        return quads;
    if (more)
        j2k_ht_take_pair(&quads, to->context + x / 2, left, x / 2 + 1 == columns, to->quad + x / 2, to->u + x / 2);
    uint32_t last[2 * COLUMNS];
    store(last, take_pair(reading, known, x / 2, is_short, &less));
    memcpy(to->upper + x, last, sizeof *last * (width - x));
    memcpy(to->lower + x, last + COLUMNS, sizeof *last * (width - x));
    _mm_storeu_si128((__m128i *)(void *)(to->above + x), _mm256_extracti128_si256(less, 1));
    return quads;
}

/* Take the samples of a row, and the quads of the next one if there is one. */
static bool take_row(struct row_reading *reading, struct j2k_ht_reading *quads, uint32_t row)
{
    struct j2k_ht_decoder *decoder = reading->decoder;
    struct known_quads known;
    know_quads(reading, row, &known);
    if (reading->most > decoder->bits + 1 || reading->end > decoder->magsgn_bits)
        return false;
    uint32_t unused[J2K_BLOCK_SIDE], *upper = decoder->sample + (size_t)2 * row * decoder->width;
    uint16_t context[J2K_HT_QUAD_COLUMNS];
    const size_t next = (size_t)(row + 1) * decoder->quad_pitch + 1;
    const struct row_places to = {.upper = upper,
        .lower = 2 * row + 1 < decoder->height ? upper + decoder->width : unused,
        .above = decoder->above + 2,
        .context = context,
        .quad = decoder->quad + next,
        .u = decoder->u + next};
    const bool is_short = reading->most <= SHORT_BITS, more = row + 1 < decoder->quad_rows;
    if (more)
        kst_j2k_cpu_ht_contexts(decoder, row + 1, context);
    if (is_short && more)
        *quads = take_pairs(reading, &known, &to, *quads, true, true);
    else if (more)
        *quads = take_pairs(reading, &known, &to, *quads, false, true);
    else
        take_pairs(reading, &known, &to, *quads, false, false);
    reading->at = reading->end;
    return true;
}

/* Return whether no magnitude has more bits than it may have. */
static bool is_fine(const struct row_reading *reading)
{
    uint32_t less[AT_ONCE];
    bool fine = true;
    store(less, reading->largest);
    for (uint32_t i = 0; i < AT_ONCE; i++)
        fine = fine && less[i] < (1U << reading->decoder->bits) - 1;
    return fine;
}

bool kst_j2k_cpu_ht_cleanup_avx2(struct j2k_ht_decoder *decoder)
{
    const int32_t shift = (int32_t)decoder->plane + decoder->fraction - 1;
    struct row_reading reading = {.decoder = decoder,
        .largest = _mm256_setzero_si256(),
        .up = _mm_cvtsi32_si128(shift > 0 ? shift : 0),
        .down = _mm_cvtsi32_si128(shift < 0 ? -shift : 0)};
    struct j2k_ht_mel mel;
    struct j2k_ht_reading quads = kst_j2k_cpu_ht_first_quads(decoder, kst_j2k_cpu_ht_reading_open(decoder, &mel));
    memset(decoder->above, 0, (2 * (size_t)decoder->quad_columns + 24) * sizeof *decoder->above);
    for (uint32_t r = 0; r < decoder->quad_rows; r++)
        if (j2k_ht_bits_read(&quads, decoder->vlc) > decoder->vlc_bits || !take_row(&reading, &quads, r))
            return false;
    return is_fine(&reading);
}
