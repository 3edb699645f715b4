/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps images by an affine transform or a homography. Places in the source are rounded to 1/256 of a pixel, and weights
 * are integers, so that the samples are the same on every device.
 */
#include "filters/cpu/warp.h"

#include <stdio.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/real.h"
#include "image/sample.h"

enum { COEFFICIENTS = 8, SIZE = COEFFICIENTS, WEIGHTS, OUTSIDE };
enum { SIDE_MAX = 65536, WEIGHT_BITS = 12, FAR = 1 << 28 /* 256ths; places are clamped to this */ };
enum { SOURCE_MAX = FAR >> FILTER_WARP_FRACTION };

void kst_filter_warp_settle(const struct filter_value *value, struct filter_warp *warp)
{
    for (int i = 0; i < COEFFICIENTS; i++)
        warp->coefficient[i] = kst_filter_scale(value[i].real, (int64_t)1 << FILTER_WARP_BITS);
    warp->coefficient[COEFFICIENTS] = (int64_t)1 << FILTER_WARP_BITS;
    warp->projective = value[6].real != 0 || value[7].real != 0;
    warp->cubic = value[WEIGHTS].number == 1;
    warp->edge = value[OUTSIDE].number == 1;
}

static kst_status warp_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    const struct filter_value *size = &value[SIZE];
    if (shape->width > SOURCE_MAX || shape->height > SOURCE_MAX) {
        snprintf(reason, FILTER_REASON, "warp takes sides of up to %d pixels, not %ux%u; crop before it leaves fewer",
            SOURCE_MAX, shape->width, shape->height);
        return KST_ERROR_IMAGE_SIZE;
    }
    if (size->number > 0)
        shape->width = (uint32_t)size->number;
    if (size->height > 0)
        shape->height = (uint32_t)size->height;
    if (shape->width <= SIDE_MAX && shape->height <= SIDE_MAX)
        return KST_OK;
    snprintf(
        reason, FILTER_REASON, "warp makes sides of up to %d pixels, not %ux%u", SIDE_MAX, shape->width, shape->height);
    return KST_ERROR_IMAGE_SIZE;
}

/* Divide, rounding to nearest and halves up; the divisor is positive, and a power of two unless it is `projective`. */
static inline int64_t divide(int64_t number, int64_t divisor, bool projective)
{
    int64_t sum = number + divisor / 2;
    if (!projective)
        return sum >> FILTER_WARP_BITS;
    return sum / divisor - (sum % divisor < 0);
}

/* Describes a place in the source: whole pixels, and 256ths. */
struct filter_origin {
    int32_t x, y;
    uint32_t right, down;
};

static int32_t hold(int64_t place)
{
    return (int32_t)(place < -FAR ? -FAR : place > FAR ? FAR : place);
}

/*
 * Find the place in the source that a pixel comes from. Returns false where the plane of the source is not in front of
 * the viewer.
 */
static inline bool find_place(const struct filter_warp *warp, uint32_t x, uint32_t y, struct filter_origin *place)
{
    const int64_t *k = warp->coefficient;
    int64_t across = k[0] * x + k[1] * y + k[2], down = k[3] * x + k[4] * y + k[5];
    int64_t under = k[6] * x + k[7] * y + k[8];
    if (under < FILTER_WARP_LEAST)
        return false;
    int32_t column = hold(divide(across * (1 << FILTER_WARP_FRACTION), under, warp->projective));
    int32_t row = hold(divide(down * (1 << FILTER_WARP_FRACTION), under, warp->projective));
    place->right = (uint32_t)column & 255;
    place->down = (uint32_t)row & 255;
    place->x = (column - (int32_t)place->right) / 256;
    place->y = (row - (int32_t)place->down) / 256;
    return true;
}

static int32_t held_in(int32_t index, uint32_t count)
{
    return index < 0 ? 0 : index >= (int32_t)count ? (int32_t)count - 1 : index;
}

/* Return a sample of a pixel, which may lie outside the source. */
static int32_t sample_at(
    const struct filter_pixels *from, const struct filter_warp *warp, int32_t x, int32_t y, uint32_t channel)
{
    int32_t column = held_in(x, from->width), row = held_in(y, from->height);
    if (!warp->edge && (column != x || row != y))
        return 0;
    uint32_t sample =
        sample_get(kst_filter_row(from, (uint32_t)row), (size_t)column * from->channels + channel, from->bytes);
    return (int32_t)(sample < from->greatest ? sample : from->greatest);
}

