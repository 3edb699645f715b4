/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the part of the CUDA driver API that is used here, from its documentation. The library is loaded at run
 * time.
 */
#ifndef KOSTKA_DEVICE_CUDA_DRIVER_H
#define KOSTKA_DEVICE_CUDA_DRIVER_H

#include <stddef.h>

typedef int cu_result; /* CUresult; 0: success */
typedef int cu_device;
typedef unsigned long long cu_pointer; /* CUdeviceptr */
typedef struct cu_context *cu_context;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;

enum {
    CU_OUT_OF_MEMORY = 2,
    CU_INVALID_HANDLE = 400,
    CU_MULTIPROCESSOR_COUNT = 16, /* CUdevice_attribute */
    CU_MULTIPROCESSOR_THREADS = 39,
    CU_REGISTERED_ADDRESSES = 91, /* CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM */
    CU_FUNCTION_SHARED = 1,       /* CUfunction_attribute */
    CU_FUNCTION_LOCAL = 3,
    CU_FUNCTION_REGISTERS = 4,
    CU_STREAM_NON_BLOCKING = 1,
    CU_STREAM_PER_THREAD = 2, /* the greatest of the handles that name default streams */
    CU_HOST_ALLOC_PORTABLE = 1,
    CU_REGISTER_PORTABLE_MAPPED = 3, /* for all contexts, and for kernels to read and write */
    CU_NOT_READY = 600,
    CU_CONTEXT_SLEEPS = 4, /* CU_CTX_SCHED_BLOCKING_SYNC */
    CU_MEMORY_HOST = 1,    /* CUmemorytype */
    CU_MEMORY_DEVICE = 2,
    CU_POINTER_CONTEXT = 1, /* CUpointer_attribute */
    CU_POINTER_MEMORY_TYPE = 2,
    CU_POINTER_DEVICE_ORDINAL = 9,
    CU_POINTER_RANGE_START = 11,
    CU_POINTER_RANGE_SIZE = 12
};

/* CUDA_MEMCPY2D */
struct cu_copy {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    cu_pointer from_device;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    cu_pointer to_device;
    void *to_array;
    size_t to_pitch;
    size_t width, height;
};

/* The list of functions as X(member, symbol, parameters). Drivers from CUDA 11 on have every one of these symbols. */
#define CUDA_SYMBOLS(X)                                                                                                \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                            \
    X(error_name, "cuGetErrorName", (cu_result result, const char **name))                                             \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (cu_device * device, int index))                                                      \
    X(device_name, "cuDeviceGetName", (char *name, int length, cu_device device))                                      \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device device))                                        \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device))                         \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))                            \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                             \
    X(context_state, "cuDevicePrimaryCtxGetState", (cu_device device, unsigned *flags, int *active))                   \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context))                                                       \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context * context))                                                       \
    X(module_load, "cuModuleLoadData", (cu_module * module, const void *image))                                        \
    X(module_unload, "cuModuleUnload", (cu_module module))                                                             \
    X(module_function, "cuModuleGetFunction", (cu_function * function, cu_module module, const char *name))            \
    X(allocate, "cuMemAlloc_v2", (cu_pointer * pointer, size_t length))                                                \
    X(release, "cuMemFree_v2", (cu_pointer pointer))                                                                   \
    X(host_allocate, "cuMemHostAlloc", (void **pointer, size_t length, unsigned flags))                                \
    X(host_release, "cuMemFreeHost", (void *pointer))                                                                  \
    X(host_register, "cuMemHostRegister_v2", (void *memory, size_t length, unsigned flags))                            \
    X(host_unregister, "cuMemHostUnregister", (void *memory))                                                          \
    X(copy_up, "cuMemcpyHtoDAsync_v2", (cu_pointer to, const void *from, size_t length, cu_stream stream))             \
    X(copy_down, "cuMemcpyDtoHAsync_v2", (void *to, cu_pointer from, size_t length, cu_stream stream))                 \
    X(copy_across, "cuMemcpyDtoDAsync_v2", (cu_pointer to, cu_pointer from, size_t length, cu_stream stream))          \
    X(copy_rows, "cuMemcpy2DAsync_v2", (const struct cu_copy *copy, cu_stream stream))                                 \
    X(pointer_attributes, "cuPointerGetAttributes",                                                                    \
        (unsigned count, int *attributes, void **values, cu_pointer pointer))                                          \
    X(fill, "cuMemsetD32Async", (cu_pointer to, unsigned value, size_t count, cu_stream stream))                       \
    X(stream_query, "cuStreamQuery", (cu_stream stream))                                                               \
    X(stream_priorities, "cuCtxGetStreamPriorityRange", (int *lowest, int *highest))                                   \
    X(stream_create, "cuStreamCreateWithPriority", (cu_stream * stream, unsigned flags, int priority))                 \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream stream))                                                        \
    X(stream_context, "cuStreamGetCtx", (cu_stream stream, cu_context * context))                                      \
    X(stream_finish, "cuStreamSynchronize", (cu_stream stream))                                                        \
    X(stream_wait, "cuStreamWaitEvent", (cu_stream stream, cu_event event, unsigned flags))                            \
    X(event_create, "cuEventCreate", (cu_event * event, unsigned flags))                                               \
    X(event_destroy, "cuEventDestroy_v2", (cu_event event))                                                            \
    X(event_record, "cuEventRecord", (cu_event event, cu_stream stream))                                               \
    X(event_query, "cuEventQuery", (cu_event event))                                                                   \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, cu_event from, cu_event to))                          \
    X(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, cu_function function))                     \
    X(function_resident, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                \
        (int *blocks, cu_function function, int threads, size_t shared))                                               \
    X(launch, "cuLaunchKernel",                                                                                        \
        (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
            unsigned block_z, unsigned shared, cu_stream stream, void **parameters, void **extra))

#define CUDA_MEMBER(member, symbol, parameters) cu_result(*member) parameters;

struct cuda_driver {
    CUDA_SYMBOLS(CUDA_MEMBER)
};

#endif
