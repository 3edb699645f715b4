/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 behind a decoder. */
#ifndef KOSTKA_J2K_RUN_DECODE_H
#define KOSTKA_J2K_RUN_DECODE_H

#include "j2k/packets/build.h"
#include "j2k/run/decode_gpu.h"
#include "run/decoding.h"

/* A plan of whole tiles, of which parts are decoded. */
struct j2k_kept {
    struct j2k_plan plan;     /* nothing: none is */
    struct j2k_filter filter; /* its own, with these: */
    bool *components;         /* of each whether it is wanted */
    struct j2k_rect tiles;    /* columns and rows of them */
    struct j2k_rect before;   /* likewise, what the part before needed */
    bool refused;             /* it cannot be had of this stream */
};

/* What a decoder keeps of a JPEG 2000 stream and, as it decodes one picture at a time, of its decoding. */
struct j2k_decoder {
    struct j2k_stream stream;
    struct j2k_kept kept;
    kst_plane *more;             /* of the image described last: room for its planes behind the first four */
    struct j2k_planned *planned; /* on the GPU as a whole: the picture; null: it is not */
    double excess; /* of a picture on the GPU, or of a strip of it: how many times the memory that there is it takes */
};

static inline struct j2k_decoder *j2k_state(const kst_decoder *decoder)
{
    return decoder->state;
}

/* plans.c: kst_j2k_plan_build() of the open stream; and the end of what is kept for other parts of it. */
kst_status kst_decoder_plan_j2k(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_plan *plan);
void kst_j2k_kept_drop(kst_decoder *decoder);

/* Parse the stream and describe it in decoder->info and decoder->metadata. On failure nothing is left of it. */
kst_status kst_j2k_open(kst_decoder *decoder, const uint8_t *data, size_t length);

/*
 * Read the headers of tile-parts that a filter needs, null: of all, if opening has left them for later. What is wrong
 * with them is told now and by each decoding from now on.
 */
kst_status kst_j2k_open_further(kst_decoder *decoder, const struct j2k_filter *filter);

/* The error for samples that are too deep: which component's, and where SIZ says so. */
kst_status kst_j2k_refuse_depth(kst_decoder *decoder, const kst_decode_options *options);

/*
 * Whether smaller components and palettes are not enlarged to more samples than the stream's length allows; what the
 * caller makes of a channel, as RGB of grey, is the caller's.
 */
kst_status kst_j2k_check_enlarged(kst_decoder *decoder, const kst_image *image);

/* profile.c: as kst_decoder_profile_breach(), of a stream whose tile-parts' headers are all read. */
bool kst_j2k_profile_breach(const struct j2k_stream *stream, size_t index, char *text);

/* Decode to an image in host memory, which has what kst_j2k_output_describe() says. */
kst_status kst_j2k_decode(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, struct progress *progress);

#endif
