/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resizes and filters frames, as a stage of a flow. Planes are resized one by one and keep their sampling; filters work
 * on RGB or grey, to which planes are converted, and RGB to planes where the container has no other. All frames of a
 * call take each step together, because a GPU does many in about the time of one.
 */
#include "video/change.h"

#include <kostka/kostka_filter.h>
#include <stdlib.h>

#include "files/files.h"
#include "video/colours.h"
#include "video/rate.h"

enum { STEPS_MOST = 4 /* resizing, conversion to RGB, filters, conversion to planes */ };

struct work;

/* Describes a step. */
struct step {
    void (*run)(struct work *work); /* makes work->to from work->from */
    struct video_shape shape;       /* behind it */
};

struct video_change {
    struct video_shape read; /* the shape in front of all steps */
    uint8_t matrix;          /* of planes */
    enum video_range range;
    struct step step[STEPS_MOST];
    uint32_t steps;
    kst_resize_options resize[2]; /* of the first plane, or of RGB, and of the others */
    kst_context *context;         /* with which the chain of filters was opened */
    kst_filter *filter;           /* null: none */
    kst_flow_stage filtering;     /* what runs the chain */
    kst_flow_stage stage;         /* all steps together */
};

/* Holds arrays of one member for each image of a call. */
struct work {
    const struct video_change *change;
    kst_context *context;
    kst_flow_image *images;
    size_t count;
    const kst_image **from; /* what the step reads */
    kst_image **to;         /* what it writes */
    kst_image *made;        /* what all steps but the last one make */
    kst_image *before;      /* the results as they were */
};

static bool is_fine(const struct work *work, size_t index)
{
    return !work->images[index].report.status;
}

/* Note an image's failure, of which the report may say more. */
static void note(struct work *work, size_t index, kst_status status, const kst_report *report)
{
    if (status && report != NULL)
        work->images[index].report = *report;
    work->images[index].report.status = status;
}

/* Describe one plane, or all of an image whose pixels are RGB. */
static void view(const kst_image *whole, uint32_t index, kst_image *part)
{
    if (whole->format != KST_FORMAT_RGB) {
        plane_image(whole, index, part);
        return;
    }
    *part = *whole;
    part->owned = NULL;
}

/* Resize all planes of all images by one call. */
static void resize_planes(struct work *work, kst_resize_item *items, kst_image *views)
{
    const uint32_t planes = work->change->read.rgb ? 1 : work->change->read.planes;
    size_t count = 0;

    for (size_t i = 0; i < work->count; i++)
        for (uint32_t k = 0; is_fine(work, i) && k < planes; k++, count++) {
            view(work->from[i], k, &views[2 * count]);
            view(work->to[i], k, &views[2 * count + 1]);
            items[count] = (kst_resize_item){
                .from = &views[2 * count], .options = &work->change->resize[k > 0], .to = &views[2 * count + 1]};
        }
    kst_resize_batch(work->context, items, count);
    count = 0;
    for (size_t i = 0; i < work->count; i++) {
        bool made = is_fine(work, i);
        for (uint32_t k = 0; made && k < planes; k++, count++)
            if (is_fine(work, i))
                note(work, i, items[count].report.status, &items[count].report);
    }
}

static void fail_all(struct work *work, kst_status status)
{
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i))
            note(work, i, status, NULL);
}

static void resize(struct work *work)
{
    enum { PLANES = 3 };
    kst_resize_item *items = calloc(PLANES * work->count, sizeof *items);
    kst_image *views = calloc(2 * PLANES * work->count, sizeof *views);

    if (items != NULL && views != NULL)
        resize_planes(work, items, views);
    else
        fail_all(work, KST_ERROR_MEMORY);
    free(views);
    free(items);
}

static bool is_on_device(const kst_image *image)
{
    return image->memory != KST_MEMORY_HOST && image->memory != KST_MEMORY_PINNED;
}

/* Make an image of a shape, in the kind of memory that the image states. An image with a buffer is left as it is. */
static kst_status make_image(kst_context *context, const struct video_shape *shape, kst_image *image)
{
    const kst_memory memory = image->memory;

    if (image->plane[0].data != NULL)
        return KST_OK;
    kst_image wanted;
    shape_image(shape, NULL, &wanted);
    wanted.memory = memory;
    kst_status status = kst_image_allocate(context, &wanted);
    if (!status)
        *image = wanted;
    return status;
}

/* Make an image in the processor's memory that is like another one. */
static kst_status make_here(kst_context *context, const kst_image *like, kst_image *here)
{
    *here = *like;
    here->memory = KST_MEMORY_HOST;
    here->owned = NULL;
    return kst_image_allocate(context, here);
}

