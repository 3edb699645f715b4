/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how tests encode a picture in memory through kst_encode_rows(), which asks for its rows one by one. */
#ifndef KOSTKA_TESTS_SUPPORT_ENCODE_ROWS_H
#define KOSTKA_TESTS_SUPPORT_ENCODE_ROWS_H

#include <kostka/kostka.h>

/* Encode to a buffer of the library's. Reading fails after `most` rows. */
kst_status encode_from_rows(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

/*
 * Do the same with rows that must be read in order. `again`, which may be null, receives the number of times that they
 * began again.
 */
kst_status encode_from_rows_in_order(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report, uint32_t *again);

#endif
