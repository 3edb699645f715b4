/* SPDX-License-Identifier: BSD-2-Clause */
/* Uploads the streams and the work of a part of JPEG 2000 pictures, and downloads its pixels and damage. */
#include <string.h>

#include "device/pinned.h"
#include "image/format.h"
#include "j2k/gpu/job.h"

enum { STRIP = 1 << 20 /* bytes that a thread copies at once */ };

/* Describes a stream that is being copied to pinned memory. */
struct staging {
    uint8_t *to;
    const uint8_t *from;
    size_t length;
    const struct j2k_gpu_run *run; /* the runs that it is assembled from */
    uint32_t runs;                 /* 0: it is copied as a whole */
};

/* Find the run that contains a byte of the assembled stream. */
static const struct j2k_gpu_run *find_run(const struct staging *staging, size_t at)
{
    uint32_t first = 0, end = staging->runs;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (staging->run[middle].to <= at)
            first = middle;
        else
            end = middle;
    }
    return &staging->run[first];
}

static void stage_strip(void *arg, uint32_t index)
{
    const struct staging *staging = arg;
    size_t at = (size_t)index * STRIP, left = staging->length - at < STRIP ? staging->length - at : STRIP;
    if (staging->runs == 0)
        memcpy(staging->to + at, staging->from + at, left);
    for (const struct j2k_gpu_run *run = staging->runs ? find_run(staging, at) : NULL; run && left > 0; run++) {
        size_t skipped = at - (size_t)run->to, there = (size_t)run->length - skipped,
               bytes = there < left ? there : left;
        memcpy(staging->to + at, staging->from + run->from + skipped, bytes);
        at += bytes;
        left -= bytes;
    }
}

/*
 * Return where the next stream begins in the buffer. Kernels read the bytes in between together with the last bytes of
 * a stream, but do not use them.
 */
static size_t end_of(const struct j2k_gpu_job *job, uint32_t index)
{
    return index + 1 < job->count ? job->part.place[index + 1].stream : job->part.stream;
}

static uint32_t strips_of(const struct staging *staging)
{
    return (uint32_t)((staging->length + STRIP - 1) / STRIP);
}

/* Describe how a stream is copied to pinned memory, and clear the gap behind it there. */
static struct staging stage(const struct j2k_gpu_job *job, uint32_t index)
{
    const struct j2k_gpu_item *item = &job->items[index];
    const struct j2k_gpu_place *place = &job->part.place[index];
    const struct staging staging = {.to = job->buffer[J2K_HOST_STREAM].host + place->stream,
        .from = item->plan->data,
        .length = (size_t)item->stream,
        .run = place->runs > 0 ? &job->part.run[place->first_run] : NULL,
        .runs = place->runs};
    memset(staging.to + staging.length, 0, end_of(job, index) - place->stream - staging.length);
    return staging;
}

static void upload_stream(struct j2k_gpu_job *job, uint32_t index)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct j2k_gpu_item *item = &job->items[index];
    const struct j2k_gpu_place *place = &job->part.place[index];
    size_t at = place->stream, length = (size_t)item->stream;
    struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)item->plan->data, length);
    if (item->pinned) {
        backend->copy(&job->track->queue, &job->buffer[J2K_STREAM], at, &memory, 0, length);
        return;
    }
    const struct staging staging = stage(job, index);
    kst_pool_run(job->threads, strips_of(&staging), stage_strip, (void *)&staging);
    backend->copy(
        &job->track->queue, &job->buffer[J2K_STREAM], at, &job->buffer[J2K_HOST_STREAM], at, end_of(job, index) - at);
}

/*
 * Clear the gaps behind streams that are uploaded directly from pinned memory. One fill of the whole buffer takes the
 * device less time than one fill behind each stream, because each fill makes its queue wait.
 */
static void clear_streams(struct j2k_gpu_job *job)
{
    bool pinned = false;
    for (uint32_t i = 0; i < job->count; i++)
        pinned = pinned || (job->items[i].pinned && job->items[i].plan->length > 0);
    if (pinned)
        job->runtime->gpu->backend->fill(&job->track->queue, &job->buffer[J2K_STREAM], 0, job->part.stream, 0);
}

static void stage_whole(void *arg, uint32_t index)
{
    struct staging staging = stage(arg, index);
    for (uint32_t i = 0; i < strips_of(&staging); i++)
        stage_strip(&staging, i);
}

/*
 * Return whether the part consists of several volumes whose streams are not pinned. Their streams are staged side by
 * side, and uploaded by one copy.
 */
