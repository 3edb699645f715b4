/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the kernels that sweep a plane through a scene. */
#include "filters/gpu/sweep.h"

#include "filters/gpu/plans.h"
#include "filters/gpu/set.h"

enum { PLACE_WORDS = 4, ALIGNMENT = 256, RESULTS = 2, SCORE_BYTES = 2 };

struct filter_gpu_plane_sweep {
    struct filter_gpu_set set;
    const struct filter_sweep *sweep;
    uint64_t place[FILTER_SWEEP_VIEWS]; /* offset of each view's luminance in the buffer FILTER_ROOM */
    uint32_t width, height;             /* size of the reference */
};

/* Set the place of each view's luminance. Returns the bytes of all. */
static uint64_t place_views(struct filter_gpu_plane_sweep *own)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < own->sweep->views; i++) {
        const uint64_t pixels = (uint64_t)own->sweep->view[i].width * own->sweep->view[i].height;
        own->place[i] = all;
        all += (pixels + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return all;
}

static kst_status plan_light(struct filter_gpu_plane_sweep *own, uint32_t index)
{
    const struct filter_sweep_view *view = &own->sweep->view[index];
    struct filter_gpu_pixels to = kst_filter_gpu_set_buffer(&own->set, FILTER_ROOM, view->width, view->height, 1);
    to.at = own->place[index];
    struct filter_gpu_step step = kst_filter_gpu_set_step(&own->set, kst_filter_gpu_set_image(&own->set, index), to);
    struct filter_record record = kst_filter_gpu_luminance(&step);
    return kst_filter_gpu_add(&step, FILTER_SWEEP_LIGHT, &record);
}

static void write_wide(uint32_t *table, uint64_t value)
{
    table[0] = (uint32_t)value;
    table[1] = (uint32_t)(value >> 32);
}

static kst_status write_tables(
    struct filter_gpu_plane_sweep *own, struct filter_gpu_step *step, struct filter_record *record)
{
    const struct filter_sweep *sweep = own->sweep;
    const size_t numbers = kst_filter_sweep_maps_count(sweep->options, sweep->views);
    uint32_t *table;
    kst_status status = kst_filter_gpu_table(step, 2 * (uint32_t)numbers, &table, &record->value[FILTER_SWEEP_MAPS]);
    if (status)
        return status;
    for (size_t i = 0; i < numbers; i++)
        write_wide(table + 2 * i, (uint64_t)sweep->map[i]);
    status = kst_filter_gpu_table(step, PLACE_WORDS * sweep->views, &table, &record->value[FILTER_SWEEP_PLACES]);
    for (uint32_t i = 0; i < sweep->views && !status; i++, table += PLACE_WORDS) {
        write_wide(table, own->place[i]);
        table[2] = sweep->view[i].width;
        table[3] = sweep->view[i].height;
    }
    return status;
}

static kst_status plan_scores(struct filter_gpu_plane_sweep *own)
{
    const kst_sweep_options *options = own->sweep->options;
    struct filter_gpu_step step = kst_filter_gpu_set_step(&own->set,
        kst_filter_gpu_set_buffer(&own->set, FILTER_ROOM, own->width, own->height, own->sweep->views),
        kst_filter_gpu_set_buffer(&own->set, FILTER_VOLUME, own->width, own->height, SCORE_BYTES * options->planes));
    struct filter_record record = kst_filter_gpu_record(&step);
    const uint64_t rows = ((uint64_t)own->height + FILTER_TILE - 1) / FILTER_TILE;
    kst_status status = write_tables(own, &step, &record);
    record.value[FILTER_SWEEP_OTHERS] = (int32_t)own->sweep->views - 1;
    record.value[FILTER_SWEEP_OF_PLANES] = (int32_t)options->planes;
    record.value[FILTER_SWEEP_REACH] = (int32_t)options->radius;
    record.value[FILTER_SWEEP_DIFFERENCE] = options->measure == KST_SWEEP_SAD;
    record.value[FILTER_SWEEP_SIMILAR] = (int32_t)options->similar;
    record.value[FILTER_SWEEP_AGREEING] = (int32_t)options->agreeing;
    return status ? status
                  : kst_filter_gpu_add_groups(
                        &step, FILTER_SWEEP_SCORE, &record, rows * record.groups_of_row * options->planes);
}

static kst_status plan_choice(struct filter_gpu_plane_sweep *own, uint32_t result)
{
    const kst_sweep_options *options = own->sweep->options;
    const uint32_t index = own->sweep->views + result, depths = (uint32_t)kst_filter_sweep_depths_count(options);
    uint32_t *table;
    if (!own->set.image[index])
        return KST_OK;
    struct filter_gpu_step step = kst_filter_gpu_set_step(&own->set,
        kst_filter_gpu_set_buffer(&own->set, FILTER_VOLUME, own->width, own->height, SCORE_BYTES * options->planes),
        kst_filter_gpu_set_image(&own->set, index));
    struct filter_record record = kst_filter_gpu_record(&step);
    kst_status status = kst_filter_gpu_table(&step, depths, &table, &record.value[FILTER_SWEEP_DEPTHS]);
    for (uint32_t i = 0; i < depths && !status; i++)
        table[i] = own->sweep->depth[i];
    record.value[FILTER_SWEEP_OF_PLANES] = (int32_t)options->planes;
    record.value[FILTER_SWEEP_SURE] = (int32_t)result;
    return status ? status : kst_filter_gpu_add(&step, FILTER_SWEEP_CHOOSE, &record);
}

static kst_status plan_all(struct filter_gpu_plane_sweep *own)
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < own->sweep->views && !status; i++)
        status = plan_light(own, i);
    if (!status)
        status = plan_scores(own);
    for (uint32_t i = 0; i < RESULTS && !status; i++)
        status = plan_choice(own, i);
    return status;
}

kst_status kst_filter_gpu_sweep(struct gpu_runtime *runtime, const struct operation *operation,
    const struct filter_sweep *sweep, const kst_image *const *image, double *seconds, struct gpu_error *error)
{
    struct filter_gpu_plane_sweep own = {
        .sweep = sweep, .width = sweep->view[0].width, .height = sweep->view[0].height};
    const uint64_t volume = (uint64_t)own.width * own.height * sweep->options->planes * SCORE_BYTES;
    kst_status status = kst_filter_gpu_set_begin(&own.set, runtime, operation, image, sweep->views + RESULTS, error);
    if (!status)
        status = kst_filter_gpu_set_take(&own.set, volume, place_views(&own));
    if (!status)
        status = plan_all(&own);
    if (!status)
        status = kst_filter_gpu_set_run(&own.set, seconds);
    kst_filter_gpu_set_end(&own.set);
    return status;
}
