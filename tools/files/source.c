/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"

enum { FIRST_CAPACITY = 1 << 16, MAPPED = 1 << 26 /* bytes from which on a file is mapped */ };

/* Pages that nobody has written to come from the file, and may go again. */
static bool map(int descriptor, const struct stat *state, struct source *source)
{
    if (!S_ISREG(state->st_mode) || state->st_size < MAPPED)
        return false;
    void *mapped = mmap(NULL, (size_t)state->st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED)
        return false;
    source->data = mapped;
    source->length = (size_t)state->st_size;
    source->mapped = true;
    return true;
}

/* Reads on until the end; the size known beforehand is only where to begin. */
static bool read_all(int descriptor, size_t expected, struct source *source, struct problem *problem)
{
    size_t capacity = expected + 1;

    source->data = malloc(capacity);
    while (source->data != NULL) {
        ssize_t got = read(descriptor, source->data + source->length, capacity - source->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return problem_set(problem, "cannot read: %s", strerror(errno));
        if (got == 0)
            return true;
        source->length += (size_t)got;
        if (source->length == capacity) {
            uint8_t *grown = capacity <= SIZE_MAX / 2 ? realloc(source->data, capacity * 2) : NULL;
            if (grown == NULL)
                break;
            source->data = grown;
            capacity *= 2;
        }
    }
    return problem_set(problem, "out of memory");
}

bool source_read(struct source *source, const char *name, struct problem *problem)
{
    bool standard = strcmp(name, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    struct stat state;

    *source = (struct source){.name = name};
    if (descriptor < 0 || fstat(descriptor, &state) != 0)
        return problem_set(problem, "%s", strerror(errno));
    size_t expected = S_ISREG(state.st_mode) && state.st_size > 0 ? (size_t)state.st_size : FIRST_CAPACITY;
    bool good = S_ISDIR(state.st_mode)
                    ? problem_set(problem, "is a directory; name the files in it")
                    : map(descriptor, &state, source) || read_all(descriptor, expected, source, problem);
    if (!standard)
        close(descriptor);
    if (!good)
        source_release(source);
    return good;
}

void source_release(struct source *source)
{
    if (source->mapped)
        munmap(source->data, source->length);
    else
        free(source->data);
    *source = (struct source){.name = source->name};
}

void source_rest(const struct source *source)
{
    if (source->mapped)
        madvise(source->data, source->length, MADV_DONTNEED);
}
