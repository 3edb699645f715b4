/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the inputs of a batch from files and folders, by name or by signature. */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIGNATURE = 4096 /* bytes by which a format is recognised */ };

const char *input_stem(const char *name, size_t *length)
{
    const char *slash = strrchr(name, '/');
    const char *last = slash == NULL ? name : slash + 1;
    const char *dot = strrchr(last, '.');

    if (strcmp(name, "-") == 0)
        last = "stdin";
    *length = dot == NULL || dot == last ? strlen(last) : (size_t)(dot - last);
    return last;
}

/* Add an input, and take over its name. A null name means that memory ran out. */
static bool add(struct inputs *inputs, char *name)
{
    struct stat state;

    if ((inputs->count & (inputs->count - 1)) == 0) {
        size_t capacity = inputs->count == 0 ? 1 : 2 * inputs->count;
        struct input *grown = name == NULL ? NULL : realloc(inputs->input, capacity * sizeof *grown);
        if (grown == NULL) {
            free(name);
            return false;
        }
        inputs->input = grown;
    }
    if (name == NULL)
        return false;
    inputs->input[inputs->count] = (struct input){.name = name};
    if (strcmp(name, "-") != 0 && stat(name, &state) == 0 && S_ISREG(state.st_mode)) {
        inputs->input[inputs->count].device = state.st_dev;
        inputs->input[inputs->count].inode = state.st_ino;
    }
    inputs->count++;
    return true;
}

static const struct file_format *format_by_signature(const char *name)
{
    uint8_t start[SIGNATURE];
    struct source source = {.name = name, .data = start};
    int descriptor = open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = descriptor < 0 ? -1 : read(descriptor, start, sizeof start);

    if (descriptor >= 0)
        close(descriptor);
    source.length = got > 0 ? (size_t)got : 0;
    return file_format_of(&source);
}

static bool is_taken(const struct file_format *format, const struct input_choice *choice)
{
    bool is_coded = format == &file_jpeg || format == &file_j2k || format == &file_j2c;

    if (format == NULL || choice->coded || is_coded)
        return is_coded;
    return file_kind(format) == KIND_RAW ? choice->raw : format->read != NULL;
}

/*
 * Return whether a file is a picture. A file with a picture's extension is taken even if it does not begin like one: it
 * is damaged, and the user should learn that.
 */
static bool is_picture(const char *name, const struct input_choice *choice)
{
    struct stat state;

    if (stat(name, &state) != 0 || !S_ISREG(state.st_mode))
        return false;
    const struct file_format *named = file_format_by_path(name);
    const struct file_format *found =
        choice->raw && named != NULL && file_kind(named) == KIND_RAW ? named : format_by_signature(name);
    return is_taken(found != NULL ? found : named, choice);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    char *joined = malloc(length + strlen(name) + 2);

    if (joined != NULL)
        sprintf(joined, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
    return joined;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_folder(struct inputs *inputs, const char *folder, const struct input_choice *choice)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_shown, compare_entries);
    size_t before = inputs->count;
    bool good = true;

    if (count < 0) {
        complain(folder, "cannot read the folder: %s", strerror(errno));
        inputs->failures++;
        return true;
    }
    for (int i = 0; i < count; i++) {
        char *name = good ? join(folder, entries[i]->d_name) : NULL;
        good = good && name != NULL;
        if (good && is_picture(name, choice))
            good = add(inputs, name);
        else
            free(name);
        free(entries[i]);
    }
    free(entries);
    if (good && inputs->count == before) {
        complain(folder, "no %s in this folder; folders in it are not looked at",
            choice->coded ? "JPEG or JPEG 2000 file" : "picture");
        inputs->failures++;
    }
    return good;
}

static bool is_folder(const char *name)
{
    struct stat state;
    return strcmp(name, "-") != 0 && stat(name, &state) == 0 && S_ISDIR(state.st_mode);
}