static uint32_t mix_linear(const struct filter_pixels *from, const struct filter_warp *warp,
    const struct filter_origin *place, uint32_t channel)
{
    uint32_t sum = 1u << 15;
    for (int32_t j = 0; j < 2; j++)
        for (int32_t i = 0; i < 2; i++) {
            uint32_t weight = (i ? place->right : 256 - place->right) * (j ? place->down : 256 - place->down);
            sum += weight * (uint32_t)sample_at(from, warp, place->x + i, place->y + j, channel);
        }
    return sum >> 16;
}

/*
 * Compute Keys' cubic weights with a = −1/2 of the pixels −1, 0, 1 and 2, at `part` 256ths behind pixel 0: multiples of
 * 2^−12 that add up to 1.
 */
static void cubic_weights(int32_t part, int32_t weight[4])
{
    const int32_t one = 256, half = 1 << 12;
    weight[0] = (-part * part * part + 2 * one * part * part - one * one * part + half) >> 13;
    weight[2] = (-3 * part * part * part + 4 * one * part * part + one * one * part + half) >> 13;
    weight[3] = (part * part * part - one * part * part + half) >> 13;
    weight[1] = (1 << WEIGHT_BITS) - weight[0] - weight[2] - weight[3];
}

static uint32_t mix_cubic(const struct filter_pixels *from, const struct filter_warp *warp,
    const struct filter_origin *place, uint32_t channel)
{
    int32_t across[4], down[4];
    int64_t sum = (int64_t)1 << (2 * WEIGHT_BITS - 1);
    cubic_weights((int32_t)place->right, across);
    cubic_weights((int32_t)place->down, down);
    for (int32_t j = 0; j < 4; j++) {
        int32_t row = 0;
        for (int32_t i = 0; i < 4; i++)
            row += across[i] * sample_at(from, warp, place->x + i - 1, place->y + j - 1, channel);
        sum += (int64_t)down[j] * row;
    }
    if (sum < 0)
        return 0;
    sum >>= 2 * WEIGHT_BITS;
    return sum < from->greatest ? (uint32_t)sum : from->greatest;
}

/* Return whether all pixels that are mixed lie in the source. */
static bool is_inside(const struct filter_pixels *from, const struct filter_origin *place, bool cubic)
{
    int64_t before = cubic ? 1 : 0, behind = cubic ? 2 : 1;
    return place->x >= before && place->y >= before && place->x + behind < from->width &&
           place->y + behind < from->height;
}

static inline uint32_t load(const uint8_t *row, size_t index, uint32_t bytes, uint32_t greatest)
{
    uint32_t sample = sample_get(row, index, bytes);
    return sample < greatest ? sample : greatest;
}

/* Mix all channels of four pixels inside the source. Callers pass a constant for `bytes`. */
static inline void mix_linear_inside(
    const struct filter_pixels *from, const struct filter_origin *place, uint8_t *to, const uint32_t bytes)
{
    const uint32_t right = place->right, down = place->down, channels = from->channels, greatest = from->greatest;
    const uint32_t weight[] = {(256 - right) * (256 - down), right * (256 - down), (256 - right) * down, right * down};
    const uint8_t *upper = kst_filter_row(from, (uint32_t)place->y) + (size_t)place->x * channels * bytes;
    const uint8_t *lower = upper + from->pitch;
    for (uint32_t c = 0; c < channels; c++) {
        uint32_t sum = (1u << 15) + weight[0] * load(upper, c, bytes, greatest) +
                       weight[1] * load(upper, c + channels, bytes, greatest) +
                       weight[2] * load(lower, c, bytes, greatest) +
                       weight[3] * load(lower, c + channels, bytes, greatest);
        sample_put(to, c, bytes, sum >> 16);
    }
}

