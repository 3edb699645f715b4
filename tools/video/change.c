/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resizes and filters frames. This is a reader of pixels between the input's reader and the pass, so the pass needs no
 * special case. Planes are resized one by one and keep their sampling; filters work on RGB or grey, to which planes are
 * converted.
 */
#include "video/change.h"

#include <kostka/kostka_filter.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "video/colours.h"

struct change {
    struct video_wanted wanted;
    struct video_format format;     /* format of this reader, with the name of the inner reader's format */
    struct video_reader inner;      /* the reader of the input */
    struct video_frame first;       /* the first frame, if it was read before; otherwise empty */
    struct video_shape resized;     /* shape of frames after resizing */
    struct video_shape coloured;    /* shape after the conversion to RGB */
    struct video_shape shape;       /* shape after the filters */
    struct video_frame coded, made; /* the coded frame, and the result of a step */
    struct video_frame last;        /* the last changed frame */
    uint64_t owed;                  /* frames before the first good one, which is repeated for them */
    kst_context *context;
    kst_filter *filter;
    uint64_t damaged, warned;
    struct problem first_damage;
};

static bool fail_with(const char *what, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem why;

    jpeg_report_problem(report, status, &why);
    return problem_set_kind(problem, why.kind, "%s: %s", what, why.text);
}

static bool resize_one(struct change *change, const kst_image *from, uint32_t width, uint32_t height, kst_image *to,
    struct problem *problem)
{
    kst_resize_options options = change->wanted.resize;

    options.width = width;
    options.height = height;
    if (options.fit == KST_RESIZE_INSIDE) /* the size inside the limits has already been computed */
        options.fit = KST_RESIZE_EXACT;
    kst_status status = kst_resize(change->context, from, &options, to);
    return !status || fail_with("--resize", NULL, status, problem);
}

static bool resize_frame(
    struct change *change, struct video_frame *from, struct video_frame *to, struct problem *problem)
{
    kst_image old, new, one, other;
    bool good = true;

    to->length = 0;
    if (!frame_reserve(to, shape_bytes(&change->resized), problem))
        return false;
    to->length = shape_bytes(&change->resized);
    shape_image(&change->inner.info.shape, from->bytes, &old);
    shape_image(&change->resized, to->bytes, &new);
    if (change->resized.rgb)
        return resize_one(change, &old, new.width, new.height, &new, problem);
    for (uint32_t i = 0; i < old.plane_count && good; i++) {
        plane_image(&old, i, &one);
        plane_image(&new, i, &other);
        good = resize_one(change, &one, other.width, other.height, &other, problem);
    }
    return good;
}

static bool filter_frame(
    struct change *change, struct video_frame *from, struct video_frame *to, struct problem *problem)
{
    kst_image old, new;
    kst_report report;

    to->length = 0;
    if (!frame_reserve(to, shape_bytes(&change->shape), problem))
        return false;
    to->length = shape_bytes(&change->shape);
    shape_image(&change->coloured, from->bytes, &old);
    shape_image(&change->shape, to->bytes, &new);
    if (!change->coloured.rgb)
        old.format = KST_FORMAT_GREY;
    if (!change->shape.rgb)
        new.format = KST_FORMAT_GREY;
    kst_report_init(&report);
    kst_status status = kst_filter_run(change->filter, &old, &new, &report);
    return !status || fail_with("--filters", &report, status, problem);
}

/* Exchange two frames, such as a frame and the result of a step. */
static void swap_frames(struct video_frame *a, struct video_frame *b)
{
    struct video_frame kept = *a;

    *a = *b;
    *b = kept;
}

/* Apply all steps to the pixels in `frame`. */
static bool change_frame(struct change *change, struct video_frame *frame, struct problem *problem)
{
    uint64_t offset = frame->offset;
    struct video_frame *other = &change->made;

    if (!shape_equal(&change->resized, &change->inner.info.shape)) {
        if (!resize_frame(change, frame, other, problem))
            return false;
        swap_frames(frame, other);
    }
    if (!shape_equal(&change->coloured, &change->resized)) {
        if (!frame_to_rgb(change->context, &change->resized, &change->inner.info, frame, other, problem))
            return false;
        swap_frames(frame, other);
    }
    if (change->filter != NULL) {
        if (!filter_frame(change, frame, other, problem))
            return false;
        swap_frames(frame, other);
    }
    frame->offset = offset;
    return true;
}

/* Decode the coded frame. Returns the status; the report says what is wrong. */
static kst_status decode_frame(struct change *change, struct video_frame *frame, kst_report *report)
{
    const struct video_shape *shape = &change->inner.info.shape;
    kst_decode_options options;
    kst_image image;

    kst_decode_options_init(&options);
    options.format = shape->rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    options.strict = change->wanted.strict;
    shape_image(shape, frame->bytes, &image);
    return kst_decode(change->context, change->coded.bytes, change->coded.length, &options, &image, report);
}

/* Describe what is wrong with the frame that was read last, with its number and offset. */
static void describe(const struct change *change, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem why;

    jpeg_report_problem(report, status, &why);
    problem_set_kind(problem, why.kind, "frame %llu, byte %llu: %s", (unsigned long long)change->inner.count - 1,
        (unsigned long long)change->coded.offset, why.text);
}

