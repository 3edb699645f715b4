/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins and ends jobs that encode pictures on a GPU, and manages the memory and the queues that they use. */
#include "j2k/gpu/encode.h"

#include <string.h>

#include "image/location.h"
#include "j2k/gpu/encode_job.h"
#include "j2k/gpu/encode_list.h"
#include "j2k/gpu/job.h"

bool kst_j2k_gpu_encodes(const kst_image *image)
{
    bool upwards = false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        ptrdiff_t pitch = kst_image_plane(image, i)->pitch;
        if (pitch > INT32_MAX || pitch < -INT32_MAX)
            return false;
        upwards = upwards || pitch < 0;
    }
    return !upwards || !kst_memory_is_device(image->memory) || kst_memory_has_addresses(image->memory);
}

/* The sum includes samples with their bands, blocks' states, data and passes, pixels, and what is downloaded. */
uint64_t kst_j2k_gpu_encode_memory(const struct j2k_plan *plan)
{
    uint64_t samples = 0, data = 0, room = 0;
    const struct j2k_block *like = NULL; /* most blocks are like the ones before them */
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        samples += j2k_gpu_area(plan->tile_component[i].rect);
    for (uint32_t b = 0; b < plan->block_count; b++) {
        const struct j2k_block *block = &plan->block[b];
        if (!like || like->band != block->band || like->width != block->width || like->height != block->height) {
            const struct j2k_gpu_block_coder *coder = kst_j2k_gpu_coder_of(block);
            room = coder->block_room(plan, block, false) + 2 * sizeof(struct j2k_work_coded_block) +
                   coder->most_passes * sizeof(uint32_t) * (J2K_PASS_WORDS + J2K_PASS_RESULT) / 2;
        }
        like = block;
        data += room;
    }
    return 24 * samples + 2 * data;
}

uint64_t kst_j2k_gpu_coding_memory(const struct j2k_plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < plan->block_count; b++) {
        const struct j2k_gpu_block_coder *coder = kst_j2k_gpu_coder_of(&plan->block[b]);
        sum += 2 * (coder->block_room(plan, &plan->block[b], false) + sizeof(struct j2k_work_coded_block)) +
               (uint64_t)J2K_DECISION_UNIT * coder->decision_room(plan, &plan->block[b], false) +
               4 * (J2K_PASS_WORDS + J2K_PASS_RESULT) * (uint64_t)J2K_CODED_PASSES;
    }
    return sum;
}

static bool any_staged(const struct j2k_gpu_encode_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source == GPU_SOURCE_STAGED && !job->items[i].components)
            return true;
    return false;
}

static bool take_buffers(struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    const struct j2k_gpu_part *part = &job->part;
    const uint64_t length[CODING_BUFFERS] = {[CODING_HOST_WORK] = part->words * 4ULL,
        [CODING_HOST_PIXELS] = any_staged(job) ? part->pixels : 1,
        [CODING_WORK] = part->words * 4ULL,
        [CODING_PIXELS] = job->items->components ? 1 : part->pixels + 1,
        [CODING_SAMPLES] = part->samples * 4};
    for (uint32_t i = 0; i < CODING_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->runtime->pool, i <= CODING_HOST_PIXELS ? GPU_PINNED : GPU_DEVICE,
                (size_t)length[i], &job->buffer[i], error))
            return false;
    return true;
}

void kst_j2k_gpu_encode_record(struct j2k_gpu_encode_job *job, enum j2k_gpu_encode_event event)
{
    job->runtime->gpu->backend->record(job->queue, &job->track->event[event]);
}

/* Continue in another queue of the track, behind the work in the present one. */
static void change_to(struct j2k_gpu_encode_job *job, struct gpu_queue *queue)
{
    if (!queue->handle || job->queue == queue)
        return;
    kst_j2k_gpu_encode_record(job, CODING_HANDED_OVER);
    if (!queue->error.status) /* a failed queue takes no more work, and what follows depends on all of it */
        queue->error = job->queue->error;
    job->queue = queue;
    job->runtime->gpu->backend->wait(queue, &job->track->event[CODING_HANDED_OVER]);
}

