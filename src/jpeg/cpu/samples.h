/* SPDX-License-Identifier: BSD-2-Clause */
/* From a picture to rows of component samples: colour, downsampling, padding to whole blocks (T.81 A.2.4). */
#ifndef KOSTKA_JPEG_CPU_SAMPLES_H
#define KOSTKA_JPEG_CPU_SAMPLES_H

#include "core/memory.h"
#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/plan/frame.h"

struct jpeg_sample_rows;

struct jpeg_sampler {
    const kst_image *image; /* checked, host memory, its colour set and fitting its format */
    const kst_rows *rows; /* where the image's rows come from; null: its planes, as kst_jpeg_sampler_init() leaves it */
    const struct jpeg_frame *frame;
    const struct jpeg_dsp *dsp;
    /* Sampling factors as far as they matter: a single component is coded without any (A.2.2). */
    uint32_t h[JPEG_COMPONENTS], v[JPEG_COMPONENTS], hmax, vmax;
    /* One picture row to one row of each component, at full size. */
    void (*convert)(const struct jpeg_sampler *sampler, const struct jpeg_sample_rows *rows, uint32_t row,
        uint8_t *const out[JPEG_COMPONENTS]);
};

/*
 * KST_OK, KST_ERROR_JPEG_COLOUR where the frame's colour space cannot be made from the image's, or
 * KST_ERROR_JPEG_SAMPLING where a component's factors do not divide the largest (which only KST_FORMAT_RAW allows).
 * Image, frame and dsp are borrowed.
 */
kst_status kst_jpeg_sampler_init(
    struct jpeg_sampler *sampler, const kst_image *image, const struct jpeg_frame *frame, const struct jpeg_dsp *dsp);

/* MCU rows (for a single component, block rows) of the picture. */
uint32_t kst_jpeg_sampler_rows(const struct jpeg_sampler *sampler);

/* Rows of a plane of the picture, from `first` on. */
struct jpeg_lines {
    const uint8_t *data;
    ptrdiff_t pitch;
    uint32_t first;
};

/* The samples of one such row. */
struct jpeg_sample_rows {
    struct jpeg_lines picture[JPEG_COMPONENTS];
    uint8_t *brought[JPEG_COMPONENTS]; /* the memory of those, where rows are brought */
    uint8_t *row[JPEG_COMPONENTS];     /* 8 v rows of 8 blocks_w samples */
    size_t pitch[JPEG_COMPONENTS];
    uint8_t *full[JPEG_COMPONENTS]; /* vmax rows at full size, where a component is downsampled */
    size_t full_pitch;
    uint8_t *spare; /* a row of interleaved pixels */
    void *memory;
};

kst_status kst_jpeg_sample_rows_create(
    struct memory *memory, const struct jpeg_sampler *sampler, struct jpeg_sample_rows *rows);
void kst_jpeg_sample_rows_release(struct memory *memory, struct jpeg_sample_rows *rows);

/* Bring the picture's rows that MCU row `index` is made of, where they are not in memory. False where that failed. */
bool kst_jpeg_sample_rows_bring(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows);

/* Fill in the samples of MCU row `index`, whose rows have been brought. */
void kst_jpeg_sample_rows_fill(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows);

#endif
