/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many streams at once. Those that the GPU can decode go there in parts, of which a few are on their way at the same
 * time, so that one is uploaded while another is decoded; the CPU's threads do the others meanwhile, if only as far as
 * to coefficients.
 */
#include <stddef.h>

#include "api/decoding.h"
#include "api/j2k_parts.h"
#include "api/jpeg_decode.h"
#include "api/stream.h"
#include "core/report.h"
#include "jpeg/gpu/target.h"

enum {
    PART_PICTURES = 64,
    PART_BYTES = 8 << 20,  /* of streams: enough to keep the device busy, few enough to be there soon */
    FIRST_BYTES = 2 << 20, /* of the first part, so that the device begins; the next ones have twice as many each */
    PARTS_AT_ONCE = 6,     /* with buffers of their own; later ones take over theirs */
    PARTS_IN_FLIGHT = 24,
    WINDOW = 16 /* streams that are opened before the first of them is decoded */
};

#define PART_MEMORY (UINT64_C(640) << 20)

struct entry {
    kst_decode_item *item;
    struct kst_decoder decoder;
    struct decoding decoding;
    pthread_mutex_t lock; /* of what makes sure of presumptions, and of the end */
    bool open;            /* planned, and not ended yet */
};

struct part {
    struct job *job; /* null: ended, or never begun */
    uint32_t first, count;
    uint64_t bytes, memory; /* of the streams; that it takes on the device */
    bool staged;            /* its images or streams need pinned memory */
};

struct kst_job {
    kst_context *context;
    struct gpu_executor *gpu;
    struct entry *entry;
    uint32_t count;
    uint32_t *on_gpu, *on_cpu; /* which entries */
    uint32_t gpu_count, cpu_count;
    uint32_t window;            /* the first of the entries that are being opened */
    struct j2k_parts j2k;       /* those of JPEG 2000 on the GPU */
    struct jpeg_gpu_item *item; /* of the other entries on the GPU, in turn */
    struct part *part;
    uint32_t part_count, cut; /* how many items are in parts */
    uint32_t ready;           /* parts that get no more items */
    uint32_t begun, ended;    /* in turn */
    struct entered_stream entered;
};

/* Copy an entry's report to the caller. */
static void close_entry(struct entry *entry)
{
    entry->item->report = entry->decoder.report;
    kst_decoder_close(&entry->decoder);
    entry->open = false;
}

static void close_decoding(struct decoding *decoding)
{
    close_entry((struct entry *)(void *)((char *)decoding - offsetof(struct entry, decoding)));
}

