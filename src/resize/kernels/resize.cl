/* SPDX-License-Identifier: BSD-2-Clause */
/* Assembles the program that resizes images. */
#include "kernels/portable.h"

#include "resize/kernels/pixels.h"
#include "resize/kernels/across.h"
#include "resize/kernels/down.h"
#include "resize/kernels/wide.h"
