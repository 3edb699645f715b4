/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the inputs of a batch from files and folders, by name or by signature. */
#include "batch/inputs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/folder.h"
#include "tar/read.h"
#include "tar/write.h"

enum { SIGNATURE = 4096 /* bytes by which a format is recognised */ };

const char *input_stem(const struct input *input, size_t *length)
{
    bool standard = strcmp(input->name, "-") == 0;
    const char *name = standard ? "stdin" : input->name + input->tree, *slash = strrchr(name, '/');
    const char *last = slash == NULL ? name : slash + 1;
    const char *dot = strrchr(last, '.');

    *length = dot == NULL || dot == last ? strlen(name) : (size_t)(dot - name);
    return name;
}

/* Return the offset of the last component of a path. */
static size_t last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash == NULL ? 0 : (size_t)(slash - name) + 1;
}

/* Holds the state of collecting inputs. */
struct filling {
    struct inputs *inputs;
    const struct input_choice *choice;
    size_t left; /* files of the current folder that belong to other shards */
};

/*
 * Return whether an input belongs to this shard. All inputs that could become the same file belong to the same shard.
 */
static bool is_own(const struct input *input, const struct input_choice *choice)
{
    size_t length;
    const char *stem = input_stem(input, &length);

    return shard_has(&choice->output->many.shard, stem, length);
}

/*
 * Add an input, and take ownership of its name. A null name means that memory ran out; a null state, that the input is
 * not a file.
 */
static bool add(const struct filling *filling, char *name, size_t tree, const struct stat *state)
{
    struct inputs *inputs = filling->inputs;

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
    struct input *input = &inputs->input[inputs->count++];
    *input = (struct input){.name = name, .tree = tree};
    if (state != NULL) {
        input->device = state->st_dev;
        input->inode = state->st_ino;
        input->size = (uint64_t)state->st_size;
    }
    input->elsewhere = !is_own(input, filling->choice);
    inputs->own += !input->elsewhere;
    return true;
}

/* Add an input that fails for the stated reason. */
static bool add_failure(void *user, char *name, size_t tree, const char *why)
{
    const struct filling *filling = user;
    size_t length = name == NULL ? 0 : strlen(name);

    if (!add(filling, name, name != NULL && tree > length ? last_part(name) : tree, NULL))
        return false;
    struct input *input = &filling->inputs->input[filling->inputs->count - 1];
    input->failure = strdup(why);
    return input->failure != NULL;
}

static bool is_named_raw(const char *name, const struct input_choice *choice)
{
    const struct file_format *named = file_format_by_path(name);
    return choice->raw && named != NULL && file_kind(named) == KIND_RAW;
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
    bool is_coded = format != NULL && (file_kind(format) & KIND_CODED) != 0;

    if (format == NULL || choice->coded || is_coded)
        return is_coded;
    /* The entries of the Netpbm formats share one reader, so an entry without a reader counts, too. */
    return file_kind(format) == KIND_RAW ? choice->raw : format->read != NULL || file_kind(format) == KIND_PNM;
}

/*
 * Return whether a file is a picture. A file with a picture's extension is taken even if it does not begin like one: it
 * is damaged, and the user should learn that.
 */
static bool is_picture(const char *name, const struct input_choice *choice)
{
    const struct file_format *named = file_format_by_path(name);
    const struct file_format *found = is_named_raw(name, choice) ? named : format_by_signature(name);
    return is_taken(found != NULL ? found : named, choice);
}

bool input_is_picture(const char *name, const uint8_t *data, size_t length, const struct input_choice *choice)
{
    const struct source source = {
        .data = (uint8_t *)(uintptr_t)data, .length = length < SIGNATURE ? length : SIGNATURE};
    const struct file_format *named = file_format_by_path(name);
    const struct file_format *found = is_named_raw(name, choice) ? named : file_format_of(&source);
    return is_taken(found != NULL ? found : named, choice);
}

/* Note that the last input is an archive. No shard owns a whole archive; each works on its share of the members. */
static void note_archive(struct inputs *inputs, bool inner)
{
    struct input *input = &inputs->input[inputs->count - 1];

    input->archive = true;
    input->inner = inner;
    inputs->archives++;
    inputs->own += input->elsewhere;
    input->elsewhere = false;
}

