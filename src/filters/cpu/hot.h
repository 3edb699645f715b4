/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the loops over samples in which filters spend their time. They are written once, in hot_template.h, and
 * compiled for each tier.
 */
#ifndef KOSTKA_FILTERS_CPU_HOT_H
#define KOSTKA_FILTERS_CPU_HOT_H

#include "core/cpu.h"

/* Gradients of a row. */
struct filter_gradient {
    int16_t *dx, *dy;
    int32_t *magnitude; /* has a 0 before its first value and behind its last one */
};

/* A neighbour of all pixels of a row: its samples, a row for each colour, and its weights by the distance of colours.
 */
struct filter_neighbour {
    const uint8_t *sample[3];
    const uint16_t *weight;
};

/*
 * Two neighbours of all pixels of a row, on opposite sides. The weight of a pixel and the one ahead of it is also that
 * of the latter and the one behind it: it is looked up once, and kept for a later row or place.
 */
struct filter_pair {
    const uint8_t *ahead[3], *behind[3];
    const uint16_t *weight; /* by the distance of colours */
    uint16_t *kept;         /* receives the weights of the row's pixels and those ahead of them */
    const uint16_t *before; /* those of the pixels behind, kept earlier */
};

/* A row of which the filter `bilateral` looks at pairs. Rows go on for 64 samples and weights on either side. */
struct filter_pairs {
    const struct filter_pair *pair;
    uint32_t count, colours;
    uint16_t centre; /* the weight of a pixel itself */
    const uint8_t *own[3];
    uint8_t *to[3]; /* null: weights are kept, and no pixel is made */
    size_t width;
};

/* A row that the filter `oil` makes, and the rows around it that lie in the image. */
struct filter_oil_row {
    const uint8_t *const *pixels; /* `rows` rows of the image, */
    const uint8_t *const *bins;   /* and the bins of their pixels */
    uint32_t rows, width, radius;
    uint32_t bin_count;                /* 256 at most */
    uint32_t channels, colours, bytes; /* as those of struct filter_pixels */
    const uint8_t *own;                /* the row's own pixels */
    uint8_t *to;
};

/* What a path pays for a disparity that differs by one, or by more, from that of the pixel before. */
struct filter_stereo_penalties {
    int16_t near, far;
};

struct filter_hot {
    /* sums[i] = Σ tap[k] × line[i + (k − radius) × step], for `count` samples. */
    void (*across_8)(const uint8_t *line, uint16_t *sums, size_t count, const uint32_t *tap, int radius, int step);
    void (*across_16)(const uint16_t *line, uint32_t *sums, size_t count, const uint32_t *tap, int radius, int step);
    /*
     * to[i] = Σ tap[k] × row[k][i], rounded to 16 bits less (32 of 16-bit samples). With 8 bits there may be a second
     * result, that of the rows from row[1] on. Sums have room for a multiple of 64, and so have lines behind their end.
     */
    void (*down_8)(const uint16_t *const *row, uint8_t *const to[2], size_t count, const uint32_t *tap, int radius);
    void (*down_16)(const uint32_t *const *row, uint16_t *to, size_t count, const uint32_t *tap, int radius);
    /* The median of 3 × 3 samples; row[1] is the middle one. */
    void (*median_8)(const uint8_t *const row[3], uint8_t *to, size_t count, int step);
    void (*median_16)(const uint16_t *const row[3], uint16_t *to, size_t count, int step);
    /* The sums of samples of a row, weighed by the taps of a derivative and of smoothing, of aperture 2 × radius + 1.
     */
    void (*sobel_across)(const uint8_t *line, int16_t *derived, int16_t *smooth, size_t count, int radius, int step);
    /*
     * Gradients from the rows of such sums; for an aperture of 7 they are divided by 16 and rounded to nearest, even
     * where two are as near.
     */
    void (*sobel_down)(const int16_t *const *derived, const int16_t *const *smooth, int16_t *dx, int16_t *dy,
        size_t count, int radius);
    /* |dx| + |dy|, or dx² + dy². */
    void (*magnitude)(const int16_t *dx, const int16_t *dy, int32_t *magnitude, size_t count, bool squared);
    /*
     * Keeps the gradient of the colour that has the greatest magnitude at each pixel, the first of equal ones, of
     * gradients of all channels, of which magnitudes are not read.
     */
    void (*strongest)(const struct filter_gradient *all, const struct filter_gradient *to, size_t count,
        size_t channels, bool squared);
    /* Mark a pixel 0, 1 (an edge if it is joined to one) or 255 (an edge); row[1] is its own. */
    void (*thin)(const struct filter_gradient *const row[3], uint8_t *to, size_t count, int32_t low, int32_t high);
    /* Whether each pixel of row[1] is an edge (255) that may touch one that is weak (1). */
    void (*touching)(const uint8_t *const row[3], uint8_t *to, size_t count);
    /*
     * The mean of neighbours, rounded, by weights up to 2^14; weights × samples come to less than 2^31. The distance of
     * colours is the sum of the magnitudes of their differences from `own`.
     */
    void (*bilateral)(const struct filter_neighbour *neighbour, uint32_t neighbours, const uint8_t *const own[3],
        uint32_t colours, uint8_t *const to[3], size_t count);
    /* The same by pairs of neighbours, up to 12 pixels away; null if that takes no less time. */
    void (*bilateral_pairs)(const struct filter_pairs *pairs);
    void (*clear_weak)(uint8_t *row, size_t count);
    /* Luminance of pixels of 3 or 4 channels; weights of 2^−15 are those of channels 0 to 2. */
    void (*luminance_8)(const uint8_t *from, uint8_t *to, size_t count, size_t channels, const uint32_t weight[3]);
    void (*oil)(const struct filter_oil_row *row);
    /* The bits in which each of `count` words differs from a pixel's own. */
    void (*stereo_costs)(uint32_t own, const uint32_t *other, uint8_t *cost, size_t count);
    /*
     * One pixel of a path: costs that `least`, the lowest of those before, is subtracted from, and which are added to
     * sums. `before` has greater costs before its first value and behind its last one. Returns the lowest cost.
     */
    int32_t (*stereo_step)(const uint8_t *cost, const int16_t *before, int16_t *after, uint16_t *sum, size_t count,
        struct filter_stereo_penalties penalties, int32_t least);
    /* The least of sums below 2^15. */
    uint32_t (*stereo_least)(const uint16_t *sum, size_t count);
    /* best[i] becomes sum[i] × 256 + i if that is less. */
    void (*stereo_right)(const uint16_t *sum, int32_t *best, size_t count);
};

const struct filter_hot *kst_filter_hot(enum cpu_tier tier);

#endif
