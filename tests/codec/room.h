/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures for tests of how little memory JPEG 2000 needs. What is not told fails the test. */
#ifndef KOSTKA_TESTS_ROOM_H
#define KOSTKA_TESTS_ROOM_H

#include <kostka/kostka.h>

/* A picture, and how it is coded: to a ratio of `value`, where that is the target. */
struct room_shape {
    const char *name;
    kst_format format;
    uint32_t width, height, depth, tile;
    kst_j2k_target target;
    double value;
};

kst_j2k_options room_options(const struct room_shape *shape);

/*
 * Slopes and noise of 8 bits a sample, or 16 of which 12 count; with RAW the second of three planes is smaller. The
 * planes are the caller's, as those of the next one.
 */
kst_image room_image(kst_format format, uint32_t width, uint32_t height, uint32_t depth);

/* Planes for what is decoded, filled with what it is not. */
void room_like(kst_image *image, const kst_image *like);

void room_free(kst_image *image);
void room_expect_same(const char *what, const kst_image *a, const kst_image *b);

/* Of the CPU, with so much memory. */
kst_context *room_context(uint32_t threads, uint64_t memory);

#endif
