/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how one picture of the framework's batch is decoded. */
#ifndef KOSTKA_NVIMAGECODEC_PICTURE_H
#define KOSTKA_NVIMAGECODEC_PICTURE_H

#include "engine.h"
#include "stream.h"

/* One picture of a batch. */
typedef struct Picture {
    const nvimgcodecImageDesc_t *image;
    Bytes bytes;
    kst_decode_options options;
    kst_image pixels; /* the framework's buffer */
    kst_image wide;   /* what is decoded first if the framework wants fewer bits than are coded */
    bool narrow;      /* `wide` is used */
    bool turned_region;
} Picture;

/*
 * Plan how a picture is decoded: its format, depth, region and orientation, from what the framework knows of it.
 * @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or why Kostka cannot decode it; then nothing is to be released
 */
nvimgcodecProcessingStatus_t picture_plan(Picture *picture, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters);

/* Get the bytes of a planned picture, and describe its decoding; picture_end() must follow if this succeeds. */
nvimgcodecProcessingStatus_t picture_begin(
    Picture *picture, const Engine *engine, const nvimgcodecCodeStreamDesc_t *stream, kst_decode_item *item);

/* Judge what was decoded, bring it to the framework's buffer, and release everything. */
nvimgcodecProcessingStatus_t picture_end(Picture *picture, const Engine *engine, const kst_report *report);

#endif
