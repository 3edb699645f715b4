/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes many pictures at once. Pictures that the GPU can encode go there in the parts that their codecs form;
 * meanwhile the CPU's threads encode the others.
 */
#include <stddef.h>

#include "core/report.h"
#include "run/encoding.h"
#include "run/stream.h"

enum {
    LOOKAHEAD = 256,     /* pictures that are planned before the first of them is encoded */
    LOOKAHEAD_GROWTH = 4 /* factor by which the number planned at once grows each time */
};

struct encode_entry {
    kst_encode_item *item;
    struct encoding encoding;
};

struct encode_job {
    kst_context *context;
    kst_encode_item *item;
    struct encode_entry *entry;
    uint32_t *on_cpu; /* indices of the entries that the CPU encodes */
    uint32_t count, cpu_count;
    uint32_t planning; /* the first of the entries that are being planned */
    struct encode_owner owner;
    void *parts[GPU_CODECS];        /* each codec's parts on the GPU */
    uint32_t threads[GPU_CODECS];   /* number of threads that run each codec's parts */
    struct entered_stream *entered; /* null: none */
};

/* Copy an entry's report to the caller. */
static void close_entry(struct encode_entry *entry)
{
    entry->item->report = entry->encoding.report;
}

static void close_encoding(struct encoding *encoding)
{
    close_entry((struct encode_entry *)(void *)((char *)encoding - offsetof(struct encode_entry, encoding)));
}

static void begin_entry(void *arg, uint32_t index)
{
    struct encode_job *job = arg;
    struct encode_entry *entry = &job->entry[job->planning + index];
    kst_encode_item *item = &job->item[job->planning + index];
    entry->item = item;
    if (kst_encoding_begin(&entry->encoding, job->context, item->image, NULL, item->options, &item->output))
        close_entry(entry);
}

/* Return the parts that hold a codec's pictures. */
static void *parts_of(const struct encode_job *job, const struct codec *codec)
{
    size_t i = 0;
    while (kst_codecs[i] != codec)
        i++;
    return job->parts[i];
}

static void sort_entries(struct encode_job *job, uint32_t end)
{
    for (uint32_t i = job->planning; i < end; i++) {
        struct encoding *e = &job->entry[i].encoding;
        if (e->report.status)
            continue;
        e->after = job->entered ? &job->entered->start : NULL;
        if (e->on_gpu)
            e->codec->encode_parts->add(parts_of(job, e->codec), e);
        else
            job->on_cpu[job->cpu_count++] = i;
    }
}

static void feed_gpu(struct encode_job *job)
{
    for (size_t i = 0; i < GPU_CODECS; i++)
        if (kst_codecs[i]->encode_parts->feed)
            kst_codecs[i]->encode_parts->feed(job->parts[i]);
}

/*
 * Plan all encodings, some at a time, so that the first pictures are encoded while others are planned. Each round wakes
 * all threads, so there are few rounds.
 */
static void plan_entries(struct encode_job *job)
{
    uint64_t some = LOOKAHEAD;
    for (uint32_t end; job->planning < job->count; job->planning = end, some *= LOOKAHEAD_GROWTH) {
        end = job->count - job->planning < some ? job->count : job->planning + (uint32_t)some;
        kst_pool_run(job->context->pool, end - job->planning, begin_entry, job);
        sort_entries(job, end);
        if (end < job->count)
            feed_gpu(job);
    }
}

/* Set how many threads feed the GPU for each codec. Returns their sum. */
static uint32_t feeding_threads(struct encode_job *job)
{
    uint32_t threads = 0;
    for (size_t i = 0; i < GPU_CODECS; i++) {
        job->threads[i] = kst_codecs[i]->encode_parts->threads(job->parts[i]);
        threads += job->threads[i];
    }
    return threads;
}

/* Run a task: the first ones feed the GPU, and each other one encodes a picture. */
static void run_task(void *arg, uint32_t index)
{
    struct encode_job *job = arg;
    for (size_t i = 0; i < GPU_CODECS; i++) {
        if (index < job->threads[i]) {
            kst_codecs[i]->encode_parts->run(job->parts[i]);
            return;
        }
        index -= job->threads[i];
    }
    struct encode_entry *entry = &job->entry[job->on_cpu[index]];
    kst_encoding_run(&entry->encoding);
    close_entry(entry);
}

static void release(struct encode_job *job)
{
    struct memory *memory = &job->context->memory;
    for (size_t i = 0; i < GPU_CODECS; i++)
        if (job->parts[i])
            kst_codecs[i]->encode_parts->release(job->parts[i]);
    kst_memory_release(memory, job->entry);
    kst_memory_release(memory, job->on_cpu);
}

static kst_status prepare(struct encode_job *job)
{
    struct memory *memory = &job->context->memory;
    kst_status status = KST_OK;
    job->entry = kst_memory_array(memory, job->count, sizeof *job->entry, &status);
    job->on_cpu = kst_memory_array(memory, job->count, sizeof *job->on_cpu, &status);
    job->owner = (struct encode_owner){.context = job->context, .most = job->count, .close = close_encoding};
    for (size_t i = 0; i < GPU_CODECS && !status; i++) {
        job->parts[i] = kst_codecs[i]->encode_parts->make(&job->owner);
        status = job->parts[i] ? KST_OK : KST_ERROR_MEMORY;
    }
    return status;
}

static void fail_all(kst_encode_item *items, uint32_t count, kst_status status)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
}

static void encode_with_gpu(kst_context *context, struct gpu_runtime *gpu, kst_encode_item *items, uint32_t count,
    struct entered_stream *entered)
{
    struct encode_job job = {.context = context, .item = items, .count = count, .entered = entered};
    kst_status status = prepare(&job);
    if (status) {
        fail_all(items, count, status);
    } else {
        plan_entries(&job);
        if (entered && job.cpu_count > 0) /* the CPU copies pixels from the device without waiting for the stream */
            gpu->gpu->backend->finish(&entered->queue);
        kst_pool_run(context->pool, feeding_threads(&job) + job.cpu_count, run_task, &job);
    }
    release(&job);
}

struct encode_batch {
    kst_context *context;
    kst_encode_item *item;
};

static void encode_item(void *arg, uint32_t index)
{
    const struct encode_batch *batch = arg;
    kst_encode_item *item = &batch->item[index];
    struct encoding e;
    if (!kst_encoding_begin(&e, batch->context, item->image, NULL, item->options, &item->output))
        kst_encoding_run(&e);
    item->report = e.report;
}

/* The largest number of pictures whose encoding is planned at once. Each takes a few kilobytes. */
enum { MOST_AT_ONCE = 4096 };

kst_status kst_encoding_run_all(
    kst_context *context, struct gpu_runtime *gpu, kst_encode_item *items, size_t count, struct entered_stream *entered)
{
    for (size_t done = 0; done < count;) {
        struct encode_batch batch = {context, items + done};
        uint32_t some = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        if (gpu)
            encode_with_gpu(context, gpu, items + done, some, entered);
        else
            kst_pool_run(context->pool, some, encode_item, &batch);
        done += some;
    }
    for (size_t i = 0; i < count; i++) {
        if (items[i].report.status)
            return items[i].report.status;
    }
    return KST_OK;
}
