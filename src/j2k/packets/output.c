/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives a decoded image's format, planes and size, and the filter that provides them, from the caller's options. */
#include "j2k/packets/output.h"

#include "image/format.h"
#include "j2k/syntax/geometry.h"

static bool is_rgb(kst_format format)
{
    return kst_pixel_is_rgb(kst_pixel_layout(format));
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

/* Return whether the channels can be delivered in the format. */
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

/* Return the colour space of the output. A selection of components has none. */
static kst_colour output_colour(const struct j2k_channels *channels, kst_format format, bool part)
{
    if (is_rgb(format))
        return KST_COLOUR_RGB;
    if (format == KST_FORMAT_RAW)
        return part ? KST_COLOUR_UNKNOWN : channels->colour;
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

void kst_j2k_output_channels(const struct j2k_stream *stream, kst_format format, struct j2k_channels *channels)
{
    kst_j2k_channels(stream, channels);
    if (!channels->has_alpha || kst_pixel_layout(format)->alpha)
        return;
    channels->has_alpha = false;
    channels->count--;
}

uint32_t kst_j2k_output_component(const kst_decode_options *options, uint32_t index)
{
    return options->components ? options->components[index] : index;
}

/* Return whether the components that are asked for ascend and exist. */
static bool components_fit(const struct j2k_stream *stream, const kst_decode_options *options)
{
    const uint32_t *list = options->components;
    if (!list || options->component_count == 0)
        return !list && options->component_count == 0;
    for (uint32_t i = 0; i < options->component_count; i++)
        if (list[i] >= kst_j2k_made_count(stream) || (i > 0 && list[i] <= list[i - 1]))
            return false;
    return options->format == KST_FORMAT_AUTO || options->format == KST_FORMAT_RAW;
}

static kst_status describe_raw(const struct j2k_stream *stream, const kst_decode_options *options,
    struct j2k_rect region, kst_image *image, kst_plane *more)
{
    image->plane_count = options->components ? options->component_count : kst_j2k_made_count(stream);
    image->more = image->plane_count > J2K_OUTPUT_PLANES ? more : NULL;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const struct j2k_component_size size = kst_j2k_made_component(stream, kst_j2k_output_component(options, i));
        struct j2k_rect area = kst_j2k_divide(region, size.dx, size.dy);
        if (j2k_is_empty(area))
            return KST_ERROR_IMAGE_SIZE;
        if (size.depth > J2K_OUTPUT_DEPTH)
            return KST_ERROR_IMAGE_DEPTH;
        kst_plane *plane = i < J2K_OUTPUT_PLANES ? &image->plane[i] : &more[i - J2K_OUTPUT_PLANES];
        *plane = (kst_plane){.width = area.x1 - area.x0,
            .height = area.y1 - area.y0,
            .depth = size.depth,
            .is_signed = size.is_signed,
            .sample = (uint8_t)options->sample};
        plane->pitch = (ptrdiff_t)plane->width * (ptrdiff_t)kst_plane_sample_bytes(plane);
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

/* Find the tile that is asked for, or the whole image, on the reduced reference grid. */
static kst_status choose_whole(
    const struct j2k_stream *stream, const kst_decode_options *options, struct j2k_rect *whole)
{
    *whole = kst_j2k_reduced_image(stream, options->reduce);
    if (options->tile == KST_ALL_TILES)
        return KST_OK;
    if (options->tile >= stream->size.columns * stream->size.rows)
        return KST_ERROR_REGION;
    *whole = kst_j2k_reduce(kst_j2k_tile_rect(&stream->size, options->tile), options->reduce);
    return j2k_is_empty(*whole) ? KST_ERROR_IMAGE_SIZE : KST_OK;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/*
 * Enlarge the region so that it covers the samples that its pixels take. Returns false if a channel has no samples at
 * all.
 */
static bool reach(const struct j2k_stream *stream, uint32_t reduce, const struct j2k_channels *channels,
    struct j2k_rect shown, struct j2k_rect *region)
{
    struct j2k_rect image = kst_j2k_reduced_image(stream, reduce);
    for (uint32_t i = 0; i < channels->count; i++) {
        const struct j2k_component_size size = kst_j2k_made_component(stream, channels->channel[i].component);
        uint32_t dx = size.dx, dy = size.dy;
        struct j2k_rect all = kst_j2k_divide(image, dx, dy);
        if (j2k_is_empty(all))
            return false;
        region->x0 = least(region->x0, j2k_sample_at(shown.x0, dx, all.x0, all.x1) * dx);
        region->y0 = least(region->y0, j2k_sample_at(shown.y0, dy, all.y0, all.y1) * dy);
        region->x1 = most(region->x1, j2k_sample_at(shown.x1 - 1, dx, all.x0, all.x1) * dx + 1);
        region->y1 = most(region->y1, j2k_sample_at(shown.y1 - 1, dy, all.y0, all.y1) * dy + 1);
    }
    return true;
}

kst_status kst_j2k_output_describe(const struct j2k_stream *stream, const kst_decode_options *options, kst_image *image,
    kst_plane *more, struct j2k_output *output)
{
    struct j2k_channels channels;
    struct j2k_rect whole;
    if (options->eighths || options->dct || options->upsampling || options->reduce > J2K_LEVELS ||
        !kst_format_is_known(options->format) || !components_fit(stream, options))
        return KST_ERROR_OPTIONS;
    kst_status status = choose_whole(stream, options, &whole);
    if (status)
        return status;
    if (!choose_region(&options->region, whole, &output->shown))
        return KST_ERROR_REGION;
    kst_j2k_channels(stream, &channels);
    kst_image_init(image);
    image->format = options->format == KST_FORMAT_AUTO ? natural_format(&channels) : options->format;
    if (options->components)
        image->format = KST_FORMAT_RAW;
    if (!is_possible(&channels, image->format))
        return KST_ERROR_J2K_COLOUR;
    image->colour = output_colour(&channels, image->format, options->components != NULL);
    image->width = output->shown.x1 - output->shown.x0;
    image->height = output->shown.y1 - output->shown.y0;
    output->filter = (struct j2k_filter){.reduce = (uint8_t)options->reduce,
        .region = output->shown,
        .layers = options->layers,
        .careful = options->strict};
    if (image->format == KST_FORMAT_RAW)
        return describe_raw(stream, options, output->shown, image, more);
    describe_together(&channels, image);
    return reach(stream, options->reduce, &channels, output->shown, &output->filter.region) ? KST_OK
                                                                                            : KST_ERROR_IMAGE_SIZE;
}
