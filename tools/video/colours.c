/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts RGB to full-range Y, Cb and Cr (T.871), for containers without RGB, and back for pictures. */
#include "video/colours.h"

#include <stdlib.h>

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
 * Convert a pixel with the weights of BT.601, in units of 2^-16. Chroma is rounded with one unit less than a half, so
 * that it does not exceed the depth.
 */
static void convert_pixel(const int64_t rgb[3], int64_t middle, int64_t ycc[3])
{
    int64_t offset = middle * (1 << FRACTION) + HALF - 1;

    ycc[0] = (19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + HALF) >> FRACTION;
    ycc[1] = (-11059 * rgb[0] - 21709 * rgb[1] + 32768 * rgb[2] + offset) >> FRACTION;
    ycc[2] = (32768 * rgb[0] - 27439 * rgb[1] - 5329 * rgb[2] + offset) >> FRACTION;
}

/* Convert a row of samples of two bytes. */
static void convert_words(const uint8_t *from, uint32_t width, uint32_t depth, uint8_t *const row[3])
{
    for (uint32_t x = 0; x < width; x++) {
        int64_t rgb[3], ycc[3];
        for (size_t c = 0; c < 3; c++)
            rgb[c] = sample_at(from, 3 * (size_t)x + c);
        convert_pixel(rgb, (int64_t)1 << (depth - 1), ycc);
        for (size_t c = 0; c < 3; c++)
            set_sample(row[c], x, ycc[c]);
    }
}

/* Do it with samples of one byte, whose sums have less than 25 bits. */
static void convert_bytes(const uint8_t *from, uint32_t width, uint8_t *const row[3])
{
    const int32_t offset = (128 << FRACTION) + HALF - 1;

    for (uint32_t x = 0; x < width; x++, from += 3) {
        const int32_t r = from[0], g = from[1], b = from[2];
        row[0][x] = (uint8_t)((19595 * r + 38470 * g + 7471 * b + HALF) >> FRACTION);
        row[1][x] = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + offset) >> FRACTION);
        row[2][x] = (uint8_t)((32768 * r - 27439 * g - 5329 * b + offset) >> FRACTION);
    }
}

void rgb_to_planes(const kst_image *rgb, const kst_image *planes)
{
    const kst_plane *from = &rgb->plane[0];
    const uint32_t depth = from->depth == 0 ? 8 : from->depth;

    for (uint32_t y = 0; y < rgb->height; y++) {
        const uint8_t *pixels = (const uint8_t *)from->data + (ptrdiff_t)y * from->pitch;
        uint8_t *row[3];
        for (size_t c = 0; c < 3; c++)
            row[c] = (uint8_t *)planes->plane[c].data + (ptrdiff_t)y * planes->plane[c].pitch;
        if (depth == 8)
            convert_bytes(pixels, rgb->width, row);
        else
            convert_words(pixels, rgb->width, depth, row);
    }
}

bool frame_to_planes(
    const struct video_shape *shape, const struct video_frame *from, struct video_frame *to, struct problem *problem)
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
    rgb_to_planes(&rgb, &planes);
    return true;
}

/* Holds factors in units of 2^-16, and the value of black, for samples of one depth and range. */
struct inverse {
    int64_t luma, red, green_blue, green_red, blue;
    int64_t black, middle, most;
};

/* Return the inverse of BT.601's conversion. In limited range luma has 219 steps of 256, and chroma 224. */
static struct inverse inverse_of(uint32_t depth, bool limited)
{
    int64_t most = ((int64_t)1 << depth) - 1, unit = (int64_t)1 << (depth - 8);
    double luma = limited ? (double)most / (double)(219 * unit) : 1;
    double chroma = limited ? (double)most / (double)(224 * unit) : 1;
    double one = 1 << FRACTION;

    return (struct inverse){(int64_t)(one * luma + 0.5), (int64_t)(one * chroma * 1.402 + 0.5),
        (int64_t)(one * chroma * 0.344136 + 0.5), (int64_t)(one * chroma * 0.714136 + 0.5),
        (int64_t)(one * chroma * 1.772 + 0.5), limited ? 16 * unit : 0, (int64_t)1 << (depth - 1), most};
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

kst_status planes_to_rgb(kst_context *context, const kst_image *planes, enum video_range range, const kst_image *rgb)
{
    const uint32_t depth = rgb->plane[0].depth == 0 ? 8 : rgb->plane[0].depth;
    const struct inverse by = inverse_of(depth, range != RANGE_FULL);
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
