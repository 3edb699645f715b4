/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a batch of pictures to decode through the device, from upload to download. */
#include "jpeg/gpu/decode.h"

#include "jpeg/gpu/job.h"

static void measure(struct job *job, uint64_t length[JOB_BUFFERS])
{
    job->size = kst_gpu_jpeg_size(job->items, job->count);
    job->damage_length = (size_t)job->size.pictures * WORK_DAMAGE * 4;
    for (uint32_t i = 0; i < job->count; i++) {
        const struct jpeg_gpu_item *item = &job->items[i];
        if (!item->pinned && !item->coefficients.copy)
            job->staging_length = (size_t)job->size.stream * 16;
        if (item->sink == GPU_SINK_HOST && kst_gpu_jpeg_is_raw(item))
            job->planes_length = (size_t)job->size.planes * 16;
        else if (item->sink == GPU_SINK_HOST)
            job->pixels_length = (size_t)job->size.pixels * 16;
    }
    length[HOST_WORK] = length[WORK] = job->size.words * 4;
    length[HOST_BLOCKS] = job->size.copied * 128;
    length[HOST_STREAM] = job->staging_length;
    length[STREAM] = job->size.stream * 16;
    length[HOST_RESULT] = job->damage_length + job->pixels_length + job->planes_length;
    length[DAMAGE] = job->damage_length;
    kst_gpu_entropy_lengths(job, length);
    kst_gpu_pixels_lengths(job, length);
}

uint64_t kst_gpu_jpeg_memory(const struct jpeg_gpu_item *items, uint32_t count)
{
    struct job job = {.items = items, .count = count};
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
static void inherit(struct job *job, struct job *from, const uint64_t length[JOB_BUFFERS])
{
    struct gpu_queue *queue = &job->lane->queue;
    if (from->lane->queue.error.status)
        return;
    for (int i = WORK; i < JOB_BUFFERS; i++)
        if (from->buffer[i].length >= length[i]) {
            job->buffer[i] = from->buffer[i];
            job->buffer[i].used = (size_t)length[i];
            from->buffer[i] = (struct gpu_buffer){.place = GPU_DEVICE};
        }
    queue->gpu->backend->wait(queue, &from->lane->event[AFTER_ALL]);
}

static void run(struct job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_queue *queue = &job->lane->queue;
    if (!job->uploaded)
        backend->record(queue, &job->lane->event[BEFORE]);
    kst_gpu_job_upload(job);
    backend->record(queue, &job->lane->event[AFTER_UPLOAD]);
    kst_gpu_entropy_run(job);
    kst_gpu_pixels_run(job);
    kst_gpu_job_download(job);
    backend->record(queue, &job->lane->event[AFTER_ALL]);
}

static void drop(struct job *job)
{
    struct gpu_executor *executor = job->executor;
    kst_gpu_job_give(job);
    kst_gpu_lane_give(executor, job->lane);
    kst_memory_release(executor->gpu->memory, job);
}

/* Take over an upload that is already on its way, with its lane, if it is the stream of this job. */
static void take_early(struct job *job, struct jpeg_gpu_early *early, uint64_t stream_length)
{
    uint64_t length;
    if (!early || !early->lane || job->count != 1 || job->items->coefficients.copy ||
        kst_gpu_scan_data(job->items->plan, &length) != early->data || length > early->length ||
        stream_length > early->stream.length)
        return;
    job->lane = early->lane;
    job->buffer[STREAM] = early->stream;
    job->buffer[STREAM].used = (size_t)stream_length;
    job->uploaded = true;
    *early = (struct jpeg_gpu_early){.lane = NULL};
}

static bool prepare(struct job *job, const struct jpeg_gpu_order *order, struct gpu_error *error)
{
    uint64_t length[JOB_BUFFERS] = {0};
    job->built = kst_gpu_executor_build(job->executor, &kst_jpeg_gpu_decoding, error);
    if (!job->built)
        return false;
    measure(job, length);
    take_early(job, order->early, length[STREAM]);
    if (!job->lane)
        job->lane = kst_gpu_lane_take(job->executor, error);
    if (!job->lane)
        return false;
    if (order->after)
        job->executor->gpu->backend->wait(&job->lane->queue, order->after);
    if (order->heir_of)
        inherit(job, order->heir_of, length);
    return kst_gpu_job_take(job, length, error);
}

struct job *kst_gpu_jpeg_begin(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    const struct jpeg_gpu_order *order, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct job *job = kst_memory_zeroed(executor->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->executor = executor;
    job->items = items;
    job->count = count;
    job->detail = order->detail;
    if (prepare(job, order, error)) {
        job->size.words = kst_gpu_jpeg_work(items, count, &job->size, executor->gpu->memory, job->built->state,
            (uint32_t *)(void *)job->buffer[HOST_WORK].host);
        run(job);
        return job;
    }
    if (job->lane) /* buffers that were taken over must be free before they are given back */
        executor->gpu->backend->finish(&job->lane->queue);
    drop(job);
    return NULL;
}

void kst_gpu_jpeg_follow(const struct job *job, struct gpu_queue *queue)
{
    if (!job->lane->queue.error.status)
        queue->gpu->backend->wait(queue, &job->lane->event[AFTER_ALL]);
}

bool kst_gpu_jpeg_done(const struct job *job)
{
    struct gpu *gpu = job->executor->gpu;
    return job->lane->queue.error.status || gpu->backend->passed(gpu, &job->lane->event[AFTER_ALL]);
}

static void read_times(const struct job *job, struct jpeg_gpu_times *times)
{
    struct gpu *gpu = job->executor->gpu;
    const struct gpu_event *event = job->lane->event;
    const struct gpu_event *after_entropy = &event[AFTER_KERNEL + JPEG_WRITE_DC];
    const struct gpu_event *after_pixels = &event[AFTER_KERNEL + JPEG_TURN_PIXELS];
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
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

/* The counts of the first scans come first, then those of the other scans. */
static void read_damage(const struct job *job, struct jpeg_gpu_damage *damage)
{
    const uint32_t *counts = (const uint32_t *)(const void *)job->buffer[HOST_RESULT].host;
    const uint32_t *behind = counts + (size_t)job->count * WORK_DAMAGE;
    for (uint32_t i = 0; i < job->count; i++, counts += WORK_DAMAGE) {
        damage[i] = (struct jpeg_gpu_damage){.ended = 0};
        if (job->items[i].coefficients.copy)
            continue;
        add_damage(&damage[i], counts);
        for (uint32_t j = 1; j < kst_gpu_scan_count(job->items[i].plan); j++, behind += WORK_DAMAGE)
            add_damage(&damage[i], behind);
    }
}

kst_status kst_gpu_jpeg_end(
    struct job *job, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    struct gpu_queue *queue = &job->lane->queue;
    queue->gpu->backend->finish(queue);
    *error = queue->error;
    if (!error->status) {
        read_damage(job, damage);
        kst_gpu_job_fetch(job);
        read_times(job, times);
    }
    drop(job);
    return error->status;
}

kst_status kst_gpu_jpeg_decode(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    const struct jpeg_gpu_order order = {.detail = detail};
    struct job *job = kst_gpu_jpeg_begin(executor, items, count, &order, error);
    return job ? kst_gpu_jpeg_end(job, damage, times, error) : error->status;
}
