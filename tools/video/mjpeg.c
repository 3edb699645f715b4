/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes MJPEG elementary streams: JPEG streams without anything between them. */
#include <string.h>

#include "video/jpeg_frame.h"

static bool mjpeg_detect(const uint8_t *head, size_t length)
{
    return length >= 3 && head[0] == 0xFF && head[1] == 0xD8 && head[2] == 0xFF;
}

static bool mjpeg_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    (void)wishes;
    (void)problem;
    reader->info.payload = PAYLOAD_JPEG;
    return true;
}

/* Skip to the next SOI. Zeros are padding; other skipped bytes are counted. Returns false at the end. */
static bool skip_to_image(struct video_reader *reader)
{
    for (;;) {
        size_t had, at = 0;
        const uint8_t *bytes = input_peek(&reader->input, 2, &had);
        if (had < 2)
            return false;
        while (at + 1 < had && (bytes[at] != 0xFF || bytes[at + 1] != 0xD8))
            reader->skipped += bytes[at++] != 0;
        bool found = at + 1 < had;
        input_use(&reader->input, at);
        if (found)
            return true;
    }
}

static enum video_step mjpeg_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    frame->length = 0;
    if (!skip_to_image(reader))
        return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
    frame->offset = reader->input.offset;
    enum video_step step = jpeg_frame_read(reader, frame, problem);
    /* A stream that is cut off is nevertheless a frame, as far as it goes. */
    if (step == STEP_FAILED)
        return STEP_FAILED;
    return jpeg_frame_complete(frame, problem) ? STEP_FRAME : STEP_FAILED;
}

static bool mjpeg_begin(struct video_writer *writer, struct problem *problem)
{
    (void)writer;
    (void)problem;
    return true;
}

static bool mjpeg_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    return output_write(&writer->output, frame->bytes, frame->length, problem);
}

const struct video_format video_mjpeg = {.name = "mjpeg",
    .extensions = {"mjpeg", "mjpg"},
    .torn = true,
    .payloads = 1 << PAYLOAD_JPEG,
    .detect = mjpeg_detect,
    .open = mjpeg_open,
    .next = mjpeg_next,
    .begin = mjpeg_begin,
    .add = mjpeg_add,
    .end = mjpeg_begin};