/* Add an archive that was found in a folder, unless it is one that this call makes. */
static bool add_inner_archive(const struct filling *filling, char *name, size_t tree, const struct stat *state)
{
    const char *made = filling->choice->output->archives;

    if (made != NULL && tar_is_named(made, name)) {
        free(name);
        return true;
    }
    if (!add(filling, name, tree, state))
        return false;
    note_archive(filling->inputs, true);
    return true;
}

static bool add_file(void *user, char *name, size_t tree, const struct stat *state)
{
    struct filling *filling = user;

    if (filling->choice->output->many.recursive && tar_is(name))
        return add_inner_archive(filling, name, tree, state);
    bool own = is_own(&(struct input){.name = name, .tree = tree}, filling->choice);

    filling->left += !own;
    if (own ? is_picture(name, filling->choice) : is_taken(file_format_by_path(name), filling->choice))
        return add(filling, name, tree, state);
    free(name);
    return true;
}

static bool add_folder(struct filling *filling, const char *folder)
{
    const struct output_options *output = filling->choice->output;
    const struct walk walk = {output->many.recursive, output->directory, add_file, add_failure, filling};
    size_t before = filling->inputs->count;
    char why[128];

    filling->left = 0;
    if (!walk_folder(&walk, folder))
        return false;
    if (filling->inputs->count > before || filling->left > 0)
        return true;
    snprintf(why, sizeof why, "no %s in this folder%s", filling->choice->coded ? "JPEG or JPEG 2000 file" : "picture",
        output->many.recursive ? ", nor in those in it" : "; add --recursive to take those of the folders in it");
    return add_failure(filling, strdup(folder), SIZE_MAX, why);
}

static bool add_operand(struct filling *filling, const char *operand)
{
    struct stat state;

    if (filling->choice->output->directory != NULL && is_folder(operand))
        return add_folder(filling, operand);
    bool file = strcmp(operand, "-") != 0 && stat(operand, &state) == 0 && S_ISREG(state.st_mode);
    bool archive = filling->choice->output->directory != NULL && tar_is(operand);
    if (!add(filling, strdup(operand), last_part(operand), file ? &state : NULL))
        return false;
    if (archive)
        note_archive(filling->inputs, false);
    return true;
}

/* Add an input that a list names. There "-" is the name of a file like any other. */
static bool add_listed(void *user, const char *name, struct problem *problem)
{
    return add_operand(user, strcmp(name, "-") == 0 ? "./-" : name) || problem_set(problem, "out of memory");
}

/* Check a call that has a list of inputs. */
static int check_list(const char *verb, const struct output_options *output, char **operands, size_t count)
{
    if (output->directory == NULL)
        return complain_usage(verb, "--files-from names many inputs: add --out-dir DIR");
    for (size_t i = 0; i < count && strcmp(output->many.list.path, "-") == 0; i++)
        if (strcmp(operands[i], "-") == 0)
            return complain_usage(verb, "standard input is the list of --files-from, and cannot be an input as well");
    return EXIT_FINE;
}

int operands_check(const char *verb, const struct output_options *output, char **operands, size_t count)
{
    const char *last = count > 0 ? operands[count - 1] : "";

    if (output->many.list.path != NULL)
        return check_list(verb, output, operands, count);
    if (count == 0)
        return complain_usage(verb, "no input named");
    if (output->directory != NULL)
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
    const char *a = input_stem(left, &length_a);
    const char *b = input_stem(right, &length_b);
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

static int compare_by_rank(const void *left, const void *right, void *list)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const struct input *input = list;

    if (input[a].rank != input[b].rank)
        return input[a].rank < input[b].rank ? -1 : 1;
    return (a > b) - (a < b);
}

/* Return the indices of all inputs, sorted by a comparison; null if out of memory. */
static size_t *sort(const struct inputs *inputs, int (*compare)(const void *left, const void *right, void *list))
{
    size_t *order = calloc(inputs->count + 1, sizeof *order);

    for (size_t i = 0; order != NULL && i < inputs->count; i++)
        order[i] = i;
    if (order != NULL)
        qsort_r(order, inputs->count, sizeof *order, compare, inputs->input);
    return order;
}

