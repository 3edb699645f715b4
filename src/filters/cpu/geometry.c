/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves pixels without changing them: crop, rotate, flip; and resize, which libkostka does. */
#include <stdio.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"

enum { BLOCK = 32 };

enum { CROP_SIZE, CROP_LEFT, CROP_TOP };

static bool crop_check(const struct filter_value *value, char reason[FILTER_REASON])
{
    if (value[CROP_SIZE].number > 0 && value[CROP_SIZE].height > 0)
        return true;
    snprintf(reason, FILTER_REASON, "crop needs both sides of its size");
    return false;
}

static kst_status crop_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    const struct filter_value *size = &value[CROP_SIZE];
    uint32_t width = (uint32_t)size->number, height = (uint32_t)size->height;
    int32_t left = value[CROP_LEFT].number, top = value[CROP_TOP].number;
    if (width > shape->width || height > shape->height || (uint32_t)left > shape->width - width ||
        (uint32_t)top > shape->height - height) {
        snprintf(reason, FILTER_REASON, "crop of %ux%u at %d, %d reaches outside the image of %ux%u", width, height,
            left, top, shape->width, shape->height);
        return KST_ERROR_REGION;
    }
    shape->width = width;
    shape->height = height;
    return KST_OK;
}

static kst_status crop_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from, *to = work->to;
    size_t pixel = (size_t)from->channels * from->bytes, left = (size_t)work->value[CROP_LEFT].number * pixel;
    (void)arg;
    for (uint32_t y = first; y < end; y++)
        memcpy(kst_filter_row(to, y), kst_filter_row(from, y + (uint32_t)work->value[CROP_TOP].number) + left,
            to->width * pixel);
    return KST_OK;
}

static kst_status crop_run(const struct filter_work *work)
{
    return kst_filter_bands(work, work->to->height, crop_band, NULL);
}

const struct filter_kind kst_filter_crop = {"crop", "a part of the image",
    {{"size", "of the part, in pixels", KST_FILTER_SIZE, true, 1, INT32_MAX, 0, NULL},
        {"left", "columns before it", KST_FILTER_INTEGER, false, 0, 2000000, 0, NULL},
        {"top", "rows above it", KST_FILTER_INTEGER, false, 0, 2000000, 0, NULL}},
    crop_check, crop_shape, crop_run};

/*
 * Holds the address of the source pixel that becomes pixel (0, 0), and the steps in bytes to those that become the next
 * pixel of the row and of the column.
 */
struct filter_turn {
    const uint8_t *first;
    ptrdiff_t across, down;
};

/* Copy a block of pixels of `size` bytes. Callers pass a constant. */
static inline void turn_block(const struct filter_work *work, const struct filter_turn *turn, uint32_t first,
    uint32_t end, uint32_t left, uint32_t right, const size_t size)
{
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *from = turn->first + (ptrdiff_t)y * turn->down + (ptrdiff_t)left * turn->across;
        uint8_t *to = kst_filter_row(work->to, y) + left * size;
        for (uint32_t x = left; x < right; x++, from += turn->across, to += size)
            memcpy(to, from, size);
    }
}

static void turn_any(const struct filter_work *work, const struct filter_turn *turn, uint32_t first, uint32_t end,
    uint32_t left, uint32_t right)
{
    switch (work->from->channels * work->from->bytes) {
    case 1:
        turn_block(work, turn, first, end, left, right, 1);
        break;
    case 2:
        turn_block(work, turn, first, end, left, right, 2);
        break;
    case 3:
        turn_block(work, turn, first, end, left, right, 3);
        break;
    case 4:
        turn_block(work, turn, first, end, left, right, 4);
        break;
    case 6:
        turn_block(work, turn, first, end, left, right, 6);
        break;
    default:
        turn_block(work, turn, first, end, left, right, 8);
        break;
    }
}

static kst_status turn_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    uint32_t width = work->to->width;
    for (uint32_t top = first; top < end; top += BLOCK)
        for (uint32_t left = 0; left < width; left += BLOCK)
            turn_any(work, arg, top, end - top < BLOCK ? end : top + BLOCK, left,
                width - left < BLOCK ? width : left + BLOCK);
    return KST_OK;
}

enum { ROTATE_90, ROTATE_180, ROTATE_270 };

