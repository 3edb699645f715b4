/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes many streams at once. Streams that the GPU can decode go there in parts, a few of which are in flight at the
 * same time, so that one is uploaded while another is decoded. Meanwhile the CPU's threads decode the others, or at
 * least decode their scans to coefficients.
 */
#include <stddef.h>

#include "core/report.h"
#include "run/decoding.h"
#include "run/stream.h"

/*
 * The numbers and bytes of streams that are opened together: a few, or more if they are small. Threads wait for each
 * other after each round, so there should be few rounds; the first one is shorter, but long enough for the device to
 * begin.
 */
enum { LOOKAHEAD = 16, LOOKAHEAD_SMALL = 256, FIRST_BYTES = 3 << 20, LOOKAHEAD_BYTES = 8 << 20 };

struct decode_entry {
    kst_decode_item *item;
    struct kst_decoder own, *decoder; /* `decoder` is `own`, or the caller's, which may be open */
    struct decoding decoding;
    pthread_mutex_t lock; /* held while assumptions are verified, and while the decoding ends */
    bool open;            /* the decoding is planned and has not ended yet */
};

struct kst_job {
    kst_context *context;
    struct decode_entry *entry;
    uint32_t count;
    uint32_t *on_gpu, *on_cpu; /* indices of the entries that the GPU decodes in parts, and of all others */
    uint32_t gpu_count, cpu_count;
    uint32_t opening; /* the first of the entries that are being opened */
    struct decode_owner owner;
    void *parts[GPU_CODECS]; /* each codec's parts on the GPU */
    struct entered_stream entered;
};

/* Copy an entry's report to the caller. */
static void close_entry(struct decode_entry *entry)
{
    entry->item->report = entry->decoder->report;
    kst_decoder_close(entry->decoder);
    entry->open = false;
}

static struct decode_entry *entry_of(struct decoding *decoding)
{
    return (struct decode_entry *)(void *)((char *)decoding - offsetof(struct decode_entry, decoding));
}

static void enter(struct decoding *decoding)
{
    pthread_mutex_lock(&entry_of(decoding)->lock);
}

static void leave(struct decoding *decoding)
{
    struct decode_entry *entry = entry_of(decoding);
    close_entry(entry);
    pthread_mutex_unlock(&entry->lock);
}

