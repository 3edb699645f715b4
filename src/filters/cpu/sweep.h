/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sweep of a plane through the scene that several cameras see, on threads. docs/filters.md describes the
 * arithmetic, which kernels/sweep.h shares.
 */
#ifndef KOSTKA_FILTERS_CPU_SWEEP_H
#define KOSTKA_FILTERS_CPU_SWEEP_H

#include "filters/filter.h"

enum {
    FILTER_SWEEP_VIEWS = 32,   /* the most views, the reference included */
    FILTER_SWEEP_PLANES = 256, /* at most */
    FILTER_SWEEP_RADIUS = 4,   /* at most */
    FILTER_SWEEP_SIDE = 65535, /* the longest side of a view */
    FILTER_SWEEP_BETWEEN = 16, /* parts of the distance of two planes */
    FILTER_SWEEP_MATRIX = 9
};

/* Holds the luminance of a view, in 8 bits. */
struct filter_sweep_view {
    const uint8_t *light;
    uint32_t width, height;
};

/* Describes one sweep. View 0 is the reference. */
struct filter_sweep {
    const kst_sweep_options *options;
    uint32_t views;
    struct filter_sweep_view view[FILTER_SWEEP_VIEWS];
    const int64_t *map;    /* for each view but the first, and each plane: a matrix from reference to view */
    const uint16_t *depth; /* the samples for the depths between planes, FILTER_SWEEP_BETWEEN for each plane */
    uint16_t *score;       /* similarity of the views, for each plane and pixel */
};

/* Return the number of numbers in all maps, and the number of depths between planes. */
static inline size_t kst_filter_sweep_maps_count(const kst_sweep_options *options, uint32_t views)
{
    return (size_t)(views - 1) * options->planes * FILTER_SWEEP_MATRIX;
}

static inline size_t kst_filter_sweep_depths_count(const kst_sweep_options *options)
{
    return (size_t)(options->planes - 1) * FILTER_SWEEP_BETWEEN + 1;
}

/*
 * Compute the maps from the reference view, of size `width` × `height`, to the other views, for the depths of all
 * planes. Returns false if the reference's camera has no inverse.
 */
bool kst_filter_sweep_maps(const kst_sweep_options *options, const kst_camera *camera, uint32_t views,
    uint32_t reference, uint32_t width, uint32_t height, int64_t *map);

/* Compute the samples for the depths between planes. */
void kst_filter_sweep_depths(const kst_sweep_options *options, uint16_t *depth);

/* Write the luminance of an image in 8 bits. */
kst_status kst_filter_sweep_light(const struct filter_work *work, const struct filter_pixels *image, uint8_t *light);

/* Compare views on all planes, and choose depths. `confidence` may be null. */
kst_status kst_filter_sweep_all(const struct filter_work *work, const struct filter_sweep *sweep,
    const struct filter_pixels *depth, const struct filter_pixels *confidence);

#endif
