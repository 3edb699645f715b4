/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the filters of a chain on a device: uploads, launches, downloads. */
#include "filters/gpu/job.h"

#include "filters/gpu/left.h"
#include "filters/gpu/plans.h"
#include "filters/planes.h"
#include "filters/shape.h"
#include "image/location.h"

enum filter_gpu_buffer { ROOM, WORK, HOST_WORK };
enum { ALIGNMENT = 256, ROW_ALIGNMENT = 16, ORDERS_OF_STEP = 32, START = 0, UPLOADED, PASSED, DOWNLOADED };

/*
 * The most bytes of intermediate images, and of the work, for the images that are filtered together; a single image may
 * need more.
 */
static const uint64_t MOST_ROOM = (uint64_t)1 << 30;

struct filter_gpu_job {
    struct gpu_runtime *runtime;
    const struct operation *operation;
    const struct filter_step *step;
    uint32_t steps;
    struct filter_gpu_item *items;
    uint32_t count;
    const struct gpu_built *built;
    struct gpu_track *track; /* null: the work goes to the caller's queue, and nobody waits for it */
    struct gpu_queue *queue;
    struct filter_gpu_lot *lot; /* holds the buffers */
    struct filter_gpu_launches launches;
    uint64_t room; /* bytes taken of the buffer ROOM */
    struct gpu_error *error;
};

