/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a kernel that does nothing. If a driver loads this program, it loads the others, too, which were compiled for
 * the same devices and are many times as long.
 */
#include "kernels/portable.h"

KERNEL(32) loads(void)
{
}
