/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes JPEG 2000 on a GPU, from pixels to coded code-blocks. Coefficients stay on the device, so that some blocks
 * can be coded now and others later, or blocks be coded again.
 */
#ifndef KOSTKA_J2K_GPU_ENCODE_H
#define KOSTKA_J2K_GPU_ENCODE_H

#include "j2k/gpu/part.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/plan/body.h"
#include "j2k/plan/packet_blocks.h"

struct j2k_gpu_corner {
    uint32_t x, y;
};

/* Describes a picture to encode. */
struct j2k_gpu_encode_item {
    /* Its plan, and its image described as a decoder would write it: kst_j2k_run_describe_gpu_item(). */
    struct j2k_gpu_item picture;
    const kst_image *image;
    enum gpu_source source; /* where its pixels are, as kst_gpu_image_source() finds out */
    struct gpu_image planes;
    bool indices; /* the samples are indices of the quantiser, whatever the transform is */
    /*
     * Alternatively, the components of a volume in a buffer, as kst_j2k_gpu_slices_analyse() makes it for all items of
     * a job; or null. They begin at `picture.at`.
     */
    const struct gpu_buffer *components;
    uint32_t measured; /* J2K_MEASURED_… bits, as in struct j2k_work_coded_block */
    /*
     * Alternatively, rows that deliver samples, which are staged; `corner` is where each plane's first sample lies in
     * them.
     */
    const kst_rows *rows;
    const struct j2k_gpu_corner *corner;
    /* Its packets in the order of the codestream, if the device is to write them; otherwise null. */
    const struct j2k_packet_blocks *packet;
    uint32_t packets;
};

/* Describes a block to be coded. */
struct j2k_gpu_block_order {
    uint32_t item, block; /* item, and block in the item's plan */
    /* Planes that gain less than this per byte are left out; 0: none. It counts for measured pictures alone. */
    float stop;
    struct j2k_rect region; /* region of interest, in the block's samples; empty: none */
};

/* Holds the outcome of coding a block. It points into memory of the job. */
struct j2k_gpu_block_outcome {
    uint32_t planes; /* bit-planes of the largest magnitude */
    uint32_t passes, length;
    /*
     * For each pass its length and its gain; see j2k_gpu_gain(). If `ht`, there is one cleanup pass of T.814 at most,
     * whose gain is in squares of half steps, as `left`, with j2k_gpu_left_shift(planes).
     */
    const uint32_t *pass;
    bool ht;
    const uint8_t *data;
    uint64_t error; /* error of the quantiser, if measured, in squares of 2^-14 of its step */
    /*
     * The gain that the planes which were left out would have had, in squares of half steps; see j2k_gpu_left_shift().
     */
    uint64_t left;
};

/* Holds the gains of one bit-plane of a block, in the form of struct j2k_gains. */
struct j2k_gpu_gains {
    uint32_t significance[2], refinement[2]; /* see j2k_gpu_gain() */
    uint32_t significant;                    /* number of samples that become significant in it */
};

/* Holds what was measured of a block without coding it. It points into memory of the job. */
struct j2k_gpu_block_gains {
    uint32_t planes;
    uint64_t error;                    /* as in struct j2k_gpu_block_outcome */
    const struct j2k_gpu_gains *plane; /* bit-planes, the lowest first */
};

/* Holds device time in seconds. */
struct j2k_gpu_encode_times {
    double upload, transform, blocks, download;
};

/* Holds pictures that are being encoded. */
struct j2k_gpu_encode_job;

/*
 * kst_j2k_gpu_encodes() says whether the kernels can encode an image that was checked, provided that the memory its
 * plan takes is at most J2K_GPU_ENCODE_MEMORY_MAX; kst_j2k_gpu_encode_memory() gives these bytes.
 */
#define J2K_GPU_ENCODE_MEMORY_MAX ((uint64_t)INT32_MAX * 8 - 8)
bool kst_j2k_gpu_encodes(const kst_image *image);
uint64_t kst_j2k_gpu_encode_memory(const struct j2k_plan *plan);

/* Return the bytes that coding all blocks of a plan takes beside their samples. */
uint64_t kst_j2k_gpu_coding_memory(const struct j2k_plan *plan);

/*
 * Start to upload pictures and to transform them. The items must stay unchanged until the end. Returns null on failure;
 * KST_ERROR_ROWS means that rows could not be read. `after`: an event to wait for, or null.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_begin(struct gpu_runtime *runtime,
    const struct j2k_gpu_encode_item *items, uint32_t count, const struct gpu_event *after, struct gpu_error *error);

struct j2k_gpu_job;

/*
 * Return a job that codes again, with the coders of its items' plans, the code-blocks that a job of decoding leaves as
 * indices (struct j2k_gpu_item.indices): as many items as that has, with plans of the same bands. That one may end as
 * soon as the blocks have been coded: what they became is this job's. Returns null on failure.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_decoded(
    const struct j2k_gpu_job *decoded, const struct j2k_gpu_encode_item *items, struct gpu_error *error);

/*
 * Return a job beside another one, so that one thread can code or count the blocks of one of its pictures while others
 * do so with those of other pictures. Nobody may use the other job meanwhile. It must end before the other one. Returns
 * null on failure.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_beside(const struct j2k_gpu_encode_job *job, struct gpu_error *error);

/*
 * Measure blocks of measured pictures, and wait for that. What is found is valid until the job's end. For one thread at
 * a time.
 */
