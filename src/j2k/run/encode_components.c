/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which samples of an image belong to which component of JPEG 2000. */
#include "core/report.h"
#include "image/format.h"
#include "j2k/run/encode.h"

static kst_status fail(struct j2k_encoder *encoder, kst_status status, const char *detail)
{
    return kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static kst_colour colour_of(const kst_image *image, uint32_t components)
{
    kst_colour colour = image->colour != KST_COLOUR_UNKNOWN ? image->colour : kst_pixel_layout(image->format)->colour;
    if (colour == KST_COLOUR_UNKNOWN && image->format == KST_FORMAT_PLANAR)
        colour = components == 1   ? KST_COLOUR_GREY
                 : components == 3 ? KST_COLOUR_RGB
                 : components == 4 ? KST_COLOUR_CMYK
                                   : KST_COLOUR_UNKNOWN;
    return colour;
}

/*
 * Return whether the colour space has this number of components; an unknown one may have any number. A bare codestream
 * does not name its colours, so that further planes may follow those that a component transform joins.
 */
static bool fits_colour(const struct j2k_encoder *encoder)
{
    uint32_t colours = encoder->component_count - encoder->has_alpha;
    switch (encoder->colour) {
    case KST_COLOUR_GREY:
        return colours == 1;
    case KST_COLOUR_RGB:
    case KST_COLOUR_YCBCR:
        return colours == 3 || (colours > 3 && encoder->options.codestream && encoder->image->format == KST_FORMAT_RAW);
    case KST_COLOUR_CMYK:
        return colours == 4;
    default:
        return encoder->colour == KST_COLOUR_UNKNOWN;
    }
}

static void take_plane(struct j2k_encoder *encoder, uint32_t component, uint32_t index, uint32_t place)
{
    const kst_plane *plane = kst_image_plane(encoder->image, index);
    uint32_t samples = kst_format_samples(encoder->image->format), bytes = kst_plane_sample_bytes(plane);
    const struct j2k_volume_coding *volume = encoder->e->volume;
    encoder->origin[component] = (struct j2k_origin){.data = plane->data,
        .pitch = plane->pitch,
        .plane = index,
        .place = place,
        .stride = samples,
        .bytes = (uint8_t)bytes,
        .depth = (uint8_t)(volume ? volume->bits : kst_plane_depth(plane)),
        .is_signed = plane->is_signed,
        .real = volume && !volume->reversible};
}

void kst_j2k_run_encode_find_samples(struct j2k_encoder *encoder)
{
    const kst_image *image = encoder->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    for (uint32_t c = 0; c < encoder->component_count; c++)
        take_plane(encoder, c, layout->planes ? c : 0, layout->planes ? 0 : kst_pixel_place(layout, c));
}

kst_status kst_j2k_run_encode_components(struct j2k_encoder *encoder)
{
    const kst_image *image = encoder->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    encoder->component_count = layout->planes ? image->plane_count : layout->channels;
    encoder->has_alpha = layout->alpha;
    encoder->colour = colour_of(image, encoder->component_count);
    if (!fits_colour(encoder))
        return fail(encoder, KST_ERROR_IMAGE_FORMAT, "the colour space has another number of channels");
    if (encoder->component_count > J2K_COMPONENTS)
        return fail(encoder, KST_ERROR_J2K_COMPONENTS, "the image has more planes");
    kst_status status = KST_OK;
    encoder->origin =
        kst_memory_zeroed(&encoder->e->memory, encoder->component_count, sizeof *encoder->origin, &status);
    if (!encoder->origin)
        return fail(encoder, status, NULL);
    kst_j2k_run_encode_find_samples(encoder);
    return KST_OK;
}
