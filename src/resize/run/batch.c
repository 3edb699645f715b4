/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks images to resize and makes their results' buffers. Images whose source or result lies in the device's memory
 * go to the device, all at once; the CPU's threads share the others.
 */
#include "resize/run/batch.h"

#include "core/report.h"
#include "image/validate.h"
#include "resize/cpu/convert.h"
#include "resize/gpu/job.h"
#include "run/image.h"

struct resize_entry {
    kst_resize_item *item;
    struct memory memory; /* memory of the operation */
    struct resize_whole whole;
    struct resize_geometry geometry;
    struct normal normal;
    bool numbers; /* samples are converted to floating-point numbers */
    kst_image before;
    bool made; /* the result's buffers were allocated here */
    bool on_gpu;
};

struct resize_batch {
    struct kst_context *context;
    struct resize_entry *entry;
    struct resize_gpu_item *gpu_item;
    uint32_t count, gpu_count;
    struct entered_stream *entered;
};

/* Describe the whole picture of which the image is a part. */
static kst_image whole_of(const struct resize_entry *entry)
{
    kst_image whole = *entry->item->from;
    if (entry->whole.width == 0)
        return whole;
    whole.width = entry->whole.width;
    whole.height = entry->whole.height;
    for (uint32_t i = 0; i < whole.plane_count && i < KST_IMAGE_PLANES_MAX; i++) {
        whole.plane[i].width = whole.width;
        whole.plane[i].height = whole.height;
    }
    return whole;
}

static kst_status check_image(struct kst_context *context, const kst_image *image)
{
    if (!kst_memory_is_device(image->memory))
        return kst_image_check(image);
    kst_status status = kst_image_check_shape(image);
    return status || kst_context_gpu(context) ? status : KST_ERROR_IMAGE_MEMORY;
}

/* Check the caller's image, or make it as `wanted` says. */
static kst_status prepare_target(struct kst_context *context, struct resize_entry *entry, const kst_image *wanted)
{
    kst_image *to = entry->item->to;
    kst_status status;
    if (to->plane[0].data) {
        if ((status = check_image(context, to)) || (status = kst_image_match(to, wanted)))
            return status;
        return kst_image_check_apart(entry->item->from, to);
    }
    char message[128] = "";
    kst_image made = *wanted;
    made.memory = to->memory;
    status = kst_image_make_in(context, &entry->memory, &made, message);
    if (status)
        return kst_report_error(&entry->item->report, status, KST_NO_OFFSET, message[0] ? "%s" : NULL, message);
    entry->before = *to;
    entry->made = true;
    *to = made;
    return KST_OK;
}

static kst_status set_numbers(struct resize_entry *entry)
{
    const kst_resize_options *options = entry->item->options;
    kst_decode_options numbers = {.sample = options->sample};
    entry->numbers = options->sample != KST_SAMPLE_INTEGER;
    for (int i = 0; i < 4; i++) {
        numbers.mean[i] = options->mean[i];
        numbers.scale[i] = options->scale[i];
    }
    bool fine = !entry->numbers ||
                kst_normal_init(&entry->normal, &numbers, kst_plane_depth(&entry->item->from->plane[0]), false);
    return fine ? KST_OK : KST_ERROR_OPTIONS;
}

static kst_status prepare(struct kst_context *context, struct resize_entry *entry)
{
    kst_resize_item *item = entry->item;
    kst_image wanted;
    if (!item->from || !item->options || !item->to || item->from->size < sizeof *item->from ||
        item->to->size < sizeof *item->to)
        return KST_ERROR_ARGUMENT;
    kst_image whole = whole_of(entry);
    kst_status status = kst_resize_target(&whole, item->options, &entry->geometry, &wanted);
    if (!status)
        status = check_image(context, item->from);
    if (!status)
        status = set_numbers(entry);
    if (!status && (uint64_t)wanted.width * wanted.height > context->limits.pixels)
        status = KST_ERROR_LIMIT_PIXELS;
    if (!status)
        status = prepare_target(context, entry, &wanted);
    entry->on_gpu = !status && (kst_memory_is_device(item->from->memory) || kst_memory_is_device(item->to->memory));
    return status;
}

/* End an item: set the error in its report, if there is one, and release or keep a result that was made here. */
static void end(struct kst_context *context, struct resize_entry *entry, kst_status status, const char *detail)
{
    kst_resize_item *item = entry->item;
    if (status && !item->report.status)
        kst_report_error(&item->report, status, KST_NO_OFFSET, detail && detail[0] ? "%s" : NULL, detail);
    if (!entry->made)
        return;
    if (status) {
        kst_image_drop_in(context, &entry->memory, item->to);
        *item->to = entry->before;
    } else {
        kst_image_keep(context, &entry->memory, item->to);
    }
    entry->made = false;
}

static void begin_entry(void *arg, uint32_t index)
{
    struct resize_batch *batch = arg;
    struct resize_entry *entry = &batch->entry[index];
    kst_memory_init_beside(&entry->memory, &batch->context->memory, batch->context->limits.memory);
    kst_report_init(&entry->item->report);
    kst_status status = prepare(batch->context, entry);
    if (status)
        end(batch->context, entry, status, NULL);
}

/* Let a whole picture's plan count columns and rows from where the image begins. */
static void shift(struct resize_plan *plan, const struct resize_whole *whole)
{
    plan->columns.first -= whole->left;
    plan->rows.first -= whole->top;
}

