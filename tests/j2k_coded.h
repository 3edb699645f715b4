/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures coded in JPEG 2000. */
#ifndef KOSTKA_TESTS_J2K_CODED_H
#define KOSTKA_TESTS_J2K_CODED_H

#include <kostka/kostka.h>

/* What is to be encoded as JPEG 2000. `j2k`: borrowed; null: as is usual. */
kst_encode_options j2k_coding(const kst_j2k_options *j2k);

/* A picture's stream, which the caller releases. The test fails where there is none. */
kst_buffer j2k_coded(kst_context *context, const kst_image *image, const kst_j2k_options *j2k);

#endif
