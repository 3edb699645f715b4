/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a batch through the decoding kernels: takes buffers, queues uploads, launches and downloads, and ends the job.
 */
#include "j2k/gpu/decode.h"

#include "device/pinned.h"
#include "j2k/gpu/job.h"

enum { ARGUMENTS = 6 };

static bool is_in_host_memory(const struct j2k_gpu_item *item)
{
    return item->sink == GPU_SINK_HOST;
}

/* Compute the bytes of each buffer. */
static void measure(struct j2k_job *job, size_t length[J2K_BUFFERS])
{
    const struct j2k_batch *batch = &job->batch;
    bool staged = false;
    job->damage_length = (size_t)job->count * J2K_WORK_DAMAGE * 4;
    for (uint32_t i = 0; i < job->count; i++) {
        staged = staged || !job->items[i].pinned;
        if (is_in_host_memory(&job->items[i]))
            job->pixels_length = batch->pixels;
    }
    length[J2K_HOST_WORK] = length[J2K_WORK] = (size_t)batch->words * 4;
    length[J2K_HOST_STREAM] = staged ? batch->stream : 0;
    length[J2K_HOST_RESULT] = job->damage_length + job->pixels_length;
    length[J2K_HOST_GIVEN] = length[J2K_GIVEN] = (size_t)batch->given_words * 4;
    length[J2K_STREAM] = batch->stream;
    length[J2K_BITS] = (size_t)batch->bits * 4;
    length[J2K_STATES] = (size_t)batch->states * 4;
    length[J2K_PASSES] = (size_t)batch->blocks * 4;
    length[J2K_SAMPLES] = (size_t)batch->samples * 4;
    length[J2K_PIXELS] = batch->pixels + batch->planes;
    length[J2K_DAMAGE] = job->damage_length;
}

static bool take_buffers(struct j2k_job *job, struct gpu_error *error)
{
    size_t length[J2K_BUFFERS];
    measure(job, length);
    for (int i = 0; i < J2K_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->executor->pool, i <= J2K_HOST_RESULT ? GPU_PINNED : GPU_DEVICE, length[i],
                &job->buffer[i], error))
            return false;
    return true;
}

static void launch(struct j2k_job *job, uint32_t kernel, uint32_t groups, const struct j2k_launch *over,
    const uint32_t *buffers, uint32_t count)
{
    struct gpu_argument arguments[ARGUMENTS];
    enum j2k_buffer counted = kernel == J2K_KERNEL_CONVERT ? J2K_PIXELS : J2K_SAMPLES;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){
            .buffer = &job->buffer[buffers[i]], .bytes = over && buffers[i] == counted ? over->bytes : 0};
    if (over) {
        arguments[count++] = (struct gpu_argument){.value = over->list};
        arguments[count++] = (struct gpu_argument){.value = over->count};
        arguments[count++] = (struct gpu_argument){.value = over->first};
    }
    kst_gpu_launch(&job->lane->queue, job->built, kernel, groups, arguments, count);
}

static void end_step(struct j2k_job *job, enum j2k_step step)
{
    job->executor->gpu->backend->record(&job->lane->queue, &job->lane->event[step + 1]);
}

