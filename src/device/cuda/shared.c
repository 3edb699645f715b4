/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates device memory that CUDA and OpenGL share. */
#include "device/cuda/shared.h"

#include <unistd.h>

#include "device/library.h"

enum {
    CU_ALLOCATION_PINNED = 1, /* CUmemAllocationType */
    CU_HANDLE_DESCRIPTOR = 1, /* CUmemAllocationHandleType */
    CU_LOCATION_DEVICE = 1,   /* CUmemLocationType */
    CU_ACCESS_BOTH = 3        /* CUmemAccess_flags */
};

_Static_assert(sizeof(struct cu_allocation) == 32 && sizeof(struct cu_access) == 12, "as CUDA's");

void kst_cuda_sharing_open(struct cuda_sharing *sharing, struct cuda_gl *gl)
{
#define CUDA_BLOCK_SYMBOL(member, symbol, parameters) symbol,
    static const char *const symbols[] = {CUDA_SHARING_SYMBOLS(CUDA_BLOCK_SYMBOL)};
    _Static_assert(offsetof(struct cuda_sharing, gl) == sizeof(void *) * (sizeof symbols / sizeof symbols[0]),
        "a pointer a symbol");
    *sharing = (struct cuda_sharing){.gl = NULL};
    if (kst_gpu_library("libcuda.so.1", symbols, sizeof symbols / sizeof symbols[0], sharing))
        sharing->gl = gl;
}

static bool fail(struct cuda_sharing *sharing, struct gpu_error *error, const char *call, cu_result result)
{
    const char *name = NULL;
    if (sharing->gl->error_name(result, &name) != 0 || !name)
        name = "an unknown error";
    return kst_gpu_fail(error, sharing->gl->gpu, call, name);
}

/* Map the memory at newly reserved addresses. The mapping keeps the memory alive after its handle is released. */
static cu_result map(struct cuda_sharing *sharing, unsigned long long handle, const struct cu_location *where,
    struct cuda_shared_memory *memory)
{
    struct cu_access access = {*where, CU_ACCESS_BOTH};
    cu_result result = sharing->reserve(&memory->pointer, memory->length, 0, 0, 0);
    if (result != 0)
        return result;
    result = sharing->map(memory->pointer, memory->length, 0, handle, 0);
    if (result == 0 && (result = sharing->allow(memory->pointer, memory->length, &access, 1)) != 0)
        sharing->unmap(memory->pointer, memory->length);
    if (result != 0)
        sharing->let_go(memory->pointer, memory->length);
    return result;
}

static bool make(struct cuda_sharing *sharing, struct cuda_shared_memory *memory, int *fd, struct gpu_error *error)
{
    const struct cu_allocation wanted = {.kind = CU_ALLOCATION_PINNED,
        .handles = CU_HANDLE_DESCRIPTOR,
        .location = {CU_LOCATION_DEVICE, sharing->gl->device}};
    unsigned long long handle;
    size_t step = 0;
    cu_result result = sharing->step(&step, &wanted, 0);
    if (result != 0 || step == 0)
        return fail(sharing, error, "cuMemGetAllocationGranularity", result);
    memory->length = (memory->length + step - 1) / step * step;
    if ((result = sharing->create(&handle, memory->length, &wanted, 0)) != 0)
        return fail(sharing, error, "cuMemCreate", result);
    if ((result = sharing->hand_on(fd, handle, CU_HANDLE_DESCRIPTOR, 0)) != 0) {
        sharing->release(handle);
        return fail(sharing, error, "cuMemExportToShareableHandle", result);
    }
    result = map(sharing, handle, &wanted.location, memory);
    sharing->release(handle);
    if (result == 0)
        return true;
    close(*fd);
    return fail(sharing, error, "cuMemMap", result);
}

bool kst_cuda_shared_memory_make(
    struct cuda_sharing *sharing, size_t length, struct cuda_shared_memory *memory, int *fd, struct gpu_error *error)
{
    cu_context context;
    *memory = (struct cuda_shared_memory){.length = length};
    if (!kst_gpu_usable(sharing->gl->gpu, error))
        return false;
    cu_result result = sharing->gl->context_push(sharing->gl->context);
    if (result != 0)
        return fail(sharing, error, "cuCtxPushCurrent", result);
    bool made = make(sharing, memory, fd, error);
    sharing->gl->context_pop(&context);
    if (!made)
        memory->pointer = 0;
    return made;
}

void kst_cuda_shared_memory_end(struct cuda_sharing *sharing, struct cuda_shared_memory *memory)
{
    struct gpu_error ignored = {.status = KST_OK};
    cu_context context;
    if (memory->pointer && kst_gpu_usable(sharing->gl->gpu, &ignored) &&
        sharing->gl->context_push(sharing->gl->context) == 0) {
        sharing->unmap(memory->pointer, memory->length);
        sharing->let_go(memory->pointer, memory->length);
        sharing->gl->context_pop(&context);
    }
    *memory = (struct cuda_shared_memory){.pointer = 0};
}