static kst_status resize_on_cpu(const struct operation *operation, const struct resize_entry *entry)
{
    const kst_resize_item *item = entry->item;
    struct resize_plan plan;
    kst_status status = kst_resize_plan_make(operation->memory, item->from, item->options, &entry->geometry, &plan);
    shift(&plan, &entry->whole);
    if (!status)
        status = kst_resize_run_to(operation, &plan, item->from, entry->numbers ? &entry->normal : NULL, item->to);
    kst_resize_plan_drop(operation->memory, &plan);
    return status;
}

/*
 * Resize an entry with a pool's threads. With several entries each of the context's threads takes one, and `pool` is
 * null; all threads share a single entry.
 */
static void run_on_cpu(struct resize_batch *batch, struct resize_entry *entry, struct pool *pool)
{
    struct operation operation = kst_context_operation(batch->context, &entry->memory, &entry->item->report, NULL);
    double start = kst_seconds();
    operation.pool = pool;
    if (entry->item->report.status || entry->on_gpu)
        return;
    kst_status status = resize_on_cpu(&operation, entry);
    kst_report_stage(&entry->item->report, KST_STAGE_RESIZE, KST_DEVICE_CPU, start);
    end(batch->context, entry, status, NULL);
}

static void run_entry(void *arg, uint32_t index)
{
    struct resize_batch *batch = arg;
    run_on_cpu(batch, &batch->entry[index], NULL);
}

static struct resize_gpu_item gpu_item_of(const struct resize_entry *entry)
{
    return (struct resize_gpu_item){.from = entry->item->from,
        .to = entry->item->to,
        .options = entry->item->options,
        .geometry = &entry->geometry,
        .left = entry->whole.left,
        .top = entry->whole.top,
        .normal = entry->numbers ? &entry->normal : NULL};
}

/* Report an item's times: one image's share of the whole. */
static void report_times(
    kst_report *report, const struct resize_gpu_times *times, const struct gpu *gpu, uint32_t count)
{
    const double seconds[KST_STAGE_COUNT] = {
        [KST_STAGE_UPLOAD] = times->upload, [KST_STAGE_RESIZE] = times->passes, [KST_STAGE_DOWNLOAD] = times->download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_RESIZE, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        report->stage_device[stages[i]] = gpu->info.kind;
        report->stage_seconds[stages[i]] = seconds[stages[i]] / count;
    }
}

static void end_on_gpu(struct resize_batch *batch, struct gpu_runtime *gpu, const struct resize_gpu_times *times,
    const struct gpu_error *error)
{
    for (uint32_t i = 0, k = 0; i < batch->count; i++) {
        struct resize_entry *entry = &batch->entry[i];
        if (!entry->on_gpu)
            continue;
        kst_status status = batch->gpu_item[k++].status;
        if (!status)
            report_times(&entry->item->report, times, gpu->gpu, batch->gpu_count);
        end(batch->context, entry, status, status == error->status ? error->text : NULL);
    }
}

static void run_on_gpu(struct resize_batch *batch)
{
    struct gpu_runtime *gpu = kst_context_gpu(batch->context);
    struct memory memory;
    struct gpu_error error = {.status = KST_OK};
    struct resize_gpu_times times;
    kst_memory_init_beside(&memory, &batch->context->memory, batch->context->limits.memory);
    const struct operation operation = kst_context_operation(batch->context, &memory, NULL, NULL);
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->entry[i].on_gpu)
            batch->gpu_item[batch->gpu_count++] = gpu_item_of(&batch->entry[i]);
    if (batch->gpu_count == 0)
        return;
    kst_resize_gpu_run(gpu, &operation, batch->gpu_item, batch->gpu_count,
        batch->entered ? &batch->entered->start : NULL, &times, &error);
    if (error.status)
        kst_context_log(batch->context, KST_LOG_ERROR, "resize: %s", error.text);
    end_on_gpu(batch, gpu, &times, &error);
}

static void run(struct resize_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        begin_entry(batch, i);
    run_on_gpu(batch);
    if (batch->count == 1)
        run_on_cpu(batch, batch->entry, batch->context->pool);
    else if (batch->gpu_count < batch->count)
        kst_pool_run(batch->context->pool, batch->count, run_entry, batch);
}

static void fail_all(kst_resize_item *items, size_t count, kst_status status)
{
    for (size_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
}

/* The most images that are planned at once. */
enum { MOST_AT_ONCE = 1024 };

static void run_some(struct resize_batch *batch, kst_resize_item *items, const struct resize_whole *whole)
{
    struct memory *memory = &batch->context->memory;
    kst_status status = KST_OK;
    batch->entry = kst_memory_zeroed(memory, batch->count, sizeof *batch->entry, &status);
    batch->gpu_item = kst_memory_array(memory, batch->count, sizeof *batch->gpu_item, &status);
    for (uint32_t i = 0; i < batch->count && !status; i++) {
        batch->entry[i].item = &items[i];
        batch->entry[i].whole = whole ? whole[i] : (struct resize_whole){0, 0, 0, 0};
    }
    if (status)
        fail_all(items, batch->count, status);
    else
        run(batch);
    kst_memory_release(memory, batch->entry);
    kst_memory_release(memory, batch->gpu_item);
}

kst_status kst_resize_all(struct kst_context *context, kst_resize_item *items, const struct resize_whole *whole,
    size_t count, struct entered_stream *entered)
{
    for (size_t done = 0; done < count;) {
        struct resize_batch batch = {.context = context, .entered = entered};
        batch.count = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        run_some(&batch, items + done, whole ? whole + done : NULL);
        done += batch.count;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
