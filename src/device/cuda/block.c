/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates device memory that CUDA and OpenGL share. */
#include "device/cuda/block.h"

#include <unistd.h>

#include "device/library.h"

enum {
    CU_ALLOCATION_PINNED = 1, /* CUmemAllocationType */
    CU_HANDLE_DESCRIPTOR = 1, /* CUmemAllocationHandleType */
    CU_LOCATION_DEVICE = 1,   /* CUmemLocationType */
    CU_ACCESS_BOTH = 3        /* CUmemAccess_flags */
};

_Static_assert(sizeof(struct cu_allocation) == 32 && sizeof(struct cu_access) == 12, "as CUDA's");

void kst_cuda_blocks_open(struct cuda_blocks *blocks, struct cuda_gl *shared)
{
#define CUDA_BLOCK_SYMBOL(member, symbol, parameters) symbol,
    static const char *const symbols[] = {CUDA_BLOCK_SYMBOLS(CUDA_BLOCK_SYMBOL)};
    _Static_assert(offsetof(struct cuda_blocks, shared) == sizeof(void *) * (sizeof symbols / sizeof symbols[0]),
        "a pointer a symbol");
    *blocks = (struct cuda_blocks){.shared = NULL};
    if (kst_gpu_library("libcuda.so.1", symbols, sizeof symbols / sizeof symbols[0], blocks))
        blocks->shared = shared;
}

static bool fail(struct cuda_blocks *blocks, struct gpu_error *error, const char *call, cu_result result)
{
    const char *name = NULL;
    if (blocks->shared->error_name(result, &name) != 0 || !name)
        name = "an unknown error";
    return kst_gpu_fail(error, blocks->shared->gpu, call, name);
}

/* Map the memory at addresses of its own. The mapping keeps the memory alive after its handle is released. */
static cu_result map(
    struct cuda_blocks *blocks, unsigned long long handle, const struct cu_location *where, struct cuda_block *block)
{
    struct cu_access access = {*where, CU_ACCESS_BOTH};
    cu_result result = blocks->reserve(&block->pointer, block->length, 0, 0, 0);
    if (result != 0)
        return result;
    result = blocks->map(block->pointer, block->length, 0, handle, 0);
    if (result == 0 && (result = blocks->allow(block->pointer, block->length, &access, 1)) != 0)
        blocks->unmap(block->pointer, block->length);
    if (result != 0)
        blocks->let_go(block->pointer, block->length);
    return result;
}

static bool make(struct cuda_blocks *blocks, struct cuda_block *block, int *fd, struct gpu_error *error)
{
    const struct cu_allocation wanted = {.kind = CU_ALLOCATION_PINNED,
        .handles = CU_HANDLE_DESCRIPTOR,
        .location = {CU_LOCATION_DEVICE, blocks->shared->device}};
    unsigned long long handle;
    size_t step = 0;
    cu_result result = blocks->step(&step, &wanted, 0);
    if (result != 0 || step == 0)
        return fail(blocks, error, "cuMemGetAllocationGranularity", result);
    block->length = (block->length + step - 1) / step * step;
    if ((result = blocks->create(&handle, block->length, &wanted, 0)) != 0)
        return fail(blocks, error, "cuMemCreate", result);
    if ((result = blocks->hand_on(fd, handle, CU_HANDLE_DESCRIPTOR, 0)) != 0) {
        blocks->release(handle);
        return fail(blocks, error, "cuMemExportToShareableHandle", result);
    }
    result = map(blocks, handle, &wanted.location, block);
    blocks->release(handle);
    if (result == 0)
        return true;
    close(*fd);
    return fail(blocks, error, "cuMemMap", result);
}

bool kst_cuda_block_make(
    struct cuda_blocks *blocks, size_t length, struct cuda_block *block, int *fd, struct gpu_error *error)
{
    cu_context context;
    *block = (struct cuda_block){.length = length};
    if (!kst_gpu_usable(blocks->shared->gpu, error))
        return false;
    cu_result result = blocks->shared->context_push(blocks->shared->context);
    if (result != 0)
        return fail(blocks, error, "cuCtxPushCurrent", result);
    bool made = make(blocks, block, fd, error);
    blocks->shared->context_pop(&context);
    if (!made)
        block->pointer = 0;
    return made;
}

void kst_cuda_block_end(struct cuda_blocks *blocks, struct cuda_block *block)
{
    struct gpu_error ignored = {.status = KST_OK};
    cu_context context;
    if (block->pointer && kst_gpu_usable(blocks->shared->gpu, &ignored) &&
        blocks->shared->context_push(blocks->shared->context) == 0) {
        blocks->unmap(block->pointer, block->length);
        blocks->let_go(block->pointer, block->length);
        blocks->shared->context_pop(&context);
    }
    *block = (struct cuda_block){.pointer = 0};
}
