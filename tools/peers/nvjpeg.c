/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads nvJPEG, and makes its handles. */
#include "peers/nvjpeg.h"
#include "system/library.h"

#define NVJPEG_SYMBOL(member, symbol, parameters) symbol,

bool nvjpeg_load(struct nvjpeg_library *library, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so.11", "libnvjpeg.so",
        "/usr/local/cuda/lib64/libnvjpeg.so", "/usr/local/cuda/targets/x86_64-linux/lib/libnvjpeg.so", NULL};
    static const char *const symbols[] = {NVJPEG_SYMBOLS(NVJPEG_SYMBOL)};

    return library_load(names, symbols, sizeof symbols / sizeof symbols[0], library, problem);
}

/* The texts are in the order of nvjpegStatus_t. */
bool nvjpeg_check(int status, const char *what, struct problem *problem)
{
    static const char *const names[] = {"", "not initialised", "invalid parameter", "bad stream", "not supported",
        "no memory", "execution failed", "wrong architecture", "internal error", "not implemented",
        "incomplete stream"};

    if (status == 0)
        return true;
    if (status > 0 && (size_t)status < sizeof names / sizeof names[0])
        return problem_set(problem, "%s: %s", what, names[status]);
    return problem_set(problem, "%s: error %d", what, status);
}
