/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transcodes streams of JPEG 2000. A GPU codes the blocks of those streams that it can, in parts of some streams, with
 * several parts in flight at the same time. Threads read the streams of a part in parallel, and write them in parallel
 * while the device codes the blocks of other parts.
 */
#include "j2k/run/transcode.h"

#include "core/context.h"
#include "core/report.h"

/*
 * Parts go through reading, the device and writing. There are twice as many in flight as are on the device, so that
 * they do not all read at the same time, and write at the same time, while the device waits.
 */
enum {
    PART_STREAMS = 64,
    PART_BYTES = 64 << 20, /* bytes of streams: with two other parts, enough blocks to keep a device busy */
    PARTS_AT_ONCE = 6,
    ON_DEVICE = 3,
    HELD = 4 * ON_DEVICE /* a part takes at most this share of the device's memory */
};

/* Holds all streams of a call; the threads that run parts share it. */
struct all_streams {
    kst_context *context;
    struct transcoding *const *list;
    uint32_t count, threads;
    pthread_mutex_t lock;      /* guards the next members */
    pthread_cond_t left;       /* a part has left the device */
    uint32_t next;             /* first stream that is not in a part yet */
    uint32_t on_device;        /* number of parts on the device */
    atomic_uint_fast64_t held; /* memory of streams that have been read, but not written yet */
};

/* Holds a part: streams that one thread transcodes. */
struct some_streams {
    struct all_streams *all;
    struct transcoding *const *list;
    uint32_t count;
    struct j2k_transcoding stream[PART_STREAMS];
    struct j2k_transcoding *member[PART_STREAMS]; /* streams whose blocks the GPU codes */
    uint32_t members;
    uint64_t held[PART_STREAMS]; /* memory that each takes once it has been read */
    bool later[PART_STREAMS];    /* the stream is only read when it can also be written */
};

/*
 * Read a stream, unless the streams that have been read already take as much memory as one stream may: a few bytes may
 * describe many code-blocks, and hundreds of streams may wait for the device at the same time.
 */
static void read_stream(void *argument, uint32_t index)
{
    struct some_streams *some = argument;
    struct j2k_transcoding *t = &some->stream[index];
    some->later[index] = atomic_load(&some->all->held) > some->all->context->limits.memory;
    if (some->later[index])
        return;
    t->status = kst_j2k_run_transcode_read(t, some->list[index]);
    if (!t->status)
        t->status = kst_j2k_run_transcode_gpu_plan(t);
    some->held[index] = atomic_load(&t->all->memory.used);
    atomic_fetch_add(&some->all->held, some->held[index]);
}

static void write_stream(void *argument, uint32_t index)
{
    struct some_streams *some = argument;
    struct j2k_transcoding *t = &some->stream[index];
    if (some->later[index]) {
        some->list[index]->status = kst_j2k_run_transcode(some->list[index]);
        return;
    }
    t->all->status = t->status ? t->status : kst_j2k_run_transcode_write(t);
    kst_j2k_run_transcode_release(t);
    atomic_fetch_sub(&some->all->held, some->held[index]);
}

/* Return how many members, from one on, have their blocks coded together. */
static uint32_t count_together(const struct some_streams *some, uint32_t first)
{
    const struct gpu *gpu = some->member[first]->gpu->gpu;
    const uint64_t share = gpu->info.memory > 0 ? gpu->info.memory / HELD : UINT64_MAX;
    const uint64_t most = share < J2K_GPU_MEMORY_MAX ? share : J2K_GPU_MEMORY_MAX;
    uint64_t memory = 0, largest = 0, bytes = 0;
    uint32_t end = first;
    for (; end < some->members; end++) {
        const struct j2k_transcode_blocks *blocks = &some->member[end]->blocks;
        memory += blocks->need.memory;
        largest += blocks->need.largest;
        bytes += blocks->source.length;
        if (end > first && (memory > most || largest > gpu->largest || bytes > J2K_GPU_STREAM_MAX))
            break;
    }
    return end - first;
}

static void enter_device(struct all_streams *all)
{
    pthread_mutex_lock(&all->lock);
    while (all->on_device == ON_DEVICE)
        pthread_cond_wait(&all->left, &all->lock);
    all->on_device++;
    pthread_mutex_unlock(&all->lock);
}

