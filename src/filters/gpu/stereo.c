/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and queues the kernels that match two images. */
#include "filters/gpu/stereo.h"

#include "device/image.h"
#include "filters/cpu/stereo.h"
#include "filters/gpu/plans.h"
#include "filters/shape.h"

enum { LEFT, RIGHT, DISPARITY, CONFIDENCE, IMAGES };
enum filter_match_buffer { VOLUME, ROOM, WORK, HOST_WORK, BUFFERS };
enum { LANES = 32, PER_CENT = 100, WORD = 4, BEGIN = 0, END };
_Static_assert((int)FILTER_STEREO_DISPARITIES == 8 * (int)LANES, "8 disparities of a lane are all");

struct filter_gpu_match {
    struct gpu_runtime *runtime;
    const kst_stereo_options *options;
    const kst_image *const *image;
    struct gpu_image at[IMAGES];
    uint32_t width, height, values; /* disparities of a lane */
    struct gpu_buffer buffer[BUFFERS];
    struct filter_gpu_launches launches;
    uint32_t order;
};

static uint64_t pixels_of(const struct filter_gpu_match *match)
{
    return (uint64_t)match->width * match->height;
}

/* An image, as kernels see it. */
static struct filter_gpu_pixels of_image(const struct filter_gpu_match *match, uint32_t index)
{
    const kst_image *image = match->image[index];
    const struct gpu_image *at = &match->at[index];
    return (struct filter_gpu_pixels){
        &at->buffer[0], at->offset[0], (size_t)image->plane[0].pitch, kst_filter_pixels_of(image)};
}

/* A buffer, with the bytes of each pixel that a kernel moves. */
static struct filter_gpu_pixels of_buffer(
    const struct filter_gpu_match *match, enum filter_match_buffer buffer, uint32_t bytes)
{
    const struct filter_pixels pixels = {
        .width = match->width, .height = match->height, .channels = bytes, .colours = 1, .bytes = 1};
    return (struct filter_gpu_pixels){.buffer = &match->buffer[buffer], .pixels = pixels};
}

static struct filter_gpu_step step_of(
    struct filter_gpu_match *match, struct filter_gpu_pixels from, struct filter_gpu_pixels to)
{
    return (struct filter_gpu_step){
        .launches = &match->launches, .from = from, .to = to, .order = match->order++, .room = &match->buffer[ROOM]};
}

static kst_status plan_census(struct filter_gpu_match *match, uint32_t index)
{
    struct filter_gpu_step step = step_of(match, of_image(match, index), of_buffer(match, ROOM, WORD));
    struct filter_record record = kst_filter_gpu_luminance(&step);
    record.value[FILTER_MATCH_RIGHT] = index == RIGHT;
    return kst_filter_gpu_add(&step, FILTER_STEREO_CENSUS, &record);
}

/* Choose the kernel that has room for all disparities. */
static enum filter_gpu_kernel kernel_of(const struct filter_gpu_match *match, enum filter_gpu_kernel first)
{
    return first + (match->values == 2 ? 0 : match->values == 4 ? 1 : 2);
}

static uint32_t volume_bytes(const struct filter_gpu_match *match)
{
    return match->values * LANES * (uint32_t)sizeof(uint16_t); /* of a pixel */
}

static kst_status plan_paths(struct filter_gpu_match *match, uint32_t direction)
{
    const kst_stereo_options *options = match->options;
    const int32_t dx = kst_filter_stereo_steps[direction][0], dy = kst_filter_stereo_steps[direction][1];
    struct filter_gpu_step step = step_of(match, of_buffer(match, ROOM, 2 * WORD),
        of_buffer(match, VOLUME, volume_bytes(match) * (direction == 0 ? 1 : 2)));
    struct filter_record record = kst_filter_gpu_record(&step);
    uint32_t lines = dy == 0 ? match->height : match->width;
    record.value[FILTER_MATCH_DISPARITIES] = (int32_t)options->disparities;
    record.value[FILTER_MATCH_LEAST] = (int32_t)options->least;
    record.value[FILTER_MATCH_P1] = (int32_t)options->p1;
    record.value[FILTER_MATCH_P2] = (int32_t)options->p2;
    record.value[FILTER_MATCH_DX] = dx;
    record.value[FILTER_MATCH_DY] = dy;
    record.value[FILTER_MATCH_FIRST] = direction == 0;
    return kst_filter_gpu_add_groups(&step, kernel_of(match, FILTER_STEREO_PATHS_2), &record,
        ((uint64_t)lines + FILTER_MATCH_LINES - 1) / FILTER_MATCH_LINES);
}

static struct filter_record choice_record(const struct filter_gpu_match *match, const struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[FILTER_MATCH_DISPARITIES] = (int32_t)match->options->disparities;
    record.value[FILTER_MATCH_LEAST] = (int32_t)match->options->least;
    record.value[FILTER_MATCH_UNIQUE] = PER_CENT - (int32_t)match->options->uniqueness;
    record.value[FILTER_MATCH_TOLERANCE] = match->options->tolerance;
    return record;
}

