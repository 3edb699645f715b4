/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes the blocks of pictures and writes their packets on the device, so that the host learns nothing about the blocks
 * but how many bytes all packets have; and copies the packets to their places in the codestream.
 */
#include <stddef.h>
#include <string.h>

#include "j2k/gpu/encode_job.h"
#include "j2k/gpu/encode_list.h"
#include "j2k/gpu/packets.h"

/*
 * The buffers of coded pictures. The first two are pinned; these and PASSES are given back as soon as blocks are coded.
 */
enum packed_buffer { HOST_LIST, FOUND, PASSES, LIST, DATA, RESULTS, WORK, PACKED_BUFFERS };

enum { BEFORE, AFTER /* events of the track */ };

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* Holds pictures that were coded together. Once it is in the job's list, it is constant. */
struct j2k_gpu_packed {
    struct j2k_gpu_packed *next;
    struct gpu_buffer buffer[PACKED_BUFFERS];
    struct j2k_gpu_packing packing;
    uint32_t head;   /* where the list's description of packets begins */
    uint32_t blocks; /* number of blocks of the list */
};

static void give_back(struct j2k_gpu_encode_job *job, struct j2k_gpu_packed *packed)
{
    for (uint32_t i = 0; i < PACKED_BUFFERS; i++)
        kst_gpu_pool_give(&job->runtime->pool, &packed->buffer[i]);
    kst_j2k_gpu_packing_release(&packed->packing, job->runtime->gpu->memory);
    kst_memory_release(job->runtime->gpu->memory, packed);
}

void kst_j2k_gpu_packets_forget(struct j2k_gpu_encode_job *job)
{
    struct j2k_gpu_packed *packed = atomic_load(&job->packed);
    atomic_store(&job->packed, NULL);
    while (packed) {
        struct j2k_gpu_packed *next = packed->next;
        give_back(job, packed);
        packed = next;
    }
}

static bool take_buffers(struct j2k_gpu_encode_job *job, struct j2k_gpu_packed *packed, const struct j2k_gpu_list *list,
    struct gpu_error *error)
{
    const uint64_t words = (packed->head + (uint64_t)packed->packing.words) * sizeof(uint32_t);
    const uint64_t results = J2K_LIST_HEAD * sizeof(uint32_t) + list->blocks * sizeof(struct j2k_work_coded_result);
    const uint64_t length[PACKED_BUFFERS] = {[HOST_LIST] = words,
        [FOUND] = packed->packing.found,
        [PASSES] = list->blocks * (uint64_t)J2K_PASS_WORDS * sizeof(uint32_t),
        [LIST] = words,
        [DATA] = list->data,
        [RESULTS] = results,
        [WORK] = packed->packing.work * sizeof(uint32_t)};
    for (uint32_t i = 0; i < PACKED_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->runtime->pool, i <= FOUND ? GPU_PINNED : GPU_DEVICE, (size_t)length[i],
                &packed->buffer[i], error))
            return false;
    return true;
}

/* Code the blocks of a list, write their packets, and wait for the lengths of these. */
static void code(struct j2k_gpu_encode_job *job, struct j2k_gpu_packed *packed, const struct j2k_gpu_list *list)
{
    const struct gpu_runtime *runtime = job->runtime;
    const struct gpu_backend *backend = runtime->gpu->backend;
    const struct gpu_buffer *buffer = packed->buffer;
    uint32_t *words = (uint32_t *)(void *)buffer[HOST_LIST].host;
    const struct j2k_gpu_result_form form = {J2K_LIST_HEAD, WORDS(struct j2k_work_coded_result),
        offsetof(struct j2k_work_coded_result, length) / sizeof(uint32_t)};
    const struct gpu_argument arguments[] = {{.buffer = &buffer[LIST]},
        {.buffer = &job->buffer[CODING_SAMPLES], .bytes = list->samples * sizeof(uint32_t)}, {.buffer = &buffer[DATA]},
        {.buffer = &buffer[PASSES]}, {.buffer = &buffer[RESULTS]}};
    kst_j2k_gpu_list_write(list, runtime->threads, words);
    kst_j2k_gpu_packing_write(&packed->packing, job, form, words, packed->head);
    backend->copy(&job->track->queue, &buffer[LIST], 0, &buffer[HOST_LIST], 0,
        (packed->head + (size_t)packed->packing.words) * sizeof *words);
    kst_j2k_gpu_encode_calm_down(job); /* only now, so that the list is uploaded while the transform runs */
    kst_j2k_gpu_encode_record(job, CODING_BEFORE_BLOCKS);
    kst_gpu_launch(job->queue, job->built, list->coder->code, list->blocks, arguments, 5);
    kst_j2k_gpu_encode_hurry(job);
    kst_j2k_gpu_packing_launch(&packed->packing, job, &buffer[LIST], &buffer[RESULTS], &buffer[WORK], packed->head);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_BLOCKS);
    backend->copy(job->queue, &buffer[FOUND], 0, &buffer[WORK], 0, (size_t)packed->packing.found);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
    backend->finish(job->queue);
}