/* Open an entry's stream, unless it is open. */
static kst_status open_stream(struct kst_job *job, struct decode_entry *entry)
{
    const kst_decode_item *item = entry->item;
    if (!entry->decoder) {
        entry->decoder = &entry->own;
        kst_decoder_start(entry->decoder, job->context);
    }
    if (!item->image)
        return kst_report_error(&entry->decoder->report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    return entry->decoder->open ? KST_OK
                                : kst_decoder_open_for(entry->decoder, item->data, item->length, OPEN_TO_DECODE);
}

static void open_entry(void *arg, uint32_t index)
{
    struct kst_job *job = arg;
    struct decode_entry *entry = &job->entry[job->opening + index];
    kst_status status = open_stream(job, entry);
    if (!status)
        status = kst_decoding_begin(&entry->decoding, entry->decoder, entry->item->options, entry->item->image);
    entry->open = !status;
    entry->decoding.after = job->entered.gpu ? &job->entered.start : NULL;
    if (status)
        close_entry(entry);
}

/* Return the parts that hold a codec's pictures. */
static void *parts_of(const struct kst_job *job, const struct codec *codec)
{
    size_t i = 0;
    while (kst_codecs[i] != codec)
        i++;
    return job->parts[i];
}

static void sort_entries(struct kst_job *job, uint32_t end)
{
    for (uint32_t i = job->opening; i < end; i++) {
        struct decoding *decoding = &job->entry[i].decoding;
        const struct codec *codec = job->entry[i].decoder->codec;
        if (!job->entry[i].open)
            continue;
        if (!decoding->on_gpu || decoding->alone) {
            job->on_cpu[job->cpu_count++] = i;
            continue;
        }
        codec->parts->add(parts_of(job, codec), decoding);
        job->on_gpu[job->gpu_count++] = i;
    }
}

static void run_on_gpu(struct kst_job *job, bool more)
{
    for (size_t i = 0; i < GPU_CODECS; i++)
        kst_codecs[i]->parts->run(job->parts[i], more);
}

static void end_all(struct kst_job *job)
{
    for (size_t i = 0; i < GPU_CODECS; i++)
        kst_codecs[i]->parts->end(job->parts[i]);
}

static void confirm_entry(struct decode_entry *entry)
{
    pthread_mutex_lock(&entry->lock);
    if (entry->open)
        kst_decoding_confirm(&entry->decoding, NULL);
    pthread_mutex_unlock(&entry->lock);
}

/*
 * Run a task: the first one feeds the GPU, the next ones verify the assumptions about its streams, and each other one
 * decodes a picture.
 */
static void run_task(void *arg, uint32_t index)
{
    struct kst_job *job = arg;
    if (index == 0) {
        run_on_gpu(job, false);
        return;
    }
    if (index <= job->gpu_count) {
        confirm_entry(&job->entry[job->on_gpu[index - 1]]);
        return;
    }
    struct decode_entry *entry = &job->entry[job->on_cpu[index - 1 - job->gpu_count]];
    kst_decoding_run(&entry->decoding);
    close_entry(entry);
}

static void release(struct kst_job *job)
{
    struct memory *memory = &job->context->memory;
    kst_stream_leave(&job->entered);
    for (size_t i = 0; i < GPU_CODECS; i++)
        if (job->parts[i])
            kst_codecs[i]->parts->release(job->parts[i]);
    for (uint32_t i = 0; i < job->count && job->entry; i++)
        pthread_mutex_destroy(&job->entry[i].lock);
    kst_memory_release(memory, job->on_gpu);
    kst_memory_release(memory, job->entry);
    kst_memory_release(memory, job);
}

static bool make_parts(struct kst_job *job, uint32_t count)
{
    bool made = true;
    job->owner = (struct decode_owner){.context = job->context, .most = count, .enter = enter, .leave = leave};
    for (size_t i = 0; i < GPU_CODECS; i++) {
        job->parts[i] = kst_codecs[i]->parts->make(&job->owner);
        made = made && job->parts[i];
    }
    return made;
}

static struct kst_job *make(
    kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, uint32_t count, kst_status *status)
{
    struct memory *memory = &context->memory;
    struct kst_job *job = kst_memory_zeroed(memory, 1, sizeof *job, status);
    if (!job)
        return NULL;
    job->context = context;
    job->entry = kst_memory_array(memory, count, sizeof *job->entry, status);
    job->on_gpu = kst_memory_array(memory, 2 * (size_t)count, sizeof *job->on_gpu, status);
    if (!make_parts(job, count) || !job->entry || !job->on_gpu) {
        *status = KST_ERROR_MEMORY;
        release(job);
        return NULL;
    }
    job->on_cpu = job->on_gpu + count;
    for (uint32_t i = 0; i < count; i++) {
        job->entry[i].item = &items[i];
        job->entry[i].decoder = decoders ? &decoders[i] : NULL;
        pthread_mutex_init(&job->entry[i].lock, NULL);
    }
    job->count = count;
    return job;
}

/* Return the end of the entries that are opened together. */
static uint32_t find_end(const struct kst_job *job)
{
    uint32_t left = job->count - job->opening, most = left < LOOKAHEAD_SMALL ? left : LOOKAHEAD_SMALL, some = 0;
    size_t most_bytes = job->opening == 0 ? FIRST_BYTES : LOOKAHEAD_BYTES;
    for (size_t bytes = 0; some < most && (some < LOOKAHEAD || bytes < most_bytes); some++) {
        size_t length = job->entry[job->opening + some].item->length;
        bytes += length < most_bytes ? length : most_bytes;
    }
    return job->opening + some;
}

/* Run a task: the first one feeds the GPU with what was opened before, and each other one opens an entry. */
static void feed_or_open(void *arg, uint32_t index)
{
    if (index == 0)
        run_on_gpu(arg, true);
    else
        open_entry(arg, index - 1);
}

/*
 * Open the streams, some at a time, so that the first parts are in flight while others are opened. If an assumption
 * about a stream was wrong, its part ends at once, because the picture is then decoded from the start.
 */
static void start(struct kst_job *job)
{
    uint32_t end = find_end(job);
    kst_pool_run(job->context->pool, end, open_entry, job);
    sort_entries(job, end);
    for (job->opening = end; job->opening < job->count; job->opening = end) {
        end = find_end(job);
        kst_pool_run(job->context->pool, 1 + end - job->opening, feed_or_open, job);
        sort_entries(job, end);
    }
    kst_pool_run(job->context->pool, 1 + job->gpu_count + job->cpu_count, run_task, job);
    for (uint32_t i = 0; i < job->gpu_count; i++) {
        const struct decode_entry *entry = &job->entry[job->on_gpu[i]];
        if (entry->open && entry->decoding.mistaken)
            entry->decoder->codec->parts->end(parts_of(job, entry->decoder->codec));
    }
}

/* Make the caller's stream wait for all parts in flight. If that fails, wait here. */
static void leave_stream(struct kst_job *job)
{
    for (size_t i = 0; i < GPU_CODECS; i++)
        kst_codecs[i]->parts->follow(job->parts[i], &job->entered.queue);
    if (job->entered.queue.error.status)
        end_all(job);
}

static kst_status submit(kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, uint32_t count,
    const kst_stream *stream, struct kst_job **job)
{
    kst_status status = KST_OK;
    struct kst_job *made = make(context, items, decoders, count, &status);
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

kst_status kst_decoding_submit(
    kst_context *context, kst_decode_item *items, uint32_t count, const kst_stream *stream, struct kst_job **job)
{
    return submit(context, items, NULL, count, stream, job);
}

bool kst_decoding_done(const struct kst_job *job)
{
    bool done = true;
    for (size_t i = 0; i < GPU_CODECS; i++)
        done = done && kst_codecs[i]->parts->done(job->parts[i]);
    return done;
}

kst_status kst_decoding_wait(struct kst_job *job)
{
    kst_status status = KST_OK;
    end_all(job);
    for (uint32_t i = job->count; i-- > 0;)
        if (job->entry[i].item->report.status)
            status = job->entry[i].item->report.status;
    release(job);
    return status;
}

struct decode_batch {
    kst_context *context;
    kst_decode_item *item;
    struct kst_decoder *decoder; /* null, or one for each item */
};

static void decode_item(void *arg, uint32_t index)
{
    struct decode_batch *batch = arg;
    kst_decode_item *item = &batch->item[index];
    struct kst_decoder own, *decoder = batch->decoder ? &batch->decoder[index] : &own;
    kst_report_init(&item->report);
    if (!batch->decoder)
        kst_decoder_start(&own, batch->context);
    if (item->image)
        kst_decoding_run_in(decoder, item->data, item->length, item->options, item->image, &item->report);
    else
        kst_report_error(&item->report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_decoder_close(decoder);
}

/* Decode streams on the CPU. Each task opens a stream and decodes it right away. */
static kst_status decode_on_cpu(
    kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, uint32_t count)
{
    struct decode_batch batch = {.context = context, .item = items, .decoder = decoders};
    kst_pool_run(context->pool, count, decode_item, &batch);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}

static kst_status decode_with_gpu(
    kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, uint32_t count)
{
    struct kst_job *job = NULL;
    kst_status status = submit(context, items, decoders, count, NULL, &job);
    if (job)
        return kst_decoding_wait(job);
    for (uint32_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
    return status;
}

/* The largest number of streams that are open at once. Each takes some kilobytes. */
enum { MOST_AT_ONCE = 4096 };

kst_status kst_decoding_run_opened(
    kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, size_t count)
{
    kst_status first = KST_OK;
    for (size_t done = 0; done < count;) {
        uint32_t some = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        struct kst_decoder *those = decoders ? decoders + done : NULL;
        kst_status status = kst_context_is_cpu(context) ? decode_on_cpu(context, items + done, those, some)
                                                        : decode_with_gpu(context, items + done, those, some);
        first = first ? first : status;
        done += some;
    }
    return first;
}

kst_status kst_decoding_run_all(kst_context *context, kst_decode_item *items, size_t count)
{
    return kst_decoding_run_opened(context, items, NULL, count);
}
