/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes sequences of files whose names contain a number: frame%05d.png. Files of JPEG and JPEG 2000 are
 * coded frames, all others pictures of RGB or grey.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "video/numbered.h"
#include "video/pattern.h"

enum {
    GAP_MOST = 100,    /* numbers that may be missing in a row */
    LEADING_MOST = 100 /* frames that may stand in front of the first good one */
};

bool numbered_is(const char *path)
{
    struct pattern pattern;
    return pattern_parse(path, &pattern);
}

struct numbered_in {
    struct pattern pattern;
    uint64_t number;   /* the number of the next file */
    uint64_t greatest; /* the greatest number in the folder when the sequence was opened */
    struct video_wishes wishes;
    kst_context *context;    /* the context to read pictures with */
    struct video_frame next; /* the frame that has been read, and follows the repeated ones */
    bool has_next;
    bool known;              /* the reader's info describes the frames, because one has been read */
    uint64_t owed;           /* how often the last frame is repeated for damaged and missing files */
    struct video_frame last; /* the last frame; at first a copy of the first picture */
    bool warned;             /* a warning of dropped transparency has been printed */
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

/* Read a file of pixels as grey or RGB. A grey one among those of RGB has only been written as what it looks like. */
static bool read_picture(struct video_reader *reader, const struct source *source, struct video_shape *shape,
    struct video_frame *frame, struct problem *problem)
{
    struct numbered_in *in = reader->state;
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
    bool grey = good && picture.image.format == KST_FORMAT_GREY && !(in->known && reader->info.shape.rgb);
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
static bool read_source(struct video_reader *reader, const struct source *source, enum video_payload *payload,
    struct video_shape *shape, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    const struct file_format *format = file_format_of(source);
    unsigned kind = format == NULL ? 0 : file_kind(format);

    *payload = kind == KIND_JPEG ? PAYLOAD_JPEG : (kind & KIND_JPEG2000) != 0 ? PAYLOAD_JPEG2000 : PAYLOAD_PIXELS;
    if (*payload == PAYLOAD_PIXELS)
        return read_picture(reader, source, shape, &in->next, problem);
    in->next.length = 0;
    return frame_append(&in->next, source->data, source->length, problem);
}

/* Return whether a file has the shape and coding of the first one, which determines what the frames are. */
static bool fits(
    struct video_reader *reader, enum video_payload payload, const struct video_shape *shape, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    char text[64], first[64];

    if (!in->known) {
        reader->info.payload = payload;
        reader->info.shape = *shape;
        in->known = true;
    }
    if (payload != reader->info.payload)
        return problem_set(problem, "it is coded in another way than the first one");
    return payload != PAYLOAD_PIXELS || shape_equal(shape, &reader->info.shape) ||
           problem_set(problem, "%s, but %s first", shape_text(shape, text), shape_text(&reader->info.shape, first));
}

/* Note a file that is there and cannot be read. Returns false if that ends the work. */
static bool note_damage(
    struct video_reader *reader, const char *name, const struct problem *why, struct problem *problem)
{
    struct numbered_in *in = reader->state;

    problem_set_kind(problem, why->kind, "%s: %.1000s", name, why->text);
    if (in->wishes.strict || why->kind == PROBLEM_LIMIT)
        return false;
    if (reader->losses->damaged++ == 0)
        reader->losses->first_damaged = *problem;
    in->owed++;
    return true;
}

/* Read the file of the next number, which is there, or let the frame before it be repeated. */
static enum video_step read_file(struct video_reader *reader, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    char *name = pattern_name(&in->pattern, in->number, problem);
    enum video_payload payload;
    struct video_shape shape = {0};
    struct source source;
    struct problem why;

    if (name == NULL)
        return STEP_FAILED;
    bool good = source_read(&source, name, reader->frame_limit, &why);
    if (good) {
        good = read_source(reader, &source, &payload, &shape, &why) && fits(reader, payload, &shape, &why);
        source_release(&source);
    }
    in->has_next = good;
    in->number++;
    good = good || note_damage(reader, name, &why, problem);
    free(name);
    return good ? STEP_FRAME : STEP_FAILED;
}

/*
 * Count the missing numbers from the next one on. GAP_MOST of them mark the end of the sequence. A name that cannot be
 * looked up, such as one that is too long, counts as a file that cannot be read; but behind the greatest number that
 * was found it is missing, or the sequence would have no end.
 */
static bool count_absent(const struct numbered_in *in, uint64_t *count, struct problem *problem)
{
    for (*count = 0; *count < GAP_MOST; ++*count) {
        char *name = pattern_name(&in->pattern, in->number + *count, problem);
        if (name == NULL)
            return false;
        bool absent = access(name, F_OK) != 0 && (errno == ENOENT || in->number + *count > in->greatest);
        free(name);
        if (!absent)
            return true;
    }
    return true;
}

/* Note missing numbers in front of later files. Returns false if that ends the work. */
static bool note_absent(struct video_reader *reader, uint64_t count, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    char *name = pattern_name(&in->pattern, in->number, problem);

    if (name == NULL)
        return false;
    problem_set_kind(problem, PROBLEM_READ, "%s is missing, and files of later numbers are there", name);
    free(name);
    if (in->wishes.strict)
        return false;
    if (reader->losses->absent == 0)
        reader->losses->first_absent = in->number;
    reader->losses->absent += count;
    in->owed += count;
    in->number += count;
    return true;
}

/* End the sequence, and note files whose numbers are too far behind it to belong to it. */
static enum video_step end(struct video_reader *reader, struct problem *problem)
{
    struct numbered_in *in = reader->state;