static uint64_t take_room(struct filter_gpu_job *job, uint64_t length)
{
    uint64_t at = job->room;
    job->room += (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static size_t pitch_of(const struct filter_shape *shape)
{
    size_t row = (size_t)shape->width * kst_format_samples(shape->format) * (shape->depth > 8 ? 2 : 1);
    return (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

static uint64_t length_of(const struct filter_shape *shape)
{
    return (uint64_t)pitch_of(shape) * shape->height;
}

static void apply_shape(const struct filter_step *step, struct filter_shape *shape)
{
    char reason[FILTER_REASON];
    if (step->kind->shape)
        step->kind->shape(step->value, shape, reason); /* the step has accepted this shape before */
}

/* Holds two places, which alternately hold the image that one step writes and the next one reads. */
struct filter_gpu_slots {
    uint64_t at[2], length[2];
};

static void take_slots(struct filter_gpu_job *job, const kst_image *from, struct filter_gpu_slots *slots)
{
    struct filter_shape shape = kst_filter_shape_of(from);
    *slots = (struct filter_gpu_slots){.length = {0, 0}};
    for (uint32_t i = 0; i + 1 < job->steps; i++) {
        apply_shape(&job->step[i], &shape);
        uint64_t length = length_of(&shape);
        slots->length[i % 2] = length > slots->length[i % 2] ? length : slots->length[i % 2];
    }
    slots->at[0] = take_room(job, slots->length[0]);
    slots->at[1] = take_room(job, slots->length[1]);
}

static struct filter_gpu_pixels in_room(const struct filter_gpu_job *job, const struct filter_shape *shape, uint64_t at)
{
    kst_image image;
    kst_filter_shape_image(shape, &image);
    return (struct filter_gpu_pixels){&job->lot->buffer[ROOM], at, pitch_of(shape), kst_filter_pixels_of(&image)};
}

/* Return the length of a plane in the buffer ROOM. */
static uint64_t plane_length(const kst_image *staged, uint32_t index)
{
    return (uint64_t)staged->plane[index].pitch * staged->height;
}

/* Give an image in host memory a place in the buffer ROOM, with its planes one behind the other. */
static void stage(struct filter_gpu_job *job, const kst_image *image, kst_image *staged, uint64_t *at)
{
    struct filter_shape shape = kst_filter_shape_of(image);
    kst_filter_shape_image(&shape, staged);
    if (kst_filter_is_planar(image)) {
        kst_filter_planes_describe(staged);
        shape.format = KST_FORMAT_GREY;
    }
    for (uint32_t i = 0; i < staged->plane_count; i++)
        staged->plane[i].pitch = (ptrdiff_t)pitch_of(&shape);
    *at = take_room(job, plane_length(staged, 0) * staged->plane_count);
}

/* Return the pixels of an image in device memory, or of one that is staged; of an image with planes those of one. */
static struct filter_gpu_pixels pixels_at(const struct filter_gpu_job *job, const kst_image *image,
    const struct gpu_image *at, const kst_image *staged, uint64_t staged_at, uint32_t index)
{
    const bool there = kst_memory_is_device(image->memory);
    const kst_image *described = there ? image : staged;
    return (struct filter_gpu_pixels){there ? &at->buffer[index] : &job->lot->buffer[ROOM],
        there ? at->offset[index] : staged_at + index * plane_length(staged, 0), (size_t)described->plane[index].pitch,
        kst_filter_is_planar(image) ? kst_filter_plane_of(described, index) : kst_filter_pixels_of(described)};
}

static struct filter_gpu_pixels source_of(
    const struct filter_gpu_job *job, const struct filter_gpu_item *item, uint32_t plane)
{
    return pixels_at(job, item->from, &item->from_at, &item->upload, item->upload_at, plane);
}

static struct filter_gpu_pixels target_of(
    const struct filter_gpu_job *job, const struct filter_gpu_item *item, uint32_t plane)
{
    return pixels_at(job, item->to, &item->to_at, &item->download, item->download_at, plane);
}

/* Give interleaved pixels in the place of an image with planes a place in the buffer ROOM. */
static struct filter_gpu_pixels take_woven(struct filter_gpu_job *job, const kst_image *planar)
{
    const struct filter_shape shape = kst_filter_shape_of(planar);
    return in_room(job, &shape, take_room(job, length_of(&shape)));
}

/* Copy channel `from_channel` of some pixels to channel `to_channel` of others, before or behind the steps. */
static kst_status copy_channel(struct filter_gpu_job *job, struct filter_gpu_pixels from, uint32_t from_channel,
    struct filter_gpu_pixels to, uint32_t to_channel, uint32_t order)
{
    struct filter_gpu_step step = {
        .launches = &job->launches, .from = from, .to = to, .order = order, .room = &job->lot->buffer[ROOM]};
    struct filter_record record = kst_filter_gpu_record(&step);
    record.value[0] = (int32_t)from_channel;
    record.value[1] = (int32_t)to_channel;
    return kst_filter_gpu_add(&step, FILTER_CHANNEL, &record);
}

/*
 * Return whether step `index` and the next one are made by one plan. Slots alternate, so that one of the two steps must
 * read the source or write the result.
 */
static bool is_pair(const struct filter_gpu_job *job, uint32_t index, const struct filter_gpu_pixels *from)
{
    const bool at_end = index == 0 || index + 2 == job->steps;
    return index + 1 < job->steps && at_end &&
           kst_filter_gpu_is_canny_of_grey(from, &job->step[index], &job->step[index + 1]);
}

static kst_status plan_steps(
    struct filter_gpu_job *job, const kst_image *from, struct filter_gpu_pixels source, struct filter_gpu_pixels target)
{
    struct filter_gpu_slots slots;
    struct filter_shape shape = kst_filter_shape_of(from);
    take_slots(job, from, &slots);
    struct filter_gpu_step step = {.launches = &job->launches, .from = source, .room = &job->lot->buffer[ROOM]};
    step.extra_at = job->room;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < job->steps && !status; i++) {
        filter_gpu_plan plan = kst_filter_gpu_plan_of(job->step[i].kind);
        apply_shape(&job->step[i], &shape);
        if (is_pair(job, i, &step.from)) {
            plan = kst_filter_gpu_canny_of_grey;
            apply_shape(&job->step[++i], &shape);
        }
        step.value = job->step[i].value;
        step.data = job->step[i].data;
        step.to = i + 1 < job->steps ? in_room(job, &shape, slots.at[i % 2]) : target;
        step.order = (i + 1) * ORDERS_OF_STEP;
        status = plan(&step);
        step.from = step.to;
    }
    take_room(job, step.extra_length);
    return status;
}

/*
 * Plan an image: planes are woven into interleaved pixels, and the result is parted into planes. Without steps, one of
 * the two is done between the image and its result.
 */
static kst_status plan_item(struct filter_gpu_job *job, struct filter_gpu_item *item)
{
    const bool weaves = kst_filter_is_planar(item->from), parts = kst_filter_is_planar(item->to);
    if (!kst_memory_is_device(item->from->memory))
        stage(job, item->from, &item->upload, &item->upload_at);
    if (!kst_memory_is_device(item->to->memory))
        stage(job, item->to, &item->download, &item->download_at);
    struct filter_gpu_pixels source = source_of(job, item, 0), target = target_of(job, item, 0);
    if (weaves)
        source = job->steps > 0 ? take_woven(job, item->from) : target;
    if (parts)
        target = job->steps > 0 ? take_woven(job, item->to) : source;
    kst_status status = KST_OK;
    for (uint32_t i = 0; weaves && i < item->from->plane_count && !status; i++)
        status = copy_channel(job, source_of(job, item, i), 0, source, i, 0);
    if (!status)
        status = plan_steps(job, item->from, source, target);
    for (uint32_t i = 0; parts && i < item->to->plane_count && !status; i++)
        status = copy_channel(job, target, i, target_of(job, item, i), 0, (job->steps + 1) * ORDERS_OF_STEP);
    return status;
}

static kst_status import(struct filter_gpu_job *job, const kst_image *image, struct gpu_image *at)
{
    struct gpu_error error = {.status = KST_OK};
    if (!kst_memory_is_device(image->memory))
        return KST_OK;
    bool fine = kst_gpu_image_import(job->runtime, image, at, &error);
    if (fine && at->picture)
        return KST_ERROR_IMAGE_MEMORY;
    if (!fine && !job->error->status)
        *job->error = error;
    return error.status;
}

static bool is_too_much(const struct filter_gpu_job *job)
{
    return job->room + kst_filter_gpu_work_length(&job->launches) > MOST_ROOM;
}

/*
 * Plan an image, and undo that if it does not fit. Returns false if the image must begin another part, because there is
 * no memory for it beside the others.
 */
static bool add_item(struct filter_gpu_job *job, struct filter_gpu_item *item)
{
    const uint32_t count = job->launches.count, words = job->launches.words;
    const uint64_t room = job->room;
    item->status = import(job, item->from, &item->from_at);
    if (!item->status)
        item->status = import(job, item->to, &item->to_at);
    if (!item->status)
        item->status = plan_item(job, item);
    if (!item->status && job->room - room > job->operation->limits->memory)
        item->status = KST_ERROR_LIMIT_MEMORY;
    bool full = count > 0 && (item->status ? item->status == KST_ERROR_LIMIT_MEMORY : is_too_much(job));
    if (item->status || full) {
        job->launches.count = count;
        job->launches.words = words;
        job->room = room;
    }
    return !full;
}

static bool take_buffers(struct filter_gpu_job *job)
{
    struct gpu_pool *pool = &job->runtime->pool;
    size_t work = kst_filter_gpu_work_length(&job->launches);
    return kst_gpu_pool_take(pool, GPU_DEVICE, (size_t)job->room, &job->lot->buffer[ROOM], job->error) &&
           kst_gpu_pool_take(pool, GPU_DEVICE, work, &job->lot->buffer[WORK], job->error) &&
           kst_gpu_pool_take(pool, GPU_PINNED, work, &job->lot->buffer[HOST_WORK], job->error);
}

static void record(struct filter_gpu_job *job, uint32_t event)
{
    if (job->track)
        job->runtime->gpu->backend->record(job->queue, &job->track->event[event]);
}

/* Return where the planes of a staged image lie. */
static struct gpu_image room_at(const struct filter_gpu_job *job, const kst_image *staged, uint64_t at)
{
    struct gpu_image image = {.picture = false};
    for (uint32_t i = 0; i < staged->plane_count; i++) {
        image.buffer[i] = job->lot->buffer[ROOM];
        image.offset[i] = (size_t)(at + i * plane_length(staged, 0));
    }
    return image;
}

static void queue_all(struct filter_gpu_job *job, uint32_t first, uint32_t end)
{
    record(job, START);
    for (uint32_t i = first; i < end; i++) {
        const struct filter_gpu_item *item = &job->items[i];
        if (item->status || kst_memory_is_device(item->from->memory))
            continue;
        const struct gpu_image at = room_at(job, &item->upload, item->upload_at);
        kst_gpu_image_upload(job->queue, &item->upload, &at, item->from);
    }
    record(job, UPLOADED);
    kst_filter_gpu_queue(&job->launches, job->queue, job->built, &job->lot->buffer[WORK], &job->lot->buffer[HOST_WORK]);
    record(job, PASSED);
    for (uint32_t i = first; i < end; i++) {
        const struct filter_gpu_item *item = &job->items[i];
        if (item->status || kst_memory_is_device(item->to->memory))
            continue;
        const struct gpu_image at = room_at(job, &item->download, item->download_at);
        kst_gpu_image_download(job->queue, &item->download, &at, item->to);
    }
    record(job, DOWNLOADED);
}

static void add_times(const struct filter_gpu_job *job, struct filter_gpu_times *times)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    if (job->queue->error.status)
        return;
    times->upload += gpu->backend->elapsed(gpu, &event[START], &event[UPLOADED]);
    times->passes += gpu->backend->elapsed(gpu, &event[UPLOADED], &event[PASSED]);
    times->download += gpu->backend->elapsed(gpu, &event[PASSED], &event[DOWNLOADED]);
}

static void fail_part(struct filter_gpu_job *job, uint32_t first, uint32_t end, kst_status status)
{
    for (uint32_t i = first; i < end; i++)
        if (!job->items[i].status)
            job->items[i].status = status;
}

/* Wait for the work, or leave its buffers to the caller's queue. */
static kst_status settle(struct filter_gpu_job *job, struct filter_gpu_times *times)
{
    if (job->track) {
        job->runtime->gpu->backend->finish(job->queue);
        add_times(job, times);
    } else {
        kst_filter_gpu_leave(job->built->state, job->queue, job->lot);
        job->lot = NULL;
    }
    if (job->queue->error.status && !job->error->status)
        *job->error = job->queue->error;
    return job->queue->error.status;
}

/* Filter the images from `first` on, as many as fit together. Returns the index of the first image left. */
static uint32_t run_part(struct filter_gpu_job *job, uint32_t first, struct filter_gpu_times *times)
{
    uint32_t end = first;
    struct gpu_error error = {.status = KST_OK};
    job->room = 0;
    job->launches.count = job->launches.words = 0;
    job->lot = kst_filter_gpu_lot_make(job->runtime, &error);
    if (!job->lot) {
        fail_part(job, first, job->count, error.status ? error.status : KST_ERROR_MEMORY);
        return job->count;
    }
    while (end < job->count && add_item(job, &job->items[end]))
        end++;
    if (job->launches.count > 0 && take_buffers(job)) {
        queue_all(job, first, end);
        fail_part(job, first, end, settle(job, times));
    } else if (job->launches.count > 0) {
        fail_part(job, first, end, job->error->status);
    }
    kst_filter_gpu_lot_drop(job->runtime, job->lot);
    return end;
}

static bool begin(struct filter_gpu_job *job, struct gpu_queue *queue)
{
    job->built = kst_gpu_runtime_build(job->runtime, &kst_filter_gpu_module, job->error);
    if (!job->built)
        return false;
    kst_filter_gpu_left_collect(job->built->state, job->runtime);
    job->queue = queue;
    if (queue)
        return true;
    job->track = kst_gpu_track_take(job->runtime, job->error);
    if (job->track)
        job->queue = &job->track->queue;
    return job->track != NULL;
}

void kst_filter_gpu_run(struct gpu_runtime *runtime, const struct operation *operation, const struct filter_step *step,
    uint32_t steps, struct filter_gpu_item *items, uint32_t count, struct gpu_queue *queue,
    struct filter_gpu_times *times, struct gpu_error *error)
{
    struct filter_gpu_job job = {.runtime = runtime,
        .operation = operation,
        .step = step,
        .steps = steps,
        .items = items,
        .count = count,
        .error = error};
    job.launches.memory = operation->memory;
    if (begin(&job, queue))
        for (uint32_t first = 0; first < count;)
            first = run_part(&job, first, times);
    else
        fail_part(&job, 0, count, error->status ? error->status : KST_ERROR_MEMORY);
    kst_memory_release(operation->memory, job.launches.launch);
    kst_memory_release(operation->memory, job.launches.table);
    kst_gpu_track_give(runtime, job.track);
}
