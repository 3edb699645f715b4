/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts RGB to full-range Y, Cb and Cr, for containers without RGB, and back for pictures. */
#include "video/colours.h"

#include <string.h>

#include "files/files.h"

enum { FRACTION = 16, HALF = 1 << (FRACTION - 1) };

static uint32_t sample_at(const uint8_t *samples, size_t index)
{
    return ((const uint16_t *)(const void *)samples)[index];
}

static void set_sample(uint8_t *samples, size_t index, int64_t value)
{
    ((uint16_t *)(void *)samples)[index] = (uint16_t)value;
}

/*
 * Holds the weights of red and blue in luma (Rec. ITU-T H.273), in units of 1/10000, and the weights of red, green and
 * blue in Y, Cb and Cr that follow from them, in units of 2^-16. They are rounded so that the rows have exact sums.
 */
struct weights {
    uint8_t matrix[4]; /* the numbers of H.273, padded with 0, which thus counts as BT.601 */
    int64_t red, blue;
    int64_t row[3][3];
};

static const struct weights *weights_of(uint8_t matrix)
{
    static const struct weights known[] = {
        {{MATRIX_UNKNOWN, MATRIX_BT601, MATRIX_BT601_525}, 2990, 1140,
            {{19595, 38470, 7471}, {-11059, -21709, 32768}, {32768, -27439, -5329}}},
        {{MATRIX_BT709}, 2126, 722, {{13933, 46871, 4732}, {-7509, -25259, 32768}, {32768, -29763, -3005}}},
        {{MATRIX_BT2020}, 2627, 593, {{17216, 44434, 3886}, {-9151, -23617, 32768}, {32768, -30133, -2635}}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memchr(known[i].matrix, matrix, sizeof known[i].matrix) != NULL)
            return &known[i];
    return NULL;
}

bool matrix_is_known(uint8_t matrix)
{
    return weights_of(matrix) != NULL;
}

/* Convert a pixel. Chroma is rounded with one unit less than a half, so that it does not exceed the depth. */
static void convert_pixel(const struct weights *by, const int64_t rgb[3], int64_t middle, int64_t ycc[3])
{
    const int64_t offset[3] = {HALF, middle * (1 << FRACTION) + HALF - 1, middle * (1 << FRACTION) + HALF - 1};

    for (size_t c = 0; c < 3; c++)
        ycc[c] = (by->row[c][0] * rgb[0] + by->row[c][1] * rgb[1] + by->row[c][2] * rgb[2] + offset[c]) >> FRACTION;
}

/* Convert a row of samples of two bytes. */
static void convert_words(
    const struct weights *by, const uint8_t *from, uint32_t width, uint32_t depth, uint8_t *const row[3])
{
    for (uint32_t x = 0; x < width; x++) {
        int64_t rgb[3], ycc[3];
        for (size_t c = 0; c < 3; c++)
            rgb[c] = sample_at(from, 3 * (size_t)x + c);
        convert_pixel(by, rgb, (int64_t)1 << (depth - 1), ycc);
        for (size_t c = 0; c < 3; c++)
            set_sample(row[c], x, ycc[c]);
    }
}

/* Do it with samples of one byte, whose sums have less than 25 bits. */
static void convert_bytes(const struct weights *by, const uint8_t *from, uint32_t width, uint8_t *const row[3])
{
    const int32_t offset = (128 << FRACTION) + HALF - 1;
    int32_t weight[9];

    for (size_t i = 0; i < 9; i++)
        weight[i] = (int32_t)by->row[i / 3][i % 3];

    for (uint32_t x = 0; x < width; x++, from += 3) {
        const int32_t r = from[0], g = from[1], b = from[2];
        row[0][x] = (uint8_t)((weight[0] * r + weight[1] * g + weight[2] * b + HALF) >> FRACTION);
        row[1][x] = (uint8_t)((weight[3] * r + weight[4] * g + weight[5] * b + offset) >> FRACTION);
        row[2][x] = (uint8_t)((weight[6] * r + weight[7] * g + weight[8] * b + offset) >> FRACTION);
    }
}

void rgb_to_planes(const kst_image *rgb, uint8_t matrix, const kst_image *planes)
{
    const struct weights *by = weights_of(matrix);
    const kst_plane *from = &rgb->plane[0];
    const uint32_t depth = from->depth == 0 ? 8 : from->depth;

    for (uint32_t y = 0; y < rgb->height; y++) {
        const uint8_t *pixels = (const uint8_t *)from->data + (ptrdiff_t)y * from->pitch;
        uint8_t *row[3];
        for (size_t c = 0; c < 3; c++)
            row[c] = (uint8_t *)planes->plane[c].data + (ptrdiff_t)y * planes->plane[c].pitch;
        if (depth == 8)
            convert_bytes(by, pixels, rgb->width, row);
        else
            convert_words(by, pixels, rgb->width, depth, row);
    }
}

bool frame_to_planes(const struct video_shape *shape, uint8_t matrix, const struct video_frame *from,
    struct video_frame *to, struct problem *problem)
{
    const struct video_shape parted = {shape->width, shape->height, 3, shape->depth, 1, 1, false};
    kst_image rgb, planes;

    to->length = 0;
    to->offset = from->offset;
    if (!frame_reserve(to, from->length, problem))
        return false;
    to->length = from->length;
    shape_image(shape, from->bytes, &rgb);
    shape_image(&parted, to->bytes, &planes);
    rgb_to_planes(&rgb, matrix, &planes);
    return true;
}

/* Holds factors in units of 2^-16, and the value of black, for samples of one depth and range. */
struct inverse {
    int64_t luma, red, green_blue, green_red, blue;
    int64_t black, middle, most;
};

/* Return a fraction times most / steps, in units of 2^-16. Its denominator is at most 10^8. */
static int64_t factor(int64_t over, int64_t under, int64_t most, int64_t steps)
{
    int64_t divisor = under * steps;
    return (((over * most) << FRACTION) + divisor / 2) / divisor;
}

/* Return the inverse of a conversion. In limited range luma has 219 steps of 256, and chroma 224. */
static struct inverse inverse_of(const struct weights *by, uint32_t depth, bool limited)
{
    enum { ONE = 10000 };
    int64_t most = ((int64_t)1 << depth) - 1, unit = (int64_t)1 << (depth - 8);
    int64_t luma = limited ? 219 * unit : most, chroma = limited ? 224 * unit : most;
    int64_t red = by->red, blue = by->blue, green = ONE - red - blue;

    return (struct inverse){factor(1, 1, most, luma), factor(2 * (ONE - red), ONE, most, chroma),
        factor(2 * blue * (ONE - blue), ONE * green, most, chroma),
        factor(2 * red * (ONE - red), ONE * green, most, chroma), factor(2 * (ONE - blue), ONE, most, chroma),
        limited ? 16 * unit : 0, (int64_t)1 << (depth - 1), most};
}

static int64_t rounded(int64_t value, int64_t most)
{
    value = (value + HALF) >> FRACTION;
    return value < 0 ? 0 : value > most ? most : value;
}

static void restore_pixel(const struct inverse *by, const int64_t ycc[3], int64_t rgb[3])
{
    int64_t y = by->luma * (ycc[0] - by->black), cb = ycc[1] - by->middle, cr = ycc[2] - by->middle;

    rgb[0] = rounded(y + by->red * cr, by->most);
    rgb[1] = rounded(y - by->green_blue * cb - by->green_red * cr, by->most);
    rgb[2] = rounded(y + by->blue * cb, by->most);
}

/* Make a plane as large as the picture, where it is not; it is then the image's own. */
static kst_status enlarge(kst_context *context, kst_image *whole, uint32_t index, kst_image *large)
{
    kst_resize_options options;
    kst_image small;

    plane_image(whole, index, &small);
    kst_image_init(large);
    if (small.width == whole->width && small.height == whole->height)
        return KST_OK;
    kst_resize_options_init(&options);
    options.width = whole->width;
    options.height = whole->height;
    options.filter = KST_RESIZE_BILINEAR;
    kst_status status = kst_resize(context, &small, &options, large);
    if (!status)
        whole->plane[index] = large->plane[0];
    return status;
}

/* Do it with samples of two bytes. */
static void restore_words(const uint8_t *const row[3], uint32_t width, const struct inverse *by, uint8_t *to)
{
    size_t at = 0;

    for (uint32_t x = 0; x < width; x++) {
        int64_t ycc[3], rgb[3];
        for (size_t c = 0; c < 3; c++)
            ycc[c] = sample_at(row[c], x);
        restore_pixel(by, ycc, rgb);
        for (size_t c = 0; c < 3; c++)
            set_sample(to, at++, rgb[c]);
    }
}

static uint8_t rounded_byte(int32_t value)
{
    value >>= FRACTION;
    return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value);
}