typedef kst_status (*conversion)(struct work *work, const kst_image *from, const kst_image *to);

/* Convert colours on the processor. Images on a device are downloaded first, and results for it uploaded. */
static kst_status convert_one(struct work *work, conversion convert, const kst_image *from, const kst_image *to)
{
    const kst_image *source = from, *target = to;
    kst_image read = {.owned = NULL}, made = {.owned = NULL};
    kst_status status = KST_OK;

    if (is_on_device(from)) {
        source = &read;
        status = make_here(work->context, from, &read);
        status = status ? status : kst_image_copy(work->context, from, &read);
    }
    if (!status && is_on_device(to)) {
        target = &made;
        status = make_here(work->context, to, &made);
    }
    if (!status)
        status = convert(work, source, target);
    if (!status && target == &made)
        status = kst_image_copy(work->context, &made, to);
    kst_image_release(work->context, &made);
    kst_image_release(work->context, &read);
    return status;
}

static void convert_all(struct work *work, conversion convert)
{
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i))
            note(work, i, convert_one(work, convert, work->from[i], work->to[i]), NULL);
}

static kst_status join(struct work *work, const kst_image *from, const kst_image *to)
{
    return planes_to_rgb(work->context, from, work->change->matrix, work->change->range, to);
}

static kst_status part(struct work *work, const kst_image *from, const kst_image *to)
{
    (void)work;
    rgb_to_planes(from, work->change->matrix, to);
    return KST_OK;
}

static void colour(struct work *work)
{
    convert_all(work, join);
}

static void separate(struct work *work)
{
    convert_all(work, part);
}

/* Describe an image as filters take it: one plane alone is grey. */
static void view_pixels(const kst_image *whole, kst_image *pixels)
{
    *pixels = *whole;
    pixels->owned = NULL;
    if (whole->format == KST_FORMAT_RAW)
        pixels->format = KST_FORMAT_GREY;
}

static void filter_all(struct work *work, kst_flow_image *items, kst_image *views)
{
    const kst_flow_stage *stage = &work->change->filtering;
    size_t count = 0;

    for (size_t i = 0; i < work->count; i++) {
        if (!is_fine(work, i))
            continue;
        view_pixels(work->from[i], &views[2 * count]);
        view_pixels(work->to[i], &views[2 * count + 1]);
        items[count] = (kst_flow_image){.from = &views[2 * count], .to = &views[2 * count + 1]};
        count++;
    }
    stage->run(stage->user, work->context, items, count);
    count = 0;
    for (size_t i = 0; i < work->count; i++)
        if (is_fine(work, i)) {
            note(work, i, items[count].report.status, &items[count].report);
            count++;
        }
}

static void filter(struct work *work)
{
    kst_flow_image *items = calloc(work->count, sizeof *items);
    kst_image *views = calloc(2 * work->count, sizeof *views);

    if (items != NULL && views != NULL)
        filter_all(work, items, views);
    else
        fail_all(work, KST_ERROR_MEMORY);
    free(views);
    free(items);
}

/* Return where the image in front of a step lies: where the step works. */
static kst_memory memory_before(const struct work *work, uint32_t index)
{
    const struct step *step = &work->change->step[index];
    bool here = step->run == colour || step->run == separate;

    return here ? KST_MEMORY_HOST : video_device_memory(work->context);
}

/* Make all images that a step will write. */
static void begin_step(struct work *work, uint32_t index)
{
    const struct video_change *change = work->change;
    const bool last = index + 1 == change->steps;

    for (size_t i = 0; i < work->count; i++) {
        work->to[i] = last ? work->images[i].to : &work->made[index * work->count + i];
        if (!last) {
            kst_image_init(work->to[i]);
            work->to[i]->memory = memory_before(work, index + 1);
        }
        if (is_fine(work, i))
            note(work, i, make_image(work->context, &change->step[index].shape, work->to[i]), NULL);
    }
}

/* Release what the step has read, unless it is the caller's: a GPU's memory is to hold many frames. */
static void end_step(struct work *work, uint32_t index)
{
    for (size_t i = 0; i < work->count; i++) {
        work->from[i] = work->to[i];
        if (index > 0)
            kst_image_release(work->context, &work->made[(index - 1) * work->count + i]);
    }
}

/* Return whether an image has the shape that all frames have. */
static bool has_shape(const kst_image *image, const struct video_shape *shape)
{
    const struct video_shape rgb = {image->width, image->height, 3, shape->depth, 1, 1, true};
    struct video_shape found = rgb;
    struct problem ignored;

    if (image->format != KST_FORMAT_RGB)
        return shape_of_image(image, &found, &ignored) && shape_equal(&found, shape);
    return (image->plane[0].depth == 0 ? 8 : image->plane[0].depth) == shape->depth && shape_equal(&found, shape);
}