int operands_check(const char *verb, const char *directory, char **operands, size_t count)
{
    const char *last = count > 0 ? operands[count - 1] : "";

    if (count == 0)
        return complain_usage(verb, "no input named");
    if (directory != NULL)
        return EXIT_FINE;
    if (count > 1 && (is_folder(last) || (*last != '\0' && last[strlen(last) - 1] == '/')))
        return complain_usage(verb, "the output %s is a folder: write --out-dir %s, or name a file in it", last, last);
    if (is_folder(operands[0]))
        return complain_usage(verb, "%s is a folder: add --out-dir DIR to take the pictures in it", operands[0]);
    if (count == 1)
        return complain_usage(verb, "no output named: add OUT ('-' is standard output) or --out-dir DIR");
    if (count > 2)
        return complain_usage(verb, "more than one input: add --out-dir DIR");
    if (output_is_terminal(last))
        return complain_usage(
            verb, "standard output is a terminal, which cannot show a picture: name a file, or redirect the output");
    return EXIT_FINE;
}

static int compare_stems(const struct input *left, const struct input *right)
{
    size_t length_a, length_b;
    const char *a = input_stem(left->name, &length_a);
    const char *b = input_stem(right->name, &length_b);
    int order = strncmp(a, b, length_a < length_b ? length_a : length_b);

    return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

static int compare_by_stem(const void *left, const void *right, void *list)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const struct input *input = list;
    int order = compare_stems(&input[a], &input[b]);

    return order != 0 ? order : (a > b) - (a < b);
}

static int compare_files(const struct input *a, const struct input *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

static int compare_by_file(const void *left, const void *right, void *list)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const struct input *input = list;
    int order = compare_files(&input[a], &input[b]);

    return order != 0 ? order : (a > b) - (a < b);
}

/* Chains inputs of one stem, and sorts all by their files. */
static bool relate(struct inputs *inputs)
{
    size_t *order = calloc(inputs->count + 1, sizeof *order);
    struct input *input = inputs->input;

    if (order == NULL)
        return false;
    for (size_t i = 0; i < inputs->count; i++)
        order[i] = i;
    qsort_r(order, inputs->count, sizeof *order, compare_by_stem, input);
    inputs->ranks = 1;
    for (size_t i = 1; i < inputs->count; i++) {
        if (compare_stems(&input[order[i - 1]], &input[order[i]]) != 0)
            continue;
        input[order[i]].same_stem = &input[order[i - 1]];
        input[order[i]].rank = input[order[i - 1]].rank + 1;
        if (inputs->ranks <= input[order[i]].rank)
            inputs->ranks = input[order[i]].rank + 1;
    }
    qsort_r(order, inputs->count, sizeof *order, compare_by_file, input);
    inputs->by_file = order;
    return true;
}

bool inputs_collect(struct inputs *inputs, char **operands, size_t count, const struct input_choice *choice)
{
    bool good = true;

    *inputs = (struct inputs){.count = 0};
    for (size_t i = 0; i < count && good; i++)
        good = choice->folders && is_folder(operands[i]) ? add_folder(inputs, operands[i], choice)
                                                         : add(inputs, strdup(operands[i]));
    good = good && relate(inputs);
    if (!good)
        inputs_release(inputs);
    return good;
}

void inputs_release(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->input[i].name);
        free(inputs->input[i].output);
    }
    free(inputs->input);
    free(inputs->by_file);
    *inputs = (struct inputs){.count = 0};
}

/* Return an input other than `input` that is the file at `path`; null if there is none. */
static const struct input *input_at(const struct inputs *inputs, const struct input *input, const char *path)
{
    struct stat state;
    size_t low = 0, high = inputs->count;

    if (stat(path, &state) != 0)
        return NULL;
    const struct input wanted = {.device = state.st_dev, .inode = state.st_ino};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_files(&inputs->input[inputs->by_file[middle]], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < inputs->count; low++) {
        const struct input *found = &inputs->input[inputs->by_file[low]];
        if (compare_files(found, &wanted) != 0)
            return NULL;
        if (found != input)
            return found;
    }
    return NULL;
}

bool input_claim(const struct inputs *inputs, struct input *input, const char *path, struct problem *problem)
{
    for (const struct input *other = input->same_stem; other != NULL; other = other->same_stem)
        if (other->output != NULL && strcmp(other->output, path) == 0)
            return problem_set(problem, "would become %s, which %s has become", path, other->name);
    const struct input *replaced = input_at(inputs, input, path);
    if (replaced != NULL && compare_files(replaced, input) != 0)
        return problem_set(problem, "would replace %s, which is another input", replaced->name);
    free(input->output);
    input->output = strdup(path);
    return input->output != NULL || problem_set(problem, "out of memory");
}
