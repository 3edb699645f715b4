/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoding JPEG 2000 on a GPU: from pixels to coded code-blocks. Coefficients stay on the device, so that blocks can be
 * coded some now and some later, or once more.
 */
#ifndef KOSTKA_J2K_GPU_ENCODE_H
#define KOSTKA_J2K_GPU_ENCODE_H

#include "j2k/gpu/batch.h"
#include "j2k/kernels/encode_work.h"

struct j2k_corner {
    uint32_t x, y;
};

/* A picture to encode. */
struct j2k_encode_item {
    struct j2k_gpu_item picture; /* its plan, and its image as a decoder would put it out: kst_j2k_gpu_describe() */
    const kst_image *image;
    enum gpu_source source; /* and where its pixels are, as kst_gpu_image_source() has them */
    struct gpu_image planes;
    uint32_t measured; /* as of struct coded_block */
    /* Or rows that bring the samples, which are staged: where each plane's first one is in what they bring. */
    const kst_rows *rows;
    const struct j2k_corner *corner;
};

/* A block to be coded. */
struct j2k_block_order {
    uint32_t item, block;   /* of the item's plan */
    float stop;             /* planes that gain less for a byte are left out; 0: none. If measured */
    struct j2k_rect region; /* of interest, in the block's samples; empty: none */
};

/* What came of it; borrowed from the job. */
struct j2k_block_outcome {
    uint32_t planes; /* of the largest magnitude */
    uint32_t passes, length;
    const uint32_t *pass; /* of each: its length and its gain, see j2k_gpu_gain() */
    const uint8_t *data;
    uint64_t error; /* of the quantiser, if measured: in squares of 2^-14 of its step */
    uint64_t left;  /* what the planes left out would have gained, in squares of half steps; see j2k_gpu_left_shift() */
};

/* What a plane of a block would gain, as struct j2k_gains has it. */
struct j2k_gpu_gains {
    uint32_t significance[2], refinement[2]; /* see j2k_gpu_gain() */
    uint32_t significant;                    /* samples that become so in it */
};

/* What was found out about a block without coding it; borrowed from the job. */
struct j2k_block_gains {
    uint32_t planes;
    uint64_t error;                    /* as of an outcome */
    const struct j2k_gpu_gains *plane; /* from the lowest */
};

/* Device time in seconds. */
struct j2k_encode_times {
    double upload, transform, blocks, download;
};

/* Pictures on their way. */
struct j2k_coding_job;

/* Whether the kernels can encode an image that was looked at, if the memory that its plan takes is within
 * J2K_GPU_ENCODE_MEMORY_MAX; and how many bytes that is. */
#define J2K_GPU_ENCODE_MEMORY_MAX ((uint64_t)INT32_MAX * 8 - 8)
bool kst_gpu_j2k_encodes(const kst_image *image);
uint64_t kst_gpu_j2k_encode_memory(const struct j2k_plan *plan);

/* Start to bring pictures to the device and to transform them. Items stay as they are until the end. Null where that
 * failed; KST_ERROR_ROWS: rows did not come. `after`: null, or what it waits for. */
struct j2k_coding_job *kst_gpu_j2k_encode_begin(struct gpu_executor *executor, const struct j2k_encode_item *items,
    uint32_t count, const struct gpu_event *after, struct gpu_error *error);

/* Look at blocks of measured pictures, and wait for that. What is found lasts until the job's end. Of one thread at a
 * time. */
bool kst_gpu_j2k_measure_blocks(struct j2k_coding_job *job, const struct j2k_block_order *orders, uint32_t count,
    struct j2k_block_gains *found, struct gpu_error *error);

/* Code blocks, and wait for all but their bytes. Outcomes last until the job's end. Of one thread at a time. */
bool kst_gpu_j2k_encode_blocks(struct j2k_coding_job *job, const struct j2k_block_order *orders, uint32_t count,
    struct j2k_block_outcome *outcomes, struct gpu_error *error);

/* Wait for the bytes of blocks that were coded. Of one thread at a time. */
bool kst_gpu_j2k_encode_arrive(struct j2k_coding_job *job, struct gpu_error *error);

/* Sums of all whose bytes were waited for. */
struct j2k_encode_times kst_gpu_j2k_encode_times(const struct j2k_coding_job *job);

void kst_gpu_j2k_encode_end(struct j2k_coding_job *job); /* null allowed */

/* A gain of the kernels', which is two words: integers of j2k_measure.unit each. */
static inline int64_t j2k_gpu_gain(const uint32_t words[2])
{
    return (int64_t)(int32_t)words[0] + (int64_t)(int32_t)words[1] * (1 << J2K_GAIN_LOW);
}

/* log2 of the half steps in which errors are reported that are left behind a plane. */
static inline uint32_t j2k_gpu_left_shift(uint32_t plane)
{
    return plane + 1 > 24 ? plane + 1 - 24 : 0;
}

#endif
