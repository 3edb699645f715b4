/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes frames of pixels into files on a RAM disk by several threads: the bytes are those of the frames, one after the
 * other, also where the file cannot be mapped or the disk is full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/random.h"
#include "video/parts.h"
#include "video/video.h"

enum { FRAMES = 14, LENGTH = (5 << 20) + 123, LINE = 57, WHOLE = LINE + FRAMES * LENGTH };

static struct {
    int descriptor;
    bool in_order;
    uint32_t written, placed; /* calls that wrote behind what there was, and at an offset */
} file;

static uint8_t frames[WHOLE];

bool output_in_order(const struct output *output)
{
    (void)output;
    return file.in_order;
}

bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    (void)output;
    (void)problem;
    file.placed++;
    return pwrite(file.descriptor, data, length, (off_t)offset) == (ssize_t)length;
}

bool output_write(struct output *output, const void *data, size_t length, struct problem *problem)
{
    bool good = output_write_at(output, output->written, data, length, problem);

    file.placed--;
    file.written++;
    output->written += length;
    return good;
}

bool output_extend(struct output *output, size_t length, uint64_t *offset, struct problem *problem)
{
    (void)problem;
    *offset = output->written;
    output->written += length;
    return ftruncate(file.descriptor, (off_t)output->written) == 0;
}

/* Write the line and the frames into a file, and compare it with them. */
static void write_all(int descriptor, int reader, struct video_writer *writer)
{
    struct problem problem;
    uint8_t *back = malloc(WHOLE + 1);

    file.descriptor = writer->output.descriptor = descriptor;
    file.written = file.placed = 0;
    assert_non_null(back);
    assert_true(pixels_write(writer, frames, LINE, &problem));
    for (size_t i = 0; i < FRAMES; i++)
        assert_true(pixels_write(writer, frames + LINE + i * LENGTH, LENGTH, &problem));
    assert_int_equal(writer->output.written, WHOLE);
    assert_int_equal(pread(reader, back, WHOLE + 1, 0), WHOLE);
    assert_memory_equal(back, frames, WHOLE);
    free(back);
    parts_end(writer->parts);
    writer->parts = NULL;
}

static int open_memory(void)
{
    int descriptor = memfd_create("frames", MFD_CLOEXEC);

    assert_true(descriptor >= 0);
    return descriptor;
}

/* Return whether this kernel makes pages before they are touched. */
static bool can_populate(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = madvise(page, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;

    munmap(page, 4096);
    return good;
}

static void test_threads(void **state)
{
    (void)state;
    for (uint32_t helpers = 1; helpers <= 3; helpers++) {
        struct video_writer writer = {.helpers = helpers};
        int descriptor = open_memory();
        write_all(descriptor, descriptor, &writer);
        assert_int_equal(file.written, 1); /* the line */
        if (can_populate())
            assert_int_equal(file.placed, 0);
        close(descriptor);
    }
}

/* Without helpers, and where bytes must be in order, they are written. */
static void test_one_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct video_writer writer = {.helpers = i == 0 ? 0 : 3};
        int descriptor = open_memory();
        file.in_order = i == 1;
        write_all(descriptor, descriptor, &writer);
        assert_int_equal(file.written, 1 + FRAMES);
        file.in_order = false;
        close(descriptor);
    }
}

/* A file that cannot be mapped for writing is written, from the first frame on. */
static void test_no_mapping(void **state)
{
    struct video_writer writer = {.helpers = 3};
    int descriptor = open_memory(), only;
    char path[64];
    (void)state;

    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    only = fileno(stream);
    write_all(only, descriptor, &writer);
    assert_int_equal(file.placed, 1);
    assert_int_equal(file.written, FRAMES); /* the line and the others */
    fclose(stream);
    close(descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_no_mapping),
    };
    uint32_t random = 1;

    for (size_t i = 0; i < WHOLE; i++)
        frames[i] = (uint8_t)random_next(&random);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
