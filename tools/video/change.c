/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses how frames are resized and filtered. Planes are resized one by one and keep their sampling; filters work on
 * RGB or grey, to which planes are converted, and RGB to planes where the container has no other.
 */
#include "video/change.h"

#include <stdlib.h>

#include "files/files.h"
#include "video/change_steps.h"

static bool fail_with(const char *what, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem why;

    jpeg_report_problem(report, status, &why);
    return problem_set_kind(problem, why.kind, "%s: %s", what, why.text);
}

static void add_step(
    struct video_change *change, void (*run)(struct change_work *work), const struct video_shape *shape)
{
    change->step[change->steps++] = (struct change_step){run, *shape};
}

static bool is_resizing(const struct video_wanted *wanted)
{
    return wanted->resize.width > 0 || wanted->resize.height > 0;
}

/* Say how a plane becomes another. The size that is inside has been found. */
static kst_resize_options plane_options(const kst_resize_options *wanted, const kst_plane *plane)
{
    kst_resize_options options = *wanted;

    options.width = plane->width;
    options.height = plane->height;
    if (options.fit == KST_RESIZE_INSIDE)
        options.fit = KST_RESIZE_EXACT;
    return options;
}

/* Add the step that resizes. Planes that are smaller follow from the first one. */
static bool add_resizing(struct video_change *change, const struct video_wanted *wanted, const struct video_info *info,
    struct video_shape *shape, struct problem *problem)
{
    kst_image image, first, to;

    if (!is_resizing(wanted))
        return true;
    if (info->interlace != 'p' && info->interlace != '?')
        return problem_set(problem, "--resize would mix the fields of interlaced frames: deinterlace them first");
    shape_image(shape, NULL, &image);
    change_view(&image, 0, &first);
    kst_status status = kst_resize_describe(&first, &wanted->resize, &to);
    if (status)
        return fail_with("--resize", NULL, status, problem);
    shape->width = to.width;
    shape->height = to.height;
    shape_image(shape, NULL, &to);
    change->resize[0] = plane_options(&wanted->resize, &to.plane[0]);
    change->resize[1] = plane_options(&wanted->resize, &to.plane[1]);
    add_step(change, change_size, shape);
    return true;
}

static void add_colours(struct video_change *change, const struct video_wanted *wanted, struct video_shape *shape)
{
    if ((!wanted->rgb && wanted->filters == NULL) || shape->planes != 3 || shape->rgb)
        return;
    *shape = (struct video_shape){shape->width, shape->height, 3, shape->depth, 1, 1, true};
    add_step(change, change_to_rgb, shape);
}

/* Open the chain of filters. Each device of a flow runs it in a context of its own. */
static kst_status open_filter(struct video_change *change, const char *chain, kst_report *report)
{
    kst_context_options options;

    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    change->filtering.size = sizeof change->filtering;
    kst_status status = kst_context_create(&options, &change->context);
    if (!status)
        status = kst_filter_open(change->context, chain, &change->filter, report);
    return status ? status : kst_filter_stage(change->filter, &change->filtering);
}

static bool add_filters(
    struct video_change *change, const struct video_wanted *wanted, struct video_shape *shape, struct problem *problem)
{
    kst_image from, pixels, to;
    kst_report report;

    if (wanted->filters == NULL)
        return true;
    kst_report_init(&report);
    shape_image(shape, NULL, &from);
    change_view_pixels(&from, &pixels);
    kst_status status = open_filter(change, wanted->filters, &report);
    if (!status)
        status = kst_filter_describe(change->filter, &pixels, &to, &report);
    if (status)
        return fail_with("--filters", &report, status, problem);
    bool rgb = to.format == KST_FORMAT_RGB;
    uint32_t depth = to.plane[0].depth == 0 ? 8 : to.plane[0].depth;
    if (depth < 8)
        return problem_set(problem, "--filters makes frames of %u bits, and they have 8 to 16", (unsigned)depth);
    *shape = (struct video_shape){to.width, to.height, rgb ? 3 : 1, depth, 1, 1, rgb};
    add_step(change, change_by_filters, shape);
    return (rgb || to.format == KST_FORMAT_GREY) || problem_set(problem, "--filters makes what no frames hold");
}

/* Add the step that makes planes of RGB, where the container has none. */
static void add_planes(struct video_change *change, const struct video_wanted *wanted, struct video_shape *shape)
{
    if (!wanted->planes || !shape->rgb)
        return;
    shape->rgb = false;
    add_step(change, change_to_planes, shape);
}

/* Describe the changed frames. The proportions of pixels are not followed through a change of the picture's. */
static void describe_changed(
    const struct video_change *change, const struct video_shape *shape, struct video_info *info)
{
    const struct video_shape *old = &change->read;

    for (uint32_t i = 0; i < change->steps; i++)
        if (change->step[i].shape.rgb || change->step[i].run != change_size)
            info->range = RANGE_FULL;
    info->shape = *shape;
    if (shape->h != 2 || shape->v != 2 || shape->rgb)
        info->siting[0] = '\0';
    if ((uint64_t)old->width * shape->height != (uint64_t)old->height * shape->width)
        info->aspect = (struct video_ratio){0, 0};
}

static bool add_steps(
    struct video_change *change, const struct video_wanted *wanted, struct video_info *info, struct problem *problem)
{
    const struct video_wishes limits = {
        .max_pixels = common_max_pixels(wanted->common), .max_memory = common_max_memory(wanted->common)};
    struct video_shape shape = info->shape;

    if (info->fields && (wanted->rgb || wanted->filters != NULL || is_resizing(wanted)))
        return problem_set(problem, "frames of two fields (AVI1) are not changed: decode them to .y4m first");
    if (!add_resizing(change, wanted, info, &shape, problem) || !shape_permitted(&shape, &limits, problem))
        return false;
    add_colours(change, wanted, &shape);
    if (!shape_permitted(&shape, &limits, problem) || !add_filters(change, wanted, &shape, problem) ||
        !shape_permitted(&shape, &limits, problem))
        return false;
    add_planes(change, wanted, &shape);
    describe_changed(change, &shape, info);
    return true;
}

bool matrix_is_known(uint8_t matrix)
{
    return matrix <= MATRIX_UNKNOWN || matrix == MATRIX_BT601 || matrix == MATRIX_BT601_525 || matrix == MATRIX_BT2020;
}

bool video_change_open(const struct video_wanted *wanted, struct video_info *info, struct video_change **change_out,
    struct problem *problem)
{
    struct video_change *change = calloc(1, sizeof *change);

    *change_out = change;
    if (change == NULL)
        return problem_set(problem, "out of memory");
    change->read = info->shape;
    /* Filters may make RGB of grey, whose matrix nobody has checked: it had nothing to convert until then. */
    change->matrix = matrix_is_known(info->matrix) ? info->matrix : MATRIX_UNKNOWN;
    change->range = info->range;
    change->stage = (kst_flow_stage){sizeof change->stage, change_describe, change_run, change};
    return add_steps(change, wanted, info, problem);
}

void video_change_close(struct video_change **change)
{
    if (*change == NULL)
        return;
    kst_filter_close(&(*change)->filter);
    kst_context_destroy(&(*change)->context);
    free(*change);
    *change = NULL;
}

const kst_flow_stage *video_change_stage(const struct video_change *change)
{
    return change != NULL ? &change->stage : NULL;
}
