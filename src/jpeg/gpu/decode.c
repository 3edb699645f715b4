/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a part to decode through the device, from upload to download. */
#include "jpeg/gpu/decode.h"

#include "core/report.h"
#include "jpeg/gpu/job.h"

/* Put the stream behind the work, in the same buffers, so that one copy uploads both. */
static void join_stream(struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS])
{
    job->joined = true;
    job->staging_length = 0;
    job->size.before_stream = (job->size.words + 3) / 4;
    length[HOST_WORK] = length[WORK] = (job->size.before_stream + job->size.stream) * 16;
    length[STREAM] = length[HOST_STREAM] = 0;
}

static void measure(struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS])
{
    job->size = kst_jpeg_gpu_size(job->items, job->count);
    job->size.units = job->runtime ? job->runtime->gpu->info.units : 0;
    job->damage_length = (size_t)job->size.pictures * WORK_DAMAGE * 4;
    for (uint32_t i = 0; i < job->count; i++) {
        const struct jpeg_gpu_item *item = &job->items[i];
        if (kst_jpeg_gpu_job_stages(job, i))
            job->staging_length = (size_t)job->size.stream * 16;
        if (item->delivery == GPU_DELIVERY_HOST && kst_jpeg_gpu_is_raw(item))
            job->planes_length = (size_t)job->size.planes * 16;
        else if (item->delivery == GPU_DELIVERY_HOST)
            job->pixels_length = (size_t)job->size.pixels * 16;
    }
    length[HOST_WORK] = length[WORK] = job->size.words * 4;
    length[HOST_BLOCKS] = job->size.copied * 128;
    length[HOST_STREAM] = job->staging_length;
    length[STREAM] = job->size.stream * 16;
    length[HOST_RESULT] = job->damage_length + job->pixels_length + job->planes_length;
    length[DAMAGE] = job->damage_length;
    if (job->brief && !job->uploaded && !job->items->coefficients.copy)
        join_stream(job, length);
    kst_jpeg_gpu_entropy_lengths(job, length);
    kst_jpeg_gpu_pixels_lengths(job, length);
}

uint64_t kst_jpeg_gpu_memory(const struct jpeg_gpu_item *items, uint32_t count)
{
    struct jpeg_gpu_job job = {.items = items, .count = count};
    uint64_t length[JOB_BUFFERS] = {0}, sum = 0;
    measure(&job, length);
    for (int i = WORK; i < JOB_BUFFERS; i++)
        sum += length[i];
    return sum;
}

/*
 * Take over the device buffers of an earlier job if they are large enough. The queue waits until that job is done with
 * them.
 */
static void inherit(struct jpeg_gpu_job *job, struct jpeg_gpu_job *from, const uint64_t length[JOB_BUFFERS])
{
    struct gpu_queue *queue = &job->track->queue;
    if (from->track->queue.error.status)
        return;
    for (int i = WORK; i < JOB_BUFFERS; i++)
        if (from->buffer[i].length >= length[i]) {
            job->buffer[i] = from->buffer[i];
            job->buffer[i].used = (size_t)length[i];
            from->buffer[i] = (struct gpu_buffer){.place = GPU_DEVICE};
        }
    queue->gpu->backend->wait(queue, &from->track->event[AFTER_ALL]);
}

static void run(struct jpeg_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    if (backend->enter)
        backend->enter(queue);
    if (!job->uploaded)
        kst_jpeg_gpu_job_record(job, BEFORE);
    kst_jpeg_gpu_job_upload(job);
    kst_jpeg_gpu_job_record(job, AFTER_UPLOAD);
    kst_jpeg_gpu_entropy_run(job);
    kst_jpeg_gpu_pixels_run(job);
    kst_jpeg_gpu_job_download(job);
    kst_jpeg_gpu_job_record(job, AFTER_ALL);
    if (backend->leave)
        backend->leave(queue);
}

static void drop(struct jpeg_gpu_job *job)
{
    struct gpu_runtime *runtime = job->runtime;
    kst_jpeg_gpu_job_give(job);
    kst_gpu_track_give(runtime, job->track);
    kst_memory_release(runtime->gpu->memory, job);
}

/* Take over an upload that is already in flight, with its track, if it is the stream of this job. */
static void take_early(struct jpeg_gpu_job *job, struct jpeg_gpu_early *early, uint64_t stream_length)
{
    uint64_t length;
    if (!early || !early->track || job->count != 1 || job->items->coefficients.copy ||
        kst_jpeg_gpu_scan_data(job->items->plan, &length) != early->data || length > early->length ||
        stream_length > early->stream.length)
        return;
    job->track = early->track;
    job->buffer[STREAM] = early->stream;
    job->buffer[STREAM].used = (size_t)stream_length;
    job->uploaded = true;
    *early = (struct jpeg_gpu_early){.track = NULL};
}

static bool prepare(struct jpeg_gpu_job *job, const struct jpeg_gpu_order *order, struct gpu_error *error)
{
    uint64_t length[JOB_BUFFERS] = {0};
    job->built = kst_gpu_runtime_build(job->runtime, &kst_jpeg_gpu_decoding, error);
    if (!job->built)
        return false;
    measure(job, length);
    if (!job->joined)
        take_early(job, order->early, length[STREAM]);
    if (!job->track)
        job->track = kst_gpu_track_take(job->runtime, error);
    if (!job->track)
        return false;
    if (order->after)
        job->runtime->gpu->backend->wait(&job->track->queue, order->after);
    if (order->heir_of)
        inherit(job, order->heir_of, length);
    return kst_jpeg_gpu_job_take(job, length, error);
}

