/* SPDX-License-Identifier: BSD-2-Clause */
/* Uploads the data of a part and downloads its results. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "jpeg/gpu/job.h"

enum {
    SLICE = 1 << 18,  /* bytes of a stream that a thread copies to pinned memory at once */
    MOST_SLICES = 16, /* slices of a piece of a stream, which threads copy together */
    STRIP = 1 << 20   /* bytes of pixels that a thread copies at once */
};

static const struct jpeg_work_picture *picture_of(const struct jpeg_gpu_job *job, uint32_t index)
{
    return kst_jpeg_gpu_picture((const uint32_t *)(const void *)job->buffer[HOST_WORK].host, index);
}

static void upload_pinned(struct jpeg_gpu_job *job, size_t at, const uint8_t *data, size_t length)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)data, length);
    backend->copy(&job->track->queue, &job->buffer[STREAM], at, &memory, 0, length);
}

/* Clear the bytes behind a stream in its buffer. */
static void pad(struct jpeg_gpu_job *job, size_t at, size_t length)
{
    memset(job->buffer[HOST_STREAM].host + at + length, 0, (length / 16 + 2) * 16 - length);
}

bool kst_jpeg_gpu_job_stages(const struct jpeg_gpu_job *job, uint32_t index)
{
    return !job->items[index].coefficients.copy && !job->items[index].pinned;
}

/* Describes a stretch of a stream that threads copy to the staging buffer, slice by slice. */
struct stretch {
    uint8_t *to;
    const uint8_t *from;
    size_t length;
};

static void stage_slice(void *arg, uint32_t index)
{
    const struct stretch *stretch = arg;
    size_t first = (size_t)index * SLICE, left = stretch->length - first;
    memcpy(stretch->to + first, stretch->from + first, left < SLICE ? left : SLICE);
}

/* Copy bytes of a stream to place `at` of the staging buffer. */
static void stage(struct jpeg_gpu_job *job, size_t at, const uint8_t *data, size_t length)
{
    struct stretch stretch = {job->buffer[HOST_STREAM].host + at, data, length};
    kst_pool_run(job->runtime->threads, (uint32_t)((length + SLICE - 1) / SLICE), stage_slice, &stretch);
}

/*
 * Describes a piece of a stream. Threads copy its slices to the staging buffer, and one of them, which alone may use
 * the queue, uploads slices that have been copied while the others go on.
 */
struct stream_piece {
    struct jpeg_gpu_job *job;
    struct stretch stretch;
    size_t at, whole; /* offset in the buffers, and number of bytes with the padding behind the stream */
    uint32_t slices, uploaded;
    pthread_t uploader;
    atomic_bool copied[MOST_SLICES];
};

/* Upload the slices that have been copied, up to the first one that has not. */
static void upload_copied(struct stream_piece *piece)
{
    const struct gpu_backend *backend = piece->job->runtime->gpu->backend;
    uint32_t end = piece->uploaded;
    while (end < piece->slices && atomic_load_explicit(&piece->copied[end], memory_order_acquire))
        end++;
    if (end == piece->uploaded)
        return;
    size_t first = (size_t)piece->uploaded * SLICE, last = end < piece->slices ? (size_t)end * SLICE : piece->whole;
    backend->copy(&piece->job->track->queue, &piece->job->buffer[STREAM], piece->at + first,
        &piece->job->buffer[HOST_STREAM], piece->at + first, last - first);
    piece->uploaded = end;
}

static void copy_slice(void *arg, uint32_t index)
{
    struct stream_piece *piece = arg;
    stage_slice(&piece->stretch, index);
    atomic_store_explicit(&piece->copied[index], true, memory_order_release);
    if (pthread_equal(pthread_self(), piece->uploader))
        upload_copied(piece);
}

