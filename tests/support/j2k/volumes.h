/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares volumes of integers for tests. The test fails if a call of the library fails. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_VOLUMES_H
#define KOSTKA_TESTS_SUPPORT_J2K_VOLUMES_H

#include <kostka/kostka_volume.h>

/*
 * Make a volume of waves, with noise in the lowest quarter of the bits, that reaches both ends of the range. It is
 * released with the shared context.
 */
kst_volume volume_make(uint32_t width, uint32_t height, uint32_t depth, uint8_t bits, bool is_signed);

int64_t volume_sample(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z);

/* Encode a volume in a context, or decode one without warnings. The result is released with the same context. */
kst_buffer volume_encode(kst_context *in, const kst_volume *v, const kst_volume_options *options);
kst_volume volume_decode(kst_context *in, const kst_buffer *coded, const kst_volume_decode_options *options);

/* Return the sum of the squared differences between `part` and the box of `whole` of the same size at x0, y0, z0. */
double volume_difference(const kst_volume *part, const kst_volume *whole, uint32_t x0, uint32_t y0, uint32_t z0);

/* Check that two volumes have the same type, size and samples. */
void volume_expect_same(const kst_volume *a, const kst_volume *b);

#endif
