/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/image.h"

static bool import_plane(
    struct gpu *gpu, const kst_image *image, uint32_t index, struct gpu_image *imported, struct gpu_error *error)
{
    const kst_plane *plane = &image->plane[index];
    bool is_opencl = image->memory == KST_MEMORY_OPENCL;
    size_t row, extent, offset = is_opencl ? plane->offset : 0;
    if (!plane->data)
        return kst_gpu_refuse(error, gpu, KST_ERROR_ARGUMENT, "a plane without memory");
    if (!kst_plane_extent(plane, image->format, &row, &extent) || plane->pitch < 0 || plane->pitch > INT32_MAX)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_PITCH, "rows overlap, or the pitch is negative or too large");
    imported->offset[index] = offset;
    return gpu->backend->import(gpu, plane->data, offset, extent, &imported->buffer[index], error);
}

bool kst_gpu_image_import(struct gpu *gpu, const kst_image *image, struct gpu_image *imported, struct gpu_error *error)
{
    if (image->memory != gpu->backend->memory)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "memory of another kind of device");
    for (uint32_t i = 0; i < image->plane_count; i++)
        if (!import_plane(gpu, image, i, imported, error))
            return false;
    return true;
}

void kst_gpu_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    if (rows == 1 || (to.pitch == length && from.pitch == length))
        backend->copy(queue, to.buffer, to.offset, from.buffer, from.offset, length * rows);
    else
        backend->copy_rows(queue, to, from, length, rows);
}

static size_t row_length(const kst_image *image, const kst_plane *plane)
{
    return (size_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

static void copy_image(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host, bool up)
{
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        struct gpu_buffer memory = kst_gpu_host(host->plane[i].data, SIZE_MAX);
        struct gpu_rows there = {&imported->buffer[i], imported->offset[i], (size_t)plane->pitch};
        struct gpu_rows here = {&memory, 0, (size_t)host->plane[i].pitch};
        kst_gpu_copy_rows(queue, up ? there : here, up ? here : there, row_length(image, plane), plane->height);
    }
}

void kst_gpu_image_download(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host)
{
    copy_image(queue, image, imported, host, false);
}

void kst_gpu_image_upload(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host)
{
    copy_image(queue, image, imported, host, true);
}
