/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks images and makes their results' buffers. Images whose source or result lies in the device's memory go to the
 * device, all at once; the CPU's threads work on the others. Resizing is done by libkostka, which has kernels of its
 * own.
 */
#include "filters/batch.h"

#include "core/report.h"
#include "filters/gpu/job.h"
#include "filters/gpu/plans.h"
#include "filters/images.h"
#include "filters/planes.h"
#include "image/validate.h"
#include "run/image.h"

/* Holds an image of a batch. */
struct filter_entry {
    kst_filter_item *item;
    kst_image grey[2];    /* describe a single plane of the source and of the result */
    struct memory memory; /* memory of the operation */
    struct filter_result result;
    bool on_gpu;
};

struct filter_batch {
    const kst_filter *filter;
    struct filter_entry *entry;
    struct filter_gpu_item *gpu_item;
    uint32_t count, gpu_count;
    struct entered_stream *entered; /* null: the call waits for the end */
};

static kst_status prepare(const struct filter_batch *batch, struct filter_entry *entry, char reason[FILTER_REASON])
{
    const kst_filter *filter = batch->filter;
    kst_context *context = filter->context;
    kst_filter_item *item = entry->item;
    kst_image wanted;
    if (!item->from || !item->to || item->to->size < sizeof *item->to)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_filter_shape_after(filter, filter->count, item->from, &wanted, reason);
    if (!status)
        status = kst_filter_image_check(context, item->from);
    if (status)
        return status;
    /* Planes become planes, unless the caller's image says what it wants. */
    const kst_image *like = item->to->plane[0].data ? item->to : item->from;
    if (kst_pixel_layout(like->format)->planes)
        kst_filter_planes_describe(&wanted);
    bool from_gpu = kst_memory_is_device(item->from->memory), to_gpu = kst_memory_is_device(item->to->memory);
    if (batch->entered && (!from_gpu || !to_gpu || !item->to->plane[0].data))
        return KST_ERROR_IMAGE_MEMORY;
    entry->on_gpu = from_gpu || to_gpu;
    entry->result.to = item->to;
    status = kst_filter_result_begin(context, &entry->memory, &wanted, &entry->result, reason);
    return status || entry->result.made ? status : kst_image_check_apart(item->from, item->to);
}

/* End an item: set the error in its report, if there is one, and release or keep a result that was made here. */
static void end(kst_context *context, struct filter_entry *entry, kst_status status, const char *detail)
{
    kst_filter_item *item = entry->item;
    if (status && !item->report.status)
        kst_report_error(&item->report, status, KST_NO_OFFSET, detail && detail[0] ? "%s" : NULL, detail);
    kst_filter_result_end(context, &entry->memory, &entry->result, status);
}

static void begin_entry(const struct filter_batch *batch, struct filter_entry *entry)
{
    kst_context *context = batch->filter->context;
    char reason[FILTER_REASON] = "";
    kst_memory_init_beside(&entry->memory, &context->memory, context->limits.memory);
    kst_report_init(&entry->item->report);
    kst_status status = prepare(batch, entry, reason);
    if (status)
        end(context, entry, status, reason);
}

static void run_on_cpu(const struct filter_batch *batch, struct filter_entry *entry)
{
    kst_context *context = batch->filter->context;
    kst_report *report = &entry->item->report;
    const struct operation operation = kst_context_operation(context, &entry->memory, report, NULL);
    double start = kst_seconds();
    if (report->status || entry->on_gpu)
        return;
    kst_image to = *kst_filter_as_grey(entry->item->to, &entry->grey[1]);
    kst_status status =
        kst_filter_run_steps(batch->filter, &operation, kst_filter_as_grey(entry->item->from, &entry->grey[0]), &to);
    if (!status) {
        kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
        report->threads = kst_pool_threads(operation.pool);
    }
    end(context, entry, status, NULL);
}

/* Report an item's times: one image's share of the whole. */
static void report_times(
    kst_report *report, const struct filter_gpu_times *times, const struct gpu *gpu, uint32_t count)
{
    const double seconds[KST_STAGE_COUNT] = {
        [KST_STAGE_UPLOAD] = times->upload, [KST_STAGE_PIXELS] = times->passes, [KST_STAGE_DOWNLOAD] = times->download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_PIXELS, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] = seconds[stages[i]] / count;
    }
}

