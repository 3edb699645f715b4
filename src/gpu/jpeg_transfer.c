/* SPDX-License-Identifier: BSD-2-Clause */
/* What a batch brings to the device, and what comes back. */
#include <string.h>

#include "gpu/jpeg_job.h"

enum { SLICE = 1 << 19 /* bytes of a stream that are copied to pinned memory while those before are on the bus */ };

static const struct work_picture *picture_of(const struct job *job, uint32_t index)
{
    return kst_gpu_jpeg_picture((const uint32_t *)(const void *)job->buffer[HOST_WORK].host, index);
}

static void upload_pinned(struct job *job, size_t at, const uint8_t *data, size_t length)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)data, length);
    backend->copy(&job->lane->queue, &job->buffer[STREAM], at, &memory, 0, length);
}

/* Copy part of a stream to staging memory, and queue what has come together there since `*sent`. */
static void stage(struct job *job, size_t at, const uint8_t *data, size_t length, size_t *sent)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_buffer *staging = &job->buffer[HOST_STREAM];
    for (size_t done = 0, part; done < length; done += part) {
        part = length - done < SLICE ? length - done : SLICE;
        memcpy(staging->host + at + done, data + done, part);
        size_t end = at + done + part;
        if (end - *sent >= SLICE) {
            backend->copy(&job->lane->queue, &job->buffer[STREAM], *sent, staging, *sent, end - *sent);
            *sent = end;
        }
    }
}

static void flush(struct job *job, size_t *sent, size_t end)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    if (end > *sent)
        backend->copy(&job->lane->queue, &job->buffer[STREAM], *sent, &job->buffer[HOST_STREAM], *sent, end - *sent);
    *sent = end;
}

void kst_gpu_job_upload(struct job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    size_t sent = 0; /* up to where staging memory is queued, or needs not be */
    backend->copy(&job->lane->queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, (size_t)job->size.words * 4);
    backend->copy(&job->lane->queue, &job->buffer[COEFFICIENTS], (size_t)job->size.blocks * 128,
        &job->buffer[HOST_BLOCKS], 0, (size_t)job->size.copied * 128);
    for (uint32_t i = 0; i < job->count; i++) {
        uint64_t length;
        if (job->items[i].coefficients.copy)
            continue;
        const uint8_t *data = kst_gpu_scan_data(job->items[i].plan, &length);
        size_t at = (size_t)picture_of(job, i)->stream * 16, end = at + (size_t)(length / 16 + 2) * 16;
        if (job->items[i].pinned) {
            flush(job, &sent, at);
            upload_pinned(job, at, data, (size_t)length);
            sent = end;
        } else {
            stage(job, at, data, (size_t)length, &sent);
            memset(job->buffer[HOST_STREAM].host + at + length, 0, end - at - (size_t)length);
        }
    }
    flush(job, &sent, (size_t)job->size.stream * 16);
}

/* An image's planes from the batch's buffers, to pinned or device memory. */
static void copy_planes(struct job *job, uint32_t index)
{
    const struct jpeg_gpu_item *item = &job->items[index];
    const struct gpu_buffer *buffer = &job->buffer[kst_gpu_jpeg_is_raw(item) ? PLANES : PIXELS];
    for (uint32_t i = 0; i < item->output.image.plane_count; i++) {
        struct jpeg_gpu_plane plane = kst_gpu_jpeg_plane(item, picture_of(job, index), i);
        struct gpu_rows to = {&item->image.buffer[i], item->image.offset[i], (size_t)item->output.image.plane[i].pitch};
        struct gpu_rows from = {buffer, plane.offset, plane.pitch};
        kst_gpu_copy_rows(&job->lane->queue, to, from, plane.row, plane.rows);
    }
}

void kst_gpu_job_download(struct job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_queue *queue = &job->lane->queue;
    struct gpu_buffer *buffer = job->buffer;
    size_t at = job->damage_length;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].sink != JPEG_SINK_HOST && !job->items[i].direct.buffer)
            copy_planes(job, i);
    backend->copy(queue, &buffer[HOST_RESULT], 0, &buffer[DAMAGE], 0, job->damage_length);
    backend->copy(queue, &buffer[HOST_RESULT], at, &buffer[PIXELS], 0, job->pixels_length);
    backend->copy(queue, &buffer[HOST_RESULT], at + job->pixels_length, &buffer[PLANES], 0, job->planes_length);
}

static void fetch_plane(const kst_plane *plane, const struct jpeg_gpu_plane *from, const uint8_t *bytes)
{
    for (uint32_t y = 0; y < from->rows; y++)
        memcpy((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, bytes + from->offset + y * from->pitch, from->row);
}

void kst_gpu_job_fetch(const struct job *job)
{
    const uint8_t *pixels = job->buffer[HOST_RESULT].host + job->damage_length, *planes = pixels + job->pixels_length;
    for (uint32_t i = 0; i < job->count; i++) {
        const struct jpeg_gpu_item *item = &job->items[i];
        for (uint32_t p = 0; item->sink == JPEG_SINK_HOST && p < item->output.image.plane_count; p++) {
            struct jpeg_gpu_plane plane = kst_gpu_jpeg_plane(item, picture_of(job, i), p);
            fetch_plane(&item->output.image.plane[p], &plane, kst_gpu_jpeg_is_raw(item) ? planes : pixels);
        }
    }
}
