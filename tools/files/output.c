/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes files under temporary names, and renames them once they are whole. */
#include "files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/capture.h"
#include "files/files.h"
#include "files/pages.h"
#include "progress/outcome.h"
#include "system/interrupt.h"

enum {
    LINKS_MAX = 40,           /* the number of links that Linux follows */
    GATHERED_LEAST = 1 << 18, /* bytes that are worth a system call */
    GATHERED_MOST = 2 * GATHERED_LEAST
};

/*
 * Holds the permissions of new files. Querying the process's umask changes it for a moment, so this is done before
 * threads are started.
 */
static unsigned new_mode = 0600;

void output_begin(void)
{
    mode_t mask = umask(077);

    umask(mask);
    new_mode = 0666 & ~(unsigned)mask;
    interrupt_catch();
}

static const char *name_of(const struct output *output)
{
    return output->path != NULL ? output->path : "standard output";
}

bool output_is_terminal(const char *path)
{
    return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO);
}

bool output_is_source(const char *path, const char *source)
{
    struct stat a, b;

    if (strcmp(path, "-") == 0 || stat(path, &a) != 0 || !S_ISREG(a.st_mode))
        return false;
    return (strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, &b) : stat(source, &b)) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Return the target of a link. A relative target counts from the directory that contains the link. */
static char *join_link(const char *link, const char *target)
{
    const char *slash = strrchr(link, '/');
    size_t directory = slash == NULL || target[0] == '/' ? 0 : (size_t)(slash - link + 1);
    size_t capacity = directory + strlen(target) + 1;
    char *joined = malloc(capacity);

    if (joined != NULL)
        snprintf(joined, capacity, "%.*s%s", (int)directory, link, target);
    return joined;
}

/* Follow links, and return the first name that is not a link. Null, with errno set, on failure. */
static char *follow_links(const char *path)
{
    char target[PATH_MAX];
    char *followed = strdup(path);

    for (int i = 0; i <= LINKS_MAX && followed != NULL; i++) {
        ssize_t length = readlink(followed, target, sizeof target - 1);
        if (length < 0)
            return followed; /* not a link, or an error that opening the file will report */
        target[length] = '\0';
        char *next = join_link(followed, target);
        free(followed);
        followed = next;
    }
    free(followed);
    errno = followed == NULL ? ENOMEM : ELOOP;
    return NULL;
}

