/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the framework's parameters are translated to options of encoding. */
#ifndef KOSTKA_NVIMAGECODEC_ENCODE_OPTIONS_H
#define KOSTKA_NVIMAGECODEC_ENCODE_OPTIONS_H

#include "engine.h"

/*
 * Holds the pixels of one picture, and the options to encode it with. Must not be moved, since `options` points into
 * it.
 */
typedef struct Encoding {
    kst_image pixels;
    kst_encode_options options;
    kst_j2k_options jpeg2000;
    cudaStream_t stream; /* the stream that produces the pixels, if they are in device memory */
} Encoding;

/*
 * Describe the encoding of a picture. @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or a status that names the
 * parameter that Kostka does not support
 */
nvimgcodecProcessingStatus_t encoding_plan(Encoding *encoding, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecEncodeParams_t *parameters);

#endif
