/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares DLPack's structures (dlpack.h 1.0), as the array API standard passes them in capsules. */
#ifndef KOSTKA_PYTHON_DLPACK_H
#define KOSTKA_PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_OPENCL = 4, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2 };
enum { DL_MAJOR = 1, DL_MINOR = 0 };

#define DL_FLAG_READ_ONLY UINT64_C(1)

struct dl_device {
    int32_t type;
    int32_t ordinal;
};

struct dl_tensor {
    void *data;
    struct dl_device device;
    int32_t dimensions;
    uint8_t type_code;
    uint8_t type_bits;
    uint16_t type_lanes;
    int64_t *shape;
    int64_t *strides; /* in samples; null: compact */
    uint64_t byte_offset;
};

/* "dltensor" */
struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
};

/* "dltensor_versioned" */
struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    struct dl_tensor tensor;
};

#endif
