/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of pictures with the cameras that took them. */
#ifndef KOSTKA_TOOL_CAMERAS_H
#define KOSTKA_TOOL_CAMERAS_H

#include <kostka/kostka_filter.h>

#include "tool.h"

enum { CAMERAS_MOST = 4096 };

struct camera_view {
    char *name; /* name in the list */
    char *path; /* relative to the list's folder */
    kst_camera camera;
};

struct cameras {
    struct camera_view *view; /* from malloc */
    size_t count;
};

/*
 * Read a list as Middlebury's multi-view data sets have it (NAME_par.txt: the number of pictures, and for each its
 * name, K, R and t, row by row), or JSON: {"cameras": [{"file": NAME, "k": [9 numbers], "r": [9], "t": [3]}, …]}.
 */
bool cameras_read(struct cameras *cameras, const char *path, struct problem *problem);
void cameras_release(struct cameras *cameras);

#endif
