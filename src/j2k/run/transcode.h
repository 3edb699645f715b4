/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the transcoding of JPEG 2000, of a single stream or of many streams on a GPU. */
#ifndef KOSTKA_J2K_RUN_TRANSCODE_H
#define KOSTKA_J2K_RUN_TRANSCODE_H

#include "j2k/gpu/decode.h"
#include "j2k/gpu/encode.h"
#include "j2k/write/recode.h"
#include "j2k/write/write.h"
#include "run/codec.h"

struct j2k_transcode_part;

/* Holds the code-blocks of a stream that the GPU decodes and codes again. */
struct j2k_transcode_blocks {
    struct j2k_plan source;  /* the blocks to be decoded; it borrows the geometry of the coded image */
    uint32_t *place;         /* for each of these blocks, its index in the coded image */
    struct gpu_buffer bytes; /* the blocks' bytes, in pinned memory */
    struct j2k_gpu_need need;
    uint64_t visits, allowed; /* visits of samples by decoded passes; and the most visits that the stream may ask for */
    /* The GPU's results; null: it has none that can be used, and the CPU does the work. */
    const struct j2k_gpu_block_outcome *outcome;
    bool kept;         /* some blocks do not change, so that their bytes are not on the device */
    bool here;         /* the new blocks' bytes were downloaded, because the host needs them to write the stream */
    kst_status status; /* the error that ends it */
};

/* Holds the state of one stream, which owns everything in it. */
struct j2k_transcoding {
    struct transcoding *all;
    const struct operation *op;
    const kst_transcode_options *options;
    struct j2k_stream stream;
    struct j2k_recoded recoded;
    struct j2k_comment *comment;
    struct j2k_copied_segment *copied;
    uint16_t *registration;
    struct j2k_writing writing;
    bool file; /* write a JP2 file */
    kst_status status;
    /* The GPU that codes the blocks, and the data that it needs; null: the CPU codes them. */
    struct gpu_runtime *gpu;
    struct j2k_transcode_blocks blocks;
    struct j2k_transcode_part *part; /* the part in which the GPU codes them; null: it has not begun */
};

/*
 * transcode.c: kst_j2k_run_transcode_read() reads a stream, which must be released in any case;
 * kst_j2k_run_transcode_write() codes its blocks, if the GPU did not, and writes it. With a rate, no writer is called
 * before it is certain that the file keeps the rate.
 */
kst_status kst_j2k_run_transcode_read(struct j2k_transcoding *t, struct transcoding *all);
kst_status kst_j2k_run_transcode_write(struct j2k_transcoding *t);
void kst_j2k_run_transcode_release(struct j2k_transcoding *t);

/* Holds streams whose blocks a GPU codes together. */
struct j2k_transcode_part {
    kst_context *context;
    struct gpu_runtime *gpu;
    struct j2k_transcoding *const *member;
    uint32_t count;
    uint32_t beside; /* number of similar parts in flight at the same time */
    struct j2k_gpu_item *item;
    struct j2k_gpu_encode_item *coded_item;
    struct j2k_gpu_damage *damage;
    struct j2k_gpu_block_order *order;
    struct j2k_gpu_block_outcome *outcome;
    struct j2k_gpu_encode_job *job;
    struct j2k_gpu_times decoding;
    struct j2k_gpu_encode_times coding;
    pthread_mutex_t arriving; /* held while bytes of the job are downloaded to the host */
};

/*
 * transcode_gpu.c: find out whether the context's GPU can code the blocks of a stream that was read, and if so plan
 * that, and set t->gpu. If there are blocks that the GPU cannot code, the CPU codes the whole stream.
 */
kst_status kst_j2k_run_transcode_gpu_plan(struct j2k_transcoding *t);
void kst_j2k_run_transcode_gpu_drop(struct j2k_transcoding *t);
/* Code the blocks of all members; and end the part, after the last member has been written. */
void kst_j2k_run_transcode_gpu_code(struct j2k_transcode_part *part);
void kst_j2k_run_transcode_gpu_end(struct j2k_transcode_part *part);
/*
 * Replace the blocks of a member by the GPU's results. *taken is false if the CPU must code the blocks, because some
 * are damaged: it then reports and writes the same as without a GPU.
 */
kst_status kst_j2k_run_transcode_gpu_take(struct j2k_transcoding *t, bool *taken);
/* Download the bytes of a member's blocks to where the coded image expects them. */
kst_status kst_j2k_run_transcode_gpu_arrive(void *transcoding);

/* transcode_parts.c: the codec's transcode() and transcode_all(); see struct codec. */
kst_status kst_j2k_run_transcode(struct transcoding *all);
void kst_j2k_run_transcode_all(struct transcoding *const *list, uint32_t count);

#endif
