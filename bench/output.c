/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how fast frames in memory are written to a new file, in several ways, for docs/performance/sequences.md:
 *
 *     kostka-output FILE [BYTES-A-FRAME [FRAMES]]
 *
 * Prints a line for each way, with gigabytes a second of wall-clock time and seconds of processor time a gigabyte. The
 * file is removed after each.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "files/pages.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum { THREADS_MOST = 8, SOURCES = 80 /* too many for the caches */, PART = 1 << 20 };

enum way { WAY_WRITE, WAY_RESERVE, WAY_MAP, WAY_POPULATE, WAY_WHOLE, WAY_BOTH, WAYS };

static const char *const names[WAYS] = {"written", "reserved, then written", "mapped", "mapped and populated",
    "mapped as a whole and populated", "written from the front, mapped and populated from the end"};

struct job {
    int descriptor;
    enum way way;
    uint32_t threads;
    uint8_t *source[SOURCES];
    size_t frame, frames;
    uint8_t *pages; /* of the whole file; null: parts are mapped one by one */
};

struct worker {
    struct job *job;
    uint32_t index;
    bool failed;
};

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool write_part(const struct job *job, const uint8_t *from, size_t offset, size_t length)
{
    for (ssize_t got; length > 0; from += got, offset += (size_t)got, length -= (size_t)got)
        if ((got = pwrite(job->descriptor, from, length, (off_t)offset)) <= 0)
            return false;
    return true;
}

/*
 * Copy into the file's pages. Parts do not begin at multiples of the page size, so that other threads may map the same
 * pages.
 */
static bool map_part(const struct job *job, const uint8_t *from, size_t offset, size_t length)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = offset % page, whole = before + length;
    uint8_t *to =
        job->pages ? job->pages + offset - before
                   : mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, job->descriptor, (off_t)(offset - before));
    if (to == MAP_FAILED)
        return false;
    bool good = job->way == WAY_MAP || madvise(to, (whole + page - 1) / page * page, MADV_POPULATE_WRITE) == 0;
    if (good)
        memcpy(to + before, from, length);
    if (!job->pages)
        munmap(to, whole);
    return good;
}

/* Write every `threads`-th part, so that all threads share each frame and frames are finished in order. */
static void *run(void *user)
{
    struct worker *worker = user;
    struct job *job = worker->job;
    size_t parts = (job->frame + PART - 1) / PART;
    if (job->threads == 1)
        parts = 1;
    size_t part = job->threads == 1 ? job->frame : PART;
    for (size_t i = worker->index; i < job->frames * parts; i += job->threads) {
        size_t frame = i / parts, at = i % parts * part, length = job->frame - at < part ? job->frame - at : part;
        const uint8_t *from = job->source[frame % SOURCES] + at;
        size_t offset = frame * job->frame + at;
        bool mapped = job->way >= WAY_MAP;
        worker->failed |= !(mapped ? map_part(job, from, offset, length) : write_part(job, from, offset, length));
    }
    return NULL;
}

/* Write as the command line does: this thread from the front of each frame, the others from its end. */
static bool write_both(const struct job *job)
{
    struct pages *pages = job->threads > 1 ? pages_open(job->descriptor, job->threads - 1) : NULL;
    bool good = true;
    for (size_t i = 0; i < job->frames && good; i++) {
        const uint8_t *from = job->source[i % SOURCES];
        good = pages ? pages_write(pages, i * job->frame, from, job->frame)
                     : write_part(job, from, i * job->frame, job->frame);
    }
    pages_close(pages);
    return good;
}

static bool measure(struct job *job, const char *path)
{
    struct worker worker[THREADS_MOST];
    pthread_t thread[THREADS_MOST];
    double bytes = (double)job->frame * (double)job->frames;
    bool failed = false;
    job->descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (job->descriptor < 0)
        return false;
    double began = seconds_of(CLOCK_MONOTONIC), spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (job->way == WAY_RESERVE)
        failed = posix_fallocate(job->descriptor, 0, (off_t)(job->frame * job->frames)) != 0;
    else if (job->way == WAY_BOTH)
        failed = !write_both(job);
    else if (job->way != WAY_WRITE)
        failed = ftruncate(job->descriptor, (off_t)(job->frame * job->frames)) != 0;
    size_t length = job->frame * job->frames;
    void *pages = job->way == WAY_WHOLE && !failed
                      ? mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, job->descriptor, 0)
                      : NULL;
    job->pages = pages == MAP_FAILED ? NULL : pages;
    uint32_t threads = job->way == WAY_BOTH ? 0 : job->threads;
    for (uint32_t i = 0; i < threads; i++) {
        worker[i] = (struct worker){job, i, false};
        failed |= pthread_create(&thread[i], NULL, run, &worker[i]) != 0;
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        failed |= worker[i].failed;
    }
    if (job->pages)
        munmap(job->pages, length);
    began = seconds_of(CLOCK_MONOTONIC) - began;
    spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - spent;
    close(job->descriptor);
    unlink(path);
    printf("%s by %u threads: %.2f GB/s, %.2f s of processor time a GB%s\n", names[job->way], (unsigned)job->threads,
        bytes / began * 1e-9, spent / bytes * 1e9, failed ? ", failed" : "");
    return !failed;
}

int main(int argc, char **argv)
{
    struct job job = {.frame = argc > 2 ? strtoul(argv[2], NULL, 10) : 3110406,
        .frames = argc > 3 ? strtoul(argv[3], NULL, 10) : 600};
    bool good = true;
    if (argc < 2 || job.frame == 0) {
        fprintf(stderr, "usage: kostka-output FILE [BYTES-A-FRAME [FRAMES]]\n");
        return 2;
    }
    uint8_t *block = calloc(SOURCES, job.frame);
    if (!block)
        return 1;
    for (int i = 0; i < SOURCES; i++) {
        job.source[i] = block + (size_t)i * job.frame;
        memset(job.source[i], i + 1, job.frame);
    }
    for (job.threads = 1; job.threads <= THREADS_MOST; job.threads *= 2)
        for (job.way = 0; job.way < WAYS; job.way++)
            good &= measure(&job, argv[1]);
    free(block);
    return !good;
}
