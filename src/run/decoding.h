/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a decoder, and the steps of decoding its stream once: plan it, carry it out on the GPU or the CPU, and end
 * it.
 */
#ifndef KOSTKA_RUN_DECODING_H
#define KOSTKA_RUN_DECODING_H

#include "core/progress.h"
#include "device/image.h"
#include "image/metadata.h"
#include "run/codec.h"
#include "run/device.h"

struct kst_decoder {
    kst_context *context;
    struct memory memory; /* memory of the open stream and of the operation */
    bool open;
    const struct codec *codec; /* codec of the open stream */
    void *state;               /* the codec's state of the stream and of its decoding; null: no stream is open */
    const void *data;          /* the stream */
    size_t length;
    struct metadata_list metadata;
    kst_info info;
    kst_report parsed; /* what opening reported: every decoding starts from it */
    kst_report report;
};

/* decoder.c: initialise a decoder in place, and close its stream. */
void kst_decoder_start(kst_decoder *decoder, kst_context *context);
void kst_decoder_close(kst_decoder *decoder);

/* Open a stream as kst_decoder_open() does, for a purpose. Without a GPU the purpose does not matter. */
kst_status kst_decoder_open_for(kst_decoder *decoder, const void *data, size_t length, enum opening_purpose purpose);

/*
 * kst_decoder_begin() starts a new report, as a copy of `from` unless that is null. kst_decoder_fail() ends a report
 * with an error, and returns it.
 */
void kst_decoder_begin(kst_decoder *decoder, const kst_report *from);
kst_status kst_decoder_fail(kst_decoder *decoder, kst_status status);

/*
 * Return the operation with which the decoder's codec works. `progress` is that of this decoding; null if no progress
 * is reported.
 */
static inline struct operation kst_decoder_operation(kst_decoder *decoder, struct progress *progress)
{
    return kst_context_operation(decoder->context, &decoder->memory, &decoder->report, progress);
}

/* Describe the picture as it is stored, and as the caller gets it. */
kst_status kst_decoder_plan(
    kst_decoder *decoder, const kst_decode_options *options, kst_image *stored, kst_image *image);

struct decoding {
    kst_decoder *decoder;
    struct gpu_runtime *gpu; /* the GPU that decodes or owns the image's memory; null: none does */
    kst_decode_options options;
    kst_image *image; /* the caller's */
    kst_image stored; /* describes the picture as it is stored */
    int orientation;  /* 1: the picture needs no turning */
    bool made;        /* the caller's image got its buffers from this decoding */
    kst_image before; /* what the image was before, to restore it after an error */
    bool on_gpu;      /* the GPU decodes, as the codec's state says */
    bool alone;       /* with on_gpu: decoded separately, not together with other pictures of a batch */
    bool mistaken;    /* an assumption about the stream was wrong, so the picture will be decoded from the start */
    const struct gpu_event *after; /* the event that work on the device waits for; null: none */
    struct gpu_target target;      /* gpu: where the image is */
    struct progress progress;
};

/* Check and plan a decoding. After an error, which is in the decoder's report, there is nothing to end. */
kst_status kst_decoding_begin(
    struct decoding *decoding, kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/*
 * Carry out the decoding and end it. kst_decoding_run() uses the device that kst_decoding_begin() has chosen;
 * kst_decoding_run_on_cpu() uses the CPU, whatever memory the image lies in.
 */
kst_status kst_decoding_run(struct decoding *decoding);
kst_status kst_decoding_run_on_cpu(struct decoding *decoding);

/* decoding_cpu.c: carry out the decoding on the CPU without ending it, whatever memory the image lies in. */
kst_status kst_decoding_on_cpu(struct decoding *decoding);

/*
 * Verify the assumptions about the stream, unless that has been done. Ending a decoding does this, too. `threads` help;
 * null: none do.
 */
void kst_decoding_confirm(struct decoding *decoding, struct pool *threads);

/* Decode from the start, after an assumption has turned out to be wrong. */
kst_status kst_decoding_again(struct decoding *decoding);

/* Release what the decoding holds, even after an error, and finish the report. Returns the status. */
kst_status kst_decoding_end(struct decoding *decoding, kst_status status);

/*
 * Decode a stream, which is opened first unless it is open in the decoder. The image must not be null. `report`
 * receives a copy of the decoder's report; it may be null.
 */
kst_status kst_decoding_run_in(kst_decoder *decoder, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report);

/* Do the same with a decoder that is made and closed by the call. */
kst_status kst_decoding_run_once(kst_context *context, const void *data, size_t length,
    const kst_decode_options *options, kst_image *image, kst_report *report);

/* decode_rows.c: decode an open stream to a writer of rows. */
kst_status kst_decoding_run_rows(kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer);

/*
 * decode_batch.c: open, decode and close many streams. kst_decoding_submit(), kst_decoding_done() and
 * kst_decoding_wait() below do the work of kst_decode_submit(), kst_job_done() and kst_job_wait(), whose arguments were
 * checked.
 */
kst_status kst_decoding_run_all(kst_context *context, kst_decode_item *items, size_t count);
/*
 * Do the same with decoders that have been started, one for each item, or null. A stream that is open in its decoder is
 * not opened again. The decoders are closed, except those of a batch that could not be begun.
 */
kst_status kst_decoding_run_opened(
    kst_context *context, kst_decode_item *items, struct kst_decoder *decoders, size_t count);
/* describe_batch.c: do the work of kst_decode_describe_batch(), whose arguments were checked. */
kst_status kst_decoding_describe_all(kst_context *context, kst_decode_item *items, size_t count);
kst_status kst_decoding_submit(
    kst_context *context, kst_decode_item *items, uint32_t count, const kst_stream *stream, struct kst_job **job);
bool kst_decoding_done(const struct kst_job *job);
kst_status kst_decoding_wait(struct kst_job *job);

#endif
