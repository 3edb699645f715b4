/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the loops that hot.h declares, in a form that compilers turn into vector instructions. A file that includes
 * this one defines TIER(name), and is compiled with the flags of its tier.
 */
#include <string.h>

#include "filters/cpu/hot.h"

#include "filters/cpu/hot_stereo_template.h"

enum { CHUNK = 64, WEAK = 1, EDGE = 255 };

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

#ifndef HAS_ACROSS_8
static void TIER(across_8)(
    const uint8_t *line, uint16_t *restrict sums, size_t count, const uint32_t *tap, int radius, int step)
{
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        uint16_t sum[CHUNK] = {0};
        for (int k = 0; k < radius; k++) {
            const uint8_t *left = line + begin + (k - radius) * step, *right = line + begin + (radius - k) * step;
            uint16_t weight = (uint16_t)tap[k];
            for (size_t i = 0; i < CHUNK; i++)
                sum[i] = (uint16_t)(sum[i] + weight * (left[i] + right[i]));
        }
        for (size_t i = 0; i < CHUNK; i++)
            sum[i] = (uint16_t)(sum[i] + (uint16_t)tap[radius] * line[begin + i]);
        memcpy(sums + begin, sum, smaller(CHUNK, count - begin) * sizeof *sums);
    }
}
#endif

static void TIER(across_16)(
    const uint16_t *line, uint32_t *restrict sums, size_t count, const uint32_t *tap, int radius, int step)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t sum = 0;
        for (int k = -radius; k <= radius; k++)
            sum += tap[k + radius] * line[(ptrdiff_t)i + k * step];
        sums[i] = sum;
    }
}

#ifndef HAS_DOWN_8
static inline void down_one(
    const uint16_t *const *row, uint8_t *restrict to, size_t count, const uint32_t *tap, int radius)
{
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        uint32_t sum[CHUNK];
        uint8_t made[CHUNK];
        for (size_t i = 0; i < CHUNK; i++)
            sum[i] = 0x8000 + tap[radius] * row[radius][begin + i];
        for (int k = 0; k < radius; k++) {
            const uint16_t *above = row[k] + begin, *below = row[2 * radius - k] + begin;
            for (size_t i = 0; i < CHUNK; i++)
                sum[i] += tap[k] * ((uint32_t)above[i] + below[i]);
        }
        for (size_t i = 0; i < CHUNK; i++)
            made[i] = (uint8_t)(sum[i] >> 16);
        memcpy(to + begin, made, smaller(CHUNK, count - begin));
    }
}

static void TIER(down_8)(
    const uint16_t *const *row, uint8_t *const to[2], size_t count, const uint32_t *tap, int radius)
{
    for (int i = 0; i < 2; i++)
        if (to[i])
            down_one(row + i, to[i], count, tap, radius);
}
#endif

static void TIER(down_16)(const uint32_t *const *row, uint16_t *to, size_t count, const uint32_t *tap, int radius)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 1u << 31;
        for (int k = 0; k <= 2 * radius; k++)
            sum += (uint64_t)tap[k] * row[k][i];
        to[i] = (uint16_t)(sum >> 32);
    }
}

/*
 * The median of nine samples is the median of three: the least maximum, the median of the medians and the greatest
 * minimum of the three sorted columns.
 */
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define GREATEST(a, b) ((a) > (b) ? (a) : (b))
#define DEFINE_MEDIAN(name, type)                                                                                      \
    static void TIER(name)(const type *const row[3], type *restrict to, size_t count, int step)                        \
    {                                                                                                                  \
        const type *above = row[0], *own = row[1], *below = row[2];                                                    \
        for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++) {                                                             \
            const type a0 = above[i - step], b0 = own[i - step], c0 = below[i - step];                                 \
            const type a1 = above[i], b1 = own[i], c1 = below[i];                                                      \
            const type a2 = above[i + step], b2 = own[i + step], c2 = below[i + step];                                 \
            const type least0 = LEAST(a0, b0), most0 = GREATEST(a0, b0), between0 = LEAST(most0, c0);                  \
            const type least1 = LEAST(a1, b1), most1 = GREATEST(a1, b1), between1 = LEAST(most1, c1);                  \
            const type least2 = LEAST(a2, b2), most2 = GREATEST(a2, b2), between2 = LEAST(most2, c2);                  \
            const type low0 = LEAST(least0, between0), middle0 = GREATEST(least0, between0);                           \
            const type low1 = LEAST(least1, between1), middle1 = GREATEST(least1, between1);                           \
            const type low2 = LEAST(least2, between2), middle2 = GREATEST(least2, between2);                           \
            const type high0 = GREATEST(most0, c0), high1 = GREATEST(most1, c1), high2 = GREATEST(most2, c2);          \
            const type lows = GREATEST(low0, low1), lowest = GREATEST(lows, low2);                                     \
            const type highs = LEAST(high0, high1), highest = LEAST(highs, high2);                                     \
            const type under = LEAST(middle0, middle1), over = GREATEST(middle0, middle1);                             \
            const type rest = LEAST(over, middle2), between = GREATEST(under, rest);                                   \
            const type smaller_two = LEAST(lowest, between), greater_two = GREATEST(lowest, between);                  \
            const type last = LEAST(greater_two, highest);                                                             \
            to[i] = GREATEST(smaller_two, last);                                                                       \
        }                                                                                                              \
    }