/* Upload a stream piece by piece, and each piece while threads copy the rest of it to pinned memory. */
static void upload_pieces(struct jpeg_gpu_job *job, size_t at, const uint8_t *data, size_t length)
{
    const size_t padded = (length / 16 + 2) * 16, most = (size_t)SLICE * MOST_SLICES;
    size_t done = 0;
    pad(job, at, length);
    do {
        const bool last = length - done <= most;
        const size_t bytes = last ? length - done : most;
        struct stream_piece piece = {.job = job,
            .stretch = {job->buffer[HOST_STREAM].host + at + done, data + done, bytes},
            .at = at + done,
            .whole = last ? padded - done : most,
            .slices = bytes > 0 ? (uint32_t)((bytes + SLICE - 1) / SLICE) : 1,
            .uploader = pthread_self()};
        kst_pool_run(job->runtime->threads, piece.slices, copy_slice, &piece);
        upload_copied(&piece);
        done += bytes;
    } while (done < length);
}

static void stage_stream(void *arg, uint32_t index)
{
    struct jpeg_gpu_job *job = arg;
    uint64_t length;
    if (!kst_jpeg_gpu_job_stages(job, index))
        return;
    const uint8_t *data = kst_jpeg_gpu_scan_data(job->items[index].plan, &length);
    size_t at = (size_t)picture_of(job, index)->stream * 16;
    stage(job, at, data, (size_t)length);
    pad(job, at, (size_t)length);
}

/* Staged streams that lie next to each other are uploaded in one copy. */
static void upload_staged(struct jpeg_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    size_t from = 0, to = 0;
    kst_pool_run_first(job->runtime->threads, job->count, stage_stream, job);
    for (uint32_t i = 0; i <= job->count; i++) {
        uint64_t length = 0;
        if (i < job->count && !kst_jpeg_gpu_job_stages(job, i))
            continue;
        if (i < job->count)
            kst_jpeg_gpu_scan_data(job->items[i].plan, &length);
        size_t at = i < job->count ? (size_t)picture_of(job, i)->stream * 16 : SIZE_MAX;
        if (at != to) {
            backend->copy(&job->track->queue, &job->buffer[STREAM], from, &job->buffer[HOST_STREAM], from, to - from);
            from = at;
        }
        to = at + (size_t)(length / 16 + 2) * 16;
    }
}

static void upload_streams(struct jpeg_gpu_job *job)
{
    uint64_t length;
    if (job->count == 1 && kst_jpeg_gpu_job_stages(job, 0)) {
        const uint8_t *data = kst_jpeg_gpu_scan_data(job->items->plan, &length);
        upload_pieces(job, (size_t)picture_of(job, 0)->stream * 16, data, (size_t)length);
        return;
    }
    if (job->staging_length > 0)
        upload_staged(job);
    for (uint32_t i = 0; i < job->count; i++) {
        const uint8_t *data = kst_jpeg_gpu_scan_data(job->items[i].plan, &length);
        if (!job->items[i].coefficients.copy && !kst_jpeg_gpu_job_stages(job, i))
            upload_pinned(job, (size_t)picture_of(job, i)->stream * 16, data, (size_t)length);
    }
}

/* Describes a picture whose coefficients come from elsewhere. */
struct given {
    const struct jpeg_gpu_job *job;
    uint32_t index;
};

static void stage_mcu_row(void *arg, uint32_t row)
{
    const struct given *given = arg;
    const struct jpeg_gpu_item *item = &given->job->items[given->index];
    const struct jpeg_output *output = &item->output;
    int16_t *staging = (int16_t *)(void *)given->job->buffer[HOST_BLOCKS].host;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_component *c = &output->frame.component[i];
        const struct jpeg_work_component *to = &picture_of(given->job, given->index)->component[i];
        uint32_t left = output->first_mcu * c->h, top = output->first_row * c->v;
        for (uint32_t y = row * c->v; output->scaled[i].needed && y < (row + 1) * c->v; y++)
            item->coefficients.copy(item->coefficients.source, i, left, top + y, to->blocks_w,
                staging + (to->block - given->job->size.blocks + (size_t)y * to->below) * 64);
    }
}

static void upload_blocks(struct jpeg_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].coefficients.copy)
            kst_pool_run(job->runtime->threads, job->items[i].output.row_count, stage_mcu_row, &(struct given){job, i});
    backend->copy(&job->track->queue, &job->buffer[COEFFICIENTS], (size_t)job->size.blocks * 128,
        &job->buffer[HOST_BLOCKS], 0, (size_t)job->size.copied * 128);
}

