/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes as a sequence of frames: by their signature, or as the container that the last byte names. Frames
 * stay within the limits, each call moves on, a failure has a text, and a pipe gives the same frames as a file.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "video/video.h"

enum { LIMIT = 1 << 20, PIXELS = 1 << 16 };

/* Stand in for the command line's output, to which readers do not write. */
bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    (void)output;
    (void)offset;
    (void)data;
    (void)length;
    return problem_set(problem, "nothing is written here");
}

bool output_write(struct output *output, const void *data, size_t length, struct problem *problem)
{
    return output_write_at(output, 0, data, length, problem);
}

bool output_write_now(struct output *output, const void *data, size_t length, struct problem *problem)
{
    return output_write(output, data, length, problem);
}

bool output_end_at(struct output *output, uint64_t length, struct problem *problem)
{
    return output_write_at(output, length, NULL, 0, problem);
}

/* Holds the results of a reader: the numbers of frames and bytes, and a hash of the bytes. */
struct found {
    uint64_t frames, bytes, sum;
    enum video_step step;
};

static void check_frame(const struct video_frame *frame, size_t length, struct found *found)
{
    fuzz_check(frame->length <= LIMIT + 1024 && frame->capacity <= 4 * LIMIT, "a frame is within the limits");
    fuzz_check(++found->frames <= length, "each frame takes bytes");
    for (size_t i = 0; i < frame->length; i++)
        found->sum = (found->sum * 31 + frame->bytes[i]) % 1000000007;
    found->bytes += frame->length;
}

static void check_packet(struct video_reader *reader, struct found *found)
{
    const struct video_packet *packet = reader->packet;

    fuzz_check(packet->length <= LIMIT && packet->track < reader->tracks, "a packet is within the limits");
    for (size_t i = 0; i < packet->length; i++)
        found->sum = (found->sum * 31 + packet->bytes[i]) % 1000000007;
    found->bytes += packet->length;
    free(reader->packet);
}

static void read_frames(struct video_reader *reader, size_t length, struct found *found)
{
    const struct video_wishes wishes = {
        .shape = {8, 4, 3, 8, 2, 2, false}, .max_pixels = PIXELS, .max_memory = 4 * LIMIT};
    struct video_frame frame = {.block = NULL};
    struct problem problem = {.text = ""};

    if (reader->format->open(reader, &wishes, &problem)) {
        while ((found->step = reader->format->next(reader, &frame, &problem)) <= STEP_PACKET)
            if (found->step == STEP_FRAME)
                check_frame(&frame, length, found);
            else
                check_packet(reader, found);
        fuzz_check(
            reader->info.payload != PAYLOAD_PIXELS || reader->info.shape.width > 0, "frames of pixels have a size");
    }
    fuzz_check(found->step == STEP_END || problem.text[0] != '\0', "a failure has a text");
    if (reader->format->close != NULL)
        reader->format->close(reader);
    frame_release(&frame);
}

/* Read the bytes as a file, of which the end is known. */
static struct found read_file(const struct video_format *format, int descriptor, size_t length)
{
    struct video_reader reader = {.format = format, .frame_limit = LIMIT};
    struct found found = {.step = STEP_FAILED};
    struct problem problem = {.text = ""};
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    fuzz_check(input_open(&reader.input, path, &problem), "a file can be opened");
    read_frames(&reader, length, &found);
    input_close(&reader.input);
    return found;
}

/* Read the bytes through a pipe, which holds all of them. */
static struct found read_pipe(const struct video_format *format, const uint8_t *data, size_t length)
{
    struct video_reader reader = {.format = format, .frame_limit = LIMIT};
    struct found found = {.step = STEP_FAILED};
    struct problem problem = {.text = ""};
    int ends[2];
    char path[64];

    fuzz_check(pipe(ends) == 0 && write(ends[1], data, length) == (ssize_t)length, "a pipe takes the bytes");
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    fuzz_check(input_open(&reader.input, path, &problem), "a pipe can be opened");
    close(ends[1]);
    read_frames(&reader, length, &found);
    input_close(&reader.input);
    close(ends[0]);
    return found;
}

/* Find the container by the first bytes, or by the last one. */
static const struct video_format *find_format(const uint8_t *data, size_t length)
{
    static const struct video_format *const formats[] = {
        &video_y4m, &video_avi, &video_mjpeg, &video_multipart, &video_raw};
    enum { FORMATS = sizeof formats / sizeof *formats };
    struct fuzz_input input = {data, length};

    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->detect != NULL && formats[i]->detect(data, length < 16 ? length : 16))
            return formats[i];
    return formats[fuzz_take(&input, FORMATS)];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const struct video_format *format = find_format(data, length);
    int descriptor = memfd_create("sequence", MFD_CLOEXEC);

    fuzz_check(descriptor >= 0 && write(descriptor, data, length) == (ssize_t)length, "a file takes the bytes");
    struct found file = read_file(format, descriptor, length);
    close(descriptor);
    if (length <= 60000) {
        struct found piped = read_pipe(format, data, length);
        fuzz_check(piped.frames == file.frames && piped.bytes == file.bytes && piped.sum == file.sum &&
                       piped.step == file.step,
            "a pipe gives the frames of a file");
    }
    return 0;
}
