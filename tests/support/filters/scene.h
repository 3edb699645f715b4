/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a scene of two textured planes, as several cameras see it. */
#ifndef KOSTKA_TESTS_SUPPORT_FILTERS_SCENE_H
#define KOSTKA_TESTS_SUPPORT_FILTERS_SCENE_H

#include <kostka/kostka_filter.h>

enum { SCENE_VIEWS = 5, SCENE_WIDTH = 72, SCENE_HEIGHT = 50, SCENE_MOST = SCENE_WIDTH * SCENE_HEIGHT };

struct scene {
    kst_camera camera[SCENE_VIEWS];
    kst_image image[SCENE_VIEWS]; /* the third one has 16 bits, the fourth one is RGB */
    uint16_t samples[SCENE_VIEWS][3 * SCENE_MOST];
};

/* The range of depths in which to search for the scene. */
extern const double scene_nearest, scene_farthest;

void scene_make(struct scene *scene);

/* Return the depth of the scene at a pixel of a view. */
double scene_depth(const struct scene *scene, uint32_t view, double x, double y);

/*
 * Return whether another view sees the same point as the first view at a pixel, with all pixels around it on one plane.
 */
bool scene_is_plain(const struct scene *scene, uint32_t x, uint32_t y);

#endif