/* Upload the stream of the only picture together with the work, behind which it lies. */
static void upload_joined(struct jpeg_gpu_job *job)
{
    uint64_t length;
    const uint8_t *data = kst_jpeg_gpu_scan_data(job->items->plan, &length);
    size_t at = (size_t)picture_of(job, 0)->stream * 16;
    if (length > 0)
        memcpy(job->buffer[HOST_STREAM].host + at, data, (size_t)length);
    pad(job, at, (size_t)length);
    job->runtime->gpu->backend->copy(&job->track->queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0,
        (size_t)(job->size.before_stream + job->size.stream) * 16);
}

void kst_jpeg_gpu_job_upload(struct jpeg_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    if (job->joined) {
        upload_joined(job);
        return;
    }
    backend->copy(&job->track->queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, (size_t)job->size.words * 4);
    upload_blocks(job);
    if (!job->uploaded)
        upload_streams(job);
}

/* Copy the planes of an image from the part's buffers to pinned or device memory. */
static void copy_planes(struct jpeg_gpu_job *job, uint32_t index)
{
    const struct jpeg_gpu_item *item = &job->items[index];
    const struct gpu_buffer *buffer = &job->buffer[kst_jpeg_gpu_is_raw(item) ? PLANES : PIXELS];
    for (uint32_t i = 0; i < item->output.image.plane_count; i++) {
        struct jpeg_gpu_plane plane = kst_jpeg_gpu_plane(item, picture_of(job, index), i);
        struct gpu_rows from = {buffer, plane.offset, plane.pitch};
        kst_gpu_plane_write(&job->track->queue, &item->output.image, &item->image, i, from);
    }
}

void kst_jpeg_gpu_job_download(struct jpeg_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    struct gpu_buffer *buffer = job->buffer;
    size_t at = job->damage_length;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].delivery != GPU_DELIVERY_HOST && !job->items[i].direct.buffer)
            copy_planes(job, i);
    if (!job->mapped)
        backend->copy(queue, &buffer[HOST_RESULT], 0, &buffer[DAMAGE], 0, job->damage_length);
    backend->copy(queue, &buffer[HOST_RESULT], at, &buffer[PIXELS], 0, job->pixels_length);
    backend->copy(queue, &buffer[HOST_RESULT], at + job->pixels_length, &buffer[PLANES], 0, job->planes_length);
}

/* Holds the rows of a plane that threads copy. */
struct jpeg_download_strip {
    const kst_plane *to;
    const uint8_t *from;
    size_t pitch, row;
    uint32_t rows;
};

static void fetch_strip(void *arg, uint32_t index)
{
    const struct jpeg_download_strip *strip = arg;
    uint32_t step = (uint32_t)(STRIP / strip->row + 1), first = index * step;
    uint32_t end = strip->rows - first < step ? strip->rows : first + step;
    for (uint32_t y = first; y < end; y++)
        memcpy(
            (uint8_t *)strip->to->data + (ptrdiff_t)y * strip->to->pitch, strip->from + y * strip->pitch, strip->row);
}

static void fetch_image(void *arg, uint32_t index)
{
    const struct jpeg_gpu_job *job = arg;
    const struct jpeg_gpu_item *item = &job->items[index];
    const uint8_t *pixels = job->buffer[HOST_RESULT].host + job->damage_length, *planes = pixels + job->pixels_length;
    for (uint32_t i = 0; item->delivery == GPU_DELIVERY_HOST && i < item->output.image.plane_count; i++) {
        struct jpeg_gpu_plane plane = kst_jpeg_gpu_plane(item, picture_of(job, index), i);
        struct jpeg_download_strip strip = {.to = &item->output.image.plane[i],
            .from = (kst_jpeg_gpu_is_raw(item) ? planes : pixels) + plane.offset,
            .pitch = plane.pitch,
            .row = plane.row,
            .rows = plane.rows};
        uint32_t step = (uint32_t)(STRIP / plane.row + 1);
        kst_pool_run(job->runtime->threads, (plane.rows + step - 1) / step, fetch_strip, &strip);
    }
}

void kst_jpeg_gpu_job_fetch(struct jpeg_gpu_job *job)
{
    if (job->pixels_length + job->planes_length > 0)
        kst_pool_run(job->runtime->threads, job->count, fetch_image, job);
}
