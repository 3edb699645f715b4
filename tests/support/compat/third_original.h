/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what a test sees of a stand-in for an original of version 3. Its functions succeed, and only remember that
 * they were called. All of its handles have the same parameters.
 */
#ifndef KOSTKA_TESTS_SUPPORT_COMPAT_THIRD_ORIGINAL_H
#define KOSTKA_TESTS_SUPPORT_COMPAT_THIRD_ORIGINAL_H

struct third_calls {
    const char *last;            /* the function that was called last, apart from those for parameters */
    const unsigned char *buffer; /* the buffer for a file that tj3Compress8() or tj3Transform() received */
    unsigned char start[2];      /* the first bytes of the stream that was transformed last */
    int value[64];               /* the parameters; the test sets those of a picture */
};

/* What the stand-in remembers; the test looks this symbol up. */
extern struct third_calls third_calls;

#endif
