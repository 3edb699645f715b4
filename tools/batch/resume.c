/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the manifest of an earlier call, and skips what it has done. */
#include "batch/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/folder.h"

enum { LINE_MAX_BYTES = 1 << 26 /* longer lines are ignored */ };

/* Holds what the lines of the manifest are compared with. */
struct resuming {
    struct inputs *inputs;
    size_t *by_name; /* indices in order of the names, then of the inputs */
    const char *directory;
    const struct file_format *target;
};

static int compare_by_name(const void *left, const void *right, void *list)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const struct input *input = list;
    int order = strcmp(input[a].name, input[b].name);

    return order != 0 ? order : (a > b) - (a < b);
}

/* Return the first input that has this name; null if there is none. */
static struct input *find_input(const struct resuming *resuming, const char *name)
{
    struct input *input = resuming->inputs->input;
    size_t low = 0, high = resuming->inputs->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(input[resuming->by_name[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct input *found = low < resuming->inputs->count ? &input[resuming->by_name[low]] : NULL;
    return found != NULL && strcmp(found->name, name) == 0 ? found : NULL;
}

static int digit_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

char *resume_name(const json_t *object, const char *key, const char *key_hex)
{
    const char *text = json_string_value(json_object_get(object, key));
    const char *digits = json_string_value(json_object_get(object, key_hex));
    size_t length = digits == NULL ? 0 : strlen(digits) / 2;
    char *name = digits == NULL ? NULL : malloc(length + 1);

    if (digits == NULL || name == NULL)
        return text != NULL ? strdup(text) : NULL;
    for (size_t i = 0; i < length; i++) {
        int high = digit_value(digits[2 * i]), low = digit_value(digits[2 * i + 1]);
        name[i] = (char)(high >= 0 && low >= 0 ? 16 * high + low : '?');
    }
    name[length] = '\0';
    return name;
}

/* Return whether a file exists with the length that the manifest states. */
static bool is_there(const json_t *file)
{
    char *path = resume_name(file, "path", "path_hex");
    const json_t *bytes = json_object_get(file, "bytes");
    struct stat state;
    bool there = path != NULL && json_is_integer(bytes) && stat(path, &state) == 0 && S_ISREG(state.st_mode) &&
                 state.st_size == json_integer_value(bytes);

    free(path);
    return there;
}

bool resume_files_are_there(const json_t *files)
{
    size_t count = json_array_size(files), there = 0;

    while (there < count && is_there(json_array_get(files, there)))
        there++;
    return count > 0 && there == count;
}

/* Return whether an output has the name that this call would choose, as far as that can be known before decoding. */
static bool would_be_made(const struct resuming *resuming, const struct input *input, const char *output)
{
    size_t length;
    const char *stem = input_stem(input, &length);
    char *path = folder_join(resuming->directory, stem);
    size_t whole = path == NULL ? 0 : strlen(path) - strlen(stem) + length;
    bool same = path != NULL && strlen(output) > whole && strncmp(path, output, whole) == 0 && output[whole] == '.' &&
                strchr(output + whole, '/') == NULL && strchr(output + whole + 1, '.') == NULL;
    const struct file_format *format = file_format_by_path(output), *target = resuming->target;

    free(path);
    return same && (target == NULL || (format != NULL && file_kind(format) == file_kind(target)));
}

/* Apply a line of the manifest to its input. Later lines replace what earlier lines said. */
static void take_entry(void *user, const json_t *entry)
{
    const struct resuming *resuming = user;
    const char *status = json_string_value(json_object_get(entry, "status"));
    bool made = status != NULL && (strcmp(status, "ok") == 0 || strcmp(status, "warning") == 0);
    char *name = made ? resume_name(entry, "input", "input_hex") : NULL;
    char *output = made ? resume_name(entry, "output", "output_hex") : NULL;
    struct input *input = name != NULL ? find_input(resuming, name) : NULL;

    free(name);
    if (input == NULL || output == NULL || input->elsewhere || !would_be_made(resuming, input, output) ||
        !resume_files_are_there(json_object_get(entry, "files"))) {
        free(output);
        return;
    }
    free(input->output);
    input->output = output;
}

/* Read a line, without its end, into memory that grows. Returns its length; −1 at the end of the file or on failure. */
static ssize_t read_line(FILE *from, char **line, size_t *capacity)
{
    size_t length = 0;
    int byte;

    while ((byte = getc_unlocked(from)) != EOF && byte != '\n') {
        if (length == *capacity && length < LINE_MAX_BYTES) {
            char *grown = realloc(*line, 2 * *capacity + 4096);
            if (grown == NULL)
                return -1;
            *line = grown;
            *capacity = 2 * *capacity + 4096;
        }
        if (length < *capacity)
            (*line)[length++] = (char)byte;
    }
    return byte == EOF && length == 0 ? -1 : (ssize_t)length;
}

static bool read_lines(FILE *from, void (*take)(void *user, const json_t *entry), void *user)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    errno = 0;
    while ((length = read_line(from, &line, &capacity)) >= 0) {
        json_t *entry = json_loadb(line != NULL ? line : "", (size_t)length, 0, NULL);
        take(user, entry);
        json_decref(entry);
    }
    free(line);
    return !ferror(from) && feof(from);
}

bool resume_read(const char *path, void (*take)(void *user, const json_t *entry), void *user, struct problem *problem)
{
    FILE *from = fopen(path, "re");
    bool good = from != NULL && read_lines(from, take, user);

    if (!good)
        problem_set(problem, "cannot read %s: %s", path, strerror(errno));
    if (from != NULL)
        (void)!fclose(from);
    return good;
}

/* Skip the inputs that have outputs. */
static void skip(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->input[i].output != NULL) {
            inputs->input[i].done = true;
            inputs->own--;
            inputs->resumed++;
        }
}

bool resume_skip(struct inputs *inputs, const struct output_options *output, const struct file_format *target,
    struct problem *problem)
{
    struct resuming resuming = {inputs, calloc(inputs->count + 1, sizeof(size_t)), output->directory, target};

    if (resuming.by_name == NULL)
        return problem_set(problem, "out of memory");
    for (size_t i = 0; i < inputs->count; i++)
        resuming.by_name[i] = i;
    qsort_r(resuming.by_name, inputs->count, sizeof *resuming.by_name, compare_by_name, inputs->input);
    bool good = resume_read(output->many.manifest, take_entry, &resuming, problem);
    free(resuming.by_name);
    if (good)
        skip(inputs);
    return good;
}
