/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the record of a batch, a line of JSON at a time. */
#include "batch/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/deflate/library.h"
#include "print/json.h"

enum { PIECE = 1 << 18 /* bytes of one read */ };

/* Return the byte at an offset; −1 if it cannot be read. */
static int byte_at(int descriptor, off_t offset)
{
    unsigned char byte;
    return pread(descriptor, &byte, 1, offset) == 1 ? byte : -1;
}

/* Find where the last whole line ends. */
static off_t end_of_lines(int descriptor, off_t length)
{
    char piece[4096];

    while (length > 0) {
        off_t start = length > (off_t)sizeof piece ? length - (off_t)sizeof piece : 0;
        ssize_t got = pread(descriptor, piece, (size_t)(length - start), start);
        const char *feed = got > 0 ? memrchr(piece, '\n', (size_t)got) : NULL;
        if (feed != NULL)
            return start + (feed - piece) + 1;
        length = start;
    }
    return 0;
}

/*
 * Cut off a last line that is incomplete, if no other process can be writing it. Each process that has the manifest
 * open holds a shared lock, so an exclusive lock proves that there is no other.
 */
static bool mend(struct manifest *manifest)
{
    bool alone = flock(manifest->descriptor, LOCK_EX | LOCK_NB) == 0, good = true;
    off_t length = alone ? lseek(manifest->descriptor, 0, SEEK_END) : 0;

    if (length > 0 && byte_at(manifest->descriptor, length - 1) != '\n')
        good = ftruncate(manifest->descriptor, end_of_lines(manifest->descriptor, length)) == 0;
    (void)!flock(manifest->descriptor, LOCK_SH);
    length = lseek(manifest->descriptor, 0, SEEK_END);
    manifest->torn = length > 0 && byte_at(manifest->descriptor, length - 1) != '\n';
    return good;
}

static bool check_file(const struct manifest *manifest, struct problem *problem)
{
    struct stat state;

    if (fstat(manifest->descriptor, &state) != 0)
        return problem_set(problem, "%s", strerror(errno));
    if (!S_ISREG(state.st_mode))
        return problem_set(problem, "is no regular file, which --manifest needs");
    if (state.st_size > 0 && byte_at(manifest->descriptor, 0) != '{' && byte_at(manifest->descriptor, 0) != '\n')
        return problem_set(problem, "is no manifest: it does not begin with '{'");
    return true;
}

bool manifest_open(struct manifest *manifest, const char *path, struct problem *problem)
{
    *manifest = (struct manifest){.path = path, .descriptor = -1};
    if (!json_library_load(problem) || !deflate_library_load(problem))
        return false;
    manifest->descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (manifest->descriptor < 0)
        return problem_set(problem, "%s", strerror(errno));
    pthread_mutex_init(&manifest->lock, NULL);
    if (check_file(manifest, problem) &&
        (mend(manifest) || problem_set(problem, "cannot cut off its last line: %s", strerror(errno))))
        return true;
    manifest_close(manifest);
    return false;
}

void manifest_close(struct manifest *manifest)
{
    if (manifest->descriptor < 0)
        return;
    close(manifest->descriptor);
    pthread_mutex_destroy(&manifest->lock);
    manifest->descriptor = -1;
}

/* Compute the CRC-32 of a file as zlib defines it. Returns false if the file cannot be read to its length. */
static bool checksum(const struct output_file *file, uint32_t *crc)
{
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t *piece = malloc(PIECE);
    uint64_t length = 0;
    ssize_t got = 0;

    *crc = 0;
    while (descriptor >= 0 && piece != NULL && (got = read(descriptor, piece, PIECE)) > 0) {
        *crc = libdeflate_crc32(*crc, piece, (size_t)got);
        length += (uint64_t)got;
    }
    free(piece);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0 && got == 0 && length == file->length;
}

/*
 * Set a member to a name. If its bytes are not UTF-8, which JSON cannot hold, a second member has them in hexadecimal
 * digits.
 */
static void set_name(json_t *object, const char *key, const char *name)
{
    json_t *text = json_string(name);
    size_t length = strlen(name);
    char other[16], *digits = text == NULL ? malloc(2 * length + 1) : NULL;

    if (digits != NULL) {
        for (size_t i = 0; i < length; i++)
            sprintf(digits + 2 * i, "%02x", (unsigned char)name[i]);
        snprintf(other, sizeof other, "%s_hex", key);
        json_object_set_new(object, other, json_string(digits));
        free(digits);
    }
    json_object_set_new(object, key, text != NULL ? text : json_text(name));
}

