/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes tar archives through libarchive. */
#include "tar/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tar/archive_library.h"

enum {
    BLOCK = 1 << 20, /* bytes that are passed to the output at once */
    LAST = 10240,    /* the length of an archive is a multiple of this, as is usual */
    HEADER = 512,
    WIDTH_MAX = 18 /* digits of a number in a name */
};

static la_ssize_t write_block(struct archive *archive, void *user, const void *data, size_t length)
{
    struct tar_writer *writer = user;
    (void)archive;

    return output_write(&writer->output, data, length, &writer->problem) ? (la_ssize_t)length : ARCHIVE_FATAL;
}

static bool fail(const struct tar_writer *writer, struct problem *problem)
{
    const char *why = archive_error_string(writer->archive);

    if (writer->problem.text[0] == '\0')
        return problem_set_kind(
            problem, PROBLEM_WRITE, "cannot write %s: %s", writer->output.path, why != NULL ? why : "no reason known");
    *problem = writer->problem;
    return false;
}

static bool open_archive(struct tar_writer *writer, struct problem *problem)
{
    writer->archive = archive_write_new();
    writer->entry = archive_entry_new();
    if (writer->archive == NULL || writer->entry == NULL)
        return problem_set(problem, "out of memory");
    /* Names are bytes in this format, which are not converted. */
    archive_write_set_format_gnutar(writer->archive);
    archive_write_set_bytes_per_block(writer->archive, BLOCK);
    archive_write_set_bytes_in_last_block(writer->archive, LAST);
    return archive_write_open(writer->archive, writer, NULL, write_block, NULL) == ARCHIVE_OK || fail(writer, problem);
}

bool tar_begin(struct tar_writer *writer, const char *path, struct problem *problem)
{
    *writer = (struct tar_writer){.bytes = LAST, .output.descriptor = -1, .output.temporary.descriptor = -1};
    if (!archive_library_load(problem) || !output_open(&writer->output, path, problem))
        return false;
    if (open_archive(writer, problem))
        return true;
    tar_drop(writer);
    return false;
}

bool tar_add(struct tar_writer *writer, const char *name, const void *data, size_t length, struct problem *problem)
{
    struct archive_entry *entry = archive_entry_clear(writer->entry);

    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 0, 0);
    archive_entry_set_size(entry, (la_int64_t)length);
    writer->bytes += HEADER + (length + HEADER - 1) / HEADER * HEADER;
    return (archive_write_header(writer->archive, entry) >= ARCHIVE_WARN &&
               (length == 0 || archive_write_data(writer->archive, data, length) == (la_ssize_t)length)) ||
           fail(writer, problem);
}

static void release(struct tar_writer *writer)
{
    archive_entry_free(writer->entry);
    archive_write_free(writer->archive);
    writer->entry = NULL;
    writer->archive = NULL;
}

bool tar_end(struct tar_writer *writer, struct problem *problem)
{
    bool good = archive_write_close(writer->archive) == ARCHIVE_OK || fail(writer, problem);

    release(writer);
    good = good && output_commit(&writer->output, problem);
    output_discard(&writer->output);
    return good;
}

void tar_drop(struct tar_writer *writer)
{
    if (writer->archive != NULL) {
        archive_write_fail(writer->archive);
        release(writer);
    }
    output_discard(&writer->output);
}

/* Read a conversion behind its percent sign. Returns its length, or 0 if it is not a valid one. */
static size_t read_conversion(const char *text, bool *zeros, int *width)
{
    size_t at = 0;

    *zeros = text[0] == '0';
    *width = 0;
    while (text[at] >= '0' && text[at] <= '9' && *width <= WIDTH_MAX)
        *width = 10 * *width + (text[at++] - '0');
    return text[at] == 'd' && *width <= WIDTH_MAX ? at + 1 : 0;
}

bool tar_pattern(const char *pattern, bool *numbered)
{
    bool zeros;
    int width, numbers = 0;

    for (const char *at = pattern; (at = strchr(at, '%')) != NULL;) {
        size_t length = at[1] == '%' ? 1 : read_conversion(at + 1, &zeros, &width);
        if (length == 0)
            return false;
        numbers += at[1] != '%';
        at += 1 + length;
    }
    *numbered = numbers > 0;
    return numbers <= 1;
}

char *tar_name(const char *pattern, uint64_t number)
{
    size_t room = strlen(pattern) + 2 * WIDTH_MAX + 8;
    char *name = malloc(room), *to = name;
    bool zeros;
    int width;

    for (const char *at = pattern; name != NULL && *at != '\0';) {
        size_t length = at[0] == '%' && at[1] != '%' ? read_conversion(at + 1, &zeros, &width) : 0;
        if (length > 0)
            to += sprintf(to, zeros ? "%0*llu" : "%*llu", width, (unsigned long long)number);
        else
            *to++ = *at;
        at += 1 + (at[0] == '%' ? at[1] == '%' ? 1 : length : 0);
    }
    if (name != NULL)
        *to = '\0';
    return name;
}

bool tar_is_named(const char *pattern, const char *name)
{
    bool same = false;

    /* The number begins at a digit. A pattern without a number makes only one name. */
    for (const char *at = name; *at != '\0' && !same; at++) {
        if (at > name && at[-1] >= '0' && at[-1] <= '9' && at[0] >= '0' && at[0] <= '9')
            continue;
        char *made = tar_name(pattern, strtoull(at, NULL, 10));
        same = made != NULL && strcmp(made, name) == 0;
        free(made);
    }
    return same;
}
