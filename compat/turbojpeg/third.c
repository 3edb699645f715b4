/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the parameters of an original of version 3, and gives it its buffers. */
#include "third.h"

#include <stdint.h>

struct turbojpeg_instance *turbojpeg_load(tjhandle handle)
{
    struct turbojpeg_instance *instance = handle ? turbojpeg_begin(handle) : NULL;
    for (int i = 0; instance && i < TJPARAM_COUNT; i++)
        instance->value[i] = tj3Get(handle, i);
    return instance;
}

void turbojpeg_exchange(tjhandle handle, unsigned char **jpeg, size_t *length)
{
    struct turbojpeg_instance *instance = handle ? turbojpeg_look(handle) : NULL;
    if (instance && jpeg && length && !tj3Get(handle, TJPARAM_NOREALLOC))
        turbojpeg_withdraw(instance, jpeg, length, SIZE_MAX);
}
