/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how tests make contexts. */
#ifndef KOSTKA_TESTS_SUPPORT_CONTEXT_H
#define KOSTKA_TESTS_SUPPORT_CONTEXT_H

#include <kostka/kostka.h>

/* A context of a device, with so many threads (0: as many as processors) and limits (null, or those of 0: the usual
 * ones). The program ends where there is none. */
kst_context *context_create(const char *device, uint32_t threads, const kst_limits *limits);

/* Make a context of the CPU. */
kst_context *cpu_context_create(uint32_t threads);

#endif