static bool goes_at_once(const struct j2k_gpu_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].pinned)
            return false;
    return job->count > 1 && job->items->volume;
}

/*
 * Return how many streams, from this one on, follow each other in one block of pinned memory with the same gaps as in
 * the buffer.
 */
static uint32_t count_followers(const struct j2k_gpu_job *job, uint32_t index)
{
    uint32_t count = 1;
    while (kst_j2k_gpu_is_followed(&job->part, index + count - 1))
        count++;
    const struct j2k_gpu_item *first = &job->items[index], *last = first + count - 1;
    const size_t length = (size_t)(last->plan->data - first->plan->data) + (size_t)last->stream;
    return count > 1 && kst_gpu_is_pinned(job->runtime, first->plan->data, length) ? count : 1;
}

/* Upload streams that follow each other by one copy. */
static void upload_followers(struct j2k_gpu_job *job, uint32_t index, uint32_t count)
{
    const struct j2k_gpu_item *first = &job->items[index], *last = first + count - 1;
    const size_t at = job->part.place[index].stream,
                 length = (size_t)(last->plan->data - first->plan->data) + (size_t)last->stream;
    const struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)first->plan->data, length);
    job->runtime->gpu->backend->copy(&job->track->queue, &job->buffer[J2K_STREAM], at, &memory, 0, length);
}

/*
 * Upload all streams by one copy if they follow each other, together with the bytes behind the last one, if these are
 * in the same memory, so that no gaps must be cleared. Returns whether it did.
 */
static bool upload_together(struct j2k_gpu_job *job)
{
    const size_t length = job->part.stream;
    const struct j2k_plan *first = job->items->plan;
    if (!job->items->volume || !job->items->pinned || count_followers(job, 0) < job->count ||
        !kst_gpu_is_pinned(job->runtime, first->data, length))
        return false;
    const struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)first->data, length);
    job->runtime->gpu->backend->copy(&job->track->queue, &job->buffer[J2K_STREAM], 0, &memory, 0, length);
    return true;
}

static void upload_all(struct j2k_gpu_job *job)
{
    if (upload_together(job))
        return;
    clear_streams(job);
    for (uint32_t i = 0, count; i < job->count; i += count) {
        count = count_followers(job, i);
        if (count > 1)
            upload_followers(job, i, count);
        else if (job->items[i].plan->length > 0)
            upload_stream(job, i);
    }
}

void kst_j2k_gpu_upload_streams(struct j2k_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    if (goes_at_once(job)) {
        kst_pool_run(job->threads, job->count, stage_whole, job);
        backend->copy(
            &job->track->queue, &job->buffer[J2K_STREAM], 0, &job->buffer[J2K_HOST_STREAM], 0, job->part.stream);
    } else {
        upload_all(job);
    }
    backend->flush(&job->track->queue);
}

void kst_j2k_gpu_upload_work(struct j2k_gpu_job *job)
{
    job->runtime->gpu->backend->copy(
        &job->track->queue, &job->buffer[J2K_WORK], 0, &job->buffer[J2K_HOST_WORK], 0, (size_t)job->part.words * 4);
}

