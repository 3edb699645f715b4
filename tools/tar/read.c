/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads tar archives through libarchive, within limits and without trusting names. */
#include "tar/read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tar/archive_library.h"

enum {
    BLOCK = 1 << 18,        /* bytes of one read */
    FIRST = 1 << 20,        /* bytes that are allocated for a member before any of its data have been read */
    HEAD = 512,             /* bytes by which an archive is recognised */
    MAGIC = 257,            /* offset of "ustar" in these */
    EXPANSION = 500,        /* a stream that expands to more than this many times its bytes is not read further */
    EXPANSION_FROM_MB = 512 /* up to this many MiB any expansion is allowed */
};

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && strcasecmp(name + length - wanted, end) == 0;
}

static bool is_head(const uint8_t *head, size_t length)
{
    static const struct {
        const char *bytes;
        size_t length;
    } compressed[] = {{"\x1f\x8b", 2}, {"BZh", 3},
        {"\xfd"
         "7zXZ",
            5},
        {"\x28\xb5\x2f\xfd", 4}};

    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (length >= compressed[i].length && memcmp(head, compressed[i].bytes, compressed[i].length) == 0)
            return true;
    return length >= MAGIC + 5 && memcmp(head + MAGIC, "ustar", 5) == 0;
}

/*
 * Copy the first bytes of a pipe on standard input without consuming them. Returns their number, which may still grow.
 */
static size_t copy_head(const int copy[2], uint8_t *head)
{
    ssize_t got = tee(STDIN_FILENO, copy[1], HEAD, 0);
    ssize_t read_back = got > 0 ? read(copy[0], head, (size_t)got) : 0;
    return read_back > 0 ? (size_t)read_back : 0;
}

/* Copy the first bytes of the pipe once it holds enough, or ends. Returns their number. */
static size_t peek_pipe(uint8_t *head)
{
    struct pollfd poller = {.fd = STDIN_FILENO, .events = POLLIN};
    int copy[2];
    size_t length = 0;

    if (pipe2(copy, O_CLOEXEC) != 0)
        return 0;
    for (;;) {
        length = copy_head(copy, head);
        if (length == 0 || length >= HEAD || (poll(&poller, 1, 0) > 0 && (poller.revents & POLLHUP) != 0))
            break;
        usleep(1000);
    }
    close(copy[0]);
    close(copy[1]);
    return length;
}

static size_t peek(uint8_t *head)
{
    struct stat state;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);

    if (fstat(STDIN_FILENO, &state) != 0)
        return 0;
    if (S_ISFIFO(state.st_mode))
        return peek_pipe(head);
    ssize_t got = S_ISREG(state.st_mode) && at >= 0 ? pread(STDIN_FILENO, head, HEAD, at) : 0;
    return got > 0 ? (size_t)got : 0;
}

