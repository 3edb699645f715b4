/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a picture whose coefficients are not in memory: MCU rows of them are made when they are needed, from a
 * decoder that goes through the source, or from a store.
 */
#ifndef KOSTKA_JPEG_CPU_RESULT_H
#define KOSTKA_JPEG_CPU_RESULT_H

#include "jpeg/cpu/encode_source.h"
#include "jpeg/cpu/row_decoder.h"
#include "jpeg/cpu/store.h"
#include "jpeg/plan/transform.h"

struct jpeg_result {
    const struct jpeg_transform *transform; /* its frame is the result's */
    const struct jpeg_frame *source;        /* the frame of the source */
    /* Null: the store is used. A decoder needs a transform in order (kst_jpeg_cpu_result_in_order()). */
    struct jpeg_row_decoder *decoder;
    const struct jpeg_store *store;
};

/* Return whether a transform takes the rows of the source from the top to the bottom. */
bool kst_jpeg_cpu_result_in_order(const struct jpeg_transform *transform);

/* Reads rows of a result; each thread has its own reader, but only one if there is a decoder. */
struct jpeg_result_reader {
    const struct jpeg_result *result;
    uint32_t components; /* a bit for each component to read */
    struct jpeg_store_reader store;
    kst_status status; /* of the last read */
};

/* Read the components of a scan. On failure nothing is held. */
kst_status kst_jpeg_cpu_result_reader_open(
    const struct jpeg_result *result, const kst_scan *scan, struct jpeg_result_reader *reader);
void kst_jpeg_cpu_result_reader_close(struct jpeg_result_reader *reader);

/* Make MCU row `row` of the result in `to`, which has room for one. Returns false on failure: `status` is why. */
bool kst_jpeg_cpu_result_read(struct jpeg_result_reader *reader, uint32_t row, const struct jpeg_coefficients *to);

/* Describes a result as the source of blocks of one sequential scan. */
struct jpeg_result_source {
    struct jpeg_coefficient_source blocks; /* without coefficients */
    struct jpeg_result_reader reader;      /* for all workers, which read in order */
    pthread_mutex_t order;
    struct memory *memory;
    uint32_t workers;
    struct jpeg_coefficients *row; /* one per worker */
};

/* The caller releases the source also on failure. `scan` and `result` must outlive it. */
kst_status kst_jpeg_cpu_result_source_create(struct memory *memory, const struct jpeg_dsp *dsp,
    const struct jpeg_result *result, const kst_scan *scan, uint32_t workers, struct jpeg_result_source *source);
void kst_jpeg_cpu_result_source_release(struct jpeg_result_source *source);

struct jpeg_block_source kst_jpeg_cpu_result_source(struct jpeg_result_source *source);

#endif
