/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how several threads code a sequential scan, one MCU row each, into one stream. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SCAN_ENCODE_H
#define KOSTKA_JPEG_CPU_ENTROPY_SCAN_ENCODE_H

#include <pthread.h>

#include "core/pool.h"
#include "core/progress.h"
#include "jpeg/cpu/entropy/huffman_encode.h"

enum { JPEG_CHUNK_BLOCKS = 64 };

/*
 * Says where blocks come from. Several workers call its functions at the same time; each asks for a row's MCUs from
 * left to right.
 */
struct jpeg_block_source {
    void *arg;
    /* Fetch what a row is made of, before start_row(). False if that failed. Null: nothing need be fetched. */
    bool (*bring)(void *arg, uint32_t worker, uint32_t row);
    /* Held while a row is claimed and fetched, so that rows are fetched in order; null: the order does not matter. */
    pthread_mutex_t *order;
    void (*start_row)(void *arg, uint32_t worker, uint32_t row); /* null: no preparation */
    /*
     * Fill in `count` MCUs from MCU `x` of a row on: blocks in zig-zag order and their masks, at most JPEG_CHUNK_BLOCKS
     * blocks. Returns false if a coefficient other than DC has more than JPEG_AC_BITS + `more` bits.
     */
    bool (*fill)(void *arg, uint32_t worker, uint32_t row, uint32_t x, uint32_t count, int16_t *block, uint64_t *mask);
};

struct jpeg_scan_crew {
    struct pool *pool;
    struct memory *memory;
    struct progress *progress; /* a step per MCU row that was coded or counted; null: none */
    const struct jpeg_huffman_encode *functions;
    struct jpeg_block_source source;
    uint32_t workers; /* as kst_jpeg_cpu_scan_workers() returns */
    struct jpeg_scan_geometry geometry;
    uint32_t restart_interval;          /* in MCUs; 0: no restarts */
    uint32_t more;                      /* jpeg_more_bits() of the frame */
    uint8_t component[JPEG_MCU_BLOCKS]; /* for each block of an MCU: its index in the arrays below */
    uint32_t component_count;
    uint8_t destination[JPEG_COMPONENTS]; /* destination of the component's Huffman tables: 0 or 1 */
    const struct jpeg_coder *coder[JPEG_COMPONENTS];
};

/* Fill in geometry, components and destinations for a scan. */
void kst_jpeg_cpu_scan_crew_layout(struct jpeg_scan_crew *crew, const struct jpeg_frame *frame,
    const uint8_t *component, uint32_t component_count, const uint8_t huffman[JPEG_COMPONENTS]);

/* Return the number of workers that are worth using for a scan. */
uint32_t kst_jpeg_cpu_scan_workers(const struct pool *pool, const struct jpeg_scan_geometry *geometry);

/* Fetch what a claimed row is made of, if the source fetches anything. */
bool kst_jpeg_cpu_source_bring(const struct jpeg_block_source *source, uint32_t worker, uint32_t row);

/* Call these before and after claiming and fetching a row. */
void kst_jpeg_cpu_source_lock(const struct jpeg_block_source *source);
void kst_jpeg_cpu_source_unlock(const struct jpeg_block_source *source);

/*
 * Write the scan's entropy-coded data. Returns KST_OK, a memory status, the sink's status, KST_ERROR_JPEG_COEFFICIENT,
 * KST_ERROR_ROWS or KST_ERROR_CANCELLED.
 */
kst_status kst_jpeg_cpu_scan_encode(const struct jpeg_scan_crew *crew, struct sink *sink);

/* Do the same row by row, on one thread: create, code each MCU row in order, end, release. Null may be released. */
struct scan_coding;
kst_status kst_jpeg_cpu_scan_coding_create(
    const struct jpeg_scan_crew *crew, struct sink *sink, struct scan_coding **coding);
kst_status kst_jpeg_cpu_scan_coding_row(struct scan_coding *coding, uint32_t row);
kst_status kst_jpeg_cpu_scan_coding_end(struct scan_coding *coding);
void kst_jpeg_cpu_scan_coding_release(struct scan_coding *coding);

/* Count the scan's symbols, separately for each destination of their tables. */
kst_status kst_jpeg_cpu_scan_count(const struct jpeg_scan_crew *crew, struct jpeg_histogram histogram[2]);

#endif
