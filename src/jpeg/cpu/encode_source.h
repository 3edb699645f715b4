/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the two sources of blocks for the scan coders (entropy/scan_encode.h): coefficients, and a picture. */
#ifndef KOSTKA_JPEG_CPU_ENCODE_SOURCE_H
#define KOSTKA_JPEG_CPU_ENCODE_SOURCE_H

#include "jpeg/cpu/encode.h"
#include "jpeg/cpu/entropy/scan_encode.h"

/* Holds the coefficients of one scan; `arg` of the struct jpeg_block_source made from it. */
struct jpeg_coefficient_source {
    const struct jpeg_dsp *dsp;
    const struct jpeg_frame *frame;
    const struct jpeg_coefficients *coefficients;
    const kst_scan *scan;
    bool trusted;       /* every coefficient other than DC is known to be short enough to be coded */
    uint32_t first_row; /* the MCU row of the frame with which the coefficients begin */
};

/* Fill in MCUs of the scan, as struct jpeg_block_source asks for them. */
bool kst_jpeg_cpu_coefficient_fill(const struct jpeg_coefficient_source *source, uint32_t row, uint32_t x,
    uint32_t count, int16_t *block, uint64_t *mask);

struct jpeg_block_source kst_jpeg_cpu_coefficient_source(struct jpeg_coefficient_source *source);

/* Describes a picture whose components are all in one scan. */
struct jpeg_picture_source {
    const struct jpeg_sampler *sampler;
    const struct jpeg_coefficients *coefficients; /* where to keep the blocks as well; null: they are not kept */
    struct memory *memory;
    pthread_mutex_t order; /* held while rows are fetched in order */
    bool summed; /* whether to keep in `sum` the sum of the rows fetched so far, see kst_jpeg_cpu_sample_rows_sum() */
    atomic_uint_fast64_t sum;
    uint32_t workers;
    struct jpeg_sample_rows *rows; /* one per worker */
    struct jpeg_quantizer quantizer[JPEG_COMPONENTS];
};

kst_status kst_jpeg_cpu_picture_source_create(struct memory *memory, const struct jpeg_sampler *sampler,
    uint32_t workers, const struct jpeg_coefficients *coefficients, struct jpeg_picture_source *source);
void kst_jpeg_cpu_picture_source_release(struct jpeg_picture_source *source);

struct jpeg_block_source kst_jpeg_cpu_picture_source(struct jpeg_picture_source *source);

/*
 * Fetch one MCU row, and transform it into coefficients that have room for no other. Returns false if fetching failed.
 */
bool kst_jpeg_cpu_picture_transform_row(struct jpeg_picture_source *source, uint32_t row);

/*
 * Transform the whole picture into the coefficients, on the source's workers; a step of progress (may be null) is an
 * MCU row. Returns KST_OK, KST_ERROR_ROWS or KST_ERROR_CANCELLED.
 */
kst_status kst_jpeg_cpu_picture_transform(
    struct jpeg_picture_source *source, struct pool *pool, struct progress *progress);

#endif
