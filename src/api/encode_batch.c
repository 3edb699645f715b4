/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many pictures at once. Those that the GPU can encode go there in parts, of which a few are on their way at the same
 * time, so that one is downloaded while another is coded; the CPU's threads do the others meanwhile.
 */
#include "api/encoding.h"
#include "api/j2k_encode_parts.h"
#include "core/report.h"
#include "run/device.h"
#include "run/stream.h"

enum { PART_PICTURES = 4, PARTS_AT_ONCE = 3 };

struct part {
    struct encode_batch *batch; /* null: ended, or never begun */
    uint32_t first, count;
};

struct encode_job {
    kst_context *context;
    struct gpu_executor *gpu;
    kst_encode_item *items;
    struct encoding *encoding;     /* one an item */
    struct jpeg_encode_item *item; /* of those on the GPU, in turn */
    uint32_t *on_gpu, *on_cpu;     /* which items */
    struct encoding **j2k;         /* JPEG 2000 pictures for the GPU */
    struct j2k_encode_parts parts;
    uint32_t count, gpu_count, cpu_count, j2k_count;
    struct entered_stream *entered; /* null: none */
};

static void close_item(struct encode_job *job, uint32_t index)
{
    job->items[index].report = job->encoding[index].report;
}

static void close_j2k(void *owner, struct encoding *encoding)
{
    struct encode_job *job = owner;
    close_item(job, (uint32_t)(encoding - job->encoding));
}

static void begin_item(void *arg, uint32_t index)
{
    struct encode_job *job = arg;
    kst_encode_item *item = &job->items[index];
    struct encoding *e = &job->encoding[index];
    if (kst_encoding_begin(e, job->context, item->image, NULL, item->options, &item->output))
        close_item(job, index);
}

static void sort_items(struct encode_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        struct encoding *e = &job->encoding[i];
        if (e->report.status)
            continue;
        e->item.after = job->entered ? &job->entered->start : NULL;
        if (e->gpu && e->options.codec == KST_CODEC_JPEG2000) {
            job->j2k[job->j2k_count++] = e;
            continue;
        }
        if (!e->on_gpu) {
            job->on_cpu[job->cpu_count++] = i;
            continue;
        }
        job->item[job->gpu_count] = e->item;
        job->on_gpu[job->gpu_count++] = i;
    }
}

struct settling {
    struct encode_job *job;
    const struct part *part;
    struct jpeg_encode_times times;
    struct gpu_error error;
};

static void settle_item(void *arg, uint32_t index)
{
    struct settling *settling = arg;
    struct encode_job *job = settling->job;
    uint32_t at = job->on_gpu[settling->part->first + index];
    if (!settling->error.status)
        kst_gpu_jpeg_encode_write(settling->part->batch, index);
    kst_encoding_settle(&job->encoding[at], &settling->times, &settling->error);
    close_item(job, at);
}

/* Pictures that were coded together share their times. */
static void settle_part(struct settling *settling)
{
    uint32_t count = settling->part->count;
    settling->times.upload /= count;
    settling->times.coding /= count;
    settling->times.download /= count;
    kst_pool_run(settling->job->context->pool, count, settle_item, settling);
}

static void begin_part(struct encode_job *job, struct part *part)
{
    struct settling settling = {.job = job, .part = part};
    bool in_row = job->gpu_count > part->count;
    part->batch = kst_gpu_jpeg_encode_begin(job->gpu, &job->item[part->first], part->count, in_row, &settling.error);
    if (!part->batch)
        settle_part(&settling);
}

static void end_part(struct encode_job *job, struct part *part)
{
    struct settling settling = {.job = job, .part = part};
    if (!part->batch)
        return;
    kst_gpu_jpeg_encode_wait(part->batch, &settling.times, &settling.error);
    settle_part(&settling);
    kst_gpu_jpeg_encode_end(part->batch);
    part->batch = NULL;
}

static void run_on_gpu(struct encode_job *job)
{
    struct part parts[PARTS_AT_ONCE] = {{.batch = NULL}};
    uint32_t turn = 0;
    for (uint32_t done = 0, some; done < job->gpu_count; done += some, turn++) {
        struct part *part = &parts[turn % PARTS_AT_ONCE];
        end_part(job, part);
        some = kst_gpu_jpeg_encode_share(job->item + done, job->gpu_count - done, PART_PICTURES);
        *part = (struct part){.first = done, .count = some};
        begin_part(job, part);
    }
    for (uint32_t i = 0; i < PARTS_AT_ONCE; i++)
        end_part(job, &parts[(turn + i) % PARTS_AT_ONCE]);
}