static void begin(struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        kst_flow_image *image = &work->images[i];
        kst_report_init(&image->report);
        work->from[i] = image->from;
        work->before[i] = *image->to;
        if (!has_shape(image->from, &work->change->read))
            note(work, i, KST_ERROR_IMAGE_SIZE, NULL);
    }
}

/* Release results that were made for nothing. */
static void end(struct work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        if (is_fine(work, i))
            continue;
        if (work->before[i].plane[0].data == NULL)
            kst_image_release(work->context, work->images[i].to);
        *work->images[i].to = work->before[i];
    }
}

static void take_steps(struct work *work)
{
    begin(work);
    for (uint32_t i = 0; i < work->change->steps; i++) {
        begin_step(work, i);
        work->change->step[i].run(work);
        end_step(work, i);
    }
    end(work);
}

static kst_status run(void *user, kst_context *context, kst_flow_image *images, size_t count)
{
    struct work work = {.change = user, .context = context, .images = images, .count = count};

    work.from = calloc(count, sizeof *work.from);
    work.to = calloc(count, sizeof *work.to);
    work.made = calloc(STEPS_MOST * count, sizeof *work.made);
    work.before = calloc(count, sizeof *work.before);
    if (work.from != NULL && work.to != NULL && work.made != NULL && work.before != NULL)
        take_steps(&work);
    else
        for (size_t i = 0; i < count; i++) {
            kst_report_init(&images[i].report);
            images[i].report.status = KST_ERROR_MEMORY;
        }
    free(work.before);
    free(work.made);
    free(work.to);
    free(work.from);
    for (size_t i = 0; i < count; i++)
        if (images[i].report.status)
            return images[i].report.status;
    return KST_OK;
}

/* Describe the frames behind all steps, without buffers. */
static kst_status describe(void *user, const kst_image *from, kst_image *to)
{
    const struct video_change *change = user;

    if (!has_shape(from, &change->read))
        return KST_ERROR_IMAGE_SIZE;
    shape_image(&change->step[change->steps - 1].shape, NULL, to);
    return KST_OK;
}

static bool fail_with(const char *what, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem why;

    jpeg_report_problem(report, status, &why);
    return problem_set_kind(problem, why.kind, "%s: %s", what, why.text);
}

static void add_step(struct video_change *change, void (*run_step)(struct work *work), const struct video_shape *shape)
{
    change->step[change->steps++] = (struct step){run_step, *shape};
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

    if (wanted->resize.width == 0 && wanted->resize.height == 0)
        return true;
    if (info->interlace != 'p' && info->interlace != '?')
        return problem_set(problem, "--resize would mix the fields of interlaced frames: deinterlace them first");
    shape_image(shape, NULL, &image);
    view(&image, 0, &first);
    kst_status status = kst_resize_describe(&first, &wanted->resize, &to);
    if (status)
        return fail_with("--resize", NULL, status, problem);
    shape->width = to.width;
    shape->height = to.height;
    shape_image(shape, NULL, &to);
    change->resize[0] = plane_options(&wanted->resize, &to.plane[0]);
    change->resize[1] = plane_options(&wanted->resize, &to.plane[1]);
    add_step(change, resize, shape);
    return true;
}

static void add_colours(struct video_change *change, const struct video_wanted *wanted, struct video_shape *shape)
{
    if ((!wanted->rgb && wanted->filters == NULL) || shape->planes != 3 || shape->rgb)
        return;
    *shape = (struct video_shape){shape->width, shape->height, 3, shape->depth, 1, 1, true};
    add_step(change, colour, shape);
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
    view_pixels(&from, &pixels);
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
    add_step(change, filter, shape);
    return (rgb || to.format == KST_FORMAT_GREY) || problem_set(problem, "--filters makes what no frames hold");
}

/* Add the step that makes planes of RGB, where the container has none. */
static void add_planes(struct video_change *change, const struct video_wanted *wanted, struct video_shape *shape)
{
    if (!wanted->planes || !shape->rgb)
        return;
    shape->rgb = false;
    add_step(change, separate, shape);
}

/* Describe the changed frames. The proportions of pixels are not followed through a change of the picture's. */
static void describe_changed(
    const struct video_change *change, const struct video_shape *shape, struct video_info *info)
{
    const struct video_shape *old = &change->read;

    for (uint32_t i = 0; i < change->steps; i++)
        if (change->step[i].shape.rgb || change->step[i].run == filter)
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

    if (info->fields)
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
    change->stage = (kst_flow_stage){sizeof change->stage, describe, run, change};
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
