/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a part through the decoding kernels: takes buffers, queues uploads, launches and downloads, and ends the job.
 */
#include "j2k/gpu/decode.h"

#include "device/pinned.h"
#include "image/location.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/job.h"

enum {
    ARGUMENTS = 6,
    CLEARED_MOST = 4 << 20, /* words; see clears_at_once() */
    AHEAD_MOST = 8 << 20,   /* bytes; see upload() */
    AHEAD_VOLUMES = 64 << 20
};

static struct j2k_gpu_decoding_state *state_of(const struct j2k_gpu_job *job)
{
    return job->built->state;
}

static bool is_in_host_memory(const struct j2k_gpu_item *item)
{
    return item->delivery == GPU_DELIVERY_HOST;
}

/* Compute the bytes of each buffer. */
static void measure(struct j2k_gpu_job *job, size_t length[J2K_BUFFERS])
{
    const struct j2k_gpu_part *part = &job->part;
    bool staged = false;
    job->damage_length = (size_t)job->count * J2K_WORK_DAMAGE * 4;
    for (uint32_t i = 0; i < job->count; i++) {
        staged = staged || !job->items[i].pinned;
        if (is_in_host_memory(&job->items[i]))
            job->pixels_length = part->pixels;
    }
    length[J2K_HOST_WORK] = length[J2K_WORK] = (size_t)part->words * 4;
    length[J2K_HOST_STREAM] = staged ? part->stream : 0;
    length[J2K_HOST_RESULT] = job->damage_length + job->pixels_length;
    length[J2K_HOST_COEFFICIENTS] = length[J2K_COEFFICIENTS] = (size_t)part->host_words * 4;
    length[J2K_STREAM] = part->stream;
    length[J2K_BITS] = (size_t)part->bits * 4;
    length[J2K_STATES] = (size_t)part->states * 4;
    length[J2K_PASSES] = ((size_t)part->blocks + part->gaps) * 4;
    length[J2K_SAMPLES] = (size_t)part->samples * 4;
    length[J2K_PIXELS] = part->pixels + part->planes;
    length[J2K_DAMAGE] = job->damage_length;
}

static bool take_buffers(struct j2k_gpu_job *job, struct gpu_error *error)
{
    size_t length[J2K_BUFFERS];
    measure(job, length);
    for (int i = 0; i < J2K_BUFFERS; i++)
        if (!kst_gpu_pool_take(
                &job->runtime->pool, i <= J2K_HOST_RESULT ? GPU_PINNED : GPU_DEVICE, length[i], &job->buffer[i], error))
            return false;
    return true;
}

/*
 * Return a buffer of the job. The buffer of pixels may be the caller's buffer, if all volumes of the part lie in it.
 * (If the work contains addresses, the kernels do not use this buffer.)
 */
static const struct gpu_buffer *buffer_of(const struct j2k_gpu_job *job, uint32_t buffer)
{
    const struct j2k_gpu_item *first = job->items;
    bool own = buffer != J2K_PIXELS || !first->volume || !first->in_place;
    return own ? &job->buffer[buffer] : &first->image.buffer[0];
}

static void launch(struct j2k_gpu_job *job, uint32_t kernel, uint32_t groups, const struct j2k_gpu_launch *over,
    const uint32_t *buffers, uint32_t count)
{
    struct gpu_argument arguments[ARGUMENTS];
    enum j2k_gpu_buffer counted = kernel == J2K_KERNEL_CONVERT ? J2K_PIXELS : J2K_SAMPLES;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){
            .buffer = buffer_of(job, buffers[i]), .bytes = over && buffers[i] == counted ? over->bytes : 0};
    if (over) {
        arguments[count++] = (struct gpu_argument){.value = over->list};
        arguments[count++] = (struct gpu_argument){.value = over->count};
        arguments[count++] = (struct gpu_argument){.value = over->first};
    }
    kst_gpu_launch(&job->track->queue, job->built, kernel, groups, arguments, count);
}

/*
 * Return whether a stage is not timed separately, but as part of the next stage that is timed. Coarse jobs are begun by
 * many threads at a time, which wait for each other in the driver, so that fewer events are recorded.
 */
