/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples of an image are which component of JPEG 2000. */
#include "core/report.h"
#include "image/format.h"
#include "j2k/run/encode.h"

static kst_status fail(struct j2k_encode_work *work, kst_status status, const char *detail)
{
    return kst_report_error(&work->e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
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

/* Components of the colour; of an unknown one any number. */
static bool fits_colour(const struct j2k_encode_work *work)
{
    uint32_t colours = work->component_count - work->has_alpha;
    switch (work->colour) {
    case KST_COLOUR_GREY:
        return colours == 1;
    case KST_COLOUR_RGB:
    case KST_COLOUR_YCBCR:
        return colours == 3;
    case KST_COLOUR_CMYK:
        return colours == 4;
    default:
        return work->colour == KST_COLOUR_UNKNOWN;
    }
}

static void take_plane(struct j2k_encode_work *work, uint32_t component, uint32_t index, uint32_t place)
{
    const kst_plane *plane = kst_image_plane(work->image, index);
    uint32_t samples = kst_format_samples(work->image->format), bytes = kst_plane_sample_bytes(plane);
    work->origin[component] = (struct j2k_origin){.data = plane->data,
        .pitch = plane->pitch,
        .plane = index,
        .place = place,
        .step = samples,
        .bytes = (uint8_t)bytes,
        .depth = (uint8_t)kst_plane_depth(plane),
        .is_signed = plane->is_signed};
}

void kst_j2k_encode_find_samples(struct j2k_encode_work *work)
{
    const kst_image *image = work->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    for (uint32_t c = 0; c < work->component_count; c++)
        take_plane(work, c, layout->planes ? c : 0, layout->planes ? 0 : kst_pixel_place(layout, c));
}

kst_status kst_j2k_encode_components(struct j2k_encode_work *work)
{
    const kst_image *image = work->image;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    work->component_count = layout->planes ? image->plane_count : layout->channels;
    work->has_alpha = layout->alpha;
    work->colour = colour_of(image, work->component_count);
    if (!fits_colour(work))
        return fail(work, KST_ERROR_IMAGE_FORMAT, "the colour space has another number of channels");
    if (work->component_count > J2K_COMPONENTS)
        return fail(work, KST_ERROR_J2K_COMPONENTS, "the image has more planes");
    kst_status status = KST_OK;
    work->origin = kst_memory_zeroed(&work->e->memory, work->component_count, sizeof *work->origin, &status);
    if (!work->origin)
        return fail(work, status, NULL);
    kst_j2k_encode_find_samples(work);
    return KST_OK;
}
