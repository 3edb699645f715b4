/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the context that all pictures of a process share. */
#ifndef KOSTKA_COMPAT_COMMON_CONTEXT_H
#define KOSTKA_COMPAT_COMMON_CONTEXT_H

#include <stdbool.h>

#include <kostka/kostka.h>

/*
 * Return the context of this process: one thread on the CPU, unless KOSTKA_THREADS and KOSTKA_DEVICE say otherwise.
 * Null if it cannot be made.
 */
kst_context *compat_context(void);

/*
 * Return whether a context that compat_context() has returned belongs to this process. A child process must neither use
 * nor release anything of its parent's: another thread may have held a lock of it when the parent forked.
 */
bool compat_is_own(const kst_context *context);

#endif