/* Do it with samples of one byte, whose sums have less than 31 bits. */
static void restore_bytes(const uint8_t *const row[3], uint32_t width, const struct inverse *by, uint8_t *to)
{
    const int32_t luma = (int32_t)by->luma, red = (int32_t)by->red, blue = (int32_t)by->blue;
    const int32_t green_blue = (int32_t)by->green_blue, green_red = (int32_t)by->green_red;
    const int32_t black = (int32_t)by->black, middle = (int32_t)by->middle;

    for (uint32_t x = 0; x < width; x++) {
        int32_t y = luma * (row[0][x] - black) + HALF, cb = row[1][x] - middle, cr = row[2][x] - middle;
        to[3 * (size_t)x] = rounded_byte(y + red * cr);
        to[3 * (size_t)x + 1] = rounded_byte(y - green_blue * cb - green_red * cr);
        to[3 * (size_t)x + 2] = rounded_byte(y + blue * cb);
    }
}

static void restore_rows(const kst_image *planes, const struct inverse *by, const kst_plane *to)
{
    const uint32_t depth = to->depth == 0 ? 8 : to->depth;

    for (uint32_t y = 0; y < planes->height; y++) {
        uint8_t *pixels = (uint8_t *)to->data + (ptrdiff_t)y * to->pitch;
        const uint8_t *row[3];
        for (size_t c = 0; c < 3; c++)
            row[c] = (const uint8_t *)planes->plane[c].data + (ptrdiff_t)y * planes->plane[c].pitch;
        if (depth == 8)
            restore_bytes(row, planes->width, by, pixels);
        else
            restore_words(row, planes->width, by, pixels);
    }
}

kst_status planes_to_rgb(
    kst_context *context, const kst_image *planes, uint8_t matrix, enum video_range range, const kst_image *rgb)
{
    const uint32_t depth = rgb->plane[0].depth == 0 ? 8 : rgb->plane[0].depth;
    const struct inverse by = inverse_of(weights_of(matrix), depth, range != RANGE_FULL);
    kst_image whole = *planes, large[2];

    kst_image_init(&large[1]);
    kst_status status = enlarge(context, &whole, 1, &large[0]);
    if (!status)
        status = enlarge(context, &whole, 2, &large[1]);
    if (!status)
        restore_rows(&whole, &by, &rgb->plane[0]);
    kst_image_release(context, &large[0]);
    kst_image_release(context, &large[1]);
    return status;
}
