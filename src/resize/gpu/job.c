/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out the steps of some images on a device: uploads, launches, downloads. */
#include "resize/gpu/job.h"

#include <stdlib.h>
#include <string.h>

#include "image/location.h"
#include "resize/gpu/kept.h"

enum resize_gpu_buffer { ROOM, WORK, HOST_WORK, BUFFERS };
enum { STEP_WORDS = sizeof(struct resize_work_step) / 4, START = 0, UPLOADED, PASSED, DOWNLOADED };

/* The most bytes of intermediate results of the images that are resized together; a single image may need more. */
static const uint64_t MOST_ROOM = (uint64_t)1 << 30;

struct resize_gpu_job {
    struct gpu_runtime *runtime;
    const struct operation *operation;
    struct gpu_track *track;
    const struct gpu_built *built;
    struct resize_gpu_axes *axes;
    struct resize_gpu_item *items;
    uint32_t count;
    struct resize_gpu_steps steps;
    const struct resize_gpu_axis **axis; /* the axes of the part; few occur more than once */
    uint32_t *axis_at;                   /* offset of each in the work, in words */
    uint32_t axis_count;
    uint64_t words; /* length of the work */
    struct resize_gpu_work_key key;
    bool has_axes; /* the axes lie in the work on the device */
    struct gpu_buffer buffer[BUFFERS];
    struct gpu_error *error;
};

static struct gpu_queue *queue_of(const struct resize_gpu_job *job)
{
    return &job->track->queue;
}

static void plan_item(void *arg, uint32_t index)
{
    struct resize_gpu_job *job = arg;
    struct gpu_error error = {.status = KST_OK};
    kst_resize_gpu_plan(job->runtime, job->axes, job->operation->memory, &job->items[index], &error);
    if (error.status) {
        pthread_mutex_lock(&job->axes->lock);
        *job->error = job->error->status ? *job->error : error;
        pthread_mutex_unlock(&job->axes->lock);
    }
}

/*
 * Add the steps of an image, or remove them again if they do not fit. Returns false if the image must begin another
 * part.
 */
static bool add_item(struct resize_gpu_job *job, struct resize_gpu_item *item)
{
    struct resize_gpu_steps *steps = &job->steps;
    const struct resize_gpu_steps before = *steps;
    if (item->status)
        return true;
    item->status = kst_resize_gpu_add(steps, item);
    if (!item->status && steps->room_length - before.room_length > job->operation->limits->memory)
        item->status = KST_ERROR_LIMIT_MEMORY;
    bool full = !item->status && before.count > 0 && steps->room_length > MOST_ROOM;
    if (item->status || full)
        *steps = before;
    return !full;
}

