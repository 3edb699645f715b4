/* SPDX-License-Identifier: BSD-2-Clause */
/* A bar on the terminal for work that takes more than a second. */
#ifndef KOSTKA_TOOL_PROGRESS_H
#define KOSTKA_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Begin work of `total` steps. Nothing is ever shown where standard error is no terminal; of a single step what its
 * pictures tell. */
void progress_begin(size_t total);

/* A picture's share of the work of a single step, for a kst_progress. Thread-safe. */
struct progress_picture {
    size_t steps; /* that are done; 0 to begin with */
};
bool progress_picture(void *picture, double done);

/* One more step is done. Thread-safe. */
void progress_step(void);

/* Take the bar away. */
void progress_end(void);

/* Around other output on standard error: takes the bar away and keeps other threads from writing there. */
void progress_pause(void);
void progress_resume(void);

#endif