struct jpeg_gpu_job *kst_jpeg_gpu_begin(struct gpu_runtime *runtime, const struct jpeg_gpu_item *items, uint32_t count,
    const struct jpeg_gpu_order *order, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct jpeg_gpu_job *job = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->runtime = runtime;
    job->items = items;
    job->count = count;
    job->detail = order->detail;
    job->brief = order->brief && count == 1 && !order->detail;
    job->mapped = job->brief && runtime->gpu->backend->maps && !items->coefficients.copy;
    job->start = kst_seconds();
    if (prepare(job, order, error)) {
        job->size.words = kst_jpeg_gpu_work(items, count, &job->size, runtime->gpu->memory, job->built->state,
            (uint32_t *)(void *)job->buffer[HOST_WORK].host);
        ((struct jpeg_work *)(void *)job->buffer[HOST_WORK].host)->reports = job->mapped;
        run(job);
        return job;
    }
    if (job->track) /* reused buffers must be free before they are returned */
        runtime->gpu->backend->finish(&job->track->queue);
    drop(job);
    return NULL;
}

void kst_jpeg_gpu_follow(const struct jpeg_gpu_job *job, struct gpu_queue *queue)
{
    if (!job->track->queue.error.status)
        queue->gpu->backend->wait(queue, &job->track->event[AFTER_ALL]);
}

bool kst_jpeg_gpu_done(const struct jpeg_gpu_job *job)
{
    struct gpu *gpu = job->runtime->gpu;
    return job->track->queue.error.status || gpu->backend->passed(gpu, &job->track->event[AFTER_ALL]);
}

static void read_times(const struct jpeg_gpu_job *job, struct jpeg_gpu_times *times)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    const struct gpu_event *after_entropy = &event[AFTER_KERNEL + JPEG_WRITE_DC];
    const struct gpu_event *after_pixels = &event[AFTER_KERNEL + JPEG_TURN_PIXELS];
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    if (job->brief) {
        *times = (struct jpeg_gpu_times){.pixels = kst_seconds() - job->start};
        return;
    }
    *times = (struct jpeg_gpu_times){.upload = elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]),
        .entropy = elapsed(gpu, &event[AFTER_UPLOAD], after_entropy),
        .pixels = elapsed(gpu, after_entropy, after_pixels),
        .download = elapsed(gpu, after_pixels, &event[AFTER_ALL])};
    for (int i = 0; job->detail && i < JPEG_KERNELS; i++)
        times->kernel[i] = elapsed(gpu, &event[AFTER_UPLOAD + i], &event[AFTER_KERNEL + i]);
}

static void add_damage(struct jpeg_gpu_damage *sum, const uint32_t *counts)
{
    sum->ended += counts[0];
    sum->invalid += counts[1];
    sum->surplus += counts[2];
    sum->completed += counts[WORK_COMPLETED] & ~WORK_LEFT;
    sum->left = sum->left || (counts[WORK_COMPLETED] & WORK_LEFT);
}

/*
 * Read each picture's damage. The counts of the first scans of all pictures come first, then those of the other scans.
 */
static void read_damage(const struct jpeg_gpu_job *job, struct jpeg_gpu_damage *damage)
{
    const uint32_t *counts = (const uint32_t *)(const void *)job->buffer[HOST_RESULT].host;
    const uint32_t *behind = counts + (size_t)job->count * WORK_DAMAGE;
    for (uint32_t i = 0; i < job->count; i++, counts += WORK_DAMAGE) {
        damage[i] = (struct jpeg_gpu_damage){.ended = 0};
        if (job->items[i].coefficients.copy)
            continue;
        add_damage(&damage[i], counts);
        for (uint32_t j = 1; j < kst_jpeg_gpu_scan_count(job->items[i].plan); j++, behind += WORK_DAMAGE)
            add_damage(&damage[i], behind);
    }
}

static void finish(struct jpeg_gpu_job *job)
{
    struct gpu_queue *queue = &job->track->queue;
    const struct gpu_backend *backend = queue->gpu->backend;
    if (!job->brief || !backend->finish_soon) {
        backend->finish(queue);
        return;
    }
    backend->enter(queue);
    backend->finish_soon(queue);
    backend->leave(queue);
}

kst_status kst_jpeg_gpu_end(
    struct jpeg_gpu_job *job, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    finish(job);
    *error = job->track->queue.error;
    if (!error->status) {
        read_damage(job, damage);
        kst_jpeg_gpu_job_fetch(job);
        read_times(job, times);
    }
    drop(job);
    return error->status;
}

kst_status kst_jpeg_gpu_decode(struct gpu_runtime *runtime, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    const struct jpeg_gpu_order order = {.detail = detail};
    struct jpeg_gpu_job *job = kst_jpeg_gpu_begin(runtime, items, count, &order, error);
    return job ? kst_jpeg_gpu_end(job, damage, times, error) : error->status;
}
