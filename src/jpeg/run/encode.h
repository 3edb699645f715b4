/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how one picture becomes a JPEG stream. */
#ifndef KOSTKA_JPEG_RUN_ENCODE_H
#define KOSTKA_JPEG_RUN_ENCODE_H

#include "jpeg/cpu/encode.h"
#include "jpeg/gpu/encode.h"
#include "run/encoding.h"

/* Holds the JPEG codec's state of one encoding. */
struct jpeg_encoder {
    struct jpeg_dsp dsp;
    struct jpeg_encoding encoding;
    struct jpeg_sampler sampler;
    struct jpeg_gpu_encode_item item; /* the picture as the GPU encodes it */
};

static inline struct jpeg_encoder *jpeg_encoder_of(const struct encoding *e)
{
    return e->state;
}

static inline struct jpeg_encoding *jpeg_encoding_of(const struct encoding *e)
{
    return &jpeg_encoder_of(e)->encoding;
}

/* These are the encoding functions of struct codec. */
kst_status kst_jpeg_run_encoding_plan(struct encoding *e);
bool kst_jpeg_run_encoding_suits(struct encoding *e);
kst_status kst_jpeg_run_encoding_place_rows(struct encoding *e, double seconds);
kst_status kst_jpeg_run_encode(struct encoding *e);

/* Report what the device did or why it failed. Returns the status with which the encoding must be ended. */
kst_status kst_jpeg_run_encoding_settle(
    struct encoding *e, const struct jpeg_gpu_encode_times *times, const struct gpu_error *error);

/* encode_parts.c: see struct encode_parts. */
extern const struct encode_parts kst_jpeg_run_encode_parts;

#endif
