/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the part of CUDA's driver API that the peers use, with host memory in place of the device's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long pointer;

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags);
EXPORT int cuDeviceGet(int *device, int index);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT int cuCtxSetCurrent(void *context);
EXPORT int cuMemAlloc_v2(pointer *memory, size_t length);
EXPORT int cuMemFree_v2(pointer memory);
EXPORT int cuMemAllocHost_v2(void **memory, size_t length);
EXPORT int cuMemFreeHost(void *memory);
EXPORT int cuMemcpyHtoD_v2(pointer to, const void *from, size_t length);
EXPORT int cuMemcpyDtoH_v2(void *to, pointer from, size_t length);
EXPORT int cuStreamCreate(void **stream, unsigned flags);
EXPORT int cuStreamDestroy_v2(void *stream);
EXPORT int cuStreamSynchronize(void *stream);

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuDeviceGet(int *device, int index)
{
    *device = index;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static int primary;
    *context = &primary;
    return device;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device;
}

int cuCtxSetCurrent(void *context)
{
    (void)context;
    return 0;
}

int cuMemAllocHost_v2(void **memory, size_t length)
{
    *memory = calloc(1, length);
    return *memory == NULL;
}

int cuMemFreeHost(void *memory)
{
    free(memory);
    return 0;
}

int cuMemAlloc_v2(pointer *memory, size_t length)
{
    void *there;
    int failed = cuMemAllocHost_v2(&there, length);
    *memory = (uintptr_t)there;
    return failed;
}

int cuMemFree_v2(pointer memory)
{
    return cuMemFreeHost((void *)(uintptr_t)memory); /* NOLINT(performance-no-int-to-ptr) */
}

int cuMemcpyHtoD_v2(pointer to, const void *from, size_t length)
{
    memcpy((void *)(uintptr_t)to, from, length); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

int cuMemcpyDtoH_v2(void *to, pointer from, size_t length)
{
    memcpy(to, (const void *)(uintptr_t)from, length); /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    *stream = malloc(1);
    return *stream == NULL || flags != 1;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return 0;
}