static kst_status plan_choice(struct filter_gpu_match *match)
{
    struct filter_gpu_step step =
        step_of(match, of_buffer(match, VOLUME, volume_bytes(match)), of_buffer(match, ROOM, 2 * WORD));
    struct filter_record record = choice_record(match, &step);
    record.groups_of_row = (match->width + FILTER_MATCH_COLUMNS - 1) / FILTER_MATCH_COLUMNS;
    return kst_filter_gpu_add_groups(
        &step, kernel_of(match, FILTER_STEREO_CHOOSE_2), &record, (uint64_t)record.groups_of_row * match->height);
}

static kst_status plan_store(struct filter_gpu_match *match, uint32_t index)
{
    if (!match->image[index])
        return KST_OK;
    struct filter_gpu_step step = step_of(match, of_buffer(match, ROOM, 2 * WORD), of_image(match, index));
    struct filter_record record = choice_record(match, &step);
    record.value[FILTER_MATCH_SURE] = index == CONFIDENCE;
    return kst_filter_gpu_add(&step, FILTER_STEREO_STORE, &record);
}

static kst_status plan_all(struct filter_gpu_match *match)
{
    kst_status status = plan_census(match, LEFT);
    if (!status)
        status = plan_census(match, RIGHT);
    for (uint32_t i = 0; i < match->options->paths && !status; i++)
        status = plan_paths(match, i);
    if (!status)
        status = plan_choice(match);
    if (!status)
        status = plan_store(match, DISPARITY);
    return status ? status : plan_store(match, CONFIDENCE);
}

static kst_status import_all(struct filter_gpu_match *match, struct gpu_error *error)
{
    for (uint32_t i = 0; i < IMAGES; i++) {
        if (!match->image[i])
            continue;
        if (!kst_gpu_image_import(match->runtime, match->image[i], &match->at[i], error))
            return error->status;
        if (match->at[i].picture)
            return KST_ERROR_IMAGE_MEMORY;
    }
    return KST_OK;
}

static bool take(
    struct filter_gpu_match *match, enum filter_match_buffer buffer, uint64_t length, struct gpu_error *error)
{
    enum gpu_place place = buffer == HOST_WORK ? GPU_PINNED : GPU_DEVICE;
    return kst_gpu_pool_take(&match->runtime->pool, place, (size_t)length, &match->buffer[buffer], error);
}

/* Buffers for sums and words come first, since launches refer to them. */
static kst_status take_volume(
    struct filter_gpu_match *match, const struct operation *operation, struct gpu_error *error)
{
    const uint64_t volume = pixels_of(match) * volume_bytes(match);
    const uint64_t room = pixels_of(match) * WORD * FILTER_MATCH_ARRAYS;
    if (volume + room > operation->limits->memory || volume > match->runtime->gpu->largest)
        return KST_ERROR_LIMIT_MEMORY;
    return take(match, VOLUME, volume, error) && take(match, ROOM, room, error) ? KST_OK : error->status;
}

static kst_status queue_all(
    struct filter_gpu_match *match, const struct gpu_built *built, double *seconds, struct gpu_error *error)
{
    const struct gpu_backend *backend = match->runtime->gpu->backend;
    const size_t work = kst_filter_gpu_work_length(&match->launches);
    struct gpu_track *track = kst_gpu_track_take(match->runtime, error);
    if (!track)
        return error->status;
    if (take(match, WORK, work, error) && take(match, HOST_WORK, work, error)) {
        backend->record(&track->queue, &track->event[BEGIN]);
        kst_filter_gpu_queue(&match->launches, &track->queue, built, &match->buffer[WORK], &match->buffer[HOST_WORK]);
        backend->record(&track->queue, &track->event[END]);
        backend->finish(&track->queue);
        *error = track->queue.error;
        if (!error->status)
            *seconds = backend->elapsed(match->runtime->gpu, &track->event[BEGIN], &track->event[END]);
    }
    kst_gpu_track_give(match->runtime, track);
    return error->status;
}

kst_status kst_filter_gpu_stereo(struct gpu_runtime *runtime, const struct operation *operation,
    const kst_stereo_options *options, const kst_image *const image[4], double *seconds, struct gpu_error *error)
{
    struct filter_gpu_match match = {.runtime = runtime,
        .options = options,
        .image = image,
        .width = image[LEFT]->width,
        .height = image[LEFT]->height,
        .values = options->disparities <= 2 * LANES   ? 2
                  : options->disparities <= 4 * LANES ? 4
                                                      : 8,
        .launches = {.memory = operation->memory}};
    const struct gpu_built *built = kst_gpu_runtime_build(runtime, &kst_filter_gpu_module, error);
    kst_status status = built ? import_all(&match, error) : error->status;
    if (!status)
        status = take_volume(&match, operation, error);
    if (!status)
        status = plan_all(&match);
    if (!status)
        status = queue_all(&match, built, seconds, error);
    kst_memory_release(operation->memory, match.launches.launch);
    kst_memory_release(operation->memory, match.launches.table);
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &match.buffer[i]);
    return status;
}
