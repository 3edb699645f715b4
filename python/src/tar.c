/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the members of tar archives (POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU) by their headers alone: names, and
 * where contents lie in the file. Nothing in an archive is trusted. Contents of more than the file has, damaged headers
 * and sparse members are errors with an offset.
 */
#include "tar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, NAME_MOST = 1 << 16 /* bytes of an extended header */ };

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2];
    char uname[32], gname[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

/* Holds the fields that extended headers override in the member that follows them. */
struct extension {
    char *name; /* from malloc(); null: no name */
    size_t name_length;
    uint64_t size;
    bool has_size;
};

static bool fail(struct tar_reading *r, uint64_t at, const char *why)
{
    r->wrong = why;
    r->wrong_at = at;
    return false;
}

/* Read bytes at an offset. It is an error if the file is shorter. */
static bool read_at(struct tar_reading *r, void *to, size_t length, uint64_t at)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(r->file, (char *)to + done, length - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(r, at, "it cannot be read");
        if (got == 0)
            return fail(r, at + done, "the archive ends too early");
        done += (size_t)got;
    }
    return true;
}

/* Read an octal number that spaces or zeros end, or GNU's binary one. Returns false if it is neither. */
static bool read_number(const char *field, size_t length, uint64_t *number)
{
    const unsigned char *at = (const unsigned char *)field, *end = at + length;
    uint64_t value = 0;
    if (*at == 0x80) {
        for (at++; at < end; at++) {
            if (value >> 55)
                return false;
            value = value << 8 | *at;
        }
        *number = value;
        return true;
    }
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at >= '0' && *at <= '7'; at++)
        value = value << 3 | (uint64_t)(*at - '0'); /* at most 12 digits */
    *number = value;
    return at == end || *at == ' ' || *at == '\0';
}

/*
 * Compare the sum of a header's bytes with its field, whose own bytes count as spaces. Some old programs added signed
 * bytes.
 */
static bool sum_is_right(const struct header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    const size_t first = offsetof(struct header, sum), end = first + sizeof header->sum;
    uint64_t stored;
    int64_t plain = 0, with_signs = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        unsigned char byte = i >= first && i < end ? ' ' : bytes[i];
        plain += byte;
        with_signs += byte < 128 ? byte : byte - 256;
    }
    return read_number(header->sum, sizeof header->sum, &stored) &&
           ((int64_t)stored == plain || (int64_t)stored == with_signs);
}

static bool is_zero(const struct header *header)
{
    static const struct header zero;
    return memcmp(header, &zero, sizeof zero) == 0;
}

static size_t text_length(const char *text, size_t most)
{
    const char *end = memchr(text, 0, most);
    return end ? (size_t)(end - text) : most;
}

/* Replace a name by a copy. */
static bool keep_name(struct tar_reading *r, struct extension *e, const char *name, size_t length, uint64_t at)
{
    free(e->name);
    e->name = malloc(length + 1);
    if (!e->name)
        return fail(r, at, "memory ran out");
    memcpy(e->name, name, length);
    e->name_length = length;
    return true;
}

/* ── Extended headers ── */

/* Read a number in decimal digits. */
static bool read_decimal(const char *text, size_t length, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || value > UINT64_MAX / 10 - 1)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *number = value;
    return length > 0;
}

static bool is_key(const char *key, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(key, wanted, length) == 0;
}

static bool take_record(
    struct tar_reading *r, struct extension *e, const char *key, size_t key_length, const char *value, size_t length)
{
    if (key_length >= 10 && memcmp(key, "GNU.sparse", 10) == 0)
        return fail(r, r->at, "a sparse member is not supported");
    if (is_key(key, key_length, "path"))
        return keep_name(r, e, value, text_length(value, length), r->at);
    if (!is_key(key, key_length, "size"))
        return true;
    e->has_size = true;
    return read_decimal(value, length, &e->size) || fail(r, r->at, "a pax header's size is no number");
}

/* Read records "LENGTH KEY=VALUE\n", whose lengths count all of their bytes. */
static bool read_pax(struct tar_reading *r, struct extension *e, const char *text, size_t length)
{
    while (length > 0) {
        const char *space = memchr(text, ' ', length < 20 ? length : 20);
        uint64_t whole;
        if (!space || !read_decimal(text, (size_t)(space - text), &whole) || whole > length ||
            whole < (uint64_t)(space - text) + 2 || text[whole - 1] != '\n')
            return fail(r, r->at, "a pax header's record has a wrong length");
        const char *key = space + 1, *end = text + whole - 1, *equal = memchr(key, '=', (size_t)(end - key));
        if (!equal)
            return fail(r, r->at, "a pax header's record has no key");
        if (!take_record(r, e, key, (size_t)(equal - key), equal + 1, (size_t)(end - equal) - 1))
            return false;
        text += whole;
        length -= (size_t)whole;
    }
    return true;
}

