/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a scene of two textured planes, a tilted wall and a square before it, by following each pixel's ray. */
#include "support/filters/scene.h"

#include <math.h>

#include "support/test.h"

const double scene_nearest = 2, scene_farthest = 12;

/* Return the noise at a point of a grid, the same at every call. */
static double point_noise(int x, int y)
{
    uint32_t mixed = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u;
    mixed = (mixed ^ mixed >> 15) * 0x2C1B3C6Du;
    mixed = (mixed ^ mixed >> 12) * 0x297A2D39u;
    return (mixed >> 8 & 0xFFFF) / 65535.0;
}

static double noise(double x, double y)
{
    const double left = floor(x), top = floor(y), u = x - left, v = y - top;
    const int i = (int)left, k = (int)top;
    return (point_noise(i, k) * (1 - u) + point_noise(i + 1, k) * u) * (1 - v) +
           (point_noise(i, k + 1) * (1 - u) + point_noise(i + 1, k + 1) * u) * v;
}

/* Describes a ray in world coordinates. Its points are centre + depth × along, where `centre` is the camera's. */
struct ray {
    double centre[3], along[3];
};

static struct ray ray_of(const kst_camera *camera, double x, double y)
{
    const double local[3] = {(x - camera->k[2]) / camera->k[0], (y - camera->k[5]) / camera->k[4], 1};
    struct ray ray;
    for (int i = 0; i < 3; i++) {
        ray.centre[i] = ray.along[i] = 0;
        for (int k = 0; k < 3; k++) {
            ray.centre[i] -= camera->r[k * 3 + i] * camera->t[k];
            ray.along[i] += camera->r[k * 3 + i] * local[k];
        }
    }
    return ray;
}

/*
 * Return the depth at which a ray meets the square, z = 4, or else the wall behind it, z = 7 + x / 4. *shown receives
 * the brightness there.
 */
static double follow(const struct ray *ray, double *shown)
{
    double depth = (4 - ray->centre[2]) / ray->along[2];
    double x = ray->centre[0] + depth * ray->along[0], y = ray->centre[1] + depth * ray->along[1];
    if (fabs(x) < 0.8 && fabs(y) < 0.6) {
        *shown = noise(x * 8 + 1000, y * 8);
        return depth;
    }
    depth = (7 + ray->centre[0] / 4 - ray->centre[2]) / (ray->along[2] - ray->along[0] / 4);
    x = ray->centre[0] + depth * ray->along[0];
    y = ray->centre[1] + depth * ray->along[1];
    *shown = noise(x * 4, y * 4);
    return depth;
}

double scene_depth(const struct scene *scene, uint32_t view, double x, double y)
{
    const struct ray ray = ray_of(&scene->camera[view], x, y);
    double shown;
    return follow(&ray, &shown);
}

/* Place a camera. All stand next to or above each other, and look inwards a little. */
static void make_camera(kst_camera *camera, uint32_t index)
{
    static const double place[SCENE_VIEWS][2] = {{0, 0}, {-0.5, 0}, {0.5, 0.1}, {0, 0.4}, {0.1, -0.4}};
    const double angle = -place[index][0] / 7, c = cos(angle), s = sin(angle), x = place[index][0], y = place[index][1];
    *camera = (kst_camera){{70.5, 0, 35.25, 0, 70.5, 24.5, 0, 0, 1}, {c, 0, s, 0, 1, 0, -s, 0, c}, {-c * x, -y, s * x}};
}

static void draw(struct scene *scene, uint32_t index)
{
    const bool wide = index == 2, coloured = index == 3;
    uint8_t *bytes = (uint8_t *)scene->samples[index];
    kst_image *image = &scene->image[index];
    assert_int_equal(
        kst_image_wrap(image, coloured ? KST_FORMAT_RGB : KST_FORMAT_GREY, SCENE_WIDTH, SCENE_HEIGHT, bytes, 0),
        KST_OK);
    image->plane[0].depth = wide ? 16 : 8;
    image->plane[0].pitch = SCENE_WIDTH * (wide ? 2 : coloured ? 3 : 1);
    for (uint32_t i = 0; i < SCENE_MOST; i++) {
        const uint32_t x = i % SCENE_WIDTH, y = i / SCENE_WIDTH;
        const struct ray ray = ray_of(&scene->camera[index], x, y);
        double shown;
        follow(&ray, &shown);
        if (wide)
            scene->samples[index][i] = (uint16_t)(shown * 65535);
        else if (coloured)
            bytes[3 * i] = bytes[3 * i + 1] = bytes[3 * i + 2] = (uint8_t)(20 + shown * 200); /* less contrast */
        else
            bytes[i] = (uint8_t)(shown * 255);
    }
}

void scene_make(struct scene *scene)
{
    for (uint32_t i = 0; i < SCENE_VIEWS; i++) {
        make_camera(&scene->camera[i], i);
        draw(scene, i);
    }
}

bool scene_is_plain(const struct scene *scene, uint32_t x, uint32_t y)
{
    enum { REACH = 7 };
    const double own = scene_depth(scene, 0, x, y);
    if (x < 9 || x + 9 >= SCENE_WIDTH || y < 7 || y + 7 >= SCENE_HEIGHT)
        return false;
    for (int i = -REACH; i <= REACH; i += REACH)
        for (int k = -REACH; k <= REACH; k += REACH)
            if (fabs(scene_depth(scene, 0, (double)x + i, (double)y + k) - own) > 1)
                return false;
    return true;
}