static bool is_untimed(const struct j2k_gpu_job *job, enum j2k_gpu_stage stage)
{
    return job->coarse && (stage == J2K_STAGE_GATHER || stage == J2K_STAGE_BLOCKS || stage == J2K_STAGE_LEVELS);
}

static void end_stage(struct j2k_gpu_job *job, enum j2k_gpu_stage stage)
{
    if (is_untimed(job, stage))
        return;
    job->runtime->gpu->backend->record(&job->track->queue, &job->track->event[stage + 1]);
}

/*
 * Return whether one fill clears the bands of all pictures, and what lies between them, because a fill for each would
 * take longer: a call of the driver takes about as long as clearing CLEARED_MOST words.
 */
static bool clears_at_once(const struct j2k_gpu_job *job)
{
    uint64_t between = job->part.samples;
    for (uint32_t i = 0; i < job->count; i++)
        between -= job->part.place[i].levels;
    return job->count > 1 && between <= (uint64_t)job->count * CLEARED_MOST;
}

/*
 * Set coefficients that no block covers to 0. All bits of the damage records are set, so that counters start from −1.
 */
static void clear(struct j2k_gpu_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    backend->fill(queue, &job->buffer[J2K_DAMAGE], 0, job->damage_length, UINT32_MAX);
    if (job->part.covered)
        return;
    if (clears_at_once(job)) {
        backend->fill(queue, &job->buffer[J2K_SAMPLES], 0, (size_t)job->part.samples * 4, 0);
        return;
    }
    for (uint32_t i = 0; i < job->count; i++)
        if (job->part.place[i].levels > 0)
            backend->fill(queue, &job->buffer[J2K_SAMPLES], (size_t)job->part.place[i].samples * 4,
                (size_t)job->part.place[i].levels * 4, 0);
}

static void decode_blocks(struct j2k_gpu_job *job)
{
    const struct j2k_gpu_part *part = &job->part;
    launch(job, J2K_KERNEL_GATHER, part->segments, NULL, GPU_BUFFERS(J2K_WORK, J2K_STREAM, J2K_BITS));
    end_stage(job, J2K_STAGE_GATHER);
    kst_j2k_gpu_decode_all(job);
    end_stage(job, J2K_STAGE_BLOCKS);
    launch(job, J2K_KERNEL_STORE, part->store_groups, NULL, GPU_BUFFERS(J2K_WORK, J2K_STATES, J2K_PASSES, J2K_SAMPLES));
}

/*
 * Decode the host blocks while the device works on what was queued before, and queue the copying of their coefficients.
 */
static void decode_host_blocks(struct j2k_gpu_job *job, const struct j2k_gpu_order *order)
{
    if (job->part.host_blocks == 0)
        return;
    job->runtime->gpu->backend->flush(&job->track->queue);
    kst_j2k_gpu_bring_host_blocks(job, order);
    launch(job, J2K_KERNEL_PUT_HOST_BLOCKS, job->part.host_blocks, NULL,
        GPU_BUFFERS(J2K_WORK, J2K_COEFFICIENTS, J2K_SAMPLES));
}

static void make_pixels(struct j2k_gpu_job *job)
{
    const struct j2k_gpu_part *part = &job->part;
    uint32_t i = 0;
    for (; i < part->launches && part->launch[i].kernel < J2K_KERNEL_PUT_OUT; i++)
        launch(
            job, part->launch[i].kernel, part->launch[i].groups, &part->launch[i], GPU_BUFFERS(J2K_WORK, J2K_SAMPLES));
    end_stage(job, J2K_STAGE_LEVELS);
    for (; i < part->launches && part->launch[i].kernel != J2K_KERNEL_CONVERT; i++)
        launch(job, part->launch[i].kernel, part->launch[i].groups, &part->launch[i],
            GPU_BUFFERS(J2K_WORK, J2K_SAMPLES, J2K_PIXELS));
    for (; i < part->launches; i++)
        launch(job, J2K_KERNEL_CONVERT, part->launch[i].groups, &part->launch[i], GPU_BUFFERS(J2K_WORK, J2K_PIXELS));
    end_stage(job, J2K_STAGE_OUTPUT);
}

