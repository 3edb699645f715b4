/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs an operation on several images in a device's memory: buffers and launches. */
#include "filters/gpu/set.h"

#include "filters/shape.h"

enum { BEGIN, END };

kst_status kst_filter_gpu_set_begin(struct filter_gpu_set *set, struct gpu_runtime *runtime,
    const struct operation *operation, const kst_image *const *image, uint32_t count, struct gpu_error *error)
{
    *set = (struct filter_gpu_set){.runtime = runtime,
        .operation = operation,
        .image = image,
        .count = count,
        .launches = {.memory = operation->memory},
        .error = error};
    set->built = kst_gpu_runtime_build(runtime, &kst_filter_gpu_module, error);
    if (!set->built)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        if (!image[i])
            continue;
        if (!kst_gpu_image_import(runtime, image[i], &set->at[i], error))
            return error->status;
        if (set->at[i].picture)
            return KST_ERROR_IMAGE_MEMORY;
    }
    return KST_OK;
}

void kst_filter_gpu_set_end(struct filter_gpu_set *set)
{
    kst_memory_release(set->operation->memory, set->launches.launch);
    kst_memory_release(set->operation->memory, set->launches.table);
    for (uint32_t i = 0; i < FILTER_SET_BUFFERS; i++)
        kst_gpu_pool_give(&set->runtime->pool, &set->buffer[i]);
}

static bool take(struct filter_gpu_set *set, enum filter_gpu_set_buffer buffer, uint64_t length)
{
    enum gpu_place place = buffer == FILTER_HOST_WORK ? GPU_PINNED : GPU_DEVICE;
    return kst_gpu_pool_take(&set->runtime->pool, place, (size_t)length, &set->buffer[buffer], set->error);
}

kst_status kst_filter_gpu_set_take(struct filter_gpu_set *set, uint64_t volume, uint64_t room)
{
    if (volume + room > set->operation->limits->memory || volume > set->runtime->gpu->largest)
        return KST_ERROR_LIMIT_MEMORY;
    return take(set, FILTER_VOLUME, volume) && take(set, FILTER_ROOM, room) ? KST_OK : set->error->status;
}

struct filter_gpu_pixels kst_filter_gpu_set_image(const struct filter_gpu_set *set, uint32_t index)
{
    const kst_image *image = set->image[index];
    const struct gpu_image *at = &set->at[index];
    return (struct filter_gpu_pixels){
        &at->buffer[0], at->offset[0], (size_t)image->plane[0].pitch, kst_filter_pixels_of(image)};
}

struct filter_gpu_pixels kst_filter_gpu_set_buffer(const struct filter_gpu_set *set, enum filter_gpu_set_buffer buffer,
    uint32_t width, uint32_t height, uint32_t bytes)
{
    const struct filter_pixels pixels = {.width = width, .height = height, .channels = bytes, .colours = 1, .bytes = 1};
    return (struct filter_gpu_pixels){.buffer = &set->buffer[buffer], .pitch = width, .pixels = pixels};
}

struct filter_gpu_step kst_filter_gpu_set_step(
    struct filter_gpu_set *set, struct filter_gpu_pixels from, struct filter_gpu_pixels to)
{
    return (struct filter_gpu_step){
        .launches = &set->launches, .from = from, .to = to, .order = set->order++, .room = &set->buffer[FILTER_ROOM]};
}

kst_status kst_filter_gpu_set_run(struct filter_gpu_set *set, double *seconds)
{
    const struct gpu_backend *backend = set->runtime->gpu->backend;
    const size_t work = kst_filter_gpu_work_length(&set->launches);
    struct gpu_track *track = kst_gpu_track_take(set->runtime, set->error);
    if (!track)
        return set->error->status;
    if (take(set, FILTER_WORK, work) && take(set, FILTER_HOST_WORK, work)) {
        backend->record(&track->queue, &track->event[BEGIN]);
        kst_filter_gpu_queue(
            &set->launches, &track->queue, set->built, &set->buffer[FILTER_WORK], &set->buffer[FILTER_HOST_WORK]);
        backend->record(&track->queue, &track->event[END]);
        backend->finish(&track->queue);
        *set->error = track->queue.error;
        if (!set->error->status)
            *seconds = backend->elapsed(set->runtime->gpu, &track->event[BEGIN], &track->event[END]);
    }
    kst_gpu_track_give(set->runtime, track);
    return set->error->status;
}
