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

/* The nearest and the farthest depth that the scene should be looked for in. */
extern const double scene_nearest, scene_farthest;

void scene_make(struct scene *scene);

/* The depth that a view sees at a pixel. */
double scene_depth(const struct scene *scene, uint32_t view, double x, double y);

/* Whether another view sees what the first view sees at a pixel, and all pixels around it lie on one plane. */
bool scene_is_plain(const struct scene *scene, uint32_t x, uint32_t y);

#endif
