/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the entry points for images' buffers: kst_image_allocate(), kst_image_copy(), kst_image_upload(), and
 * pinned memory.
 */
#include "run/image.h"

#include "run/device.h"

kst_status kst_image_allocate(kst_context *context, kst_image *image)
{
    struct memory operation;
    char message[128] = "";
    if (context == NULL || image == NULL || image->size < sizeof *image)
        return KST_ERROR_ARGUMENT;
    kst_memory_init_beside(&operation, &context->memory, context->limits.memory);
    kst_status status = kst_image_make_in(context, &operation, image, message);
    if (!status)
        kst_image_keep(context, &operation, image);
    if (message[0])
        kst_context_log(context, KST_LOG_ERROR, "image: %s", message);
    return status;
}

void kst_image_release(kst_context *context, kst_image *image)
{
    if (context != NULL && image != NULL && image->owned != NULL)
        kst_image_drop_in(context, &context->memory, image);
}

kst_status kst_pinned_allocate(kst_context *context, size_t length, void **memory)
{
    struct gpu_error error = {.status = KST_OK};
    if (!memory)
        return KST_ERROR_ARGUMENT;
    *memory = NULL;
    if (!context || length == 0)
        return KST_ERROR_ARGUMENT;
    if (length > context->limits.memory)
        return KST_ERROR_LIMIT_MEMORY;
    struct gpu_runtime *gpu = kst_context_gpu(context);
    *memory =
        gpu ? kst_gpu_pinned_take(gpu, length, &error) : kst_memory_array(&context->memory, length, 1, &error.status);
    if (!*memory && error.text[0])
        kst_context_log(context, KST_LOG_ERROR, "pinned memory: %s", error.text);
    return *memory ? KST_OK : error.status;
}

void kst_pinned_release(kst_context *context, void *memory)
{
    if (!context || !memory)
        return;
    struct gpu_runtime *gpu = kst_context_gpu(context);
    if (gpu)
        kst_gpu_pinned_give(gpu, memory);
    else
        kst_memory_release(&context->memory, memory);
}

kst_status kst_image_upload(kst_context *context, const kst_image *image, kst_image *there)
{
    if (!context || !image || !there || image->size < sizeof *image)
        return KST_ERROR_ARGUMENT;
    const kst_memory memory = kst_context_memory(context);
    *there = *image;
    there->owned = NULL;
    if (memory == KST_MEMORY_HOST || kst_memory_is_device(image->memory))
        return KST_OK;
    there->memory = memory;
    for (uint32_t i = 0; i < sizeof there->plane / sizeof *there->plane; i++)
        there->plane[i].data = NULL;
    kst_status status = kst_image_allocate(context, there);
    if (status)
        return status;
    status = kst_image_copy(context, image, there);
    if (status)
        kst_image_release(context, there);
    return status;
}

kst_status kst_image_copy(kst_context *context, const kst_image *from, const kst_image *to)
{
    struct gpu_error error = {.status = KST_OK};
    if (!context || !from || !to)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_image_copy_in(context, from, to, &error);
    if (error.text[0])
        kst_context_log(context, KST_LOG_ERROR, "copy: %s", error.text);
    return status;
}
