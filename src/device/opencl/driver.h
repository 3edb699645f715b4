/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the part of OpenCL 1.2 that is used here, from its specification. The library is loaded at run time. */
#ifndef KOSTKA_DEVICE_OPENCL_DRIVER_H
#define KOSTKA_DEVICE_OPENCL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int; /* 0: success */
typedef uint32_t cl_uint;
typedef uint64_t cl_bits; /* cl_bitfield, cl_ulong */
typedef struct cl_platform *cl_platform;
typedef struct cl_device *cl_device;
typedef struct cl_context *cl_context;
typedef struct cl_queue *cl_queue;
typedef struct cl_mem *cl_mem;
typedef struct cl_program *cl_program;
typedef struct cl_kernel *cl_kernel;
typedef struct cl_event *cl_event;

enum {
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_DEVICE_ALL = -1, /* 0xFFFFFFFF as cl_device_type */
    CL_DEVICE_GPU = 4,  /* a bit of CL_DEVICE_TYPE */
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_UNITS = 0x1002,
    CL_DEVICE_LARGEST = 0x1010, /* the most bytes that a buffer may have */
    CL_DEVICE_MEMORY = 0x101F,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_QUEUE_PROFILING = 2,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_ALLOC_HOST = 16,
    CL_MAP_READ_WRITE = 3,
    CL_BUILD_LOG = 0x1183,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_PROGRAM_DEVICES = 0x1162, /* number of devices */
    CL_PROGRAM_BINARY_LENGTHS = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROFILING_END = 0x1283,
    CL_KERNEL_LOCAL_BYTES = 0x11B2,
    CL_KERNEL_PRIVATE_BYTES = 0x11B4,
    CL_CONTEXT_DEVICES = 0x1081,
    CL_QUEUE_CONTEXT = 0x1090,
    CL_QUEUE_DEVICE = 0x1091,
    CL_MEM_TYPE = 0x1100,
    CL_MEM_LENGTH = 0x1102,
    CL_MEM_CONTEXT = 0x1106,
    CL_MEM_TYPE_BUFFER = 0x10F0,
    CL_EVENT_STATUS = 0x11D3
};