static void open_entry(void *arg, uint32_t index)
{
    struct kst_job *job = arg;
    struct entry *entry = &job->entry[job->window + index];
    const kst_decode_item *item = entry->item;
    kst_decoder_start(&entry->decoder, job->context);
    kst_status status = item->image ? kst_decoder_open_soon(&entry->decoder, item->data, item->length)
                                    : kst_report_error(&entry->decoder.report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    if (!status)
        status = kst_decoding_begin(&entry->decoding, &entry->decoder, item->options, item->image);
    entry->open = !status;
    entry->decoding.after = job->entered.gpu ? &job->entered.start : NULL;
    if (status)
        close_entry(entry);
}

/* Device memory that a part may take. */
static uint64_t part_memory(const struct kst_job *job)
{
    uint64_t limit = job->context->limits.memory / PARTS_AT_ONCE, card = job->gpu->gpu->info.memory / 16;
    limit = limit < PART_MEMORY ? limit : PART_MEMORY;
    return card < limit ? card : limit;
}

/* Bytes of streams that a part gets, but for the last of them. */
static uint64_t part_bytes(const struct kst_job *job, const struct part *part)
{
    size_t number = (size_t)(part - job->part);
    uint64_t grown = (uint64_t)FIRST_BYTES << (number < 8 ? number : 8);
    return grown < PART_BYTES ? grown : PART_BYTES;
}

static bool fits(const struct kst_job *job, const struct part *part, uint64_t memory)
{
    return part->count < PART_PICTURES && part->bytes < part_bytes(job, part) &&
           part->memory + memory <= part_memory(job);
}

/* Put the items that are not in parts yet into some. */
static void cut_into_parts(struct kst_job *job)
{
    for (; job->cut < job->gpu_count; job->cut++) {
        const struct jpeg_gpu_item *item = &job->item[job->cut];
        uint64_t length, memory = kst_gpu_jpeg_memory(item, 1);
        if (job->part_count == 0 || !fits(job, &job->part[job->part_count - 1], memory))
            job->part[job->part_count++] = (struct part){.first = job->cut};
        struct part *part = &job->part[job->part_count - 1];
        kst_gpu_scan_data(item->plan, &length);
        part->bytes += length;
        part->memory += memory;
        part->count++;
        part->staged = part->staged || !item->pinned || item->sink == GPU_SINK_HOST;
    }
}

static void sort_entries(struct kst_job *job, uint32_t end)
{
    for (uint32_t i = job->window; i < end; i++) {
        struct entry *entry = &job->entry[i];
        if (!entry->open)
            continue;
        if (entry->decoding.j2k) {
            job->gpu = entry->decoding.gpu;
            kst_j2k_parts_add(&job->j2k, &entry->decoding);
            continue;
        }
        if (!entry->decoding.on_gpu || kst_jpeg_reads_scans(&entry->decoding)) {
            job->on_cpu[job->cpu_count++] = i;
            continue;
        }
        job->gpu = entry->decoding.gpu;
        struct jpeg_gpu_item *item = &job->item[job->gpu_count];
        *item = entry->decoding.item;
        kst_gpu_jpeg_route(job->gpu, item);
        item->ordered = job->entered.gpu && item->sink != GPU_SINK_HOST;
        job->on_gpu[job->gpu_count++] = i;
    }
}

struct settling {
    struct kst_job *job;
    const struct part *part;
    const struct jpeg_gpu_damage *damage;
    const struct jpeg_gpu_times *times;
    const struct gpu_error *error;
};

static void settle_entry(void *arg, uint32_t index)
{
    const struct settling *settling = arg;
    struct kst_job *job = settling->job;
    struct entry *entry = &job->entry[job->on_gpu[settling->part->first + index]];
    pthread_mutex_lock(&entry->lock);
    kst_jpeg_decoding_settle(&entry->decoding, &settling->damage[index], settling->times, settling->error);
    close_entry(entry);
    pthread_mutex_unlock(&entry->lock);
}

/* Pictures that went through the stages together share their times. */
static void settle_part(struct kst_job *job, const struct part *part, const struct jpeg_gpu_damage *damage,
    struct jpeg_gpu_times *times, const struct gpu_error *error)
{
    struct settling settling = {job, part, damage, times, error};
    times->upload /= part->count;
    times->entropy /= part->count;
    times->pixels /= part->count;
    times->download /= part->count;
    kst_pool_run(job->context->pool, part->count, settle_entry, &settling);
}

static void begin_part(struct kst_job *job, struct gpu_error *error)
{
    struct part *part = &job->part[job->begun];
    struct jpeg_gpu_order order = {.after = job->entered.gpu ? &job->entered.start : NULL};
    if (job->begun >= PARTS_AT_ONCE)
        order.heir_of = job->part[job->begun - PARTS_AT_ONCE].job;
    part->job = kst_gpu_jpeg_begin(job->gpu, &job->item[part->first], part->count, &order, error);
    job->begun++;
}

static void end_part(struct kst_job *job)
{
    struct jpeg_gpu_damage damage[PART_PICTURES];
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    struct part *part = &job->part[job->ended++];
    if (!part->job)
        return;
    kst_gpu_jpeg_end(part->job, damage, &times, &error);
    part->job = NULL;
    settle_part(job, part, damage, &times, &error);
}

/* Whether a part has to end before the next can begin. */
static bool must_end(const struct kst_job *job)
{
    uint32_t in_flight = job->begun - job->ended;
    return in_flight >= PARTS_IN_FLIGHT || (in_flight >= PARTS_AT_ONCE && job->part[job->ended].staged);
}

static void run_on_gpu(struct kst_job *job)
{
    while (job->begun < job->ready) {
        struct jpeg_gpu_times times = {0};
        struct gpu_error error;
        if (must_end(job))
            end_part(job);
        begin_part(job, &error);
        if (!job->part[job->begun - 1].job)
            settle_part(
                job, &job->part[job->begun - 1], (const struct jpeg_gpu_damage[PART_PICTURES]){{0}}, &times, &error);
    }
}

static void confirm_entry(struct entry *entry)
{
    pthread_mutex_lock(&entry->lock);
    if (entry->open)
        kst_decoding_confirm(&entry->decoding, NULL);
    pthread_mutex_unlock(&entry->lock);
}

/* The first task feeds the GPU, some make sure of what was presumed of its streams, each other one decodes a picture.
 */
static void run_task(void *arg, uint32_t index)
{
    struct kst_job *job = arg;
    if (index == 0) {
        run_on_gpu(job);
        kst_j2k_parts_run(&job->j2k, false);
        return;
    }
    if (index <= job->gpu_count) {
        confirm_entry(&job->entry[job->on_gpu[index - 1]]);
        return;
    }
    struct entry *entry = &job->entry[job->on_cpu[index - 1 - job->gpu_count]];
    kst_decoding_run(&entry->decoding);
    close_entry(entry);
}

static void release(struct kst_job *job)
{
    struct memory *memory = &job->context->memory;
    kst_stream_leave(&job->entered);
    kst_j2k_parts_release(&job->j2k);
    for (uint32_t i = 0; i < job->count && job->entry; i++)
        pthread_mutex_destroy(&job->entry[i].lock);
    kst_memory_release(memory, job->part);
    kst_memory_release(memory, job->item);
    kst_memory_release(memory, job->on_gpu);
    kst_memory_release(memory, job->entry);
    kst_memory_release(memory, job);
}

static struct kst_job *make(kst_context *context, kst_decode_item *items, uint32_t count, kst_status *status)
{
    struct memory *memory = &context->memory;
    struct kst_job *job = kst_memory_zeroed(memory, 1, sizeof *job, status);
    if (!job)
        return NULL;
    job->context = context;
    job->entry = kst_memory_array(memory, count, sizeof *job->entry, status);
    job->on_gpu = kst_memory_array(memory, 2 * (size_t)count, sizeof *job->on_gpu, status);
    job->item = kst_memory_array(memory, count, sizeof *job->item, status);
    job->part = kst_memory_zeroed(memory, count, sizeof *job->part, status);
    bool made = kst_j2k_parts_make(&job->j2k, context, count, close_decoding);
    if (!made || !job->entry || !job->on_gpu || !job->item || !job->part) {
        *status = KST_ERROR_MEMORY;
        release(job);
        return NULL;
    }
    job->on_cpu = job->on_gpu + count;
    for (uint32_t i = 0; i < count; i++) {
        job->entry[i].item = &items[i];
        pthread_mutex_init(&job->entry[i].lock, NULL);
    }
    job->count = count;
    return job;
}

static void end_all(struct kst_job *job)
{
    while (job->ended < job->begun)
        end_part(job);
}

/* The streams are opened a window at a time, so that the first parts are on their way while others are opened. */
static void start(struct kst_job *job)
{
    for (uint32_t end; job->window < job->count; job->window = end) {
        end = job->count - job->window < WINDOW ? job->count : job->window + WINDOW;
        kst_pool_run(job->context->pool, end - job->window, open_entry, job);
        sort_entries(job, end);
        cut_into_parts(job);
        job->ready = job->part_count - (job->part_count > 0 && end < job->count);
        if (end < job->count) {
            run_on_gpu(job);
            kst_j2k_parts_run(&job->j2k, true);
        }
    }
    kst_pool_run(job->context->pool, 1 + job->gpu_count + job->cpu_count, run_task, job);
    for (uint32_t i = 0; i < job->gpu_count; i++)
        if (job->entry[job->on_gpu[i]].open && job->entry[job->on_gpu[i]].decoding.mistaken)
            end_all(job);
}

/* Make it wait for all that is on its way; where that cannot be, wait here. */
static void leave_stream(struct kst_job *job)
{
    for (uint32_t i = job->ended; i < job->begun; i++)
        if (job->part[i].job)
            kst_gpu_jpeg_follow(job->part[i].job, &job->entered.queue);
    kst_j2k_parts_follow(&job->j2k, &job->entered.queue);
    if (job->entered.queue.error.status) {
        end_all(job);
        kst_j2k_parts_end(&job->j2k);
    }
}

kst_status kst_decode_submit(
    kst_context *context, kst_decode_item *items, size_t count, const kst_stream *stream, kst_job **job)
{
    if (!job)
        return KST_ERROR_ARGUMENT;
    *job = NULL;
    if (!context || (!items && count > 0) || count > UINT32_MAX / 2)
        return KST_ERROR_ARGUMENT;
    kst_status status = KST_OK;
    struct kst_job *made = make(context, items, (uint32_t)count, &status);
    if (!made)
        return status;
    if (stream)
        status = kst_stream_enter(context, stream, &made->entered);
    if (status) {
        release(made);
        return status;
    }
    start(made);
    if (stream)
        leave_stream(made);
    *job = made;
    return KST_OK;
}

bool kst_job_done(const kst_job *job)
{
    for (uint32_t i = job ? job->ended : 0; job && i < job->begun; i++)
        if (job->part[i].job && !kst_gpu_jpeg_done(job->part[i].job))
            return false;
    return !job || kst_j2k_parts_done(&job->j2k);
}

kst_status kst_job_wait(kst_job **job)
{
    kst_status status = KST_OK;
    if (!job || !*job)
        return KST_OK;
    end_all(*job);
    kst_j2k_parts_end(&(*job)->j2k);
    for (uint32_t i = (*job)->count; i-- > 0;)
        if ((*job)->entry[i].item->report.status)
            status = (*job)->entry[i].item->report.status;
    release(*job);
    *job = NULL;
    return status;
}

struct batch {
    kst_context *context;
    kst_decode_item *item;
};

static void decode_item(void *arg, uint32_t index)
{
    struct batch *batch = arg;
    kst_decode_item *item = &batch->item[index];
    kst_report_init(&item->report);
    kst_status status = kst_decode(batch->context, item->data, item->length, item->options, item->image, &item->report);
    if (status && item->report.status == KST_OK)
        kst_report_error(&item->report, status, KST_NO_OFFSET, NULL);
}

/* Headers and pixels of a stream in one go. */
static kst_status decode_on_cpu(kst_context *context, kst_decode_item *items, uint32_t count)
{
    struct batch batch = {.context = context, .item = items};
    kst_pool_run(context->pool, count, decode_item, &batch);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}

static kst_status decode_with_gpu(kst_context *context, kst_decode_item *items, uint32_t count)
{
    kst_job *job;
    kst_status status = kst_decode_submit(context, items, count, NULL, &job);
    for (uint32_t i = 0; status && i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
    return status ? status : kst_job_wait(&job);
}

/* Streams that are open at once: what is kept of each takes some kilobytes. */
enum { MOST_AT_ONCE = 4096 };

kst_status kst_decode_batch(kst_context *context, kst_decode_item *items, size_t count)
{
    kst_status first = KST_OK;
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    for (size_t done = 0; done < count;) {
        uint32_t some = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        kst_status status = kst_context_is_cpu(context) ? decode_on_cpu(context, items + done, some)
                                                        : decode_with_gpu(context, items + done, some);
        first = first ? first : status;
        done += some;
    }
    return first;
}
