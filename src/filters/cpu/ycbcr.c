/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts between RGB and Y, Cb and Cr by sums of integers, in units of 2^−16. Each sum is rounded to nearest. In full
 * range the greatest sum of chroma would be rounded to one more than the greatest sample, so a unit is subtracted
 * there.
 */
#include "filters/cpu/ycbcr.h"

#include <string.h>

#include "filters/bands.h"
#include "image/sample.h"

enum {
    Y,
    CB,
    CR,
    PLANES,
    FRACTION = 16,
    HALF = 1 << (FRACTION - 1),
    ONE = 10000,
    LUMA_STEPS = 219,
    CHROMA_STEPS = 224
};

/* Holds the weights of red and blue in luma (Rec. ITU-T H.273), in units of 1/10000. */
struct weights {
    uint8_t matrix[4]; /* the numbers of H.273, padded with 0, which thus counts as BT.601 */
    int32_t red, blue;
};

static const struct weights *weights_of(uint8_t matrix)
{
    static const struct weights known[] = {
        {{2, 5, 6}, 2990, 1140},
        {{1, 1, 1, 1}, 2126, 722},
        {{9, 9, 9, 9}, 2627, 593},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t k = 0; k < sizeof known[i].matrix; k++)
            if (known[i].matrix[k] == matrix)
                return &known[i];
    return NULL;
}

/* Describes the samples of a depth and range. */
struct range {
    int64_t greatest, luma, chroma; /* the greatest sample, and the steps of planes between their extremes */
    int64_t black, middle;
};

static struct range range_of(const kst_ycbcr_options *options, uint32_t depth)
{
    const int64_t greatest = ((int64_t)1 << depth) - 1;
    if (!options->limited)
        return (struct range){greatest, greatest, greatest, 0, (int64_t)1 << (depth - 1)};
    const int64_t unit = (int64_t)1 << (depth - 8);
    return (struct range){greatest, LUMA_STEPS * unit, CHROMA_STEPS * unit, 16 * unit, (int64_t)1 << (depth - 1)};
}

/* Return over / under × to / from in units of 2^−16, rounded. */
static int32_t scaled(int64_t over, int64_t under, int64_t to, int64_t from)
{
    const int64_t divisor = under * from;
    return (int32_t)(((over * to << FRACTION) + divisor / 2) / divisor);
}

bool kst_filter_ycbcr_from_rgb(const kst_ycbcr_options *options, uint32_t depth, struct filter_matrix *matrix)
{
    const struct weights *by = weights_of(options->matrix);
    const struct range range = range_of(options, depth);
    int32_t(*weight)[3] = matrix->weight;
    if (!by)
        return false;
    weight[Y][0] = scaled(by->red, ONE, range.luma, range.greatest);
    weight[Y][2] = scaled(by->blue, ONE, range.luma, range.greatest);
    weight[CB][0] = -scaled(by->red, 2 * (ONE - by->blue), range.chroma, range.greatest);
    weight[CB][2] = weight[CR][0] = scaled(1, 2, range.chroma, range.greatest);
    weight[CR][2] = -scaled(by->blue, 2 * (ONE - by->red), range.chroma, range.greatest);
    /* Green gets what is left, so that grey has exact sums. */
    weight[Y][1] = scaled(1, 1, range.luma, range.greatest) - weight[Y][0] - weight[Y][2];
    weight[CB][1] = -weight[CB][0] - weight[CB][2];
    weight[CR][1] = -weight[CR][0] - weight[CR][2];
    matrix->added[Y] = range.black << FRACTION;
    matrix->added[CB] = matrix->added[CR] = (range.middle << FRACTION) - !options->limited;
    return true;
}

bool kst_filter_ycbcr_to_rgb(const kst_ycbcr_options *options, uint32_t depth, struct filter_matrix *matrix)
{
    const struct weights *by = weights_of(options->matrix);
    const struct range range = range_of(options, depth);
    if (!by)
        return false;
    const int64_t red = by->red, blue = by->blue, green = ONE - red - blue;
    const int32_t luma = scaled(1, 1, range.greatest, range.luma);
    const int32_t weight[3][PLANES] = {
        {luma, 0, scaled(2 * (ONE - red), ONE, range.greatest, range.chroma)},
        {luma, -scaled(2 * blue * (ONE - blue), ONE * green, range.greatest, range.chroma),
            -scaled(2 * red * (ONE - red), ONE * green, range.greatest, range.chroma)},
        {luma, scaled(2 * (ONE - blue), ONE, range.greatest, range.chroma), 0},
    };
    memcpy(matrix->weight, weight, sizeof weight);
    for (size_t c = 0; c < 3; c++)
        matrix->added[c] = -(weight[c][Y] * range.black + (weight[c][CB] + weight[c][CR]) * range.middle);
    return true;
}

struct pass {
    const struct filter_ycbcr_pixels *pixels;
    const struct filter_matrix *matrix;
};

static uint8_t clipped_byte(int32_t sum)
{
    sum >>= FRACTION;
    return (uint8_t)(sum < 0 ? 0 : sum > UINT8_MAX ? UINT8_MAX : sum);
}

