/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which device works. Drivers do not survive fork(): in a child some wait forever for threads of its parent's. So
 * the CPU works there, unless no driver was loaded before.
 */
#include "device.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool loaded; /* when the process forked last */
static atomic_bool lost;   /* a parent of this process had loaded a driver */

bool compat_is_set(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value;
}

/* Return 1, which ends the search, if a loaded library is a GPU's driver. */
static int is_driver(struct dl_phdr_info *library, size_t size, void *unused)
{
    static const char cuda[] = "libcuda.so", opencl[] = "libOpenCL.so";
    const char *slash = strrchr(library->dlpi_name, '/'), *name = slash ? slash + 1 : library->dlpi_name;
    (void)size, (void)unused;
    return strncmp(name, cuda, sizeof cuda - 1) == 0 || strncmp(name, opencl, sizeof opencl - 1) == 0;
}

/*
 * Look for drivers, whoever has loaded them. dlopen() would wait for a thread whose own dlopen() runs constructors, and
 * before glibc 2.36 these wait for the fork if they call pthread_atfork().
 */
static void look_for_drivers(void)
{
    atomic_store(&loaded, compat_is_set("KOSTKA_DEVICE") && dl_iterate_phdr(is_driver, NULL) != 0);
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