/*
 * Upload the streams, and the work, which is written while the streams are uploaded. Copies of all jobs go over the bus
 * in the order in which they were queued, so that the work of a job waits for the streams of jobs that began later.
 * Therefore, if many jobs begin at once, only the first have their streams uploaded early, as many as the bus copies
 * while a thread writes the work of one; or most of them if they are volumes, whose streams take the bus longer than
 * everything else takes.
 */
static void upload(struct j2k_gpu_job *job)
{
    atomic_uint_fast64_t *ahead = &state_of(job)->ahead;
    const uint64_t bytes = job->part.stream;
    const bool early = atomic_fetch_add(ahead, bytes) < (job->items->volume ? AHEAD_VOLUMES : AHEAD_MOST);
    if (early)
        kst_j2k_gpu_upload_streams(job);
    kst_j2k_gpu_work(&job->part, job->threads, (uint32_t *)(void *)job->buffer[J2K_HOST_WORK].host);
    kst_j2k_gpu_upload_work(job);
    atomic_fetch_sub(ahead, bytes);
    if (!early)
        kst_j2k_gpu_upload_streams(job);
}

/* Queue all stages. */
static void queue_stages(struct j2k_gpu_job *job, const struct j2k_gpu_order *order)
{
    struct gpu_queue *queue = &job->track->queue;
    queue->gpu->backend->record(queue, &job->track->event[0]);
    clear(job);
    upload(job);
    end_stage(job, J2K_STAGE_UPLOAD);
    decode_blocks(job);
    decode_host_blocks(job, order);
    end_stage(job, J2K_STAGE_STORE);
    make_pixels(job);
    kst_j2k_gpu_download(job);
    end_stage(job, J2K_STAGE_DOWNLOAD);
    queue->gpu->backend->flush(queue);
}

/*
 * Enter the device's context once instead of for each step. This is not done if there are host blocks, because decoding
 * them may call the program's allocator, which must not run inside the context.
 */
static void run(struct j2k_gpu_job *job, const struct j2k_gpu_order *order)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const bool enters = backend->enter && job->part.host_blocks == 0;
    if (enters)
        backend->enter(&job->track->queue);
    queue_stages(job, order);
    if (enters)
        backend->leave(&job->track->queue);
}

static void drop(struct j2k_gpu_job *job)
{
    struct gpu_runtime *runtime = job->runtime;
    if (job->built)
        atomic_fetch_sub(&state_of(job)->jobs, 1);
    for (int i = 0; i < J2K_BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &job->buffer[i]);
    kst_gpu_track_give(runtime, job->track);
    kst_memory_release(runtime->gpu->memory, job->host_damage);
    kst_j2k_gpu_part_release(&job->part);
    kst_memory_release(runtime->gpu->memory, job);
}

uint32_t kst_j2k_gpu_threads(const struct gpu_runtime *runtime)
{
    uint32_t threads = runtime->threads ? kst_pool_threads(runtime->threads) : 1;
    return threads > 1 ? threads : 0;
}

/*
 * Decide how blocks are decoded. Threads help only if no other job is running, because otherwise the device is busy
 * anyway, and the threads are likely to be, too.
 */
static struct j2k_gpu_wish wish_of(const struct j2k_gpu_job *job, const struct j2k_gpu_order *order)
{
    const struct gpu_runtime *runtime = job->runtime;
    bool helps = order->decode_host_blocks && job->alone;
    return (struct j2k_gpu_wish){.units = runtime->gpu->info.units,
        .beside = order->beside,
        .followed = order->followed || !job->alone,
        .lanes = order->lanes,
        .flights = order->flights,
        .threads = helps ? kst_j2k_gpu_threads(runtime) : 0,
        .host_bytes = order->host_bytes};
}

static bool prepare(struct j2k_gpu_job *job, const struct j2k_gpu_order *order, struct gpu_error *error)
{
    struct gpu_runtime *runtime = job->runtime;
    job->built = kst_gpu_runtime_build(runtime, &kst_j2k_gpu_decoding, error);
    if (!job->built)
        return false;
    job->alone = atomic_fetch_add(&state_of(job)->jobs, 1) == 0;
    const struct j2k_gpu_wish wish = wish_of(job, order);
    if (!kst_j2k_gpu_part_make(&job->part, runtime->gpu->memory, job->threads, job->items, job->count, &wish)) {
        error->status = KST_ERROR_MEMORY;
        return false;
    }
    if (job->part.host_blocks > 0)
        job->host_damage = kst_memory_array(runtime->gpu->memory, job->count, sizeof *job->host_damage, &error->status);
    job->track = error->status ? NULL : kst_gpu_track_take(runtime, error);
    if (!job->track)
        return false;
    if (order->after)
        runtime->gpu->backend->wait(&job->track->queue, order->after);
    return take_buffers(job, error);
}