/* Link inputs that have the same stem, and set their ranks. */
static bool chain(const struct inputs *inputs)
{
    size_t *order = sort(inputs, compare_by_stem);
    struct input *input = inputs->input;

    if (order == NULL)
        return false;
    for (size_t i = 1; i < inputs->count; i++) {
        if (compare_stems(&input[order[i - 1]], &input[order[i]]) != 0)
            continue;
        input[order[i]].same_stem = &input[order[i - 1]];
        input[order[i - 1]].later = &input[order[i]];
        input[order[i]].rank = input[order[i - 1]].rank + 1;
    }
    free(order);
    return true;
}

/* Find out which inputs may have the same output, and make lists of all inputs sorted by rank and by file. */
static bool relate(struct inputs *inputs)
{
    if (!chain(inputs))
        return false;
    inputs->by_rank = sort(inputs, compare_by_rank);
    inputs->by_file = sort(inputs, compare_by_file);
    return inputs->by_rank != NULL && inputs->by_file != NULL;
}

bool inputs_collect(
    struct inputs *inputs, char **operands, size_t count, const struct input_choice *choice, struct problem *problem)
{
    const struct list *list = &choice->output->many.list;
    struct filling filling = {.inputs = inputs, .choice = choice};
    bool good = true;

    *inputs = (struct inputs){.count = 0};
    for (size_t i = 0; i < count && good; i++)
        good = add_operand(&filling, operands[i]);
    good = good || problem_set(problem, "out of memory");
    good = good && (list->path == NULL || list_read(list, add_listed, &filling, problem));
    good = good && (relate(inputs) || problem_set(problem, "out of memory"));
    if (!good)
        inputs_release(inputs);
    return good;
}

void inputs_release(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->input[i].name);
        free(inputs->input[i].failure);
        free(inputs->input[i].output);
    }
    free(inputs->input);
    free(inputs->by_rank);
    free(inputs->by_file);
    *inputs = (struct inputs){.count = 0};
}

/* Return an input other than `input`, which may be null, that is the file at `path`; null if there is none. */
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

const struct input *input_of_file(const struct inputs *inputs, const char *path)
{
    return input_at(inputs, NULL, path);
}

/* Return whether the path names the input's own file. */
static bool is_input(const struct input *input, const char *path)
{
    struct stat state;

    return input->inode != 0 && stat(path, &state) == 0 && state.st_dev == input->device &&
           state.st_ino == input->inode;
}

/*
 * Return the input whose output is the file at `path`: an earlier input of the same stem, or a later one that an
 * earlier call has done. Returns null if there is none.
 */
static const struct input *find_claim(const struct input *input, const char *path)
{
    for (const struct input *other = input->same_stem; other != NULL; other = other->same_stem)
        if (other->output != NULL && strcmp(other->output, path) == 0)
            return other;
    for (const struct input *other = input->later; other != NULL; other = other->later)
        if (other->done && strcmp(other->output, path) == 0)
            return other;
    return NULL;
}

bool input_claim(const struct inputs *inputs, struct input *input, const char *path, struct problem *problem)
{
    const struct input *claimed = find_claim(input, path);
    if (claimed != NULL)
        return problem_set_kind(problem, PROBLEM_NAME, "would become %s, which %s has become", path, claimed->name);
    if (inputs->apart && is_input(input, path))
        return problem_set_kind(
            problem, PROBLEM_NAME, "would replace itself, which --resume could do twice: leave --manifest out");
    if (inputs->lasting && is_input(input, path))
        return problem_set_kind(
            problem, PROBLEM_NAME, "%s would replace its own input: choose another folder, or add --in-place", path);
    const struct input *replaced = input_at(inputs, input, path);
    if (replaced != NULL && compare_files(replaced, input) != 0)
        return problem_set_kind(problem, PROBLEM_NAME, "would replace %s, which is another input", replaced->name);
    free(input->output);
    input->output = strdup(path);
    return input->output != NULL || problem_set(problem, "out of memory");
}
