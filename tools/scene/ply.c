/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PLY: a header in text, and for each point three little-endian numbers of binary32 and three bytes. */
#include "scene/ply.h"

#include <stdio.h>
#include <string.h>

#include "files/output.h"
#include "scene/floats.h"

enum { SIDE = 3, POINT_BYTES = 15 };

static const uint8_t *row_of(const kst_image *image, uint32_t y)
{
    return (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
}

static unsigned depth_at(const kst_image *depth, uint32_t x, uint32_t y)
{
    return ((const uint16_t *)(const void *)row_of(depth, y))[x];
}

static size_t count_points(const kst_image *depth)
{
    size_t count = 0;

    for (uint32_t y = 0; y < depth->height; y++)
        for (uint32_t x = 0; x < depth->width; x++)
            count += depth_at(depth, x, y) != 0;
    return count;
}

static double determinant(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Find the point in space for which K (R X + t) = depth × (x, y, 1), by Cramer's rule. */
static void place(const kst_camera *camera, double x, double y, double depth, double point[SIDE])
{
    const double right[SIDE] = {x * depth, y * depth, depth};
    double column[SIDE][SIDE], local[SIDE];

    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            column[i][k] = camera->k[k * SIDE + i];
    const double all = determinant(column[0], column[1], column[2]);
    local[0] = determinant(right, column[1], column[2]) / all - camera->t[0];
    local[1] = determinant(column[0], right, column[2]) / all - camera->t[1];
    local[2] = determinant(column[0], column[1], right) / all - camera->t[2];
    for (int i = 0; i < SIDE; i++)
        point[i] = camera->r[i] * local[0] + camera->r[SIDE + i] * local[1] + camera->r[2 * SIDE + i] * local[2];
}

/* Return a sample of a pixel in 8 bits. A grey pixel has the same sample for all colours. */
static uint8_t colour_at(const kst_image *picture, uint32_t x, uint32_t y, uint32_t colour)
{
    const uint32_t channels = kst_format_channels(picture->format), bits = picture->plane[0].depth;
    const bool reversed = picture->format == KST_FORMAT_BGR || picture->format == KST_FORMAT_BGRA;
    const size_t at = (size_t)x * channels + (channels < SIDE ? 0 : reversed ? 2 - colour : colour);
    const uint8_t *row = row_of(picture, y);

    if (bits == 0 || bits == 8)
        return row[at];
    unsigned sample = bits > 8 ? ((const uint16_t *)(const void *)row)[at] : row[at];
    return (uint8_t)(sample * 255 / ((1u << bits) - 1));
}

static bool write_points(struct output *output, const kst_image *depth, double unit, const kst_image *picture,
    const kst_camera *camera, struct problem *problem)
{
    for (uint32_t y = 0; y < depth->height; y++)
        for (uint32_t x = 0; x < depth->width; x++) {
            uint8_t bytes[POINT_BYTES];
            double point[SIDE];
            if (depth_at(depth, x, y) == 0)
                continue;
            place(camera, x, y, depth_at(depth, x, y) * unit, point);
            for (uint32_t i = 0; i < SIDE; i++) {
                float_put(bytes + 4 * (size_t)i, (float)point[i]);
                bytes[4 * SIDE + i] = colour_at(picture, x, y, i);
            }
            if (!output_write(output, bytes, sizeof bytes, problem))
                return false;
        }
    return true;
}

bool ply_write(const char *path, const kst_image *depth, double unit, const kst_image *picture,
    const kst_camera *camera, struct problem *problem)
{
    struct output output;
    char header[256];
    int length = snprintf(header, sizeof header,
        "ply\nformat binary_little_endian 1.0\nelement vertex %zu\nproperty float x\nproperty float y\n"
        "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
        count_points(depth));

    if (!output_open(&output, path, problem))
        return false;
    bool good = output_write(&output, header, (size_t)length, problem) &&
                write_points(&output, depth, unit, picture, camera, problem) && output_commit(&output, problem);
    if (!good)
        output_discard(&output);
    return good;
}
