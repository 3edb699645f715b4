/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads sequences that are whole, cut off and damaged: what the readers find stays within its limits, each call moves
 * on, and a failure has a text. Outputs stay in memory here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/random.h"
#include "video/video.h"

enum { FRAMES = 5, SIDE = 20, ROUNDS = 400, LIMIT = 1 << 16, ROOM = 1 << 18 };

static struct {
    uint8_t bytes[ROOM];
    size_t length;
} file;

bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    (void)output;
    (void)problem;
    assert_true(offset <= ROOM && length <= ROOM - offset);
    memcpy(file.bytes + offset, data, length);
    file.length = offset + length > file.length ? (size_t)offset + length : file.length;
    return true;
}

bool output_write(struct output *output, const void *data, size_t length, struct problem *problem)
{
    bool good = output_write_at(output, output->written, data, length, problem);

    output->written += length;
    return good;
}

bool output_write_now(struct output *output, const void *data, size_t length, struct problem *problem)
{
    return output_write(output, data, length, problem);
}

bool output_end_at(struct output *output, uint64_t length, struct problem *problem)
{
    (void)output;
    (void)length;
    (void)problem;
    return true;
}

/* Make a frame: noise as pixels, or a stream. */
static void make_frame(const struct video_shape *shape, bool coded, struct video_frame *frame)
{
    struct problem problem;

    assert_true(frame_reserve(frame, shape_bytes(shape), &problem));
    frame->length = shape_bytes(shape);
    for (size_t i = 0; i < frame->length; i++)
        frame->bytes[i] = (uint8_t)next_random();
    if (!coded)
        return;
    kst_context_options options;
    kst_context *context;
    kst_image image;
    kst_buffer buffer = {.data = NULL};
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    shape_image(shape, frame->bytes, &image);
    assert_int_equal(kst_encode(context, &image, NULL, &buffer, NULL), KST_OK);
    frame->length = 0;
    assert_true(frame_append(frame, buffer.data, buffer.length, &problem));
    kst_buffer_release(context, &buffer);
    kst_context_destroy(&context);
}

enum { SOUND = 95, SAMPLE = 2 /* bytes of a packet, and of a unit of sound */ };

static struct video_track make_track(void)
{
    static uint8_t wave[] = {1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, SAMPLE, 0, 16, 0};

    return (struct video_track){.unit = {1, 8000},
        .wave = wave,
        .wave_length = sizeof wave,
        .wave_unit = {1, 8000},
        .wave_bytes = SAMPLE,
        .copied = true};
}

/* Write a packet, whose bytes count up over all packets. */
static void add_packet(struct video_writer *writer)
{
    struct problem problem;
    struct video_packet *packet = packet_make(0, SOUND, &problem);

    assert_non_null(packet);
    for (size_t i = 0; i < SOUND; i++)
        packet->bytes[i] = (uint8_t)((writer->count - 1) * SOUND + i);
    assert_true(writer->format->add_packet(writer, packet, &problem));
    free(packet);
}

/* Check a packet that was read, of a file that is whole if `heard` is not null; that counts the bytes. */
static void check_packet(struct video_reader *reader, size_t *heard)
{
    const struct video_packet *packet = reader->packet;

    assert_true(packet->length <= LIMIT && packet->track < reader->tracks);
    if (heard != NULL)
        assert_int_equal(packet->time, *heard / SAMPLE);
    for (size_t i = 0; heard != NULL && i < packet->length; i++)
        assert_int_equal(packet->bytes[i], (uint8_t)(*heard)++);
    free(reader->packet);
}

/* Make a file of some frames. Returns the bytes of one of them, all of which are the same. */
static void make_file(const struct video_format *format, struct video_frame *frame)
{
    const struct video_shape shape = {SIDE, SIDE, 3, 8, 2, 2, false};
    bool coded = (format->payloads & 1 << PAYLOAD_PIXELS) == 0;
    struct problem problem;
    struct video_track track = make_track();
    struct video_writer writer = {.format = format,
        .track = &track,
        .tracks = 1,
        .info = {.payload = coded ? PAYLOAD_JPEG : PAYLOAD_PIXELS,
            .shape = shape,
            .rate = {25, 1},
            .aspect = {4, 3},
            .interlace = 'p'}};

    file.length = 0;
    make_frame(&shape, coded, frame);
    assert_true(format->begin(&writer, &problem));
    for (int i = 0; i < FRAMES; i++) {
        writer.count++;
        if (format->add_packet != NULL)
            add_packet(&writer);
        assert_true(format->add(&writer, frame, &problem));
    }
    assert_true(format->end(&writer, &problem));
    if (format->drop != NULL)
        format->drop(&writer);
}

