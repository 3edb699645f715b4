/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share. */
#ifndef KOSTKA_FUZZ_H
#define KOSTKA_FUZZ_H

#include <kostka/kostka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

/* Some targets have this: called once, before the fuzzer counts time. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Two contexts that must agree on everything: plain C on one thread, the best tier on three. Limits are small. */
kst_context *fuzz_plain(void);
kst_context *fuzz_fast(void);

/* As the fast one on nine: an encoder makes three strips side by side. */
kst_context *fuzz_wide(void);

/* As the plain one with lower limits, of a kind 0 … FUZZ_LIMITS − 1, of what JPEG 2000 has. */
enum { FUZZ_LIMITS = 6 };
kst_context *fuzz_limited(uint32_t kind);

/* Options are read from the end of the input, so that its beginning can be a file as it is. 0 when it is used up. */
struct fuzz_input {
    const uint8_t *data;
    size_t length;
};
uint32_t fuzz_take(struct fuzz_input *input, uint32_t bound); /* 0 … bound − 1, bound at most 256 */

/* End the process with a message where something does not hold. */
void fuzz_check(bool holds, const char *what);

void fuzz_check_same_image(const kst_image *a, const kst_image *b);
void fuzz_check_same_report(const kst_report *a, const kst_report *b);

/* Whether the memory limit ended it, which may happen to one context sooner than to the other. */
bool fuzz_ran_out(kst_status a, kst_status b);

#endif