static kst_status rotate_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    const struct filter_shape before = *shape;
    (void)reason;
    if (value[0].number == ROTATE_180)
        return KST_OK;
    shape->width = before.height;
    shape->height = before.width;
    return KST_OK;
}

static kst_status rotate_run(const struct filter_work *work)
{
    const struct filter_pixels *from = work->from;
    ptrdiff_t pixel = (ptrdiff_t)from->channels * (ptrdiff_t)from->bytes;
    const uint8_t *bottom = kst_filter_row(from, from->height - 1);
    const uint8_t *right = from->data + (ptrdiff_t)(from->width - 1) * pixel;
    struct filter_turn turn = {bottom, -from->pitch, pixel};
    if (work->value[0].number == ROTATE_180)
        turn = (struct filter_turn){bottom + (right - from->data), -pixel, -from->pitch};
    else if (work->value[0].number == ROTATE_270)
        turn = (struct filter_turn){right, from->pitch, -pixel};
    return kst_filter_bands(work, work->to->height, turn_band, &turn);
}

const struct filter_kind kst_filter_rotate = {"rotate", "turn by quarters, clockwise",
    {{"angle", "in degrees", KST_FILTER_WORD, true, 0, 0, 0, "90|180|270"}}, NULL, rotate_shape, rotate_run};

static kst_status flip_run(const struct filter_work *work)
{
    const struct filter_pixels *from = work->from;
    ptrdiff_t pixel = (ptrdiff_t)from->channels * (ptrdiff_t)from->bytes;
    struct filter_turn turn = {from->data + (ptrdiff_t)(from->width - 1) * pixel, -pixel, from->pitch};
    if (work->value[0].number == 1)
        turn = (struct filter_turn){kst_filter_row(from, from->height - 1), pixel, -from->pitch};
    return kst_filter_bands(work, work->to->height, turn_band, &turn);
}

const struct filter_kind kst_filter_flip = {"flip", "exchange left and right, or top and bottom",
    {{"direction", "the one that changes", KST_FILTER_WORD, false, 0, 0, 0, "horizontal|vertical"}}, NULL, NULL,
    flip_run};

enum { RESIZE_SIZE, RESIZE_FIT, RESIZE_FILTER };

static kst_resize_options resize_options(const struct filter_value *value)
{
    static const kst_resize_fit fits[] = {KST_RESIZE_EXACT, KST_RESIZE_INSIDE, KST_RESIZE_COVER};
    static const kst_resize_filter filters[] = {
        KST_RESIZE_BICUBIC, KST_RESIZE_BOX, KST_RESIZE_BILINEAR, KST_RESIZE_HAMMING, KST_RESIZE_LANCZOS};
    kst_resize_options options;
    kst_resize_options_init(&options);
    options.width = (uint32_t)value[RESIZE_SIZE].number;
    options.height = (uint32_t)value[RESIZE_SIZE].height;
    options.fit = fits[value[RESIZE_FIT].number];
    options.filter = filters[value[RESIZE_FILTER].number];
    return options;
}

static kst_status resize_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    const kst_resize_options options = resize_options(value);
    kst_image from, to;
    (void)reason;
    kst_image_init(&from);
    kst_image_init(&to);
    from.format = shape->format;
    from.width = from.plane[0].width = shape->width;
    from.height = from.plane[0].height = shape->height;
    from.plane_count = 1;
    from.plane[0].depth = (uint8_t)shape->depth;
    kst_status status = kst_resize_describe(&from, &options, &to);
    shape->width = to.width;
    shape->height = to.height;
    return status;
}

static kst_status resize_run(const struct filter_work *work)
{
    const kst_resize_options options = resize_options(work->value);
    kst_image to = *work->target;
    return kst_resize(work->context, work->source, &options, &to);
}

const struct filter_kind kst_filter_resize = {"resize", "another size, as kst_resize() makes it",
    {{"size", "in pixels; one side keeps the aspect ratio", KST_FILTER_SIZE, true, 1, INT32_MAX, 0, NULL},
        {"fit", "what becomes of the aspect ratio", KST_FILTER_WORD, false, 0, 0, 0, "exact|inside|cover"},
        {"weights", "how pixels are weighed", KST_FILTER_WORD, false, 0, 0, 0, "bicubic|box|bilinear|hamming|lanczos"}},
    NULL, resize_shape, resize_run};
