/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of a picture that go to the caller's function instead of an image. They are gathered into bands of some 256 KB,
 * which stay in the cache; a band goes out when all of its rows are there, whichever threads they come from.
 */
#ifndef KOSTKA_JPEG_CPU_BANDS_H
#define KOSTKA_JPEG_CPU_BANDS_H

#include <pthread.h>

#include <kostka/kostka_writer.h>

#include "core/memory.h"

struct jpeg_band_rows;

/* Thread-safe, but for beginning and ending. */
struct jpeg_bands {
    const kst_row_writer *writer;
    struct memory *memory;
    kst_image shape;              /* of the picture: one plane of 8-bit samples, tight */
    uint32_t rows;                /* of a band, but for the last */
    uint32_t ahead;               /* in order: so many bands may wait for those before them */
    pthread_mutex_t lock;         /* over all below */
    pthread_cond_t written;       /* in order: a band went out, or something failed */
    struct jpeg_band_rows *open;  /* bands that are not complete or wait for their turn */
    struct jpeg_band_rows *spare; /* memory for others */
    uint32_t next;                /* in order: the band whose turn it is */
    bool writing;                 /* in order: someone hands bands out */
    kst_status status;            /* the first failure; then rows are dropped */
};

/* `image` describes the picture; `lines` are what an MCU row holds. */
void kst_jpeg_bands_begin(struct jpeg_bands *bands, struct memory *memory, const kst_row_writer *writer,
    const kst_image *image, uint32_t lines, uint32_t threads);

/* Where row `y` goes. Null after a failure. Each row is asked for once, and done once it is written. */
uint8_t *kst_jpeg_bands_row(struct jpeg_bands *bands, uint32_t y);
void kst_jpeg_bands_done(struct jpeg_bands *bands, uint32_t y);

/* When all threads are through. KST_OK, KST_ERROR_WRITE or a memory status. */
kst_status kst_jpeg_bands_end(struct jpeg_bands *bands);

#endif
