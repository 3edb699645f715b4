/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares pictures of noise, for tests that decode and encode JPEG 2000 with little memory. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_PICTURES_H
#define KOSTKA_TESTS_SUPPORT_J2K_PICTURES_H

#include <kostka/kostka.h>

/* Describes a picture, and how it is encoded; `value` belongs to the target. */
struct coded_shape {
    const char *name;
    kst_format format;
    uint32_t width, height, depth, tile;
    kst_j2k_target target;
    double value;
};

kst_j2k_options shape_options(const struct coded_shape *shape);

/*
 * Make a picture of slopes and noise with samples of 8 bits, or of 16 bits of which 12 are significant. With RAW the
 * second of three planes is smaller. The caller frees the planes, also those of the next function.
 */
kst_image noise_image(kst_format format, uint32_t width, uint32_t height, uint32_t depth);

/* Allocate planes for an image like those of another one, and fill them with a pattern that no test expects. */
void image_like(kst_image *image, const kst_image *like);

void image_free(kst_image *image);
void expect_same_samples(const char *what, const kst_image *a, const kst_image *b);

/* Make a context on the CPU with a memory limit in bytes. */
kst_context *limited_context(uint32_t threads, uint64_t memory);

#endif