/* Read the contents of an extended header. */
static bool read_extension(struct tar_reading *r, struct extension *e, char type, uint64_t size)
{
    if (type == 'g' || type == 'K')
        return true; /* global to all members, or the target of a link */
    if (size > NAME_MOST)
        return fail(r, r->at, "an extended header is too long");
    char *text = malloc((size_t)size + 1);
    bool fine = text ? read_at(r, text, (size_t)size, r->at + BLOCK) : fail(r, r->at, "memory ran out");
    if (fine && type == 'L')
        fine = keep_name(r, e, text, text_length(text, (size_t)size), r->at);
    else if (fine)
        fine = read_pax(r, e, text, (size_t)size);
    free(text);
    return fine;
}

/* ── Members ── */

static bool is_extension(char type)
{
    return type == 'x' || type == 'g' || type == 'L' || type == 'K';
}

/* Return whether a member has contents: links, devices, folders and pipes have none. */
static bool has_contents(char type)
{
    return type < '1' || type > '6';
}

/* Set the name from a plain header; in ustar it has a prefix. */
static bool name_of(struct tar_reading *r, const struct header *header, struct extension *e)
{
    char name[sizeof header->prefix + 1 + sizeof header->name];
    size_t prefix = 0, length = text_length(header->name, sizeof header->name);
    if (memcmp(header->magic, "ustar", 6) == 0)
        prefix = text_length(header->prefix, sizeof header->prefix);
    memcpy(name, header->prefix, prefix);
    if (prefix > 0)
        name[prefix++] = '/';
    memcpy(name + prefix, header->name, length);
    return keep_name(r, e, name, prefix + length, r->at);
}

/* Describe a member if it is a regular file. It gets the name. */
static bool describe(
    struct tar_reading *r, const struct header *header, struct extension *e, uint64_t size, struct tar_member *member)
{
    bool regular = header->type == '0' || header->type == '\0' || header->type == '7';
    if (header->type == 'S')
        return fail(r, r->at, "a sparse member is not supported");
    if (!regular)
        return true;
    if (!e->name && !name_of(r, header, e))
        return false;
    if (header->type == '\0' && e->name_length > 0 && e->name[e->name_length - 1] == '/')
        return true; /* a folder, as it was written before the field for types existed */
    *member = (struct tar_member){e->name, e->name_length, r->at + BLOCK, size};
    e->name = NULL;
    return true;
}

/* Read a header at `at`. Returns false at the end and after an error. */
static bool read_header(struct tar_reading *r, struct header *header, uint64_t *size)
{
    if (r->at == r->length && r->length > 0)
        return false;
    if (r->length - r->at < BLOCK) /* a file that has grown since does not count as longer */
        return fail(r, r->length, "the archive ends too early");
    if (!read_at(r, header, BLOCK, r->at) || is_zero(header))
        return false;
    if (!sum_is_right(header))
        return fail(r, r->at, "no header of a tar archive");
    if (!read_number(header->size, sizeof header->size, size))
        return fail(r, r->at, "a header's size is no number");
    return true;
}

/* Read one member with the extended headers in front of it. Returns false at the end and after an error. */
static bool read_member(struct tar_reading *r, struct tar_member *member)
{
    struct extension e = {.name = NULL};
    struct header header;
    uint64_t size;
    bool fine = true, is_member = false;
    while (fine && !is_member) {
        fine = read_header(r, &header, &size);
        if (!fine)
            break;
        is_member = !is_extension(header.type);
        if (is_member && e.has_size)
            size = e.size;
        if (is_member && !has_contents(header.type))
            size = 0;
        if (size > r->length - r->at - BLOCK)
            fine = fail(r, r->at, "a member is longer than the rest of the archive");
        else
            fine = is_member ? describe(r, &header, &e, size, member) : read_extension(r, &e, header.type, size);
        uint64_t blocks = size / BLOCK + (size % BLOCK > 0);
        uint64_t left = (r->length - r->at) / BLOCK - 1; /* the last block may be incomplete */
        r->at = blocks > left ? r->length : r->at + (1 + blocks) * BLOCK;
    }
    free(e.name);
    return fine;
}

bool kst_py_tar_begin(struct tar_reading *r, int file)
{
    struct stat about;
    *r = (struct tar_reading){.file = file};
    if (fstat(file, &about) || !S_ISREG(about.st_mode))
        return fail(r, 0, "it is no regular file");
    r->length = (uint64_t)about.st_size;
    return true;
}

bool kst_py_tar_next(struct tar_reading *r, struct tar_member *member)
{
    *member = (struct tar_member){.name = NULL};
    while (!member->name && read_member(r, member))
        ;
    return member->name != NULL;
}
