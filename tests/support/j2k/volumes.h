/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares volumes of integers for tests. All functions fail the test if a call of the library does. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_VOLUMES_H
#define KOSTKA_TESTS_SUPPORT_J2K_VOLUMES_H

#include <kostka/kostka_volume.h>

/*
 * Make a volume of waves with noise in the lowest quarter of the bits, which reaches both ends of the range. It belongs
 * to the shared context.
 */
kst_volume volume_make(uint32_t width, uint32_t height, uint32_t depth, uint8_t bits, bool is_signed);

int64_t volume_sample(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z);

/* Code a volume in a context, and decode it without warnings. What they return belongs to that context. */
kst_buffer volume_encode(kst_context *in, const kst_volume *v, const kst_volume_options *options);
kst_volume volume_decode(kst_context *in, const kst_buffer *coded, const kst_volume_decode_options *options);

/* Return the sum of squared differences of `part`, and the box of `whole` that begins at x, y, z. */
double volume_difference(const kst_volume *part, const kst_volume *whole, uint32_t x0, uint32_t y0, uint32_t z0);

/* Check that two volumes have the same type, size and samples. */
void volume_expect_same(const kst_volume *a, const kst_volume *b);

#endif