bool tar_is(const char *name)
{
    static const char *const ends[] = {".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"};
    uint8_t head[HEAD];

    if (strcmp(name, "-") == 0)
        return is_head(head, peek(head));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static bool fail(struct tar_reader *reader, struct problem *problem)
{
    const char *why = archive_error_string(reader->archive);

    if (reader->problem != 0)
        return problem_set_kind(problem, PROBLEM_READ, "cannot read: %s", strerror(reader->problem));
    return problem_set_kind(problem, PROBLEM_READ, "the archive is damaged: %s", why != NULL ? why : "no reason known");
}

static size_t count_zeros(const uint8_t *block, size_t length)
{
    size_t zeros = 0;

    while (zeros < length && zeros < HEAD && block[length - 1 - zeros] == 0)
        zeros++;
    return zeros;
}

/* Read the next block for libarchive. Reading again after the end is harmless. */
static la_ssize_t read_block(struct archive *archive, void *user, const void **block)
{
    struct tar_reader *reader = user;
    ssize_t got;
    (void)archive;

    do
        got = read(reader->descriptor, reader->block, BLOCK);
    while (got < 0 && errno == EINTR);
    reader->read_all = got == 0;
    if (got > 0)
        reader->zeros = count_zeros(reader->block, (size_t)got) + (got < HEAD ? reader->zeros : 0);
    reader->problem = got < 0 ? errno : 0;
    *block = reader->block;
    return got;
}

static bool open_archive(struct tar_reader *reader, struct problem *problem)
{
    struct archive *archive = reader->archive = archive_read_new();

    reader->block = malloc(BLOCK);
    if (archive == NULL || reader->block == NULL)
        return problem_set(problem, "out of memory");
    /* Other filters are not enabled: some of them would run programs. */
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_tar(archive);
    return archive_read_open(archive, reader, NULL, read_block, NULL) == ARCHIVE_OK || fail(reader, problem);
}

bool tar_open(struct tar_reader *reader, const char *name, uint64_t limit, struct problem *problem)
{
    struct stat state;

    *reader = (struct tar_reader){.descriptor = -1, .limit = limit};
    if (!archive_library_load(problem))
        return false;
    reader->descriptor = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (reader->descriptor < 0 || fstat(reader->descriptor, &state) != 0)
        return problem_set_kind(problem, PROBLEM_READ, "%s", strerror(errno));
    if (S_ISDIR(state.st_mode)) {
        tar_close(reader);
        return problem_set_kind(problem, PROBLEM_READ, "is a directory");
    }
    if (open_archive(reader, problem))
        return true;
    tar_close(reader);
    return false;
}

uint64_t tar_position(const struct tar_reader *reader)
{
    int64_t bytes = archive_filter_bytes(reader->archive, -1);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

void tar_close(struct tar_reader *reader)
{
    if (reader->archive != NULL)
        archive_read_free(reader->archive);
    if (reader->descriptor > STDIN_FILENO)
        close(reader->descriptor);
    free(reader->block);
    *reader = (struct tar_reader){.descriptor = -1};
}

void member_release(struct member *member)
{
    free(member->name);
    free(member->data);
    *member = (struct member){.name = NULL};
}

static bool is_compressed(const struct tar_reader *reader)
{
    return archive_filter_count(reader->archive) > 1;
}

/* Return whether a compressed archive expands more than any archive of pictures does. */
static bool explodes(const struct tar_reader *reader)
{
    int64_t out = archive_filter_bytes(reader->archive, 0), in = archive_filter_bytes(reader->archive, -1);
    return is_compressed(reader) && out > (int64_t)EXPANSION_FROM_MB << 20 && out / EXPANSION > in;
}

/* Return what is wrong with a name; null if nothing is. */
static const char *find_fault(const char *name)
{
    if (*name == '\0')
        return "it has no name";
    if (strlen(name) >= PATH_MAX)
        return "its name is too long";
    if (*name == '/')
        return "its name begins with '/', and would lead out of the folder";
    for (const char *part = name; *part != '\0'; part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        if (length == 2 && memcmp(part, "..", 2) == 0)
            return "its name has '..' in it, and would lead out of the folder";
        part += length;
    }
    return name[strlen(name) - 1] == '/' ? "its name is that of a folder" : NULL;
}

static const char *kind_of(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry) != NULL)
        return "a hard link";
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return NULL;
    case AE_IFLNK:
        return "a symbolic link";
    case AE_IFIFO:
        return "a pipe";
    case AE_IFCHR:
    case AE_IFBLK:
        return "a device";
    default:
        return "of an unknown kind";
    }
}

