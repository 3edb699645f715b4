/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides the files of a store among processes that do not communicate. Each leaves a file that says that its share is
 * done, and the one that finds those of all others finishes the store.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/folder.h"
#include "volume/encoding.h"

enum { NAME = 64, NOTE_MOST = 64 };

static bool is_shared(const struct encoding *encoding)
{
    return encoding->settings->shard.count > 0;
}

static uint32_t files_along(const struct encoding *encoding, size_t axis)
{
    return volume_ceil_divide(bricks_along(encoding, axis), encoding->store.shard[axis]);
}

/* Return the number of the first file of a share. */
static uint64_t first_of(uint64_t files, uint32_t index, uint32_t count)
{
    return files / count * index + files % count * index / count;
}

bool share_has(const struct encoding *encoding, const uint32_t first[AXES])
{
    const struct shard *share = &encoding->settings->shard;
    uint64_t number = 0, files = 1;
    if (!is_shared(encoding))
        return true;
    for (size_t i = 0; i < AXES; i++) {
        files *= files_along(encoding, i);
        number = number * files_along(encoding, i) + first[i] / encoding->store.shard[i];
    }
    return number >= first_of(files, share->index, share->count) &&
           number < first_of(files, share->index + 1, share->count);
}

/* Return the path of the note that a share is done, from malloc; null if out of memory. */
static char *note_path(const char *name, uint32_t index, uint32_t count)
{
    char file[NAME];
    snprintf(file, sizeof file, "share-%lu-of-%lu.txt", (unsigned long)index, (unsigned long)count);
    return folder_join(name, file);
}

static bool remove_note(const char *path, struct problem *problem)
{
    return unlink(path) == 0 || errno == ENOENT ||
           problem_set_kind(problem, PROBLEM_WRITE, "%s: %s", path, strerror(errno));
}

bool share_begin(const struct encoding *encoding, const char *name, struct problem *problem)
{
    const struct shard *share = &encoding->settings->shard;
    if (!is_shared(encoding))
        return true;
    char *path = note_path(name, share->index, share->count);
    const bool good = path != NULL ? remove_note(path, problem) : problem_set(problem, "out of memory");
    free(path);
    return good;
}

/* Note that the share is done, and how many levels can be left out of its bricks. */
static bool put_note(const struct encoding *encoding, const char *path, struct problem *problem)
{
    char text[NOTE_MOST];
    struct output output;
    const int length = snprintf(text, sizeof text, "levels: %lu\n", (unsigned long)encoding->levels);
    if (!output_open(&output, path, problem))
        return false;
    if (output_write(&output, text, (size_t)length, problem) && output_commit(&output, problem))
        return true;
    output_discard(&output);
    return false;
}

/* Return whether another share is done. The levels become those that its bricks have, too. */
static bool has_note(struct encoding *encoding, const char *path)
{
    struct problem none = {.text = ""};
    static const char label[] = "levels: ";
    struct source source;
    char text[NOTE_MOST] = "", *end;
    if (access(path, R_OK) != 0 || !source_read(&source, path, NOTE_MOST, &none))
        return false;
    memcpy(text, source.data, source.length < NOTE_MOST ? source.length : NOTE_MOST - 1);
    source_release(&source);
    if (strncmp(text, label, sizeof label - 1) != 0)
        return false;
    const unsigned long levels = strtoul(text + sizeof label - 1, &end, 10);
    if (*end != '\n')
        return false;
    encoding->levels = levels < encoding->levels ? (uint32_t)levels : encoding->levels;
    return true;
}

bool share_end(struct encoding *encoding, const char *name, bool *last, struct problem *problem)
{
    const struct shard *share = &encoding->settings->shard;
    bool good = true;
    *last = true;
    /* Its own note comes first, so that of the shares that end at the same time the later one sees all. */
    for (uint32_t k = 0; good && *last && k < share->count; k++) {
        const uint32_t index = (share->index + k) % share->count;
        char *path = note_path(name, index, share->count);
        if (path == NULL)
            good = problem_set(problem, "out of memory");
        else if (k == 0)
            good = put_note(encoding, path, problem);
        else
            *last = has_note(encoding, path);
        free(path);
    }
    return good;
}

/* Return whether a file's name is that of a note: "share-" … "-of-" … ".txt". */
static bool is_note(const char *name)
{
    static const char digits[] = "0123456789", before[] = "share-", between[] = "-of-";
    if (strncmp(name, before, sizeof before - 1) != 0)
        return false;
    name += sizeof before - 1;
    name += strspn(name, digits);
    if (strncmp(name, between, sizeof between - 1) != 0)
        return false;
    name += sizeof between - 1;
    return strcmp(name + strspn(name, digits), ".txt") == 0;
}

bool share_forget(const char *name, struct problem *problem)
{
    bool good = true;
    DIR *folder = opendir(name);
    const struct dirent *entry;
    while (folder != NULL && good && (entry = readdir(folder)) != NULL) {
        if (!is_note(entry->d_name))
            continue;
        char *path = folder_join(name, entry->d_name);
        good = path != NULL ? remove_note(path, problem) : problem_set(problem, "out of memory");
        free(path);
    }
    if (folder != NULL)
        closedir(folder);
    return good;
}