bool kst_j2k_gpu_measure_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, struct j2k_gpu_block_gains *found, struct gpu_error *error);

/*
 * Code blocks, and wait for all but their bytes, which stay on the device. The outcomes are valid until the job's end.
 * For one thread at a time.
 */
bool kst_j2k_gpu_encode_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count,
    struct j2k_gpu_block_outcome *outcomes, struct gpu_error *error);

/*
 * Count the bits that blocks take if they are coded, without those of stuffing: begin with their orders, which are kept
 * until the job's end, if none are counted yet; then count, as often as the bands' steps change, those of all items, or
 * only those of which `wanted` has a true entry. All blocks are those of T.814. The result has a record for each order,
 * which of an item that is not wanted is the last one, and is valid until the next count; null: it failed. For one
 * thread at a time.
 */
bool kst_j2k_gpu_count_begin(
    struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error);
bool kst_j2k_gpu_counts(const struct j2k_gpu_encode_job *job);
const struct j2k_work_counted_block *kst_j2k_gpu_count(
    struct j2k_gpu_encode_job *job, const bool *wanted, struct gpu_error *error);

/*
 * Code all blocks of some items, in the order of their plans, and write their packets on the device. These must have
 * one layer, no SOP and EPH. `length` has an entry for each item of the job: the bytes of its packets; 0 if it was not
 * among them, or if its blocks must be coded by kst_j2k_gpu_encode_blocks() nevertheless, because they have more planes
 * or bytes than usual, or are too many. Then the others may have been coded, or none. For one thread at a time.
 */
bool kst_j2k_gpu_encode_packets(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, uint32_t *length, struct gpu_error *error);

/*
 * Put the packets of an item, which have `length` bytes, one behind the other, and download them to host memory, which
 * had better be pinned, from a byte of it on. Otherwise as kst_j2k_gpu_assemble().
 */
bool kst_j2k_gpu_assemble_packets(const struct j2k_gpu_encode_job *job, uint32_t item, uint32_t length,
    const struct gpu_buffer *to, size_t at, double *seconds, struct gpu_error *error);

/* Download the bytes of all blocks that were coded, and wait for them. For one thread at a time. */
bool kst_j2k_gpu_encode_arrive(struct j2k_gpu_encode_job *job, struct gpu_error *error);

/* Describes a codestream: its frame, and the bodies that belong in it. Their data are those of outcomes of a job. */
struct j2k_gpu_stream {
    const uint8_t *frame;
    const struct j2k_body *body;
    size_t frame_length;
    uint32_t count;
    uint64_t length; /* bytes of the whole codestream */
};

enum { J2K_ASSEMBLED_BODIES = 1 << 26 /* bodies of a codestream whose records 32-bit offsets count, in words */ };

/* Return whether the codestream is one that the kernels can count. */
bool kst_j2k_gpu_assembles(const struct j2k_gpu_stream *stream);

/*
 * Assemble a codestream on the device, and download it to host memory, which had better be pinned. `seconds`: device
 * time of the download. Several threads may do so at a time, and while another one has blocks coded again.
 */
bool kst_j2k_gpu_assemble(const struct j2k_gpu_encode_job *job, const struct j2k_gpu_stream *stream,
    const struct gpu_buffer *to, double *seconds, struct gpu_error *error);

/* Release what was found and coded so far, which then is no longer valid. For one thread at a time. */
void kst_j2k_gpu_encode_forget(struct j2k_gpu_encode_job *job);

/* Return the times, summed over all blocks whose bytes were waited for. For one thread at a time. */
struct j2k_gpu_encode_times kst_j2k_gpu_encode_times(struct j2k_gpu_encode_job *job);

void kst_j2k_gpu_encode_end(struct j2k_gpu_encode_job *job); /* `job` may be null */

/* Convert a gain from the two words in which kernels report it. The unit is that of j2k_measure.unit. */
static inline int64_t j2k_gpu_gain(const uint32_t words[2])
{
    return (int64_t)(int32_t)words[0] + (int64_t)(int32_t)words[1] * (1 << J2K_GAIN_LOW);
}

/* Log2 of the number of half steps in which errors left behind a plane are reported. */
static inline uint32_t j2k_gpu_left_shift(uint32_t plane)
{
    return plane + 1 > 24 ? plane + 1 - 24 : 0;
}

#endif
