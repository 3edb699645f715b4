/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how a kst_decoder opens and decodes JPEG 2000. */
#ifndef KOSTKA_J2K_RUN_DECODE_H
#define KOSTKA_J2K_RUN_DECODE_H

#include "j2k/cpu/decode.h"
#include "j2k/packets/build.h"
#include "j2k/run/decode_gpu.h"
#include "run/decoding.h"

/* Describes a plan of whole tiles that is kept, so that several regions are decoded from it. */
struct j2k_kept {
    struct j2k_plan plan;     /* empty: no plan is kept */
    struct j2k_filter filter; /* the plan's own filter, which points to: */
    bool *components;         /* for each component, whether it is wanted */
    struct j2k_rect tiles;    /* the columns and rows of tiles in the plan */
    struct j2k_rect before;   /* columns and rows of tiles that the previous region needed */
    bool refused;             /* such a plan cannot be made of this stream */
};

enum { J2K_BREACHES_MOST = 100 };

/*
 * Holds the rules of its profile, or the other claims, that the open stream breaks. They may be many for a stream of
 * 16,384 components.
 */
struct j2k_breaches {
    size_t found; /* number of breaches; beyond J2K_BREACHES_MOST, the last text says how many are left out */
    uint64_t offset[J2K_BREACHES_MOST]; /* of claims: where in the stream */
    char text[J2K_BREACHES_MOST][KST_BREACH_LENGTH];
};

/* Holds what a decoder keeps of a JPEG 2000 stream, and of the one decoding that is in progress. */
struct j2k_decoder {
    struct j2k_stream stream;
    struct j2k_kept kept;
    struct j2k_breaches *breaches; /* of the profile; null until the caller asks for breaches */
    struct j2k_breaches *claims;   /* of other claims; likewise */
    kst_plane *more;               /* room for the planes behind the first four of the image that was described last */
    struct j2k_planned *planned;   /* the picture, if the GPU decodes it as a whole; otherwise null */
    double excess; /* memory that the picture or slab needs on the GPU, as a multiple of the available memory */
};

static inline struct j2k_decoder *j2k_state(const kst_decoder *decoder)
{
    return decoder->state;
}

/*
 * plans.c: build a plan of the open stream as kst_j2k_plan_build() does; and release the plan that is kept for other
 * regions of the stream.
 */
kst_status kst_j2k_run_decoder_plan(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_plan *plan);
void kst_j2k_run_kept_drop(kst_decoder *decoder);

/* Parse the stream and describe it in decoder->info and decoder->metadata. On failure nothing is kept. */
kst_status kst_j2k_run_open(kst_decoder *decoder, const uint8_t *data, size_t length);

/*
 * Read the headers of the tile-parts that a filter needs (null: of all), if opening the stream did not. Warnings about
 * them are reported now, and from now on by each decoding.
 */
kst_status kst_j2k_run_open_further(kst_decoder *decoder, const struct j2k_filter *filter);

/* Report the error for samples that are too deep, with the component and the offset of its depth in SIZ. */
kst_status kst_j2k_run_refuse_depth(kst_decoder *decoder, const kst_decode_options *options);

/*
 * Check that enlarging smaller components and palettes does not make more samples than the stream's length allows.
 * Channels that the stream does not have, such as RGB made from grey, do not count.
 */
kst_status kst_j2k_run_check_enlarged(kst_decoder *decoder, const kst_image *image);

/*
 * profile.c: implement kst_decoder_profile_breach() and kst_decoder_claim_breach() for a stream whose tile-part headers
 * have all been read.
 */
bool kst_j2k_run_profile_breach(kst_decoder *decoder, size_t index, char *text);
bool kst_j2k_run_claim_breach(kst_decoder *decoder, size_t index, kst_breach *breach);

/* Decode to an image in host memory, which is as kst_j2k_output_describe() describes it. */
kst_status kst_j2k_run_decode(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, struct progress *progress);

/* The codec's decode_rows(); see struct codec. */
kst_status kst_j2k_run_decode_rows(struct decoding *d, const kst_row_writer *writer, bool *taken);

/*
 * decode_made.c: decode a region of a picture for which CBD declares components, to a target for each of these, of
 * which at least one has memory.
 */
kst_status kst_j2k_run_decode_made(kst_decoder *decoder, const kst_decode_options *options, struct j2k_rect region,
    const struct j2k_target *target, struct progress *progress);

/* decode_volume.c: the codec's describe_volume() and decode_volume(); see struct codec. */
kst_status kst_j2k_run_describe_volume(
    kst_decoder *decoder, const kst_volume_decode_options *options, kst_volume *volume, kst_volume_info *info);
kst_status kst_j2k_run_decode_volume(kst_decoder *decoder, const kst_volume_decode_options *options,
    const kst_volume *volume, struct progress *progress);

/* volume_blocks.c: the codec's find_blocks(); see struct codec. */
bool kst_j2k_run_find_blocks(const uint8_t *data, size_t length, struct volume_blocks *blocks);

#endif
