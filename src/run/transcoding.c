/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options of transcoding, and lets the codec write the new stream to a buffer or to the caller's writer. */
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "core/sink.h"
#include "run/codec.h"
#include "run/device.h"

static kst_status fail(struct transcoding *t, kst_status status)
{
    return status ? kst_report_error(t->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static kst_status check_options(struct transcoding *t)
{
    const kst_transcode_options *o = t->options;
    if (o->size != sizeof *o || (unsigned)o->coding > KST_CODING_PROGRESSIVE ||
        (unsigned)o->restart.unit > KST_RESTART_KEEP ||
        (o->restart.unit == KST_RESTART_MCUS && o->restart.interval > 65535) || (unsigned)o->strip > KST_STRIP_ALL ||
        (unsigned)o->others > KST_OTHERS_DROP || !kst_progress_is_fine(o->progress) ||
        (o->script_length > 0 && !o->script))
        return fail(t, KST_ERROR_OPTIONS);
    return KST_OK;
}

static void open_sink(struct transcoding *t, const struct transcoding_target *to)
{
    if (to->writer)
        kst_sink_init_writer(&t->sink, &t->memory, to->writer);
    else
        kst_sink_open(&t->sink, &t->memory, to->buffer);
}

static kst_status close_sink(struct transcoding *t, struct transcoding_target *to, kst_status status)
{
    if (!status) {
        kst_sink_flush(&t->sink);
        status = fail(t, t->sink.status);
    }
    to->length = kst_sink_position(&t->sink);
    if (!status && to->buffer)
        kst_sink_close(&t->sink, &t->context->memory, to->buffer);
    else
        kst_sink_release(&t->sink);
    return status;
}

/* Holds a stream that is transcoded, with its defaults, progress and report. */
struct entry {
    struct transcoding transcoding;
    kst_transcode_options defaults;
    struct progress progress;
    kst_report report;
    const struct codec *codec;
};

static kst_status begin(struct entry *entry, kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, const struct transcoding_target *to)
{
    struct transcoding *t = &entry->transcoding;
    kst_transcode_options_init(&entry->defaults);
    kst_report_init(&entry->report);
    *t = (struct transcoding){
        .context = context, .options = options ? options : &entry->defaults, .data = data, .length = length};
    kst_memory_init_beside(&t->memory, &context->memory, context->limits.memory);
    t->op = kst_context_operation(context, &t->memory, &entry->report, &entry->progress);
    memcpy(entry->report.device, context->device, sizeof entry->report.device);
    entry->report.threads = kst_pool_threads(context->pool);
    entry->codec = kst_codec_of(data, length);
    open_sink(t, to);
    kst_status status = check_options(t);
    if (!status && !kst_progress_begin(&entry->progress, t->options->progress))
        status = fail(t, KST_ERROR_CANCELLED);
    return status;
}

static kst_status end(struct entry *entry, struct transcoding_target *to, kst_status status)
{
    status = close_sink(&entry->transcoding, to, status);
    if (!status)
        kst_progress_end(&entry->progress);
    return status;
}

kst_status kst_transcoding_run(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, struct transcoding_target *to, kst_report *report)
{
    struct entry entry;
    kst_status status = begin(&entry, context, data, length, options, to);
    if (!status)
        status = entry.codec->transcode(&entry.transcoding);
    status = end(&entry, to, status);
    kst_report_copy(report, &entry.report);
    return status;
}

/* Return the entry of a transcoding, which is its first member. */
static struct entry *entry_of(struct transcoding *t)
{
    return (struct entry *)(void *)t;
}

/* Holds streams that are transcoded together. */
struct batch {
    kst_context *context;
    kst_transcode_item *item;
    struct entry *entry;
    struct transcoding **together, **alone; /* streams whose codec takes many at once, and the other streams */
    uint32_t count, together_count, alone_count;
};

static void begin_entry(struct batch *batch, uint32_t index)
{
    const kst_transcode_item *item = &batch->item[index];
    struct entry *entry = &batch->entry[index];
    const struct transcoding_target to = {.buffer = &batch->item[index].output};
    struct transcoding *t = &entry->transcoding;
    const bool whole = item->data || item->length == 0;
    t->status = begin(entry, batch->context, item->data, whole ? item->length : 0, item->options, &to);
    if (!t->status && !whole)
        t->status = fail(t, KST_ERROR_ARGUMENT);
    if (t->status)
        return;
    if (entry->codec->transcode_all && !kst_context_is_cpu(batch->context))
        batch->together[batch->together_count++] = t;
    else
        batch->alone[batch->alone_count++] = t;
}

static void transcode_alone(void *argument, uint32_t index)
{
    const struct batch *batch = argument;
    struct transcoding *t = batch->alone[index];
    t->status = entry_of(t)->codec->transcode(t);
}

static void run_batch(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        begin_entry(batch, i);
    if (batch->together_count > 0)
        entry_of(batch->together[0])->codec->transcode_all(batch->together, batch->together_count);
    kst_pool_run(batch->context->pool, batch->alone_count, transcode_alone, batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct transcoding_target to = {.buffer = &batch->item[i].output};
        end(&batch->entry[i], &to, batch->entry[i].transcoding.status);
        batch->item[i].report = batch->entry[i].report;
    }
}

static void fail_all(kst_transcode_item *items, uint32_t count, kst_status status)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
}

static void run_some(kst_context *context, kst_transcode_item *items, uint32_t count)
{
    struct memory *memory = &context->memory;
    struct batch batch = {.context = context, .item = items, .count = count};
    kst_status status = KST_OK;
    batch.entry = kst_memory_array(memory, count, sizeof *batch.entry, &status);
    batch.together = kst_memory_array(memory, count, sizeof *batch.together, &status);
    batch.alone = kst_memory_array(memory, count, sizeof *batch.alone, &status);
    if (status)
        fail_all(items, count, status);
    else
        run_batch(&batch);
    kst_memory_release(memory, batch.entry);
    kst_memory_release(memory, batch.together);
    kst_memory_release(memory, batch.alone);
}

/* The largest number of streams that are begun at once. Each takes a few kilobytes. */
enum { MOST_AT_ONCE = 4096 };

kst_status kst_transcoding_run_all(kst_context *context, kst_transcode_item *items, size_t count)
{
    for (size_t done = 0; done < count;) {
        const uint32_t some = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        run_some(context, items + done, some);
        done += some;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