/* Keep the description of the first damage or warning; it has already been counted. */
static void note(struct change *change, const kst_report *report, kst_status status)
{
    if (change->damaged + change->warned == 1)
        describe(change, report, status, &change->first_damage);
}

/*
 * Use the last good frame instead of one that is empty or damaged. If there is none yet, the first good frame will be
 * repeated for it.
 */
static bool repeat_last(struct change *change, struct video_frame *frame, struct problem *problem)
{
    frame->length = 0;
    change->owed += change->last.length == 0;
    return change->last.length == 0 || frame_append(frame, change->last.bytes, change->last.length, problem);
}

/* Keep a copy of a frame, because it may have to be repeated. */
static bool keep_last(struct change *change, const struct video_frame *frame, struct problem *problem)
{
    change->last.length = 0;
    return frame_append(&change->last, frame->bytes, frame->length, problem);
}

/* Decode a coded frame and change its pixels. */
static bool take_coded(struct change *change, struct video_frame *frame, struct problem *problem)
{
    size_t bytes = shape_bytes(&change->inner.info.shape);
    kst_report report;

    if (change->coded.length == 0)
        return repeat_last(change, frame, problem);
    frame->length = 0;
    if (!frame_reserve(frame, bytes, problem))
        return false;
    frame->length = bytes;
    kst_report_init(&report);
    kst_status status = decode_frame(change, frame, &report);
    if (!status) {
        change->warned += report.warnings > 0;
        if (report.warnings > 0)
            note(change, &report, report.first_warning);
        return change_frame(change, frame, problem) && keep_last(change, frame, problem);
    }
    if (change->wanted.strict || !video_is_damage(status)) {
        describe(change, &report, status, problem);
        return false;
    }
    change->damaged++;
    note(change, &report, status);
    return repeat_last(change, frame, problem);
}

/* Read the next frame from the inner reader; the first one may have been read before. */
static enum video_step read_inner(struct change *change, struct video_frame *frame, struct problem *problem)
{
    enum video_step step = STEP_FRAME;

    if (change->first.length > 0)
        swap_frames(&change->first, frame);
    else
        step = change->inner.format->next(&change->inner, frame, problem);
    frame_release(&change->first);
    change->inner.count += step == STEP_FRAME;
    return step;
}

/* Copy the inner reader's counts that the report of the pass shows. */
static void copy_counts(struct video_reader *reader, const struct change *change)
{
    reader->skipped = change->inner.skipped;
    reader->uneven = change->inner.uneven;
    reader->missing = change->inner.missing;
    reader->left_out = change->inner.left_out;
    reader->input.interrupted = change->inner.input.interrupted;
    reader->input.regular = change->inner.input.regular;
    reader->input.size = change->inner.input.size;
}

/* End the sequence. If no frame could be made, that is a failure with the reason. */
static enum video_step end(const struct change *change, struct problem *problem)
{
    if (change->owed == 0)
        return STEP_END;
    problem_set(
        problem, "no frame could be decoded; %s", change->damaged > 0 ? change->first_damage.text : "all are empty");
    return STEP_FAILED;
}

/* Read a frame and change it. The frame is empty if it cannot be made and there is no good frame before it. */
static enum video_step make_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct change *change = reader->state;
    bool pixels = change->inner.info.payload == PAYLOAD_PIXELS;
    enum video_step step = read_inner(change, pixels ? frame : &change->coded, problem);

    copy_counts(reader, change);
    reader->packet = change->inner.packet;
    if (step == STEP_END)
        return end(change, problem);
    if (step != STEP_FRAME)
        return step;
    if (!pixels)
        frame->offset = change->coded.offset;
    bool good = pixels ? change_frame(change, frame, problem) : take_coded(change, frame, problem);
    return good ? STEP_FRAME : STEP_FAILED;
}

static enum video_step next_changed(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct change *change = reader->state;
    enum video_step step;

    if (change->owed > 0 && change->last.length > 0) {
        change->owed--;
        return repeat_last(change, frame, problem) ? STEP_FRAME : STEP_FAILED;
    }
    do
        step = make_next(reader, frame, problem);
    while (step == STEP_FRAME && frame->length == 0);
    return step;
}

static void close_changed(struct video_reader *reader)
{
    struct change *change = reader->state;

    if (change->inner.format->close != NULL)
        change->inner.format->close(&change->inner);
    input_close(&change->inner.input);
    kst_filter_close(&change->filter);
    kst_context_destroy(&change->context);
    frame_release(&change->first);
    frame_release(&change->coded);
    frame_release(&change->made);
    frame_release(&change->last);
    free(change);
    reader->state = NULL;
}

static bool make_context(struct change *change, struct problem *problem)
{
    const struct common_options *common = change->wanted.common;
    kst_context_options options;

    kst_context_options_init(&options);
    options.device = "cpu"; /* filters use no other device here, and frames are in host memory */
    options.threads = common->threads;
    options.limits.pixels = common->max_pixels;
    options.limits.memory = common->max_memory;
    options.limits.work = (uint32_t)common->max_work;
    kst_status status = kst_context_create(&options, &change->context);
    return !status || jpeg_report_problem(NULL, status, problem);
}

