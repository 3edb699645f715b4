/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares nvJPEG, a part of the CUDA toolkit. The declarations are the project's own, written after the header of
 * version 13; they have not changed since version 11.
 */
#ifndef KOSTKA_TOOL_PEERS_NVJPEG_H
#define KOSTKA_TOOL_PEERS_NVJPEG_H

#include "peers/cuda.h"
#include "peers/peers.h"

enum {
    NVJPEG_BACKEND_DEFAULT = 0, /* nvjpegBackend_t */
    NVJPEG_BACKEND_GPU_HYBRID = 2,
    NVJPEG_BACKEND_HARDWARE = 3,
    NVJPEG_RGB_INTERLEAVED = 5, /* nvjpegOutputFormat_t, nvjpegInputFormat_t */
    NVJPEG_CHANNELS = 3
};

struct nvjpeg_image {
    unsigned char *channel[4];
    size_t pitch[4];
};

typedef struct nvjpeg_handle *nvjpeg_handle;
typedef struct nvjpeg_decoder *nvjpeg_decoder;
typedef struct nvjpeg_encoder *nvjpeg_encoder;
typedef struct nvjpeg_parameters *nvjpeg_parameters;

#define NVJPEG_SYMBOLS(X)                                                                                              \
    X(create, "nvjpegCreateEx",                                                                                        \
        (int backend, void *device_allocator, void *pinned_allocator, unsigned flags, nvjpeg_handle *handle))          \
    X(destroy, "nvjpegDestroy", (nvjpeg_handle))                                                                       \
    X(decoder_create, "nvjpegJpegStateCreate", (nvjpeg_handle, nvjpeg_decoder *))                                      \
    X(decoder_destroy, "nvjpegJpegStateDestroy", (nvjpeg_decoder))                                                     \
    X(decode, "nvjpegDecode",                                                                                          \
        (nvjpeg_handle, nvjpeg_decoder, const unsigned char *data, size_t length, int format,                          \
            struct nvjpeg_image *image, cuda_stream))                                                                  \
    X(batch_start, "nvjpegDecodeBatchedInitialize",                                                                    \
        (nvjpeg_handle, nvjpeg_decoder, int count, int threads, int format))                                           \
    X(decode_batch, "nvjpegDecodeBatched",                                                                             \
        (nvjpeg_handle, nvjpeg_decoder, const unsigned char *const *data, const size_t *length,                        \
            struct nvjpeg_image *images, cuda_stream))                                                                 \
    X(encoder_create, "nvjpegEncoderStateCreate", (nvjpeg_handle, nvjpeg_encoder *, cuda_stream))                      \
    X(encoder_destroy, "nvjpegEncoderStateDestroy", (nvjpeg_encoder))                                                  \
    X(parameters_create, "nvjpegEncoderParamsCreate", (nvjpeg_handle, nvjpeg_parameters *, cuda_stream))               \
    X(parameters_destroy, "nvjpegEncoderParamsDestroy", (nvjpeg_parameters))                                           \
    X(set_quality, "nvjpegEncoderParamsSetQuality", (nvjpeg_parameters, int quality, cuda_stream))                     \
    X(set_sampling, "nvjpegEncoderParamsSetSamplingFactors", (nvjpeg_parameters, int sampling, cuda_stream))           \
    X(set_optimized, "nvjpegEncoderParamsSetOptimizedHuffman", (nvjpeg_parameters, int optimized, cuda_stream))        \
    X(encode, "nvjpegEncodeImage",                                                                                     \
        (nvjpeg_handle, nvjpeg_encoder, nvjpeg_parameters, const struct nvjpeg_image *, int format, int width,         \
            int height, cuda_stream))                                                                                  \
    X(fetch, "nvjpegEncodeRetrieveBitstream",                                                                          \
        (nvjpeg_handle, nvjpeg_encoder, unsigned char *data, size_t *length, cuda_stream))

#define NVJPEG_MEMBER(member, symbol, parameters) int(*member) parameters;

struct nvjpeg_library {
    NVJPEG_SYMBOLS(NVJPEG_MEMBER)
};

bool nvjpeg_load(struct nvjpeg_library *library, struct problem *problem);

/* Return whether a call succeeded; on failure the problem names the call. */
bool nvjpeg_check(int status, const char *what, struct problem *problem);

#endif
