/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PFM, the format of floating-point numbers in which stereo benchmarks exchange disparities. */
#ifndef KOSTKA_TOOL_PFM_H
#define KOSTKA_TOOL_PFM_H

#include <kostka/kostka_image.h>

#include "tool.h"

/*
 * Write an image of 16 bits in host memory, whose samples are in units of `unit`; a sample of 0 is unknown, and becomes
 * infinity.
 */
bool pfm_write(const char *path, const kst_image *image, double unit, struct problem *problem);

#endif
