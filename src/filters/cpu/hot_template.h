/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops that hot.h declares, in a form that compilers turn into vector instructions. A file that includes this one
 * defines TIER(name), and is compiled with the flags of its tier.
 */
#include <string.h>

#include "filters/cpu/hot.h"

enum { CHUNK = 64 };

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void TIER(across_8)(const uint8_t *line, uint16_t *sums, size_t count, const uint32_t *tap, int radius, int step)
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

static void TIER(across_16)(
    const uint16_t *line, uint32_t *sums, size_t count, const uint32_t *tap, int radius, int step)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t sum = 0;
        for (int k = -radius; k <= radius; k++)
            sum += tap[k + radius] * line[(ptrdiff_t)i + k * step];
        sums[i] = sum;
    }
}

static void TIER(down_8)(const uint16_t *const *row, uint8_t *to, size_t count, const uint32_t *tap, int radius)
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

static void TIER(down_16)(const uint32_t *const *row, uint16_t *to, size_t count, const uint32_t *tap, int radius)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 1u << 31;
        for (int k = 0; k <= 2 * radius; k++)
            sum += (uint64_t)tap[k] * row[k][i];
        to[i] = (uint16_t)(sum >> 32);
    }
}

/* The median of nine: that of the least maximum, the middle median and the greatest minimum of three columns. */
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define GREATEST(a, b) ((a) > (b) ? (a) : (b))
#define MIDDLE(a, b, c) GREATEST(LEAST(a, b), LEAST(GREATEST(a, b), c))
#define DEFINE_MEDIAN(name, type)                                                                                      \
    static void TIER(name)(const type *const row[3], type *to, size_t count, int step)                                 \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type low[3], middle[3], high[3];                                                                           \
            for (int k = 0; k < 3; k++) {                                                                              \
                ptrdiff_t at = (ptrdiff_t)i + (k - 1) * step;                                                          \
                type a = row[0][at], b = row[1][at], c = row[2][at];                                                   \
                type least = LEAST(a, b), greatest = GREATEST(a, b), between = LEAST(greatest, c);                     \
                high[k] = GREATEST(greatest, c);                                                                       \
                low[k] = LEAST(least, between);                                                                        \
                middle[k] = GREATEST(least, between);                                                                  \
            }                                                                                                          \
            type lowest = GREATEST(GREATEST(low[0], low[1]), low[2]);                                                  \
            type highest = LEAST(LEAST(high[0], high[1]), high[2]);                                                    \
            type between = MIDDLE(middle[0], middle[1], middle[2]);                                                    \
            to[i] = MIDDLE(lowest, between, highest);                                                                  \
        }                                                                                                              \
    }
DEFINE_MEDIAN(median_8, uint8_t)
DEFINE_MEDIAN(median_16, uint16_t)

/* Rows of Pascal's triangle, and what derivation makes of those before. */
static const int16_t TIER(sobel_smooth)[3][7] = {{1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
static const int16_t TIER(sobel_derived)[3][7] = {{-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};

static inline void across_by(
    const uint8_t *line, int16_t *derived, int16_t *smooth, size_t count, const int radius, int step)
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

static inline void down_by(const int16_t *const *derived, const int16_t *const *smooth, int16_t *dx, int16_t *dy,
    size_t count, const int radius)
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
    const uint8_t *line, int16_t *derived, int16_t *smooth, size_t count, int radius, int step)
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

static void TIER(sobel_down)(
    const int16_t *const *derived, const int16_t *const *smooth, int16_t *dx, int16_t *dy, size_t count, int radius)
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

static void TIER(magnitude)(const int16_t *dx, const int16_t *dy, int32_t *magnitude, size_t count, bool squared)
{
    if (squared)
        for (size_t i = 0; i < count; i++)
            magnitude[i] = dx[i] * dx[i] + dy[i] * dy[i];
    else
        for (size_t i = 0; i < count; i++)
            magnitude[i] = (dx[i] < 0 ? -dx[i] : dx[i]) + (dy[i] < 0 ? -dy[i] : dy[i]);
}

/*
 * A pixel stays if its magnitude is above that of its two neighbours across the edge. Their direction is horizontal
 * below an angle of 22.5°, whose tangent is 13573 ÷ 2^15, vertical above 67.5°, whose tangent is that plus 2, and
 * otherwise diagonal. Of two equal magnitudes the left or upper one stays.
 */
static void TIER(thin)(const struct filter_gradient *const row[3], uint8_t *to, size_t count, int32_t low, int32_t high)
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

#undef LEAST
#undef GREATEST
#undef MIDDLE
#undef DEFINE_MEDIAN

const struct filter_hot TIER(kst_filter_hot) = {TIER(across_8), TIER(across_16), TIER(down_8), TIER(down_16),
    TIER(median_8), TIER(median_16), TIER(sobel_across), TIER(sobel_down), TIER(magnitude), TIER(thin)};
