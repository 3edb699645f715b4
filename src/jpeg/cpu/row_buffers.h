/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivers decoded rows to the caller's function instead of an image. Rows are gathered into buffers of some 256 KB,
 * which stay in the cache; a buffer is handed out when all of its rows are written, whichever threads they come from.
 */
#ifndef KOSTKA_JPEG_CPU_ROW_BUFFERS_H
#define KOSTKA_JPEG_CPU_ROW_BUFFERS_H

#include <pthread.h>

#include <kostka/kostka_writer.h>

#include "core/memory.h"

struct jpeg_row_buffer;

/*
 * Holds the buffers of one delivery. The functions are thread-safe except kst_jpeg_cpu_row_buffers_begin(),
 * kst_jpeg_cpu_row_buffers_fit() and kst_jpeg_cpu_row_buffers_end(). "In order" marks members that are used only when
 * the writer asks for buffers in order.
 */
struct jpeg_row_buffers {
    const kst_row_writer *writer;
    struct memory *memory;
    kst_image shape; /* shape of the picture: one plane of 8-bit samples, without gaps between rows */
    uint32_t rows;   /* rows per buffer; the last buffer may have fewer */
    /*
     * In order: how many buffers a buffer may be ahead of the one whose turn it is; a thread waits before it opens one
     * that is further ahead.
     */
    uint32_t ahead;
    pthread_mutex_t lock;          /* guards all members below */
    pthread_cond_t written;        /* in order: signalled when a buffer was handed out or something failed */
    struct jpeg_row_buffer *open;  /* buffers that are incomplete or wait for their turn */
    struct jpeg_row_buffer *spare; /* unused buffers whose memory is kept */
    uint32_t next;                 /* in order: the buffer whose turn it is */
    bool writing;                  /* in order: a thread is handing buffers out */
    bool taken_over;               /* one thread hands out the buffers that the others complete */
    uint32_t left;                 /* number of complete buffers that were left to that thread */
    pthread_cond_t changed;        /* signalled when `left` has grown or `taken_over` has been cleared */
    kst_status status;             /* the first failure, after which rows are dropped */
};

/* `image` describes the picture; `lines` is the number of lines of an MCU row. */
void kst_jpeg_cpu_row_buffers_begin(struct jpeg_row_buffers *buffers, struct memory *memory,
    const kst_row_writer *writer, const kst_image *image, uint32_t lines, uint32_t threads);

/*
 * Return whether three quarters of the memory that is left have room for the buffers that so many threads need to work
 * at the same time. In order, reduces `ahead` to as many buffers as there is room for.
 */
bool kst_jpeg_cpu_row_buffers_fit(struct jpeg_row_buffers *buffers, uint32_t threads);

/*
 * kst_jpeg_cpu_row_buffers_rows() returns the address of row `y`, and in *count how many rows of its buffer follow each
 * other from there on; after a failure null and 1. Each row is asked for once, and reported with
 * kst_jpeg_cpu_row_buffers_done() once it is written, several at once if they belong to one buffer.
 */
uint8_t *kst_jpeg_cpu_row_buffers_rows(struct jpeg_row_buffers *buffers, uint32_t y, uint32_t *count);
void kst_jpeg_cpu_row_buffers_done(struct jpeg_row_buffers *buffers, uint32_t y, uint32_t count);

/*
 * One thread takes over handing out buffers. From then on the other threads leave the buffers that they complete to
 * this thread, as long as few are waiting. It hands out the waiting ones with kst_jpeg_cpu_row_buffers_hand_out(). With
 * kst_jpeg_cpu_row_buffers_hand_out_all() it also waits for more, until another thread calls
 * kst_jpeg_cpu_row_buffers_take_back(), after which each thread again hands out what it completes.
 */
void kst_jpeg_cpu_row_buffers_take_over(struct jpeg_row_buffers *buffers);
void kst_jpeg_cpu_row_buffers_hand_out(struct jpeg_row_buffers *buffers);
void kst_jpeg_cpu_row_buffers_hand_out_all(struct jpeg_row_buffers *buffers);
void kst_jpeg_cpu_row_buffers_take_back(struct jpeg_row_buffers *buffers);

/* Release everything, once all threads have finished. Returns KST_OK, KST_ERROR_WRITE or a memory status. */
kst_status kst_jpeg_cpu_row_buffers_end(struct jpeg_row_buffers *buffers);

#endif
