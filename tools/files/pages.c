/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a piece from its front by calls, and from its end by copies into the file's pages, until these meet. */
#include "files/pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

enum {
    RAM_DISK = 0x01021994, /* TMPFS_MAGIC */
    FRONT = 1 << 18,       /* the most bytes of a call at the front */
    END = 1 << 17,         /* the most of a copy; meanwhile, about 0.1 ms, other threads wait to map and unmap memory */
    LEAST = 1 << 14,       /* the least bytes of both, as long as there are so many */
    WINDOW = 1 << 26,      /* bytes that are mapped at once, because only one thread at a time can map memory */
    THREADS_MOST = 8,
    HELPERS = 3, /* a mapping thread fills 1 GB a second, a writing one 3 GB, and other work needs processors */
    PROCESSORS = 4
};

/* Describes mapped pages of the file. */
struct window {
    uint8_t *pages; /* null: none */
    uint64_t at;    /* their offset in the file */
    size_t length;
};

struct pages {
    pthread_t thread[THREADS_MOST];
    uint32_t threads;
    int descriptor;
    struct window window; /* where helpers copy to */
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t work, done;
    struct window old;   /* the window before, which a helper unmaps while others write */
    const uint8_t *data; /* the piece, and its place in the window */
    uint8_t *to;
    size_t front, end; /* the part of the piece that no thread has taken yet: from the front to the end */
    uint32_t busy;     /* threads that are copying */
    bool failed;       /* a page could not be allocated, or a system call has failed */
    bool ends;
};

/*
 * Copy into pages of the file, after madvise() has allocated them: touching a page for which the file system has no
 * room would end the process. The ends of parts share pages with parts that other threads write; each thread writes its
 * own bytes.
 */
static bool copy(uint8_t *to, const uint8_t *from, size_t length)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)to % page;

    if (madvise(to - before, (before + length + page - 1) / page * page, MADV_POPULATE_WRITE) != 0)
        return false;
    memcpy(to, from, length);
    return true;
}

static void unmap(struct window *window)
{
    if (window->pages != NULL)
        munmap(window->pages, window->length);
    window->pages = NULL;
}

/* Unmap the window before this one, which takes 1 or 2 ms. The caller holds the lock, which is released meanwhile. */
static void unmap_old(struct pages *pages)
{
    struct window old = pages->old;

    pages->old.pages = NULL;
    pthread_mutex_unlock(&pages->lock);
    unmap(&old);
    pthread_mutex_lock(&pages->lock);
}

/*
 * Choose how much a thread takes at once: half of its share of what is left, so that all threads end at about the same
 * time.
 */
static size_t choose_part(const struct pages *pages, size_t most)
{
    size_t left = pages->end - pages->front, part = left / (2 * ((size_t)pages->threads + 1)) / LEAST * LEAST;

    part = part < LEAST ? LEAST : part > most ? most : part;
    return part < left ? part : left;
}

/* Copy the last part that no thread has taken. The caller holds the lock, which is released meanwhile. */
static void take_end(struct pages *pages)
{
    size_t length = choose_part(pages, END), at = pages->end - length;
    uint8_t *to = pages->to + at;
    const uint8_t *from = pages->data + at;

    pages->end = at;
    pages->busy++;
    pthread_mutex_unlock(&pages->lock);
    bool good = copy(to, from, length);
    pthread_mutex_lock(&pages->lock);
    pages->busy--;
    pages->failed |= !good;
    if (pages->busy == 0)
        pthread_cond_signal(&pages->done);
}

static void *run(void *user)
{
    struct pages *pages = user;

    pthread_mutex_lock(&pages->lock);
    while (!pages->ends)
        if (pages->old.pages != NULL)
            unmap_old(pages);
        else if (pages->front < pages->end && !pages->failed)
            take_end(pages);
        else
            pthread_cond_wait(&pages->work, &pages->lock);
    pthread_mutex_unlock(&pages->lock);
    return NULL;
}