static uint32_t groups_of(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

/*
 * Set coefficients that no block covers to 0. All bits of the damage records are set, so that counting up starts from
 * −1.
 */
static void clear(struct j2k_job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_queue *queue = &job->lane->queue;
    backend->fill(queue, &job->buffer[J2K_DAMAGE], 0, job->damage_length, UINT32_MAX);
    for (uint32_t i = 0; i < job->count && !job->batch.covered; i++)
        if (job->batch.place[i].levels > 0)
            backend->fill(queue, &job->buffer[J2K_SAMPLES], (size_t)job->batch.place[i].samples * 4,
                (size_t)job->batch.place[i].levels * 4, 0);
}

static void decode_blocks(struct j2k_job *job)
{
    const struct j2k_batch *batch = &job->batch;
    launch(job, J2K_KERNEL_GATHER, batch->segments, NULL, GPU_BUFFERS(J2K_WORK, J2K_STREAM, J2K_BITS));
    end_step(job, J2K_STEP_GATHER);
    if (batch->wave < batch->bundles)
        launch(job, J2K_KERNEL_WAVES, batch->bundles - batch->wave, NULL,
            GPU_BUFFERS(J2K_WORK, J2K_BITS, J2K_STATES, J2K_PASSES));
    launch(job, J2K_KERNEL_BLOCKS, groups_of(batch->bundles, J2K_DECODE_GROUP / J2K_BUNDLE), NULL,
        GPU_BUFFERS(J2K_WORK, J2K_BITS, J2K_STATES, J2K_PASSES, J2K_DAMAGE));
    end_step(job, J2K_STEP_BLOCKS);
    launch(
        job, J2K_KERNEL_STORE, batch->store_groups, NULL, GPU_BUFFERS(J2K_WORK, J2K_STATES, J2K_PASSES, J2K_SAMPLES));
}

/* Decode the blocks that were given to the host, while the device works on what was queued before, and queue them. */
static void decode_given(struct j2k_job *job, const struct j2k_gpu_order *order)
{
    if (job->batch.given == 0)
        return;
    job->executor->gpu->backend->flush(&job->lane->queue);
    kst_gpu_j2k_bring_given(job, order);
    launch(job, J2K_KERNEL_PUT_GIVEN, job->batch.given, NULL, GPU_BUFFERS(J2K_WORK, J2K_GIVEN, J2K_SAMPLES));
}

static void make_pixels(struct j2k_job *job)
{
    const struct j2k_batch *batch = &job->batch;
    uint32_t i = 0;
    for (; i < batch->launches && batch->launch[i].kernel < J2K_KERNEL_PUT_OUT; i++)
        launch(job, batch->launch[i].kernel, batch->launch[i].groups, &batch->launch[i],
            GPU_BUFFERS(J2K_WORK, J2K_SAMPLES));
    end_step(job, J2K_STEP_LEVELS);
    for (; i < batch->launches && batch->launch[i].kernel != J2K_KERNEL_CONVERT; i++)
        launch(job, batch->launch[i].kernel, batch->launch[i].groups, &batch->launch[i],
            GPU_BUFFERS(J2K_WORK, J2K_SAMPLES, J2K_PIXELS));
    for (; i < batch->launches; i++)
        launch(job, J2K_KERNEL_CONVERT, batch->launch[i].groups, &batch->launch[i], GPU_BUFFERS(J2K_WORK, J2K_PIXELS));
    end_step(job, J2K_STEP_OUTPUT);
}

/* Queue all steps. The work is written while the device clears buffers and the streams are being uploaded. */
static void run(struct j2k_job *job, const struct j2k_gpu_order *order)
{
    struct gpu_queue *queue = &job->lane->queue;
    queue->gpu->backend->record(queue, &job->lane->event[0]);
    clear(job);
    kst_gpu_j2k_upload_streams(job);
    kst_gpu_j2k_work(&job->batch, job->executor->threads, (uint32_t *)(void *)job->buffer[J2K_HOST_WORK].host);
    kst_gpu_j2k_upload_work(job);
    end_step(job, J2K_STEP_UPLOAD);
    decode_blocks(job);
    decode_given(job, order);
    end_step(job, J2K_STEP_STORE);
    make_pixels(job);
    kst_gpu_j2k_download(job);
    end_step(job, J2K_STEP_DOWNLOAD);
    queue->gpu->backend->flush(queue);
}

static struct j2k_gpu_decoding_state *state_of(const struct j2k_job *job)
{
    return job->built->state;
}

static void drop(struct j2k_job *job)
{
    struct gpu_executor *executor = job->executor;
    if (job->built)
        atomic_fetch_sub(&state_of(job)->jobs, 1);
    for (int i = 0; i < J2K_BUFFERS; i++)
        kst_gpu_pool_give(&executor->pool, &job->buffer[i]);
    kst_gpu_lane_give(executor, job->lane);
    kst_memory_release(executor->gpu->memory, job->given_damage);
    kst_gpu_j2k_batch_release(&job->batch);
    kst_memory_release(executor->gpu->memory, job);
}

uint32_t kst_gpu_j2k_threads(const struct gpu_executor *executor)
{
    uint32_t threads = executor->threads ? kst_pool_threads(executor->threads) : 1;
    return threads > 1 ? threads : 0;
}

/*
 * How blocks should be decoded. Threads help only if no other job is running, because otherwise the device is busy
 * anyway, and the threads are likely to be too.
 */
static struct j2k_wish wish_of(const struct j2k_job *job, const struct j2k_gpu_order *order)
{
    const struct gpu_executor *executor = job->executor;
    bool helps = order->decode_given && job->alone;
    return (struct j2k_wish){.units = executor->gpu->info.units,
        .beside = order->beside,
        .lanes = order->lanes,
        .flights = order->flights,
        .threads = helps ? kst_gpu_j2k_threads(executor) : 0,
        .given = order->given};
}

static bool prepare(struct j2k_job *job, const struct j2k_gpu_order *order, struct gpu_error *error)
{
    struct gpu_executor *executor = job->executor;
    job->built = kst_gpu_executor_build(executor, &kst_j2k_gpu_decoding, error);
    if (!job->built)
        return false;
    job->alone = atomic_fetch_add(&state_of(job)->jobs, 1) == 0;
    const struct j2k_wish wish = wish_of(job, order);
    if (!kst_gpu_j2k_batch(&job->batch, executor->gpu->memory, executor->threads, job->items, job->count, &wish)) {
        error->status = KST_ERROR_MEMORY;
        return false;
    }
    if (job->batch.given > 0)
        job->given_damage =
            kst_memory_array(executor->gpu->memory, job->count, sizeof *job->given_damage, &error->status);
    job->lane = error->status ? NULL : kst_gpu_lane_take(executor, error);
    if (!job->lane)
        return false;
    if (order->after)
        executor->gpu->backend->wait(&job->lane->queue, order->after);
    return take_buffers(job, error);
}

struct j2k_job *kst_gpu_j2k_begin(struct gpu_executor *executor, const struct j2k_gpu_item *items, uint32_t count,
    const struct j2k_gpu_order *order, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_job *job = kst_memory_zeroed(executor->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->executor = executor;
    job->items = items;
    job->count = count;
    if (prepare(job, order, error)) {
        run(job, order);
        return job;
    }
    drop(job);
    return NULL;
}

void kst_gpu_j2k_follow(const struct j2k_job *job, struct gpu_queue *queue)
{
    if (!job->lane->queue.error.status)
        queue->gpu->backend->wait(queue, &job->lane->event[J2K_STEPS]);
}

bool kst_gpu_j2k_done(const struct j2k_job *job)
{
    struct gpu *gpu = job->executor->gpu;
    return job->lane->queue.error.status || gpu->backend->passed(gpu, &job->lane->event[J2K_STEPS]);
}

static void read_times(const struct j2k_job *job, struct j2k_gpu_times *times)
{
    struct gpu *gpu = job->executor->gpu;
    const struct gpu_event *event = job->lane->event;
    for (int i = 0; i < J2K_STEPS; i++)
        times->step[i] = gpu->backend->elapsed(gpu, &event[i], &event[i + 1]);
}

/* Add up the damage that the device found and that which the host found. */
static void read_damage(const struct j2k_job *job, struct j2k_gpu_damage *damage)
{
    const uint32_t *counts = (const uint32_t *)(const void *)job->buffer[J2K_HOST_RESULT].host;
    for (uint32_t i = 0; i < job->count; i++, counts += J2K_WORK_DAMAGE) {
        damage[i] = (struct j2k_gpu_damage){.blocks = counts[0] + 1, .offset = counts[1]};
        if (!job->given_damage)
            continue;
        const struct j2k_given_damage *given = &job->given_damage[i];
        damage[i].blocks += (uint32_t)given->blocks;
        if (given->offset < damage[i].offset)
            damage[i].offset = (uint32_t)given->offset;
    }
}

kst_status kst_gpu_j2k_end(
    struct j2k_job *job, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error)
{
    struct gpu_queue *queue = &job->lane->queue;
    queue->gpu->backend->finish(queue);
    *error = queue->error;
    if (!error->status)
        error->status = job->given_status;
    if (!error->status) {
        read_damage(job, damage);
        kst_gpu_j2k_fetch(job);
        read_times(job, times);
    }
    drop(job);
    return error->status;
}

/* Whether the kernels can write directly to the image, which requires samples aligned to their size. */
static bool can_write(const struct j2k_gpu_item *item)
{
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        const kst_plane *plane = &item->output.plane[i];
        uint64_t at = item->image.buffer[i].handle + item->image.offset[i];
        if (!kst_plane_is_aligned(plane, at))
            return false;
    }
    return item->output.memory == KST_MEMORY_CUDA;
}

void kst_gpu_j2k_route(struct gpu_executor *executor, struct j2k_gpu_item *item)
{
    item->stream = kst_gpu_j2k_stream_bytes(item->plan);
    bool all = item->stream == item->plan->length; /* otherwise the stream is assembled from runs */
    item->pinned = all && kst_gpu_is_pinned(executor, item->plan->data, item->plan->length);
    item->in_place = item->sink == GPU_SINK_DEVICE && can_write(item);
}
