/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies pixels between images, in host memory or a GPU's. */
#include <string.h>

#include "core/report.h"
#include "device/image.h"
#include "image/validate.h"
#include "run/device.h"
#include "run/image.h"

struct copying {
    const kst_image *from, *to;
    struct gpu_image imported_from, imported_to;
};

static kst_status check(
    struct gpu_runtime *gpu, const kst_image *image, struct gpu_image *imported, struct gpu_error *error)
{
    if (image->size != sizeof *image)
        return KST_ERROR_ARGUMENT;
    if (!kst_memory_is_device(image->memory))
        return kst_image_check(image);
    kst_status status = kst_image_check_shape(image);
    if (status)
        return status;
    if (!gpu || image->plane_count > KST_IMAGE_PLANES_MAX)
        return KST_ERROR_IMAGE_MEMORY;
    kst_gpu_image_import(gpu, image, imported, error);
    return error->status;
}

static void copy_on_host(const kst_image *from, const kst_image *to)
{
    for (uint32_t i = 0; i < from->plane_count; i++) {
        const kst_plane *a = kst_image_plane(from, i), *b = kst_image_plane(to, i);
        size_t row = (size_t)a->width * kst_format_samples(from->format) * kst_plane_sample_bytes(a);
        for (uint32_t y = 0; y < a->height; y++)
            memmove((uint8_t *)b->data + (ptrdiff_t)y * b->pitch, (uint8_t *)a->data + (ptrdiff_t)y * a->pitch, row);
    }
}

static void queue_copy(struct gpu_queue *queue, const struct copying *copying)
{
    const kst_image *from = copying->from, *to = copying->to;
    if (!kst_memory_is_device(from->memory))
        kst_gpu_image_upload(queue, to, &copying->imported_to, from);
    else if (!kst_memory_is_device(to->memory))
        kst_gpu_image_download(queue, from, &copying->imported_from, to);
    else
        kst_gpu_image_move(queue, to, &copying->imported_to, from, &copying->imported_from);
}

static kst_status copy_on_gpu(struct gpu_runtime *gpu, const struct copying *copying, struct gpu_error *error)
{
    struct gpu_track *track = kst_gpu_track_take(gpu, error);
    if (track) {
        queue_copy(&track->queue, copying);
        gpu->gpu->backend->finish(&track->queue);
        *error = track->queue.error;
    }
    kst_gpu_track_give(gpu, track);
    return error->status;
}

kst_status kst_image_copy_in(
    struct kst_context *context, const kst_image *from, const kst_image *to, struct gpu_error *error)
{
    struct copying copying = {.from = from, .to = to};
    bool device = kst_memory_is_device(from->memory) || kst_memory_is_device(to->memory);
    struct gpu_runtime *gpu = device ? kst_context_gpu(context) : NULL;
    kst_status status = check(gpu, from, &copying.imported_from, error);
    if (!status)
        status = check(gpu, to, &copying.imported_to, error);
    if (!status)
        status = kst_image_match(to, from);
    if (!status && device)
        status = copy_on_gpu(gpu, &copying, error);
    else if (!status)
        copy_on_host(from, to);
    return status;
}

kst_status kst_image_bring(kst_context *context, const kst_image *image, kst_image *host, kst_report *report)
{
    struct memory memory;
    struct gpu_error error = {.status = KST_OK};
    double start = kst_seconds();
    *host = *image;
    kst_memory_init_beside(&memory, &context->memory, context->limits.memory);
    host->memory = KST_MEMORY_PINNED;
    host->owned = NULL;
    kst_status status = kst_image_check_shape(image);
    if (!status && !kst_context_gpu(context))
        status = KST_ERROR_IMAGE_MEMORY;
    if (!status)
        status = kst_image_make_in(context, &memory, host, error.text);
    if (!status) {
        status = kst_image_copy_in(context, image, host, &error);
        if (status)
            kst_image_drop_in(context, &context->memory, host);
    }
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, error.text[0] ? "%s" : NULL, error.text);
    kst_report_stage(report, KST_STAGE_DOWNLOAD, kst_context_gpu(context)->gpu->info.kind, start);
    return KST_OK;
}
