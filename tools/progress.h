/* SPDX-License-Identifier: BSD-2-Clause */
/* A bar on the terminal for work that takes more than a second. */
#ifndef KOSTKA_TOOL_PROGRESS_H
#define KOSTKA_TOOL_PROGRESS_H

#include <stddef.h>

/* Begin work of `total` steps. Nothing is ever shown where standard error is no terminal or, unless it grows, for a
 * single step. */
void progress_begin(size_t total);

/* Part of the work turns out to be so many steps more. Thread-safe. */
void progress_grow(size_t steps);

/* One more step is done. Thread-safe. */
void progress_step(void);

/* Take the bar away. */
void progress_end(void);

/* Around other output on standard error: takes the bar away and keeps other threads from writing there. */
void progress_pause(void);
void progress_resume(void);

#endif
