/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the one type that nvimgcodec.h takes from the CUDA runtime, so that the extension is built without its
 * headers. A stream is a pointer that is passed on and never followed.
 */
#ifndef KOSTKA_NVIMAGECODEC_CUDA_RUNTIME_API_H
#define KOSTKA_NVIMAGECODEC_CUDA_RUNTIME_API_H

typedef struct CUstream_st *cudaStream_t;

#endif
