/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives CUDA access to buffer objects of the OpenGL context that is current in the calling thread. */
#ifndef KOSTKA_DEVICE_CUDA_GL_H
#define KOSTKA_DEVICE_CUDA_GL_H

#include "device/cuda/driver.h"
#include "device/device.h"

typedef struct cu_resource *cu_resource; /* CUgraphicsResource */

#define CUDA_GL_SYMBOLS(X)                                                                                             \
    X(error_name, "cuGetErrorName", (cu_result result, const char **name))                                             \
    X(device_get, "cuDeviceGet", (cu_device * device, int index))                                                      \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))                            \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                             \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context))                                                       \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context * context))                                                       \
    X(devices, "cuGLGetDevices_v2", (unsigned *count, cu_device *devices, unsigned capacity, int which))               \
    X(enrol, "cuGraphicsGLRegisterBuffer", (cu_resource * resource, unsigned buffer, unsigned flags))                  \
    X(dismiss, "cuGraphicsUnregisterResource", (cu_resource resource))                                                 \
    X(map, "cuGraphicsMapResources", (unsigned count, cu_resource *resources, cu_stream stream))                       \
    X(unmap, "cuGraphicsUnmapResources", (unsigned count, cu_resource *resources, cu_stream stream))                   \
    X(pointer, "cuGraphicsResourceGetMappedPointer_v2", (cu_pointer * pointer, size_t * length, cu_resource resource))

struct cuda_gl {
    CUDA_GL_SYMBOLS(CUDA_MEMBER)
    struct gpu *gpu; /* null: not open */
    cu_device device;
    cu_context context; /* the device's primary context */
};

/*
 * Open the access. Returns false if the device is not one of CUDA's, or not the one that the current OpenGL context
 * draws with.
 */
bool kst_cuda_gl_open(struct cuda_gl *shared, struct gpu *gpu);
void kst_cuda_gl_close(struct cuda_gl *shared); /* allowed if it is not open */

enum cuda_gl_use { CUDA_GL_CHANGE = 0, CUDA_GL_READ = 1, CUDA_GL_OVERWRITE = 2 };

/*
 * Register a buffer object with CUDA. The buffer must keep its memory until it is dismissed. Returns null on failure.
 */
cu_resource kst_cuda_gl_enrol(struct cuda_gl *shared, unsigned buffer, enum cuda_gl_use use, struct gpu_error *error);
void kst_cuda_gl_dismiss(struct cuda_gl *shared, cu_resource *resource); /* null allowed */

/* Lend the buffer's memory to CUDA, in the queue's order, and give it back to OpenGL. */
bool kst_cuda_gl_map(struct cuda_gl *shared, cu_resource resource, struct gpu_queue *queue, struct gpu_buffer *memory);
void kst_cuda_gl_unmap(struct cuda_gl *shared, cu_resource resource, struct gpu_queue *queue);

#endif
