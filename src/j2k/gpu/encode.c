/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins and ends jobs that encode pictures on a GPU: the memory that they take and the queues that they use. */
#include "j2k/gpu/encode.h"

#include "j2k/gpu/encode_job.h"
#include "j2k/gpu/encode_list.h"

bool kst_gpu_j2k_encodes(const kst_image *image)
{
    bool upwards = false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        ptrdiff_t pitch = kst_image_plane(image, i)->pitch;
        if (pitch > INT32_MAX || pitch < -INT32_MAX)
            return false;
        upwards = upwards || pitch < 0;
    }
    return !upwards || (image->memory != KST_MEMORY_OPENCL && image->memory != KST_MEMORY_OPENCL_IMAGE);
}

/* The bytes include samples with their bands, blocks' states and data, pixels, and what is downloaded. */
uint64_t kst_gpu_j2k_encode_memory(const struct j2k_plan *plan)
{
    uint64_t samples = 0, data = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        samples += j2k_gpu_area(plan->tile_component[i].rect);
    for (uint32_t b = 0; b < plan->block_count; b++)
        data += kst_gpu_j2k_block_room(plan, &plan->block[b], false) + 2 * sizeof(struct coded_block);
    return 24 * samples + 2 * data;
}

static bool any_staged(const struct j2k_coding_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source == GPU_SOURCE_STAGED)
            return true;
    return false;
}

static bool take_buffers(struct j2k_coding_job *job, struct gpu_error *error)
{
    const struct j2k_batch *batch = &job->batch;
    const uint64_t length[CODING_BUFFERS] = {[CODING_HOST_WORK] = batch->words * 4ULL,
        [CODING_HOST_PIXELS] = any_staged(job) ? batch->pixels : 1,
        [CODING_WORK] = batch->words * 4ULL,
        [CODING_PIXELS] = batch->pixels + 1,
        [CODING_SAMPLES] = batch->samples * 4};
    for (uint32_t i = 0; i < CODING_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->executor->pool, i <= CODING_HOST_PIXELS ? GPU_PINNED : GPU_DEVICE,
                (size_t)length[i], &job->buffer[i], error))
            return false;
    return true;
}

void kst_gpu_j2k_encode_record(struct j2k_coding_job *job, enum coding_event event)
{
    job->executor->gpu->backend->record(job->queue, &job->lane->event[event]);
}

/* Go on in another queue of the lane, behind what is in the present one. */
static void change_to(struct j2k_coding_job *job, struct gpu_queue *queue)
{
    if (!queue->handle || job->queue == queue)
        return;
    kst_gpu_j2k_encode_record(job, CODING_HANDED_OVER);
    queue->error = job->queue->error; /* a failed queue takes no more work, and what follows depends on all of it */
    job->queue = queue;
    job->executor->gpu->backend->wait(queue, &job->lane->event[CODING_HANDED_OVER]);
}

void kst_gpu_j2k_encode_hurry(struct j2k_coding_job *job)
{
    change_to(job, &job->lane->urgent);
}

void kst_gpu_j2k_encode_calm_down(struct j2k_coding_job *job)
{
    change_to(job, &job->lane->queue);
}

/* Wait for all that was queued. What is in one queue waits for what was in the other, unless that one failed. */
static void finish(struct j2k_coding_job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_lane *lane = job->lane;
    backend->finish(job->queue);
    if (job->queue->error.status && lane->urgent.handle)
        backend->finish(job->queue == &lane->urgent ? &lane->queue : &lane->urgent);
}

bool kst_gpu_j2k_encode_uncoded(struct j2k_coding_job *job, bool uncoded)
{
    struct j2k_gpu_encoding_state *state = kst_gpu_j2k_encode_state(job);
    pthread_mutex_lock(&job->executor->lock);
    state->uncoded += (uint32_t)uncoded - (uint32_t)job->uncoded;
    job->uncoded = uncoded;
    bool others = state->uncoded > (uint32_t)uncoded;
    pthread_mutex_unlock(&job->executor->lock);
    return others;
}

static bool prepare(struct j2k_coding_job *job, const struct gpu_event *after, struct gpu_error *error)
{
    struct gpu_executor *executor = job->executor;
    struct memory *memory = executor->gpu->memory;
    job->built = kst_gpu_executor_build(executor, &kst_j2k_gpu_encoding, error);
    if (!job->built)
        return false;
    kst_gpu_j2k_encode_uncoded(job, true);
    job->picture = kst_memory_array(memory, job->count, sizeof *job->picture, &error->status);
    if (!job->picture)
        return false;
    for (uint32_t i = 0; i < job->count; i++)
        job->picture[i] = job->items[i].picture;
    if (!kst_gpu_j2k_batch_geometry(&job->batch, memory, job->picture, job->count)) {
        error->status = KST_ERROR_MEMORY;
        return false;
    }
    job->lane = kst_gpu_lane_take(executor, error);
    if (!job->lane)
        return false;
    job->queue = &job->lane->queue;
    if (after)
        executor->gpu->backend->wait(job->queue, after);
    return take_buffers(job, error);
}

struct j2k_coding_job *kst_gpu_j2k_encode_begin(struct gpu_executor *executor, const struct j2k_encode_item *items,
    uint32_t count, const struct gpu_event *after, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_coding_job *job = kst_memory_zeroed(executor->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->executor = executor;
    job->items = items;
    job->count = count;
    job->waits = after != NULL;
    atomic_init(&job->missed, false);
    if (prepare(job, after, error)) {
        kst_gpu_j2k_encode_upload(job);
        kst_gpu_j2k_encode_transform(job);
        if (!atomic_load(&job->missed))
            return job;
        error->status = KST_ERROR_ROWS;
    }
    kst_gpu_j2k_encode_end(job);
    return NULL;
}

void kst_gpu_j2k_encode_end(struct j2k_coding_job *job)
{
    if (!job)
        return;
    struct gpu_executor *executor = job->executor;
    struct memory *memory = executor->gpu->memory;
    if (job->built)
        kst_gpu_j2k_encode_uncoded(job, false);
    if (job->lane)
        finish(job);
    while (job->fetched) {
        struct coding_fetched *next = job->fetched->next;
        kst_gpu_pool_give(&executor->pool, &job->fetched->buffer);
        kst_gpu_pool_give(&executor->pool, &job->fetched->collected);
        kst_memory_release(memory, job->fetched);
        job->fetched = next;
    }
    for (uint32_t i = 0; i < CODING_BUFFERS; i++)
        kst_gpu_pool_give(&executor->pool, &job->buffer[i]);
    kst_gpu_lane_give(executor, job->lane);
    if (job->batch.memory)
        kst_gpu_j2k_batch_release(&job->batch);
    kst_memory_release(memory, job->picture);
    kst_memory_release(memory, job);
}

struct j2k_encode_times kst_gpu_j2k_encode_times(const struct j2k_coding_job *job)
{
    return job->times;
}
