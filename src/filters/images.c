/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the images that filters read, and makes the images that they write. */
#include "filters/images.h"

#include <stdio.h>

#include "filters/planes.h"
#include "image/validate.h"
#include "run/device.h"
#include "run/image.h"

enum { DEPTH_MAX = 16, MESSAGE = 128 };
_Static_assert((int)MESSAGE <= (int)FILTER_REASON, "a reason has room for what a device says");

kst_status kst_filter_image_kind(const kst_image *image, char reason[FILTER_REASON])
{
    kst_status status = kst_image_check_shape(image);
    const struct pixel_layout *layout = status ? NULL : kst_pixel_layout(image->format);
    if (status)
        return status;
    if (layout->planes)
        status = kst_filter_planes_check(image, reason);
    if (status)
        return status;
    if (!layout->planes && !kst_pixel_is_rgb(layout) && layout->colour != KST_COLOUR_GREY) {
        snprintf(reason, FILTER_REASON, "filters take grey or RGB with or without alpha, no inks");
        return KST_ERROR_IMAGE_FORMAT;
    }
    if (image->plane[0].sample != KST_SAMPLE_INTEGER)
        return KST_ERROR_IMAGE_SAMPLE;
    return image->plane[0].is_signed || kst_plane_depth(&image->plane[0]) > DEPTH_MAX ? KST_ERROR_IMAGE_DEPTH : KST_OK;
}

kst_status kst_filter_image_check(kst_context *context, const kst_image *image)
{
    if (!kst_memory_is_device(image->memory))
        return kst_image_check(image);
    kst_status status = kst_image_check_shape(image);
    return status || kst_context_gpu(context) ? status : KST_ERROR_IMAGE_MEMORY;
}

kst_status kst_filter_result_begin(kst_context *context, struct memory *memory, const kst_image *wanted,
    struct filter_result *result, char reason[FILTER_REASON])
{
    kst_image made = *wanted;
    if (result->to->plane[0].data) {
        kst_status status = kst_filter_image_check(context, result->to);
        return status ? status : kst_image_match(result->to, wanted);
    }
    made.memory = result->to->memory;
    kst_status status = kst_image_make_in(context, memory, &made, reason);
    if (status)
        return status;
    result->before = *result->to;
    result->made = true;
    *result->to = made;
    return KST_OK;
}

void kst_filter_result_end(kst_context *context, struct memory *memory, struct filter_result *result, kst_status status)
{
    if (!result->made)
        return;
    if (status) {
        kst_image_drop_in(context, memory, result->to);
        *result->to = result->before;
    } else {
        kst_image_keep(context, memory, result->to);
    }
    result->made = false;
}
