/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how tests of rate allocation encode with the shared context, and measure the distance of a stream from a
 * picture.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_RATE_H
#define KOSTKA_TESTS_SUPPORT_J2K_RATE_H

#include <kostka/kostka.h>

/* Encode with the shared context. The test fails if a context of one thread makes other bytes. */
kst_buffer rate_encode(const kst_image *image, const kst_j2k_options *j2k);

/* Return the PSNR of a stream's first layers (0: of all). */
double rate_psnr(const kst_image *image, const kst_buffer *coded, uint32_t layers);

#endif
