/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k/output.h"

#include "j2k/geometry.h"

enum { PLANES_MAX = 4, DEPTH_MAX = 16 };

static bool is_rgb(kst_format format)
{
    return format >= KST_FORMAT_RGB && format <= KST_FORMAT_BGRA;
}

static kst_format natural_format(const struct j2k_channels *channels)
{
    if (!channels->together)
        return KST_FORMAT_RAW;
    if (channels->colour == KST_COLOUR_CMYK)
        return KST_FORMAT_CMYK;
    if (channels->has_alpha)
        return KST_FORMAT_RGBA;
    return channels->colour == KST_COLOUR_GREY ? KST_FORMAT_GREY : KST_FORMAT_RGB;
}

/* Whether channels that fit together can be had in the format. */
static bool is_possible(const struct j2k_channels *channels, kst_format format)
{
    if (format == KST_FORMAT_RAW)
        return true;
    if (!channels->together)
        return false;
    if (format == KST_FORMAT_PLANAR)
        return true;
    if (format == KST_FORMAT_GREY)
        return channels->colour == KST_COLOUR_GREY;
    return is_rgb(format) ? channels->colour != KST_COLOUR_CMYK : channels->colour == KST_COLOUR_CMYK;
}

static kst_colour output_colour(const struct j2k_channels *channels, kst_format format)
{
    if (is_rgb(format))
        return KST_COLOUR_RGB;
    if (format == KST_FORMAT_RAW)
        return channels->colour;
    return channels->colour == KST_COLOUR_YCBCR ? KST_COLOUR_RGB : channels->colour;
}

static bool choose_region(const kst_region *wanted, struct j2k_rect image, struct j2k_rect *region)
{
    uint32_t width = image.x1 - image.x0, height = image.y1 - image.y0;
    *region = image;
    if (wanted->width == 0 && wanted->height == 0 && wanted->x == 0 && wanted->y == 0)
        return width > 0 && height > 0;
    if (wanted->width == 0 || wanted->height == 0 || wanted->x >= width || wanted->y >= height ||
        wanted->width > width - wanted->x || wanted->height > height - wanted->y)
        return false;
    *region = (struct j2k_rect){.x0 = image.x0 + wanted->x, .y0 = image.y0 + wanted->y};
    region->x1 = region->x0 + wanted->width;
    region->y1 = region->y0 + wanted->height;
    return true;
}

static kst_status describe_raw(const struct j2k_stream *stream, struct j2k_rect region, kst_image *image)
{
    image->plane_count = stream->component_count < PLANES_MAX ? stream->component_count : PLANES_MAX;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const struct j2k_component_size *size = &stream->component[i];
        struct j2k_rect area = kst_j2k_divide(region, size->dx, size->dy);
        if (j2k_is_empty(area))
            return KST_ERROR_IMAGE_SIZE;
        if (size->depth > DEPTH_MAX)
            return KST_ERROR_IMAGE_DEPTH;
        image->plane[i] = (kst_plane){.width = area.x1 - area.x0,
            .height = area.y1 - area.y0,
            .pitch = (ptrdiff_t)(area.x1 - area.x0) * (size->depth > 8 ? 2 : 1),
            .depth = size->depth,
            .is_signed = size->is_signed};
    }
    return KST_OK;
}

static void describe_together(const struct j2k_channels *channels, kst_image *image)
{
    uint32_t samples = kst_format_channels(image->format);
    uint8_t depth = channels->channel[0].depth;
    image->plane_count = samples ? 1 : channels->count - channels->has_alpha;
    for (uint32_t i = 0; i < image->plane_count; i++)
        image->plane[i] = (kst_plane){.width = image->width,
            .height = image->height,
            .pitch = (ptrdiff_t)image->width * (samples ? (ptrdiff_t)samples : 1) * (depth > 8 ? 2 : 1),
            .depth = depth};
}

kst_status kst_j2k_output_describe(
    const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image, struct j2k_filter *filter)
{
    struct j2k_channels channels;
    struct j2k_rect region;
    if (options->reduce > J2K_LEVELS || options->format > KST_FORMAT_RAW)
        return KST_ERROR_OPTIONS;
    if (!choose_region(&options->region, kst_j2k_reduced_image(stream, options->reduce), &region))
        return KST_ERROR_REGION;
    kst_j2k_channels(stream, &channels);
    kst_image_init(image);
    image->format = options->format == KST_FORMAT_AUTO ? natural_format(&channels) : options->format;
    if (!is_possible(&channels, image->format))
        return KST_ERROR_J2K_COLOUR;
    image->colour = output_colour(&channels, image->format);
    image->width = region.x1 - region.x0;
    image->height = region.y1 - region.y0;
    *filter = (struct j2k_filter){
        .tile = J2K_ALL_TILES, .reduce = (uint8_t)options->reduce, .region = region, .layers = options->layers};
    if (image->format == KST_FORMAT_RAW)
        return describe_raw(stream, region, image);
    describe_together(&channels, image);
    return KST_OK;
}
