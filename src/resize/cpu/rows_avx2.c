/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes rows of 8-bit samples with AVX2. A weight is split into a high and a low part of 12 bits, whose products with
 * pairs of samples are added up separately: these sums of 32 bits may wrap, because the complete sum does not.
 */
#include <immintrin.h>
#include <string.h>

#include "resize/cpu/rows.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    HALF = 1 << (RESIZE_BITS - 1),
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

/* Replace each group of `taps` weights, 2 or 4, by its `taps` low parts, followed by the high ones. */
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

/*
 * Return the shuffle that puts the samples of four pixels into words: the low lane gets pairs of samples of the first
 * two pixels, the high lane pairs of the other two.
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

/* Holds the low and the high sums of a row. */
struct row_sums {
    __m256i low;
    __m256i high;
};

/* Holds rows that are made together. */
struct resize_strip {
    const uint8_t *from[STRIP];
    uint8_t *to[STRIP];
    __m256i greatest;
};

INLINE void add_group(struct row_sums *sums, const uint8_t *from, __m256i order, __m256i low, __m256i high)
{
    __m256i samples = _mm256_shuffle_epi8(load_twice(from), order);
    sums->low = _mm256_add_epi32(sums->low, _mm256_madd_epi16(samples, low));
    sums->high = _mm256_add_epi32(sums->high, _mm256_madd_epi16(samples, high));
}

/*
 * Add up the two lanes of each row's sums: the result has the first row's sums in the low lane, the second row's in the
 * high lane.
 */
