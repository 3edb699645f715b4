/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how tests of rate allocation encode with the shared context, and how far from a picture a stream is. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_RATE_H
#define KOSTKA_TESTS_SUPPORT_J2K_RATE_H

#include <kostka/kostka.h>

/* Encode with the shared context. The test fails where one thread alone gives other bytes. */
kst_buffer rate_encode(const kst_image *image, const kst_j2k_options *j2k);

/* Return the PSNR of a stream's first layers (0: of all). */
double rate_psnr(const kst_image *image, const kst_buffer *coded, uint32_t layers);

#endif