static uint32_t kernel_order(const struct resize_gpu_step *step)
{
    return (uint32_t)step->phase * RESIZE_KERNELS + (uint32_t)step->kernel;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compare steps by the launch that they belong to. With addresses one launch reaches all buffers. */
static int compare_steps(const struct resize_gpu_step *a, const struct resize_gpu_step *b, bool has_addresses)
{
    int order = compare_numbers(kernel_order(a), kernel_order(b));
    if (order == 0 && !has_addresses)
        order = compare_numbers(a->from.buffer->handle, b->from.buffer->handle);
    if (order == 0 && !has_addresses)
        order = compare_numbers(a->to.buffer->handle, b->to.buffer->handle);
    return order;
}

/* Compare steps by launch, and within one launch by the order in which they were added. */
static int compare_places(const struct resize_gpu_step *a, const struct resize_gpu_step *b, bool has_addresses)
{
    int order = compare_steps(a, b, has_addresses);
    return order != 0 ? order : compare_numbers(a->number, b->number);
}

static int order_steps(const void *a, const void *b)
{
    return compare_places(a, b, true);
}

static int order_steps_by_buffers(const void *a, const void *b)
{
    return compare_places(a, b, false);
}

static bool has_addresses(const struct resize_gpu_job *job)
{
    return kst_memory_has_addresses(job->runtime->gpu->backend->memory);
}

/* Return the offset of an axis in the work; look for it among those noted last, or note it. */
static uint32_t note_axis(struct resize_gpu_job *job, const struct resize_gpu_axis *axis)
{
    enum { LOOKED_AT = 16 };
    for (uint32_t i = 1; i <= LOOKED_AT && i <= job->axis_count; i++)
        if (job->axis[job->axis_count - i] == axis)
            return job->axis_at[job->axis_count - i];
    job->axis[job->axis_count] = axis;
    job->axis_at[job->axis_count++] = (uint32_t)job->words;
    job->words += axis->length;
    return (uint32_t)(job->words - axis->length);
}

/* Return how many words of the work lie before the axes. */
static uint64_t words_before_axes(const struct resize_gpu_job *job)
{
    return ((uint64_t)job->steps.count * (STEP_WORDS + 1) + 3) / 4 * 4;
}

/* Lay out the work: the steps, the first work-group of each in its launch, and the axes. */
static kst_status lay_out(struct resize_gpu_job *job)
{
    struct resize_gpu_steps *steps = &job->steps;
    job->axis_count = 0;
    job->words = words_before_axes(job);
    for (uint32_t i = 0; i < steps->count && job->words <= UINT32_MAX; i++) {
        struct resize_gpu_step *step = &steps->step[i];
        if (!step->axis)
            continue;
        step->work.window = note_axis(job, step->axis);
        step->work.weights = step->work.window + step->axis->weights;
    }
    kst_resize_gpu_describe_work(job->axis, job->axis_count, steps->count, &job->key);
    return job->words <= UINT32_MAX ? KST_OK : KST_ERROR_LIMIT_MEMORY;
}

/* Return the bytes of the work that the host writes. */
static size_t written_bytes(const struct resize_gpu_job *job)
{
    return (size_t)(job->has_axes ? words_before_axes(job) : job->words) * 4;
}

/* Store the distance of byte `at` of a buffer from the launch's buffer. With addresses, the two buffers may differ. */
static void set_place(const struct gpu_buffer *buffer, uint64_t at, const struct gpu_buffer *base, uint32_t place[2])
{
    if (buffer->handle != base->handle)
        at += buffer->handle - base->handle;
    place[0] = (uint32_t)at;
    place[1] = (uint32_t)(at >> 32);
}

/* Write a step of the launch that begins with step `first`. */
static void write_step(const struct resize_gpu_job *job, uint32_t index, uint32_t first)
{
    const struct resize_gpu_step *step = &job->steps.step[index], *base = &job->steps.step[first];
    struct resize_work_step work = step->work;
    set_place(step->from.buffer, step->from.offset, base->from.buffer, work.from);
    set_place(step->to.buffer, step->to.offset, base->to.buffer, work.to);
    for (uint32_t c = 0; c < RESIZE_CHANNELS && step->plane_buffer[c]; c++)
        set_place(step->plane_buffer[c], step->plane_at[c], base->to.buffer, work.plane[c]);
    memcpy(job->buffer[HOST_WORK].host + (size_t)index * sizeof work, &work, sizeof work);
}

static void write_axis(void *arg, uint32_t index)
{
    const struct resize_gpu_job *job = arg;
    const struct resize_gpu_axis *axis = job->axis[index];
    memcpy(job->buffer[HOST_WORK].host + (size_t)job->axis_at[index] * 4, axis->words, (size_t)axis->length * 4);
}

/*
 * Write the steps of the launch that begins with step `first`, and the list of the first work-group of each. Returns
 * the end of the launch's steps; *groups receives its work-groups.
 */
static uint32_t write_launch(const struct resize_gpu_job *job, uint32_t first, uint32_t *groups)
{
    const struct resize_gpu_steps *steps = &job->steps;
    uint32_t *list = (uint32_t *)(void *)job->buffer[HOST_WORK].host + (size_t)steps->count * STEP_WORDS;
    uint32_t end = first;
    *groups = 0;
    while (end < steps->count && compare_steps(&steps->step[first], &steps->step[end], has_addresses(job)) == 0 &&
           steps->step[end].groups <= INT32_MAX - *groups) {
        list[end] = *groups;
        write_step(job, end, first);
        *groups += steps->step[end++].groups;
    }
    return end;
}

/* Describes a launch of a part: the end of its steps, and the number of its work-groups. */
struct resize_gpu_launch {
    uint32_t end, groups;
};

static void launch(struct resize_gpu_job *job, uint32_t first, const struct resize_gpu_launch *launch)
{
    const struct resize_gpu_step *step = &job->steps.step[first];
    const struct gpu_argument arguments[] = {{.buffer = &job->buffer[WORK]}, {.buffer = step->from.buffer},
        {.buffer = step->to.buffer}, {.value = job->steps.count * STEP_WORDS + first}, {.value = first * STEP_WORDS},
        {.value = launch->end - first}};
    kst_gpu_launch(
        queue_of(job), job->built, step->kernel, launch->groups, arguments, sizeof arguments / sizeof *arguments);
}

static bool take_buffers(struct resize_gpu_job *job)
{
    struct gpu_pool *pool = &job->runtime->pool;
    job->has_axes = kst_resize_gpu_kept_take(job->axes, &job->key, &job->buffer[WORK]);
    return (job->has_axes ||
               kst_gpu_pool_take(pool, GPU_DEVICE, (size_t)job->words * 4, &job->buffer[WORK], job->error)) &&
           kst_gpu_pool_take(pool, GPU_DEVICE, (size_t)job->steps.room_length, &job->buffer[ROOM], job->error) &&
           kst_gpu_pool_take(pool, GPU_PINNED, written_bytes(job), &job->buffer[HOST_WORK], job->error);
}

/* Give all buffers back; the work is kept if the part was carried out. */
static void give_buffers(struct resize_gpu_job *job, kst_status status)
{
    if (!status)
        kst_resize_gpu_kept_give(job->axes, &job->runtime->pool, &job->key, &job->buffer[WORK]);
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&job->runtime->pool, &job->buffer[i]);
}