DEFINE_MEDIAN(median_8, uint8_t)
DEFINE_MEDIAN(median_16, uint16_t)

/* Rows of Pascal's triangle, and differences of the rows before them. */
static const int16_t TIER(sobel_smooth)[3][7] = {{1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
static const int16_t TIER(sobel_derived)[3][7] = {{-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};

static inline void across_by(
    const uint8_t *line, int16_t *restrict derived, int16_t *restrict smooth, size_t count, const int radius, int step)
{
    for (size_t i = 0; i < count; i++) {
        int d = 0, s = 0;
        for (int k = 0; k <= 2 * radius; k++) {
            int value = line[(ptrdiff_t)i + (k - radius) * step];
            d += TIER(sobel_derived)[radius - 1][k] * value;
            s += TIER(sobel_smooth)[radius - 1][k] * value;
        }
        derived[i] = (int16_t)d;
        smooth[i] = (int16_t)s;
    }
}

static inline int round_sixteenth(int value)
{
    return (value + 7 + ((value >> 4) & 1)) >> 4;
}

static inline void down_by(const int16_t *const *derived, const int16_t *const *smooth, int16_t *restrict dx,
    int16_t *restrict dy, size_t count, const int radius)
{
    for (size_t i = 0; i < count; i++) {
        int x = 0, y = 0;
        for (int k = 0; k <= 2 * radius; k++) {
            x += TIER(sobel_smooth)[radius - 1][k] * derived[k][i];
            y += TIER(sobel_derived)[radius - 1][k] * smooth[k][i];
        }
        dx[i] = (int16_t)(radius == 3 ? round_sixteenth(x) : x);
        dy[i] = (int16_t)(radius == 3 ? round_sixteenth(y) : y);
    }
}

static void TIER(sobel_across)(
    const uint8_t *line, int16_t *restrict derived, int16_t *restrict smooth, size_t count, int radius, int step)
{
    if (radius == 1)
        for (size_t i = 0; i < count; i++) {
            int left = line[(ptrdiff_t)i - step], right = line[i + (size_t)step];
            derived[i] = (int16_t)(right - left);
            smooth[i] = (int16_t)(left + 2 * line[i] + right);
        }
    else if (radius == 2)
        across_by(line, derived, smooth, count, 2, step);
    else
        across_by(line, derived, smooth, count, 3, step);
}

static void TIER(sobel_down)(const int16_t *const *derived, const int16_t *const *smooth, int16_t *restrict dx,
    int16_t *restrict dy, size_t count, int radius)
{
    const int16_t *above = derived[0], *own = derived[1], *below = derived[2];
    if (radius == 1)
        for (size_t i = 0; i < count; i++) {
            dx[i] = (int16_t)(above[i] + 2 * own[i] + below[i]);
            dy[i] = (int16_t)(smooth[2][i] - smooth[0][i]);
        }
    else if (radius == 2)
        down_by(derived, smooth, dx, dy, count, 2);
    else
        down_by(derived, smooth, dx, dy, count, 3);
}

static inline void across_by_16(
    const uint16_t *line, int32_t *restrict derived, int32_t *restrict smooth, size_t count, const int radius, int step)
{
    for (size_t i = 0; i < count; i++) {
        int32_t d = 0, s = 0;
        for (int k = 0; k <= 2 * radius; k++) {
            int32_t value = line[(ptrdiff_t)i + (k - radius) * step];
            d += TIER(sobel_derived)[radius - 1][k] * value;
            s += TIER(sobel_smooth)[radius - 1][k] * value;
        }
        derived[i] = d;
        smooth[i] = s;
    }
}

static void TIER(sobel_across_16)(
    const uint16_t *line, int32_t *derived, int32_t *smooth, size_t count, int radius, int step)
{
    if (radius == 1)
        across_by_16(line, derived, smooth, count, 1, step);
    else
        across_by_16(line, derived, smooth, count, 2, step);
}

static inline void down_by_16(const int32_t *const *derived, const int32_t *const *smooth, int32_t *restrict dx,
    int32_t *restrict dy, size_t count, const int radius)
{
    for (size_t i = 0; i < count; i++) {
        int32_t x = 0, y = 0;
        for (int k = 0; k <= 2 * radius; k++) {
            x += TIER(sobel_smooth)[radius - 1][k] * derived[k][i];
            y += TIER(sobel_derived)[radius - 1][k] * smooth[k][i];
        }
        dx[i] = x;
        dy[i] = y;
    }
}

static void TIER(sobel_down_16)(
    const int32_t *const *derived, const int32_t *const *smooth, int32_t *dx, int32_t *dy, size_t count, int radius)
{
    if (radius == 1)
        down_by_16(derived, smooth, dx, dy, count, 1);
    else
        down_by_16(derived, smooth, dx, dy, count, 2);
}

static void TIER(magnitude)(
    const int16_t *dx, const int16_t *dy, int32_t *restrict magnitude, size_t count, bool squared)
{
    if (squared)
        for (size_t i = 0; i < count; i++)
            magnitude[i] = dx[i] * dx[i] + dy[i] * dy[i];
    else
        for (size_t i = 0; i < count; i++)
            magnitude[i] = (dx[i] < 0 ? -dx[i] : dx[i]) + (dy[i] < 0 ? -dy[i] : dy[i]);
}

static inline int32_t magnitude_of(const struct filter_gradient *all, size_t i, const bool squared)
{
    const int32_t x = all->dx[i], y = all->dy[i];
    return squared ? x * x + y * y : (x < 0 ? -x : x) + (y < 0 ? -y : y);
}

static inline void strongest_by(const struct filter_gradient *restrict all, const struct filter_gradient *restrict to,
    size_t begin, size_t count, const size_t channels, const bool squared)
{
    for (size_t x = begin; x < count; x++) {
        const size_t i = x * channels;
        const int32_t first = magnitude_of(all, i, squared), second = magnitude_of(all, i + 1, squared);
        const int32_t third = magnitude_of(all, i + 2, squared), two = second > first ? second : first;
        const int16_t dx = second > first ? all->dx[i + 1] : all->dx[i];
        const int16_t dy = second > first ? all->dy[i + 1] : all->dy[i];
        to->magnitude[x] = third > two ? third : two;
        to->dx[x] = third > two ? all->dx[i + 2] : dx;
        to->dy[x] = third > two ? all->dy[i + 2] : dy;
    }
}

#ifndef HAS_STRONGEST_OF_THREE
/* Return how many pixels were processed. */
static inline size_t strongest_of_three(
    const struct filter_gradient *all, const struct filter_gradient *to, size_t count, const bool squared)
{
    (void)all, (void)to, (void)count, (void)squared;
    return 0;
}
#endif

static void TIER(strongest)(
    const struct filter_gradient *all, const struct filter_gradient *to, size_t count, size_t channels, bool squared)
{
    if (channels == 3 && squared)
        strongest_by(all, to, strongest_of_three(all, to, count, true), count, 3, true);
    else if (channels == 3)
        strongest_by(all, to, strongest_of_three(all, to, count, false), count, 3, false);
    else if (squared)
        strongest_by(all, to, 0, count, 4, true);
    else
        strongest_by(all, to, 0, count, 4, false);
}

/*
 * Mark the pixels that stay: those whose magnitude is above that of their two neighbours across the edge. These are
 * horizontal neighbours below an angle of 22.5°, whose tangent is 13573 ÷ 2^15, vertical ones above 67.5°, whose
 * tangent is that plus 2, and otherwise diagonal ones. Of two equal magnitudes the left or upper one stays.
 */
static void TIER(thin)(
    const struct filter_gradient *const row[3], uint8_t *restrict to, size_t count, int32_t low, int32_t high)
{
    const int16_t *dx = row[1]->dx, *dy = row[1]->dy;
    const int32_t *up = row[0]->magnitude, *own = row[1]->magnitude, *down = row[2]->magnitude;
    for (size_t i = 0; i < count; i++) {
        const int32_t m = own[i], left = own[(ptrdiff_t)i - 1], right = own[i + 1];
        const int32_t up_left = up[(ptrdiff_t)i - 1], up_right = up[i + 1], above = up[i];
        const int32_t down_left = down[(ptrdiff_t)i - 1], down_right = down[i + 1], below = down[i];
        const int32_t x = dx[i] < 0 ? -dx[i] : dx[i], y = (dy[i] < 0 ? -dy[i] : dy[i]) * (1 << 15);
        const int32_t flat = x * 13573, steep = flat + x * (1 << 16);
        const int32_t falls = (dx[i] ^ dy[i]) < 0;
        const int32_t before = falls ? up_right : up_left, behind = falls ? down_left : down_right;
        const int32_t across = (m > left) & (m >= right), along = (m > above) & (m >= below);
        const int32_t slanted = (m > before) & (m > behind);
        const int32_t stays = y < flat ? across : y > steep ? along : slanted;
        const int32_t mark = m > high ? 255 : 1;
        to[i] = (uint8_t)((stays & (m > low)) ? mark : 0);
    }
}

/*
 * Mark the edges that touch a weak pixel; only these need to be examined. Edges at the ends of the row are always
 * marked.
 */
static void TIER(touching)(const uint8_t *const row[3], uint8_t *restrict to, size_t count)
{
    const uint8_t *above = row[0], *own = row[1], *below = row[2];
    to[0] = own[0] == EDGE;
    to[count - 1] = own[count - 1] == EDGE;
    for (size_t i = 1; i + 1 < count; i++) {
        const uint8_t up = (above[i - 1] == WEAK) | (above[i] == WEAK) | (above[i + 1] == WEAK);
        const uint8_t down = (below[i - 1] == WEAK) | (below[i] == WEAK) | (below[i + 1] == WEAK);
        const uint8_t beside = (own[i - 1] == WEAK) | (own[i + 1] == WEAK);
        to[i] = (own[i] == EDGE) & (up | down | beside);
    }
}

#ifndef HAS_BILATERAL
#define BILATERAL_PAIRS NULL
/* Holds sums over the neighbours of a run of pixels. */
struct weighed {
    int32_t weight[CHUNK], sum[3][CHUNK];
};

static inline void weigh(const struct filter_neighbour *neighbour, const uint8_t *const own[3], size_t begin,
    struct weighed *weighed, size_t count, const uint32_t colours)
{
    uint16_t distance[CHUNK], weight[CHUNK];
    const uint8_t *a = neighbour->sample[0] + begin, *b = own[0] + begin;
    for (size_t i = 0; i < count; i++)
        distance[i] = (uint16_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    for (uint32_t c = 1; c < colours; c++) {
        a = neighbour->sample[c] + begin;
        b = own[c] + begin;
        for (size_t i = 0; i < count; i++)
            distance[i] = (uint16_t)(distance[i] + (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]));
    }
    for (size_t i = 0; i < count; i++)
        weight[i] = neighbour->weight[distance[i]];
    for (size_t i = 0; i < count; i++)
        weighed->weight[i] += weight[i];
    for (uint32_t c = 0; c < colours; c++) {
        a = neighbour->sample[c] + begin;
        for (size_t i = 0; i < count; i++)
            weighed->sum[c][i] += (int16_t)weight[i] * (int16_t)a[i];
    }
}

/* Divide with rounding. The floating-point quotient is off by less than one, which the remainder corrects. */
static inline void divide(const int32_t *sum, const int32_t *weight, uint8_t *restrict to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t whole = sum[i] + (weight[i] >> 1), quotient = (int32_t)((float)whole / (float)weight[i]);
        int32_t rest = whole - quotient * weight[i];
        to[i] = (uint8_t)(quotient - (rest < 0) + (rest >= weight[i]));
    }
}

static inline void bilateral_by(const struct filter_neighbour *neighbour, uint32_t neighbours,
    const uint8_t *const own[3], const uint32_t colours, uint8_t *const to[3], size_t count)
{
    struct weighed weighed;
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = smaller(CHUNK, count - begin);
        memset(&weighed, 0, sizeof weighed);
        for (uint32_t k = 0; k < neighbours; k++)
            weigh(&neighbour[k], own, begin, &weighed, part, colours);
        for (uint32_t c = 0; c < colours; c++)
            divide(weighed.sum[c], weighed.weight, to[c] + begin, part);
    }
}

static void TIER(bilateral)(const struct filter_neighbour *neighbour, uint32_t neighbours, const uint8_t *const own[3],
    uint32_t colours, uint8_t *const to[3], size_t count)
{
    if (colours == 1)
        bilateral_by(neighbour, neighbours, own, 1, to, count);
    else
        bilateral_by(neighbour, neighbours, own, 3, to, count);
}

/* Holds sums over the neighbours of a run of pixels of 16 bits. */
struct weighed_wide {
    uint32_t weight[CHUNK];
    uint64_t sum[3][CHUNK];
};

static inline void weigh_16(const struct filter_wide_row *row, const struct filter_wide_neighbour *neighbour,
    size_t begin, struct weighed_wide *weighed, size_t count, const uint32_t colours)
{
    const uint32_t half = (1u << row->shift) / 2, shift = row->shift, last = row->last;
    uint32_t distance[CHUNK] = {0}, weight[CHUNK];
    for (uint32_t c = 0; c < colours; c++) {
        const uint16_t *a = neighbour->sample[c] + begin, *b = row->own[c] + begin;
        for (size_t i = 0; i < count; i++) {
            uint32_t apart = (uint32_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + half;
            distance[i] += (apart < UINT16_MAX ? apart : UINT16_MAX) >> shift;
        }
    }
    for (size_t i = 0; i < count; i++)
        weight[i] = row->weight[distance[i] < last ? distance[i] : last];
    for (size_t i = 0; i < count; i++) {
        weight[i] = (weight[i] * neighbour->weight + (1u << 14)) >> 15;
        weighed->weight[i] += weight[i];
    }
    for (uint32_t c = 0; c < colours; c++) {
        const uint16_t *a = neighbour->sample[c] + begin;
        for (size_t i = 0; i < count; i++)
            weighed->sum[c][i] += (uint64_t)weight[i] * a[i];
    }
}

static inline void bilateral_by_16(const struct filter_wide_row *row, const uint32_t colours)
{
    struct weighed_wide weighed;
    for (size_t begin = 0; begin < row->width; begin += CHUNK) {
        size_t part = smaller(CHUNK, row->width - begin);
        memset(&weighed, 0, sizeof weighed);
        for (uint32_t k = 0; k < row->neighbours; k++)
            weigh_16(row, &row->neighbour[k], begin, &weighed, part, colours);
        for (uint32_t c = 0; c < colours; c++)
            for (size_t i = 0; i < part; i++)
                row->to[c][begin + i] = (uint16_t)((weighed.sum[c][i] + weighed.weight[i] / 2) / weighed.weight[i]);
    }
}

static void TIER(bilateral_16)(const struct filter_wide_row *row)
{
    if (row->colours == 1)
        bilateral_by_16(row, 1);
    else
        bilateral_by_16(row, 3);
}
#endif

static void TIER(clear_weak)(uint8_t *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row[i] = row[i] == EDGE ? EDGE : 0;
}

static inline void luminance_by(
    const uint8_t *from, uint8_t *restrict to, size_t count, const size_t channels, const uint32_t weight[3])
{
    const uint32_t first = weight[0], second = weight[1], third = weight[2];
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = from + i * channels;
        to[i] = (uint8_t)((pixel[0] * first + pixel[1] * second + pixel[2] * third + (1u << 14)) >> 15);
    }
}

static void TIER(luminance_8)(const uint8_t *from, uint8_t *to, size_t count, size_t channels, const uint32_t weight[3])
{
    if (channels == 3)
        luminance_by(from, to, count, 3, weight);
    else
        luminance_by(from, to, count, 4, weight);
}

enum { OIL_BINS = 256, OIL_ONE = 256, OIL_COLOURS = 3 };

/*
 * Holds the contents of the square around a pixel: for each bin a key, 256 × the number of its pixels + 255 − the bin,
 * whose maximum belongs to the darkest of the most common bins; and the sums of its pixels' colours.
 */
struct oil_square {
    int32_t key[OIL_BINS];
    uint32_t sum[OIL_BINS][OIL_COLOURS];
};

static inline uint32_t oil_sample(const uint8_t *pixel, uint32_t index, const uint32_t bytes)
{
    uint16_t wide;
    if (bytes == 1)
        return pixel[index];
    memcpy(&wide, pixel + index * sizeof wide, sizeof wide);
    return wide;
}

/* Add a column of pixels to the square, or remove it. */
static inline void oil_change(const struct filter_oil_row *row, struct oil_square *square, size_t x, const bool comes,
    const uint32_t colours, const uint32_t bytes)
{
    for (uint32_t k = 0; k < row->rows; k++) {
        const uint8_t *pixel = row->pixels[k] + x * row->channels * bytes;
        uint32_t bin = row->bins[k][x], *sum = square->sum[bin];
        square->key[bin] += comes ? OIL_ONE : -OIL_ONE;
        for (uint32_t c = 0; c < colours; c++)
            sum[c] += comes ? oil_sample(pixel, c, bytes) : 0 - oil_sample(pixel, c, bytes);
    }
}

static inline uint32_t oil_mode(const struct oil_square *square, uint32_t bins)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < (bins + 7) / 8 * 8; i++)
        most = square->key[i] > most ? square->key[i] : most;
    return (uint32_t)most;
}

