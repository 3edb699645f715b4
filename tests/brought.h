/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in memory whose rows are brought to an encoder one by one. */
#ifndef KOSTKA_TESTS_BROUGHT_H
#define KOSTKA_TESTS_BROUGHT_H

#include <kostka/kostka.h>

/* kst_encode_rows() of it, to a buffer of the library's; rows after the first `most` cannot be had. */
kst_status brought_encode(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

/* The same of rows in order; `again` (may be null) receives how often they began again. */
kst_status brought_encode_in_order(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report, uint32_t *again);

#endif
