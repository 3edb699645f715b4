/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes rows of component samples from a picture: colour conversion, downsampling, padding to whole blocks (T.81
 * A.2.4). The encoders use it one MCU row at a time.
 */
#ifndef KOSTKA_JPEG_CPU_SAMPLES_H
#define KOSTKA_JPEG_CPU_SAMPLES_H

#include "core/memory.h"
#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/plan/frame.h"

struct jpeg_sample_rows;

struct jpeg_sampler {
    const kst_image *image; /* checked, in host memory; its colour is set and fits its format */
    /* The source of the image's rows; null, which kst_jpeg_cpu_sampler_init() sets: the planes are in memory. */
    const kst_rows *rows;
    bool fast; /* whether the fast DCT transforms the samples; kst_jpeg_cpu_sampler_init() clears it */
    const struct jpeg_frame *frame;
    const struct jpeg_dsp *dsp;
    /* The effective sampling factors: a single component is coded as if its factors were 1 (A.2.2). */
    uint32_t h[JPEG_COMPONENTS], v[JPEG_COMPONENTS], hmax, vmax;
    /* Convert one picture row to one row of each component, at full size. */
    void (*convert)(const struct jpeg_sampler *sampler, const struct jpeg_sample_rows *rows, uint32_t row,
        uint8_t *const out[JPEG_COMPONENTS]);
};

/*
 * Set up a sampler. Returns KST_OK, KST_ERROR_JPEG_COLOUR if the frame's colour space cannot be made from the image's,
 * or KST_ERROR_JPEG_SAMPLING if a component's factors do not divide the largest ones (which only KST_FORMAT_RAW
 * allows). Image, frame and dsp are borrowed.
 */
kst_status kst_jpeg_cpu_sampler_init(
    struct jpeg_sampler *sampler, const kst_image *image, const struct jpeg_frame *frame, const struct jpeg_dsp *dsp);

/* Return the number of MCU rows of the picture (block rows if it has a single component). */
uint32_t kst_jpeg_cpu_sampler_rows(const struct jpeg_sampler *sampler);

/* Return the number of samples of a full-size row that downsampling to whole blocks may read. */
size_t kst_jpeg_cpu_sampler_width(const struct jpeg_sampler *sampler);

/* Holds consecutive rows of a plane of the picture, starting with row `first`. */
struct jpeg_lines {
    const uint8_t *data;
    ptrdiff_t pitch;
    uint32_t first;
};

/* Holds the samples of one MCU row. */
struct jpeg_sample_rows {
    struct jpeg_lines picture[JPEG_COMPONENTS];
    uint8_t *brought[JPEG_COMPONENTS]; /* memory of `picture`'s lines if rows are fetched from a callback */
    uint8_t *row[JPEG_COMPONENTS];     /* 8 v rows of 8 blocks_w samples each */
    size_t pitch[JPEG_COMPONENTS];
    uint8_t *full[JPEG_COMPONENTS]; /* vmax rows at full size; only if the component is downsampled */
    size_t full_pitch;
    uint8_t *spare; /* one row of interleaved pixels */
    void *memory;
};

kst_status kst_jpeg_cpu_sample_rows_create(
    struct memory *memory, const struct jpeg_sampler *sampler, struct jpeg_sample_rows *rows);
void kst_jpeg_cpu_sample_rows_release(struct memory *memory, struct jpeg_sample_rows *rows);

/* Fetch the picture's rows that make up MCU row `index`, if they are not in memory. Returns false if that failed. */
bool kst_jpeg_cpu_sample_rows_bring(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows);

/*
 * Prepare for MCU row `index` of an image with one plane whose rows the caller copies to `brought`. Returns how many
 * rows of the picture make up that MCU row.
 */
uint32_t kst_jpeg_cpu_sample_rows_expect(
    const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows);

/*
 * Return a sum of the fetched rows of MCU row `index`, to tell whether they are the same when they are fetched again.
 * The sum of the picture is that of the sums of all MCU rows, modulo 2^64, in any order.
 */
uint64_t kst_jpeg_cpu_sample_rows_sum(
    const struct jpeg_sampler *sampler, uint32_t index, const struct jpeg_sample_rows *rows);

/* Fill in the samples of MCU row `index`, whose picture rows have been fetched. */
void kst_jpeg_cpu_sample_rows_fill(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows);

#endif
