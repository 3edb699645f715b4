/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a progress function, for kst_progress, that checks the values that it receives, and can cancel the
 * operation.
 */
#ifndef KOSTKA_TESTS_SUPPORT_PROGRESS_H
#define KOSTKA_TESTS_SUPPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Counts the calls, keeps the last value, and cancels the operation once `stop` is reached; 2 lets it finish. */
struct progress_calls {
    double last, stop;
    uint32_t calls;
};

/*
 * Is called by kst_progress with a struct progress_calls as `user`. The test fails unless the first value is 0, no
 * value is less than the one before, and all are at most 1.
 */
bool take_progress(void *user, double done);

#endif
