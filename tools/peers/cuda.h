/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares as much of CUDA's driver API as peers need: memory in the primary context of the first device, and waiting.
 */
#ifndef KOSTKA_TOOL_PEERS_CUDA_H
#define KOSTKA_TOOL_PEERS_CUDA_H

#include "tool.h"

typedef unsigned long long cuda_pointer;
typedef struct cuda_stream *cuda_stream;

#define PEER_CUDA_SYMBOLS(X)                                                                                           \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(device, "cuDeviceGet", (int *device, int index))                                                                 \
    X(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                                \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                           \
    X(current, "cuCtxSetCurrent", (void *context))                                                                     \
    X(allocate, "cuMemAlloc_v2", (cuda_pointer * pointer, size_t length))                                              \
    X(free, "cuMemFree_v2", (cuda_pointer pointer))                                                                    \
    X(allocate_host, "cuMemAllocHost_v2", (void **memory, size_t length))                                              \
    X(free_host, "cuMemFreeHost", (void *memory))                                                                      \
    X(up, "cuMemcpyHtoD_v2", (cuda_pointer to, const void *from, size_t length))                                       \
    X(down, "cuMemcpyDtoH_v2", (void *to, cuda_pointer from, size_t length))                                           \
    X(stream_create, "cuStreamCreate", (cuda_stream * stream, unsigned flags))                                         \
    X(stream_destroy, "cuStreamDestroy_v2", (cuda_stream stream))                                                      \
    X(stream_wait, "cuStreamSynchronize", (cuda_stream stream))

#define PEER_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;

struct peer_cuda {
    PEER_CUDA_SYMBOLS(PEER_CUDA_MEMBER)
};

/* Open the driver, and make its first device's primary context current in this thread. */
bool peer_cuda_open(struct peer_cuda *cuda, struct problem *problem);
void peer_cuda_close(struct peer_cuda *cuda);

#endif