/* Return the mean: for colours rounded to nearest, ties to even; for grey rounded down. */
static inline uint32_t oil_mean(uint32_t sum, uint32_t count, const uint32_t colours)
{
    uint32_t quotient = sum / count, twice = (sum - quotient * count) * 2;
    return colours == 1 ? quotient : quotient + (twice > count || (twice == count && quotient % 2 == 1));
}

static inline void oil_by(const struct filter_oil_row *row, const uint32_t colours, const uint32_t bytes)
{
    struct oil_square square;
    memset(square.sum, 0, sizeof square.sum);
    for (int32_t i = 0; i < OIL_BINS; i++)
        square.key[i] = OIL_BINS - 1 - i;
    for (size_t x = 0; x < smaller(row->radius, row->width); x++)
        oil_change(row, &square, x, true, colours, bytes);
    for (size_t x = 0; x < row->width; x++) {
        if (x + row->radius < row->width)
            oil_change(row, &square, x + row->radius, true, colours, bytes);
        uint32_t mode = oil_mode(&square, row->bin_count), bin = OIL_BINS - 1 - mode % OIL_ONE;
        uint8_t *to = row->to + x * row->channels * bytes;
        memcpy(to, row->own + x * row->channels * bytes, row->channels * bytes);
        for (uint32_t c = 0; c < colours; c++) {
            uint16_t mean = (uint16_t)oil_mean(square.sum[bin][c], mode / OIL_ONE, colours);
            if (bytes == 1)
                to[c] = (uint8_t)mean;
            else
                memcpy(to + c * sizeof mean, &mean, sizeof mean);
        }
        if (x >= row->radius)
            oil_change(row, &square, x - row->radius, false, colours, bytes);
    }
}

static void TIER(oil)(const struct filter_oil_row *row)
{
    if (row->bytes == 1 && row->colours == 3)
        oil_by(row, 3, 1);
    else if (row->bytes == 1)
        oil_by(row, 1, 1);
    else
        oil_by(row, row->colours, 2);
}

#undef LEAST
#undef GREATEST
#undef DEFINE_MEDIAN

const struct filter_hot TIER(kst_filter_hot) = {TIER(across_8), TIER(across_16), TIER(down_8), TIER(down_16),
    TIER(median_8), TIER(median_16), TIER(sobel_across), TIER(sobel_down), TIER(sobel_across_16), TIER(sobel_down_16),
    TIER(magnitude), TIER(strongest), TIER(thin), TIER(touching), TIER(bilateral), BILATERAL_PAIRS, TIER(bilateral_16),
    TIER(clear_weak), TIER(luminance_8), TIER(oil), TIER(stereo_costs), TIER(stereo_step), TIER(stereo_least),
    TIER(stereo_right)};
