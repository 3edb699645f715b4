/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_decode.h"

#include "gpu/jpeg_job.h"

static bool take_buffers(struct job *job, struct gpu_error *error)
{
    uint64_t length[JOB_BUFFERS] = {
        [HOST_WORK] = job->size.words * 4,
        [HOST_STREAM] = job->size.stream * 16,
        [HOST_BLOCKS] = job->size.copied * 128,
        [HOST_RESULT] = job->damage_length + job->pixels_length + job->planes_length,
        [WORK] = job->size.words * 4,
        [STREAM] = job->size.stream * 16,
        [DAMAGE] = job->damage_length,
    };
    kst_gpu_entropy_lengths(job, length);
    kst_gpu_pixels_lengths(job, length);
    return kst_gpu_job_take(job, length, error);
}

static void run(struct job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_queue *queue = &job->lane->queue;
    struct gpu_buffer *buffer = job->buffer;
    backend->record(queue, &job->lane->event[BEFORE]);
    backend->copy(queue, &buffer[WORK], 0, &buffer[HOST_WORK], 0, (size_t)job->size.words * 4);
    backend->copy(queue, &buffer[STREAM], 0, &buffer[HOST_STREAM], 0, (size_t)job->size.stream * 16);
    backend->copy(queue, &buffer[COEFFICIENTS], (size_t)job->size.blocks * 128, &buffer[HOST_BLOCKS], 0,
        (size_t)job->size.copied * 128);
    backend->record(queue, &job->lane->event[AFTER_UPLOAD]);
    kst_gpu_entropy_run(job);
    kst_gpu_pixels_run(job);
    size_t at = job->damage_length;
    backend->copy(queue, &buffer[HOST_RESULT], 0, &buffer[DAMAGE], 0, job->damage_length);
    backend->copy(queue, &buffer[HOST_RESULT], at, &buffer[PIXELS], 0, job->pixels_length);
    backend->copy(queue, &buffer[HOST_RESULT], at + job->pixels_length, &buffer[PLANES], 0, job->planes_length);
    backend->record(queue, &job->lane->event[AFTER_ALL]);
    backend->finish(queue);
}

static void read_times(const struct job *job, struct jpeg_gpu_times *times)
{
    struct gpu *gpu = job->executor->gpu;
    const struct gpu_event *event = job->lane->event;
    const struct gpu_event *after_entropy = &event[AFTER_KERNEL + JPEG_WRITE_BLOCKS];
    const struct gpu_event *after_pixels = &event[AFTER_KERNEL + JPEG_CONVERT_PIXELS];
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    *times = (struct jpeg_gpu_times){.upload = elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]),
        .entropy = elapsed(gpu, &event[AFTER_UPLOAD], after_entropy),
        .pixels = elapsed(gpu, after_entropy, after_pixels),
        .download = elapsed(gpu, after_pixels, &event[AFTER_ALL])};
    for (int i = 0; job->detail && i < JPEG_KERNELS; i++)
        times->kernel[i] = elapsed(gpu, &event[AFTER_UPLOAD + i], &event[AFTER_KERNEL + i]);
}

static void fetch(const struct job *job, struct jpeg_gpu_damage *damage)
{
    const uint8_t *result = job->buffer[HOST_RESULT].host;
    const uint32_t *work = (const uint32_t *)(const void *)job->buffer[HOST_WORK].host;
    const uint32_t *counts = (const uint32_t *)(const void *)result;
    const uint8_t *pixels = result + job->damage_length, *planes = pixels + job->pixels_length;
    for (uint32_t i = 0; i < job->count; i++, counts += WORK_DAMAGE) {
        damage[i] = (struct jpeg_gpu_damage){.ended = 0};
        if (!job->items[i].coefficients.source)
            damage[i] = (struct jpeg_gpu_damage){.ended = counts[0], .invalid = counts[1], .surplus = counts[2]};
        kst_gpu_jpeg_fetch(&job->items[i], kst_gpu_jpeg_picture(work, i), pixels, planes);
    }
}

static void measure(struct job *job)
{
    job->size = kst_gpu_jpeg_size(job->items, job->count);
    job->damage_length = (size_t)job->count * WORK_DAMAGE * 4;
    job->pixels_length = (size_t)job->size.pixels * 16;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].output.conversion == JPEG_CONVERT_RAW)
            job->planes_length = (size_t)job->size.planes * 16;
}

kst_status kst_gpu_jpeg_decode(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    struct job job = {.executor = executor, .items = items, .count = count, .detail = detail};
    measure(&job);
    *error = (struct gpu_error){.status = KST_OK};
    job.lane = kst_gpu_lane_take(executor, error);
    if (job.lane && take_buffers(&job, error)) {
        kst_gpu_jpeg_work(items, count, &job.size, (uint32_t *)(void *)job.buffer[HOST_WORK].host,
            job.buffer[HOST_STREAM].host, (int16_t *)(void *)job.buffer[HOST_BLOCKS].host);
        run(&job);
        *error = job.lane->queue.error;
        if (!error->status)
            fetch(&job, damage);
        if (!error->status)
            read_times(&job, times);
    }
    kst_gpu_job_give(&job);
    kst_gpu_lane_give(executor, job.lane);
    return error->status;
}
