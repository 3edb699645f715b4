/* SPDX-License-Identifier: BSD-2-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 256, NAME_ATTEMPTS = 100 };

/* The temporary files there are, for the signal handler, which may only look at atomics. */
static _Atomic(char *) slots[SLOTS];

static void interrupted(int signal_number)
{
    for (size_t i = 0; i < SLOTS; i++) {
        char *path = atomic_load(&slots[i]);
        if (path != NULL)
            unlink(path);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void output_catch_signals(void)
{
    /* SIGBUS: a file that is mapped became shorter. */
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGBUS};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = interrupted;
        sigfillset(&action.sa_mask);
        /* What the caller set to be ignored (nohup, a shell's trap '') stays ignored. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static size_t take_slot(char *path)
{
    for (size_t i = 0; i < SLOTS; i++) {
        char *expected = NULL;
        if (atomic_compare_exchange_strong(&slots[i], &expected, path))
            return i;
    }
    return SLOTS;
}

static void free_slot(struct output *output)
{
    if (output->slot < SLOTS)
        atomic_store(&slots[output->slot], NULL);
    output->slot = SLOTS;
}

/* Opens a new file beside `path`. A dot in front hides it; the process and a number make it this output's own. */
static bool open_temporary(struct output *output, struct problem *problem)
{
    static atomic_uint counter;
    const char *slash = strrchr(output->path, '/');
    int directory = slash == NULL ? 0 : (int)(slash - output->path + 1);
    size_t capacity = strlen(output->path) + 64;

    output->temporary = malloc(capacity);
    if (output->temporary == NULL)
        return problem_set(problem, "out of memory");
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        /* The name itself is left out: with it the temporary one could be longer than a file system allows. */
        snprintf(output->temporary, capacity, "%.*s.kostka-%ld-%u.tmp", directory, output->path, (long)getpid(),
            atomic_fetch_add(&counter, 1));
        output->descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->descriptor >= 0) {
            output->slot = take_slot(output->temporary);
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    int reason = errno;
    free(output->temporary);
    output->temporary = NULL;
    return problem_set(problem, "cannot create a file there: %s", strerror(reason));
}

bool output_open(struct output *output, const char *path, struct problem *problem)
{
    struct stat before;
    bool exists = stat(path, &before) == 0;

    *output = (struct output){.descriptor = -1, .slot = SLOTS};
    if (strcmp(path, "-") == 0) {
        output->descriptor = STDOUT_FILENO;
        return true;
    }
    if (exists && S_ISDIR(before.st_mode))
        return problem_set(problem, "is a directory; name a file in it, or use --out-dir");
    if (exists && !S_ISREG(before.st_mode)) {
        output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        return output->descriptor >= 0 || problem_set(problem, "%s", strerror(errno));
    }
    if (exists && access(path, W_OK) != 0)
        return problem_set(problem, "%s", strerror(errno));
    /* Through a symbolic link the file it points to is replaced, not the link. */
    output->path = exists ? realpath(path, NULL) : strdup(path);
    if (output->path == NULL)
        return problem_set(problem, "%s", strerror(errno));
    if (!open_temporary(output, problem)) {
        free(output->path);
        output->path = NULL;
        return false;
    }
    if (exists)
        (void)!fchmod(output->descriptor, before.st_mode & 07777);
    return true;
}

bool output_in_order(const struct output *output)
{
    return output->temporary == NULL;
}

static ssize_t write_some(const struct output *output, uint64_t offset, const void *data, size_t length)
{
    length = length < (1u << 30) ? length : 1u << 30;
    return output_in_order(output) ? write(output->descriptor, data, length)
                                   : pwrite(output->descriptor, data, length, (off_t)offset);
}

bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    const char *next = data;

    while (length > 0) {
        ssize_t written = write_some(output, offset, next, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return problem_set(problem, "cannot write: %s", strerror(errno));
        next += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

bool output_write(struct output *output, const void *data, size_t length, struct problem *problem)
{
    bool good = output_write_at(output, output->written, data, length, problem);

    output->written += length;
    return good;
}

bool output_end_at(struct output *output, uint64_t length, struct problem *problem)
{
    return output_in_order(output) || ftruncate(output->descriptor, (off_t)length) == 0 ||
           problem_set(problem, "cannot write: %s", strerror(errno));
}

static void forget(struct output *output)
{
    free_slot(output);
    free(output->temporary);
    free(output->path);
    *output = (struct output){.descriptor = -1, .slot = SLOTS};
}

bool output_commit(struct output *output, struct problem *problem)
{
    bool good = output->descriptor == STDOUT_FILENO || close(output->descriptor) == 0;

    if (!good)
        problem_set(problem, "cannot write: %s", strerror(errno));
    if (good && output->path != NULL && rename(output->temporary, output->path) != 0)
        good = problem_set(problem, "cannot rename the finished file: %s", strerror(errno));
    if (!good && output->temporary != NULL)
        unlink(output->temporary);
    forget(output);
    return good;
}

void output_discard(struct output *output)
{
    if (output->descriptor < 0)
        return;
    if (output->descriptor != STDOUT_FILENO)
        close(output->descriptor);
    if (output->temporary != NULL)
        unlink(output->temporary);
    forget(output);
}
