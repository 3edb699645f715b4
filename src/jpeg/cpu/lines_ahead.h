/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how another thread makes MCU rows of a picture that arrives little by little, while the caller reads lines
 * of those that were made before and does with them what it likes.
 */
#ifndef KOSTKA_JPEG_CPU_LINES_AHEAD_H
#define KOSTKA_JPEG_CPU_LINES_AHEAD_H

#include <pthread.h>

#include "core/pool.h"

/*
 * A task of the pool makes at most JPEG_LINES_AHEAD rows. Lines at a border need samples of both rows beside it, so
 * JPEG_LINES_KEPT rows stay until the next task begins: those, the row that the caller made, and the one above it.
 */
enum { JPEG_LINES_AHEAD = 14, JPEG_LINES_KEPT = JPEG_LINES_AHEAD + 2 };

struct jpeg_arriving;

/* Says what is known of the rows that were made, and of the next one. */
struct jpeg_rows_made {
    uint32_t ready;    /* the first line that needs MCU rows not made yet */
    bool dry;          /* the next row's data have not arrived completely */
    kst_status status; /* the next row is damaged; otherwise KST_OK */
};

struct jpeg_lines_ahead {
    struct pool *pool;    /* null: the caller makes all rows */
    bool begun;           /* a task was begun that has not been ended */
    struct pool_run run;  /* the task */
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    struct jpeg_rows_made made;
    bool started; /* the other thread has begun to make rows */
    bool over;    /* the task makes no more rows */
};

/*
 * Prepare another thread for a picture, whose output is described. Returns false, and has no effect, if the pool has no
 * other thread or the picture is not worth it. Releasing ends the thread's work; so it does for a picture that was not
 * prepared.
 */
bool kst_jpeg_cpu_lines_ahead_init(struct pool *pool, struct jpeg_arriving *lines);
void kst_jpeg_cpu_lines_ahead_release(struct jpeg_arriving *lines);

/* Call another thread to make rows from the next one on, if one may and if there can be any. */
void kst_jpeg_cpu_lines_ahead_begin(struct jpeg_arriving *lines);

/*
 * Wait until the other thread has made rows that the caller does not know, or has found that it can make none, and
 * bring lines->made up to date. As long as the other thread has not begun, the caller makes a row instead of waiting.
 * Returns false if no thread was called.
 */
bool kst_jpeg_cpu_lines_ahead_wait(struct jpeg_arriving *lines);

/* Wait until no other thread makes rows. */
void kst_jpeg_cpu_lines_ahead_end(struct jpeg_arriving *lines);

#endif
