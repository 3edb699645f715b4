/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps signals away from the library's threads. */
#ifndef KOSTKA_CORE_SIGNALS_H
#define KOSTKA_CORE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/*
 * Block signals in the calling thread, and thereby in threads that it starts, so that the program's other threads
 * receive them. Signals that a thread's own instructions cause stay unblocked: if one of these is blocked, the system
 * ends the process, although the program may handle it, for instance SIGBUS where it has mapped the file that is
 * decoded.
 */
static inline void kst_signals_block(sigset_t *before)
{
    static const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, before);
}

static inline void kst_signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
