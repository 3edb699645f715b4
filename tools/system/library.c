/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads shared libraries by one of several names, with all functions that are needed. */
#include "system/library.h"

#include <dlfcn.h>
#include <link.h>
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

/* Return whether a loaded object has the name that `user` points to. */
static int has_name(struct dl_phdr_info *object, size_t size, void *user)
{
    const char *name = user, *slash = strrchr(object->dlpi_name, '/');
    (void)size;

    return strcmp(slash != NULL ? slash + 1 : object->dlpi_name, name) == 0;
}

/*
 * dlopen() with RTLD_NOLOAD is not used, because it searches the file system before it reports that a library is not
 * loaded.
 */
bool library_is_loaded(const char *name)
{
    return dl_iterate_phdr(has_name, (void *)(uintptr_t)name) != 0;
}
