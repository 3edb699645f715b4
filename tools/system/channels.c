/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets what CUDA's driver reads from the environment. */
#include "system/channels.h"

#include <stdlib.h>

void ask_for_channels(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}
