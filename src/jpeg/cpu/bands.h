/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivers decoded rows to the caller's function instead of an image. Rows are gathered into bands of some 256 KB,
 * which stay in the cache; a band is handed out when all of its rows are written, whichever threads they come from.
 */
#ifndef KOSTKA_JPEG_CPU_BANDS_H
#define KOSTKA_JPEG_CPU_BANDS_H

#include <pthread.h>

#include <kostka/kostka_writer.h>

#include "core/memory.h"

struct jpeg_band_rows;

/*
 * All functions are thread-safe except those that begin and end the delivery. "In order" marks members that are used
 * only when the writer asks for bands in order.
 */
struct jpeg_bands {
    const kst_row_writer *writer;
    struct memory *memory;
    kst_image shape; /* shape of the picture: one plane of 8-bit samples, without gaps between rows */
    uint32_t rows;   /* rows per band; the last band may have fewer */
    /* In order: how many bands a band may be ahead of the one whose turn it is; its rows wait beyond that. */
    uint32_t ahead;
    pthread_mutex_t lock;         /* guards all members below */
    pthread_cond_t written;       /* in order: signalled when a band was handed out or something failed */
    struct jpeg_band_rows *open;  /* bands that are incomplete or wait for their turn */
    struct jpeg_band_rows *spare; /* unused bands whose memory is kept */
    uint32_t next;                /* in order: the band whose turn it is */
    bool writing;                 /* in order: a thread is handing bands out */
    bool taken_over;              /* one thread hands out the bands that the others complete */
    uint32_t left;                /* number of complete bands that were left to that thread */
    pthread_cond_t changed;       /* signalled when either member changed */
    kst_status status;            /* the first failure, after which rows are dropped */
};

/* `image` describes the picture; `lines` is the number of lines of an MCU row. */
void kst_jpeg_bands_begin(struct jpeg_bands *bands, struct memory *memory, const kst_row_writer *writer,
    const kst_image *image, uint32_t lines, uint32_t threads);

/*
 * kst_jpeg_bands_rows() returns where row `y` goes, and how many rows of its band follow each other from there on, or
 * null and 1 after a failure. Each row is asked for once, and reported with kst_jpeg_bands_done() once it is written,
 * several at once if they belong to one band.
 */
uint8_t *kst_jpeg_bands_rows(struct jpeg_bands *bands, uint32_t y, uint32_t *count);
void kst_jpeg_bands_done(struct jpeg_bands *bands, uint32_t y, uint32_t count);

/*
 * One thread takes over handing out bands. From then on the other threads leave the bands that they complete to it, as
 * long as few are left. It hands out those that were left with kst_jpeg_bands_hand_out(). With
 * kst_jpeg_bands_hand_out_all() it also waits for more, until another thread calls kst_jpeg_bands_take_back(), after
 * which each thread again hands out what it completes.
 */
void kst_jpeg_bands_take_over(struct jpeg_bands *bands);
void kst_jpeg_bands_hand_out(struct jpeg_bands *bands);
void kst_jpeg_bands_hand_out_all(struct jpeg_bands *bands);
void kst_jpeg_bands_take_back(struct jpeg_bands *bands);

/* Release everything, once all threads have finished. Returns KST_OK, KST_ERROR_WRITE or a memory status. */
kst_status kst_jpeg_bands_end(struct jpeg_bands *bands);

#endif
