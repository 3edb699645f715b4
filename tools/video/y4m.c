/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes Y4M (YUV4MPEG2): a line of tags, then for each frame a line FRAME and its planes. Tags are those of
 * mjpegtools, and FFmpeg's for more than 8 bits and for the range of samples. Samples of two bytes are little-endian.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "video/video.h"

static const char magic[] = "YUV4MPEG2", frame_word[] = "FRAME";
enum { LINE_MOST = 4096 };

static const struct sampling {
    const char *name;
    uint32_t planes, h, v;
} samplings[] = {
    {"420", 3, 2, 2}, {"422", 3, 2, 1}, {"444", 3, 1, 1}, {"411", 3, 4, 1}, {"440", 3, 1, 2}, {"mono", 1, 1, 1}};

static bool y4m_detect(const uint8_t *head, size_t length)
{
    return length > sizeof magic && memcmp(head, magic, sizeof magic - 1) == 0;
}

/* Read a number at *text, and move *text behind it. */
static bool take(const char **text, uint32_t *number)
{
    uint64_t value = 0;

    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text) && value <= UINT32_MAX; (*text)++)
        value = value * 10 + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool take_ratio(const char *text, struct video_ratio *ratio)
{
    return take(&text, &ratio->over) && *text++ == ':' && take(&text, &ratio->under) && *text == '\0' &&
           (ratio->under != 0) == (ratio->over != 0);
}

/* Read what follows the name of a sampling: the siting of chroma, or p10 and, for grey, 10. */
static bool take_variant(const char *text, struct video_info *info)
{
    bool grey = info->shape.planes == 1;

    info->shape.depth = 8;
    if (strcmp(text, "jpeg") == 0 || strcmp(text, "mpeg2") == 0 || strcmp(text, "paldv") == 0) {
        snprintf(info->siting, sizeof info->siting, "%s", text);
        return info->shape.h == 2 && info->shape.v == 2;
    }
    if (*text == '\0')
        return true;
    if (!grey && *text++ != 'p')
        return false;
    return take(&text, &info->shape.depth) && *text == '\0' && info->shape.depth > 8 && info->shape.depth <= 16;
}

static bool take_sampling(const char *text, struct video_info *info)
{
    for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++) {
        const struct sampling *sampling = &samplings[i];
        size_t length = strlen(sampling->name);
        if (strncmp(text, sampling->name, length) != 0)
            continue;
        info->shape.planes = sampling->planes;
        info->shape.h = sampling->h;
        info->shape.v = sampling->v;
        return take_variant(text + length, info);
    }
    return false;
}

/* Read an extension tag: FFmpeg's range of samples; others are ignored. */
static bool take_extension(const char *text, struct video_info *info)
{
    if (strcmp(text, "COLORRANGE=FULL") == 0)
        info->range = RANGE_FULL;
    else if (strcmp(text, "COLORRANGE=LIMITED") == 0)
        info->range = RANGE_LIMITED;
    return true;
}

static bool take_tag(const char *tag, struct video_info *info)
{
    const char *value = tag + 1;

    switch (tag[0]) {
    case 'W':
        return take(&value, &info->shape.width) && *value == '\0';
    case 'H':
        return take(&value, &info->shape.height) && *value == '\0';
    case 'F':
        return take_ratio(value, &info->rate);
    case 'A':
        return take_ratio(value, &info->aspect);
    case 'I':
        info->interlace = value[0];
        return value[0] != '\0' && strchr("ptbm?", value[0]) != NULL && value[1] == '\0';
    case 'C':
        return take_sampling(value, info);
    case 'X':
        return take_extension(value, info);
    default:
        return false;
    }
}

/* Read a line without its end. Returns false, with the problem, if there is no line, or if it is too long. */
static bool take_line(struct video_input *input, char line[LINE_MOST], struct problem *problem)
{
    uint64_t at = input->offset;
    size_t length;
    const uint8_t *text = input_peek(input, LINE_MOST, &length);
    const uint8_t *end = memchr(text, '\n', length < LINE_MOST ? length : LINE_MOST);

    if (end == NULL)
        return input_good(input, problem) && problem_set(problem, "byte %llu: no line of tags ends within %d bytes",
                                                 (unsigned long long)at, (int)LINE_MOST);
    size_t used = (size_t)(end - text);
    memcpy(line, text, used);
    line[used] = '\0';
    input_use(input, used + 1);
    if (strlen(line) == used)
        return true;
    at += strlen(line);
    return problem_set(problem, "byte %llu: a line of tags has a zero in it", (unsigned long long)at);
}

