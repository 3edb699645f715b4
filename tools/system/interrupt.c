/* SPDX-License-Identifier: BSD-2-Clause */
/* Catches signals that end the process. */
#include "system/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "system/mapping.h"
#include "system/temporary.h"

static atomic_int first_effect = INTERRUPT_KILLS;
static atomic_bool came;

static void leave(void)
{
    static const char text[] = "kostka: interrupted, can be resumed: nothing has been done yet\n";

    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_INTERRUPTED);
}

static void interrupted(int signal_number)
{
    bool asks = signal_number == SIGINT || signal_number == SIGTERM;

    if (asks && atomic_load(&first_effect) == INTERRUPT_LEAVES)
        leave();
    if (asks && atomic_load(&first_effect) == INTERRUPT_WAITS && !atomic_exchange(&came, true))
        return;
    temporary_remove_all();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void lost_page(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (!mapping_mend(info->si_addr))
        interrupted(signal_number);
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGBUS};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        /* System calls that a remembered signal interrupts are restarted. */
        action.sa_flags = SA_RESTART;
        action.sa_handler = interrupted;
        if (signals[i] == SIGBUS) {
            action.sa_flags |= SA_SIGINFO;
            action.sa_sigaction = lost_page;
        }
        sigfillset(&action.sa_mask);
        /* Signals that the caller has set to be ignored (nohup, a shell's trap '') stay ignored. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    /* Exceeding the allowed file size is an error of write(), which has a message. */
    signal(SIGXFSZ, SIG_IGN);
}

void interrupt_set(enum interrupt_effect effect)
{
    atomic_store(&first_effect, (int)effect);
}

bool interrupt_came(void)
{
    return atomic_load(&came);
}
