/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes, for all devices alike, where a pixel of the reference view lies in other views if it is on a plane. */
#include <math.h>
#include <string.h>

#include "filters/cpu/sweep.h"

enum { SIDE = 3, MATRIX = FILTER_SWEEP_MATRIX };

/*
 * Bounds of denominators and numerators over the reference view: dividends are 256 times the numerators, and fit 63
 * bits.
 */
static const double MOST_BELOW = 137438953472.0 /* 2^37 */, MOST_ABOVE = 4503599627370496.0 /* 2^52 */;

static void multiply(const double *a, const double *b, double *product)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            product[i * SIDE + k] =
                a[i * SIDE] * b[k] + a[i * SIDE + 1] * b[SIDE + k] + a[i * SIDE + 2] * b[2 * SIDE + k];
}

static void transpose(const double *a, double *transposed)
{
    for (int i = 0; i < MATRIX; i++)
        transposed[i % SIDE * SIDE + i / SIDE] = a[i];
}

static bool invert(const double *a, double *inverse)
{
    double cofactor[MATRIX], determinant = 0;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const int i1 = (i + 1) % SIDE * SIDE, i2 = (i + 2) % SIDE * SIDE, k1 = (k + 1) % SIDE, k2 = (k + 2) % SIDE;
            cofactor[i * SIDE + k] = a[i1 + k1] * a[i2 + k2] - a[i1 + k2] * a[i2 + k1];
        }
    for (int k = 0; k < SIDE; k++)
        determinant += a[k] * cofactor[k];
    if (!(fabs(determinant) > 1e-12))
        return false;
    transpose(cofactor, inverse);
    for (int i = 0; i < MATRIX; i++)
        inverse[i] /= determinant;
    return true;
}

/*
 * Holds the relation between the reference's pixels and a view's: the matrix is depth × turn, with shift added to its
 * last column.
 */
struct filter_sweep_relation {
    double turn[MATRIX], shift[SIDE];
};

static void relate(
    const kst_camera *from, const double *inverse, const kst_camera *to, struct filter_sweep_relation *made)
{
    double back[MATRIX], turned[MATRIX], all[MATRIX], moved[SIDE];
    transpose(from->r, back);
    multiply(to->r, back, turned);
    multiply(to->k, turned, all);
    multiply(all, inverse, made->turn);
    for (int i = 0; i < SIDE; i++) {
        const double *row = turned + (ptrdiff_t)i * SIDE;
        moved[i] = to->t[i] - (row[0] * from->t[0] + row[1] * from->t[1] + row[2] * from->t[2]);
    }
    for (int i = 0; i < SIDE; i++) {
        const double *row = to->k + (ptrdiff_t)i * SIDE;
        made->shift[i] = row[0] * moved[0] + row[1] * moved[1] + row[2] * moved[2];
    }
}

static double greatest_of(const double *row, uint32_t width, uint32_t height)
{
    return fabs(row[0]) * width + fabs(row[1]) * height + fabs(row[2]);
}

/*
 * Scale a matrix to integers; a factor does not change the places to which it leads. A matrix that leads nowhere
 * becomes zeros.
 */
static void settle(const double *matrix, uint32_t width, uint32_t height, int64_t *map)
{
    double below = greatest_of(matrix + 2 * (ptrdiff_t)SIDE, width, height);
    double above = fmax(greatest_of(matrix, width, height), greatest_of(matrix + SIDE, width, height));
    memset(map, 0, MATRIX * sizeof *map);
    if (!(below > 0) || !isfinite(below) || !isfinite(above))
        return;
    double scale = fmin(MOST_BELOW / below, MOST_ABOVE / fmax(above, 1e-300));
    if (!isfinite(scale)) /* numbers so small that they count as 0 */
        return;
    for (int i = 0; i < MATRIX; i++)
        map[i] = llround(matrix[i] * scale);
}

/* Return the depth at a place between planes, which is counted in planes. */
static double depth_at(const kst_sweep_options *options, double place)
{
    double part = place / (options->planes - 1);
    return 1 / ((1 - part) / options->nearest + part / options->farthest);
}

bool kst_filter_sweep_maps(const kst_sweep_options *options, const kst_camera *camera, uint32_t views,
    uint32_t reference, uint32_t width, uint32_t height, int64_t *map)
{
    double inverse[MATRIX];
    if (!invert(camera[reference].k, inverse))
        return false;
    for (uint32_t i = 0; i < views; i++) {
        struct filter_sweep_relation relation;
        if (i == reference)
            continue;
        relate(&camera[reference], inverse, &camera[i], &relation);
        for (uint32_t k = 0; k < options->planes; k++, map += MATRIX) {
            double matrix[MATRIX], depth = depth_at(options, k);
            for (int j = 0; j < MATRIX; j++)
                matrix[j] = depth * relation.turn[j] + (j % SIDE == SIDE - 1 ? relation.shift[j / SIDE] : 0);
            settle(matrix, width, height, map);
        }
    }
    return true;
}

void kst_filter_sweep_depths(const kst_sweep_options *options, uint16_t *depth)
{
    const double unit = options->unit > 0 ? options->unit : options->farthest / UINT16_MAX;
    for (size_t i = 0; i < kst_filter_sweep_depths_count(options); i++) {
        double units = floor(depth_at(options, (double)i / FILTER_SWEEP_BETWEEN) / unit + 0.5);
        depth[i] = (uint16_t)fmin(fmax(units, 1), UINT16_MAX);
    }
}
