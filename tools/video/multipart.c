/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes what cameras send over HTTP (multipart/x-mixed-replace, RFC 2046): parts with a few header lines,
 * each a JPEG stream. The length of a stream is what its header says; without that, the stream ends at its EOI.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "video/jpeg_frame.h"

static const char boundary[] = "--kostka";
enum { LINE_MOST = 1024, LINES_MOST = 64 };

static bool multipart_detect(const uint8_t *head, size_t length)
{
    return length >= 3 && head[0] == '-' && head[1] == '-' && head[2] > ' ' && head[2] <= '~';
}

static bool multipart_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    (void)wishes;
    (void)problem;
    reader->info.payload = PAYLOAD_JPEG;
    return true;
}

/* Read a line without its end. Returns false, with an empty text, if the file ends or the line is too long. */
static bool take_line(struct video_input *input, char line[LINE_MOST])
{
    size_t length;
    const uint8_t *text = input_peek(input, LINE_MOST, &length);
    const uint8_t *end = memchr(text, '\n', length < LINE_MOST ? length : LINE_MOST);

    line[0] = '\0';
    if (end == NULL)
        return false;
    size_t used = (size_t)(end - text);
    memcpy(line, text, used);
    input_use(input, used + 1);
    used -= used > 0 && line[used - 1] == '\r';
    line[used] = '\0';
    return true;
}

/* Read the number of a header line "Content-Length: N". Other lines do not change `length`. */
static void take_length(const char *line, uint64_t *length)
{
    static const char name[] = "content-length:";
    const char *digits = line + sizeof name - 1;

    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return;
    digits += strspn(digits, " \t");
    if (isdigit((unsigned char)*digits))
        *length = strtoull(digits, NULL, 10);
}

/* Read the lines in front of a part's contents: empty lines, the boundary, the header and the empty line behind it. */
static enum video_step take_header(struct video_reader *reader, uint64_t *length, struct problem *problem)
{
    uint64_t at = reader->input.offset;
    char line[LINE_MOST];
    bool inside = false;

    for (int i = 0; i < LINES_MOST && take_line(&reader->input, line); i++) {
        if (inside && line[0] == '\0')
            return STEP_FRAME;
        inside |= line[0] == '-' && line[1] == '-';
        if (inside)
            take_length(line, length);
        else if (line[0] != '\0')
            break;
    }
    size_t left;
    input_peek(&reader->input, 1, &left);
    if (!input_good(&reader->input, problem))
        return STEP_FAILED;
    if (left == 0)
        return STEP_END;
    problem_set(problem, "byte %llu: no header of a part is here", (unsigned long long)at);
    return STEP_FAILED;
}

static enum video_step multipart_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    uint64_t length = 0;
    enum video_step step = take_header(reader, &length, problem);

    frame->length = 0;
    frame->offset = reader->input.offset;
    if (step == STEP_FRAME)
        step =
            length > 0 ? frame_append_input(reader, frame, length, problem) : jpeg_frame_read(reader, frame, problem);
    if (step == STEP_END && frame->length > 0)
        reader->missing = length > frame->length ? length - frame->length : 1;
    if (step != STEP_FRAME)
        return step;
    return jpeg_frame_complete(frame, problem) ? STEP_FRAME : STEP_FAILED;
}

static bool multipart_begin(struct video_writer *writer, struct problem *problem)
{
    (void)writer;
    (void)problem;
    return true;
}

static bool multipart_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    char header[128];
    int length = snprintf(header, sizeof header, "%s\r\nContent-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n",
        boundary, frame->length);

    return output_write(&writer->output, header, (size_t)length, problem) &&
           output_write(&writer->output, frame->bytes, frame->length, problem) &&
           output_write(&writer->output, "\r\n", 2, problem);
}

static bool multipart_end(struct video_writer *writer, struct problem *problem)
{
    return output_write(&writer->output, boundary, sizeof boundary - 1, problem) &&
           output_write(&writer->output, "--\r\n", 4, problem);
}

const struct video_format video_multipart = {.name = "multipart",
    .extensions = {"multipart", "mixed"},
    .torn = true,
    .payloads = 1 << PAYLOAD_JPEG,
    .detect = multipart_detect,
    .open = multipart_open,
    .next = multipart_next,
    .begin = multipart_begin,
    .add = multipart_add,
    .end = multipart_end};
