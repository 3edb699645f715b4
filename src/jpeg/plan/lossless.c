/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the picture that a stream of the lossless process gives. */
#include "jpeg/plan/lossless.h"

#include "image/format.h"

enum { CODED = 8 }; /* samples along the side of a block that is not reduced */

static bool sizes_differ(const struct jpeg_frame *frame)
{
    for (uint32_t i = 0; i < frame->component_count; i++)
        if (frame->component[i].width != frame->width || frame->component[i].height != frame->height)
            return true;
    return false;
}

/* Return whether a conversion moves samples without computing others. */
static bool only_moves(enum jpeg_conversion conversion)
{
    return conversion == JPEG_CONVERT_RAW || conversion == JPEG_CONVERT_COPY || conversion == JPEG_CONVERT_GREY ||
           conversion == JPEG_CONVERT_RGB || conversion == JPEG_CONVERT_CMYK;
}

/*
 * Find the conversion to a format. Returns false if there is none, or none for the depth of the samples and the sizes
 * of the components.
 */
static bool find_conversion(const struct jpeg_frame *frame, kst_format format, enum jpeg_conversion *conversion)
{
    return kst_jpeg_find_conversion(frame->colour, format, conversion) &&
           (frame->precision == 8 || only_moves(*conversion)) &&
           (*conversion == JPEG_CONVERT_RAW || !sizes_differ(frame));
}

static void describe_planes(const struct jpeg_frame *frame, const kst_region *region, kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    image->plane_count = channels ? 1 : frame->component_count;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        kst_region range = *region;
        if (!channels)
            kst_jpeg_raw_range(frame, i, CODED, region, &range);
        plane->width = range.width;
        plane->height = range.height;
        plane->depth = frame->precision;
        plane->pitch =
            (ptrdiff_t)range.width * (channels ? (ptrdiff_t)channels : 1) * (ptrdiff_t)kst_plane_sample_bytes(plane);
    }
}

/* Without a transform there is no other size and no faster DCT, and no component is upsampled (find_conversion()). */
static bool options_are_known(const kst_decode_options *options)
{
    return !options->reduce && (options->eighths == 0 || options->eighths == 8) &&
           kst_format_is_known(options->format) && options->dct == KST_DCT_ACCURATE &&
           options->upsampling == KST_UPSAMPLING_FANCY;
}

kst_status kst_jpeg_lossless_describe(
    const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image)
{
    enum jpeg_conversion conversion;
    kst_region region;
    if (!options_are_known(options))
        return KST_ERROR_OPTIONS;
    if (!kst_jpeg_choose_region(&options->region, frame->width, frame->height, &region))
        return KST_ERROR_REGION;
    kst_image_init(image);
    image->format = options->format == KST_FORMAT_AUTO ? kst_jpeg_natural_format(frame->colour) : options->format;
    if (options->format == KST_FORMAT_AUTO && !find_conversion(frame, image->format, &conversion))
        image->format = KST_FORMAT_RAW;
    if (!find_conversion(frame, image->format, &conversion))
        return KST_ERROR_JPEG_COLOUR;
    image->colour = kst_jpeg_output_colour(frame->colour, conversion, image->format);
    image->width = region.width;
    image->height = region.height;
    describe_planes(frame, &region, image);
    return KST_OK;
}

void kst_jpeg_lossless_plan(struct jpeg_output *output, const struct jpeg_frame *frame,
    const kst_decode_options *options, const kst_image *image)
{
    *output = (struct jpeg_output){.frame = kst_jpeg_flatten(frame),
        .image = *image,
        .width = frame->width,
        .height = frame->height,
        .layout = kst_jpeg_layout(image->format),
        .alpha = options->alpha};
    if (frame->precision < 8)
        output->alpha = (uint8_t)(options->alpha * ((1U << frame->precision) - 1) / 255);
    kst_jpeg_choose_region(&options->region, frame->width, frame->height, &output->region);
    find_conversion(frame, image->format, &output->conversion);
    for (uint32_t i = 0; i < frame->component_count; i++) {
        kst_region range;
        kst_jpeg_raw_range(frame, i, CODED, &output->region, &range);
        output->scaled[i] = (struct jpeg_scaled){.needed = true,
            .block = 1,
            .width = frame->component[i].width,
            .height = frame->component[i].height,
            .mcu_rows = frame->component[i].v,
            .first = output->conversion == JPEG_CONVERT_RAW ? range.x : output->region.x,
            .count = range.width};
    }
}