/* Describe rows of intermediate memory as an image in device memory. */
static void describe(const kst_image *like, const struct gpu_rows *rows, kst_image *image, struct gpu_image *at)
{
    *image = *like;
    *at = (struct gpu_image){.picture = false};
    for (uint32_t i = 0; i < image->plane_count; i++) {
        image->plane[i].pitch = (ptrdiff_t)rows[i].pitch;
        at->buffer[i] = *rows[i].buffer;
        at->offset[i] = rows[i].offset;
    }
}

/* Return the part of an image in host memory that is needed. */
static kst_image part_of(const struct resize_gpu_item *item)
{
    kst_image part = *item->from;
    uint32_t pixel = kst_format_samples(part.format) * kst_plane_sample_bytes(&part.plane[0]);
    part.width = item->columns.count;
    part.height = item->rows.count;
    for (uint32_t i = 0; i < part.plane_count; i++) {
        kst_plane *plane = &part.plane[i];
        plane->data = (uint8_t *)plane->data + (ptrdiff_t)(item->rows.first - item->top) * plane->pitch +
                      (size_t)(item->columns.first - item->left) * pixel;
        plane->width = part.width;
        plane->height = part.height;
    }
    return part;
}

static void upload(struct resize_gpu_job *job, const struct resize_gpu_item *item)
{
    kst_image image, part;
    struct gpu_image at;
    if (item->status || !item->upload[0].buffer)
        return;
    part = item->from_at.picture ? *item->from : part_of(item);
    describe(&part, item->upload, &image, &at);
    if (item->from_at.picture)
        kst_gpu_plane_read(queue_of(job), item->upload[0], item->from, &item->from_at, 0);
    else
        kst_gpu_image_upload(queue_of(job), &image, &at, &part);
}

static void download(struct resize_gpu_job *job, const struct resize_gpu_item *item)
{
    kst_image image;
    struct gpu_image at;
    if (item->status || !item->download[0].buffer)
        return;
    describe(item->to, item->download, &image, &at);
    for (uint32_t i = 0; i < item->to->plane_count && kst_memory_is_device(item->to->memory); i++)
        kst_gpu_plane_write(queue_of(job), item->to, &item->to_at, i, item->download[i]);
    if (!kst_memory_is_device(item->to->memory))
        kst_gpu_image_download(queue_of(job), &image, &at, item->to);
}

static void record(struct resize_gpu_job *job, uint32_t event)
{
    job->runtime->gpu->backend->record(queue_of(job), &job->track->event[event]);
}

static void queue_launches(struct resize_gpu_job *job, struct resize_gpu_launch *launches)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    uint32_t count = 0;
    for (uint32_t first = 0; first < job->steps.count; first = launches[count++].end)
        launches[count].end = write_launch(job, first, &launches[count].groups);
    backend->copy(queue_of(job), &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, written_bytes(job));
    record(job, UPLOADED);
    for (uint32_t i = 0, first = 0; i < count; first = launches[i++].end)
        launch(job, first, &launches[i]);
}

static void queue_all(struct resize_gpu_job *job, uint32_t first, uint32_t end, struct resize_gpu_launch *launches)
{
    record(job, START);
    for (uint32_t i = first; i < end; i++)
        upload(job, &job->items[i]);
    if (!job->has_axes)
        kst_pool_run(job->operation->pool, job->axis_count, write_axis, job);
    queue_launches(job, launches);
    record(job, PASSED);
    for (uint32_t i = first; i < end; i++)
        download(job, &job->items[i]);
    record(job, DOWNLOADED);
    job->runtime->gpu->backend->finish(queue_of(job));
}

