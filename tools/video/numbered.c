/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes sequences of files whose names contain a number: frame%05d.png. Files of JPEG and JPEG 2000 are
 * coded frames, all others pictures of RGB or grey.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "video/numbered.h"

enum { WIDTH_MOST = 10, FIRST_MOST = 10 /* a sequence begins with a number from 0 to this */ };

/* Describes a name with a number: the part in front of it, the least number of digits, and the part behind it. */
struct pattern {
    const char *text;
    size_t before;
    int width;
    const char *behind;
};

/* Find the only %d, %5d or %05d. Returns false if there is none, or any other %. */
static bool parse(const char *text, struct pattern *pattern)
{
    const char *percent = strchr(text, '%');
    const char *at = percent;

    if (percent == NULL)
        return false;
    *pattern = (struct pattern){text, (size_t)(percent - text), 0, NULL};
    for (at++; isdigit((unsigned char)*at) && pattern->width <= WIDTH_MOST; at++)
        pattern->width = 10 * pattern->width + (*at - '0');
    pattern->behind = at + 1;
    return *at == 'd' && pattern->width <= WIDTH_MOST && strchr(pattern->behind, '%') == NULL;
}

bool numbered_is(const char *path)
{
    struct pattern pattern;
    return parse(path, &pattern);
}

/* Return a file's name, from malloc. Returns null if out of memory. */
static char *name_of(const struct pattern *pattern, uint64_t number, struct problem *problem)
{
    size_t length = strlen(pattern->text) + 32;
    char *name = malloc(length);

    if (name == NULL)
        problem_set(problem, "out of memory");
    else
        snprintf(name, length, "%.*s%0*llu%s", (int)pattern->before, pattern->text, pattern->width,
            (unsigned long long)number, pattern->behind);
    return name;
}

struct numbered_in {
    struct pattern pattern;
    uint64_t number;
    struct video_wishes wishes;
    kst_context *context;    /* the context to read pictures with */
    struct video_frame next; /* the first frame, if it is pixels: it is read to see what the frames are */
    bool has_next;
    bool warned; /* a warning of dropped transparency has been printed */
};

/* Copy a picture's rows into a frame. */
static bool take_pixels(
    const struct picture *picture, const struct video_shape *shape, struct video_frame *frame, struct problem *problem)
{
    size_t row = shape_bytes(shape) / shape->height;

    frame->length = 0;
    if (!frame_reserve(frame, shape_bytes(shape), problem))
        return false;
    for (uint32_t y = 0; y < shape->height; y++)
        memcpy(frame->bytes + y * row, picture_row(picture, 0, y), row);
    frame->length = row * shape->height;
    return true;
}

/* Read a file of pixels as grey or RGB. */
static bool read_picture(struct numbered_in *in, const struct source *source, struct video_shape *shape,
    struct video_frame *frame, struct problem *problem)
{
    struct file_settings settings = {
        .context = in->context, .max_pixels = in->wishes.max_pixels, .max_memory = in->wishes.max_memory};
    struct picture picture;

    kst_decode_options_init(&settings.decode);
    picture_init(&picture);
    bool good = picture_read(&picture, source, &settings, NULL, problem);
    if (good && !in->warned && !picture_is_opaque(&picture)) {
        complain(source->name, "warning: transparency is dropped");
        in->warned = true;
    }
    bool grey = good && picture.image.format == KST_FORMAT_GREY;
    if (good && !grey && !picture_to_format(&picture, KST_FORMAT_RGB, problem))
        good = problem_set(problem, "a picture that does not become RGB");
    if (good && picture_depth(&picture) < 8)
        good = picture_to_depth(&picture, 8, problem);
    *shape = (struct video_shape){
        picture.image.width, picture.image.height, grey ? 1 : 3, good ? picture_depth(&picture) : 8, 1, 1, !grey};
    good = good && shape_permitted(shape, &in->wishes, problem) && take_pixels(&picture, shape, frame, problem);
    picture_release(&picture);
    return good;
}

/* Find out what a file is: a coded frame, whose bytes are taken, or a picture, which is read. */
static bool read_source(struct video_reader *reader, struct source *source, enum video_payload *payload,
    struct video_shape *shape, struct video_frame *frame, struct problem *problem)
{
    const struct file_format *format = file_format_of(source);
    unsigned kind = format == NULL ? 0 : file_kind(format);

    *payload = kind == KIND_JPEG ? PAYLOAD_JPEG : (kind & KIND_JPEG2000) != 0 ? PAYLOAD_JPEG2000 : PAYLOAD_PIXELS;
    if (*payload == PAYLOAD_PIXELS)
        return read_picture(reader->state, source, shape, frame, problem);
    frame->length = 0;
    return frame_append(frame, source->data, source->length, problem);
}

/* Read the file of the next number. Returns STEP_END if it does not exist. */
static enum video_step read_file(struct video_reader *reader, enum video_payload *payload, struct video_shape *shape,
    struct video_frame *frame, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    char *name = name_of(&in->pattern, in->number, problem);
    struct source source;
    struct problem why;

    if (name == NULL)
        return STEP_FAILED;
    if (access(name, F_OK) != 0 && errno == ENOENT) {
        free(name);
        return STEP_END;
    }
    frame->offset = 0;
    bool good = source_read(&source, name, reader->frame_limit, &why);
    if (good) {
        good = read_source(reader, &source, payload, shape, frame, &why);
        source_release(&source);
    }
    if (!good)
        problem_set_kind(problem, why.kind, "%s: %s", name, why.text);
    free(name);
    in->number++;
    return good ? STEP_FRAME : STEP_FAILED;
}