static void leave_device(struct all_streams *all)
{
    pthread_mutex_lock(&all->lock);
    all->on_device--;
    pthread_cond_signal(&all->left);
    pthread_mutex_unlock(&all->lock);
}

static void run_some(struct all_streams *all, struct some_streams *some)
{
    kst_context *context = all->context;
    struct j2k_transcode_part part[PART_STREAMS];
    uint32_t parts = 0;
    kst_pool_run(context->pool, some->count, read_stream, some);
    some->members = 0;
    for (uint32_t i = 0; i < some->count; i++)
        if (!some->later[i] && !some->stream[i].status && some->stream[i].gpu)
            some->member[some->members++] = &some->stream[i];
    for (uint32_t i = 0; i < some->members; i += part[parts++].count) {
        part[parts] = (struct j2k_transcode_part){.context = context,
            .gpu = some->member[i]->gpu,
            .member = &some->member[i],
            .count = count_together(some, i),
            .beside = (all->threads < ON_DEVICE ? all->threads : ON_DEVICE) - 1};
        enter_device(all);
        kst_j2k_run_transcode_gpu_code(&part[parts]);
        leave_device(all);
    }
    kst_pool_run(context->pool, some->count, write_stream, some);
    for (uint32_t i = 0; i < parts; i++)
        kst_j2k_run_transcode_gpu_end(&part[i]);
}

/* Take the next streams, as many as make a part. */
static bool take_some(struct all_streams *all, struct some_streams *some)
{
    const uint32_t share = (all->count + all->threads - 1) / all->threads;
    const uint32_t most = share < PART_STREAMS ? share : PART_STREAMS;
    uint64_t bytes = 0;
    some->all = all;
    pthread_mutex_lock(&all->lock);
    some->list = all->list + all->next;
    some->count = 0;
    while (all->next < all->count && some->count < most && (some->count == 0 || bytes < PART_BYTES)) {
        bytes += all->list[all->next++]->length;
        some->count++;
    }
    pthread_mutex_unlock(&all->lock);
    return some->count > 0;
}

/* Transcode parts until no stream is left. */
static void run_parts(void *argument, uint32_t index)
{
    struct all_streams *all = argument;
    (void)index;
    kst_status status = KST_OK;
    struct some_streams *some = kst_memory_array(&all->context->memory, 1, sizeof *some, &status);
    while (some && take_some(all, some))
        run_some(all, some);
    kst_memory_release(&all->context->memory, some);
}

void kst_j2k_run_transcode_all(struct transcoding *const *list, uint32_t count)
{
    struct all_streams all = {.context = list[0]->context, .list = list, .count = count};
    all.threads = count < PARTS_AT_ONCE ? count : PARTS_AT_ONCE;
    uint64_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += list[i]->length;
    for (uint32_t i = 0; i < count; i++)
        list[i]->all_length = length;
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.left, NULL);
    atomic_init(&all.held, 0);
    kst_pool_run(all.context->pool, all.threads, run_parts, &all);
    pthread_cond_destroy(&all.left);
    pthread_mutex_destroy(&all.lock);
    for (uint32_t i = all.next; i < count; i++) /* no thread had memory for a part */
        list[i]->status = kst_report_error(list[i]->op.report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
}

kst_status kst_j2k_run_transcode(struct transcoding *all)
{
    struct j2k_transcoding t;
    struct j2k_transcoding *const member = &t;
    struct j2k_transcode_part part = {.context = all->context, .member = &member, .count = 1};
    t.status = kst_j2k_run_transcode_read(&t, all);
    if (!t.status)
        t.status = kst_j2k_run_transcode_gpu_plan(&t);
    const bool on_gpu = !t.status && t.gpu;
    if (on_gpu) {
        part.gpu = t.gpu;
        kst_j2k_run_transcode_gpu_code(&part);
    }
    if (!t.status)
        t.status = kst_j2k_run_transcode_write(&t);
    kst_j2k_run_transcode_release(&t);
    if (on_gpu)
        kst_j2k_run_transcode_gpu_end(&part);
    return t.status;
}
