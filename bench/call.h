/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a benchmark whose call failed, opens contexts, and reads the clock. */
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

/* Open a context on the device of that name. Ends the program on failure. */
static inline kst_context *bench_context(const char *device)
{
    kst_context_options options;
    kst_context *context = NULL;
    kst_context_options_init(&options);
    options.device = device;
    bench_check(kst_context_create(&options, &context), device);
    return context;
}

static inline double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