static size_t row_length(const kst_image *image, const kst_plane *plane)
{
    return (size_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

/* Copy an image's planes from the part's buffer to pinned or device memory. */
static void copy_planes(struct j2k_gpu_job *job, uint32_t index)
{
    const struct j2k_gpu_item *item = &job->items[index];
    const struct j2k_gpu_place *place = &job->part.place[index];
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        struct gpu_rows from = {&job->buffer[J2K_PIXELS], place->plane[i].at, place->plane[i].pitch};
        if (item->output.plane[i].width > 0 && item->output.plane[i].height > 0)
            kst_gpu_plane_write(&job->track->queue, &item->output, &item->image, i, from);
    }
}

/*
 * Says where a volume lies in the part's buffer of pixels, or in the host's copy; and its pitches and numbers of rows.
 */
struct j2k_volume_rows {
    size_t at, row, slice;
    uint32_t height, depth;
};

static struct j2k_volume_rows volume_rows(const struct j2k_gpu_job *job, uint32_t index)
{
    const kst_volume *volume = &job->items[index].volume->output;
    const size_t row = (size_t)volume->width * kst_volume_sample_bytes(volume);
    return (struct j2k_volume_rows){
        job->part.place[index].volume, row, row * volume->height, volume->height, volume->depth};
}

/* Copy a volume from the part's buffer to pinned memory: slice by slice, or all rows at once if slices are dense. */
static void copy_volume(struct j2k_gpu_job *job, uint32_t index)
{
    const struct j2k_gpu_item *item = &job->items[index];
    const kst_volume *volume = &item->volume->output;
    const struct j2k_volume_rows from = volume_rows(job, index);
    const bool dense = volume->slice_pitch == volume->pitch * volume->height;
    const uint32_t pieces = dense ? 1 : from.depth, rows = dense ? from.height * from.depth : from.height;
    for (uint32_t i = 0; i < pieces; i++)
        kst_gpu_copy_rows(&job->track->queue,
            (struct gpu_rows){&item->image.buffer[0], item->image.offset[0] + i * volume->slice_pitch, volume->pitch},
            (struct gpu_rows){&job->buffer[J2K_PIXELS], from.at + i * from.slice, from.row}, from.row, rows);
}

void kst_j2k_gpu_download(struct j2k_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].delivery != GPU_DELIVERY_HOST && !job->items[i].in_place)
            (job->items[i].volume ? copy_volume : copy_planes)(job, i);
    backend->copy(queue, &job->buffer[J2K_HOST_RESULT], 0, &job->buffer[J2K_DAMAGE], 0, job->damage_length);
    backend->copy(
        queue, &job->buffer[J2K_HOST_RESULT], job->damage_length, &job->buffer[J2K_PIXELS], 0, job->pixels_length);
}

/* Holds rows of a plane that threads copy to an image. */
struct j2k_download_strip {
    const kst_plane *to;
    const uint8_t *from;
    size_t pitch, row;
};

static uint32_t rows_of(const struct j2k_download_strip *strip)
{
    return (uint32_t)(STRIP / strip->row + 1);
}

static void fetch_strip(void *arg, uint32_t index)
{
    const struct j2k_download_strip *strip = arg;
    uint32_t first = index * rows_of(strip), left = strip->to->height - first;
    uint32_t end = first + (left < rows_of(strip) ? left : rows_of(strip));
    for (uint32_t y = first; y < end; y++)
        memcpy(
            (uint8_t *)strip->to->data + (ptrdiff_t)y * strip->to->pitch, strip->from + y * strip->pitch, strip->row);
}

/* Holds the volume whose slices threads copy. */
struct j2k_volume_download {
    const struct j2k_gpu_job *job;
    uint32_t index;
};

static void fetch_slice(void *arg, uint32_t index)
{
    const struct j2k_volume_download *download = arg;
    const struct j2k_gpu_job *job = download->job;
    const kst_volume *to = &job->items[download->index].volume->output;
    const struct j2k_volume_rows from = volume_rows(job, download->index);
    const uint8_t *at = job->buffer[J2K_HOST_RESULT].host + job->damage_length + from.at + index * from.slice;
    for (uint32_t y = 0; y < from.height; y++)
        memcpy((uint8_t *)to->data + index * to->slice_pitch + y * to->pitch, at + y * from.row, from.row);
}

static void fetch_volume(struct j2k_gpu_job *job, uint32_t index)
{
    struct j2k_volume_download download = {.job = job, .index = index};
    kst_pool_run(job->runtime->threads, job->items[index].volume->output.depth, fetch_slice, &download);
}

static void fetch_image(void *arg, uint32_t index)
{
    const struct j2k_gpu_job *job = arg;
    const struct j2k_gpu_item *item = &job->items[index];
    const struct j2k_gpu_place *place = &job->part.place[index];
    for (uint32_t i = 0; item->delivery == GPU_DELIVERY_HOST && i < item->output.plane_count; i++) {
        const kst_plane *plane = kst_image_plane(&item->output, i);
        if (plane->width == 0)
            continue;
        struct j2k_download_strip strip = {.to = plane,
            .from = job->buffer[J2K_HOST_RESULT].host + job->damage_length + place->plane[i].at,
            .pitch = place->plane[i].pitch,
            .row = row_length(&item->output, plane)};
        kst_pool_run(
            job->runtime->threads, (plane->height + rows_of(&strip) - 1) / rows_of(&strip), fetch_strip, &strip);
    }
}

void kst_j2k_gpu_fetch(struct j2k_gpu_job *job)
{
    if (!job->items->volume)
        kst_pool_run(job->runtime->threads, job->count, fetch_image, job);
    for (uint32_t i = 0; i < job->count && job->items->volume; i++)
        if (job->items[i].delivery == GPU_DELIVERY_HOST)
            fetch_volume(job, i);
}