    if (in->number > in->greatest)
        return STEP_END;
    if (in->wishes.strict) {
        note_absent(reader, 0, problem);
        return STEP_FAILED;
    }
    reader->losses->end = in->number - 1;
    reader->losses->beyond = in->greatest;
    return STEP_END;
}

/* Read the file of the next number, or skip missing numbers, for which the last frame will be repeated. */
static enum video_step advance(struct video_reader *reader, struct problem *problem)
{
    uint64_t absent;

    if (!count_absent(reader->state, &absent, problem))
        return STEP_FAILED;
    if (absent == GAP_MOST)
        return end(reader, problem);
    if (absent > 0)
        return note_absent(reader, absent, problem) ? STEP_FRAME : STEP_FAILED;
    return read_file(reader, problem);
}

/* Begin with the number of --first, whose file must be there. `least` is the least number, if there is `any`. */
static bool begin_at(struct numbered_in *in, bool any, uint64_t least, struct problem *problem)
{
    uint64_t absent;

    in->number = in->wishes.first;
    if (!any || in->greatest < in->number)
        in->greatest = in->number;
    if (!count_absent(in, &absent, problem))
        return false;
    if (absent == 0)
        return true;
    if (!any)
        return problem_set_kind(
            problem, PROBLEM_READ, "no file has the number %llu of --first", (unsigned long long)in->number);
    return problem_set_kind(problem, PROBLEM_READ, "no file has the number %llu of --first; the first one is %llu",
        (unsigned long long)in->number, (unsigned long long)least);
}

/* Find the number that the sequence begins with: the one that is asked for, or the least. */
static bool find_first(struct video_reader *reader, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    bool any = pattern_find(&in->pattern, &in->number, &in->greatest);

    if (in->wishes.has_first) {
        if (!begin_at(in, any, in->number, problem))
            return false;
    } else if (!any) {
        return problem_set_kind(problem, PROBLEM_READ, "no file has such a name%s",
            strchr(in->pattern.behind, '/') != NULL ? " with a number from 0 to 10" : "");
    }
    reader->first = in->number;
    if (in->greatest > in->number)
        reader->info.frames = in->greatest - in->number + 1;
    return true;
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

/* Read up to the first file that can be read. It says what the frames are. */
static bool read_first(struct video_reader *reader, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    enum video_step step = STEP_FRAME;

    while (step == STEP_FRAME && !in->has_next && in->owed < LEADING_MOST)
        step = advance(reader, problem);
    if (step == STEP_FAILED)
        return false;
    if (!in->has_next)
        return problem_set(problem, "no file can be read; the first: %.1000s", reader->losses->first_damaged.text);
    if (reader->info.payload != PAYLOAD_PIXELS)
        return true;
    reader->info.range = RANGE_FULL;
    return frame_append(&in->last, in->next.bytes, in->next.length, problem);
}

static bool numbered_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    struct numbered_in *in = calloc(1, sizeof *in);

    if (in == NULL)
        return problem_set(problem, "out of memory");
    reader->state = in;
    in->wishes = *wishes;
    reader->input.regular = true; /* because a sequence of files has an end, unlike a stream */
    if (!pattern_parse(reader->path, &in->pattern))
        return problem_set(problem, "no number such as %%05d is in the name");
    return find_first(reader, problem) && make_context(in, problem) && read_first(reader, problem);
}

/* Take the frame that has been read, which becomes the last one. The memory is the caller's: it may be pinned. */
static bool take_next(struct numbered_in *in, struct video_frame *frame, struct problem *problem)
{
    struct video_frame kept = in->last;

    in->last = in->next;
    in->next = kept;
    in->has_next = false;
    frame->length = 0;
    return frame_append(frame, in->last.bytes, in->last.length, problem);
}

/* Repeated frames come first, then the frame that has been read. An empty coded frame repeats the one before. */
static enum video_step numbered_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct numbered_in *in = reader->state;
    bool picture = reader->info.payload == PAYLOAD_PIXELS, good;
    enum video_step step = in->owed == 0 && !in->has_next ? advance(reader, problem) : STEP_FRAME;

    if (step != STEP_FRAME)
        return step;
    frame->offset = 0;
    if (in->owed > 0) {
        in->owed--;
        frame->length = 0;
        good = !picture || frame_append(frame, in->last.bytes, in->last.length, problem);
    } else {
        good = take_next(in, frame, problem);
    }
    return good ? STEP_FRAME : STEP_FAILED;
}

static void numbered_close(struct video_reader *reader)
{
    struct numbered_in *in = reader->state;

    if (in == NULL)
        return;
    frame_release(&in->next);
    frame_release(&in->last);
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
    return pattern_parse(writer->path, pattern) || problem_set(problem, "no number such as %%05d is in the name");
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
    char *name = pattern_name(writer->state, writer->first + writer->count - 1, problem);

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
