/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the ends of JPEG streams (T.81 B.1), and supplies the Huffman tables that MJPEG leaves out. */
#include "video/jpeg_frame.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, DHT = 0xC4, APP0 = 0xE0, COM = 0xFE, TEM = 0x01 };

static bool is_restart(uint8_t code)
{
    return code >= 0xD0 && code <= 0xD7;
}

/*
 * Append a large piece without copying it through the buffer, if the file is long enough. Returns the number of bytes
 * read; 0: nothing was tried.
 */
static size_t append_directly(
    struct video_reader *reader, struct video_frame *frame, uint64_t length, struct problem *problem)
{
    enum { LARGE = 1 << 17 };
    struct video_input *input = &reader->input;

    if (!input->regular || length < LARGE || input->offset > input->size || length > input->size - input->offset ||
        length > reader->frame_limit - frame->length || !frame_extend(frame, (size_t)length, problem))
        return 0;
    size_t got = input_read(input, frame->bytes + frame->length, (size_t)length);
    frame->length += got;
    return got;
}

enum video_step frame_append_input(
    struct video_reader *reader, struct video_frame *frame, uint64_t length, struct problem *problem)
{
    length -= append_directly(reader, frame, length, problem);
    while (length > 0) {
        size_t had;
        const uint8_t *bytes = input_peek(&reader->input, 1, &had);
        if (had == 0)
            return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
        had = had < length ? had : (size_t)length;
        if (had > reader->frame_limit - frame->length) {
            problem_set_kind(problem, PROBLEM_LIMIT,
                "byte %llu: a frame of more than %llu bytes; raise the limit with --max-memory",
                (unsigned long long)frame->offset, (unsigned long long)reader->frame_limit);
            return STEP_FAILED;
        }
        if (!frame_append(frame, bytes, had, problem))
            return STEP_FAILED;
        input_use(&reader->input, had);
        length -= had;
    }
    return STEP_FRAME;
}

/* Append entropy-coded data up to the next marker other than a restart marker, wherever that is. */
static enum video_step append_data(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    for (;;) {
        size_t had;
        const uint8_t *bytes = input_peek(&reader->input, 2, &had);
        const uint8_t *marker = memchr(bytes, 0xFF, had);
        size_t before = marker == NULL ? had : (size_t)(marker - bytes);
        bool whole = marker != NULL && before + 1 < had;
        uint8_t code = whole ? marker[1] : 0;
        if (had == 0 || (before == 0 && whole && code != 0 && code != 0xFF && !is_restart(code)))
            return had == 0 ? STEP_END : STEP_FRAME;
        /*
         * A marker begins at the last of several bytes 0xFF. If 0xFF is the last byte in the buffer, the next byte
         * is awaited.
         */
        size_t used = before + (whole ? code == 0xFF ? 1 : code == 0 || is_restart(code) ? 2 : 0 : 0);
        enum video_step step = frame_append_input(reader, frame, used > 0 ? used : had, problem);
        if (step != STEP_FRAME)
            return step;
    }
}

/* Append a marker segment, and the entropy-coded data that follow SOS. */
static enum video_step append_segment(
    struct video_reader *reader, struct video_frame *frame, const uint8_t head[4], struct problem *problem)
{
    bool scan = head[1] == SOS;
    uint64_t length = (uint64_t)head[2] << 8 | head[3];
    enum video_step step = frame_append_input(reader, frame, 2 + (length < 2 ? 2 : length), problem);

    return step == STEP_FRAME && scan ? append_data(reader, frame, problem) : step;
}

/* Append the next marker or marker segment. Sets *done behind EOI, and in front of another SOI. */
static enum video_step append_next(
    struct video_reader *reader, struct video_frame *frame, bool *done, struct problem *problem)
{
    size_t had;
    const uint8_t *head = input_peek(&reader->input, 4, &had);

    if (had < 2)
        return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
    if (head[0] != 0xFF || head[1] == 0)
        return append_data(reader, frame, problem);
    *done = head[1] == EOI || head[1] == SOI;
    if (head[1] == SOI)
        return STEP_FRAME;
    if (head[1] == 0xFF)
        return frame_append_input(reader, frame, 1, problem);
    if (head[1] == EOI || head[1] == TEM || is_restart(head[1]))
        return frame_append_input(reader, frame, 2, problem);
    return had < 4 ? STEP_END : append_segment(reader, frame, head, problem);
}

