/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kst_filter_sweep(): checks, tables, and the choice of threads or a device. */
#include <math.h>
#include <stdio.h>

#include "core/report.h"
#include "filters/gpu/sweep.h"
#include "filters/set.h"
#include "filters/shape.h"
#include "run/device.h"

enum { NUMBERS_OF_MATRIX = 9, NUMBERS_OF_SHIFT = 3, MOST_SIMILAR = 255 };
_Static_assert((int)FILTER_SWEEP_VIEWS == (int)FILTER_SET_SOURCES, "all views are sources");

static const double MOST = 1e6;

void kst_filter_sweep_options_init(kst_sweep_options *options)
{
    if (options)
        *options =
            (kst_sweep_options){.size = sizeof *options, .planes = 64, .radius = 2, .similar = 100, .agreeing = 2};
}

static kst_status check_options(const kst_sweep_options *options, uint32_t views, char reason[FILTER_REASON])
{
    const char *wrong = NULL;
    if (!(options->nearest > 0) || !(options->farthest > options->nearest) ||
        !(options->farthest / options->nearest <= MOST) || !(options->nearest >= 1 / MOST) ||
        !(options->farthest <= MOST))
        wrong = "depths go from the nearest one, 10^-6 or more, to a farther one, 10^6 or less";
    else if (!(options->unit >= 0) || !(options->unit <= MOST))
        wrong = "a unit is up to 10^6, and 0 stands for the usual one";
    else if (options->unit > 0 && options->farthest / options->unit >= UINT16_MAX + 0.5)
        wrong = "the farthest depth is more than 65535 units; choose a greater unit";
    else if (options->planes < 2 || options->planes > FILTER_SWEEP_PLANES)
        wrong = "planes are 2 to 256";
    else if (options->radius < 1 || options->radius > FILTER_SWEEP_RADIUS)
        wrong = "the radius of windows is 1 to 4";
    else if (options->measure != KST_SWEEP_NCC && options->measure != KST_SWEEP_SAD)
        wrong = "the measure is NCC or SAD";
    else if (options->similar < 1 || options->similar > MOST_SIMILAR)
        wrong = "similar is 1 to 255";
    else if (options->agreeing < 1 || options->agreeing >= views)
        wrong = "of the views beside the reference, 1 up to all must agree";
    if (!wrong)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "%s", wrong);
    return KST_ERROR_OPTIONS;
}

static bool are_numbers(const double *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(number[i]) <= MOST))
            return false;
    return true;
}

static kst_status check_views(const struct filter_set *set, const kst_camera *camera, char reason[FILTER_REASON])
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < set->sources; i++)
        if (!are_numbers(camera[i].k, NUMBERS_OF_MATRIX) || !are_numbers(camera[i].r, NUMBERS_OF_MATRIX) ||
            !are_numbers(camera[i].t, NUMBERS_OF_SHIFT)) {
            snprintf(reason, FILTER_REASON, "camera %u has a number beyond 10^6, or none", (unsigned)i);
            return KST_ERROR_OPTIONS;
        }
    for (uint32_t i = 0; i < set->sources && !status; i++) {
        status = kst_filter_set_check(set, set->image[i], reason);
        if (!status && (set->image[i]->width > FILTER_SWEEP_SIDE || set->image[i]->height > FILTER_SWEEP_SIDE))
            status = KST_ERROR_IMAGE_SIZE;
    }
    return status;
}

/* Holds the tables that are computed once, and that threads or a device use. */
struct filter_sweep_tables {
    int64_t *map;
    uint16_t *depth;
};

static kst_status make_tables(struct filter_set *set, struct filter_sweep *sweep, const kst_camera *camera,
    uint32_t reference, struct filter_sweep_tables *tables, char reason[FILTER_REASON])
{
    const kst_sweep_options *options = sweep->options;
    kst_status status = KST_OK;
    tables->map = kst_memory_array(
        &set->memory, kst_filter_sweep_maps_count(options, sweep->views), sizeof *tables->map, &status);
    if (!status)
        tables->depth =
            kst_memory_array(&set->memory, kst_filter_sweep_depths_count(options), sizeof *tables->depth, &status);
    if (status)
        return status;
    kst_filter_sweep_depths(options, tables->depth);
    sweep->map = tables->map;
    sweep->depth = tables->depth;
    if (kst_filter_sweep_maps(
            options, camera, sweep->views, reference, set->image[0]->width, set->image[0]->height, tables->map))
        return KST_OK;
    snprintf(reason, FILTER_REASON, "the matrix K of the reference's camera has no inverse");
    return KST_ERROR_OPTIONS;
}

