/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares contexts of every instruction tier, of several numbers of threads, and on GPUs, whose results must not
 * differ.
 */
#ifndef KOSTKA_TESTS_SUPPORT_MACHINES_H
#define KOSTKA_TESTS_SUPPORT_MACHINES_H

#include <kostka/kostka.h>

#include "support/sanitizers.h"

struct context_list {
    kst_context *context[16];
    const char *name[16]; /* "tier, threads", or the name of the device */
    kst_device_info gpu[16];
    uint32_t cpu_count; /* contexts on the CPU, which come first */
    uint32_t count;     /* the first: plain C on one thread; with ThreadSanitizer the best tier on two */
};

/*
 * Contexts with one thread on every tier that the processor has, except with ThreadSanitizer; with 2, 3 and 8 threads
 * on the best tier; with 2 threads on plain C; and on all GPUs.
 */
extern struct context_list contexts;
int contexts_start(void **state);
int contexts_start_cpu(void **state); /* without GPUs */
int contexts_stop(void **state);

/*
 * Return the index of the first machine for a check that need not run on all of them: it runs on every
 * MACHINES_APART-th machine from there on. The indices of successive checks are spread so that checks that share one
 * property, however they are nested, together reach all machines.
 */
enum { MACHINES_APART = 3 };
uint32_t machines_first(uint32_t check);

#endif
