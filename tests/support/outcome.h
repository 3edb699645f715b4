/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the outcome of decoding a stream, damaged or not, which every machine must give. */
#ifndef KOSTKA_TESTS_SUPPORT_OUTCOME_H
#define KOSTKA_TESTS_SUPPORT_OUTCOME_H

#include "support/machines.h"

/* Holds everything that a caller can see of a decoding, except its times and threads. */
struct outcome {
    kst_status status, first_warning;
    uint64_t offset, first_warning_offset, warnings;
    uint64_t pixels; /* a hash of all pixels */
    uint32_t width, height;
    char message[192];
};

struct outcome decode_outcome(
    kst_context *context, const uint8_t *data, size_t length, const kst_decode_options *options);

/*
 * Decode on every step-th machine of the list from `first` on. The test fails if the outcome of one of them is not the
 * expected one.
 */
void expect_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, const struct outcome *expected, uint32_t first, uint32_t step);

/*
 * Decode on the first machine of the list and on every step-th from `first` on. The test fails if an outcome differs
 * from the first machine's, which is returned.
 */
struct outcome decode_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, uint32_t first, uint32_t step);

#endif
