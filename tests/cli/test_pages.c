/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes pieces into files on a RAM disk by several threads: the bytes are those of the pieces, one after the other,
 * and where the file cannot be mapped or cannot grow the caller learns that it has to write by itself.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "files/pages.h"
#include "support/random.h"
#include "support/test.h"

enum { PIECES = 14, LENGTH = (5 << 20) + 123, LINE = 57, WHOLE = LINE + PIECES * LENGTH };

static uint8_t bytes[WHOLE];

static int open_memory(unsigned flags)
{
    int descriptor = memfd_create("pieces", MFD_CLOEXEC | flags);

    assert_true(descriptor >= 0);
    return descriptor;
}

/* Return whether this kernel makes pages before they are touched. */
static bool can_populate(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = page != MAP_FAILED && madvise(page, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;

    munmap(page, 4096);
    return good;
}

static void assert_written(int descriptor, size_t length)
{
    uint8_t *back = malloc(WHOLE + 1);

    assert_non_null(back);
    assert_int_equal(pread(descriptor, back, WHOLE + 1, 0), length);
    assert_memory_equal(back, bytes, length);
    free(back);
}

/* Pieces of more than a window in all, which begin anywhere in a page. */
static void test_threads(void **state)
{
    (void)state;
    if (!can_populate())
        skip("this kernel makes no pages before they are touched");
    for (uint32_t helpers = 1; helpers <= 5; helpers += 2) {
        int descriptor = open_memory(0);
        struct pages *pages = pages_open(descriptor, helpers);
        assert_non_null(pages);
        assert_int_equal(pwrite(descriptor, bytes, LINE, 0), LINE);
        for (size_t at = LINE; at < WHOLE; at += LENGTH)
            assert_true(pages_write(pages, at, bytes + at, LENGTH));
        assert_written(descriptor, WHOLE);
        pages_close(pages);
        assert_written(descriptor, WHOLE);
        close(descriptor);
    }
}

/* A piece that is larger than a window, and pieces of a byte. */
static void test_sizes(void **state)
{
    int descriptor = open_memory(0);
    struct pages *pages = pages_open(descriptor, 2);
    (void)state;

    if (!can_populate())
        skip("this kernel makes no pages before they are touched");
    assert_non_null(pages);
    for (size_t at = 0; at < 3; at++)
        assert_true(pages_write(pages, at, bytes + at, 1));
    assert_true(pages_write(pages, 3, bytes + 3, WHOLE - 3));
    assert_written(descriptor, WHOLE);
    pages_close(pages);
    close(descriptor);
}

/* Nothing is written by threads any more once something has failed. */
static void expect_failure(int descriptor)
{
    struct pages *pages = pages_open(descriptor, 2);

    assert_non_null(pages);
    assert_false(pages_write(pages, LINE, bytes, LENGTH));
    assert_false(pages_write(pages, 0, bytes, 1));
    pages_close(pages);
}

static void test_only_writable(void **state)
{
    int descriptor = open_memory(0), only;
    char path[64];
    (void)state;

    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    only = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(only >= 0);
    expect_failure(only);
    close(only);
    close(descriptor);
}

static void test_cannot_grow(void **state)
{
    int descriptor = open_memory(MFD_ALLOW_SEALING);
    const struct rlimit small = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    (void)state;

    assert_int_equal(fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW), 0);
    expect_failure(descriptor);
    close(descriptor);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    descriptor = open_memory(0);
    expect_failure(descriptor);
    close(descriptor);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* Threads help with files of RAM disks alone. */
static void test_elsewhere(void **state)
{
    int ends[2], descriptor = open_memory(0);
    (void)state;

    assert_int_equal(pipe(ends), 0);
    assert_null(pages_open(ends[1], 2));
    assert_null(pages_open(-1, 2));
    assert_null(pages_open(descriptor, 0));
    pages_close(NULL);
    close(ends[0]);
    close(ends[1]);
    close(descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_only_writable),
        cmocka_unit_test(test_cannot_grow),
        cmocka_unit_test(test_elsewhere),
    };
    uint32_t random = 1;

    for (size_t i = 0; i < WHOLE; i++)
        bytes[i] = (uint8_t)random_next(&random);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
