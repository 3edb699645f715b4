/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is preloaded into a program that must be stopped at a certain moment, however busy the machine is: the program gets
 * SIGTERM, once, before the file number STOP_AT_FILE gets its final name. From then on each file waits a fifth of a
 * second for its name, so that the thread that handles the signal runs before all files are made.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int rename(const char *from, const char *to);

/* Replaces rename() of the C library. */
__attribute__((visibility("default"))) int rename(const char *from, const char *to)
{
    static long named;
    const char *text = getenv("STOP_AT_FILE");
    const long moment = text ? strtol(text, NULL, 10) : 0;
    const long number = moment ? __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED) : -1;
    const struct timespec fifth = {.tv_nsec = 200000000};

    if (number == moment)
        kill(getpid(), SIGTERM);
    if (number >= moment)
        nanosleep(&fifth, NULL);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
