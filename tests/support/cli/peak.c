/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a command: peak FILE COMMAND… runs it, and writes to FILE the most kibibytes of memory that it had, to
 * FILE.writes the number of its system calls that write, or nothing where the system does not count them, and to
 * FILE.time the milliseconds of processor time that it took.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Linux counts calls, and keeps the counts of a process until its parent has waited for it. */
static long count_writes(pid_t child)
{
    char name[64], line[64];
    long writes = -1;

    snprintf(name, sizeof name, "/proc/%ld/io", (long)child);
    FILE *file = fopen(name, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "syscw: ", 7) == 0)
            writes = strtol(line + 7, NULL, 10);
    if (file != NULL)
        fclose(file);
    return writes;
}

static int tell(const char *start, const char *ending, long number)
{
    char name[256];

    if (snprintf(name, sizeof name, "%s%s", start, ending) >= (int)sizeof name)
        return 0;
    FILE *file = fopen(name, "w");
    int good = file != NULL && (number < 0 || fprintf(file, "%ld\n", number) > 0);

    return (file == NULL || fclose(file) == 0) && good;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    siginfo_t ended;
    int status;

    if (argc < 3)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) != 0)
        return 126;
    long writes = count_writes(child);
    if (wait4(child, &status, 0, &usage) != child)
        return 126;
    long time = 1000 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    if (!tell(argv[1], "", usage.ru_maxrss) || !tell(argv[1], ".writes", writes) || !tell(argv[1], ".time", time))
        return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
