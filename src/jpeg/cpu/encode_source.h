/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks for the scan coders, from coefficients or from a picture. */
#ifndef KOSTKA_JPEG_CPU_ENCODE_SOURCE_H
#define KOSTKA_JPEG_CPU_ENCODE_SOURCE_H

#include "jpeg/cpu/encode.h"
#include "jpeg/cpu/entropy/scan_encode.h"

/* `arg` of a struct jpeg_block_source. */
struct jpeg_coefficient_source {
    const struct jpeg_dsp *dsp;
    const struct jpeg_frame *frame;
    const struct jpeg_coefficients *coefficients;
    const kst_scan *scan;
    bool trusted; /* no coefficient other than DC exceeds ±1023 */
};

struct jpeg_block_source kst_jpeg_coefficient_source(struct jpeg_coefficient_source *source);

/* All components of a picture in one scan. */
struct jpeg_picture_source {
    const struct jpeg_sampler *sampler;
    const struct jpeg_coefficients *coefficients; /* where to keep the blocks as well; null: nowhere */
    struct memory *memory;
    pthread_mutex_t order; /* where rows are brought in order */
    uint32_t workers;
    struct jpeg_sample_rows *rows; /* one a worker */
    struct jpeg_quantizer quantizer[JPEG_COMPONENTS];
};

kst_status kst_jpeg_picture_source_create(struct memory *memory, const struct jpeg_sampler *sampler, uint32_t workers,
    const struct jpeg_coefficients *coefficients, struct jpeg_picture_source *source);
void kst_jpeg_picture_source_release(struct jpeg_picture_source *source);

struct jpeg_block_source kst_jpeg_picture_source(struct jpeg_picture_source *source);

/* Transform all of the picture into the coefficients, on the source's workers. KST_OK or KST_ERROR_ROWS. */
kst_status kst_jpeg_picture_transform(struct jpeg_picture_source *source, struct pool *pool);

#endif
