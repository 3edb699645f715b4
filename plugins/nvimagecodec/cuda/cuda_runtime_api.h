/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the one type of the CUDA runtime that nvimgcodec.h uses, so that the extension is built without the
 * runtime's headers. A stream is a pointer that is passed on and never dereferenced.
 */
#ifndef KOSTKA_NVIMAGECODEC_CUDA_RUNTIME_API_H
#define KOSTKA_NVIMAGECODEC_CUDA_RUNTIME_API_H

typedef struct CUstream_st *cudaStream_t;

#endif