/* Find the shape after resizing. The sizes of smaller planes follow from that of the first one. */
static bool find_resized(struct change *change, struct problem *problem)
{
    const struct video_info *info = &change->inner.info;
    struct video_shape *shape = &change->resized;
    kst_image image, first, to;

    *shape = info->shape;
    if (change->wanted.resize.width == 0 && change->wanted.resize.height == 0)
        return true;
    if (info->interlace != 'p' && info->interlace != '?')
        return problem_set(problem, "--resize would mix the fields of interlaced frames: deinterlace them first");
    shape_image(shape, NULL, &image);
    plane_image(&image, 0, &first);
    kst_status status = kst_resize_describe(shape->rgb ? &image : &first, &change->wanted.resize, &to);
    if (status)
        return fail_with("--resize", NULL, status, problem);
    shape->width = to.width;
    shape->height = to.height;
    return true;
}

/* Find the shape after the filters. */
static bool find_filtered(struct change *change, struct problem *problem)
{
    kst_image from, to;
    kst_report report;

    change->shape = change->coloured;
    if (change->wanted.filters == NULL)
        return true;
    kst_report_init(&report);
    shape_image(&change->coloured, NULL, &from);
    if (!change->coloured.rgb)
        from.format = KST_FORMAT_GREY;
    kst_status status = kst_filter_open(change->context, change->wanted.filters, &change->filter, &report);
    if (!status)
        status = kst_filter_describe(change->filter, &from, &to, &report);
    if (status)
        return fail_with("--filters", &report, status, problem);
    bool rgb = to.format == KST_FORMAT_RGB;
    uint32_t depth = to.plane[0].depth == 0 ? 8 : to.plane[0].depth;
    change->shape = (struct video_shape){to.width, to.height, rgb ? 3 : 1, depth, 1, 1, rgb};
    if (depth < 8)
        return problem_set(problem, "--filters makes frames of %u bits, and they have 8 to 16", (unsigned)depth);
    return (rgb || to.format == KST_FORMAT_GREY) || problem_set(problem, "--filters makes what no frames hold");
}

static bool find_shapes(struct change *change, struct problem *problem)
{
    const struct video_wishes limits = {
        .max_pixels = common_max_pixels(change->wanted.common), .max_memory = common_max_memory(change->wanted.common)};

    if (!find_resized(change, problem))
        return false;
    change->coloured = change->resized;
    if ((change->wanted.rgb || change->wanted.filters != NULL) && change->resized.planes == 3 && !change->resized.rgb)
        change->coloured =
            (struct video_shape){change->resized.width, change->resized.height, 3, change->resized.depth, 1, 1, true};
    return shape_permitted(&change->resized, &limits, problem) &&
           shape_permitted(&change->coloured, &limits, problem) && find_filtered(change, problem) &&
           shape_permitted(&change->shape, &limits, problem);
}

/* Describe the changed frames. If the picture's proportions change, the aspect ratio of pixels becomes unknown. */
static void describe_changed(const struct change *change, struct video_info *info)
{
    const struct video_shape *old = &change->inner.info.shape;

    info->payload = PAYLOAD_PIXELS;
    info->shape = change->shape;
    if (change->coloured.rgb || change->filter != NULL)
        info->range = RANGE_FULL;
    if (change->shape.h != 2 || change->shape.v != 2 || change->shape.rgb)
        info->siting[0] = '\0';
    if ((uint64_t)old->width * change->shape.height != (uint64_t)old->height * change->shape.width)
        info->aspect = (struct video_ratio){0, 0};
}

bool video_change_begin(const struct video_wanted *wanted, struct video_pass *pass, struct problem *problem)
{
    struct video_reader *reader = pass->reader;

    if (reader->info.fields)
        return problem_set(problem, "frames of two fields (AVI1) are not changed: decode them to .y4m first");
    struct change *change = calloc(1, sizeof *change);
    if (change == NULL)
        return problem_set(problem, "out of memory");
    change->wanted = *wanted;
    change->inner = *reader;
    if (pass->has_first)
        swap_frames(&change->first, &pass->first);
    pass->has_first = false;
    change->format = (struct video_format){.name = reader->format->name,
        .files = reader->format->files,
        .open = reader->format->open,
        .next = next_changed,
        .close = close_changed};
    reader->format = &change->format;
    reader->state = change;
    reader->exchanges = true;
    reader->input = (struct video_input){.descriptor = -1};
    copy_counts(reader, change);
    if (!make_context(change, problem) || !find_shapes(change, problem))
        return false;
    describe_changed(change, &reader->info);
    return true;
}

void video_change_end(struct video_pass *pass)
{
    const struct video_reader *reader = pass->reader;

    if (reader->format == NULL || reader->format->close != close_changed)
        return;
    const struct change *change = reader->state;
    if (pass->damaged + pass->warned == 0)
        pass->first_damage = change->first_damage;
    pass->damaged += change->damaged;
    pass->warned += change->warned;
}
