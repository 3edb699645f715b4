/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that filters images. */
#include "kernels/portable.h"

#include "filters/kernels/points.h"
#include "filters/kernels/gradient.h"
#include "filters/kernels/canny.h"
