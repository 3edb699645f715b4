/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits that T.814 code-blocks take with one quantiser step after the other. The list of blocks stays on the
 * device; for each step only the factors of bands are uploaded, and only numbers of bits are downloaded.
 */
#include <stddef.h>

#include "device/float_bits.h"
#include "j2k/gpu/encode_job.h"
#include "j2k/gpu/encode_list.h"

enum { SLICE = 8192 /* blocks that a thread writes at once; calling one takes as long as thousands of blocks */ };

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct j2k_work_counted_block) == 8 && sizeof(struct j2k_count_work) == 8, "as in the kernels");

struct counted_writing {
    const struct j2k_gpu_encode_job *job;
    const struct j2k_gpu_block_order *order;
    struct j2k_work_coded_block *block;
    uint32_t count;
};

static void write_slice(void *argument, uint32_t index)
{
    const struct counted_writing *w = argument;
    const struct j2k_gpu_encode_job *job = w->job;
    struct j2k_gpu_describing describing = j2k_gpu_describing(&job->part, job->items);
    const uint32_t first = index * SLICE, left = w->count - first;
    for (uint32_t i = first; i < first + (left < SLICE ? left : SLICE); i++)
        kst_j2k_gpu_describe_coded(&describing, &w->order[i], &w->block[i]);
}

static bool take_buffers(struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    const struct j2k_gpu_counting *counting = &job->counting;
    const uint64_t list = counting->head * 4ULL + counting->blocks * (uint64_t)sizeof(struct j2k_work_coded_block);
    const uint64_t found = counting->blocks * (uint64_t)sizeof(struct j2k_work_counted_block);
    const uint64_t length[COUNTING_BUFFERS] = {
        [COUNTING_HOST_LIST] = list, [COUNTING_FOUND] = found, [COUNTING_LIST] = list, [COUNTING_RESULTS] = found};
    for (uint32_t i = 0; i < COUNTING_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->runtime->pool, i <= COUNTING_FOUND ? GPU_PINNED : GPU_DEVICE, (size_t)length[i],
                &job->counting.buffer[i], error))
            return false;
    job->counting.list = (size_t)list;
    return true;
}

static uint32_t *list_words(const struct j2k_gpu_encode_job *job)
{
    return (uint32_t *)(void *)job->counting.buffer[COUNTING_HOST_LIST].host;
}

bool kst_j2k_gpu_count_begin(
    struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    if (count == 0)
        return kst_gpu_fail(error, job->runtime->gpu, "counting of bytes", "no blocks");
    job->counting.blocks = count;
    job->counting.uploaded = false;
    job->counting.head = WORDS(struct j2k_count_work) + job->part.bands;
    if (!take_buffers(job, error)) {
        kst_j2k_gpu_count_end(job); /* so that counting has not begun */
        return false;
    }
    uint32_t *words = list_words(job);
    struct j2k_count_work *head = (struct j2k_count_work *)(void *)words;
    head->factor = WORDS(struct j2k_count_work);
    head->block = job->counting.head;
    struct counted_writing writing = {
        job, orders, (struct j2k_work_coded_block *)(void *)(words + head->block), job->counting.blocks};
    kst_pool_run(job->runtime->threads, (count + SLICE - 1) / SLICE, write_slice, &writing);
    return true;
}

bool kst_j2k_gpu_counts(const struct j2k_gpu_encode_job *job)
{
    return job->counting.blocks > 0;
}

/* Write the factors of all bands. Returns how many bytes at the start of the list the device does not have yet. */
static size_t write_factors(struct j2k_gpu_encode_job *job, const bool *wanted)
{
    struct j2k_gpu_counting *counting = &job->counting;
    uint32_t *factor = list_words(job) + WORDS(struct j2k_count_work);
    for (uint32_t i = 0; i < job->count; i++) {
        const struct j2k_plan *plan = job->items[i].picture.plan;
        for (uint32_t b = 0; b < plan->band_count; b++)
            factor[job->part.place[i].band + b] = wanted && !wanted[i] ? 0 : gpu_float_bits(1.0F / plan->band[b].step);
    }
    return counting->uploaded ? counting->head * sizeof *factor : counting->list;
}

/*
 * Upload the factors, and before the first count also the list, beside the transform if that runs in another queue.
 */
static void upload(struct j2k_gpu_encode_job *job, size_t length)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct j2k_gpu_counting *counting = &job->counting;
    struct gpu_buffer *buffer = counting->buffer;
    struct gpu_queue *queue = counting->uploaded ? job->queue : &job->track->queue;
    const size_t found = counting->blocks * sizeof(struct j2k_work_counted_block);
    backend->copy(queue, &buffer[COUNTING_LIST], 0, &buffer[COUNTING_HOST_LIST], 0, length);
    if (counting->uploaded)
        return;
    backend->fill(queue, &buffer[COUNTING_RESULTS], 0, found, UINT32_MAX); /* no block has been counted yet */
    kst_j2k_gpu_encode_join(job);
    counting->uploaded = true;
}

/* Count the bits of all blocks whose bands have factors, and download them. The list has `length` new bytes. */
static void count_bits(struct j2k_gpu_encode_job *job, size_t length)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct j2k_gpu_counting *counting = &job->counting;
    const struct gpu_buffer *buffer = counting->buffer;
    const size_t found = counting->blocks * sizeof(struct j2k_work_counted_block);
    const struct gpu_argument arguments[] = {{.buffer = &buffer[COUNTING_LIST]},
        {.buffer = &job->buffer[CODING_SAMPLES], .bytes = job->part.samples * sizeof(uint32_t)},
        {.buffer = &buffer[COUNTING_RESULTS]}};
    kst_j2k_gpu_encode_record(job, CODING_BEFORE_BLOCKS);
    upload(job, length);
    kst_gpu_launch(job->queue, job->built, J2K_ENCODE_COUNT_HT, counting->blocks, arguments, 3);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_BLOCKS);
    backend->copy(job->queue, &buffer[COUNTING_FOUND], 0, &buffer[COUNTING_RESULTS], 0, found);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
}

/*
 * Wait for the counts. The thread of a picture that is encoded alone polls for them; many threads that poll would hold
 * each other up in the driver.
 */
static void wait_for_counts(const struct j2k_gpu_encode_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const bool polls = job->count == 1 && !job->shares && backend->finish_soon;
    (polls ? backend->finish_soon : backend->finish)(job->queue);
}

const struct j2k_work_counted_block *kst_j2k_gpu_count(
    struct j2k_gpu_encode_job *job, const bool *wanted, struct gpu_error *error)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const size_t length = write_factors(job, wanted);
    kst_j2k_gpu_encode_hurry(job);
    if (backend->enter)
        backend->enter(job->queue);
    count_bits(job, length);
    wait_for_counts(job);
    if (backend->enter)
        backend->leave(job->queue);
    *error = job->queue->error;
    if (error->status)
        return NULL;
    kst_j2k_gpu_encode_add_times(job);
    return (const struct j2k_work_counted_block *)(const void *)job->counting.buffer[COUNTING_FOUND].host;
}

void kst_j2k_gpu_count_end(struct j2k_gpu_encode_job *job)
{
    for (uint32_t i = 0; i < COUNTING_BUFFERS; i++)
        kst_gpu_pool_give(&job->runtime->pool, &job->counting.buffer[i]);
    job->counting.blocks = 0;
}
