/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides a read or a write into parts of at most 1 MiB, which the threads take by turns. */
#include "video/parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PART = 1 << 20,
    PART_STEP = 1 << 16,
    WINDOW = 1 << 26, /* of a file that is written: mapping each part would make the threads wait for each other */
    THREADS_MOST = 16,
    HELPERS = 3, /* the most threads that help: more than memory copies for */
    PROCESSORS = 4
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

struct parts {
    pthread_t thread[THREADS_MOST];
    uint32_t threads;
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t work, done;
    int descriptor;
    uint64_t offset;
    uint8_t *to;         /* where the bytes are read to; null: they are written */
    const uint8_t *from; /* the bytes that are written */
    size_t length, next; /* of the read or write, and what has been given to threads */
    size_t part;         /* of a part but the last one */
    size_t left;         /* bytes that have not come yet */
    size_t end;          /* the first byte that is missing; or the length */
    int error;
    bool ends;
    uint8_t *window; /* pages of the file that is written, mapped from an offset; null: none are */
    uint64_t window_at;
    size_t window_length;
};

/* Read a part. Returns how much of it there is. */
static size_t read_part(int descriptor, uint64_t offset, uint8_t *to, size_t length, int *error)
{
    size_t had = 0;

    while (had < length) {
        ssize_t got = pread(descriptor, to + had, length - had, (off_t)(offset + had));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            *error = errno;
        if (got <= 0)
            break;
        had += (size_t)got;
    }
    return had;
}

/*
 * Copy a part into the mapped pages of the file, which the first call makes: touching a page that does not fit into the
 * file system would end the process. Returns how much of the part was written, all of it or nothing.
 */
static size_t write_part(uint8_t *to, const uint8_t *from, size_t length, int *error)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)to % page;

    if (madvise(to - before, (before + length + page - 1) / page * page, MADV_POPULATE_WRITE) != 0) {
        *error = errno;
        return 0;
    }
    memcpy(to, from, length);
    return length;
}

/* Take the next part and read or write it. The caller holds the lock, which is released meanwhile. */
static void take(struct parts *parts)
{
    size_t at = parts->next, length = parts->length - at < parts->part ? parts->length - at : parts->part;
    int error = 0;

    parts->next += length;
    pthread_mutex_unlock(&parts->lock);
    size_t got = parts->to != NULL ? read_part(parts->descriptor, parts->offset + at, parts->to + at, length, &error)
                                   : write_part(parts->window + (parts->offset - parts->window_at) + at,
                                         parts->from + at, length, &error);
    pthread_mutex_lock(&parts->lock);
    if (got < length && at + got < parts->end) {
        parts->end = at + got;
        parts->error = error;
    }
    parts->left -= length;
    if (parts->left == 0)
        pthread_cond_signal(&parts->done);
}

static void *run(void *user)
{
    struct parts *parts = user;

    pthread_mutex_lock(&parts->lock);
    while (!parts->ends)
        if (parts->next < parts->length)
            take(parts);
        else
            pthread_cond_wait(&parts->work, &parts->lock);
    pthread_mutex_unlock(&parts->lock);
    return NULL;
}

uint32_t parts_helpers(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t helpers = processors > 0 ? (uint32_t)processors / PROCESSORS : 0;

    return helpers < HELPERS ? helpers : HELPERS;
}

struct parts *parts_start(uint32_t threads)
{
    struct parts *parts = calloc(1, sizeof *parts);

    if (parts == NULL)
        return NULL;
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->work, NULL);
    pthread_cond_init(&parts->done, NULL);
    while (parts->threads < threads && parts->threads < THREADS_MOST &&
           pthread_create(&parts->thread[parts->threads], NULL, run, parts) == 0)
        parts->threads++;
    if (parts->threads > 0)
        return parts;
    parts_end(parts);
    return NULL;
}

static void unmap(struct parts *parts)
{
    if (parts->window != NULL)
        munmap(parts->window, parts->window_length);
    parts->window = NULL;
}

/* Map the pages of so many bytes at an offset, and of what will probably follow. */
static bool map(struct parts *parts, int descriptor, uint64_t offset, size_t length)
{
    uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE), at = offset - before;
    size_t whole = length + before > WINDOW ? length + before : WINDOW;

    if (parts->window != NULL && offset >= parts->window_at &&
        offset + length <= parts->window_at + parts->window_length)
        return true;
    unmap(parts);
    void *window = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)at);
    if (window == MAP_FAILED)
        return false;
    parts->window = window;
    parts->window_at = at;
    parts->window_length = whole;
    return true;
}

void parts_end(struct parts *parts)
{
    if (parts == NULL)
        return;
    unmap(parts);
    pthread_mutex_lock(&parts->lock);
    parts->ends = true;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    for (uint32_t i = 0; i < parts->threads; i++)
        pthread_join(parts->thread[i], NULL);
    pthread_cond_destroy(&parts->done);
    pthread_cond_destroy(&parts->work);
    pthread_mutex_destroy(&parts->lock);
    free(parts);
}

/* Let all threads do what is set, and wait for them. The caller holds the lock. Returns the first byte that is missing.
 */
static size_t share(struct parts *parts, size_t length)
{
    size_t even = (length / (parts->threads + 1) / PART_STEP + 1) * PART_STEP; /* a part for each thread */

    parts->part = even < PART ? even : PART;
    parts->next = 0;
    parts->length = parts->left = parts->end = length;
    parts->error = 0;
    pthread_cond_broadcast(&parts->work);
    while (parts->next < parts->length)
        take(parts);
    while (parts->left > 0)
        pthread_cond_wait(&parts->done, &parts->lock);
    return parts->end;
}

size_t parts_read(struct parts *parts, int descriptor, uint64_t offset, void *to, size_t length, int *error)
{
    pthread_mutex_lock(&parts->lock);
    parts->descriptor = descriptor;
    parts->offset = offset;
    parts->to = to;
    size_t end = share(parts, length);
    *error = parts->error;
    pthread_mutex_unlock(&parts->lock);
    return end;
}

bool parts_write(struct parts *parts, int descriptor, uint64_t offset, const void *from, size_t length)
{
    pthread_mutex_lock(&parts->lock);
    parts->descriptor = descriptor;
    parts->offset = offset;
    parts->to = NULL;
    parts->from = from;
    bool good = map(parts, descriptor, offset, length) && share(parts, length) == length;
    pthread_mutex_unlock(&parts->lock);
    return good;
}
