/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes regions of an image, and cuts its planes to them. */
#include "j2k/run/region.h"

#include <string.h>

#include "j2k/syntax/geometry.h"

kst_status kst_j2k_run_region_describe(kst_decoder *decoder, const kst_decode_options *options, kst_format format,
    kst_region region, struct j2k_output *output)
{
    kst_decode_options of_region = *options;
    kst_image described;
    bool raw = format == KST_FORMAT_RAW;
    if (!raw)
        of_region.region =
            (kst_region){options->region.x + region.x, options->region.y + region.y, region.width, region.height};
    kst_status status =
        kst_j2k_output_describe(&j2k_state(decoder)->stream, &of_region, &described, j2k_state(decoder)->more, output);
    if (status || !raw)
        return status;
    output->shown.x0 += region.x;
    output->shown.y0 += region.y;
    output->shown.x1 = output->shown.x0 + region.width;
    output->shown.y1 = output->shown.y0 + region.height;
    output->filter.region = output->shown;
    return KST_OK;
}

kst_region kst_j2k_run_region_of_plane(const kst_decoder *decoder, const kst_decode_options *options,
    const struct j2k_output *output, kst_format format, kst_region region, uint32_t plane)
{
    if (format != KST_FORMAT_RAW)
        return region;
    const struct j2k_component_size size =
        kst_j2k_made_component(&j2k_state(decoder)->stream, kst_j2k_output_component(options, plane));
    const struct j2k_rect shown = output->shown, before = {0, 0, shown.x0 - region.x, shown.y0 - region.y};
    struct j2k_rect area = kst_j2k_divide(shown, size.dx, size.dy);
    struct j2k_rect first = kst_j2k_divide(before, size.dx, size.dy);
    return (kst_region){area.x0 - first.x1, area.y0 - first.y1, area.x1 - area.x0, area.y1 - area.y0};
}

kst_status kst_j2k_run_region_image(
    struct memory *memory, const kst_image *image, kst_region region, kst_image *copy, kst_plane **more)
{
    kst_status status = KST_OK;
    *copy = *image;
    *more = NULL;
    if (image->plane_count > KST_IMAGE_PLANES_MAX) {
        size_t count = image->plane_count - KST_IMAGE_PLANES_MAX;
        *more = kst_memory_array(memory, count, sizeof **more, &status);
        if (!*more)
            return status;
        memcpy(*more, image->more, count * sizeof **more);
        copy->more = *more;
    }
    copy->width = region.width;
    copy->height = region.height;
    return KST_OK;
}

ptrdiff_t kst_j2k_run_region_cut(kst_image *copy, kst_plane *plane, kst_region region)
{
    size_t pixel = (size_t)kst_format_samples(copy->format) * kst_plane_sample_bytes(plane);
    plane->width = region.width;
    plane->height = region.height;
    return (ptrdiff_t)region.y * plane->pitch + (ptrdiff_t)(region.x * pixel);
}