struct j2k_gpu_job *kst_j2k_gpu_begin(struct gpu_runtime *runtime, const struct j2k_gpu_item *items, uint32_t count,
    const struct j2k_gpu_order *order, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_gpu_job *job = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->runtime = runtime;
    job->threads = order->by_itself ? NULL : runtime->threads;
    job->coarse = order->by_itself;
    job->items = items;
    job->count = count;
    if (prepare(job, order, error)) {
        run(job, order);
        return job;
    }
    drop(job);
    return NULL;
}

void kst_j2k_gpu_follow(const struct j2k_gpu_job *job, struct gpu_queue *queue)
{
    if (!job->track->queue.error.status)
        queue->gpu->backend->wait(queue, &job->track->event[J2K_STAGES]);
}

bool kst_j2k_gpu_done(const struct j2k_gpu_job *job)
{
    struct gpu *gpu = job->runtime->gpu;
    return job->track->queue.error.status || gpu->backend->passed(gpu, &job->track->event[J2K_STAGES]);
}

static void read_times(const struct j2k_gpu_job *job, struct j2k_gpu_times *times)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    for (int i = 0, last = 0; i < J2K_STAGES; i++) {
        times->stage[i] = 0;
        if (is_untimed(job, (enum j2k_gpu_stage)i))
            continue;
        times->stage[i] = gpu->backend->elapsed(gpu, &event[last], &event[i + 1]);
        last = i + 1;
    }
    const uint32_t threads = kst_j2k_gpu_threads(job->runtime);
    times->host_threads = job->part.host_blocks < threads ? job->part.host_blocks : threads;
}

/* Add up the damage that the device and the host found. */
static void read_damage(const struct j2k_gpu_job *job, struct j2k_gpu_damage *damage)
{
    const uint32_t *counts = (const uint32_t *)(const void *)job->buffer[J2K_HOST_RESULT].host;
    for (uint32_t i = 0; i < job->count; i++, counts += J2K_WORK_DAMAGE) {
        damage[i] = (struct j2k_gpu_damage){.blocks = counts[0] + 1, .offset = counts[1]};
        if (!job->host_damage)
            continue;
        const struct j2k_host_damage *host = &job->host_damage[i];
        damage[i].blocks += (uint32_t)host->blocks;
        if (host->offset < damage[i].offset)
            damage[i].offset = (uint32_t)host->offset;
    }
}

kst_status kst_j2k_gpu_end(
    struct j2k_gpu_job *job, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error)
{
    struct gpu_queue *queue = &job->track->queue;
    queue->gpu->backend->finish(queue);
    *error = queue->error;
    if (!error->status)
        error->status = job->host_status;
    if (!error->status) {
        read_damage(job, damage);
        kst_j2k_gpu_fetch(job);
        read_times(job, times);
    }
    drop(job);
    return error->status;
}

/* Return whether the kernels can write directly to the image, which requires samples aligned to their size. */
static bool can_write(const struct j2k_gpu_item *item)
{
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        const kst_plane *plane = &item->output.plane[i];
        uint64_t at = item->image.buffer[i].handle + item->image.offset[i];
        if (!kst_plane_is_aligned(plane, at))
            return false;
    }
    return kst_memory_has_addresses(item->output.memory);
}

void kst_j2k_gpu_route(struct gpu_runtime *runtime, struct j2k_gpu_item *item)
{
    item->stream = kst_j2k_gpu_stream_bytes(item->plan);
    bool all = item->stream == item->plan->length; /* otherwise the stream is assembled from runs */
    item->pinned = all && kst_gpu_is_pinned(runtime, item->plan->data, item->plan->length);
    item->in_place = item->delivery == GPU_DELIVERY_DEVICE && (item->volume || can_write(item));
}
