/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in memory whose rows are brought to an encoder one by one. */
#ifndef KOSTKA_TESTS_BROUGHT_H
#define KOSTKA_TESTS_BROUGHT_H

#include <kostka/kostka.h>

/* kst_encode_rows() of it, to a buffer of the library's; rows after the first `most` cannot be had. */
kst_status brought_encode(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

#endif
