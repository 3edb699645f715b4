/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a function for kst_progress that checks what it is called with, and can end the operation. */
#ifndef KOSTKA_TESTS_SUPPORT_PROGRESS_H
#define KOSTKA_TESTS_SUPPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Counts the calls, keeps the last value, and ends the operation once `stop` is reached; 2 lets it finish. */
struct progress_calls {
    double last, stop;
    uint32_t calls;
};

/*
 * A function for kst_progress, whose `user` is a struct progress_calls. The test fails unless the first value is 0,
 * none is less than the one before, and all are at most 1.
 */
bool take_progress(void *user, double done);

#endif
