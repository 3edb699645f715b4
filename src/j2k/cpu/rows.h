/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands a picture's rows to the caller's function while they are made, so that the picture is never in memory as a
 * whole. The rows of a strip gather in a band of its thread's, which is handed out whenever it is full.
 */
#ifndef KOSTKA_J2K_CPU_ROWS_H
#define KOSTKA_J2K_CPU_ROWS_H

#include <pthread.h>

#include <kostka/kostka_writer.h>

#include "j2k/cpu/decode.h"

/*
 * Describes a picture of one plane, whose rows have no gaps. The targets of its components have the addresses and the
 * pitch that they would have if `pixel` was the picture's first pixel; only their distances matter.
 */
struct j2k_rows {
    const kst_row_writer *writer;
    kst_image shape; /* the picture; its data are `pixel` */
    uint8_t pixel[16];
    pthread_mutex_t lock;
    pthread_cond_t passed; /* broadcast when `next` has changed */
    uint32_t next;         /* guarded by `lock`: all rows before this one were handed out, or never will be */
};

/* Begin to hand out rows. `image` describes the picture, which has interleaved integer samples. */
void kst_j2k_cpu_rows_begin(struct j2k_rows *rows, const kst_row_writer *writer, const kst_image *image);
void kst_j2k_cpu_rows_end(struct j2k_rows *rows);

/*
 * Return whether a plan's rows come from top to bottom, with all samples of a pixel at the same time. This is so if no
 * tile lies beside another or is missing, and all wanted components are decoded together.
 */
bool kst_j2k_cpu_rows_suit(const struct j2k_plan *plan, const struct j2k_target *target);

/* Return the most rows of a band. */
uint32_t kst_j2k_cpu_rows_of_band(const struct j2k_rows *rows, const struct pool *pool);

/* If the caller wants rows in order, wait until all rows before row `y` have passed. */
void kst_j2k_cpu_rows_wait(struct j2k_rows *rows, uint32_t y);

/* Hand out `count` rows from row `y` of the picture on. Returns false if they were not taken. */
bool kst_j2k_cpu_rows_write(const struct j2k_rows *rows, uint32_t y, uint32_t count, void *data);

/* Say that all rows before row `y` were handed out, or that they never will be. */
void kst_j2k_cpu_rows_pass(struct j2k_rows *rows, uint32_t y);

#endif
