/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes to images, and compares images and parts of images. */
#include "support/pixels.h"

#include <string.h>

#include "support/test.h"

kst_image decode_image(kst_context *context, const struct stream *stream, const kst_decode_options *options)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status = kst_decode(context, stream->data, stream->length, options, &image, &report);
    if (status)
        fail_msg("%s", report.message);
    return image;
}

const uint8_t *image_at(const kst_image *image, uint32_t plane, uint32_t x, uint32_t y)
{
    const kst_plane *p = &image->plane[plane];
    return (const uint8_t *)p->data + (ptrdiff_t)y * p->pitch + (size_t)x * pixel_bytes(image);
}

uint32_t pixel_bytes(const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    return channels ? channels : 1;
}

bool is_part(const kst_image *part, const kst_image *whole, const uint32_t x[4], const uint32_t y[4])
{
    if (part->format != whole->format || part->plane_count != whole->plane_count || part->colour != whole->colour)
        return false;
    for (uint32_t i = 0; i < part->plane_count; i++) {
        const kst_plane *plane = &part->plane[i];
        if (x[i] + plane->width > whole->plane[i].width || y[i] + plane->height > whole->plane[i].height)
            return false;
        for (uint32_t row = 0; row < plane->height; row++)
            if (memcmp(image_at(part, i, 0, row), image_at(whole, i, x[i], y[i] + row),
                    (size_t)plane->width * pixel_bytes(part)) != 0)
                return false;
    }
    return true;
}

bool same_picture(const kst_image *a, const kst_image *b)
{
    static const uint32_t origin[4] = {0};
    for (uint32_t i = 0; i < 4; i++)
        if (a->plane[i].width != b->plane[i].width || a->plane[i].height != b->plane[i].height)
            return false;
    return a->width == b->width && a->height == b->height && is_part(a, b, origin, origin);
}