/* Holds the checksum of the file that was read last, because consecutive entries may share one output, an archive. */
struct summed {
    const char *path;
    uint32_t crc;
    bool known;
};

static void sum(struct summed *summed, const struct output_file *file)
{
    if (summed->path != NULL && strcmp(summed->path, file->path) == 0)
        return;
    summed->known = checksum(file, &summed->crc);
    summed->path = file->path;
}

static json_t *list_files(const struct outcome *outcome, struct summed *summed)
{
    json_t *list = json_array();

    for (size_t i = 0; i < outcome->file_count; i++) {
        json_t *object = json_object();
        char digits[9];
        set_name(object, "path", outcome->file[i].path);
        json_object_set_new(object, "bytes", json_integer((json_int_t)outcome->file[i].length));
        sum(summed, &outcome->file[i]);
        if (summed->known) {
            snprintf(digits, sizeof digits, "%08x", (unsigned)summed->crc);
            json_object_set_new(object, "crc32", json_string(digits));
        }
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *describe(const struct manifest_entry *entry, struct summed *summed)
{
    const struct outcome *outcome = entry->outcome;
    json_t *object = json_object(), *warnings = json_array();

    set_name(object, "input", entry->input);
    if (entry->group != NULL)
        set_name(object, "key", entry->group);
    json_object_set_new(object, "status",
        json_string(entry->failure != NULL       ? "failed"
                    : outcome->warning_count > 0 ? "warning"
                                                 : "ok"));
    if (entry->failure != NULL)
        json_object_set_new(object, "error", json_text(entry->failure));
    else if (entry->output != NULL)
        set_name(object, "output", entry->output);
    if (entry->failure == NULL && entry->together > 0)
        json_object_set_new(object, "together", json_integer((json_int_t)entry->together));
    json_object_set_new(object, "files", list_files(outcome, summed));
    for (size_t i = 0; i < outcome->warning_count; i++)
        json_array_append_new(warnings, json_text(outcome->warning[i]));
    json_object_set_new(object, "warnings", warnings);
    if (outcome->device[0] != '\0')
        json_object_set_new(object, "device", json_string(outcome->device));
    return object;
}

/*
 * Write all bytes, with one system call unless that writes only a part. Returns the number of bytes written; if that is
 * less than `length`, errno is set.
 */
static size_t write_all(int descriptor, const char *bytes, size_t length)
{
    size_t written = 0;

    while (written < length) {
        ssize_t some = write(descriptor, bytes + written, length - written);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            break;
        written += (size_t)some;
    }
    return written;
}

/* Append lines. If the last one is not written to its end, the next one begins with a line feed. */
static bool append(struct manifest *manifest, const char *lines, size_t length, struct problem *problem)
{
    pthread_mutex_lock(&manifest->lock);
    size_t skipped = manifest->torn ? 0 : 1;
    size_t written = write_all(manifest->descriptor, lines + skipped, length - skipped);
    bool good = written == length - skipped || problem_set(problem, "cannot write: %s", strerror(errno));
    if (written > 0)
        manifest->torn = !good;
    pthread_mutex_unlock(&manifest->lock);
    return good;
}

static bool print_entry(FILE *to, const struct manifest_entry *entry, struct summed *summed)
{
    json_t *object = describe(entry, summed);
    char *text = object == NULL || entry->outcome->out_of_memory ? NULL : json_dumps(object, JSON_COMPACT);
    bool good = text != NULL && fprintf(to, "%s\n", text) > 0;

    free(text);
    json_decref(object);
    return good;
}

bool manifest_add(struct manifest *manifest, const struct manifest_entry *entry, size_t count, struct problem *problem)
{
    struct summed summed = {.path = NULL};
    char *lines = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&lines, &length);
    bool good = to != NULL && fputc('\n', to) != EOF;

    for (size_t i = 0; i < count && good; i++)
        good = print_entry(to, &entry[i], &summed);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    good = good ? append(manifest, lines, length, problem) : problem_set(problem, "out of memory");
    free(lines);
    return good;
}
