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
    /* The plan, and the image described as a decoder would write it: kst_j2k_run_describe_gpu_item(). */
    struct j2k_gpu_item picture;
    const kst_image *image;
    enum gpu_source source; /* where its pixels are, as kst_gpu_image_source() finds out */
    struct gpu_image planes;
    bool indices; /* the samples are indices of the quantiser, whatever the transform is */
    /*
     * Alternatively to `image`, a buffer with the components of a volume, as kst_j2k_gpu_slices_analyse() fills it for
     * all items of a job; or null. The components begin at `picture.at`.
     */
    const struct gpu_buffer *components;
    uint32_t measured; /* J2K_MEASURED_… bits, as in struct j2k_work_coded_block */
    /*
     * Alternatively, rows that deliver samples, which are staged. `corner` says for each plane where its first sample
     * lies in the rows.
     */
    const kst_rows *rows;
    const struct j2k_gpu_corner *corner;
    /* The picture's packets in the order of the codestream, if the device is to write them; otherwise null. */
    const struct j2k_packet_blocks *packet;
    uint32_t packets;
};

/* Describes a block to be coded. */
struct j2k_gpu_block_order {
    uint32_t item, block; /* item, and block in the item's plan */
    /* Bit-planes that gain less than this per byte are left out; 0: none are. Used for measured pictures only. */
    float stop;
    struct j2k_rect region; /* region of interest, in the block's samples; empty: none */
    /*
     * Pictures with `indices`: 0–2 passes that alone code the lowest bit of the indices, behind the cleanup pass of the
     * plane above it. 0: a cleanup pass codes that bit.
     */
    uint8_t refinements;
};

/* Holds the result of coding a block. The pointers are to memory of the job. */
struct j2k_gpu_block_outcome {
    uint32_t planes; /* bit-planes of the largest magnitude */
    uint32_t passes, length;
    /*
     * For each pass its length and its gain; see j2k_gpu_gain(). If `ht` is set, there is at most one pass, a cleanup
     * pass of T.814, and its gain is in squares of 2^n half steps with n = j2k_gpu_left_shift(planes). If refinement
     * passes follow it, they count among `passes`, and only `end` has their lengths.
     */
    const uint32_t *pass;
    bool ht;
    uint32_t end[2]; /* with refinement passes: bytes up to the end of the first pass, and of the second */
    const uint8_t *data;
    uint64_t error; /* error of the quantiser, if measured, in squares of 2^-14 of its step */
    /*
     * The gain that the omitted bit-planes would have had, in squares of 2^n half steps, with n = j2k_gpu_left_shift()
     * of the lowest plane that was coded.
     */
    uint64_t left;
};

/* Holds the gains of one bit-plane of a block, in the form of struct j2k_gains. */
struct j2k_gpu_gains {
    uint32_t significance[2], refinement[2]; /* see j2k_gpu_gain() */
    uint32_t significant;                    /* number of samples that become significant in this plane */
};

/* Holds what was measured of a block without coding it. The pointer is to memory of the job. */
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
 * kst_j2k_gpu_encodes() returns whether the kernels can encode an image that was checked, provided that its plan takes
 * at most J2K_GPU_ENCODE_MEMORY_MAX bytes; kst_j2k_gpu_encode_memory() returns these bytes.
 */
#define J2K_GPU_ENCODE_MEMORY_MAX ((uint64_t)INT32_MAX * 8 - 8)
bool kst_j2k_gpu_encodes(const kst_image *image);
uint64_t kst_j2k_gpu_encode_memory(const struct j2k_plan *plan);

/* Return the bytes that coding all blocks of a plan takes in addition to their samples. */
uint64_t kst_j2k_gpu_coding_memory(const struct j2k_plan *plan);

/*
 * Start to upload pictures and to transform them. The items must stay unchanged until the job ends. Returns null on
 * failure; KST_ERROR_ROWS means that rows could not be read. `after`: an event to wait for, or null.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_begin(struct gpu_runtime *runtime,
    const struct j2k_gpu_encode_item *items, uint32_t count, const struct gpu_event *after, struct gpu_error *error);

struct j2k_gpu_job;

/*
 * Return a job that codes the code-blocks of a decoding job again, with the coders of its own items' plans. The
 * decoding job leaves the blocks as indices (struct j2k_gpu_item.indices); there must be as many items as it has, with
 * plans of the same bands. The decoding job may end as soon as the blocks have been coded: the results belong to the
 * new job. Returns null on failure.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_decoded(
    const struct j2k_gpu_job *decoded, const struct j2k_gpu_encode_item *items, struct gpu_error *error);

/*
 * Return a job that shares the pictures and buffers of another one, so that one thread can code or count the blocks of
 * one of its pictures while other threads do so with the blocks of other pictures. During this call nobody may use the
 * other job. The new job must end before the other one. Returns null on failure.
 */
