/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the context that all pictures of a process share. */
#ifndef KOSTKA_COMPAT_COMMON_CONTEXT_H
#define KOSTKA_COMPAT_COMMON_CONTEXT_H

#include <kostka/kostka.h>

/*
 * Return the context of this process: one thread on the CPU, unless KOSTKA_THREADS and KOSTKA_DEVICE say otherwise.
 * Null if it cannot be made.
 */
kst_context *compat_context(void);

#endif
