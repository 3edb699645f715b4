/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads shared libraries by any of their names, with all functions that are wanted. */
#include "system/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(
    const char *const *names, const char *const *symbols, size_t count, void *pointers, struct problem *problem)
{
    void *library = NULL;

    for (size_t i = 0; names[i] != NULL && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return problem_set(problem, "%s is not installed", names[0]);
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i]);
        if (symbol == NULL)
            return problem_set(problem, "%s has no %s", names[0], symbols[i]);
        memcpy((char *)pointers + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return true;
}
