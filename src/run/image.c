/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and releases the buffers of images, in host memory or a GPU's. */
#include "run/image.h"

#include <stdio.h>

#include "device/image.h"
#include "image/allocate.h"
#include "image/validate.h"
#include "run/device.h"

static kst_status failed(const struct gpu_error *error, char message[128])
{
    if (message)
        snprintf(message, 128, "%s", error->text);
    return error->status;
}

/* Allocate the image in a buffer of the device's pool; the image's `owned` points to a description of that buffer. */
static kst_status make_on_gpu(
    struct kst_context *context, struct gpu_runtime *gpu, kst_image *image, uint64_t total, char message[128])
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer *buffer = kst_memory_zeroed(&context->memory, 1, sizeof *buffer, &error.status);
    if (!buffer)
        return error.status;
    enum gpu_place place = image->memory == KST_MEMORY_PINNED ? GPU_PINNED : GPU_DEVICE;
    bool taken = place == GPU_PINNED ? kst_gpu_pool_take(&gpu->pool, place, (size_t)total, buffer, &error)
                                     : kst_gpu_image_take(gpu, (size_t)total, buffer, &error);
    if (!taken) {
        kst_memory_release(&context->memory, buffer);
        return failed(&error, message);
    }
    image->owned = buffer;
    if (!kst_memory_has_offsets(image->memory)) {
        kst_image_place(image, place == GPU_PINNED ? buffer->host : (uint8_t *)buffer->handle);
        return KST_OK;
    }
    for (size_t i = 0, at = 0; i < image->plane_count; i++) {
        image->plane[i].data = (void *)buffer->handle;
        image->plane[i].offset = at;
        at += (size_t)image->plane[i].pitch * image->plane[i].height;
    }
    return KST_OK;
}

kst_status kst_image_make_in(struct kst_context *context, struct memory *memory, kst_image *image, char message[128])
{
    kst_image made = *image;
    struct gpu_runtime *gpu = NULL;
    uint64_t total;
    if (made.memory != KST_MEMORY_HOST)
        gpu = kst_context_gpu(context);
    if (gpu && made.plane_count > KST_IMAGE_PLANES_MAX)
        return KST_ERROR_IMAGE_MEMORY;
    if (made.memory == KST_MEMORY_HOST || (made.memory == KST_MEMORY_PINNED && !gpu))
        return kst_image_make(memory, image);
    if (!gpu || (made.memory != KST_MEMORY_PINNED && made.memory != gpu->gpu->backend->memory))
        return KST_ERROR_IMAGE_MEMORY;
    kst_status status = kst_image_lay_out(&made, &total);
    if (!status && total > context->limits.memory)
        status = KST_ERROR_LIMIT_MEMORY;
    if (!status)
        status = make_on_gpu(context, gpu, &made, total, message);
    if (!status)
        *image = made;
    return status;
}

/*
 * Return whether the image's memory is charged to the operation. Device memory belongs to the context from the start.
 */
static bool is_charged(struct kst_context *context, const kst_image *image)
{
    return image->memory == KST_MEMORY_HOST || !kst_context_gpu(context);
}

void kst_image_keep(struct kst_context *context, struct memory *memory, const kst_image *image)
{
    if (is_charged(context, image))
        kst_memory_hand_over(memory, &context->memory, image->owned);
}

void kst_image_drop_in(struct kst_context *context, struct memory *memory, kst_image *image)
{
    if (is_charged(context, image)) {
        kst_image_drop(memory, image);
        return;
    }
    struct gpu_buffer *buffer = image->owned;
    if (buffer->place == GPU_PINNED)
        kst_gpu_pool_give(&kst_context_gpu(context)->pool, buffer);
    else
        kst_gpu_image_give(kst_context_gpu(context), buffer);
    kst_image_drop(&context->memory, image);
}
