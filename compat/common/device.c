/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which device works. Drivers do not survive fork(): in a child some wait forever for threads of its parent's. So
 * the CPU works there, unless no driver was loaded before.
 */
#include "device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_bool loaded; /* when the process forked last */
static atomic_bool lost;   /* a parent of this process had loaded a driver */

bool compat_is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* Return whether a library is loaded already, by whomever. */
static bool is_loaded(const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

static void look_for_drivers(void)
{
    atomic_store(&loaded, compat_is_set("KOSTKA_DEVICE") && (is_loaded("libcuda.so.1") || is_loaded("libOpenCL.so.1")));
}

static void lose_drivers(void)
{
    if (atomic_load(&loaded))
        atomic_store(&lost, true);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(look_for_drivers, NULL, lose_drivers);
}

const char *compat_device(void)
{
    return atomic_load(&lost) || !compat_is_set("KOSTKA_DEVICE") ? "cpu" : NULL;
}
