/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets the encoding of a store go on where it was broken off. While a store is not finished, a file in it says of which
 * input and with which options it is made; what is complete by then is kept by a call that says the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kostka/kostka.h>

#include "system/folder.h"
#include "volume/encoding.h"

enum { RECORD_MOST = 1 << 16 };
static const char record_name[] = "unfinished.txt";

/*
 * Write what a store is made of. Returns the length; 0: there is no room, or the input is a pipe or the like, which
 * cannot be recognised again.
 */
static size_t describe(const struct volume_settings *settings, const char *input, char record[RECORD_MOST])
{
    struct stat state;
    if (strcmp(input, "-") == 0 || stat(input, &state) != 0 || !(S_ISREG(state.st_mode) || S_ISDIR(state.st_mode)))
        return 0;
    const int length = snprintf(record, RECORD_MOST,
        "Kostka %s encodes this store. To go on: kostka volume encode --resume\ninput: %lld bytes, "
        "%lld.%09ld\noptions:%s\n",
        kst_version_string(), (long long)state.st_size, (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec,
        settings->words);
    return length > 0 && length < RECORD_MOST ? (size_t)length : 0;
}

static bool put_record(const char *path, const char *record, size_t length, struct problem *problem)
{
    struct output output;
    if (!output_open(&output, path, problem))
        return false;
    if (output_write(&output, record, length, problem) && output_commit(&output, problem))
        return true;
    output_discard(&output);
    return false;
}

static bool is_recorded(const char *path, const char *record, size_t length)
{
    struct problem none = {.text = ""};
    struct source source;
    if (access(path, R_OK) != 0 || !source_read(&source, path, RECORD_MOST, &none))
        return false;
    const bool same = source.length == length && memcmp(source.data, record, length) == 0;
    source_release(&source);
    return same;
}

static bool remove_record(const char *path, struct problem *problem)
{
    return unlink(path) == 0 || errno == ENOENT ||
           problem_set_kind(problem, PROBLEM_WRITE, "%s: %s", path, strerror(errno));
}

/* Return whether a store was begun in the same way. */
static bool check_record(
    const struct encoding *encoding, const char *path, const char *record, size_t length, struct problem *problem)
{
    if (length > 0 && is_recorded(path, record, length))
        return true;
    if (encoding->settings->resume)
        return problem_set(problem, "--resume: it was not begun from this input with these options, in this order; "
                                    "without --resume it is begun again");
    return problem_set(problem, "--shard: a store that is there was not begun from this input with these options, in "
                                "this order; remove it first");
}

/* Make the folder of a new store, and record what it is made of, if that can be recognised again. */
static bool begin_new(const struct encoding *encoding, const char *name, const char *path, const char *record,
    size_t length, struct problem *problem)
{
    if (length == 0 && encoding->settings->shard.count > 0)
        return problem_set(problem, "--shard: the input is no file or folder, which all processes could read");
    return folder_make(name, problem) &&
           (length > 0 ? put_record(path, record, length, problem) : remove_record(path, problem));
}

/*
 * Begin a store whose folder is new, or go on with one that was begun in the same way, perhaps by a process that makes
 * another share. Another one is begun again, and is not recorded.
 */
static bool begin(
    struct encoding *encoding, const char *name, const char *path, const char *input, struct problem *problem)
{
    const bool resume = encoding->settings->resume, there = is_folder(encoding->store.folder);
    char *record = malloc(RECORD_MOST);
    const size_t length = record != NULL ? describe(encoding->settings, input, record) : 0;
    bool good = record != NULL || problem_set(problem, "out of memory");
    if (good && there && (resume || encoding->settings->shard.count > 0)) {
        good = check_record(encoding, path, record, length, problem);
        encoding->resumed = good && resume;
    } else if (good && there)
        good = remove_record(path, problem);
    else if (good)
        good = begin_new(encoding, name, path, record, length, problem);
    free(record);
    return good;
}

bool resume_begin(struct encoding *encoding, const char *name, const char *input, struct problem *problem)
{
    char *path = folder_join(name, record_name);
    const bool good =
        path != NULL ? begin(encoding, name, path, input, problem) : problem_set(problem, "out of memory");
    free(path);
    return good;
}

bool resume_end(const char *name, struct problem *problem)
{
    char *path = folder_join(name, record_name);
    const bool good = path != NULL ? remove_record(path, problem) : problem_set(problem, "out of memory");
    free(path);
    return good;
}

/* Return whether a codestream has its end, and headers that say how many levels can be left out. */
static bool is_whole(struct encoding *encoding, const struct brick_bytes *coded)
{
    struct problem none = {.text = ""};
    return coded->length > 2 && memcmp(coded->data + coded->length - 2, "\xFF\xD9", 2) == 0 &&
           encoding_count_levels(encoding, coded->data, coded->length, &none);
}

/* Return whether a brick is in the file that is there. A shard need not have it. */
static bool has_brick(struct encoding *encoding, const uint32_t at[AXES])
{
    struct problem none = {.text = ""};
    struct brick_bytes coded;
    if (!brick_fetch(&encoding->store, at, &coded, &none))
        return false;
    const bool whole = coded.data == NULL ? encoding->store.sharded : is_whole(encoding, &coded);
    free(coded.data);
    return whole;
}

bool resume_keeps(struct encoding *encoding, const uint32_t first[AXES], const uint32_t end[AXES])
{
    struct stat state;
    uint32_t at[AXES];
    char *path = brick_path(&encoding->store, first);
    bool kept = encoding->resumed && path != NULL && stat(path, &state) == 0 && S_ISREG(state.st_mode);
    free(path);
    for (at[0] = first[0]; at[0] < end[0]; at[0]++)
        for (at[1] = first[1]; at[1] < end[1]; at[1]++)
            for (at[2] = first[2]; at[2] < end[2] && kept; at[2]++)
                kept = has_brick(encoding, at);
    return kept;
}
