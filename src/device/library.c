/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a shared library, and looks up its functions by name. */
#include "device/library.h"

#include <dlfcn.h>
#include <string.h>

bool kst_gpu_library(const char *file, const char *const *symbols, size_t count, void *functions)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return false;
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i]);
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
        complete = complete && function;
    }
    dlclose(library);
    return complete;
}
