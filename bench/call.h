/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a benchmark whose call failed, and reads the clock. */
#ifndef KOSTKA_BENCH_CALL_H
#define KOSTKA_BENCH_CALL_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <kostka/kostka.h>

static inline void bench_check(kst_status status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "%s: %s\n", what, kst_status_text(status));
    exit(1);
}

static inline double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