/* Make a list of all orders. Returns false if one list cannot hold them, or the kernels are not those of T.814. */
static bool make_list(struct j2k_gpu_encode_job *job, struct j2k_gpu_list *list, uint32_t *arrays,
    const struct j2k_gpu_block_order *orders, uint32_t count)
{
    uint32_t *chosen = arrays + count;
    *list = (struct j2k_gpu_list){
        .part = &job->part, .items = job->items, .orders = orders, .place = arrays, .unmeasured = true};
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = i;
    return kst_j2k_gpu_list(list, chosen, count, job->runtime->gpu->info.units) == count && list->plain;
}

static bool run(struct j2k_gpu_encode_job *job, struct j2k_gpu_packed *packed, const struct j2k_gpu_block_order *orders,
    uint32_t count, uint32_t *length, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    struct j2k_gpu_list list;
    uint32_t *arrays = NULL;
    bool done = kst_j2k_gpu_packing_make(&packed->packing, job, orders, count, error);
    if (done)
        arrays = kst_memory_array(memory, 2 * (size_t)count, sizeof *arrays, &error->status);
    done = arrays && make_list(job, &list, arrays, orders, count);
    if (done) {
        packed->head = list.words;
        packed->blocks = count;
        done = take_buffers(job, packed, &list, error);
    }
    if (done) {
        kst_j2k_gpu_encode_uncoded(job, false);
        code(job, packed, &list);
        *error = job->queue->error;
        done = !error->status;
    }
    if (done) {
        kst_j2k_gpu_encode_add_times(job);
        kst_j2k_gpu_packing_read(&packed->packing, &packed->buffer[FOUND], length);
        for (uint32_t i = HOST_LIST; i <= PASSES; i++)
            kst_gpu_pool_give(&job->runtime->pool, &packed->buffer[i]);
    }
    kst_memory_release(memory, arrays);
    return done;
}

bool kst_j2k_gpu_encode_packets(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, uint32_t *length, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    *error = (struct gpu_error){.status = KST_OK};
    memset(length, 0, job->count * sizeof *length);
    struct j2k_gpu_packed *packed = kst_memory_zeroed(memory, 1, sizeof *packed, &error->status);
    if (!packed)
        return false;
    if (run(job, packed, orders, count, length, error)) {
        packed->next = atomic_load(&job->packed);
        atomic_store(&job->packed, packed);
    } else {
        if (error->status)
            kst_j2k_gpu_encode_finish(job);
        give_back(job, packed);
    }
    return !error->status;
}

/* Return the latest coded pictures that contain an item; null: there are none. */
static const struct j2k_gpu_packed *find(const struct j2k_gpu_encode_job *job, uint32_t item)
{
    const struct j2k_gpu_packed *packed = atomic_load(&job->packed);
    while (packed && packed->packing.item[item].blocks == 0)
        packed = packed->next;
    return packed;
}

static void assemble(const struct j2k_gpu_encode_job *job, const struct j2k_gpu_packed *packed, uint32_t index,
    struct gpu_queue *queue, const struct gpu_buffer *stream)
{
    const struct j2k_gpu_packed_item *item = &packed->packing.item[index];
    const struct gpu_buffer *buffer = packed->buffer;
    const struct gpu_argument arguments[] = {{.buffer = &buffer[LIST]}, {.buffer = &buffer[RESULTS]},
        {.buffer = &buffer[DATA], .bytes = stream->length}, {.buffer = &buffer[WORK]},
        {.buffer = stream, .bytes = stream->length}, {.value = packed->head}, {.value = item->packet},
        {.value = item->packets}, {.value = item->block}};
    kst_gpu_launch(queue, job->built, J2K_ENCODE_ASSEMBLE_PACKETS, item->packets + item->blocks, arguments, 9);
}

bool kst_j2k_gpu_assemble_packets(const struct j2k_gpu_encode_job *job, uint32_t item, uint32_t length,
    const struct gpu_buffer *to, size_t at, double *seconds, struct gpu_error *error)
{
    struct gpu_runtime *runtime = job->runtime;
    const struct gpu_backend *backend = runtime->gpu->backend;
    const struct j2k_gpu_packed *packed = find(job, item);
    struct gpu_buffer stream = {.length = 0};
    *error = (struct gpu_error){.status = KST_OK};
    *seconds = 0;
    if (!packed)
        return kst_gpu_fail(error, runtime->gpu, "assembly of packets", "packets that are not there");
    struct gpu_track *track = kst_gpu_track_take(runtime, error);
    if (!track)
        return false;
    struct gpu_queue *queue = track->urgent.handle ? &track->urgent : &track->queue;
    if (kst_gpu_pool_take(&runtime->pool, GPU_DEVICE, (length + (size_t)3) / 4 * 4, &stream, error)) {
        assemble(job, packed, item, queue, &stream);
        backend->record(queue, &track->event[BEFORE]);
        backend->copy(queue, to, at, &stream, 0, length);
        backend->record(queue, &track->event[AFTER]);
        backend->finish(queue);
        *error = queue->error;
        if (!error->status)
            *seconds = backend->elapsed(runtime->gpu, &track->event[BEFORE], &track->event[AFTER]);
    }
    kst_gpu_pool_give(&runtime->pool, &stream);
    kst_gpu_track_give(runtime, track);
    return !error->status;
}
