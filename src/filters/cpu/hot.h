/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the loops over samples in which filters spend their time. They are written once, in hot_template.h, and
 * compiled for each tier.
 */
#ifndef KOSTKA_FILTERS_CPU_HOT_H
#define KOSTKA_FILTERS_CPU_HOT_H

#include "core/cpu.h"

/* Holds the gradients of a row. */
struct filter_gradient {
    int16_t *dx, *dy;
    int32_t *magnitude; /* has a 0 before its first value and behind its last one */
};

/* Describes a neighbour of all pixels of a row: its samples, a row for each colour, and its weights by the distance of
 * colours. */
struct filter_neighbour {
    const uint8_t *sample[3];
    const uint16_t *weight;
};

/*
 * Describes two neighbours of all pixels of a row, on opposite sides: one ahead and one behind. The weight between a
 * pixel and its neighbour ahead is also the weight between that neighbour and its own neighbour behind; it is looked up
 * once, and kept for a later row or place.
 */
struct filter_pair {
    const uint8_t *ahead[3], *behind[3];
    const uint16_t *weight; /* by the distance of colours */
    uint16_t *kept;         /* receives the weights of the row's pixels and their neighbours ahead */
    const uint16_t *before; /* the weights of the neighbours behind, kept earlier */
};

/*
 * Describes a row whose pairs of neighbours the filter `bilateral` uses. Rows of samples and weights extend by 64 on
 * either side.
 */
struct filter_pairs {
    const struct filter_pair *pair;
    uint32_t count, colours;
    uint16_t centre; /* the weight of a pixel itself */
    const uint8_t *own[3];
    uint8_t *to[3]; /* null: only weights are kept, and no pixel is made */
    size_t width;
};

/* Describes a neighbour of all pixels of a row of 16-bit samples, with a weight for its distance in space, 0–32767. */
struct filter_wide_neighbour {
    const uint16_t *sample[3];
    uint16_t weight;
};

/*
 * Describes a row of 16-bit samples that the filter `bilateral` makes. Of each colour's difference from `own`, a
 * multiple of 2^shift is taken: (difference + 2^shift ÷ 2, but at most 65535) ÷ 2^shift, rounded down. The sum over the
 * colours, but at most `last`, is the index of a weight. The product of both weights is rounded to units of 2^−15. Rows
 * of samples extend by 32 on either side.
 */
struct filter_wide_row {
    const struct filter_wide_neighbour *neighbour;
    uint32_t neighbours, colours; /* at most 449 neighbours, so that sums of weights × bytes are below 2^32 */
    const uint16_t *weight;       /* 0–32767, by the distance of colours */
    uint16_t last;                /* below 2^14 */
    uint16_t shift;
    const uint16_t *own[3];
    uint16_t *to[3];
    size_t width;
};

/* Describes a row that the filter `oil` makes, and the rows around it that lie in the image. */
struct filter_oil_row {
    const uint8_t *const *pixels; /* `rows` rows of the image */
    const uint8_t *const *bins;   /* the bins of the pixels of these rows */
    uint32_t rows, width, radius;
    uint32_t bin_count;                /* at most 256 */
    uint32_t channels, colours, bytes; /* as those of struct filter_pixels */
    const uint8_t *own;                /* the row's own pixels */
    uint8_t *to;
};

/* Holds the penalties of a path for a disparity that differs by one, or by more, from that of the pixel before. */
struct filter_stereo_penalties {
    int16_t near, far;
};

