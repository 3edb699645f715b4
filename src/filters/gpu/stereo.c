/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and queues the kernels that match two images. */
#include "filters/gpu/stereo.h"

#include "filters/cpu/stereo.h"
#include "filters/gpu/plans.h"
#include "filters/gpu/set.h"

enum { LEFT, RIGHT, DISPARITY, CONFIDENCE, IMAGES };
enum { LANES = 32, PER_CENT = 100, WORD = 4 };
_Static_assert((int)FILTER_STEREO_DISPARITIES == 8 * (int)LANES, "8 disparities of a lane are all");

struct filter_gpu_match {
    struct filter_gpu_set set;
    const kst_stereo_options *options;
    uint32_t width, height, values; /* disparities of a lane */
};

static struct filter_gpu_pixels of_buffer(
    const struct filter_gpu_match *match, enum filter_gpu_set_buffer buffer, uint32_t bytes)
{
    return kst_filter_gpu_set_buffer(&match->set, buffer, match->width, match->height, bytes);
}

static kst_status plan_census(struct filter_gpu_match *match, uint32_t index)
{
    struct filter_gpu_step step = kst_filter_gpu_set_step(
        &match->set, kst_filter_gpu_set_image(&match->set, index), of_buffer(match, FILTER_ROOM, WORD));
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
    return match->values * LANES * (uint32_t)sizeof(uint16_t); /* bytes of a pixel */
}

static kst_status plan_paths(struct filter_gpu_match *match, uint32_t direction)
{
    const kst_stereo_options *options = match->options;
    const int32_t dx = kst_filter_stereo_steps[direction][0], dy = kst_filter_stereo_steps[direction][1];
    struct filter_gpu_step step = kst_filter_gpu_set_step(&match->set, of_buffer(match, FILTER_ROOM, 2 * WORD),
        of_buffer(match, FILTER_VOLUME, volume_bytes(match) * (direction == 0 ? 1 : 2)));
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
    struct filter_gpu_step step = kst_filter_gpu_set_step(
        &match->set, of_buffer(match, FILTER_VOLUME, volume_bytes(match)), of_buffer(match, FILTER_ROOM, 2 * WORD));
    struct filter_record record = choice_record(match, &step);
    record.groups_of_row = (match->width + FILTER_MATCH_COLUMNS - 1) / FILTER_MATCH_COLUMNS;
    return kst_filter_gpu_add_groups(
        &step, kernel_of(match, FILTER_STEREO_CHOOSE_2), &record, (uint64_t)record.groups_of_row * match->height);
}

static kst_status plan_store(struct filter_gpu_match *match, uint32_t index)
{
    if (!match->set.image[index])
        return KST_OK;
    struct filter_gpu_step step = kst_filter_gpu_set_step(
        &match->set, of_buffer(match, FILTER_ROOM, 2 * WORD), kst_filter_gpu_set_image(&match->set, index));
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

kst_status kst_filter_gpu_stereo(struct gpu_runtime *runtime, const struct operation *operation,
    const kst_stereo_options *options, const kst_image *const image[4], double *seconds, struct gpu_error *error)
{
    struct filter_gpu_match match = {.options = options,
        .width = image[LEFT]->width,
        .height = image[LEFT]->height,
        .values = options->disparities <= 2 * LANES   ? 2
                  : options->disparities <= 4 * LANES ? 4
                                                      : 8};
    const uint64_t pixels = (uint64_t)match.width * match.height;
    kst_status status = kst_filter_gpu_set_begin(&match.set, runtime, operation, image, IMAGES, error);
    if (!status)
        status =
            kst_filter_gpu_set_take(&match.set, pixels * volume_bytes(&match), pixels * WORD * FILTER_MATCH_ARRAYS);
    if (!status)
        status = plan_all(&match);
    if (!status)
        status = kst_filter_gpu_set_run(&match.set, seconds);
    kst_filter_gpu_set_end(&match.set);
    return status;
}