INLINE __m256i add_lanes(const struct row_sums *first, const struct row_sums *second)
{
    __m256i a = join(first->low, first->high), b = join(second->low, second->high);
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

/* Store a pixel. If another one follows in the row, four bytes may be stored instead of three. */
INLINE void store_pixel(uint8_t *to, int32_t pixel, uint32_t channels, bool is_last)
{
    memcpy(to, &pixel, channels == 3 && is_last ? 3 : 4);
}

INLINE void store_pixels(
    const struct resize_strip *strip, __m256i ab, __m256i cd, size_t at, uint32_t channels, bool is_last)
{
    __m256i words = _mm256_packs_epi32(_mm256_srai_epi32(ab, RESIZE_BITS), _mm256_srai_epi32(cd, RESIZE_BITS));
    __m256i bytes = _mm256_min_epu8(_mm256_packus_epi16(words, words), strip->greatest);
    __m128i ac = _mm256_castsi256_si128(bytes), bd = _mm256_extracti128_si256(bytes, 1);
    store_pixel(strip->to[0] + at, _mm_extract_epi32(ac, 0), channels, is_last);
    store_pixel(strip->to[1] + at, _mm_extract_epi32(bd, 0), channels, is_last);
    store_pixel(strip->to[2] + at, _mm_extract_epi32(ac, 1), channels, is_last);
    store_pixel(strip->to[3] + at, _mm_extract_epi32(bd, 1), channels, is_last);
}

/* Make pixels of three or four channels. */
INLINE void strip_pixels(const struct resize_weights *weights, const struct resize_strip *strip, uint32_t begin,
    uint32_t end, uint32_t channels)
{
    const __m256i order = order_of(channels);
    const __m256i lows = _mm256_setr_epi32(
        0x03020100, 0x03020100, 0x03020100, 0x03020100, 0x07060504, 0x07060504, 0x07060504, 0x07060504);
    const __m256i highs = _mm256_add_epi8(lows, _mm256_set1_epi8(2 * TAPS));
    const __m256i half = _mm256_setr_epi32(HALF, HALF, HALF, HALF, 0, 0, 0, 0);
    const struct row_sums start = {half, _mm256_setzero_si256()};
    for (uint32_t x = begin; x < end; x++) {
        const struct resize_window window = weights->window[x];
        const int32_t *weight = kst_resize_weights_of(weights, x);
        struct row_sums a = start, b = start, c = start, d = start;
        size_t at = (size_t)window.first * channels;
        for (uint32_t i = 0; i < window.length; i += TAPS, at += (size_t)TAPS * channels) {
            __m256i both = load_twice(weight + i);
            __m256i low = _mm256_shuffle_epi8(both, lows), high = _mm256_shuffle_epi8(both, highs);
            add_group(&a, strip->from[0] + at, order, low, high);
            add_group(&b, strip->from[1] + at, order, low, high);
            add_group(&c, strip->from[2] + at, order, low, high);
            add_group(&d, strip->from[3] + at, order, low, high);
        }
        bool is_last = x + 1 == weights->count;
        store_pixels(strip, add_lanes(&a, &b), add_lanes(&c, &d), (size_t)x * channels, channels, is_last);
    }
}

/* Add products of eight samples to the sums; the first two sums in a lane are low ones, the others high ones. */
INLINE __m256i add_samples(__m256i sums, const uint8_t *from, __m256i order, __m256i weights)
{
    __m256i samples = _mm256_shuffle_epi8(_mm256_broadcastq_epi64(_mm_loadl_epi64((const void *)from)), order);
    return _mm256_add_epi32(sums, _mm256_madd_epi16(samples, weights));
}

/* Return the low and high sums of two rows: low, high, low, high. */
INLINE __m128i add_pairwise(__m256i first, __m256i second)
{
    return _mm_hadd_epi32(_mm_add_epi32(_mm256_castsi256_si128(first), _mm256_extracti128_si256(first, 1)),
        _mm_add_epi32(_mm256_castsi256_si128(second), _mm256_extracti128_si256(second, 1)));
}

/* Round the sums of four rows, and return the samples in four bytes, the first row's lowest. */
INLINE uint32_t round_four(__m128i ab, __m128i cd, __m128i greatest)
{
    __m128 first = _mm_castsi128_ps(ab), second = _mm_castsi128_ps(cd);
    __m128i low = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
    __m128i high = _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
    __m128i sums = _mm_add_epi32(_mm_add_epi32(low, _mm_set1_epi32(HALF)), _mm_slli_epi32(high, LOW_BITS));
    __m128i values = _mm_srai_epi32(sums, RESIZE_BITS);
    values = _mm_packs_epi32(values, values);
    return (uint32_t)_mm_cvtsi128_si32(_mm_min_epu8(_mm_packus_epi16(values, values), greatest));
}

/* Make pixels of one channel. */
INLINE void strip_samples(
    const struct resize_weights *weights, const struct resize_strip *strip, uint32_t begin, uint32_t end)
{
    const __m256i order = _mm256_setr_epi8(
        0, -1, 1, -1, 2, -1, 3, -1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1, 4, -1, 5, -1, 6, -1, 7, -1);
    for (uint32_t x = begin; x < end; x++) {
        const struct resize_window window = weights->window[x];
        const int32_t *weight = kst_resize_weights_of(weights, x);
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (uint32_t i = 0; i < window.length; i += 2 * TAPS) {
            __m256i both = _mm256_loadu_si256((const void *)(weight + i));
            a = add_samples(a, strip->from[0] + window.first + i, order, both);
            b = add_samples(b, strip->from[1] + window.first + i, order, both);
            c = add_samples(c, strip->from[2] + window.first + i, order, both);
            d = add_samples(d, strip->from[3] + window.first + i, order, both);
        }
        uint32_t samples = round_four(add_pairwise(a, b), add_pairwise(c, d), _mm256_castsi256_si128(strip->greatest));
        for (uint32_t r = 0; r < STRIP; r++, samples >>= 8)
            strip->to[r][x] = (uint8_t)samples;
    }
}

/* Describe the strip that begins with row `first`. Missing rows are replaced by the last one. */
static struct resize_strip strip_of(const struct resize_rows *rows, uint32_t first)
{
    struct resize_strip strip = {.greatest = _mm256_set1_epi8((char)rows->greatest)};
    for (uint32_t r = 0; r < STRIP; r++) {
        ptrdiff_t row = first + r < rows->count ? first + r : rows->count - 1;
        strip.from[r] = rows->from + row * rows->from_pitch;
        strip.to[r] = rows->to + row * rows->to_pitch;
    }
    return strip;
}

static void across(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end)
{
    for (uint32_t row = 0; row < rows->count; row += STRIP) {
        const struct resize_strip strip = strip_of(rows, row);
        if (rows->channels == 1)
            strip_samples(weights, &strip, begin, end);
        else if (rows->channels == 3)
            strip_pixels(weights, &strip, begin, end, 3);
        else
            strip_pixels(weights, &strip, begin, end, 4);
    }
}

INLINE void add_pairs(struct row_sums *sums, __m128i samples, __m256i low, __m256i high)
{
    __m256i words = _mm256_cvtepu8_epi16(samples);
    sums->low = _mm256_add_epi32(sums->low, _mm256_madd_epi16(words, low));
    sums->high = _mm256_add_epi32(sums->high, _mm256_madd_epi16(words, high));
}

static __m256i round_pairs(const struct row_sums *sums)
{
    const __m256i half = _mm256_set1_epi32(HALF);
    return _mm256_srai_epi32(_mm256_add_epi32(join(sums->low, sums->high), half), RESIZE_BITS);
}

static __m128i round_columns(const struct row_sums *first, const struct row_sums *second, uint32_t greatest)
{
    __m256i words = _mm256_packs_epi32(round_pairs(first), round_pairs(second));
    words = _mm256_permute4x64_epi64(words, _MM_SHUFFLE(3, 1, 2, 0));
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return _mm_min_epu8(bytes, _mm_set1_epi8((char)greatest));
}

/* Load COLUMNS samples, or `samples` if there are fewer. */
INLINE __m128i load_columns(const uint8_t *from, size_t samples)
{
    uint8_t line[COLUMNS] = {0};
    if (samples >= COLUMNS)
        return _mm_loadu_si128((const void *)from);
    memcpy(line, from, samples);
    return _mm_loadu_si128((const void *)line);
}

/* Make up to COLUMNS samples of a row. */
INLINE __m128i down_columns(
    const int32_t *weight, uint32_t length, const struct resize_rows *rows, size_t column, size_t samples)
{
    struct row_sums first = {_mm256_setzero_si256(), _mm256_setzero_si256()}, second = first;
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
