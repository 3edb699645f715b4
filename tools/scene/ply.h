/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PLY, a format of points in space. */
#ifndef KOSTKA_TOOL_PLY_H
#define KOSTKA_TOOL_PLY_H

#include <kostka/kostka_filter.h>

#include "tool.h"

/*
 * Write the points in space of a depth map of 16 bits, whose samples are in units of `unit`, with the colours of the
 * picture that the camera has taken. Both images are in host memory and of one size. Pixels of unknown depth have no
 * point.
 */
bool ply_write(const char *path, const kst_image *depth, double unit, const kst_image *picture,
    const kst_camera *camera, struct problem *problem);

#endif
