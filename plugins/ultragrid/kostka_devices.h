/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the devices if no option does: those of UltraGrid's --cuda-device, or else the best one. */
#ifndef KOSTKA_ULTRAGRID_DEVICES_H
#define KOSTKA_ULTRAGRID_DEVICES_H

#include <stdio.h>

#include "host.h"

enum { DEVICES_TEXT = 128 };

/*
 * List the devices of --cuda-device. Returns null if that has its default, device 0: there may be no such device, so
 * KOSTKA_DEVICE or "auto" applies.
 */
static inline const char *devices_of(char text[DEVICES_TEXT])
{
    size_t used = 0;

    if (cuda_devices_count == 0 || (cuda_devices_count == 1 && cuda_devices[0] == 0))
        return NULL;
    for (unsigned i = 0; i < cuda_devices_count && used + 16 < DEVICES_TEXT; i++)
        used += (size_t)snprintf(text + used, DEVICES_TEXT - used, "%scuda:%u", i == 0 ? "" : ",", cuda_devices[i]);
    return text;
}

#endif
