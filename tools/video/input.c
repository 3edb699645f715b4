/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a file or a pipe through a buffer. A signal ends waiting for a pipe. */
#include "video/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/interrupt.h"
#include "video/parts.h"

enum {
    BUFFER = 1 << 18,
    DIRECT = 1 << 16, /* pieces from this size on bypass the buffer */
    WAIT_MS = 100
};

bool input_open(struct video_input *input, const char *path, struct problem *problem)
{
    struct stat state;

    *input = (struct video_input){.descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : -1};
    if (input->descriptor < 0)
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (input->descriptor < 0 || fstat(input->descriptor, &state) != 0)
        return problem_set_kind(problem, PROBLEM_READ, "cannot open: %s", strerror(errno));
    if (S_ISDIR(state.st_mode))
        return problem_set_kind(problem, PROBLEM_READ, "is a directory");
    input->regular = S_ISREG(state.st_mode);
    input->size = input->regular ? (uint64_t)state.st_size : 0;
    off_t position = input->regular ? lseek(input->descriptor, 0, SEEK_CUR) : 0; /* standard input need not be at 0 */
    input->position = position > 0 ? (uint64_t)position : 0;
    input->helpers = parts_helpers();
    input->buffer = malloc(BUFFER);
    return input->buffer != NULL || problem_set(problem, "out of memory");
}

void input_close(struct video_input *input)
{
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    parts_end(input->parts);
    free(input->buffer);
    *input = (struct video_input){.descriptor = -1};
}

/* Wait until a pipe has bytes or has ended. Returns false if a signal came. */
static bool wait_for(struct video_input *input)
{
    struct pollfd wanted = {.fd = input->descriptor, .events = POLLIN};

    while (!input->regular && poll(&wanted, 1, WAIT_MS) == 0)
        if (interrupt_came()) {
            input->interrupted = true;
            return false;
        }
    return true;
}

/* Read up to `length` bytes. Returns 0 at the end, and after a failure. */
static size_t read_some(struct video_input *input, uint8_t *to, size_t length)
{
    ssize_t got = 0;

    while (!input->ended && wait_for(input)) {
        got = input->regular ? pread(input->descriptor, to, length, (off_t)input->position)
                             : read(input->descriptor, to, length);
        if (got >= 0 || errno != EINTR)
            break;
    }
    if (got < 0)
        problem_set_kind(&input->failure, PROBLEM_READ, "cannot read: %s", strerror(errno));
    input->ended |= got <= 0;
    input->position += got > 0 ? (uint64_t)got : 0;
    return got > 0 ? (size_t)got : 0;
}

/* Read a large piece of a file with several threads. Returns 0 if there are no threads, otherwise like read_some(). */
static size_t read_shared(struct video_input *input, uint8_t *to, size_t length)
{
    int error = 0;

    if (!input->regular || input->helpers == 0 || length < PARTS_LEAST || input->ended)
        return 0;
    if (input->parts == NULL)
        input->parts = parts_start(input->helpers);
    if (input->parts == NULL) {
        input->helpers = 0;
        return 0;
    }
    size_t got = parts_read(input->parts, input->descriptor, input->position, to, length, &error);
    if (error != 0)
        problem_set_kind(&input->failure, PROBLEM_READ, "cannot read: %s", strerror(error));
    input->ended = got < length;
    input->position += got;
    return got;
}

const uint8_t *input_peek(struct video_input *input, size_t least, size_t *length)
{
    if (input->to - input->from < least && input->from > 0) {
        memmove(input->buffer, input->buffer + input->from, input->to - input->from);
        input->to -= input->from;
        input->from = 0;
    }
    while (input->to - input->from < least && !input->ended)
        input->to += read_some(input, input->buffer + input->to, BUFFER - input->to);
    *length = input->to - input->from;
    return input->buffer + input->from;
}

void input_use(struct video_input *input, size_t length)
{
    input->from += length;
    input->offset += length;
}

size_t input_read(struct video_input *input, void *to, size_t length)
{
    uint8_t *next = to;
    size_t had = input->to - input->from < length ? input->to - input->from : length, some;

    memcpy(next, input->buffer + input->from, had);
    input_use(input, had);
    some = read_shared(input, next + had, length - had);
    had += some;
    input->offset += some;
    while (had < length && length - had >= DIRECT && (some = read_some(input, next + had, length - had)) > 0) {
        had += some;
        input->offset += some;
    }
    while (had < length && !input->ended) {
        const uint8_t *peeked = input_peek(input, 1, &some);
        some = some < length - had ? some : length - had;
        memcpy(next + had, peeked, some);
        input_use(input, some);
        had += some;
    }
    return had;
}

size_t input_read_some(struct video_input *input, void *to, size_t length)
{
    size_t had;
    const uint8_t *peeked = input_peek(input, 1, &had);

    had = had < length ? had : length;
    memcpy(to, peeked, had);
    input_use(input, had);
    return had;
}

size_t input_read_at(struct video_input *input, uint64_t offset, void *to, size_t length)
{
    ssize_t got;

    do
        got = pread(input->descriptor, to, length, (off_t)offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        problem_set_kind(&input->failure, PROBLEM_READ, "cannot read: %s", strerror(errno));
    return got > 0 ? (size_t)got : 0;
}

bool input_skip(struct video_input *input, uint64_t length)
{
    size_t had;

    while (length > 0) {
        input_peek(input, 1, &had);
        if (had == 0)
            return false;
        had = had < length ? had : (size_t)length;
        input_use(input, had);
        length -= had;
    }
    return true;
}

bool input_good(const struct video_input *input, struct problem *problem)
{
    if (input->failure.text[0] == '\0')
        return true;
    *problem = input->failure;
    return false;
}
