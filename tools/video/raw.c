/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes frames without any header: planes, or interleaved RGB, frame after frame. Samples of more than 8
 * bits take two bytes, the less significant one first.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "video/video.h"

static const struct layout {
    const char *name;
    uint32_t planes, h, v;
    bool rgb;
} layouts[] = {{"yuv420p", 3, 2, 2, false}, {"yuv422p", 3, 2, 1, false}, {"yuv444p", 3, 1, 1, false},
    {"yuv440p", 3, 1, 2, false}, {"yuv411p", 3, 4, 1, false}, {"gray", 1, 1, 1, false}, {"grey", 1, 1, 1, false},
    {"rgb", 3, 1, 1, true}};

/* Read the depth behind a layout's name: nothing, 10 or, as FFmpeg writes it, 10le. */
static bool set_depth(const char *text, uint32_t *depth)
{
    char *end;
    unsigned long value = 8;

    if (*text != '\0') {
        value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
        if (value == 0 || (*end != '\0' && strcmp(end, "le") != 0))
            return false;
    }
    *depth = (uint32_t)value;
    return value >= 8 && value <= 16;
}

bool shape_set_layout(struct video_shape *shape, const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout *layout = &layouts[i];
        size_t length = strlen(layout->name);
        if (strncmp(name, layout->name, length) != 0)
            continue;
        shape->planes = layout->planes;
        shape->h = layout->h;
        shape->v = layout->v;
        shape->rgb = layout->rgb;
        return set_depth(name + length, &shape->depth);
    }
    return false;
}

static bool raw_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    struct video_info *info = &reader->info;

    if (wishes->shape.width == 0)
        return problem_set(problem, "frames without a header: --size WxH, and --format if it is not yuv420p, say what "
                                    "they are");
    info->shape = wishes->shape;
    if (!shape_permitted(&info->shape, wishes, problem))
        return false;
    info->frames = reader->input.size / shape_bytes(&info->shape);
    return true;
}

static enum video_step raw_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    size_t bytes = shape_bytes(&reader->info.shape);

    frame->offset = reader->input.offset;
    frame->length = 0;
    if (!frame_reserve(frame, bytes, problem))
        return STEP_FAILED;
    frame->length = input_read(&reader->input, frame->bytes, bytes);
    if (frame->length == 0)
        return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
    if (frame->length < bytes) {
        problem_set(problem, "byte %llu: the last frame has %zu bytes instead of %zu",
            (unsigned long long)frame->offset, frame->length, bytes);
        return STEP_FAILED;
    }
    frame_order(&reader->info.shape, frame);
    return STEP_FRAME;
}

static bool raw_begin(struct video_writer *writer, struct problem *problem)
{
    (void)writer;
    (void)problem;
    return true;
}

static bool raw_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    frame_order(&writer->info.shape, frame);
    bool good = output_write(&writer->output, frame->bytes, frame->length, problem);
    frame_order(&writer->info.shape, frame); /* restores the order, because the frame may be written again */
    return good;
}

const struct video_format video_raw = {.name = "raw",
    .extensions = {"yuv", "raw", "rgb"},
    .torn = true,
    .payloads = 1 << PAYLOAD_PIXELS,
    .open = raw_open,
    .next = raw_next,
    .begin = raw_begin,
    .add = raw_add,
    .end = raw_begin};
