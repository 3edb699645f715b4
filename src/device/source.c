/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether kernels read the pixels of a picture to encode where they lie, or from a copy. */
#include "device/image.h"
#include "device/pinned.h"
#include "device/runtime.h"
#include "image/location.h"

/*
 * Return whether the device can copy all of the image's planes from where they are. An image with more planes than a
 * struct gpu_image has room for is not pinned.
 */
static bool is_pinned(struct gpu_runtime *runtime, const kst_image *image)
{
    if (image->plane_count > KST_IMAGE_PLANES_MAX)
        return false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t row, extent;
        if (!kst_plane_extent(plane, image->format, &row, &extent) || (plane->pitch < 0 && plane->height > 1) ||
            !kst_gpu_is_pinned(runtime, plane->data, extent))
            return false;
    }
    return true;
}

/*
 * Return whether all planes lie in one buffer, as kernels need them. (With CUDA addresses can point anywhere, so this
 * does not matter there.)
 */
static bool in_one_buffer(const kst_image *image, const struct gpu_image *planes)
{
    for (uint32_t i = 1; i < image->plane_count; i++)
        if (planes->buffer[i].handle != planes->buffer[0].handle)
            return false;
    return true;
}

bool kst_gpu_image_source(struct gpu_runtime *runtime, const kst_image *image, enum gpu_source *source,
    struct gpu_image *planes, struct gpu_error *error)
{
    *source = GPU_SOURCE_STAGED;
    if (image->memory == KST_MEMORY_HOST || image->memory == KST_MEMORY_PINNED) {
        if (!is_pinned(runtime, image))
            return true;
        *source = GPU_SOURCE_COPIED;
        for (uint32_t i = 0; i < image->plane_count; i++)
            planes->buffer[i] = kst_gpu_host(image->plane[i].data, SIZE_MAX);
        return true;
    }
    if (!kst_gpu_image_import(runtime, image, planes, error))
        return false;
    bool direct = kst_memory_has_addresses(image->memory) || (!planes->picture && in_one_buffer(image, planes));
    *source = direct ? GPU_SOURCE_DIRECT : GPU_SOURCE_COPIED;
    return true;
}