/* Run consecutive steps without resizing on `count` images. */
static void run_segment(const struct filter_batch *batch, const struct operation *operation, uint32_t first,
    uint32_t steps, struct filter_gpu_item *items, uint32_t count, struct filter_gpu_times *times,
    struct gpu_error *error)
{
    struct gpu_queue *queue = batch->entered ? &batch->entered->queue : NULL;
    kst_filter_gpu_run(kst_context_gpu(batch->filter->context), operation, batch->filter->step + first, steps, items,
        count, queue, times, error);
}

/*
 * Return the end of the steps that run together from `first` on: the next resizing, or, if `first` is a resizing, the
 * step behind it.
 */
static uint32_t end_of_segment(const kst_filter *filter, uint32_t first)
{
    uint32_t end = first;
    while (end < filter->count && kst_filter_gpu_plan_of(filter->step[end].kind))
        end++;
    return end > first ? end : first + 1;
}

/* Holds the intermediate images in device memory, between the segments of a chain. */
struct filter_ends {
    kst_image image[2];
    bool made[2];
};

/* Wait until the caller's stream has done all work that is queued in it. */
static void wait_for_stream(const struct filter_batch *batch)
{
    if (batch->entered)
        batch->entered->gpu->gpu->backend->finish(&batch->entered->queue);
}

/* Release an image, which the caller's stream may still be reading. */
static void drop_end(const struct filter_batch *batch, struct memory *memory, struct filter_ends *ends, uint32_t index)
{
    if (!ends->made[index])
        return;
    wait_for_stream(batch);
    kst_image_drop_in(batch->filter->context, memory, &ends->image[index]);
    ends->made[index] = false;
}

/* Make the image that one segment writes and the next one reads. */
static kst_status make_end(const struct filter_batch *batch, const struct operation *operation, const kst_image *from,
    uint32_t steps, struct filter_ends *ends, uint32_t index)
{
    kst_context *context = batch->filter->context;
    char reason[FILTER_REASON];
    drop_end(batch, operation->memory, ends, index);
    kst_status status = kst_filter_shape_after(batch->filter, steps, from, &ends->image[index], reason);
    ends->image[index].memory = kst_context_gpu(context)->gpu->backend->memory;
    if (!status)
        status = kst_image_make_in(context, operation->memory, &ends->image[index], NULL);
    ends->made[index] = !status;
    return status;
}

/*
 * Run some steps on an image; none only copies between planes and interleaved pixels. A resizing runs in another stream
 * than the caller's, and first waits for the image that it reads.
 */
static kst_status run_part(const struct filter_batch *batch, const struct operation *operation, uint32_t first,
    uint32_t end_step, const kst_image *from, const kst_image *to, struct filter_gpu_times *times,
    struct gpu_error *error)
{
    struct filter_gpu_item part = {.from = from, .to = to};
    double start = kst_seconds();
    if (first == end_step || kst_filter_gpu_plan_of(batch->filter->step[first].kind)) {
        run_segment(batch, operation, first, end_step - first, &part, 1, times, error);
        return part.status;
    }
    wait_for_stream(batch);
    kst_status status = kst_filter_run_step(batch->filter, first, operation, from, to);
    times->passes += kst_seconds() - start;
    return status;
}

/* Holds the state of an image on its way through a chain that is run part by part. */
struct filter_way {
    struct filter_gpu_item *item;
    struct filter_ends ends;
    const kst_image *current;
    uint32_t turn;
};

/* Run the next steps of a chain; the last ones write the item's result. */
static void advance(const struct filter_batch *batch, const struct operation *operation, struct filter_way *way,
    uint32_t first, uint32_t end_step, bool last, struct filter_gpu_times *times, struct gpu_error *error)
{
    struct filter_gpu_item *item = way->item;
    const kst_image *to = item->to;
    if (item->status)
        return;
    if (!last) {
        item->status = make_end(batch, operation, item->from, end_step, &way->ends, way->turn % 2);
        to = &way->ends.image[way->turn % 2];
    }
    if (!item->status)
        item->status = run_part(batch, operation, first, end_step, way->current, to, times, error);
    way->current = to;
    way->turn++;
}

static bool is_resizing(const kst_filter *filter, uint32_t index)
{
    return !kst_filter_gpu_plan_of(filter->step[index].kind);
}