/* Write all bytes at an offset. */
static bool write_all(int descriptor, uint64_t offset, const uint8_t *data, size_t length)
{
    while (length > 0) {
        ssize_t written = pwrite(descriptor, data, length, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

/* Write the first part that no thread has taken. The caller holds the lock, which is released meanwhile. */
static void take_front(struct pages *pages, uint64_t offset)
{
    size_t at = pages->front, length = choose_part(pages, FRONT);

    pages->front += length;
    pthread_mutex_unlock(&pages->lock);
    bool good = write_all(pages->descriptor, offset + at, pages->data + at, length);
    pthread_mutex_lock(&pages->lock);
    pages->failed |= !good;
}

uint32_t pages_helpers(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t helpers = processors > 0 ? (uint32_t)processors / PROCESSORS : 0;

    return helpers < HELPERS ? helpers : HELPERS;
}

struct pages *pages_open(int descriptor, uint32_t helpers)
{
    struct statfs system;
    bool fits = helpers > 0 && fstatfs(descriptor, &system) == 0 && system.f_type == RAM_DISK;
    struct pages *pages = fits ? calloc(1, sizeof *pages) : NULL;

    if (pages == NULL)
        return NULL;
    pages->descriptor = descriptor;
    pthread_mutex_init(&pages->lock, NULL);
    pthread_cond_init(&pages->work, NULL);
    pthread_cond_init(&pages->done, NULL);
    while (pages->threads < helpers && pages->threads < THREADS_MOST &&
           pthread_create(&pages->thread[pages->threads], NULL, run, pages) == 0)
        pages->threads++;
    if (pages->threads > 0)
        return pages;
    pages_close(pages);
    return NULL;
}

void pages_close(struct pages *pages)
{
    if (pages == NULL)
        return;
    pthread_mutex_lock(&pages->lock);
    pages->ends = true;
    pthread_cond_broadcast(&pages->work);
    pthread_mutex_unlock(&pages->lock);
    for (uint32_t i = 0; i < pages->threads; i++)
        pthread_join(pages->thread[i], NULL);
    unmap(&pages->old);
    unmap(&pages->window);
    pthread_cond_destroy(&pages->done);
    pthread_cond_destroy(&pages->work);
    pthread_mutex_destroy(&pages->lock);
    free(pages);
}

/*
 * Extend the file to the end of a piece if it is shorter, and map the pages of the piece and of those that will
 * probably follow. The caller holds the lock, and no thread is copying.
 */
static bool map(struct pages *pages, uint64_t offset, size_t length)
{
    uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE), at = offset - before;
    size_t whole = length + before > WINDOW ? length + before : WINDOW;
    struct stat file;

    if (fstat(pages->descriptor, &file) != 0)
        return false;
    if ((uint64_t)file.st_size < offset + length && ftruncate(pages->descriptor, (off_t)(offset + length)) != 0)
        return false;
    if (pages->window.pages != NULL && offset >= pages->window.at &&
        offset + length <= pages->window.at + pages->window.length)
        return true;
    unmap(&pages->old); /* which only happens if no helper has come to it */
    pages->old = pages->window;
    pages->window.pages = NULL;
    void *window = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, pages->descriptor, (off_t)at);
    if (window == MAP_FAILED)
        return false;
    pages->window = (struct window){window, at, whole};
    return true;
}

bool pages_write(struct pages *pages, uint64_t offset, const void *data, size_t length)
{
    pthread_mutex_lock(&pages->lock);
    pages->failed = pages->failed || !map(pages, offset, length);
    if (!pages->failed) {
        pages->data = data;
        pages->to = pages->window.pages + (offset - pages->window.at);
        pages->front = 0;
        pages->end = length;
        pthread_cond_broadcast(&pages->work);
    }
    while (pages->front < pages->end && !pages->failed)
        take_front(pages, offset);
    while (pages->busy > 0)
        pthread_cond_wait(&pages->done, &pages->lock);
    bool good = !pages->failed;
    pthread_mutex_unlock(&pages->lock);
    return good;
}