/* Convert a row of bytes, whose sums have less than 31 bits. Red has no part of Cb, and blue none of Cr. */
static void join_bytes(const struct filter_matrix *by, const uint8_t *const row[PLANES], uint32_t width, uint8_t *to)
{
    const int32_t luma = by->weight[0][Y], red = by->weight[0][CR], blue = by->weight[2][CB];
    const int32_t green_cb = by->weight[1][CB], green_cr = by->weight[1][CR];
    const int32_t added[3] = {(int32_t)by->added[0] + HALF, (int32_t)by->added[1] + HALF, (int32_t)by->added[2] + HALF};
    for (uint32_t x = 0; x < width; x++) {
        const int32_t y = luma * row[Y][x], cb = row[CB][x], cr = row[CR][x];
        to[3 * (size_t)x] = clipped_byte(y + red * cr + added[0]);
        to[3 * (size_t)x + 1] = clipped_byte(y + green_cb * cb + green_cr * cr + added[1]);
        to[3 * (size_t)x + 2] = clipped_byte(y + blue * cb + added[2]);
    }
}

static void part_bytes(const struct filter_matrix *by, const uint8_t *from, uint32_t width, uint8_t *const row[PLANES])
{
    int32_t weight[PLANES][3], added[PLANES];
    for (size_t c = 0; c < PLANES; c++) {
        for (size_t k = 0; k < 3; k++)
            weight[c][k] = by->weight[c][k];
        added[c] = (int32_t)by->added[c] + HALF;
    }
    for (uint32_t x = 0; x < width; x++, from += 3) {
        const int32_t r = from[0], g = from[1], b = from[2];
        row[Y][x] = (uint8_t)((weight[Y][0] * r + weight[Y][1] * g + weight[Y][2] * b + added[Y]) >> FRACTION);
        row[CB][x] = (uint8_t)((weight[CB][0] * r + weight[CB][1] * g + weight[CB][2] * b + added[CB]) >> FRACTION);
        row[CR][x] = (uint8_t)((weight[CR][0] * r + weight[CR][1] * g + weight[CR][2] * b + added[CR]) >> FRACTION);
    }
}

static uint32_t weigh(const struct filter_matrix *by, uint32_t c, const uint32_t sample[3], uint32_t greatest)
{
    int64_t sum = by->added[c] + HALF;
    for (uint32_t k = 0; k < 3; k++)
        sum += (int64_t)by->weight[c][k] * sample[k];
    sum = sum < 0 ? 0 : sum >> FRACTION;
    return sum < greatest ? (uint32_t)sum : greatest;
}

static uint32_t held(const uint8_t *samples, size_t index, uint32_t bytes, uint32_t greatest)
{
    const uint32_t sample = sample_get(samples, index, bytes);
    return sample < greatest ? sample : greatest;
}

/* Convert a row of samples of any depth. */
static void join_samples(const struct pass *pass, const uint8_t *const row[PLANES], uint8_t *to)
{
    const struct filter_pixels *rgb = &pass->pixels->rgb;
    for (size_t x = 0; x < rgb->width; x++) {
        uint32_t sample[PLANES];
        for (size_t c = 0; c < PLANES; c++)
            sample[c] = held(row[c], x, rgb->bytes, rgb->greatest);
        for (uint32_t c = 0; c < 3; c++)
            sample_put(to, 3 * x + c, rgb->bytes, weigh(pass->matrix, c, sample, rgb->greatest));
    }
}

static void part_samples(const struct pass *pass, const uint8_t *from, uint8_t *const row[PLANES])
{
    const struct filter_pixels *rgb = &pass->pixels->rgb;
    for (size_t x = 0; x < rgb->width; x++) {
        uint32_t sample[3];
        for (size_t c = 0; c < 3; c++)
            sample[c] = held(from, 3 * x + c, rgb->bytes, rgb->greatest);
        for (uint32_t c = 0; c < PLANES; c++)
            sample_put(row[c], x, rgb->bytes, weigh(pass->matrix, c, sample, rgb->greatest));
    }
}

static kst_status join_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct pass *pass = arg;
    const struct filter_pixels *plane = pass->pixels->plane, *rgb = &pass->pixels->rgb;
    (void)work;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *row[PLANES] = {
            kst_filter_row(&plane[Y], y), kst_filter_row(&plane[CB], y), kst_filter_row(&plane[CR], y)};
        if (rgb->greatest == UINT8_MAX)
            join_bytes(pass->matrix, row, rgb->width, kst_filter_row(rgb, y));
        else
            join_samples(pass, row, kst_filter_row(rgb, y));
    }
    return KST_OK;
}

static kst_status part_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct pass *pass = arg;
    const struct filter_pixels *plane = pass->pixels->plane, *rgb = &pass->pixels->rgb;
    (void)work;
    for (uint32_t y = first; y < end; y++) {
        uint8_t *row[PLANES] = {
            kst_filter_row(&plane[Y], y), kst_filter_row(&plane[CB], y), kst_filter_row(&plane[CR], y)};
        if (rgb->greatest == UINT8_MAX)
            part_bytes(pass->matrix, kst_filter_row(rgb, y), rgb->width, row);
        else
            part_samples(pass, kst_filter_row(rgb, y), row);
    }
    return KST_OK;
}

kst_status kst_filter_ycbcr_join(
    const struct filter_work *work, const struct filter_ycbcr_pixels *pixels, const struct filter_matrix *matrix)
{
    struct pass pass = {pixels, matrix};
    return kst_filter_bands(work, pixels->rgb.height, join_band, &pass);
}

kst_status kst_filter_ycbcr_part(
    const struct filter_work *work, const struct filter_ycbcr_pixels *pixels, const struct filter_matrix *matrix)
{
    struct pass pass = {pixels, matrix};
    return kst_filter_bands(work, pixels->rgb.height, part_band, &pass);
}