void kst_j2k_gpu_encode_hurry(struct j2k_gpu_encode_job *job)
{
    change_to(job, &job->track->urgent);
}

void kst_j2k_gpu_encode_calm_down(struct j2k_gpu_encode_job *job)
{
    change_to(job, &job->track->queue);
}

void kst_j2k_gpu_encode_join(struct j2k_gpu_encode_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *other = &job->track->queue;
    if (job->queue == other)
        return;
    backend->record(other, &job->track->event[CODING_HANDED_OVER]);
    if (!job->queue->error.status)
        job->queue->error = other->error;
    backend->wait(job->queue, &job->track->event[CODING_HANDED_OVER]);
}

/* The work in one queue waits for earlier work in the other one, unless that queue failed. */
void kst_j2k_gpu_encode_finish(struct j2k_gpu_encode_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_track *track = job->track;
    backend->finish(job->queue);
    if (job->queue->error.status && track->urgent.handle)
        backend->finish(job->queue == &track->urgent ? &track->queue : &track->urgent);
}

bool kst_j2k_gpu_encode_uncoded(struct j2k_gpu_encode_job *job, bool uncoded)
{
    struct j2k_gpu_encoding_state *state = j2k_gpu_encode_state(job);
    pthread_mutex_lock(&job->runtime->lock);
    state->uncoded += (uint32_t)uncoded - (uint32_t)job->uncoded;
    job->uncoded = uncoded;
    bool others = state->uncoded > (uint32_t)uncoded;
    pthread_mutex_unlock(&job->runtime->lock);
    return others;
}

static bool prepare(struct j2k_gpu_encode_job *job, const struct gpu_event *after, struct gpu_error *error)
{
    struct gpu_runtime *runtime = job->runtime;
    struct memory *memory = runtime->gpu->memory;
    job->built = kst_gpu_runtime_build(runtime, &kst_j2k_gpu_encoding, error);
    if (!job->built)
        return false;
    kst_j2k_gpu_encode_uncoded(job, true);
    job->picture = kst_memory_array(memory, job->count, sizeof *job->picture, &error->status);
    if (!job->picture)
        return false;
    for (uint32_t i = 0; i < job->count; i++)
        job->picture[i] = job->items[i].picture;
    if (!kst_j2k_gpu_part_geometry(&job->part, memory, job->picture, job->count, runtime->gpu->info.units)) {
        error->status = KST_ERROR_MEMORY;
        return false;
    }
    job->track = kst_gpu_track_take(runtime, error);
    if (!job->track)
        return false;
    job->queue = &job->track->queue;
    if (after)
        runtime->gpu->backend->wait(job->queue, after);
    return take_buffers(job, error);
}

struct j2k_gpu_encode_job *kst_j2k_gpu_encode_begin(struct gpu_runtime *runtime,
    const struct j2k_gpu_encode_item *items, uint32_t count, const struct gpu_event *after, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_gpu_encode_job *job = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->runtime = runtime;
    job->items = items;
    job->count = count;
    job->waits = after != NULL;
    atomic_init(&job->missed, false);
    atomic_init(&job->fetched, NULL);
    atomic_init(&job->packed, NULL);
    if (prepare(job, after, error)) {
        kst_j2k_gpu_encode_upload(job);
        kst_j2k_gpu_encode_transform(job);
        if (!atomic_load(&job->missed))
            return job;
        error->status = KST_ERROR_ROWS;
    }
    kst_j2k_gpu_encode_end(job);
    return NULL;
}