/* Read the first `length` bytes of the file. Returns how many frames there were; `wanted`, if not null, is each. */
static int read_file(const struct video_format *format, size_t length, const struct video_frame *wanted)
{
    const struct video_wishes wishes = {
        .shape = {SIDE, SIDE, 3, 8, 2, 2, false}, .max_pixels = LIMIT, .max_memory = 4 * LIMIT};
    struct video_reader reader = {.format = format, .frame_limit = LIMIT};
    struct video_frame frame = {.block = NULL};
    struct problem problem = {.text = ""};
    enum video_step step = STEP_FAILED;
    char path[64];
    size_t heard = 0;
    int count = 0, descriptor = memfd_create("sequence", MFD_CLOEXEC);

    assert_true(descriptor >= 0 && write(descriptor, file.bytes, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    lseek(descriptor, 0, SEEK_SET);
    assert_true(input_open(&reader.input, path, &problem));
    if (format->open(&reader, &wishes, &problem)) {
        while ((step = format->next(&reader, &frame, &problem)) <= STEP_PACKET) {
            if (step == STEP_PACKET) {
                check_packet(&reader, wanted == NULL ? NULL : &heard);
                continue;
            }
            assert_true(frame.length <= LIMIT + 1024 && frame.capacity <= 4 * LIMIT);
            assert_true(++count <= (int)length);
            if (wanted != NULL) {
                assert_int_equal(frame.length, wanted->length);
                assert_memory_equal(frame.bytes, wanted->bytes, frame.length);
            }
        }
    }
    assert_true(step == STEP_END || problem.text[0] != '\0');
    assert_int_equal(heard, wanted == NULL || format->add_packet == NULL ? 0 : FRAMES * SOUND);
    if (format->close != NULL)
        format->close(&reader);
    input_close(&reader.input);
    frame_release(&frame);
    close(descriptor);
    return count;
}

/* Change some bytes, or set numbers of four bytes to what is small, large or odd. */
static void damage(void)
{
    static const uint32_t odd[] = {0, 1, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
    size_t head = file.length < 2000 ? file.length : 2000;

    for (uint32_t i = next_random() % 4 + 1; i > 0; i--) {
        size_t at = next_random() % (next_random() % 2 == 0 ? head : file.length);
        if (next_random() % 3 != 0)
            file.bytes[at] = (uint8_t)next_random();
        else if (at + 4 <= file.length)
            memcpy(file.bytes + at, &odd[next_random() % 7], 4);
    }
}

static const struct video_format *const formats[] = {
    &video_y4m, &video_avi, &video_mjpeg, &video_multipart, &video_raw};
enum { FORMATS = sizeof formats / sizeof *formats };

static void test_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        struct video_frame frame = {.block = NULL};
        make_file(formats[i], &frame);
        assert_int_equal(read_file(formats[i], file.length, &frame), FRAMES);
        frame_release(&frame);
    }
}

/* Check that a file that is cut off yields all frames in front of the cut; a stream may yield a part of one more. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        struct video_frame frame = {.block = NULL};
        int before = 0;
        make_file(formats[i], &frame);
        for (size_t length = 1; length < file.length; length += 97) {
            int count = read_file(formats[i], length, NULL);
            assert_in_range(count, before > 0 ? before - 1 : 0, FRAMES);
            before = count;
        }
        frame_release(&frame);
    }
}

static void test_damage(void **state)
{
    static uint8_t whole[ROOM];

    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        struct video_frame frame = {.block = NULL};
        make_file(formats[i], &frame);
        size_t length = file.length;
        memcpy(whole, file.bytes, length);
        for (int round = 0; round < ROUNDS; round++) {
            damage();
            read_file(formats[i], round % 5 == 0 ? next_random() % length : length, NULL);
            memcpy(file.bytes, whole, length);
        }
        frame_release(&frame);
    }
}

/* Read large pieces by several threads, at odd places, up to an end that is in the middle of one. */
static void test_shared(void **state)
{
    enum { LENGTH = (11 << 20) + 12345, PIECE = (5 << 20) + 77, FIRST = 1001 };
    struct video_input input;
    struct problem problem;
    char path[64];
    int descriptor = memfd_create("large", MFD_CLOEXEC);
    uint8_t *bytes = malloc(LENGTH), *got = malloc(LENGTH + PIECE);
    size_t had = 0, some, length;

    (void)state;
    assert_true(descriptor >= 0 && bytes != NULL && got != NULL);
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)next_random();
    assert_true(write(descriptor, bytes, LENGTH) == LENGTH);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    assert_true(input_open(&input, path, &problem));
    input.helpers = 3;
    input_peek(&input, 1, &length);
    had = input_read(&input, got, FIRST);
    while ((some = input_read(&input, got + had, PIECE)) > 0) {
        had += some;
        assert_true(input.offset == had && input.parts != NULL);
    }
    assert_int_equal(had, LENGTH);
    assert_memory_equal(got, bytes, LENGTH);
    assert_true(input_good(&input, &problem));
    input_close(&input);
    close(descriptor);
    free(got);
    free(bytes);
}

/* Let a frame's memory be pinned: it grows, and goes back to the context. */
static void test_pinned(void **state)
{
    kst_context_options options;
    kst_context *context;
    struct video_frame frame = {.block = NULL};
    struct problem problem;
    uint8_t bytes[1000];

    (void)state;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.limits.memory = 1 << 20;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random();
    frame.context = context;
    for (int i = 0; i < 50; i++)
        assert_true(frame_append(&frame, bytes, sizeof bytes, &problem));
    assert_true(frame.pinned);
    for (size_t i = 0; i < 50; i++)
        assert_memory_equal(frame.bytes + i * sizeof bytes, bytes, sizeof bytes);
    /* What the context does not permit is in plain memory. */
    assert_true(frame_reserve(&frame, 2 << 20, &problem));
    assert_false(frame.pinned);
    assert_memory_equal(frame.bytes, bytes, sizeof bytes);
    frame_release(&frame);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_pinned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