/* Open a device or a pipe, for which there can be no temporary file. */
static bool open_directly(struct output *output, struct problem *problem)
{
    output->descriptor = open(output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (output->descriptor < 0)
        return problem_set_kind(problem, PROBLEM_WRITE, "cannot open %s: %s", output->path, strerror(errno));
    if (!isatty(output->descriptor))
        return true;
    close(output->descriptor);
    output->descriptor = -1;
    return problem_set_kind(
        problem, PROBLEM_WRITE, "%s is a terminal, which cannot show a picture: name a file", output->path);
}

/*
 * Give the new file the owner and group of the old one, if that is allowed. If it cannot have the group, its group gets
 * no permissions.
 */
static void keep_owner(struct output *output, const struct stat *before)
{
    struct stat made;

    output->mode = before->st_mode & 0777;
    if (fstat(output->descriptor, &made) == 0 && made.st_uid == before->st_uid && made.st_gid == before->st_gid)
        return;
    if (fchown(output->descriptor, before->st_uid, before->st_gid) != 0 &&
        fchown(output->descriptor, (uid_t)-1, before->st_gid) != 0)
        output->mode &= ~070u;
}

static bool open_beside(struct output *output, const struct stat *before, struct problem *problem)
{
    char *file = before != NULL ? realpath(output->path, NULL) : follow_links(output->path);

    if (file != NULL) {
        free(output->path);
        output->path = file;
    }
    if (file == NULL || !temporary_open(&output->temporary, file))
        return problem_set_kind(problem, PROBLEM_WRITE, "cannot create %s: %s", output->path, strerror(errno));
    output->descriptor = output->temporary.descriptor;
    output->mode = new_mode;
    if (before != NULL)
        keep_owner(output, before);
    return true;
}

static bool open_path(struct output *output, struct problem *problem)
{
    struct stat before;
    bool exists = stat(output->path, &before) == 0;

    if (exists && S_ISDIR(before.st_mode))
        return problem_set_kind(
            problem, PROBLEM_WRITE, "%s is a directory; name a file in it, or use --out-dir", output->path);
    if (exists && !S_ISREG(before.st_mode))
        return open_directly(output, problem);
    if (exists && access(output->path, W_OK) != 0)
        return problem_set_kind(problem, PROBLEM_WRITE, "cannot write %s: %s", output->path, strerror(errno));
    return open_beside(output, exists ? &before : NULL, problem);
}

/* Open a file in memory if this thread captures its outputs. */
static bool open_captured(struct output *output, struct problem *problem)
{
    output->captured = true;
    output->descriptor = capture_open();
    return output->descriptor >= 0 ||
           problem_set_kind(problem, PROBLEM_WRITE, "cannot keep %s in memory: %s", output->path, strerror(errno));
}

static void forget(struct output *output)
{
    if (output->temporary.descriptor < 0 && output->descriptor >= 0 && output->descriptor != STDOUT_FILENO)
        close(output->descriptor);
    pages_close(output->pages);
    if (output->kept)
        temporary_leave(&output->temporary);
    temporary_close(&output->temporary);
    free(output->path);
    free(output->given);
    free(output->gathered);
    *output = (struct output){.descriptor = -1, .temporary = output->temporary};
}

bool output_open(struct output *output, const char *path, struct problem *problem)
{
    *output = (struct output){.descriptor = -1, .temporary.descriptor = -1};
    if (output_is_terminal(path))
        return problem_set(
            problem, "standard output is a terminal, which cannot show a picture: name a file, or redirect the output");
    if (strcmp(path, "-") == 0) {
        output->descriptor = STDOUT_FILENO;
        return true;
    }
    output->path = strdup(path);
    output->given = strdup(path);
    if (output->path == NULL || output->given == NULL)
        problem_set(problem, "out of memory");
    else if (capture_is_on() ? open_captured(output, problem) : open_path(output, problem))
        return true;
    forget(output);
    return false;
}

bool output_in_order(const struct output *output)
{
    return output->temporary.descriptor < 0 && !output->captured;
}

static ssize_t write_some(const struct output *output, uint64_t offset, const void *data, size_t length)
{
    length = length < (1u << 30) ? length : 1u << 30;
    return output_in_order(output) ? write(output->descriptor, data, length)
                                   : pwrite(output->descriptor, data, length, (off_t)offset);
}

static bool fail_to_write(const struct output *output, struct problem *problem)
{
    return problem_set_kind(problem, PROBLEM_WRITE, "cannot write %s: %s", name_of(output), strerror(errno));
}

static bool write_whole(
    struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    const char *next = data;

    while (length > 0) {
        ssize_t written = write_some(output, offset, next, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_to_write(output, problem);
        next += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

void output_share(struct output *output)
{
    if (output->pages == NULL && !output_in_order(output))
        output->pages = pages_open(output->descriptor, pages_helpers());
}

/*
 * Write behind the bytes of earlier calls of output_write(). Several threads share a large piece if that is possible.
 */
static bool append(struct output *output, const void *data, size_t length, struct problem *problem)
{
    bool shared = output->pages != NULL && length >= PAGES_LEAST;

    return (shared && pages_write(output->pages, output->written, data, length)) ||
           write_whole(output, output->written, data, length, problem);
}

static bool write_gathered(struct output *output, struct problem *problem)
{
    size_t length = output->gathered_length;

    output->gathered_length = 0;
    return write_whole(output, output->gathered_at, output->gathered, length, problem);
}

/*
 * Several threads may call this at the same time if the output takes bytes at any offset; gathered bytes then have an
 * offset of their own. If bytes must be written in order, gathered bytes are written first.
 */
bool output_write_at(struct output *output, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    return (!output_in_order(output) || write_gathered(output, problem)) &&
           write_whole(output, offset, data, length, problem);
}

/*
 * Return whether bytes should be gathered: if they are few, or follow gathered bytes. If there is no memory for that,
 * nothing is gathered.
 */
static bool gathers(struct output *output, size_t length)
{
    if (output->gathered_length == 0 && length >= GATHERED_LEAST)
        return false;
    if (output->gathered == NULL)
        output->gathered = malloc(GATHERED_MOST);
    return output->gathered != NULL;
}

/*
 * Gather as many bytes as there is room for, and set *length to their number. Writes what has been gathered if that is
 * enough.
 */
static bool gather(struct output *output, const void *data, size_t *length, struct problem *problem)
{
    size_t room = GATHERED_MOST - output->gathered_length;

    *length = *length < room ? *length : room;
    if (output->gathered_length == 0)
        output->gathered_at = output->written;
    memcpy(output->gathered + output->gathered_length, data, *length);
    output->gathered_length += *length;
    return output->gathered_length < GATHERED_LEAST || write_gathered(output, problem);
}

bool output_write(struct output *output, const void *data, size_t length, struct problem *problem)
{
    const uint8_t *next = data;
    /* If output_write_at() has written rows behind the gathered bytes, the gathered bytes must be written first. */
    bool ended = output->gathered_length > 0 && output->gathered_at + output->gathered_length != output->written;
    bool good = !ended || write_gathered(output, problem);

    for (size_t some; length > 0 && good; next += some, length -= some) {
        some = length;
        good = gathers(output, length) ? gather(output, next, &some, problem) : append(output, next, some, problem);
        output->written += some;
    }
    return good;
}

bool output_write_now(struct output *output, const void *data, size_t length, struct problem *problem)
{
    bool good = write_gathered(output, problem) && append(output, data, length, problem);

    output->written += length;
    return good;
}

bool output_end_at(struct output *output, uint64_t length, struct problem *problem)
{
    if (!write_gathered(output, problem))
        return false;
    return output_in_order(output) || ftruncate(output->descriptor, (off_t)length) == 0 ||
           fail_to_write(output, problem);
}

/* Give the file its name. File systems without permissions refuse to set them, which is no reason to lose the file. */
static bool publish(struct output *output, struct problem *problem)
{
    (void)!fchmod(output->descriptor, output->mode);
    return temporary_rename(&output->temporary, output->path) || fail_to_write(output, problem);
}

static bool close_directly(struct output *output, struct problem *problem)
{
    bool good = output->descriptor == STDOUT_FILENO || close(output->descriptor) == 0 || fail_to_write(output, problem);

    output->descriptor = -1;
    return good;
}

/* Record the finished file. The length of a pipe is the number of bytes that were written. */
static void note(const struct output *output)
{
    struct stat state;

    if (output->given != NULL && !output_in_order(output) && fstat(output->descriptor, &state) == 0)
        outcome_note_file(output->given, (uint64_t)state.st_size, false);
    else if (output->given != NULL)
        outcome_note_file(output->given, output->written, false);
}

void output_keep(struct output *output)
{
    output->kept = output->kept || temporary_keep(&output->temporary);
}

bool output_commit(struct output *output, struct problem *problem)
{
    bool good = source_check(problem) && write_gathered(output, problem) &&
                (output->captured             ? capture_keep(output->descriptor, output->given, problem)
                    : output_in_order(output) ? close_directly(output, problem)
                                              : publish(output, problem));

    if (good && !output->captured)
        note(output);
    forget(output);
    return good;
}

void output_discard(struct output *output)
{
    struct problem ignored;

    if (output->kept)
        write_gathered(output, &ignored); /* ignored, because the problem that discards the output is already known */
    forget(output);
}
