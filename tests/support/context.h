/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how tests create contexts. */
#ifndef KOSTKA_TESTS_SUPPORT_CONTEXT_H
#define KOSTKA_TESTS_SUPPORT_CONTEXT_H

#include <kostka/kostka.h>

/*
 * Create a context of a device, with a number of threads (0: as many as processors) and limits (null, or a limit of 0:
 * the usual ones). Ends the program on failure.
 */
kst_context *context_create(const char *device, uint32_t threads, const kst_limits *limits);

/* Create a context of the CPU, with the usual limits. */
kst_context *cpu_context_create(uint32_t threads);

#endif