struct filter_hot {
    /* Compute sums[i] = Σ tap[k] × line[i + (k − radius) × step], for `count` samples. */
    void (*across_8)(const uint8_t *line, uint16_t *sums, size_t count, const uint32_t *tap, int radius, int step);
    void (*across_16)(const uint16_t *line, uint32_t *sums, size_t count, const uint32_t *tap, int radius, int step);
    /*
     * Compute to[i] = Σ tap[k] × row[k][i], rounded to 16 bits fewer (32 for samples of 16 bits). With 8 bits there may
     * be a second result, that of the rows from row[1] on. Sums have room for a multiple of 64, and so have lines
     * behind their end.
     */
    void (*down_8)(const uint16_t *const *row, uint8_t *const to[2], size_t count, const uint32_t *tap, int radius);
    void (*down_16)(const uint32_t *const *row, uint16_t *to, size_t count, const uint32_t *tap, int radius);
    /* Compute the median of 3 × 3 samples; row[1] is the middle row. */
    void (*median_8)(const uint8_t *const row[3], uint8_t *to, size_t count, int step);
    void (*median_16)(const uint16_t *const row[3], uint16_t *to, size_t count, int step);
    /* Compute sums of the samples of a row, weighted by the taps of a derivative and of smoothing, of aperture 2 ×
     * radius + 1. */
    void (*sobel_across)(const uint8_t *line, int16_t *derived, int16_t *smooth, size_t count, int radius, int step);
    /*
     * Compute gradients from the rows of such sums; for an aperture of 7 they are divided by 16 and rounded to nearest,
     * ties to even.
     */
    void (*sobel_down)(const int16_t *const *derived, const int16_t *const *smooth, int16_t *dx, int16_t *dy,
        size_t count, int radius);
    /* Do the same with samples of 16 bits, for a radius of 1 or 2. */
    void (*sobel_across_16)(
        const uint16_t *line, int32_t *derived, int32_t *smooth, size_t count, int radius, int step);
    void (*sobel_down_16)(const int32_t *const *derived, const int32_t *const *smooth, int32_t *dx, int32_t *dy,
        size_t count, int radius);
    /* Compute |dx| + |dy|, or dx² + dy². */
    void (*magnitude)(const int16_t *dx, const int16_t *dy, int32_t *magnitude, size_t count, bool squared);
    /*
     * Keep the gradient of the colour with the greatest magnitude at each pixel, the first of equal ones. `all` has the
     * gradients of all channels, whose `magnitude` is not read.
     */
    void (*strongest)(const struct filter_gradient *all, const struct filter_gradient *to, size_t count,
        size_t channels, bool squared);
    /* Mark each pixel 0, 1 (weak: an edge if it is joined to one) or 255 (an edge); row[1] is the pixels' own row. */
    void (*thin)(const struct filter_gradient *const row[3], uint8_t *to, size_t count, int32_t low, int32_t high);
    /* Compute whether each pixel of row[1] is an edge (255) that may touch a weak pixel (1). */
    void (*touching)(const uint8_t *const row[3], uint8_t *to, size_t count);
    /*
     * Compute the weighted mean of neighbours, rounded. Weights are up to 2^14; sums of weights × samples are below
     * 2^31. The distance of colours is the sum of the magnitudes of their differences from `own`.
     */
    void (*bilateral)(const struct filter_neighbour *neighbour, uint32_t neighbours, const uint8_t *const own[3],
        uint32_t colours, uint8_t *const to[3], size_t count);
    /* Do the same by pairs of neighbours, up to 12 pixels away; null if that is not faster. */
    void (*bilateral_pairs)(const struct filter_pairs *pairs);
    /* Compute the weighted mean of neighbours of 16 bits. */
    void (*bilateral_16)(const struct filter_wide_row *row);
    void (*clear_weak)(uint8_t *row, size_t count);
    /* Compute the luminance of pixels of 3 or 4 channels; the weights of channels 0 to 2 are in units of 2^−15. */
    void (*luminance_8)(const uint8_t *from, uint8_t *to, size_t count, size_t channels, const uint32_t weight[3]);
    void (*oil)(const struct filter_oil_row *row);
    /* Count the bits in which each of `count` words differs from a pixel's own. */
    void (*stereo_costs)(uint32_t own, const uint32_t *other, uint8_t *cost, size_t count);
    /*
     * Go to the next pixel of a path: compute its costs, from which `least`, the lowest cost of the pixel before, is
     * subtracted, and add them to the sums. `before` has greater costs before its first value and behind its last one.
     * Returns the lowest cost.
     */
    int32_t (*stereo_step)(const uint8_t *cost, const int16_t *before, int16_t *after, uint16_t *sum, size_t count,
        struct filter_stereo_penalties penalties, int32_t least);
    /* Return the least of sums below 2^15. */
    uint32_t (*stereo_least)(const uint16_t *sum, size_t count);
    /* Set best[i] to sum[i] × 256 + i if that is less. */
    void (*stereo_right)(const uint16_t *sum, int32_t *best, size_t count);
};

const struct filter_hot *kst_filter_hot(enum cpu_tier tier);

#endif
