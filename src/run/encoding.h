/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture being encoded: checked and planned, carried out where the context's device is, and ended. */
#ifndef KOSTKA_RUN_ENCODING_H
#define KOSTKA_RUN_ENCODING_H

#include "core/progress.h"
#include "device/image.h"
#include "run/codec.h"
#include "run/device.h"

/* Its parts point to each other: it stays where it is. */
struct encoding {
    kst_context *context;
    const struct codec *codec;
    void *state; /* what the codec keeps of it; null: nothing */
    kst_encode_options options;
    kst_report report;
    struct memory memory;
    kst_image image;      /* the caller's, with its colour filled in */
    const kst_rows *rows; /* where it is not in memory */
    kst_image brought;    /* all of those, where a GPU wants them at once */
    struct sink sink;
    struct progress progress;
    kst_buffer *output;
    uint64_t written;              /* by its end, where the sink has a writer */
    struct gpu_executor *gpu;      /* of the context; null: it works on the CPU */
    enum gpu_source source;        /* gpu: where the pixels are, */
    struct gpu_image planes;       /* used unless they are staged */
    bool on_gpu;                   /* gpu: it encodes the picture, in a batch together with others */
    const struct gpu_event *after; /* what work on the device waits for; null: nothing */
};

/* Check and plan. After an error, which is in the report, there is nothing to end. `rows`: null for a picture in
 * memory. */
kst_status kst_encoding_begin(struct encoding *e, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output);

/* Carry it out where begin() has decided, and end it. */
kst_status kst_encoding_run(struct encoding *e);

/* End it: hand over the bytes, or none after an error. */
kst_status kst_encoding_end(struct encoding *e, kst_status status);

/* For codecs: bring all rows to memory of the operation's; and find where pixels are for the GPU. */
kst_status kst_encoding_bring_rows(struct encoding *e);
kst_status kst_encoding_find_source(struct encoding *e);

/* What the codec works with. */
static inline struct operation kst_encoding_operation(struct encoding *e)
{
    return kst_context_operation(e->context, &e->memory, &e->report, &e->progress);
}

/* Report an error, with what is wrong unless that is null. */
kst_status kst_encoding_fail(struct encoding *e, kst_status status, const char *detail);

/*
 * encode_batch.c: encode many pictures, with a GPU unless that is null. Where `entered` is not null, work on the GPU
 * waits for the caller's stream.
 */
struct entered_stream;
kst_status kst_encoding_run_all(kst_context *context, struct gpu_executor *gpu, kst_encode_item *items, size_t count,
    struct entered_stream *entered);

#endif
