/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture being encoded: checked and planned, carried out where the context's device is, and ended. */
#ifndef KOSTKA_API_ENCODING_H
#define KOSTKA_API_ENCODING_H

#include "core/context.h"
#include "core/progress.h"
#include "jpeg/cpu/encode.h"
#include "jpeg/gpu/encode.h"

/* Its parts point to each other: it stays where it is. */
struct encoding {
    kst_context *context;
    kst_encode_options options;
    kst_report report;
    struct memory memory;
    kst_image image;      /* the caller's, with its colour filled in */
    const kst_rows *rows; /* where it is not in memory */
    kst_image brought;    /* all of those, where a GPU wants them at once */
    struct jpeg_dsp dsp;
    struct jpeg_encoding jpeg;
    struct jpeg_sampler sampler;
    struct sink sink;
    struct progress progress;
    kst_buffer *output;
    uint64_t written;         /* by its end, where the sink has a writer */
    struct gpu_executor *gpu; /* of the context; null: it works on the CPU */
    bool on_gpu;              /* a JPEG: whether the kernels encode it, as `item` says */
    struct jpeg_encode_item item;
};

/* Check and plan. After an error, which is in the report, there is nothing to end. `rows`: null for a picture in
 * memory. */
kst_status kst_encoding_begin(struct encoding *e, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output);

/* End it: hand over the bytes, or none after an error. */
kst_status kst_encoding_end(struct encoding *e, kst_status status);

/* Carry it out on the CPU, or a JPEG 2000 picture wherever it can be, and end it. */
kst_status kst_encoding_run_on_cpu(struct encoding *e);

/* End it when the device has done it, or failed. */
kst_status kst_encoding_settle(
    struct encoding *e, const struct jpeg_encode_times *times, const struct gpu_error *error);

#endif
