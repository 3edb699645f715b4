/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds to the driver of idle_cuda.c what GStreamer's library for CUDA loads beyond that: contexts, memory with a pitch,
 * copies that take nothing, and functions for OpenGL and textures that nobody calls.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

enum { PITCH = 512 };

EXPORTED int idle_gst_context_create(void **context) __asm__("cuCtxCreate_v2");
EXPORTED int idle_gst_pitched(uint64_t *pointer, size_t *pitch, size_t width, size_t height) __asm__(
    "cuMemAllocPitch_v2");
EXPORTED int idle_gst_host(void **pointer, size_t length) __asm__("cuMemAllocHost_v2");
EXPORTED int idle_gst_peer(int *can) __asm__("cuDeviceCanAccessPeer");

int idle_gst_context_create(void **context)
{
    *context = (void *)(uintptr_t)1000; /* none of the primary ones */
    return 0;
}

int idle_gst_pitched(uint64_t *pointer, size_t *pitch, size_t width, size_t height)
{
    static uint64_t next = (uint64_t)1 << 40;

    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    *pointer = next;
    next += *pitch * height;
    return 0;
}

int idle_gst_host(void **pointer, size_t length)
{
    *pointer = calloc(1, length);
    return *pointer ? 0 : 2;
}

int idle_gst_peer(int *can)
{
    *can = 0;
    return 0;
}

#define STUB(name, symbol)                                                                                             \
    EXPORTED int idle_gst_##name(void) __asm__(symbol);                                                                \
    int idle_gst_##name(void)                                                                                          \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }

STUB(error_string, "cuGetErrorString")
STUB(context_destroy, "cuCtxDestroy_v2")
STUB(peer_enable, "cuCtxEnablePeerAccess")
STUB(peer_disable, "cuCtxDisablePeerAccess")
STUB(map_resources, "cuGraphicsMapResources")
STUB(unmap_resources, "cuGraphicsUnmapResources")
STUB(unregister, "cuGraphicsUnregisterResource")
STUB(copy_2d, "cuMemcpy2D_v2")
STUB(stream_create, "cuStreamCreate")
STUB(stream_destroy, "cuStreamDestroy")
STUB(texture_create, "cuTexObjectCreate")
STUB(texture_destroy, "cuTexObjectDestroy")
STUB(register_image, "cuGraphicsGLRegisterImage")
STUB(register_buffer, "cuGraphicsGLRegisterBuffer")
STUB(gl_devices, "cuGLGetDevices_v2")
STUB(map_flags, "cuGraphicsResourceSetMapFlags_v2")
STUB(mapped_array, "cuGraphicsSubResourceGetMappedArray")
STUB(mapped_pointer, "cuGraphicsResourceGetMappedPointer_v2")
