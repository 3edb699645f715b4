/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how a picture's bytes get to the device and how its pixels get to the caller's image. */
#include "jpeg/gpu/target.h"

/*
 * Whether the device can copy to all of the image's planes. An image with more planes than a struct gpu_image has room
 * for is not a target of copies.
 */
static bool takes_copies(struct gpu_executor *executor, const kst_image *image)
{
    if (image->plane_count > KST_IMAGE_PLANES_MAX)
        return false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t row, extent;
        if (!kst_plane_extent(plane, image->format, &row, &extent) || plane->pitch < 0 || plane->pitch > INT32_MAX)
            return false;
        if (!kst_gpu_is_pinned(executor, plane->data, extent))
            return false;
    }
    return true;
}

/* Whether an image claims to be pinned but the driver knows that it is not. OpenCL cannot tell. */
static bool is_mislabelled(struct gpu_executor *executor, const kst_image *image)
{
    return image->memory == KST_MEMORY_PINNED && executor->gpu->backend->memory == KST_MEMORY_CUDA &&
           !kst_gpu_is_pinned(executor, image->plane[0].data, 1);
}

bool kst_gpu_jpeg_target(
    struct gpu_executor *executor, const kst_image *image, struct jpeg_gpu_item *item, struct gpu_error *error)
{
    struct gpu *gpu = executor->gpu;
    item->sink = GPU_SINK_HOST;
    if (image->memory == KST_MEMORY_HOST || image->memory == KST_MEMORY_PINNED) {
        if (is_mislabelled(executor, image))
            return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "the memory is not pinned");
        if (takes_copies(executor, image)) {
            item->sink = GPU_SINK_PINNED;
            for (uint32_t i = 0; i < image->plane_count; i++)
                item->image.buffer[i] = kst_gpu_host(image->plane[i].data, SIZE_MAX);
        }
        return true;
    }
    item->sink = GPU_SINK_DEVICE;
    return kst_gpu_image_import(gpu, image, &item->image, error);
}

/* The bytes from one plane to the next. False if the distances differ, or the kernels cannot work with them. */
static bool plane_step(const struct jpeg_gpu_item *item, const struct gpu_image *image, uint32_t *step)
{
    const kst_image *to = &item->output.image;
    uint64_t first = image->buffer[0].handle + image->offset[0];
    *step = 0;
    for (uint32_t i = 1; i < to->plane_count; i++) {
        bool one_buffer = to->memory == KST_MEMORY_CUDA || image->buffer[i].handle == image->buffer[0].handle;
        uint64_t at = to->memory == KST_MEMORY_CUDA ? image->buffer[i].handle : image->buffer[0].handle;
        at += image->offset[i];
        if (i == 1)
            *step = (uint32_t)(at - first);
        if (!one_buffer || at - first != (uint64_t)*step * i || to->plane[i].pitch != to->plane[0].pitch)
            return false;
    }
    return to->plane_count == 1 || *step > 0;
}

/* Whether rows of pixels are aligned so that four pixels can be stored at once. */
static bool suits_fours(const kst_image *to, uint64_t at, uint32_t step)
{
    uint64_t alignment = (uint64_t)WORK_OUTPUT_ALIGNMENT * kst_plane_sample_bytes(&to->plane[0]);
    return to->width % WORK_OUTPUT_PIXELS == 0 && at % alignment == 0 && step % alignment == 0 &&
           ((uint64_t)to->plane[0].pitch % alignment == 0 || to->height == 1);
}

/*
 * Let the kernels write in place if they can. Integers that are not aligned for this are copied instead; floating-point
 * samples are then written one by one.
 */
static void write_in_place(struct jpeg_gpu_item *item)
{
    const kst_image *to = &item->output.image;
    const struct gpu_image *image = &item->image;
    bool address = to->memory == KST_MEMORY_CUDA, bytes = to->plane[0].sample == KST_SAMPLE_INTEGER;
    uint64_t at = address ? image->buffer[0].handle : image->offset[0];
    uint32_t step;
    if (kst_gpu_jpeg_is_raw(item) || image->picture || !plane_step(item, image, &step))
        return;
    bool fours = suits_fours(to, at, step);
    if ((bytes && !fours) || (!address && (at / 4 > UINT32_MAX || at % 4 != 0)))
        return;
    item->direct = (struct jpeg_gpu_direct){.buffer = &item->image.buffer[0],
        .address = address ? at : 0,
        .offset = address ? 0 : at,
        .pitch = (uint32_t)to->plane[0].pitch,
        .plane = step,
        .ragged = !fours};
}

void kst_gpu_jpeg_route(struct gpu_executor *executor, struct jpeg_gpu_item *item)
{
    uint64_t length;
    const uint8_t *data = kst_gpu_scan_data(item->plan, &length);
    item->pinned = kst_gpu_is_pinned(executor, data, (size_t)length);
    item->direct = (struct jpeg_gpu_direct){.buffer = NULL};
    if (item->sink == GPU_SINK_DEVICE)
        write_in_place(item);
}