/* Find the number at which the sequence begins. */
static bool find_first(struct numbered_in *in, struct problem *problem)
{
    for (in->number = 0; in->number <= FIRST_MOST; in->number++) {
        char *name = name_of(&in->pattern, in->number, problem);
        bool found = name != NULL && access(name, R_OK) == 0;
        bool failed = name == NULL;
        free(name);
        if (found || failed)
            return found;
    }
    return problem_set_kind(problem, PROBLEM_READ, "no file of a number from 0 to %d", (int)FIRST_MOST);
}

static bool make_context(struct numbered_in *in, struct problem *problem)
{
    kst_context_options options;

    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    kst_status status = kst_context_create(&options, &in->context);
    return !status || jpeg_report_problem(NULL, status, problem);
}

/* The first file shows what the frames are; a coded one is read again as a frame. */
static bool numbered_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    struct numbered_in *in = calloc(1, sizeof *in);

    if (in == NULL)
        return problem_set(problem, "out of memory");
    reader->state = in;
    in->wishes = *wishes;
    reader->input.regular = true; /* because a sequence of files has an end, unlike a stream */
    if (!parse(reader->path, &in->pattern))
        return problem_set(problem, "no number such as %%05d is in the name");
    if (!find_first(in, problem) || !make_context(in, problem) ||
        read_file(reader, &reader->info.payload, &reader->info.shape, &in->next, problem) != STEP_FRAME)
        return false;
    in->has_next = true;
    if (reader->info.shape.rgb || reader->info.payload == PAYLOAD_PIXELS)
        reader->info.range = RANGE_FULL;
    return true;
}

static enum video_step numbered_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    enum video_payload payload;
    struct video_shape shape = reader->info.shape;
    char text[64], first[64];

    if (in->has_next) {
        struct video_frame kept = *frame;
        *frame = in->next;
        in->next = kept;
        in->has_next = false;
        return STEP_FRAME;
    }
    enum video_step step = read_file(reader, &payload, &shape, frame, problem);
    if (step != STEP_FRAME || (payload == reader->info.payload && shape_equal(&shape, &reader->info.shape)))
        return step;
    problem_set(problem, "file %llu: %s, but %s first", (unsigned long long)in->number - 1,
        payload == reader->info.payload ? shape_text(&shape, text) : "coded in another way",
        shape_text(&reader->info.shape, first));
    return STEP_FAILED;
}

static void numbered_close(struct video_reader *reader)
{
    struct numbered_in *in = reader->state;

    if (in == NULL)
        return;
    frame_release(&in->next);
    kst_context_destroy(&in->context);
    free(in);
}

unsigned numbered_payloads(const char *path)
{
    const struct file_format *format = file_format_by_path(path);

    if (format == NULL || format->write == NULL)
        return 0;
    return file_kind(format) == KIND_JPEG             ? 1 << PAYLOAD_JPEG
           : (file_kind(format) & KIND_JPEG2000) != 0 ? 1 << PAYLOAD_JPEG2000
                                                      : 1 << PAYLOAD_PIXELS;
}

static bool numbered_begin(struct video_writer *writer, struct problem *problem)
{
    struct pattern *pattern = malloc(sizeof *pattern);

    writer->state = pattern;
    if (pattern == NULL)
        return problem_set(problem, "out of memory");
    return parse(writer->path, pattern) || problem_set(problem, "no number such as %%05d is in the name");
}

/* Write a copy of a frame's pixels, because writing a picture may rearrange them. */
static bool write_pixels(
    const struct video_writer *writer, const struct video_frame *frame, const char *name, struct problem *problem)
{
    const struct video_shape *shape = &writer->info.shape;
    struct file_settings settings = {.compression = -1};
    struct picture picture;

    kst_decode_options_init(&settings.decode);
    settings.max_pixels = settings.max_memory = UINT64_MAX;
    picture_init(&picture);
    bool good = picture_allocate(&picture, shape->rgb ? KST_FORMAT_RGB : KST_FORMAT_GREY, shape->width, shape->height,
        shape->depth, UINT64_MAX, problem);
    if (good) {
        for (uint32_t y = 0; y < shape->height; y++)
            memcpy(picture_row(&picture, 0, y), frame->bytes + y * (frame->length / shape->height),
                frame->length / shape->height);
        good = picture_write(&picture, name, file_format_by_path(name), &settings, problem);
    }
    picture_release(&picture);
    return good;
}

static bool write_bytes(const char *name, const struct video_frame *frame, struct problem *problem)
{
    struct output output;

    if (!output_open(&output, name, problem))
        return false;
    if (output_write(&output, frame->bytes, frame->length, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}

static bool numbered_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    char *name = name_of(writer->state, writer->count, problem);

    if (name == NULL)
        return false;
    bool good = writer->info.payload == PAYLOAD_PIXELS ? write_pixels(writer, frame, name, problem)
                                                       : write_bytes(name, frame, problem);
    free(name);
    return good;
}

static bool numbered_end(struct video_writer *writer, struct problem *problem)
{
    (void)writer;
    (void)problem;
    return true;
}

static void numbered_drop(struct video_writer *writer)
{
    free(writer->state);
    writer->state = NULL;
}

const struct video_format video_numbered = {.name = "numbered files",
    .extensions = {NULL},
    .payloads = 1 << PAYLOAD_PIXELS | 1 << PAYLOAD_JPEG | 1 << PAYLOAD_JPEG2000,
    .files = true,
    .open = numbered_open,
    .next = numbered_next,
    .close = numbered_close,
    .begin = numbered_begin,
    .add = numbered_add,
    .end = numbered_end,
    .drop = numbered_drop};