/* Run a chain that contains resizing, which takes interleaved pixels, on an image. */
static void run_in_segments(const struct filter_batch *batch, const struct operation *operation,
    struct filter_gpu_item *item, struct filter_gpu_times *times, struct gpu_error *error)
{
    const kst_filter *filter = batch->filter;
    const uint32_t count = filter->count;
    struct filter_way way = {.item = item, .ends = {.made = {false}}, .current = item->from};
    const bool parts = kst_filter_is_planar(item->to) && is_resizing(filter, count - 1);
    if (kst_filter_is_planar(item->from) && is_resizing(filter, 0))
        advance(batch, operation, &way, 0, 0, false, times, error);
    for (uint32_t first = 0, next; first < count; first = next) {
        next = end_of_segment(filter, first);
        advance(batch, operation, &way, first, next, next == count && !parts, times, error);
    }
    if (parts)
        advance(batch, operation, &way, count, count, true, times, error);
    drop_end(batch, operation->memory, &way.ends, 0);
    drop_end(batch, operation->memory, &way.ends, 1);
}

static void end_on_gpu(struct filter_batch *batch, const struct filter_gpu_times *times, const struct gpu_error *error)
{
    kst_context *context = batch->filter->context;
    for (uint32_t i = 0, k = 0; i < batch->count; i++) {
        struct filter_entry *entry = &batch->entry[i];
        if (entry->item->report.status || !entry->on_gpu)
            continue;
        kst_status status = batch->gpu_item[k++].status;
        if (!status)
            report_times(&entry->item->report, times, kst_context_gpu(context)->gpu, batch->gpu_count);
        end(context, entry, status, status == error->status ? error->text : NULL);
    }
}

static void run_on_gpu(struct filter_batch *batch)
{
    kst_context *context = batch->filter->context;
    struct memory memory;
    struct gpu_error error = {.status = KST_OK};
    struct filter_gpu_times times = {.passes = 0};
    kst_memory_init_beside(&memory, &context->memory, context->limits.memory);
    const struct operation operation = kst_context_operation(context, &memory, NULL, NULL);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct filter_entry *entry = &batch->entry[i];
        const kst_filter_item *item = entry->item;
        if (!item->report.status && entry->on_gpu)
            batch->gpu_item[batch->gpu_count++] =
                (struct filter_gpu_item){.from = kst_filter_as_grey(item->from, &entry->grey[0]),
                    .to = kst_filter_as_grey(item->to, &entry->grey[1])};
    }
    if (batch->gpu_count == 0)
        return;
    if (end_of_segment(batch->filter, 0) == batch->filter->count && kst_filter_gpu_plan_of(batch->filter->step[0].kind))
        run_segment(batch, &operation, 0, batch->filter->count, batch->gpu_item, batch->gpu_count, &times, &error);
    else
        for (uint32_t i = 0; i < batch->gpu_count; i++)
            run_in_segments(batch, &operation, &batch->gpu_item[i], &times, &error);
    if (error.status)
        kst_context_log(context, KST_LOG_ERROR, "filters: %s", error.text);
    end_on_gpu(batch, &times, &error);
}

static kst_status make_arrays(struct filter_batch *batch)
{
    struct memory *memory = &batch->filter->context->memory;
    kst_status status = KST_OK;
    batch->entry = kst_memory_zeroed(memory, batch->count, sizeof *batch->entry, &status);
    batch->gpu_item = kst_memory_array(memory, batch->count, sizeof *batch->gpu_item, &status);
    return status;
}

static void run_some(struct filter_batch *batch, kst_filter_item *items)
{
    struct memory *memory = &batch->filter->context->memory;
    kst_status status = make_arrays(batch);
    for (uint32_t i = 0; i < batch->count && !status; i++) {
        batch->entry[i].item = &items[i];
        begin_entry(batch, &batch->entry[i]);
    }
    if (!status)
        run_on_gpu(batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!status)
            run_on_cpu(batch, &batch->entry[i]);
        else
            kst_report_init(&items[i].report);
        if (status)
            kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
    kst_memory_release(memory, batch->entry);
    kst_memory_release(memory, batch->gpu_item);
}

/* The most images that are planned at once. */
enum { MOST_AT_ONCE = 1024 };

kst_status kst_filter_apply_all(
    const kst_filter *filter, kst_filter_item *items, size_t count, struct entered_stream *entered)
{
    for (size_t done = 0; done < count;) {
        struct filter_batch batch = {.filter = filter, .entered = entered};
        batch.count = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        run_some(&batch, items + done);
        done += batch.count;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
