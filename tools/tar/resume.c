/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the groups and archives that an earlier call has completed. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "batch/resume.h"
#include "system/folder.h"
#include "tar/write.h"

/* Describes an output according to the last lines about it. */
struct recorded {
    char *path;
    char *digits; /* the checksum in these lines; null: none */
    size_t lines, together;
    bool there;
};

/* Describes what a line says about an input. */
struct line {
    char *input, *group; /* group null: the input is a file */
    char *digits;
    struct recorded *archive; /* null: the outputs are files, which have been found */
};

struct resumed {
    const struct output_options *options;
    void *outputs, *lines; /* trees (search.h) */
    bool out_of_memory;
};

static int compare_texts(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = strcmp(a->input, b->input);

    return order != 0 ? order : compare_texts(a->group, b->group);
}

static int compare_outputs(const void *left, const void *right)
{
    return strcmp(((const struct recorded *)left)->path, ((const struct recorded *)right)->path);
}

static void release_line(void *node)
{
    struct line *line = node;

    free(line->input);
    free(line->group);
    free(line->digits);
    free(line);
}

static void release_output(void *node)
{
    struct recorded *output = node;

    free(output->path);
    free(output->digits);
    free(output);
}

/* Return the output with a path, adding it if it is not known yet; null if out of memory. */
static struct recorded *output_of(struct resumed *resumed, const char *path)
{
    struct recorded *made = calloc(1, sizeof *made);

    if (made == NULL || (made->path = strdup(path)) == NULL) {
        free(made);
        return NULL;
    }
    struct recorded **found = (struct recorded **)tsearch(made, &resumed->outputs, compare_outputs);
    if (found == NULL || *found != made)
        release_output(made);
    return found != NULL ? *found : NULL;
}

/* Apply a line about an archive. Lines with another checksum are about an archive that has been replaced since. */
static struct recorded *note_archive(struct resumed *resumed, const json_t *entry, const char *path, const char *digits)
{
    struct recorded *output = output_of(resumed, path);
    const json_t *together = json_object_get(entry, "together");

    if (output == NULL)
        return NULL;
    if (compare_texts(output->digits, digits) != 0) {
        free(output->digits);
        output->digits = strdup(digits);
        output->lines = 0;
    }
    output->lines++;
    output->together = (size_t)json_integer_value(together);
    if (output->lines == 1)
        output->there = resume_files_are_there(json_object_get(entry, "files"));
    return output;
}

/* Add a line, which becomes the tree's; it replaces an earlier line about the same group. */
static void put_line(struct resumed *resumed, struct line *line)
{
    struct line **found = (struct line **)tsearch(line, &resumed->lines, compare_lines);

    resumed->out_of_memory |= found == NULL;
    if (found != NULL && *found != line) {
        struct line *before = *found;
        *found = line;
        release_line(before);
    } else if (found == NULL) {
        release_line(line);
    }
}

static bool was_made(const json_t *entry)
{
    const char *status = json_string_value(json_object_get(entry, "status"));
    return status != NULL && (strcmp(status, "ok") == 0 || strcmp(status, "warning") == 0);
}

static bool is_archive_line(const json_t *entry)
{
    return json_integer_value(json_object_get(entry, "together")) > 0;
}

static void fill(struct resumed *resumed, const json_t *entry, struct line *line)
{
    const json_t *file = json_array_get(json_object_get(entry, "files"), 0);
    const char *digits = json_string_value(json_object_get(file, "crc32"));
    char *output = resume_name(entry, "output", "output_hex");

    line->input = resume_name(entry, "input", "input_hex");
    line->group = resume_name(entry, "key", "key_hex");
    line->digits = digits != NULL ? strdup(digits) : NULL;
    if (is_archive_line(entry) && output != NULL && line->digits != NULL)
        line->archive = note_archive(resumed, entry, output, line->digits);
    free(output);
}

/* Return whether a file is in the folder for outputs. */
static bool is_in_folder(const char *path, const char *folder)
{
    char *below = folder_join(folder, "");
    bool same = below != NULL && strncmp(path, below, strlen(below)) == 0;

    free(below);
    return same;
}

/* Return whether this call would make the output. */
static bool would_be_made(const struct resumed *resumed, const json_t *entry)
{
    const struct output_options *options = resumed->options;
    bool archive = is_archive_line(entry);
    char *output = archive == (options->archives != NULL) ? resume_name(entry, "output", "output_hex") : NULL;
    bool would = output != NULL && (archive ? tar_is_named(options->archives, output)
                                            : is_in_folder(output, options->directory) &&
                                                  resume_files_are_there(json_object_get(entry, "files")));

    free(output);
    return would;
}

static void take(void *user, const json_t *entry)
{
    struct resumed *resumed = user;

    if (!was_made(entry) || !would_be_made(resumed, entry))
        return;
    struct line *line = calloc(1, sizeof *line);
    if (line == NULL) {
        resumed->out_of_memory = true;
        return;
    }
    fill(resumed, entry, line);
    if (line->input == NULL || (is_archive_line(entry) && line->archive == NULL))
        release_line(line);
    else
        put_line(resumed, line);
}

struct resumed *resumed_read(const struct output_options *output, struct problem *problem)
{
    struct resumed *resumed = calloc(1, sizeof *resumed);

    if (resumed == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    resumed->options = output;
    bool good = resume_read(output->many.manifest, take, resumed, problem);
    if (good && resumed->out_of_memory)
        good = problem_set(problem, "out of memory");
    if (!good)
        resumed_release(&resumed);
    return resumed;
}

static bool is_complete(const struct recorded *output)
{
    return output->there && output->lines == output->together;
}

bool resumed_has(const struct resumed *resumed, const char *input, const char *group)
{
    const struct line wanted = {.input = (char *)(uintptr_t)input, .group = (char *)(uintptr_t)group};
    struct line **found = resumed == NULL ? NULL : (struct line **)tfind(&wanted, &resumed->lines, compare_lines);
    const struct recorded *archive = found != NULL ? (*found)->archive : NULL;

    return found != NULL &&
           (archive == NULL || (is_complete(archive) && compare_texts(archive->digits, (*found)->digits) == 0));
}

bool resumed_has_output(const struct resumed *resumed, const char *path)
{
    const struct recorded wanted = {.path = (char *)(uintptr_t)path};
    struct recorded **found =
        resumed == NULL ? NULL : (struct recorded **)tfind(&wanted, &resumed->outputs, compare_outputs);

    return found != NULL && is_complete(*found);
}

void resumed_release(struct resumed **resumed)
{
    if (*resumed == NULL)
        return;
    tdestroy((*resumed)->lines, release_line);
    tdestroy((*resumed)->outputs, release_output);
    free(*resumed);
    *resumed = NULL;
}
