/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the framework's parameters become options of encoding. */
#ifndef KOSTKA_NVIMAGECODEC_ENCODE_OPTIONS_H
#define KOSTKA_NVIMAGECODEC_ENCODE_OPTIONS_H

#include "engine.h"

/* What one picture is coded from and how. It must not be moved, since `options` points into it. */
typedef struct Encoding {
    kst_image pixels;
    kst_encode_options options;
    kst_j2k_options jpeg2000;
    cudaStream_t stream; /* that produces the pixels, if they are in the device's memory */
} Encoding;

/*
 * Describe the encoding of a picture.
 * @return NVIMGCODEC_PROCESSING_STATUS_SUCCESS, or which of the parameters Kostka cannot honour
 */
nvimgcodecProcessingStatus_t encoding_plan(Encoding *encoding, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecEncodeParams_t *parameters);

#endif
