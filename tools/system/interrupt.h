/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what happens on signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGBUS): first,
 * temporary files are always removed. A SIGBUS for a page of a mapped input does not end the process (mapping.h).
 */
#ifndef KOSTKA_TOOL_INTERRUPT_H
#define KOSTKA_TOOL_INTERRUPT_H

#include "tool.h"

/* Says what the first SIGINT or SIGTERM does; further ones, and other signals, always end the process. */
enum interrupt_effect {
    INTERRUPT_KILLS,  /* end the process as if the signal were not caught */
    INTERRUPT_LEAVES, /* end the process with EXIT_INTERRUPTED, after a message that nothing has been done */
    INTERRUPT_WAITS   /* remember the signal, so that work that has begun can be finished */
};

/* Start to catch signals. Call this once, before threads are started and outputs are opened. */
void interrupt_catch(void);

void interrupt_set(enum interrupt_effect effect);

/* Return whether a signal has been remembered. */
bool interrupt_came(void);

#endif
