/* SPDX-License-Identifier: BSD-2-Clause */
/* Imports pictures in device memory and copies their planes. */
#include "device/image.h"
#include "device/runtime.h"

#include "image/location.h"

bool kst_gpu_image_take(struct gpu_runtime *runtime, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    if (!kst_gpu_pool_take(&runtime->pool, GPU_DEVICE, length, buffer, error))
        return false;
    pthread_mutex_lock(&runtime->lent_lock);
    bool kept = kst_gpu_lent_add(&runtime->images, runtime->gpu->memory, buffer, &error->status);
    pthread_mutex_unlock(&runtime->lent_lock);
    if (!kept)
        kst_gpu_pool_give(&runtime->pool, buffer);
    return kept;
}

void kst_gpu_image_give(struct gpu_runtime *runtime, struct gpu_buffer *buffer)
{
    struct gpu_buffer removed;
    pthread_mutex_lock(&runtime->lent_lock);
    kst_gpu_lent_remove(&runtime->images, runtime->gpu->memory, kst_gpu_lent_address(buffer), &removed);
    pthread_mutex_unlock(&runtime->lent_lock);
    kst_gpu_pool_give(&runtime->pool, buffer);
}

/*
 * Import a plane that lies in memory of kst_gpu_image_take(). Returns false if it lies elsewhere. For memory with
 * offsets, handles are names and not addresses.
 */
static bool import_lent(struct gpu_runtime *runtime, const kst_image *image, const kst_plane *plane, size_t extent,
    struct gpu_buffer *buffer)
{
    bool has_offsets = kst_memory_has_offsets(image->memory);
    uintptr_t at = (uintptr_t)plane->data;
    pthread_mutex_lock(&runtime->lent_lock);
    const struct gpu_buffer *found = kst_gpu_lent_find(&runtime->images, at);
    size_t before = !found ? 0 : has_offsets ? plane->offset : (size_t)(at - found->handle);
    bool own =
        found && before <= found->length && extent <= found->length - before && (!has_offsets || at == found->handle);
    pthread_mutex_unlock(&runtime->lent_lock);
    if (own)
        *buffer = (struct gpu_buffer){.place = GPU_DEVICE, .length = extent, .handle = at};
    return own;
}

static bool import_plane(struct gpu_runtime *runtime, const kst_image *image, uint32_t index,
    struct gpu_image *imported, struct gpu_error *error)
{
    struct gpu *gpu = runtime->gpu;
    const kst_plane *plane = &image->plane[index];
    bool has_offsets = kst_memory_has_offsets(image->memory);
    size_t row, extent, offset = has_offsets ? plane->offset : 0;
    if (!plane->data)
        return kst_gpu_refuse(error, gpu, KST_ERROR_ARGUMENT, "a plane without memory");
    if (!kst_plane_extent(plane, image->format, &row, &extent) || plane->pitch < 0 || plane->pitch > INT32_MAX)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_PITCH, "rows overlap, or the pitch is negative or too large");
    if (!kst_plane_is_aligned(plane, has_offsets ? offset : (uintptr_t)plane->data))
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_PITCH, "samples are not at multiples of their length");
    imported->offset[index] = offset;
    if (import_lent(runtime, image, plane, extent, &imported->buffer[index]))
        return kst_gpu_usable(gpu, error);
    return gpu->backend->import(gpu, plane->data, offset, extent, &imported->buffer[index], error);
}

bool kst_gpu_image_import(
    struct gpu_runtime *runtime, const kst_image *image, struct gpu_image *imported, struct gpu_error *error)
{
    struct gpu *gpu = runtime->gpu;
    imported->picture = image->memory == KST_MEMORY_OPENCL_IMAGE && gpu->backend->picture_import;
    if (imported->picture)
        return gpu->backend->picture_import(gpu, image, &imported->buffer[0], error);
    if (image->memory != gpu->backend->memory)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "memory of another kind of device");
    for (uint32_t i = 0; i < image->plane_count; i++)
        if (!import_plane(runtime, image, i, imported, error))
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

/* Copy row by row, because the rows of the host memory go upwards (a negative pitch). */
static void copy_upwards(
    struct gpu_queue *queue, const struct gpu_rows *there, const kst_plane *plane, size_t length, bool up)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    for (uint32_t y = 0; y < plane->height; y++) {
        struct gpu_buffer row = kst_gpu_host((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, length);
        size_t at = there->offset + y * there->pitch;
        backend->copy(queue, up ? there->buffer : &row, up ? at : 0, up ? &row : there->buffer, up ? 0 : at, length);
    }
}

static struct gpu_rows rows_of(const kst_image *image, const struct gpu_image *imported, uint32_t index)
{
    return (struct gpu_rows){&imported->buffer[index], imported->offset[index], (size_t)image->plane[index].pitch};
}

void kst_gpu_plane_write(struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported,
    uint32_t index, struct gpu_rows from)
{
    const kst_plane *plane = &image->plane[index];
    size_t row = row_length(image, plane);
    if (imported->picture)
        queue->gpu->backend->picture_write(queue, &imported->buffer[0], from, row,
            (struct gpu_region){plane->width, plane->height, imported->left, imported->top});
    else
        kst_gpu_copy_rows(queue, rows_of(image, imported, index), from, row, plane->height);
}

void kst_gpu_plane_read(struct gpu_queue *queue, struct gpu_rows to, const kst_image *image,
    const struct gpu_image *imported, uint32_t index)
{
    const kst_plane *plane = &image->plane[index];
    size_t row = row_length(image, plane);
    if (imported->picture)
        queue->gpu->backend->picture_read(queue, to, &imported->buffer[0], row,
            (struct gpu_region){plane->width, plane->height, imported->left, imported->top});
    else
        kst_gpu_copy_rows(queue, to, rows_of(image, imported, index), row, plane->height);
}

/*
 * An image object and host memory whose rows go upwards cannot be combined, since image objects are not copied row by
 * row.
 */
static void refuse_upwards(struct gpu_queue *queue)
{
    kst_gpu_refuse(&queue->error, queue->gpu, KST_ERROR_IMAGE_PITCH, "rows that go upwards next to an image object");
}

static void copy_image(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host, bool up)
{
    for (uint32_t i = 0; i < image->plane_count; i++) {
        struct gpu_buffer memory = kst_gpu_host(host->plane[i].data, SIZE_MAX);
        struct gpu_rows here = {&memory, 0, (size_t)host->plane[i].pitch};
        struct gpu_rows there = rows_of(image, imported, i);
        if (host->plane[i].pitch < 0 && imported->picture)
            refuse_upwards(queue);
        else if (host->plane[i].pitch < 0)
            copy_upwards(queue, &there, &host->plane[i], row_length(image, &image->plane[i]), up);
        else if (up)
            kst_gpu_plane_write(queue, image, imported, i, here);
        else
            kst_gpu_plane_read(queue, here, image, imported, i);
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

void kst_gpu_image_move(struct gpu_queue *queue, const kst_image *to, const struct gpu_image *imported_to,
    const kst_image *from, const struct gpu_image *imported_from)
{
    if (imported_to->picture && imported_from->picture)
        kst_gpu_refuse(&queue->error, queue->gpu, KST_ERROR_IMAGE_MEMORY, "from one image object to another");
    for (uint32_t i = 0; i < to->plane_count && !queue->error.status; i++) {
        if (imported_to->picture)
            kst_gpu_plane_write(queue, to, imported_to, i, rows_of(from, imported_from, i));
        else
            kst_gpu_plane_read(queue, rows_of(to, imported_to, i), from, imported_from, i);
    }
}
