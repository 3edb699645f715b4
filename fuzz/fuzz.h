/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the fuzz targets share. */
#ifndef KOSTKA_FUZZ_H
#define KOSTKA_FUZZ_H

#include <kostka/kostka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

/* Some targets define this function, which is called once, before the fuzzer counts time. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/*
 * Return the two contexts that must agree on everything: plain C on one thread, and the best tier on three. Their
 * limits are small.
 */
kst_context *fuzz_plain(void);
kst_context *fuzz_fast(void);

/* Return a context like the fast one, but with nine threads: an encoder then makes three strips at a time. */
kst_context *fuzz_wide(void);

/* Return a context like the plain one, but with one of JPEG 2000's limits lower; the kinds are 0 … FUZZ_LIMITS − 1. */
enum { FUZZ_LIMITS = 6 };
kst_context *fuzz_limited(uint32_t kind);

/*
 * Holds the fuzzer's input. Options are read from its end, so that its beginning can be an unchanged file. Once it is
 * used up, 0 is read.
 */
struct fuzz_input {
    const uint8_t *data;
    size_t length;
};
uint32_t fuzz_take(struct fuzz_input *input, uint32_t bound); /* 0 … bound − 1, bound at most 256 */

/* End the process with a message if something does not hold. */
void fuzz_check(bool holds, const char *what);

void fuzz_check_same_image(const kst_image *a, const kst_image *b);
void fuzz_check_same_report(const kst_report *a, const kst_report *b);

/* Return whether one of two calls ended at the memory limit, which two contexts may reach at different points. */
bool fuzz_ran_out(kst_status a, kst_status b);

#endif
