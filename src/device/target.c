/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how decoded pixels get into the caller's image: kernels write them there, or a copy follows the kernels. */
#include "device/image.h"
#include "device/pinned.h"
#include "device/runtime.h"

/*
 * Return whether the device can copy to all of the image's planes. An image with more planes than a struct gpu_image
 * has room for is not a target of copies.
 */
static bool takes_copies(struct gpu_runtime *runtime, const kst_image *image)
{
    if (image->plane_count > KST_IMAGE_PLANES_MAX)
        return false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t row, extent;
        if (!kst_plane_extent(plane, image->format, &row, &extent) || plane->pitch < 0 || plane->pitch > INT32_MAX)
            return false;
        if (!kst_gpu_is_pinned(runtime, plane->data, extent))
            return false;
    }
    return true;
}

/* Return whether an image claims to be pinned but the driver knows that it is not. OpenCL cannot tell. */
static bool is_mislabelled(struct gpu_runtime *runtime, const kst_image *image)
{
    return image->memory == KST_MEMORY_PINNED && runtime->gpu->backend->memory == KST_MEMORY_CUDA &&
           !kst_gpu_is_pinned(runtime, image->plane[0].data, 1);
}

bool kst_gpu_image_target(
    struct gpu_runtime *runtime, const kst_image *image, struct gpu_target *target, struct gpu_error *error)
{
    struct gpu *gpu = runtime->gpu;
    target->delivery = GPU_DELIVERY_HOST;
    if (image->memory == KST_MEMORY_HOST || image->memory == KST_MEMORY_PINNED) {
        if (is_mislabelled(runtime, image))
            return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "the memory is not pinned");
        if (takes_copies(runtime, image)) {
            target->delivery = GPU_DELIVERY_PINNED;
            for (uint32_t i = 0; i < image->plane_count; i++)
                target->image.buffer[i] = kst_gpu_host(image->plane[i].data, SIZE_MAX);
        }
        return true;
    }
    target->delivery = GPU_DELIVERY_DEVICE;
    return kst_gpu_image_import(runtime, image, &target->image, error);
}