struct j2k_gpu_encode_job *kst_j2k_gpu_encode_beside(const struct j2k_gpu_encode_job *job, struct gpu_error *error);

/*
 * Measure blocks of measured pictures, and wait for the results, which are valid until the job ends. For one thread at
 * a time.
 */
bool kst_j2k_gpu_measure_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, struct j2k_gpu_block_gains *found, struct gpu_error *error);

/*
 * Code blocks, and wait for all results except the blocks' bytes, which stay on the device. The outcomes are valid
 * until the job ends. Only one thread at a time may call this.
 */
bool kst_j2k_gpu_encode_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count,
    struct j2k_gpu_block_outcome *outcomes, struct gpu_error *error);

/*
 * Count the bits that blocks take if they are coded, without stuffed bits. All blocks must be T.814 blocks.
 * kst_j2k_gpu_count_begin() takes the orders of the blocks, which the job keeps until it ends; it must only be called
 * while kst_j2k_gpu_counts() returns false. Then kst_j2k_gpu_count() counts, each time that the bands' steps change,
 * the blocks of all items, or only those of items with a true entry in `wanted`. It returns a record for each order,
 * valid until the next count; for an item that is not wanted, the record is that of its last count. Null: it failed.
 * Only one thread at a time may call this.
 */
bool kst_j2k_gpu_count_begin(
    struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error);
bool kst_j2k_gpu_counts(const struct j2k_gpu_encode_job *job);
const struct j2k_work_counted_block *kst_j2k_gpu_count(
    struct j2k_gpu_encode_job *job, const bool *wanted, struct gpu_error *error);

/*
 * Code all blocks of some items, in the order of their plans, and write the items' packets on the device. The items
 * must have one layer, and no SOP and EPH. `length` has an entry for each item of the job: the bytes of its packets; 0
 * if the orders do not contain the item, or if its blocks must be coded by kst_j2k_gpu_encode_blocks() after all,
 * because they have more planes or bytes than usual, or are too many. In that case the other items may or may not have
 * been coded. Only one thread at a time may call this.
 */
bool kst_j2k_gpu_encode_packets(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, uint32_t *length, struct gpu_error *error);

/*
 * Put the packets of an item, which have `length` bytes, one behind the other, and download them to byte `at` of host
 * memory, which should be pinned. Otherwise like kst_j2k_gpu_assemble().
 */
bool kst_j2k_gpu_assemble_packets(const struct j2k_gpu_encode_job *job, uint32_t item, uint32_t length,
    const struct gpu_buffer *to, size_t at, double *seconds, struct gpu_error *error);

/* Download the bytes of all blocks that were coded, and wait for the download. Only one thread at a time may call this.
 */
bool kst_j2k_gpu_encode_arrive(struct j2k_gpu_encode_job *job, struct gpu_error *error);

/* Describes a codestream: its frame, and the bodies to be inserted in it, whose data are those of outcomes of a job. */
struct j2k_gpu_stream {
    const uint8_t *frame;
    const struct j2k_body *body;
    size_t frame_length;
    uint32_t count;
    uint64_t length; /* bytes of the whole codestream */
};

enum { J2K_ASSEMBLED_BODIES = 1 << 26 /* most bodies of a codestream, so that 32 bits count their words */ };

/* Return whether a codestream is small enough for the offsets of the kernels. */
bool kst_j2k_gpu_assembles(const struct j2k_gpu_stream *stream);

/*
 * Assemble a codestream on the device, and download it to host memory, which should be pinned. `seconds` receives the
 * device time of the download. Several threads may call this at a time, also while another thread has blocks coded
 * again.
 */
bool kst_j2k_gpu_assemble(const struct j2k_gpu_encode_job *job, const struct j2k_gpu_stream *stream,
    const struct gpu_buffer *to, double *seconds, struct gpu_error *error);

/* Release all that was measured and coded so far, which then is no longer valid. Only one thread at a time may call
 * this. */
void kst_j2k_gpu_encode_forget(struct j2k_gpu_encode_job *job);

/* Return the times, summed over all blocks whose bytes were waited for. Only one thread at a time may call this. */
struct j2k_gpu_encode_times kst_j2k_gpu_encode_times(struct j2k_gpu_encode_job *job);

void kst_j2k_gpu_encode_end(struct j2k_gpu_encode_job *job); /* `job` may be null */

/* Convert a gain from the two words in which kernels report it. The unit is that of j2k_measure.unit. */
static inline int64_t j2k_gpu_gain(const uint32_t words[2])
{
    return (int64_t)(int32_t)words[0] + (int64_t)(int32_t)words[1] * (1 << J2K_GAIN_LOW);
}

/* Return the n for which the error that remains below a coded plane is reported in squares of 2^n half steps. */
static inline uint32_t j2k_gpu_left_shift(uint32_t plane)
{
    return plane + 1 > 24 ? plane + 1 - 24 : 0;
}

#endif