/* The list of functions as X(member, symbol, type of the result, parameters). */
#define OPENCL_SYMBOLS(X)                                                                                              \
    X(platforms, "clGetPlatformIDs", cl_int, (cl_uint room, cl_platform * platforms, cl_uint * count))                 \
    X(devices, "clGetDeviceIDs", cl_int,                                                                               \
        (cl_platform platform, cl_bits type, cl_uint room, cl_device * devices, cl_uint * count))                      \
    X(device_info, "clGetDeviceInfo", cl_int, (cl_device, cl_uint what, size_t room, void *value, size_t *length))     \
    X(context_create, "clCreateContext", cl_context,                                                                   \
        (const intptr_t *properties, cl_uint count, const cl_device *devices,                                          \
            void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *result))                   \
    X(context_info, "clGetContextInfo", cl_int, (cl_context, cl_uint what, size_t room, void *value, size_t *length))  \
    X(context_retain, "clRetainContext", cl_int, (cl_context))                                                         \
    X(context_release, "clReleaseContext", cl_int, (cl_context))                                                       \
    X(queue_create, "clCreateCommandQueue", cl_queue, (cl_context, cl_device, cl_bits properties, cl_int * result))    \
    X(queue_retain, "clRetainCommandQueue", cl_int, (cl_queue))                                                        \
    X(queue_release, "clReleaseCommandQueue", cl_int, (cl_queue))                                                      \
    X(queue_info, "clGetCommandQueueInfo", cl_int, (cl_queue, cl_uint what, size_t room, void *value, size_t *length)) \
    X(finish, "clFinish", cl_int, (cl_queue))                                                                          \
    X(flush, "clFlush", cl_int, (cl_queue))                                                                            \
    X(program_create, "clCreateProgramWithSource", cl_program,                                                         \
        (cl_context, cl_uint count, const char **texts, const size_t *lengths, cl_int *result))                        \
    X(program_load, "clCreateProgramWithBinary", cl_program,                                                           \
        (cl_context, cl_uint count, const cl_device *devices, const size_t *lengths, const uint8_t **binaries,         \
            cl_int *statuses, cl_int *result))                                                                         \
    X(program_info, "clGetProgramInfo", cl_int, (cl_program, cl_uint what, size_t room, void *value, size_t *length))  \
    X(program_build, "clBuildProgram", cl_int,                                                                         \
        (cl_program, cl_uint count, const cl_device *devices, const char *options, void (*notify)(cl_program, void *), \
            void *user))                                                                                               \
    X(program_log, "clGetProgramBuildInfo", cl_int,                                                                    \
        (cl_program, cl_device, cl_uint what, size_t room, void *value, size_t *length))                               \
    X(program_release, "clReleaseProgram", cl_int, (cl_program))                                                       \
    X(kernel_create, "clCreateKernel", cl_kernel, (cl_program, const char *name, cl_int *result))                      \
    X(kernel_release, "clReleaseKernel", cl_int, (cl_kernel))                                                          \
    X(kernel_argument, "clSetKernelArg", cl_int, (cl_kernel, cl_uint index, size_t length, const void *value))         \
    X(kernel_work_group, "clGetKernelWorkGroupInfo", cl_int,                                                           \
        (cl_kernel, cl_device, cl_uint what, size_t room, void *value, size_t *length))                                \
    X(launch, "clEnqueueNDRangeKernel", cl_int,                                                                        \
        (cl_queue, cl_kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local,     \
            cl_uint waits, const cl_event *wait, cl_event *event))                                                     \
    X(buffer_create, "clCreateBuffer", cl_mem, (cl_context, cl_bits flags, size_t length, void *host, cl_int *result)) \
    X(buffer_info, "clGetMemObjectInfo", cl_int, (cl_mem, cl_uint what, size_t room, void *value, size_t *length))     \
    X(buffer_release, "clReleaseMemObject", cl_int, (cl_mem))                                                          \
    X(image_info, "clGetImageInfo", cl_int, (cl_mem, cl_uint what, size_t room, void *value, size_t *length))          \
    X(image_up, "clEnqueueWriteImage", cl_int,                                                                         \
        (cl_queue, cl_mem to, cl_uint blocking, const size_t *at, const size_t *region, size_t pitch, size_t slice,    \
            const void *from, cl_uint waits, const cl_event *wait, cl_event *event))                                   \
    X(image_down, "clEnqueueReadImage", cl_int,                                                                        \
        (cl_queue, cl_mem from, cl_uint blocking, const size_t *at, const size_t *region, size_t pitch, size_t slice,  \
            void *to, cl_uint waits, const cl_event *wait, cl_event *event))                                           \
    X(buffer_to_image, "clEnqueueCopyBufferToImage", cl_int,                                                           \
        (cl_queue, cl_mem from, cl_mem to, size_t offset, const size_t *at, const size_t *region, cl_uint waits,       \
            const cl_event *wait, cl_event *event))                                                                    \
    X(image_to_buffer, "clEnqueueCopyImageToBuffer", cl_int,                                                           \
        (cl_queue, cl_mem from, cl_mem to, const size_t *at, const size_t *region, size_t offset, cl_uint waits,       \
            const cl_event *wait, cl_event *event))                                                                    \
    X(map, "clEnqueueMapBuffer", void *,                                                                               \
        (cl_queue, cl_mem, cl_uint blocking, cl_bits flags, size_t offset, size_t length, cl_uint waits,               \
            const cl_event *wait, cl_event *event, cl_int *result))                                                    \
    X(unmap, "clEnqueueUnmapMemObject", cl_int,                                                                        \
        (cl_queue, cl_mem, void *mapped, cl_uint waits, const cl_event *wait, cl_event *event))                        \
    X(copy_up, "clEnqueueWriteBuffer", cl_int,                                                                         \
        (cl_queue, cl_mem to, cl_uint blocking, size_t offset, size_t length, const void *from, cl_uint waits,         \
            const cl_event *wait, cl_event *event))                                                                    \
    X(copy_down, "clEnqueueReadBuffer", cl_int,                                                                        \
        (cl_queue, cl_mem from, cl_uint blocking, size_t offset, size_t length, void *to, cl_uint waits,               \
            const cl_event *wait, cl_event *event))                                                                    \
    X(copy_across, "clEnqueueCopyBuffer", cl_int,                                                                      \
        (cl_queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t length, cl_uint waits,         \
            const cl_event *wait, cl_event *event))                                                                    \
    X(rows_up, "clEnqueueWriteBufferRect", cl_int,                                                                     \
        (cl_queue, cl_mem to, cl_uint blocking, const size_t *at, const size_t *host_at, const size_t *region,         \
            size_t pitch, size_t slice, size_t host_pitch, size_t host_slice, const void *from, cl_uint waits,         \
            const cl_event *wait, cl_event *event))                                                                    \
    X(rows_down, "clEnqueueReadBufferRect", cl_int,                                                                    \
        (cl_queue, cl_mem from, cl_uint blocking, const size_t *at, const size_t *host_at, const size_t *region,       \
            size_t pitch, size_t slice, size_t host_pitch, size_t host_slice, void *to, cl_uint waits,                 \
            const cl_event *wait, cl_event *event))                                                                    \
    X(rows_across, "clEnqueueCopyBufferRect", cl_int,                                                                  \
        (cl_queue, cl_mem from, cl_mem to, const size_t *from_at, const size_t *to_at, const size_t *region,           \
            size_t from_pitch, size_t from_slice, size_t to_pitch, size_t to_slice, cl_uint waits,                     \
            const cl_event *wait, cl_event *event))                                                                    \
    X(fill, "clEnqueueFillBuffer", cl_int,                                                                             \
        (cl_queue, cl_mem, const void *pattern, size_t pattern_length, size_t offset, size_t length, cl_uint waits,    \
            const cl_event *wait, cl_event *event))                                                                    \
    X(marker, "clEnqueueMarkerWithWaitList", cl_int, (cl_queue, cl_uint waits, const cl_event *wait, cl_event *event)) \
    X(barrier, "clEnqueueBarrierWithWaitList", cl_int,                                                                 \
        (cl_queue, cl_uint waits, const cl_event *wait, cl_event *event))                                              \
    X(event_info, "clGetEventInfo", cl_int, (cl_event, cl_uint what, size_t room, void *value, size_t *length))        \
    X(event_time, "clGetEventProfilingInfo", cl_int,                                                                   \
        (cl_event, cl_uint what, size_t room, void *value, size_t *length))                                            \
    X(event_release, "clReleaseEvent", cl_int, (cl_event))

#define OPENCL_MEMBER(member, symbol, type, parameters) type(*member) parameters;

struct opencl_driver {
    OPENCL_SYMBOLS(OPENCL_MEMBER)
};

#endif