struct j2k_gpu_encode_job *kst_j2k_gpu_encode_beside(const struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    struct gpu_runtime *runtime = job->runtime;
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_gpu_encode_job *beside = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *beside, &error->status);
    if (!beside)
        return NULL;
    beside->runtime = runtime;
    beside->built = job->built;
    beside->items = job->items;
    beside->count = job->count;
    beside->picture = job->picture;
    beside->part = job->part;
    memcpy(beside->buffer, job->buffer, sizeof beside->buffer);
    beside->shares = beside->timed = true;
    atomic_init(&beside->missed, false);
    atomic_init(&beside->fetched, NULL);
    atomic_init(&beside->packed, NULL);
    beside->track = kst_gpu_track_take(runtime, error);
    if (beside->track) {
        beside->queue = &beside->track->queue;
        beside->queue->error = job->queue->error; /* what follows depends on the transform */
        runtime->gpu->backend->wait(beside->queue, &job->track->event[CODING_AFTER_TRANSFORM]);
        return beside;
    }
    kst_memory_release(runtime->gpu->memory, beside);
    return NULL;
}

struct j2k_gpu_encode_job *kst_j2k_gpu_encode_decoded(
    const struct j2k_gpu_job *decoded, const struct j2k_gpu_encode_item *items, struct gpu_error *error)
{
    struct gpu_runtime *runtime = decoded->runtime;
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_gpu_encode_job *job = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->runtime = runtime;
    job->items = items;
    job->count = decoded->count;
    job->part = decoded->part;
    job->buffer[CODING_SAMPLES] = decoded->buffer[J2K_SAMPLES];
    job->shares = job->timed = true;
    atomic_init(&job->missed, false);
    atomic_init(&job->fetched, NULL);
    atomic_init(&job->packed, NULL);
    job->built = kst_gpu_runtime_build(runtime, &kst_j2k_gpu_encoding, error);
    job->track = job->built ? kst_gpu_track_take(runtime, error) : NULL;
    if (job->track) {
        job->queue = &job->track->queue;
        kst_j2k_gpu_follow(decoded, job->queue);
        kst_j2k_gpu_encode_uncoded(job, true);
        return job;
    }
    kst_memory_release(runtime->gpu->memory, job);
    return NULL;
}

static void release_fetched(struct j2k_gpu_encode_job *job)
{
    struct j2k_gpu_fetched *fetched = atomic_load(&job->fetched);
    atomic_store(&job->fetched, NULL);
    while (fetched) {
        struct j2k_gpu_fetched *next = fetched->next;
        kst_gpu_pool_give(&job->runtime->pool, &fetched->buffer);
        kst_gpu_pool_give(&job->runtime->pool, &fetched->collected);
        kst_memory_release(job->runtime->gpu->memory, fetched);
        fetched = next;
    }
}

void kst_j2k_gpu_encode_forget(struct j2k_gpu_encode_job *job)
{
    kst_j2k_gpu_encode_finish(job);
    release_fetched(job);
    kst_j2k_gpu_packets_forget(job);
}

/* Release what the job does not share with another one. */
static void release_own(struct j2k_gpu_encode_job *job)
{
    struct gpu_runtime *runtime = job->runtime;
    for (uint32_t i = 0; i < CODING_BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &job->buffer[i]);
    if (job->part.memory)
        kst_j2k_gpu_part_release(&job->part);
    kst_memory_release(runtime->gpu->memory, job->picture);
}

void kst_j2k_gpu_encode_end(struct j2k_gpu_encode_job *job)
{
    if (!job)
        return;
    struct gpu_runtime *runtime = job->runtime;
    if (job->built)
        kst_j2k_gpu_encode_uncoded(job, false);
    if (job->track)
        kst_j2k_gpu_encode_finish(job);
    release_fetched(job);
    kst_j2k_gpu_packets_forget(job);
    kst_j2k_gpu_count_end(job);
    if (!job->shares)
        release_own(job);
    kst_gpu_track_give(runtime, job->track);
    kst_memory_release(runtime->gpu->memory, job);
}

struct j2k_gpu_encode_times kst_j2k_gpu_encode_times(struct j2k_gpu_encode_job *job)
{
    if (!job->timed) { /* jobs that share its buffers coded all blocks */
        kst_j2k_gpu_encode_finish(job);
        kst_j2k_gpu_encode_add_first_times(job);
    }
    return job->times;
}
