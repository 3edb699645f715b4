/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares pictures of noise for JPEG 2000, for tests that decode and encode them with little memory. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_PICTURES_H
#define KOSTKA_TESTS_SUPPORT_J2K_PICTURES_H

#include <kostka/kostka.h>

/* A picture, and how it is coded: to a ratio of `value`, where that is the target. */
struct coded_shape {
    const char *name;
    kst_format format;
    uint32_t width, height, depth, tile;
    kst_j2k_target target;
    double value;
};

kst_j2k_options shape_options(const struct coded_shape *shape);

/*
 * Slopes and noise of 8 bits a sample, or 16 of which 12 count; with RAW the second of three planes is smaller. The
 * planes are the caller's, as those of the next one.
 */
kst_image noise_image(kst_format format, uint32_t width, uint32_t height, uint32_t depth);

/* Give the image planes of its own like those of the other one, filled with a pattern that no test expects. */
void image_like(kst_image *image, const kst_image *like);

void image_free(kst_image *image);
void expect_same_samples(const char *what, const kst_image *a, const kst_image *b);

/* Make a context on the CPU with a memory limit in bytes. */
kst_context *limited_context(uint32_t threads, uint64_t memory);

#endif
