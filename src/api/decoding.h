/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder, and what it takes to decode its stream once: planned, carried out on the GPU or the CPU, settled. */
#ifndef KOSTKA_API_DECODING_H
#define KOSTKA_API_DECODING_H

#include "api/codec.h"
#include "api/device.h"
#include "api/j2k_gpu.h"
#include "core/progress.h"
#include "j2k/packets/build.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/gpu/decode.h"
#include "jpeg/plan/compact.h"
#include "jpeg/plan/output.h"
#include "jpeg/syntax/metadata.h"
#include "jpeg/syntax/others.h"
#include "jpeg/syntax/parse.h"

/* A plan of whole tiles, of which parts are decoded. */
struct j2k_kept {
    struct j2k_plan plan;     /* nothing: none is */
    struct j2k_filter filter; /* its own, with these: */
    bool *components;         /* of each whether it is wanted */
    struct j2k_rect tiles;    /* columns and rows of them */
    struct j2k_rect before;   /* likewise, what the part before needed */
    bool refused;             /* it cannot be had of this stream */
};

struct kst_decoder {
    kst_context *context;
    struct memory memory; /* of the open stream and of the operation */
    bool open;
    const struct codec *codec; /* of the stream, while it is open */
    const void *data;          /* the stream */
    size_t length;
    struct jpeg_stream stream; /* empty where the codec is another */
    struct j2k_stream j2k;     /* likewise */
    struct j2k_kept kept;
    kst_plane *more; /* of the image described last: room for its planes behind the first four */
    struct jpeg_metadata metadata;
    struct jpeg_others others; /* behind the picture, once they were asked for */
    bool others_known;
    kst_info info;
    struct jpeg_gpu_early *early; /* the stream on its way to the device; null: it is not */
    kst_report parsed;            /* what opening reported: every decoding starts from it */
    kst_report report;
};

/* Make a decoder in place; kst_decoder_close() then is its end. */
void kst_decoder_start(kst_decoder *decoder, kst_context *context);
void kst_decoder_close(kst_decoder *decoder);

/*
 * As kst_decoder_open(). Where there is a GPU, where the data of a picture end is presumed so that it can start sooner;
 * decoding then makes sure of that, or starts once more.
 */
kst_status kst_decoder_open_soon(kst_decoder *decoder, const void *data, size_t length);

/* Start a report anew, from what `from` has; and end it with an error. */
void kst_decoder_begin(kst_decoder *decoder, const kst_report *from);
kst_status kst_decoder_fail(kst_decoder *decoder, kst_status status);

/* The picture as it is stored, and as the caller gets it. */
kst_status kst_decoder_plan(
    kst_decoder *decoder, const kst_decode_options *options, kst_image *stored, kst_image *image);

/* j2k_plans.c: kst_j2k_plan_build() of the open stream; and the end of what is kept for other parts of it. */
kst_status kst_decoder_plan_j2k(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_plan *plan);
void kst_j2k_kept_drop(kst_decoder *decoder);

struct decoding {
    kst_decoder *decoder;
    struct gpu_executor *gpu; /* that carries it out, or has the image's memory; null: neither */
    kst_decode_options options;
    kst_image *image; /* the caller's */
    kst_image stored; /* describes the picture as it is stored */
    int orientation;  /* 1: the picture needs no turning */
    bool made;        /* the caller's image got its buffers here */
    kst_image before; /* what it was, for when that or anything else fails */
    bool on_gpu;
    bool in_strips; /* a picture of JPEG 2000, on the GPU, though not `on_gpu` as a whole */
    double excess;  /* of such a picture, or strip: how many times the memory that there is it would take */
    bool mistaken;  /* what was presumed of the stream is wrong: the end will be a decoding from the start */
    const struct gpu_event *after; /* what work on the device waits for; null: nothing */
    struct jpeg_gpu_item item;     /* on_gpu, or device memory: the image there */
    struct jpeg_plan compact;      /* on_gpu: the item's plan, where the stream's cannot be; or nothing */
    struct jpeg_blocks blocks;     /* on_gpu: of a picture whose scans the CPU reads */
    struct progress progress;
    struct j2k_planned *j2k; /* on_gpu: a picture of JPEG 2000, instead of item */
};

/* Check and plan it. An error is in the decoder's report; nothing is left to be done then. */
kst_status kst_decoding_begin(
    struct decoding *decoding, kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/*
 * Carry the decoding out and end it. The first function does so where begin() has decided, on the GPU or the CPU; the
 * second does so on the CPU, in whatever memory the image lies.
 */
kst_status kst_decoding_run(struct decoding *decoding);
kst_status kst_decoding_run_on_cpu(struct decoding *decoding);

/* decoding_cpu.c: the work alone, on the CPU, wherever the image lies. */
kst_status kst_decoding_on_cpu(struct decoding *decoding);

/*
 * Make sure of what was presumed of the stream, if that is still to be done. Every end does it, where nobody has.
 * `threads`: that help; null: none.
 */
void kst_decoding_confirm(struct decoding *decoding, struct pool *threads);

/* Decode from the start, once a presumption has turned out wrong. */
kst_status kst_decoding_again(struct decoding *decoding);

/* Release what it held, whatever became of it, and finish the report. Returns the status. */
kst_status kst_decoding_end(struct decoding *decoding, kst_status status);

#endif
