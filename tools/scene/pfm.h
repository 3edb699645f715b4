/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PFM, the format of floating-point numbers that stereo benchmarks exchange disparities in. */
#ifndef KOSTKA_TOOL_PFM_H
#define KOSTKA_TOOL_PFM_H

#include <kostka/kostka_image.h>

#include "tool.h"

/*
 * Write an image of 16 bits in host memory, whose samples count `unit`; a sample of 0 is unknown, and becomes
 * infinity.
 */
bool pfm_write(const char *path, const kst_image *image, double unit, struct problem *problem);

#endif
