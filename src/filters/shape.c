/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts descriptions of images to those that filters use, and back. */
#include "filters/shape.h"

#include "image/validate.h"

static kst_format format_of(const kst_image *image)
{
    if (!kst_pixel_layout(image->format)->planes)
        return image->format;
    return image->plane_count == 1 ? KST_FORMAT_GREY : image->plane_count == 3 ? KST_FORMAT_RGB : KST_FORMAT_RGBA;
}

struct filter_shape kst_filter_shape_of(const kst_image *image)
{
    return (struct filter_shape){format_of(image), image->width, image->height, kst_plane_depth(&image->plane[0])};
}

void kst_filter_shape_image(const struct filter_shape *shape, kst_image *image)
{
    kst_image_init(image);
    image->format = shape->format;
    image->colour = kst_pixel_layout(shape->format)->colour;
    image->width = shape->width;
    image->height = shape->height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = shape->width, .height = shape->height, .depth = (uint8_t)shape->depth};
    image->plane[0].pitch = (ptrdiff_t)((size_t)shape->width * kst_format_samples(shape->format) *
                                        kst_plane_sample_bytes(&image->plane[0]));
}

struct filter_pixels kst_filter_pixels_of(const kst_image *image)
{
    const struct pixel_layout *layout = kst_pixel_layout(format_of(image));
    const kst_plane *plane = &image->plane[0];
    return (struct filter_pixels){.data = plane->data,
        .pitch = plane->pitch,
        .width = image->width,
        .height = image->height,
        .channels = layout->channels,
        .colours = layout->channels - layout->alpha,
        .reversed = layout->reversed,
        .bytes = kst_plane_sample_bytes(plane),
        .greatest = (1u << kst_plane_depth(plane)) - 1};
}
