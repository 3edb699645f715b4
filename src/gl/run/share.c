/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves pixels between the codec on a CUDA device and OpenGL on the same device. */
#include "core/report.h"
#include "device/image.h"
#include "gl/run/session.h"
#include "run/device.h"

static kst_status failed(kst_report *report, const struct gpu_error *error)
{
    return kst_report_error(report, error->status, KST_NO_OFFSET, "%s", error->text);
}

kst_status kst_gl_share_bind(kst_gl *gl, bool unpack, size_t length, kst_report *report)
{
    struct gpu_error error = {.status = KST_OK};
    struct gl_transfer *transfer = unpack ? &gl->to : &gl->from;
    unsigned target = unpack ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER;
    if (length > transfer->staging.length) /* the buffer then gets new memory */
        kst_cuda_gl_dismiss(&gl->cuda, &transfer->resource);
    kst_status status =
        kst_gl_staging_bind(&gl->functions, &transfer->staging, target, length, GL_DYNAMIC_COPY, false, report);
    if (status || transfer->resource)
        return status;
    transfer->resource =
        kst_cuda_gl_enrol(&gl->cuda, transfer->staging.name, unpack ? CUDA_GL_OVERWRITE : CUDA_GL_READ, &error);
    return transfer->resource ? KST_OK : failed(report, &error);
}

static void copy(struct gpu_queue *queue, const struct gpu_buffer *memory, const struct gl_layout *layout,
    const kst_image *image, bool unpack)
{
    const kst_plane *plane = &image->plane[0];
    size_t row = (size_t)layout->width * kst_format_channels(layout->format);
    struct gpu_buffer pixels = {
        .place = GPU_DEVICE, .length = (size_t)plane->pitch * plane->height, .handle = (uintptr_t)plane->data};
    struct gpu_rows there = {memory, layout->offset, layout->pitch}, here = {&pixels, 0, (size_t)plane->pitch};
    kst_gpu_copy_rows(queue, unpack ? there : here, unpack ? here : there, row, layout->height);
}

kst_status kst_gl_share_copy(kst_gl *gl, cu_resource resource, unsigned buffer, const struct gl_layout *layout,
    const kst_image *image, bool unpack, kst_report *report)
{
    struct gpu_runtime *gpu = kst_context_gpu(gl->context);
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer memory;
    cu_resource own = NULL;
    if (!resource)
        resource = own = kst_cuda_gl_enrol(&gl->cuda, buffer, unpack ? CUDA_GL_CHANGE : CUDA_GL_READ, &error);
    struct gpu_track *track = resource ? kst_gpu_track_take(gpu, &error) : NULL;
    if (track && kst_cuda_gl_map(&gl->cuda, resource, &track->queue, &memory)) {
        copy(&track->queue, &memory, layout, image, unpack);
        kst_cuda_gl_unmap(&gl->cuda, resource, &track->queue);
        gpu->gpu->backend->finish(&track->queue);
    }
    if (track)
        error = track->queue.error;
    kst_gpu_track_give(gpu, track);
    kst_cuda_gl_dismiss(&gl->cuda, &own);
    return error.status ? failed(report, &error) : KST_OK;
}
