/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcoding one JPEG picture: parsed, planned, written anew from its coefficients. */
#ifndef KOSTKA_JPEG_RUN_TRANSCODE_H
#define KOSTKA_JPEG_RUN_TRANSCODE_H

#include "core/context.h"
#include "core/sink.h"
#include "jpeg/plan/encoding.h"
#include "jpeg/plan/script.h"
#include "jpeg/plan/transform.h"
#include "jpeg/syntax/parse.h"

enum { JPEG_SPLIT_MAX = JPEG_SCRIPT_MAX * JPEG_COMPONENTS };

/* One picture; zeroed, and its first three members set, to begin with. */
struct jpeg_transcoding {
    kst_context *context;
    struct operation op;
    const kst_transcode_options *options;
    struct jpeg_stream stream;
    struct jpeg_transform transform;
    struct jpeg_encoding encoding;
    kst_metadata *metadata; /* the segments that are kept, each whole: KST_METADATA_APP */
    uint32_t *segment;      /* of each item which segment of the stream it is */
    uint8_t *exif; /* the first Exif segment with its picture's new size, which an item of `metadata` points to */
    kst_scan script[JPEG_SPLIT_MAX];
};

/* Parse the picture. In strict mode what the parser finds is an error. */
kst_status kst_jpeg_transcoding_open(struct jpeg_transcoding *t, const void *data, size_t length);

/* Everything that can be said before a coefficient is decoded. */
kst_status kst_jpeg_transcoding_plan(struct jpeg_transcoding *t);

/* The segments that are kept, for a result of another size than the plan has. Part of the plan otherwise. */
kst_status kst_jpeg_transcoding_metadata(struct jpeg_transcoding *t, uint32_t width, uint32_t height);

/* Write it. */
kst_status kst_jpeg_transcoding_write(struct jpeg_transcoding *t, struct sink *sink);

/* Returns the offset in the result at which the contents of item `index` of the metadata begin. */
uint64_t kst_jpeg_transcoding_place(const struct jpeg_transcoding *t, size_t index);

void kst_jpeg_transcoding_close(struct jpeg_transcoding *t);

#endif
