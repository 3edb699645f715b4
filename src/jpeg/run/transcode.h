/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the steps that transcode one JPEG picture: parse it, plan the result, and write the result from the
 * coefficients.
 */
#ifndef KOSTKA_JPEG_RUN_TRANSCODE_H
#define KOSTKA_JPEG_RUN_TRANSCODE_H

#include "core/context.h"
#include "core/sink.h"
#include "jpeg/plan/encoding.h"
#include "jpeg/plan/script.h"
#include "jpeg/plan/transform.h"
#include "jpeg/syntax/parse.h"

enum { JPEG_SPLIT_MAX = JPEG_SCRIPT_MAX * JPEG_COMPONENTS };

/*
 * Holds the transcoding of one picture. To begin with, it is zeroed except for its first four members, which the
 * caller sets.
 */
struct jpeg_transcoding {
    kst_context *context;
    struct operation op;
    const kst_transcode_options *options;
    bool deep; /* the samples have 12 bits; otherwise they must have 8 */
    struct jpeg_stream stream;
    struct jpeg_transform transform;
    struct jpeg_encoding encoding;
    kst_metadata *metadata; /* the kept segments, each whole, as KST_METADATA_APP */
    uint32_t *segment;      /* for each item of `metadata`, which segment of the stream it is */
    uint8_t *exif; /* the first Exif segment with its picture's new size, which an item of `metadata` points to */
    kst_scan script[JPEG_SPLIT_MAX];
};

/* Parse the picture. In strict mode every warning of the parser is an error. */
kst_status kst_jpeg_run_transcoding_open(struct jpeg_transcoding *t, const void *data, size_t length);

/* Plan everything that does not depend on the coefficients. */
kst_status kst_jpeg_run_transcoding_plan(struct jpeg_transcoding *t);

/*
 * Choose the kept segments for a result of this size. kst_jpeg_run_transcoding_plan() does so for the planned size;
 * call this only if the result has another one.
 */
kst_status kst_jpeg_run_transcoding_metadata(struct jpeg_transcoding *t, uint32_t width, uint32_t height);

/* Write the result. */
kst_status kst_jpeg_run_transcoding_write(struct jpeg_transcoding *t, struct sink *sink);

/*
 * transcode_stream.c: the first function returns whether a planned picture is transcoded without keeping its
 * coefficients in memory, because they are too many or because it is faster. The second one writes the result in this
 * way.
 */
bool kst_jpeg_run_transcoding_streams(const struct jpeg_transcoding *t, const struct sink *sink);
kst_status kst_jpeg_run_transcoding_stream(struct jpeg_transcoding *t, struct sink *sink);

/* Return the offset in the result at which the contents of item `index` of the metadata begin. */
uint64_t kst_jpeg_run_transcoding_place(const struct jpeg_transcoding *t, size_t index);

void kst_jpeg_run_transcoding_close(struct jpeg_transcoding *t);

#endif
