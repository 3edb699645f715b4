/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does nothing. That a driver loads this program says that it loads the others, which were compiled for the same
 * devices and are many times as long.
 */
#include "kernels/portable.h"

KERNEL(32) loads(void)
{
}