/* Return whether the member can be read; false, with the problem, if not. */
static bool accept(
    const struct tar_reader *reader, struct archive_entry *entry, const char *name, struct problem *problem)
{
    const char *fault = find_fault(name), *kind = kind_of(entry);

    if (fault != NULL)
        return problem_set_kind(problem, PROBLEM_NAME, "%s", fault);
    if (kind != NULL)
        return problem_set_kind(problem, PROBLEM_READ, "is no file but %s", kind);
    if (archive_entry_sparse_count(entry) > 0)
        return problem_set_kind(problem, PROBLEM_READ, "is a sparse file, which is not read from archives");
    if (archive_entry_size(entry) < 0 || (uint64_t)archive_entry_size(entry) > reader->limit)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%lld bytes are more than the memory limit of %llu; raise the limit with --max-memory",
            (long long)archive_entry_size(entry), (unsigned long long)reader->limit);
    return true;
}

static bool grow(struct member *member, size_t capacity)
{
    uint8_t *grown = realloc(member->data, capacity);

    if (grown != NULL)
        member->data = grown;
    return grown != NULL;
}

/* Read a member's data. Memory grows with the data, because the header may state more bytes than there are. */
static bool read_data(struct tar_reader *reader, size_t size, struct member *member, struct problem *problem)
{
    size_t capacity = size < FIRST ? size : FIRST;
    while (member->length < size) {
        if (!grow(member, capacity))
            return problem_set(problem, "out of memory");
        while (member->length < capacity) {
            la_ssize_t got =
                archive_read_data(reader->archive, member->data + member->length, capacity - member->length);
            if (got < 0)
                return fail(reader, problem);
            if (got == 0)
                return problem_set_kind(problem, PROBLEM_READ, "the archive ends within a member");
            member->length += (size_t)got;
        }
        if (explodes(reader))
            return problem_set_kind(problem, PROBLEM_LIMIT,
                "the archive expands to more than %d times its bytes, and is not read further", (int)EXPANSION);
        capacity = capacity > size / 2 ? size : 2 * capacity;
    }
    return true;
}

/*
 * Refuse a member. Skipping compressed data requires expanding them, so in a compressed archive nothing behind a member
 * beyond the limit is read.
 */
static enum tar_step refuse(struct tar_reader *reader, const struct member *member, struct problem *problem)
{
    const struct problem why = *problem;

    if (is_compressed(reader) && problem->kind == PROBLEM_LIMIT) {
        problem_set_kind(problem, PROBLEM_LIMIT, "%.2000s: %.2000s", member->name, why.text);
        return TAR_FAILED;
    }
    archive_read_data_skip(reader->archive); /* on failure, reading the next header will fail, too */
    return TAR_REFUSED;
}

static const char *name_of(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);

    if (name == NULL)
        name = archive_entry_pathname_utf8(entry);
    return name != NULL ? name : "";
}

static enum tar_step read_member(
    struct tar_reader *reader, struct archive_entry *entry, struct member *member, struct problem *problem)
{
    member->name = strdup(name_of(entry));
    if (member->name == NULL) {
        problem_set(problem, "out of memory");
        return TAR_FAILED;
    }
    if (!accept(reader, entry, member->name, problem))
        return refuse(reader, member, problem);
    if (!grow(member, 1)) {
        problem_set(problem, "out of memory");
        return TAR_FAILED;
    }
    return read_data(reader, (size_t)archive_entry_size(entry), member, problem) ? TAR_MEMBER : TAR_FAILED;
}

enum tar_step tar_next(struct tar_reader *reader, struct member *member, struct problem *problem)
{
    struct archive_entry *entry;
    int result;

    while (!reader->ended && (result = archive_read_next_header(reader->archive, &entry)) != ARCHIVE_EOF) {
        if (result < ARCHIVE_WARN) {
            fail(reader, problem);
            return TAR_FAILED;
        }
        if (archive_entry_filetype(entry) != AE_IFDIR)
            return read_member(reader, entry, member, problem);
    }
    if (!reader->ended && !is_compressed(reader) && reader->read_all && reader->zeros < HEAD) {
        problem_set_kind(problem, PROBLEM_READ, "the archive has no end, and may have been cut off");
        return TAR_FAILED;
    }
    reader->ended = true;
    return TAR_END;
}
