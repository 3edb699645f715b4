/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens inputs, and reads or maps them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "system/mapping.h"

/*
 * Files are mapped from MAPPED bytes on, from MAPPED_ONCE on if they are read only once, and if they exceed the limit
 * on memory.
 */
enum { MAPPED = 1 << 24, MAPPED_ONCE = 1 << 20 };

void source_searched(void *user, const void *data, size_t length)
{
    (void)user;
    mapping_rest(data, length);
}

bool source_check(struct problem *problem)
{
    return mapping_is_whole() ||
           problem_set_kind(problem, PROBLEM_READ, "cannot read: the file has become shorter, or its storage fails");
}

static void close_source(struct source *source)
{
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    source->descriptor = -1;
}

/* Map a file. Its pages come from the file, so the system may drop them again. */
static bool map(struct source *source, uint64_t limit)
{
    uint64_t least = source->once ? MAPPED_ONCE : MAPPED;
    bool large = source->size >= least || source->size > limit;
    if (!source->regular || !large || source->size > SIZE_MAX)
        return false;
    uint8_t *data = mapping_make(source->descriptor, (size_t)source->size);
    if (data == NULL)
        return false;
    free(source->data);
    source->data = data;
    source->length = (size_t)source->size;
    source->mapped = true;
    return true;
}

/* Read up to `most` more bytes; fewer if the file ends. */
static bool read_more(struct source *source, size_t most, bool *ended, struct problem *problem)
{
    *ended = false;
    while (most > 0 && !*ended) {
        ssize_t got = read(source->descriptor, source->data + source->length, most);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return problem_set_kind(problem, PROBLEM_READ, "cannot read: %s", strerror(errno));
        source->length += (size_t)got;
        most -= (size_t)got;
        *ended = got == 0;
    }
    return true;
}

static bool grow(struct source *source, size_t capacity, struct problem *problem)
{
    uint8_t *grown = realloc(source->data, capacity);
    if (grown == NULL)
        return problem_set(problem, "out of memory");
    source->data = grown;
    return true;
}

static bool refuse(uint64_t limit, struct problem *problem)
{
    return problem_set_kind(problem, PROBLEM_LIMIT,
        "it is longer than the memory limit of %llu bytes; raise the limit with --max-memory",
        (unsigned long long)limit);
}

/* Read up to the end. The memory is one byte larger than the known size, so that the end is noticed. */
static bool read_rest(struct source *source, uint64_t limit, struct problem *problem)
{
    bool ended = false;
    uint64_t capacity = source->regular ? source->size + 1 : 16 * SOURCE_HEAD;

    while (!ended) {
        /* One byte more than the limit, to notice a file that exceeds it. */
        capacity = capacity <= limit ? capacity : limit + 1;
        if (source->length > limit || capacity > SIZE_MAX)
            return refuse(limit, problem);
        capacity = capacity > source->length ? capacity : source->length + 1;
        if (!grow(source, (size_t)capacity, problem) ||
            !read_more(source, (size_t)capacity - source->length, &ended, problem))
            return false;
        capacity *= 2;
    }
    return true;
}

bool source_open(struct source *source, const char *name, struct problem *problem)
{
    bool standard = strcmp(name, "-") == 0, ended;
    struct stat state;

    *source = (struct source){.name = name, .descriptor = -1};
    source->descriptor = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &state) != 0)
        return problem_set_kind(problem, PROBLEM_READ, "%s", strerror(errno));
    if (S_ISDIR(state.st_mode)) {
        close_source(source);
        return problem_set_kind(problem, PROBLEM_READ, "is a directory; name the files in it");
    }
    /* Standard input may begin in the middle of its file. */
    source->regular = !standard && S_ISREG(state.st_mode) && state.st_size > 0;
    source->size = source->regular ? (uint64_t)state.st_size : 0;
    if (grow(source, SOURCE_HEAD, problem) && read_more(source, SOURCE_HEAD, &ended, problem))
        return true;
    source_release(source);
    return false;
}

bool source_map(struct source *source)
{
    source->once = true;
    return map(source, UINT64_MAX);
}

bool source_finish(struct source *source, uint64_t limit, struct problem *problem)
{
    if (source->borrowed)
        return true;
    bool good = map(source, limit) || read_rest(source, limit, problem);

    close_source(source);
    if (!good)
        source_release(source);
    return good;
}

bool source_finish_picture(struct source *source, const struct file_settings *settings, struct problem *problem)
{
    bool small = source->regular && source->size<MAPPED, raw = settings->raw.width> 0;

    if (raw && !raw_permitted(settings, problem)) {
        source_release(source);
        return false;
    }
    if (raw || small || file_format_of(source) != NULL)
        return source_finish(source, settings->max_memory, problem);
    close_source(source);
    return true;
}

bool source_read_picture(
    struct source *source, const char *name, const struct file_settings *settings, struct problem *problem)
{
    return source_open(source, name, problem) && source_finish_picture(source, settings, problem);
}

bool source_read(struct source *source, const char *name, uint64_t limit, struct problem *problem)
{
    return source_open(source, name, problem) && source_finish(source, limit, problem);
}

void source_release(struct source *source)
{
    if (source->descriptor >= 0)
        close_source(source);
    if (source->mapped)
        mapping_drop(source->data);
    else if (!source->borrowed)
        free(source->data);
    *source = (struct source){.name = source->name, .descriptor = -1};
}

void source_rest(const struct source *source)
{
    if (source->mapped)
        mapping_rest(source->data, source->length);
}

uint64_t source_size(const struct source *source)
{
    return source->descriptor >= 0 && source->regular ? source->size : source->length;
}

bool source_at(const struct source *source, uint64_t offset, size_t length, void *to, struct problem *problem)
{
    uint8_t *next = to;
    size_t left = offset < source->length ? source->length - (size_t)offset : 0, known = left < length ? left : length;

    if (known > 0)
        memcpy(next, source->data + offset, known);
    while (known < length && source->descriptor >= 0) {
        ssize_t got = pread(source->descriptor, next + known, length - known, (off_t)(offset + known));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return problem_set_kind(problem, PROBLEM_READ, "cannot read: %s", strerror(errno));
        if (got == 0)
            break;
        known += (size_t)got;
    }
    return known == length || problem_set(problem, "the file ends too early");
}
