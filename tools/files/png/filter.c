/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters rows sixteen bytes at a time, in vectors of the compiler that every processor has instructions for.
 * Differences are modulo 256 (9.2), so bytes never need widening.
 */
#include "files/png/filter.h"

#include <stdbool.h>
#include <string.h>

enum { LANES = 16, FLUSH = 128 /* steps for which sums of pairs of bytes, each up to 128, fit 16 bits, and more */ };

typedef uint8_t bytes __attribute__((vector_size(LANES)));
typedef uint16_t words __attribute__((vector_size(LANES)));

static inline bytes load(const uint8_t *from)
{
    bytes value;

    memcpy(&value, from, sizeof value);
    return value;
}

static inline bytes smaller(bytes a, bytes b)
{
    bytes less = (bytes)(a < b);
    return (a & less) | (b & ~less);
}

static inline bytes larger(bytes a, bytes b)
{
    bytes less = (bytes)(a < b);
    return (b & less) | (a & ~less);
}

/* Return ⌊(a + b) ÷ 2⌋ without needing a ninth bit. */
static inline bytes average(bytes a, bytes b)
{
    return (a & b) + (((a ^ b) >> 1) & 0x7F);
}

/*
 * Return the one of left a, above b and above left c that is nearest to a + b − c, with a before b before c (9.4). The
 * distances are |b − c|, |a − c| and |(b − c) + (a − c)|. If both differences have the same sign, the third distance is
 * the largest; otherwise it is the difference of the other two. So eight bits are enough.
 */
static inline bytes paeth(bytes a, bytes b, bytes c)
{
    bytes low_b = smaller(b, c), low_a = smaller(a, c);
    bytes to_a = larger(b, c) - low_b, to_b = larger(a, c) - low_a;
    bytes apart = (bytes)(b < c) ^ (bytes)(a < c);
    bytes to_c = larger(to_a, to_b) - smaller(to_a, to_b);
    bytes nearer = smaller(to_a, to_b);
    bytes corner = apart & (bytes)(to_c < nearer);
    bytes left = (bytes)(to_a <= to_b);
    return (c & corner) | (((a & left) | (b & ~left)) & ~corner);
}

static inline bytes filtered(enum png_filter filter, bytes x, bytes a, bytes b, bytes c)
{
    switch (filter) {
    case PNG_FILTER_OF_SUB:
        return x - a;
    case PNG_FILTER_OF_UP:
        return x - b;
    case PNG_FILTER_OF_AVERAGE:
        return x - average(a, b);
    case PNG_FILTER_OF_PAETH:
        return x - paeth(a, b, c);
    default:
        return x;
    }
}

/* Load up to sixteen bytes from `at` on; bytes behind the row are zero. */
static inline bytes part(const uint8_t *row, size_t at, size_t left)
{
    bytes value = {0};

    memcpy(&value, row + at, left);
    return value;
}

static inline bytes filter_at(enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t at, size_t pixel)
{
    return filtered(filter, load(row + at), load(row + at - pixel), load(above + at), load(above + at - pixel));
}

static inline bytes filter_last(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t at, size_t left, size_t pixel)
{
    return filtered(
        filter, part(row, at, left), part(row - pixel, at, left), part(above, at, left), part(above - pixel, at, left));
}

__attribute__((always_inline)) static inline void filter_by(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel, uint8_t *to)
{
    size_t at = 0;

    for (; at + LANES <= length; at += LANES) {
        bytes made = filter_at(filter, row, above, at, pixel);
        memcpy(to + at, &made, sizeof made);
    }
    if (at < length) {
        bytes made = filter_last(filter, row, above, at, length - at, pixel);
        memcpy(to + at, &made, length - at);
    }
}

void png_filter_row(
    enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel, uint8_t *to)
{
    *to++ = (uint8_t)filter;
    switch (filter) {
    case PNG_FILTER_OF_SUB:
        filter_by(PNG_FILTER_OF_SUB, row, above, length, pixel, to);
        break;
    case PNG_FILTER_OF_UP:
        filter_by(PNG_FILTER_OF_UP, row, above, length, pixel, to);
        break;
    case PNG_FILTER_OF_AVERAGE:
        filter_by(PNG_FILTER_OF_AVERAGE, row, above, length, pixel, to);
        break;
    case PNG_FILTER_OF_PAETH:
        filter_by(PNG_FILTER_OF_PAETH, row, above, length, pixel, to);
        break;
    default:
        memcpy(to, row, length);
    }
}

/* Return the absolute values, 0–128, of differences as signed bytes, summed in pairs. */
static inline words magnitudes(bytes difference)
{
    words pairs = (words)smaller(difference, -difference);
    return (pairs & 0xFF) + (pairs >> 8);
}

static inline uint64_t sum_of(words lanes)
{
    uint64_t sum = 0;

    for (int i = 0; i < LANES / 2; i++)
        sum += lanes[i];
    return sum;
}

/* Add up the absolute differences of each filter, for sixteen bytes. */
static inline void measure(bytes x, bytes a, bytes b, bytes c, words sum[5])
{
    sum[0] += magnitudes(x);
    sum[1] += magnitudes(x - a);
    sum[2] += magnitudes(x - b);
    sum[3] += magnitudes(x - average(a, b));
    sum[4] += magnitudes(x - paeth(a, b, c));
}

enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel)
{
    uint64_t total[5] = {0};
    size_t at = 0;

    while (at + LANES <= length) {
        words sum[5] = {{0}};
        for (int step = 0; step < FLUSH && at + LANES <= length; step++, at += LANES)
            measure(load(row + at), load(row + at - pixel), load(above + at), load(above + at - pixel), sum);
        for (int i = 0; i < 5; i++)
            total[i] += sum_of(sum[i]);
    }
    if (at < length) {
        words sum[5] = {{0}};
        size_t left = length - at;
        measure(part(row, at, left), part(row - pixel, at, left), part(above, at, left), part(above - pixel, at, left),
            sum);
        for (int i = 0; i < 5; i++)
            total[i] += sum_of(sum[i]);
    }
    int best = 0;
    for (int i = 1; i < 5; i++)
        if (total[i] < total[best])
            best = i;
    return (enum png_filter)best;
}
