/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the original of a library by its path, and finds its functions. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SANITIZED)
#define OWN_SYMBOLS_FIRST 0 /* sanitizers refuse it; calls inside the original then pass through this library */
#else
#define OWN_SYMBOLS_FIRST RTLD_DEEPBIND
#endif

_Noreturn void compat_give_up(const struct compat_library *library, const char *why)
{
    fprintf(stderr, "kostka: the system's %s cannot be used: %s\n", library->name, why);
    _exit(127);
}

struct compat_library compat_open(const char *name, const char *variable, const char *usual)
{
    const char *path = secure_getenv(variable);
    struct compat_library library = {name, NULL};
    library.handle = dlopen(path && *path ? path : usual, RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS_FIRST);
    if (!library.handle)
        compat_give_up(&library, dlerror());
    return library;
}

void *compat_find(const struct compat_library *library, const char *symbol)
{
    void *found = dlsym(library->handle, symbol);
    if (!found)
        compat_give_up(library, dlerror());
    return found;
}

void *compat_find_if_there(const struct compat_library *library, const char *symbol)
{
    return dlsym(library->handle, symbol);
}