static kst_status light_views(
    const struct filter_work *work, const struct filter_set *set, struct filter_sweep *sweep, uint8_t *light)
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < sweep->views && !status; i++) {
        const struct filter_pixels pixels = kst_filter_pixels_of(set->image[i]);
        sweep->view[i].light = light;
        status = kst_filter_sweep_light(work, &pixels, light);
        light += (size_t)pixels.width * pixels.height;
    }
    return status;
}

static kst_status sweep_on_cpu(struct filter_set *set, struct filter_sweep *sweep, kst_report *report)
{
    const struct operation operation = kst_context_operation(set->context, &set->memory, report, NULL);
    const struct filter_work work = {.context = set->context, .operation = &operation};
    const kst_image *depth = set->image[set->sources], *confidence = set->image[set->sources + 1];
    const struct filter_pixels to = kst_filter_pixels_of(depth);
    struct filter_pixels sure = to;
    size_t pixels = 0;
    kst_status status = KST_OK;
    double start = kst_seconds();
    for (uint32_t i = 0; i < sweep->views; i++)
        pixels += (size_t)sweep->view[i].width * sweep->view[i].height;
    if (confidence)
        sure = kst_filter_pixels_of(confidence);
    uint8_t *light = kst_memory_array(&set->memory, pixels, 1, &status);
    if (!status)
        sweep->score = kst_memory_array(
            &set->memory, (size_t)to.width * to.height, sweep->options->planes * sizeof *sweep->score, &status);
    if (!status)
        status = light_views(&work, set, sweep, light);
    if (!status)
        status = kst_filter_sweep_all(&work, sweep, &to, confidence ? &sure : NULL);
    kst_memory_release(&set->memory, sweep->score);
    kst_memory_release(&set->memory, light);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(operation.pool);
    return status;
}

static kst_status sweep_on_gpu(
    struct filter_set *set, const struct filter_sweep *sweep, kst_report *report, char reason[FILTER_REASON])
{
    struct gpu_runtime *runtime = kst_context_gpu(set->context);
    const struct operation operation = kst_context_operation(set->context, &set->memory, report, NULL);
    const kst_image *there[FILTER_SET_IMAGES];
    struct gpu_error error = {.status = KST_OK};
    double seconds = 0;
    kst_status status = kst_filter_set_send(set, there);
    if (!status)
        status = kst_filter_gpu_sweep(runtime, &operation, sweep, there, &seconds, &error);
    return kst_filter_set_finish(set, status, &error, seconds, report, reason);
}

static kst_status sweep_all(struct filter_set *set, const kst_camera *camera, uint32_t reference,
    const kst_sweep_options *options, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    struct filter_sweep sweep = {.options = options, .views = set->sources};
    struct filter_sweep_tables tables = {NULL, NULL};
    kst_memory_init_beside(&set->memory, &set->context->memory, set->context->limits.memory);
    kst_status status = check_options(options, set->sources, reason);
    if (!status)
        status = check_views(set, camera, reason);
    for (uint32_t i = 0; i < set->sources && !status; i++)
        sweep.view[i] = (struct filter_sweep_view){NULL, set->image[i]->width, set->image[i]->height};
    if (!status)
        status = make_tables(set, &sweep, camera, reference, &tables, reason);
    if (!status)
        status = kst_filter_set_begin(set, set->image[0], reason);
    if (!status)
        status =
            kst_filter_set_on_gpu(set) ? sweep_on_gpu(set, &sweep, report, reason) : sweep_on_cpu(set, &sweep, report);
    kst_memory_release(&set->memory, tables.map);
    kst_memory_release(&set->memory, tables.depth);
    kst_filter_set_end(set, status);
    return status ? kst_report_error(report, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason) : KST_OK;
}

kst_status kst_filter_sweep(kst_context *context, const kst_image *const *view, const kst_camera *camera,
    uint32_t count, uint32_t reference, const kst_sweep_options *options, kst_image *depth, kst_image *confidence,
    kst_report *report)
{
    kst_report own;
    if (!context || !view || !camera || count < 2 || count > FILTER_SET_SOURCES || reference >= count || !options ||
        options->size < sizeof *options || !depth)
        return KST_ERROR_ARGUMENT;
    struct filter_set set = {.context = context, .sources = 1, .image = {view[reference]}};
    for (uint32_t i = 0; i < count; i++) {
        if (!view[i])
            return KST_ERROR_ARGUMENT;
        if (i != reference)
            set.image[set.sources++] = view[i];
    }
    set.result[0].to = depth;
    set.result[1].to = confidence;
    kst_report_init(&own);
    kst_status status = sweep_all(&set, camera, reference, options, &own);
    kst_report_copy(report, &own);
    return status;
}
