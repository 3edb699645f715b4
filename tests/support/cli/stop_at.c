/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is preloaded into a program that must be stopped at a certain moment, however busy the machine is: the program gets
 * SIGTERM, once, before the file number STOP_AT_FILE gets its final name.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int rename(const char *from, const char *to);

/* Replaces rename() of the C library. */
__attribute__((visibility("default"))) int rename(const char *from, const char *to)
{
    static long named;
    const char *moment = getenv("STOP_AT_FILE");

    if (moment && __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED) == strtol(moment, NULL, 10))
        kill(getpid(), SIGTERM);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
