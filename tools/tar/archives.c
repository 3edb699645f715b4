/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills archives with groups. Each archive gets its name when it is full; then its groups are recorded, all at once. */
#include "tar/archives.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/resume.h"

void archives_begin(struct archives *archives, struct crew *crew)
{
    *archives = (struct archives){.crew = crew, .number = crew->batch->output->many.shard.index};
}

static const struct output_options *options_of(const struct archives *archives)
{
    return archives->crew->batch->output;
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(left, right);
}

static void keep(void *node)
{
    (void)node; /* the group owns the key */
}

/* Release the groups of an archive that has been recorded. */
static void release_members(struct archives *archives)
{
    tdestroy(archives->keys, keep);
    archives->keys = NULL;
    for (size_t i = 0; i < archives->count; i++)
        made_release(archives->member[i]);
    free(archives->member);
    archives->member = NULL;
    archives->count = 0;
    free(archives->path);
    archives->path = NULL;
    archives->open = false;
}

/* Record that each group of an archive has failed, because the archive could not be written. */
static void fail_members(struct archives *archives, const struct problem *problem)
{
    tar_drop(&archives->writer);
    for (size_t i = 0; i < archives->count; i++)
        archives->member[i]->problem = *problem;
    gather_record(archives->crew, archives->member, archives->count, NULL, 0);
    release_members(archives);
}

/* Record the archive as the output of each group. Its bytes count once, for the first group. */
static void note_output(struct archives *archives)
{
    struct stat state;
    uint64_t length = stat(archives->path, &state) == 0 ? (uint64_t)state.st_size : 0;

    for (size_t i = 0; i < archives->count; i++) {
        outcome_resume(&archives->member[i]->outcome);
        outcome_note_file(archives->path, length, i > 0);
        outcome_end();
    }
}

static uint64_t step_of(const struct archives *archives)
{
    uint32_t shards = options_of(archives)->many.shard.count;
    return shards > 0 ? shards : 1;
}

/* Give the archive its name, and record the groups in it. */
static void complete(struct archives *archives)
{
    struct problem problem = {.text = ""};

    if (!archives->open)
        return;
    if (!tar_end(&archives->writer, &problem)) {
        fail_members(archives, &problem);
        return;
    }
    note_output(archives);
    gather_record(archives->crew, archives->member, archives->count, archives->path, archives->count);
    release_members(archives);
    archives->number += step_of(archives);
}

/*
 * Choose the next archive's name. Archives that an earlier call has completed stay; other files of such names are
 * replaced.
 */
static char *choose_name(struct archives *archives)
{
    char *path = tar_name(options_of(archives)->archives, archives->number);

    while (path != NULL && resumed_has_output(archives->crew->resumed, path)) {
        free(path);
        archives->number += step_of(archives);
        path = tar_name(options_of(archives)->archives, archives->number);
    }
    return path;
}

static bool begin(struct archives *archives, struct problem *problem)
{
    const struct input *replaced;

    archives->path = choose_name(archives);
    if (archives->path == NULL)
        return problem_set(problem, "out of memory");
    replaced = input_of_file(&archives->crew->inputs, archives->path);
    if (replaced != NULL)
        problem_set_kind(
            problem, PROBLEM_NAME, "%s would replace %s, which is an input", archives->path, replaced->name);
    archives->open = replaced == NULL && tar_begin(&archives->writer, archives->path, problem);
    if (archives->open)
        return true;
    free(archives->path);
    archives->path = NULL;
    return false;
}

static uint64_t bytes_of(const struct made *made)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < made->capture.count; i++)
        sum += (made->capture.file[i].length + 1023) / 512 * 512;
    return sum;
}

static const char *key_of(const struct made *made)
{
    return made->group;
}

/* Return whether the open archive is full, so that the group must go into the next one. */
static bool is_full(const struct archives *archives, const struct made *made)
{
    const struct output_options *options = options_of(archives);

    return (options->most_groups > 0 && archives->count >= options->most_groups) ||
           (options->most_bytes > 0 && archives->count > 0 &&
               archives->writer.bytes + bytes_of(made) > options->most_bytes);
}

static bool has_key(const struct archives *archives, const struct made *made)
{
    return tfind(key_of(made), &archives->keys, compare_keys) != NULL;
}

/*
 * Return whether the archive has a group of this key that must not occur again: from the same input, for a file, or if
 * there is only one archive. Otherwise the group can go into the next archive.
 */
static bool is_twice(const struct archives *archives, const struct made *made)
{
    bool numbered;

    tar_pattern(options_of(archives)->archives, &numbered);
    for (size_t i = 0; i < archives->count; i++)
        if (strcmp(archives->member[i]->group, made->group) == 0)
            return !numbered || made->is_file || strcmp(archives->member[i]->input, made->input) == 0;
    return false;
}

static bool note_member(struct archives *archives, struct made *made)
{
    struct made **grown = realloc(archives->member, (archives->count + 1) * sizeof *grown);

    if (grown == NULL)
        return problem_set(&made->problem, "out of memory");
    archives->member = grown;
    if (tsearch(key_of(made), &archives->keys, compare_keys) == NULL)
        return problem_set(&made->problem, "out of memory");
    archives->member[archives->count++] = made;
    return true;
}

/* Write the files of a group. On failure the archive as a whole fails. */
static void write_files(struct archives *archives, struct made *made)
{
    const struct capture *capture = &made->capture;
    struct problem problem = {.text = ""};
    bool good = true;

    for (size_t i = 0; i < capture->count && good; i++)
        good =
            tar_add(&archives->writer, capture->file[i].name, capture->file[i].data, capture->file[i].length, &problem);
    capture_release(&made->capture);
    if (!good)
        fail_members(archives, &problem);
}

static void report_failure(struct archives *archives, struct made *made)
{
    gather_record(archives->crew, &made, 1, NULL, 0);
    made_release(made);
}

void archives_add(struct archives *archives, struct made *made)
{
    bool again = archives->open && has_key(archives, made);

    if (again && is_twice(archives, made))
        problem_set_kind(&made->problem, PROBLEM_NAME, "has the key of an earlier group, %s", made->group);
    else if (archives->open && (again || is_full(archives, made)))
        complete(archives);
    if (made->problem.text[0] == '\0' && (archives->open || begin(archives, &made->problem)) &&
        note_member(archives, made))
        write_files(archives, made);
    else
        report_failure(archives, made);
}

void archives_end(struct archives *archives)
{
    complete(archives);
}
