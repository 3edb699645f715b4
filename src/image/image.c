/* SPDX-License-Identifier: BSD-2-Clause */
/* Making and releasing image descriptions. */
#include <string.h>

#include "image/allocate.h"
#include "image/validate.h"

enum { ROW_ALIGNMENT = 64 };

void kst_image_init(kst_image *image)
{
    if (image == NULL)
        return;
    memset(image, 0, sizeof *image);
    image->size = sizeof *image;
}

/* The single plane of an interleaved image, which follows from the picture. */
static void set_interleaved_plane(kst_image *image)
{
    image->plane_count = 1;
    image->plane[0].width = image->width;
    image->plane[0].height = image->height;
    image->colour = kst_format_colour(image->format);
}

kst_status kst_image_wrap(
    kst_image *image, kst_format format, uint32_t width, uint32_t height, void *data, ptrdiff_t pitch)
{
    uint64_t row = (uint64_t)width * kst_format_channels(format);

    if (image == NULL || data == NULL || width == 0 || height == 0)
        return KST_ERROR_ARGUMENT;
    kst_image_init(image);
    if (kst_format_channels(format) == 0)
        return KST_ERROR_IMAGE_FORMAT;
    if (row > PTRDIFF_MAX)
        return KST_ERROR_IMAGE_PITCH;
    image->format = format;
    image->width = width;
    image->height = height;
    set_interleaved_plane(image);
    image->plane[0].data = data;
    image->plane[0].pitch = pitch == 0 ? (ptrdiff_t)row : pitch;
    image->plane[0].depth = 8;
    return kst_image_check(image);
}

/* Sets the pitch of each plane and gives the bytes of all planes together. */
static kst_status set_pitches(kst_image *image, uint64_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        uint64_t row = (uint64_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
        uint64_t pitch = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;

        if (pitch > PTRDIFF_MAX / 4 / plane->height)
            return KST_ERROR_LIMIT_MEMORY;
        plane->pitch = (ptrdiff_t)pitch;
        *total += pitch * plane->height;
    }
    return *total > PTRDIFF_MAX ? KST_ERROR_LIMIT_MEMORY : KST_OK;
}

kst_status kst_image_lay_out(kst_image *image, uint64_t *total)
{
    if (image == NULL || image->size < sizeof *image || image->owned != NULL)
        return KST_ERROR_ARGUMENT;
    kst_image made = *image;
    if (kst_format_channels(made.format) != 0)
        set_interleaved_plane(&made);
    kst_status status = kst_image_check_shape(&made);
    if (status == KST_OK)
        status = set_pitches(&made, total);
    if (status == KST_OK)
        *image = made;
    return status;
}

void kst_image_place(kst_image *image, uint8_t *data)
{
    for (uint32_t i = 0; i < image->plane_count; i++) {
        image->plane[i].data = data;
        data += (size_t)image->plane[i].pitch * image->plane[i].height;
    }
}

kst_status kst_image_make(struct memory *memory, kst_image *image)
{
    uint64_t total;
    kst_status status = kst_image_lay_out(image, &total);
    if (status != KST_OK)
        return status;
    uint8_t *data = kst_memory_array(memory, (size_t)total, 1, &status);
    if (data == NULL)
        return status;
    image->owned = data;
    kst_image_place(image, data);
    return KST_OK;
}

void kst_image_drop(struct memory *memory, kst_image *image)
{
    kst_memory_release(memory, image->owned);
    image->owned = NULL;
    for (uint32_t i = 0; i < KST_IMAGE_PLANES_MAX; i++)
        image->plane[i].data = NULL;
}
