/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps of encoding one picture: check and plan it, carry it out on the context's device, and end it. */
#ifndef KOSTKA_RUN_ENCODING_H
#define KOSTKA_RUN_ENCODING_H

#include "core/progress.h"
#include "device/image.h"
#include "run/codec.h"
#include "run/device.h"

/* Describes an encoding. It must not be moved, because its members point to each other. */
struct encoding {
    kst_context *context;
    const struct codec *codec;
    void *state; /* the codec's state; null: the codec keeps none */
    kst_encode_options options;
    kst_report report;
    struct memory memory;
    kst_image image;      /* the caller's, with its colour filled in */
    const kst_rows *rows; /* the caller's function for rows; null: the picture is in memory */
    kst_image brought;    /* the whole picture, read from `rows` if a GPU needs all rows at once */
    struct sink sink;
    struct progress progress;
    kst_buffer *output;
    uint64_t written;              /* the bytes written by the end, if the sink has a writer */
    struct gpu_runtime *gpu;       /* the context's GPU; null: the context works on the CPU */
    enum gpu_source source;        /* gpu: where the pixels are */
    struct gpu_image planes;       /* gpu: the planes, unless the pixels are staged */
    bool on_gpu;                   /* with gpu: the GPU encodes the picture, in a batch together with others */
    const struct gpu_event *after; /* the event that work on the device waits for; null: none */

    /*
     * The codec's own description of a volume, if the components are its transformed slices; null: this is a picture.
     */
    const struct j2k_volume_coding *volume;
};

/*
 * Check and plan an encoding. After an error, which is in the report, there is nothing to end. `rows` is null for a
 * picture in memory.
 */
kst_status kst_encoding_begin(struct encoding *e, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output);

/*
 * Do the same for a picture whose lines arrive one by one and are encoded on the CPU: there is no function for rows,
 * and no output but the sink. kst_encoding_drop() releases the encoding.
 */
kst_status kst_encoding_begin_lines(
    struct encoding *e, kst_context *context, const kst_image *image, const kst_encode_options *options);
void kst_encoding_drop(struct encoding *e);

/* Carry out the encoding on the device that kst_encoding_begin() has chosen, and end it. */
kst_status kst_encoding_run(struct encoding *e);

/* End the encoding, and pass the bytes to the caller, but none after an error. */
kst_status kst_encoding_end(struct encoding *e, kst_status status);

/* Codecs call these. kst_encoding_bring_rows() reads all rows to the operation's memory. kst_encoding_find_source()
 * finds out how the GPU gets the pixels. */
kst_status kst_encoding_bring_rows(struct encoding *e);
kst_status kst_encoding_find_source(struct encoding *e);

/* Return the operation with which the codec works. */
static inline struct operation kst_encoding_operation(struct encoding *e)
{
    return kst_context_operation(e->context, &e->memory, &e->report, &e->progress);
}

/* Report an error, with a detail unless that is null. */
kst_status kst_encoding_fail(struct encoding *e, kst_status status, const char *detail);

/*
 * encode_batch.c: encode many pictures, with a GPU unless that is null. If `entered` is not null, work on the GPU waits
 * for the caller's stream.
 */
struct entered_stream;
kst_status kst_encoding_run_all(kst_context *context, struct gpu_runtime *gpu, kst_encode_item *items, size_t count,
    struct entered_stream *entered);

#endif
