/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks and describes images with a plane for each channel, and copies between planes and interleaved pixels. */
#include "filters/planes.h"

#include <stdio.h>

#include "filters/bands.h"
#include "filters/shape.h"
#include "image/validate.h"

enum { ALPHA_PLANES = 4, COLOUR_PLANES = 3 };

bool kst_filter_is_planar(const kst_image *image)
{
    return image->plane_count > 1;
}

/* Return whether the channels of an image are grey, or R, G, B and perhaps alpha. */
static bool has_colours(const kst_image *image)
{
    const bool named = image->colour == KST_COLOUR_RGB;
    if (image->plane_count == 1)
        return true;
    if (image->plane_count != COLOUR_PLANES && image->plane_count != ALPHA_PLANES)
        return false;
    return named || (image->format == KST_FORMAT_PLANAR && image->colour == KST_COLOUR_UNKNOWN);
}

kst_status kst_filter_planes_check(const kst_image *image, char reason[FILTER_REASON])
{
    const kst_plane *first = &image->plane[0];
    if (!has_colours(image)) {
        snprintf(reason, FILTER_REASON, "filters take planes of grey, of RGB, or of RGB and alpha");
        return KST_ERROR_IMAGE_FORMAT;
    }
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        if (plane->width != image->width || plane->height != image->height) {
            snprintf(reason, FILTER_REASON, "filters take planes of the image's size; plane %u has another", i);
            return KST_ERROR_IMAGE_SIZE;
        }
        if (kst_plane_depth(plane) != kst_plane_depth(first) || plane->is_signed != first->is_signed) {
            snprintf(reason, FILTER_REASON, "filters take planes of one depth; plane %u has another", i);
            return KST_ERROR_IMAGE_DEPTH;
        }
    }
    return KST_OK;
}

void kst_filter_planes_describe(kst_image *image)
{
    image->plane_count = kst_format_samples(image->format);
    image->format = KST_FORMAT_PLANAR;
    image->plane[0].pitch /= (ptrdiff_t)image->plane_count;
    for (uint32_t i = 1; i < image->plane_count; i++)
        image->plane[i] = image->plane[0];
}

const kst_image *kst_filter_as_grey(const kst_image *image, kst_image *grey)
{
    if (kst_filter_is_planar(image) || !kst_pixel_layout(image->format)->planes)
        return image;
    *grey = *image;
    grey->format = KST_FORMAT_GREY;
    grey->colour = KST_COLOUR_GREY;
    return grey;
}

struct filter_pixels kst_filter_plane_of(const kst_image *image, uint32_t index)
{
    kst_image alone = *image, grey;
    alone.plane_count = 1;
    alone.plane[0] = image->plane[index];
    return kst_filter_pixels_of(kst_filter_as_grey(&alone, &grey));
}

/* Copy `count` samples that are `from_step` and `to_step` samples apart. Callers pass a constant size. */
static inline void copy_samples(
    const uint8_t *from, size_t from_step, uint8_t *to, size_t to_step, size_t count, const size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bytes; k++)
            to[i * to_step * bytes + k] = from[i * from_step * bytes + k];
}

/* Copy the rows of each plane to or from the channels of the interleaved image; one of the two has planes. */
static kst_status copy_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const bool weaves = kst_filter_is_planar(work->source);
    const struct filter_pixels pixels = kst_filter_pixels_of(weaves ? work->target : work->source);
    (void)arg;
    for (uint32_t c = 0; c < pixels.channels; c++) {
        const struct filter_pixels plane = kst_filter_plane_of(weaves ? work->source : work->target, c);
        for (uint32_t y = first; y < end; y++) {
            uint8_t *alone = kst_filter_row(&plane, y), *woven = kst_filter_row(&pixels, y) + (size_t)c * pixels.bytes;
            const uint8_t *from = weaves ? alone : woven;
            uint8_t *to = weaves ? woven : alone;
            const size_t from_step = weaves ? 1 : pixels.channels, to_step = weaves ? pixels.channels : 1;
            if (pixels.bytes == 1)
                copy_samples(from, from_step, to, to_step, pixels.width, 1);
            else
                copy_samples(from, from_step, to, to_step, pixels.width, 2);
        }
    }
    return KST_OK;
}

kst_status kst_filter_planes_copy(const struct operation *operation, const kst_image *from, const kst_image *to)
{
    const struct filter_work work = {.operation = operation, .source = from, .target = to};
    return kst_filter_bands(&work, to->height, copy_band, NULL);
}