static inline void mix_cubic_inside(
    const struct filter_pixels *from, const struct filter_origin *place, uint8_t *to, const uint32_t bytes)
{
    int32_t across[4], down[4];
    const uint32_t channels = from->channels, greatest = from->greatest;
    const uint8_t *first = kst_filter_row(from, (uint32_t)place->y - 1) + ((size_t)place->x - 1) * channels * bytes;
    cubic_weights((int32_t)place->right, across);
    cubic_weights((int32_t)place->down, down);
    for (uint32_t c = 0; c < channels; c++) {
        int64_t sum = (int64_t)1 << (2 * WEIGHT_BITS - 1);
        for (int j = 0; j < 4; j++) {
            const uint8_t *row = first + j * from->pitch;
            int32_t mixed = 0;
            for (uint32_t i = 0; i < 4; i++)
                mixed += across[i] * (int32_t)load(row, c + (size_t)i * channels, bytes, greatest);
            sum += (int64_t)down[j] * mixed;
        }
        sum = sum < 0 ? 0 : sum >> 2 * WEIGHT_BITS;
        sample_put(to, c, bytes, sum < greatest ? (uint32_t)sum : greatest);
    }
}

static void mix_inside(
    const struct filter_pixels *from, const struct filter_warp *warp, const struct filter_origin *place, uint8_t *to)
{
    if (warp->cubic && from->bytes == 1)
        mix_cubic_inside(from, place, to, 1);
    else if (warp->cubic)
        mix_cubic_inside(from, place, to, 2);
    else if (from->bytes == 1)
        mix_linear_inside(from, place, to, 1);
    else
        mix_linear_inside(from, place, to, 2);
}

/* Mix pixels of which some lie outside the source, or write zeros if the source is not seen (`there` is false). */
static void mix_outside(const struct filter_pixels *from, const struct filter_warp *warp,
    const struct filter_origin *place, bool there, uint8_t *to)
{
    for (uint32_t c = 0; c < from->channels; c++) {
        uint32_t sample = !there ? 0 : warp->cubic ? mix_cubic(from, warp, place, c) : mix_linear(from, warp, place, c);
        sample_put(to, c, from->bytes, sample);
    }
}

static kst_status warp_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_warp *warp = arg;
    const struct filter_pixels *from = work->from, *to = work->to;
    struct filter_origin place = {0, 0, 0, 0};
    for (uint32_t y = first; y < end; y++) {
        uint8_t *target = kst_filter_row(to, y);
        for (uint32_t x = 0; x < to->width; x++, target += (size_t)to->channels * to->bytes) {
            bool there = find_place(warp, x, y, &place);
            if (there && is_inside(from, &place, warp->cubic))
                mix_inside(from, warp, &place, target);
            else
                mix_outside(from, warp, &place, there, target);
        }
    }
    return KST_OK;
}

static kst_status warp_run(const struct filter_work *work)
{
    struct filter_warp warp;
    kst_filter_warp_settle(work->value, &warp);
    return kst_filter_bands(work, work->to->height, warp_band, &warp);
}

#define FACTOR(name, what, needed, usual)                                                                              \
    {                                                                                                                  \
        name, what, KST_FILTER_REAL, needed, -64, 64, usual, NULL                                                      \
    }
#define OFFSET(name, what)                                                                                             \
    {                                                                                                                  \
        name, what, KST_FILTER_REAL, true, -4194304, 4194304, 0, NULL                                                  \
    }

const struct filter_kind kst_filter_warp = {"warp",
    "the pixel at (x, y) is that at ((ax + by + c) / (gx + hy + 1), (dx + ey + f) / (gx + hy + 1))",
    {FACTOR("a", "of x, across", true, 1), FACTOR("b", "of y, across", true, 0), OFFSET("c", "across, in pixels"),
        FACTOR("d", "of x, down", true, 0), FACTOR("e", "of y, down", true, 1), OFFSET("f", "down, in pixels"),
        FACTOR("g", "of x, in the denominator; 0: affine", false, 0),
        FACTOR("h", "of y, in the denominator; 0: affine", false, 0),
        {"size", "of the result; a side that is missing is the source's", KST_FILTER_SIZE, false, 1, SIDE_MAX, 0, NULL},
        {"weights", "how pixels are weighed", KST_FILTER_WORD, false, 0, 0, 0, "bilinear|bicubic"},
        {"outside", "what lies there: samples of 0, alpha too, or the nearest pixel", KST_FILTER_WORD, false, 0, 0, 0,
            "black|edge"}},
    NULL, warp_shape, warp_run};
