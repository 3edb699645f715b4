/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the pictures that lie in a tensor. */
#include <string.h>

#include "image/location.h"
#include "image/validate.h"

void kst_tensor_init(kst_tensor *tensor)
{
    if (tensor == NULL)
        return;
    memset(tensor, 0, sizeof *tensor);
    tensor->size = sizeof *tensor;
}

/* Describe the picture at the tensor's start, without its memory. */
static kst_status describe(const kst_tensor *tensor, kst_image *image)
{
    bool planar = tensor->format == KST_FORMAT_PLANAR;
    uint32_t channels = planar ? tensor->channels : kst_format_channels(tensor->format);
    kst_image_init(image);
    if (channels == 0 && !planar)
        return KST_ERROR_IMAGE_FORMAT;
    if (channels < 1 || channels > KST_IMAGE_PLANES_MAX || (tensor->channels != 0 && tensor->channels != channels))
        return KST_ERROR_IMAGE_SIZE;
    if ((unsigned)tensor->sample > KST_SAMPLE_FLOAT32)
        return KST_ERROR_IMAGE_SAMPLE;
    image->format = tensor->format;
    image->colour = kst_pixel_layout(tensor->format)->colour;
    image->memory = tensor->memory;
    image->width = tensor->width;
    image->height = tensor->height;
    image->plane_count = planar ? channels : 1;
    for (uint32_t i = 0; i < image->plane_count; i++)
        image->plane[i] = (kst_plane){
            .width = tensor->width, .height = tensor->height, .depth = 8, .sample = (uint8_t)tensor->sample};
    return kst_image_check_shape(image);
}

/*
 * Settle the step between `count` objects of `length` bytes; 0 stands for `length`. Returns whether the step is at
 * least `length`, so that the objects do not overlap, and all of them fit into the address space. *all receives the
 * bytes of all of them.
 */
static bool settle_step(size_t given, uint64_t length, uint32_t count, uint64_t *step, uint64_t *all)
{
    *step = given == 0 ? length : given;
    if (count > 1 && *step < length)
        return false;
    if (*step > PTRDIFF_MAX || (count > 1 && *step > ((uint64_t)PTRDIFF_MAX - length) / (count - 1)))
        return false;
    *all = *step * (count - 1) + length;
    return true;
}

kst_status kst_tensor_image(const kst_tensor *tensor, uint32_t index, kst_image *image)
{
    uint64_t pitch, plane, picture, rows, planes, all;
    if (!tensor || !image || !tensor->data || index >= tensor->count)
        return KST_ERROR_ARGUMENT;
    if (tensor->size != sizeof *tensor)
        return KST_ERROR_OPTIONS;
    kst_status status = describe(tensor, image);
    if (status)
        return status;
    uint64_t row =
        (uint64_t)tensor->width * kst_format_samples(tensor->format) * kst_plane_sample_bytes(&image->plane[0]);
    if (row > PTRDIFF_MAX || !settle_step(tensor->pitch, row, tensor->height, &pitch, &rows) ||
        !settle_step(tensor->plane_step, rows, image->plane_count, &plane, &planes) ||
        !settle_step(tensor->picture_step, planes, tensor->count, &picture, &all))
        return KST_ERROR_IMAGE_PITCH;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        size_t at = (size_t)(picture * index + plane * i);
        bool has_offsets = kst_memory_has_offsets(tensor->memory);
        image->plane[i].pitch = (ptrdiff_t)pitch;
        image->plane[i].data = has_offsets ? tensor->data : (uint8_t *)tensor->data + at;
        image->plane[i].offset = has_offsets ? tensor->offset + at : 0;
    }
    return KST_OK;
}