static void add_times(const struct resize_gpu_job *job, struct resize_gpu_times *times)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    if (queue_of(job)->error.status)
        return;
    times->upload += gpu->backend->elapsed(gpu, &event[START], &event[UPLOADED]);
    times->passes += gpu->backend->elapsed(gpu, &event[UPLOADED], &event[PASSED]);
    times->download += gpu->backend->elapsed(gpu, &event[PASSED], &event[DOWNLOADED]);
}

static void fail_part(struct resize_gpu_job *job, uint32_t first, uint32_t end, kst_status status)
{
    for (uint32_t i = first; i < end; i++)
        if (!job->items[i].status)
            job->items[i].status = status;
}

/* Carry out the steps of the images from `first` to `end`. */
static void run_part(struct resize_gpu_job *job, uint32_t first, uint32_t end, struct resize_gpu_launch *launches,
    struct resize_gpu_times *times)
{
    struct resize_gpu_steps *steps = &job->steps;
    qsort(steps->step, steps->count, sizeof *steps->step, has_addresses(job) ? order_steps : order_steps_by_buffers);
    kst_status status = lay_out(job);
    if (!status && !take_buffers(job))
        status = job->error->status;
    if (!status) {
        queue_all(job, first, end, launches);
        add_times(job, times);
        status = queue_of(job)->error.status;
        if (status && !job->error->status)
            *job->error = queue_of(job)->error;
    }
    fail_part(job, first, end, status);
    give_buffers(job, status);
}

static void run_parts(struct resize_gpu_job *job, struct resize_gpu_launch *launches, struct resize_gpu_times *times)
{
    for (uint32_t first = 0, end = 0; first < job->count; first = end) {
        job->steps.count = 0;
        job->steps.room_length = 0;
        while (end < job->count && add_item(job, &job->items[end]))
            end++;
        if (job->steps.count > 0)
            run_part(job, first, end, launches, times);
    }
}

/* Take the track and memory that the job needs; the arrays have room for all steps at once. */
static bool begin(struct resize_gpu_job *job, struct resize_gpu_launch **launches)
{
    struct memory *memory = job->runtime->gpu->memory;
    size_t steps = (size_t)job->count * RESIZE_STEPS_MAX;
    job->built = kst_gpu_runtime_build(job->runtime, &kst_resize_gpu_module, job->error);
    if (!job->built || !(job->track = kst_gpu_track_take(job->runtime, job->error)))
        return false;
    job->axes = job->built->state;
    job->steps.room = &job->buffer[ROOM];
    job->steps.step = kst_memory_array(memory, steps, sizeof *job->steps.step, &job->error->status);
    job->axis = kst_memory_array(memory, steps, sizeof *job->axis, &job->error->status);
    job->axis_at = kst_memory_array(memory, steps, sizeof *job->axis_at, &job->error->status);
    *launches = kst_memory_array(memory, steps, sizeof **launches, &job->error->status);
    return job->steps.step && job->axis && job->axis_at && *launches;
}

static void end(struct resize_gpu_job *job, struct resize_gpu_launch *launches)
{
    struct memory *memory = job->runtime->gpu->memory;
    for (uint32_t i = 0; i < job->count && job->axes; i++) {
        kst_resize_gpu_axis_give(job->axes, job->items[i].across);
        kst_resize_gpu_axis_give(job->axes, job->items[i].down);
    }
    if (job->axes)
        kst_resize_gpu_axes_trim(job->axes, memory);
    kst_memory_release(memory, job->steps.step);
    kst_memory_release(memory, job->axis);
    kst_memory_release(memory, job->axis_at);
    kst_memory_release(memory, launches);
    kst_gpu_track_give(job->runtime, job->track);
}

void kst_resize_gpu_run(struct gpu_runtime *runtime, const struct operation *operation, struct resize_gpu_item *items,
    uint32_t count, const struct gpu_event *after, struct resize_gpu_times *times, struct gpu_error *error)
{
    struct resize_gpu_job job = {
        .runtime = runtime, .operation = operation, .items = items, .count = count, .error = error};
    struct resize_gpu_launch *launches = NULL;
    *times = (struct resize_gpu_times){.passes = 0};
    if (begin(&job, &launches)) {
        kst_pool_run(operation->pool, count, plan_item, &job);
        if (after)
            runtime->gpu->backend->wait(queue_of(&job), after);
        run_parts(&job, launches, times);
    } else {
        fail_part(&job, 0, count, error->status ? error->status : KST_ERROR_MEMORY);
    }
    end(&job, launches);
}
