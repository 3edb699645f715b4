/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and releases image descriptions. */
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

/* Describe the single plane of an interleaved image, which follows from the picture's size and format. */
static void set_interleaved_plane(kst_image *image)
{
    image->plane_count = 1;
    image->plane[0].width = image->width;
    image->plane[0].height = image->height;
    image->colour = kst_pixel_layout(image->format)->colour;
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

const kst_plane *kst_image_plane(const kst_image *image, uint32_t index)
{
    if (image == NULL || index >= image->plane_count)
        return NULL;
    if (index < KST_IMAGE_PLANES_MAX)
        return &image->plane[index];
    return image->more == NULL ? NULL : &image->more[index - KST_IMAGE_PLANES_MAX];
}

static uint64_t padded_pitch(const kst_image *image, const kst_plane *plane)
{
    uint64_t row = (uint64_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
    return (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* Set the pitches of the first four planes. *total receives the bytes of all planes. */
static kst_status set_pitches(kst_image *image, uint64_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        uint64_t pitch = padded_pitch(image, plane);

        if (pitch > PTRDIFF_MAX / 4 / plane->height)
            return KST_ERROR_LIMIT_MEMORY;
        if (i < KST_IMAGE_PLANES_MAX)
            image->plane[i].pitch = (ptrdiff_t)pitch;
        *total += pitch * plane->height;
        if (*total > PTRDIFF_MAX / 2)
            return KST_ERROR_LIMIT_MEMORY;
    }
    return KST_OK;
}

kst_status kst_image_lay_out(kst_image *image, uint64_t *total)
{
    if (image == NULL || image->size < sizeof *image || image->owned != NULL)
        return KST_ERROR_ARGUMENT;
    kst_image made = *image;
    if (kst_format_channels(made.format) != 0)
        set_interleaved_plane(&made);
    kst_status status = kst_image_check_shape(&made);
    if (!status)
        status = set_pitches(&made, total);
    if (!status)
        *image = made;
    return status;
}

void kst_image_place(kst_image *image, uint8_t *data)
{
    for (uint32_t i = 0; i < image->plane_count && i < KST_IMAGE_PLANES_MAX; i++) {
        image->plane[i].data = data;
        data += (size_t)image->plane[i].pitch * image->plane[i].height;
    }
}

static uint32_t planes_behind(const kst_image *image)
{
    return image->plane_count > KST_IMAGE_PLANES_MAX ? image->plane_count - KST_IMAGE_PLANES_MAX : 0;
}

/* Make the image's own description of the planes behind the first four, at the end of its buffer. */
static void place_behind(kst_image *image, uint8_t *data, uint64_t total)
{
    kst_plane *plane = (kst_plane *)(void *)(data + total);
    const kst_plane *last = &image->plane[KST_IMAGE_PLANES_MAX - 1];
    uint8_t *at = (uint8_t *)last->data + (size_t)last->pitch * last->height;
    for (uint32_t i = 0; i < planes_behind(image); i++) {
        plane[i] = image->more[i];
        plane[i].pitch = (ptrdiff_t)padded_pitch(image, &plane[i]);
        plane[i].data = at;
        at += (size_t)plane[i].pitch * plane[i].height;
    }
    image->more = plane;
}

kst_status kst_image_make(struct memory *memory, kst_image *image)
{
    uint64_t total;
    kst_status status = kst_image_lay_out(image, &total);
    if (status)
        return status;
    uint64_t behind = planes_behind(image) * sizeof(kst_plane);
    uint8_t *data = kst_memory_array(memory, (size_t)(total + behind), 1, &status);
    if (data == NULL)
        return status;
    image->owned = data;
    kst_image_place(image, data);
    if (behind > 0)
        place_behind(image, data, total);
    return KST_OK;
}

void kst_image_drop(struct memory *memory, kst_image *image)
{
    kst_memory_release(memory, image->owned);
    image->owned = NULL;
    image->more = NULL;
    for (uint32_t i = 0; i < KST_IMAGE_PLANES_MAX; i++)
        image->plane[i].data = NULL;
}
