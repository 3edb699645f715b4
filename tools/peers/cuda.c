/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads CUDA's driver, and allocates memory from it. */
#include "peers/cuda.h"
#include "system/library.h"

#define PEER_CUDA_SYMBOL(member, symbol, parameters) symbol,

bool peer_cuda_open(struct peer_cuda *cuda, struct problem *problem)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    static const char *const symbols[] = {PEER_CUDA_SYMBOLS(PEER_CUDA_SYMBOL)};
    void *context = NULL;
    int device = 0;

    if (!library_load(names, symbols, sizeof symbols / sizeof symbols[0], cuda, problem))
        return false;
    if (cuda->init(0) != 0 || cuda->device(&device, 0) != 0)
        return problem_set(problem, "there is no CUDA device");
    if (cuda->retain(&context, device) != 0)
        return problem_set(problem, "CUDA gives no context");
    cuda->current(context);
    return true;
}

void peer_cuda_close(struct peer_cuda *cuda)
{
    int device = 0;

    cuda->current(NULL);
    if (cuda->device(&device, 0) == 0)
        cuda->release(device);
}
