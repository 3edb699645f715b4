/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares device memory that OpenGL can use, too: CUDA allocates it and exports it as a file descriptor. */
#ifndef KOSTKA_DEVICE_CUDA_SHARED_H
#define KOSTKA_DEVICE_CUDA_SHARED_H

#include "device/cuda/gl.h"

#define CUDA_SHARING_SYMBOLS(X)                                                                                        \
    X(step, "cuMemGetAllocationGranularity", (size_t * bytes, const struct cu_allocation *wanted, int option))         \
    X(create, "cuMemCreate",                                                                                           \
        (unsigned long long *handle, size_t length, const struct cu_allocation *wanted, unsigned long long flags))     \
    X(release, "cuMemRelease", (unsigned long long handle))                                                            \
    X(hand_on, "cuMemExportToShareableHandle",                                                                         \
        (void *made, unsigned long long handle, int kind, unsigned long long flags))                                   \
    X(reserve, "cuMemAddressReserve",                                                                                  \
        (cu_pointer * pointer, size_t length, size_t alignment, cu_pointer wish, unsigned long long flags))            \
    X(let_go, "cuMemAddressFree", (cu_pointer pointer, size_t length))                                                 \
    X(map, "cuMemMap",                                                                                                 \
        (cu_pointer pointer, size_t length, size_t offset, unsigned long long handle, unsigned long long flags))       \
    X(unmap, "cuMemUnmap", (cu_pointer pointer, size_t length))                                                        \
    X(allow, "cuMemSetAccess", (cu_pointer pointer, size_t length, const struct cu_access *access, size_t count))

/* These are CUmemLocation, CUmemAllocationProp and CUmemAccessDesc. */
struct cu_location {
    int kind, device;
};

struct cu_allocation {
    int kind, handles;
    struct cu_location location;
    void *unused;
    unsigned char flags[8];
};

struct cu_access {
    struct cu_location location;
    int flags;
};

struct cuda_shared_memory {
    cu_pointer pointer; /* 0: none */
    size_t length;      /* in bytes, at least as many as asked for */
};

struct cuda_sharing {
    CUDA_SHARING_SYMBOLS(CUDA_MEMBER)
    struct cuda_gl *gl; /* null: this driver cannot share memory in this way */
};

/* Look up the functions. `gl` is open, and must stay open until the last memory is released. */
void kst_cuda_sharing_open(struct cuda_sharing *sharing, struct cuda_gl *gl);

/*
 * Allocate shared memory. On success *fd belongs to the caller. Returns false on failure, after which nothing is left
 * behind.
 */
bool kst_cuda_shared_memory_make(
    struct cuda_sharing *sharing, size_t length, struct cuda_shared_memory *memory, int *fd, struct gpu_error *error);

/* Release memory that no work uses any more. A structure without memory is allowed. */
void kst_cuda_shared_memory_end(struct cuda_sharing *sharing, struct cuda_shared_memory *memory);

#endif
