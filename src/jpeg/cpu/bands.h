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
    kst_status status;            /* the first failure, after which rows are dropped */
};

/* `image` describes the picture; `lines` is the number of lines of an MCU row. */
void kst_jpeg_bands_begin(struct jpeg_bands *bands, struct memory *memory, const kst_row_writer *writer,
    const kst_image *image, uint32_t lines, uint32_t threads);

/*
 * kst_jpeg_bands_row() returns where row `y` goes, or null after a failure. Each row is asked for once, and reported
 * with kst_jpeg_bands_done() once it is written.
 */
uint8_t *kst_jpeg_bands_row(struct jpeg_bands *bands, uint32_t y);
void kst_jpeg_bands_done(struct jpeg_bands *bands, uint32_t y);

/* Release everything, once all threads have finished. Returns KST_OK, KST_ERROR_WRITE or a memory status. */
kst_status kst_jpeg_bands_end(struct jpeg_bands *bands);

#endif
