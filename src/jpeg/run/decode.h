/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG behind a decoder, for batches: one launch may decode many pictures, each of which then ends by itself. */
#ifndef KOSTKA_JPEG_RUN_DECODE_H
#define KOSTKA_JPEG_RUN_DECODE_H

#include "jpeg/cpu/blocks.h"
#include "jpeg/gpu/decode.h"
#include "jpeg/plan/compact.h"
#include "jpeg/syntax/others.h"
#include "jpeg/syntax/parse.h"
#include "run/decoding.h"

/* What a decoder keeps of a JPEG stream and, as it decodes one picture at a time, of its decoding. */
struct jpeg_decoder {
    struct jpeg_stream stream;
    struct jpeg_others others; /* what follows the picture, once it was asked for */
    bool others_known;
    struct jpeg_gpu_early early; /* the stream on its way to the device before it is parsed */
    struct jpeg_gpu_item item;   /* on the GPU: the picture */
    struct jpeg_plan compact;    /* on the GPU: the item's plan, where the stream's cannot be; or nothing */
    struct jpeg_blocks blocks;   /* on the GPU: of a picture whose scans the CPU reads */
};

static inline struct jpeg_decoder *jpeg_state(const kst_decoder *decoder)
{
    return decoder->state;
}

/* End a decoding that the GPU carried out or failed to. */
kst_status kst_jpeg_decoding_settle(struct decoding *decoding, const struct jpeg_gpu_damage *damage,
    const struct jpeg_gpu_times *times, const struct gpu_error *error);

#endif
