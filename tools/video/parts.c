/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides a read into parts of at most 1 MiB, which several threads read. */
#include "video/parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PART = 1 << 20,
    PART_STEP = 1 << 16,
    THREADS_MOST = 16,
    HELPERS = 3, /* the most helping threads: more do not help, because memory limits the speed of copies */
    PROCESSORS = 4
};

struct parts {
    pthread_t thread[THREADS_MOST];
    uint32_t threads;
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t work, done;
    int descriptor;
    uint64_t offset;
    uint8_t *to;         /* where the bytes are read to */
    size_t length, next; /* bytes of the read, and how many of them threads have taken */
    size_t part;         /* bytes of each part but the last one */
    size_t left;         /* bytes that have not been read yet */
    size_t end;          /* offset of the first missing byte, or the length */
    int error;
    bool ends;
};

/* Read a part. Returns the number of bytes that were read. */
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

/* Take the next part and read it. The caller holds the lock, which is released meanwhile. */
static void take(struct parts *parts)
{
    size_t at = parts->next, length = parts->length - at < parts->part ? parts->length - at : parts->part;
    int error = 0;

    parts->next += length;
    pthread_mutex_unlock(&parts->lock);
    size_t got = read_part(parts->descriptor, parts->offset + at, parts->to + at, length, &error);
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

void parts_end(struct parts *parts)
{
    if (parts == NULL)
        return;
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

size_t parts_read(struct parts *parts, int descriptor, uint64_t offset, void *to, size_t length, int *error)
{
    size_t even = (length / (parts->threads + 1) / PART_STEP + 1) * PART_STEP; /* one part for each thread */

    pthread_mutex_lock(&parts->lock);
    parts->descriptor = descriptor;
    parts->offset = offset;
    parts->to = to;
    parts->part = even < PART ? even : PART;
    parts->next = 0;
    parts->length = parts->left = parts->end = length;
    parts->error = 0;
    pthread_cond_broadcast(&parts->work);
    while (parts->next < parts->length)
        take(parts);
    while (parts->left > 0)
        pthread_cond_wait(&parts->done, &parts->lock);
    size_t end = parts->end;
    *error = parts->error;
    pthread_mutex_unlock(&parts->lock);
    return end;
}
