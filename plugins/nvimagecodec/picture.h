/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how one picture of the framework's batch is decoded. */
#ifndef KOSTKA_NVIMAGECODEC_PICTURE_H
#define KOSTKA_NVIMAGECODEC_PICTURE_H

#include "engine.h"
#include "stream.h"

/* Describes one picture of a batch. */
typedef struct Picture {
    const nvimgcodecImageDesc_t *image;
    Bytes bytes;
    kst_decode_options options;
    kst_image pixels; /* the framework's buffer */
    kst_image wide;   /* the decoded image, if the framework wants fewer bits than are coded */
    bool narrow;      /* `wide` is used */
    bool turned_region;
} Picture;

/*
 * Plan how a picture is decoded: its format, depth, region and orientation, according to the framework's description of
 * it. @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or why Kostka cannot decode it; then nothing need be released
 */
nvimgcodecProcessingStatus_t picture_plan(Picture *picture, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters);

/* Get the bytes of a planned picture, and describe its decoding. If this succeeds, picture_end() must follow. */
nvimgcodecProcessingStatus_t picture_begin(
    Picture *picture, const Engine *engine, const nvimgcodecCodeStreamDesc_t *stream, kst_decode_item *item);

/* Evaluate the report of decoding, copy the pixels to the framework's buffer if needed, and release everything. */
nvimgcodecProcessingStatus_t picture_end(Picture *picture, const Engine *engine, const kst_report *report);

#endif
