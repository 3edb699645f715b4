/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says what signals that end the process do before (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGBUS): temporary files
 * are always removed. SIGBUS for a page of an input that is mapped ends nothing (mapping.h).
 */
#ifndef KOSTKA_TOOL_INTERRUPT_H
#define KOSTKA_TOOL_INTERRUPT_H

#include "tool.h"

/* Says what the first SIGINT or SIGTERM does; further ones, and other signals, always end the process. */
enum interrupt_effect {
    INTERRUPT_KILLS,  /* it ends the process as the signal does by itself */
    INTERRUPT_LEAVES, /* it ends the process with EXIT_INTERRUPTED, after a message that nothing has been done */
    INTERRUPT_WAITS   /* it is remembered, so that work that has begun can be finished */
};

/* Call once, before threads are started and outputs opened: from here on signals are caught. */
void interrupt_catch(void);

void interrupt_set(enum interrupt_effect effect);

/* Return whether a signal came that has been remembered. */
bool interrupt_came(void);

#endif
