/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a kst_decoder decodes JPEG. In a batch one launch may decode many pictures, each of which is then
 * finished separately.
 */
#ifndef KOSTKA_JPEG_RUN_DECODE_H
#define KOSTKA_JPEG_RUN_DECODE_H

#include "jpeg/cpu/blocks.h"
#include "jpeg/gpu/decode.h"
#include "jpeg/plan/compact.h"
#include "jpeg/syntax/others.h"
#include "jpeg/syntax/parse.h"
#include "run/decoding.h"

/* Holds what a decoder keeps of a JPEG stream, and of the one decoding that is in flight. */
struct jpeg_decoder {
    struct jpeg_stream stream;
    struct jpeg_others others; /* what follows the picture, once the caller has asked for it */
    bool others_known;
    struct jpeg_gpu_early early; /* the upload of the stream that begins before it is parsed */
    struct jpeg_gpu_item item;   /* the picture, if it is on the GPU */
    uint64_t memory;             /* bytes of device memory that the item takes if it is decoded alone */
    struct jpeg_plan compact; /* on the GPU, the item's plan if the stream's own plan cannot be used; otherwise empty */
    struct jpeg_blocks blocks; /* on the GPU, the coefficients of a picture whose scans the CPU decodes */
};

static inline struct jpeg_decoder *jpeg_state(const kst_decoder *decoder)
{
    return decoder->state;
}

/* End a decoding that the GPU has carried out, or has failed to carry out. */
kst_status kst_jpeg_run_decoding_settle(struct decoding *decoding, const struct jpeg_gpu_damage *damage,
    const struct jpeg_gpu_times *times, const struct gpu_error *error);

/* Do the work of struct codec's transcode(), for samples of 8 or 12 bits. */
kst_status kst_jpeg_run_transcode(struct transcoding *t, bool deep);

#endif
