/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects what decoding a stream gives, damaged or not, and checks that every machine gives the same. */
#ifndef KOSTKA_TESTS_SUPPORT_OUTCOME_H
#define KOSTKA_TESTS_SUPPORT_OUTCOME_H

#include "support/machines.h"

/* All that a caller can see of a decoding, but for its times and its threads. */
struct outcome {
    kst_status status, first_warning;
    uint64_t offset, first_warning_offset, warnings;
    uint64_t pixels; /* a sum over all of them */
    uint32_t width, height;
    char message[192];
};

struct outcome decode_outcome(
    kst_context *context, const uint8_t *data, size_t length, const kst_decode_options *options);

/* Decode on every step-th of the list's machines from `first` on; the test fails where one gives anything else. */
void expect_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, const struct outcome *expected, uint32_t first, uint32_t step);

/* Decode on the list's first machine and on every step-th from `first` on; the test fails where one differs. */
struct outcome decode_on_all(const struct context_list *list, const char *name, const uint8_t *data, size_t length,
    const kst_decode_options *options, uint32_t first, uint32_t step);

#endif
