/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares two programs by their whole processes, from exec to exit, run in turn:
 *
 *     kostka-process LABEL ROUNDS PICTURE… -- PEER ARGUMENT… -- PROGRAM ARGUMENT…
 *
 * Each round runs both on the next picture. In the arguments "{}" stands for the picture's name, and "new:" before a
 * path means a file that is removed before the clock starts, as freeing the pages of an older one would count. Prints
 * one row of a table in Markdown: the medians of wall-clock and processor time, the ratio of the peer's to the
 * program's (median and quartiles of the rounds), and the most memory that each had at once.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "print/statistics.h"

enum { ROUNDS_MAX = 10000, ARGUMENTS_MAX = 64, NAME_MAX_LENGTH = 4096 };

struct cost {
    double wall, processor; /* seconds */
    double memory;          /* bytes */
};

/* Holds the measurements of each round, and the most memory of all. */
struct series {
    double wall[ROUNDS_MAX], processor[ROUNDS_MAX], memory;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/*
 * Return the argument with the picture's name in the place of "{}". It is never freed, because the child then calls
 * exec().
 */
static char *fill_in(const char *argument, const char *picture)
{
    const char *place = strstr(argument, "{}");
    char *made = place != NULL ? malloc(NAME_MAX_LENGTH) : NULL;

    if (made == NULL)
        return (char *)(uintptr_t)argument;
    snprintf(made, NAME_MAX_LENGTH, "%.*s%s%s", (int)(place - argument), argument, picture, place + 2);
    return made;
}

static const char fresh[] = "new:";

/* Return the argument without "new:", the mark of an output file that is removed first. */
static const char *plain(const char *argument)
{
    return strncmp(argument, fresh, strlen(fresh)) == 0 ? argument + strlen(fresh) : argument;
}

static void remove_outputs(char **command)
{
    for (size_t i = 0; command[i] != NULL; i++)
        if (plain(command[i]) != command[i])
            unlink(plain(command[i]));
}

/* Run a program in the child. Both programs get an empty input, and their output is discarded. */
static void become(char **command, const char *picture)
{
    char *arguments[ARGUMENTS_MAX + 1] = {NULL};
    int nowhere = open("/dev/null", O_RDWR);

    for (size_t i = 0; i < ARGUMENTS_MAX && command[i] != NULL; i++)
        arguments[i] = fill_in(plain(command[i]), picture);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    execvp(arguments[0], arguments);
    perror(arguments[0]);
    _exit(127);
}

static bool run_once(char **command, const char *picture, struct cost *cost)
{
    struct rusage usage;
    int state;
    remove_outputs(command);
    double began = seconds_now();
    pid_t child = fork();

    if (child == 0)
        become(command, picture);
    if (child < 0 || wait4(child, &state, 0, &usage) != child)
        return false;
    cost->wall = seconds_now() - began;
    cost->processor = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    cost->memory = (double)usage.ru_maxrss * 1024;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static void keep(struct series *series, size_t round, const struct cost *cost)
{
    series->wall[round] = cost->wall;
    series->processor[round] = cost->processor;
    series->memory = cost->memory > series->memory ? cost->memory : series->memory;
}

static void print_ratio(const double *peer, const double *own, size_t rounds)
{
    static double ratio[ROUNDS_MAX];

    for (size_t i = 0; i < rounds; i++)
        ratio[i] = peer[i] / own[i];
    double low = statistics_quantile(ratio, rounds, 0.25), high = statistics_quantile(ratio, rounds, 0.75);
    printf(" **%.2f** (%.2f–%.2f) |", statistics_median(ratio, rounds), low, high);
}

static void print_row(const char *label, struct series *peer, struct series *own, size_t rounds)
{
    printf("| %s |", label);
    print_ratio(peer->wall, own->wall, rounds);
    print_ratio(peer->processor, own->processor, rounds);
    printf(" %.1f | %.1f |", 1e3 * statistics_median(peer->wall, rounds), 1e3 * statistics_median(own->wall, rounds));
    printf(" %.1f | %.1f |\n", peer->memory / 1e6, own->memory / 1e6);
}

static int compare(const char *label, size_t rounds, char **picture, size_t pictures, char **peer, char **own)
{
    static struct series of_peer, of_own;
    struct cost cost;

    for (size_t i = 0; i < rounds + pictures; i++) {
        /* Both programs read every picture once before a round counts. */
        bool counts = i >= pictures, peer_first = i / pictures % 2 == 0;
        for (int turn = 0; turn < 2; turn++) {
            bool peers = (turn == 0) == peer_first;
            if (!run_once(peers ? peer : own, picture[i % pictures], &cost)) {
                fprintf(stderr, "%s: %s failed on %s\n", label, peers ? peer[0] : own[0], picture[i % pictures]);
                return 1;
            }
            if (counts)
                keep(peers ? &of_peer : &of_own, i - pictures, &cost);
        }
    }
    print_row(label, &of_peer, &of_own, rounds);
    return 0;
}

/* End the arguments at the next "--", and return those that follow it; null if there is none. */
static char **next_part(char **arguments)
{
    while (*arguments != NULL && strcmp(*arguments, "--") != 0)
        arguments++;
    if (*arguments == NULL)
        return NULL;
    *arguments = NULL;
    return arguments + 1;
}

int main(int argc, char **argv)
{
    char **peer = argc > 4 ? next_part(argv + 3) : NULL;
    char **own = peer != NULL ? next_part(peer) : NULL;
    unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    size_t pictures = peer != NULL ? (size_t)(peer - 1 - (argv + 3)) : 0;

    if (own == NULL || pictures == 0 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: kostka-process LABEL ROUNDS PICTURE... -- PEER... -- PROGRAM...\n");
        return 2;
    }
    return compare(argv[1], rounds, argv + 3, pictures, peer, own);
}