/* The first task feeds the GPU, others with JPEG 2000, each other one encodes a picture. */
static void run_task(void *arg, uint32_t index)
{
    struct encode_job *job = arg;
    if (index == 0) {
        run_on_gpu(job);
        return;
    }
    if (index <= J2K_ENCODE_PARTS_AT_ONCE) {
        kst_j2k_encode_parts_run(&job->parts);
        return;
    }
    uint32_t at = job->on_cpu[index - 1 - J2K_ENCODE_PARTS_AT_ONCE];
    kst_encoding_run_on_cpu(&job->encoding[at]);
    close_item(job, at);
}

static void release(struct encode_job *job)
{
    struct memory *memory = &job->context->memory;
    kst_memory_release(memory, job->encoding);
    kst_memory_release(memory, job->item);
    kst_memory_release(memory, job->on_gpu);
    kst_memory_release(memory, job->j2k);
}

static kst_status prepare(struct encode_job *job)
{
    struct memory *memory = &job->context->memory;
    kst_status status = KST_OK;
    job->encoding = kst_memory_array(memory, job->count, sizeof *job->encoding, &status);
    job->item = kst_memory_array(memory, job->count, sizeof *job->item, &status);
    job->on_gpu = kst_memory_array(memory, 2 * (size_t)job->count, sizeof *job->on_gpu, &status);
    job->on_cpu = job->on_gpu ? job->on_gpu + job->count : NULL;
    job->j2k = kst_memory_array(memory, job->count, sizeof(struct encoding *), &status);
    return status;
}

static void fail_all(kst_encode_item *items, uint32_t count, kst_status status)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
}

static void encode_with_gpu(kst_context *context, struct gpu_executor *gpu, kst_encode_item *items, uint32_t count,
    struct entered_stream *entered)
{
    struct encode_job job = {.context = context, .gpu = gpu, .items = items, .count = count, .entered = entered};
    kst_status status = prepare(&job);
    if (status) {
        fail_all(items, count, status);
    } else {
        kst_pool_run(context->pool, count, begin_item, &job);
        sort_items(&job);
        if (entered && job.cpu_count > 0) /* the CPU fetches pixels by itself */
            gpu->gpu->backend->finish(&entered->queue);
        job.parts = (struct j2k_encode_parts){
            .context = context, .encoding = job.j2k, .count = job.j2k_count, .owner = &job, .close = close_j2k};
        kst_j2k_encode_parts_begin(&job.parts);
        kst_pool_run(context->pool, 1 + J2K_ENCODE_PARTS_AT_ONCE + job.cpu_count, run_task, &job);
        kst_j2k_encode_parts_end(&job.parts);
    }
    release(&job);
}

struct batch {
    kst_context *context;
    kst_encode_item *item;
};

static void encode_item(void *arg, uint32_t index)
{
    const struct batch *batch = arg;
    kst_encode_item *item = &batch->item[index];
    kst_report_init(&item->report);
    kst_encode(batch->context, item->image, item->options, &item->output, &item->report);
}

/* Pictures whose encoding is planned at once: what is kept of each takes a few kilobytes. */
enum { MOST_AT_ONCE = 4096 };

static kst_status encode_all(kst_context *context, kst_encode_item *items, size_t count, struct gpu_executor *gpu,
    struct entered_stream *entered)
{
    for (size_t done = 0; done < count;) {
        struct batch batch = {context, items + done};
        uint32_t some = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        if (gpu)
            encode_with_gpu(context, gpu, items + done, some, entered);
        else
            kst_pool_run(context->pool, some, encode_item, &batch);
        done += some;
    }
    for (size_t i = 0; i < count; i++) {
        if (items[i].report.status != KST_OK)
            return items[i].report.status;
    }
    return KST_OK;
}

kst_status kst_encode_batch(kst_context *context, kst_encode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return encode_all(context, items, count, context->gpu, NULL);
}

kst_status kst_encode_batch_after(kst_context *context, kst_encode_item *items, size_t count, const kst_stream *stream)
{
    struct entered_stream entered;
    if (!context || (!items && count > 0) || !stream)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_stream_enter(context, stream, &entered);
    if (!status)
        status = encode_all(context, items, count, entered.gpu, &entered);
    kst_stream_leave(&entered);
    return status;
}