static bool parse_tags(char *line, struct video_info *info, struct problem *problem)
{
    char *rest = line + sizeof magic - 1;

    if (strncmp(line, magic, sizeof magic - 1) != 0)
        return problem_set(problem, "byte 0: no %s is here", magic);
    for (char *tag = rest; *tag != '\0'; tag = rest) {
        tag += strspn(tag, " ");
        size_t length = strcspn(tag, " ");
        rest = tag + length + (tag[length] != '\0');
        tag[length] = '\0';
        if (length > 0 && !take_tag(tag, info))
            return problem_set(
                problem, "byte %llu: the tag '%.64s' is none that is read here", (unsigned long long)(tag - line), tag);
    }
    return true;
}

static bool y4m_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    struct video_info *info = &reader->info;
    char line[LINE_MOST] = "";

    info->shape = (struct video_shape){.planes = 3, .depth = 8, .h = 2, .v = 2};
    if (!take_line(&reader->input, line, problem) || !parse_tags(line, info, problem) ||
        !shape_permitted(&info->shape, wishes, problem))
        return false;
    if (reader->input.regular && reader->input.size > reader->input.offset)
        info->frames = (reader->input.size - reader->input.offset) / (shape_bytes(&info->shape) + sizeof frame_word);
    return true;
}

static enum video_step y4m_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct video_input *input = &reader->input;
    size_t bytes = shape_bytes(&reader->info.shape), length, got;
    char line[LINE_MOST];

    frame->offset = input->offset;
    input_peek(input, 1, &length);
    if (length == 0)
        return input_good(input, problem) ? STEP_END : STEP_FAILED;
    if (!take_line(input, line, problem))
        return STEP_FAILED;
    if (strncmp(line, frame_word, sizeof frame_word - 1) != 0) {
        problem_set(problem, "byte %llu: no FRAME begins here", (unsigned long long)frame->offset);
        return STEP_FAILED;
    }
    frame->length = 0;
    if (!frame_reserve(frame, bytes, problem))
        return STEP_FAILED;
    got = input_read(input, frame->bytes, bytes);
    frame->length = got;
    if (got < bytes && input_good(input, problem))
        problem_set(problem, "byte %llu: the frame has %zu bytes instead of %zu", (unsigned long long)frame->offset,
            got, bytes);
    frame_order(&reader->info.shape, frame);
    return got < bytes ? STEP_FAILED : STEP_FRAME;
}

/* Write the C tag, and the X tags that FFmpeg reads. Returns false if there is no tag for the sampling. */
static bool write_sampling(const struct video_info *info, char text[96])
{
    const struct video_shape *shape = &info->shape;
    const struct sampling *found = NULL;
    char depth[16] = "";

    for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++)
        if (samplings[i].planes == shape->planes && samplings[i].h == shape->h && samplings[i].v == shape->v)
            found = &samplings[i];
    if (found == NULL || shape->rgb)
        return false;
    if (shape->depth > 8)
        snprintf(depth, sizeof depth, "%s%u", shape->planes == 1 ? "" : "p", (unsigned)shape->depth);
    snprintf(text, 96, "C%s%s%s", found->name, depth[0] != '\0' ? depth : info->siting,
        info->range == RANGE_FULL      ? " XCOLORRANGE=FULL"
        : info->range == RANGE_LIMITED ? " XCOLORRANGE=LIMITED"
                                       : "");
    return true;
}

static bool y4m_begin(struct video_writer *writer, struct problem *problem)
{
    const struct video_info *info = &writer->info;
    char sampling[96], line[256], shape[64];

    if (!write_sampling(info, sampling))
        return problem_set(problem, "Y4M has no frames of %s", shape_text(&info->shape, shape));
    int length = snprintf(line, sizeof line, "%s W%u H%u F%u:%u I%c A%u:%u %s\n", magic, (unsigned)info->shape.width,
        (unsigned)info->shape.height, (unsigned)info->rate.over, (unsigned)info->rate.under, info->interlace,
        (unsigned)info->aspect.over, (unsigned)info->aspect.under, sampling);
    return output_write(&writer->output, line, (size_t)length, problem);
}

/* Write a frame. The line FRAME is put into the room in front of the planes, so that one call writes both. */
static bool y4m_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    uint8_t *from = frame->bytes - sizeof frame_word;

    memcpy(from, frame_word, sizeof frame_word - 1);
    from[sizeof frame_word - 1] = '\n';
    frame_order(&writer->info.shape, frame);
    bool good = output_write(&writer->output, from, sizeof frame_word + frame->length, problem);
    frame_order(&writer->info.shape, frame); /* restores the order, because the frame may be written again */
    return good;
}

static bool y4m_end(struct video_writer *writer, struct problem *problem)
{
    (void)writer;
    (void)problem;
    return true;
}

const struct video_format video_y4m = {.name = "y4m",
    .extensions = {"y4m"},
    .torn = true,
    .payloads = 1 << PAYLOAD_PIXELS,
    .detect = y4m_detect,
    .open = y4m_open,
    .next = y4m_next,
    .begin = y4m_begin,
    .add = y4m_add,
    .end = y4m_end};
