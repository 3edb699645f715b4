/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers OpenGL buffer objects with CUDA and maps their memory. */
#include "device/cuda/gl.h"

#include <stdlib.h>

#include "device/library.h"

enum { MOST_DEVICES = 16, CU_GL_DEVICES_ALL = 1 };

static bool fail(struct gpu_error *error, const struct cuda_gl *shared, const char *call, cu_result result)
{
    const char *name = NULL;
    if (shared->error_name(result, &name) != 0 || !name)
        name = "an unknown error";
    return kst_gpu_fail(error, shared->gpu, call, name);
}

static bool enter(struct cuda_gl *shared, struct gpu_error *error)
{
    if (!kst_gpu_usable(shared->gpu, error))
        return false;
    cu_result result = shared->context_push(shared->context);
    return result == 0 || fail(error, shared, "cuCtxPushCurrent", result);
}

static bool leave(struct cuda_gl *shared, struct gpu_error *error, const char *call, cu_result result)
{
    cu_context context;
    shared->context_pop(&context);
    return result == 0 || fail(error, shared, call, result);
}

/* Return whether the current OpenGL context draws with this device. */
static bool draws(struct cuda_gl *shared)
{
    struct gpu_error ignored = {.status = KST_OK};
    cu_device device[MOST_DEVICES];
    unsigned count = 0;
    if (!enter(shared, &ignored))
        return false;
    if (!leave(shared, &ignored, "cuGLGetDevices", shared->devices(&count, device, MOST_DEVICES, CU_GL_DEVICES_ALL)))
        return false;
    for (unsigned i = 0; i < count && i < MOST_DEVICES; i++)
        if (device[i] == shared->device)
            return true;
    return false;
}

bool kst_cuda_gl_open(struct cuda_gl *shared, struct gpu *gpu)
{
#define CUDA_GL_SYMBOL(member, symbol, parameters) symbol,
    static const char *const symbols[] = {CUDA_GL_SYMBOLS(CUDA_GL_SYMBOL)};
    _Static_assert(
        offsetof(struct cuda_gl, gpu) == sizeof(void *) * (sizeof symbols / sizeof symbols[0]), "a pointer a symbol");
    *shared = (struct cuda_gl){.gpu = NULL};
    if (gpu->info.kind != KST_DEVICE_CUDA ||
        !kst_gpu_library("libcuda.so.1", symbols, sizeof symbols / sizeof symbols[0], shared))
        return false;
    int index = (int)strtol(gpu->info.name + sizeof "cuda:" - 1, NULL, 10);
    if (shared->device_get(&shared->device, index) != 0 ||
        shared->context_retain(&shared->context, shared->device) != 0)
        return false;
    shared->gpu = gpu;
    if (draws(shared))
        return true;
    kst_cuda_gl_close(shared);
    return false;
}

void kst_cuda_gl_close(struct cuda_gl *shared)
{
    struct gpu_error ignored = {.status = KST_OK};
    if (shared->gpu && kst_gpu_usable(shared->gpu, &ignored))
        shared->context_release(shared->device);
    shared->gpu = NULL;
}

cu_resource kst_cuda_gl_enrol(struct cuda_gl *shared, unsigned buffer, enum cuda_gl_use use, struct gpu_error *error)
{
    cu_resource resource = NULL;
    if (!enter(shared, error))
        return NULL;
    cu_result result = shared->enrol(&resource, buffer, (unsigned)use);
    return leave(shared, error, "cuGraphicsGLRegisterBuffer", result) ? resource : NULL;
}

void kst_cuda_gl_dismiss(struct cuda_gl *shared, cu_resource *resource)
{
    struct gpu_error ignored = {.status = KST_OK};
    if (*resource && enter(shared, &ignored))
        leave(shared, &ignored, "cuGraphicsUnregisterResource", shared->dismiss(*resource));
    *resource = NULL;
}

bool kst_cuda_gl_map(struct cuda_gl *shared, cu_resource resource, struct gpu_queue *queue, struct gpu_buffer *memory)
{
    cu_pointer pointer = 0;
    size_t length = 0;
    if (!enter(shared, &queue->error))
        return false;
    cu_stream stream = (cu_stream)queue->handle;
    if (!leave(shared, &queue->error, "cuGraphicsMapResources", shared->map(1, &resource, stream)))
        return false;
    if (!enter(shared, &queue->error))
        return false;
    cu_result result = shared->pointer(&pointer, &length, resource);
    *memory = (struct gpu_buffer){.place = GPU_DEVICE, .length = length, .handle = (uintptr_t)pointer};
    if (leave(shared, &queue->error, "cuGraphicsResourceGetMappedPointer", result))
        return true;
    kst_cuda_gl_unmap(shared, resource, queue);
    return false;
}

/* Unmap the buffer, after a failure too, because OpenGL must get its memory back. */
void kst_cuda_gl_unmap(struct cuda_gl *shared, cu_resource resource, struct gpu_queue *queue)
{
    if (enter(shared, &queue->error))
        leave(shared, &queue->error, "cuGraphicsUnmapResources", shared->unmap(1, &resource, (cu_stream)queue->handle));
}