enum video_step jpeg_frame_read(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    bool done = false;
    enum video_step step = frame_append_input(reader, frame, 2, problem);

    while (step == STEP_FRAME && !done)
        step = append_next(reader, frame, &done, problem);
    return step;
}

static void note_segment(struct jpeg_frame *found, uint8_t code, const uint8_t *text, size_t length)
{
    static const char comment[] = "CS=ITU601";

    found->tables |= code == DHT;
    if (code == APP0 && length >= 5 && memcmp(text, "AVI1", 4) == 0) {
        found->fields = text[4] == 1 || text[4] == 2;
        found->top = text[4] == 1;
    }
    if (code == COM && length >= sizeof comment - 1 && memcmp(text, comment, sizeof comment - 1) == 0)
        found->limited = true;
}

struct jpeg_frame jpeg_frame_examine(const uint8_t *bytes, size_t length)
{
    struct jpeg_frame found = {.scan = 0};
    size_t at = 2;

    while (length >= 4 && at <= length - 4 && bytes[at] == 0xFF) {
        uint8_t code = bytes[at + 1];
        size_t size = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (code == 0xFF) {
            at++;
            continue;
        }
        if (code == SOS)
            found.scan = at;
        if (code == SOS || code == EOI || size < 2 || size > length - at - 2)
            break;
        note_segment(&found, code, bytes + at + 4, size - 2);
        at += 2 + size;
    }
    return found;
}

/* Return the offset of the first EOI, or of an SOI in its place; `length` if there is neither. */
static size_t find_end(const uint8_t *bytes, size_t length)
{
    size_t at = 2;

    while (at + 1 < length) {
        const uint8_t *marker = memchr(bytes + at, 0xFF, length - 1 - at);
        if (marker == NULL)
            break;
        at = (size_t)(marker - bytes);
        uint8_t code = marker[1];
        if (code == EOI || code == SOI)
            return at;
        if (code == 0xFF)
            at++;
        else if (code == 0 || is_restart(code) || at + 4 > length)
            at += 2;
        else
            at += 2 + ((size_t)marker[2] << 8 | marker[3]);
    }
    return length;
}

size_t jpeg_frame_second(const uint8_t *bytes, size_t length)
{
    for (size_t at = find_end(bytes, length); at + 3 < length; at++)
        if (bytes[at] == 0xFF && bytes[at + 1] == SOI)
            return at;
    return 0;
}

/* Holds the marker segments with the tables of Annex K.3. */
static struct {
    pthread_once_t once;
    struct video_frame segments;
} annex_k = {.once = PTHREAD_ONCE_INIT};

static void keep_tables(const uint8_t *bytes, size_t length, struct problem *problem)
{
    for (size_t at = 2; at + 4 <= length && bytes[at] == 0xFF && bytes[at + 1] != SOS;) {
        size_t size = 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
        if (bytes[at + 1] == DHT)
            frame_append(&annex_k.segments, bytes + at, size, problem);
        at += size;
    }
}

/* Make the tables by encoding a small picture: the library writes them into each baseline stream. */
static void make_tables(void)
{
    uint8_t pixels[3] = {0};
    kst_context_options options;
    kst_context *context = NULL;
    kst_image image;
    kst_buffer coded = {.data = NULL};
    struct problem problem;

    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    if (!kst_context_create(&options, &context) && !kst_image_wrap(&image, KST_FORMAT_RGB, 1, 1, pixels, 0) &&
        !kst_encode(context, &image, NULL, &coded, NULL))
        keep_tables(coded.data, coded.length, &problem);
    kst_buffer_release(context, &coded);
    kst_context_destroy(&context);
}

bool jpeg_frame_complete(struct video_frame *frame, struct problem *problem)
{
    struct jpeg_frame found = jpeg_frame_examine(frame->bytes, frame->length);
    size_t rest = frame->length - found.scan;

    if (found.tables || found.scan == 0)
        return true;
    pthread_once(&annex_k.once, make_tables);
    const struct video_frame *tables = &annex_k.segments;
    if (tables->length == 0)
        return problem_set(problem, "out of memory");
    if (!frame_reserve(frame, frame->length + tables->length, problem))
        return false;
    memmove(frame->bytes + found.scan + tables->length, frame->bytes + found.scan, rest);
    memcpy(frame->bytes + found.scan, tables->bytes, tables->length);
    frame->length += tables->length;
    return true;
}
