/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of every instruction tier, of several numbers of threads, and on GPUs: what they decode to must not differ.
 */
#ifndef KOSTKA_TESTS_SUPPORT_MACHINES_H
#define KOSTKA_TESTS_SUPPORT_MACHINES_H

#include <kostka/kostka.h>

#include "support/sanitizers.h"

struct context_list {
    kst_context *context[16];
    const char *name[16]; /* "tier, threads", or the device's */
    kst_device_info gpu[16];
    uint32_t cpu_count; /* of those that are not GPUs, which lie first */
    uint32_t count;     /* the first: plain C on one thread, or the best tier on two if watched; the last: GPUs */
};

/*
 * One thread on every tier that the processor has, unless threads are watched; 2, 3 and 8 threads on the best; 2 on
 * plain C; and all GPUs.
 */
extern struct context_list contexts;
int contexts_start(void **state);
int contexts_start_cpu(void **state); /* without GPUs */
int contexts_stop(void **state);

/*
 * Checks that differ in a few things each need not run on every machine: one of them takes every MACHINES_APART-th,
 * from this one on. The numbers of the checks are spread, so that those that agree in one thing, however they are
 * nested, reach all machines.
 */
enum { MACHINES_APART = 3 };
uint32_t machines_first(uint32_t check);

#endif
