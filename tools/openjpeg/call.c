/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads command lines of OpenJPEG's programs according to a table, and makes command lines of Kostka's verbs. */
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/json.h"
#include "system/folder.h"

static bool complain_of_memory(struct opj_call *call)
{
    complain(NULL, "out of memory");
    call->failed = true;
    return false;
}

bool opj_add(struct opj_call *call, const char *format, ...)
{
    va_list arguments;
    char *word = NULL;
    char **grown = realloc(call->words, ((size_t)call->count + 2) * sizeof *grown);

    if (grown == NULL)
        return complain_of_memory(call);
    call->words = grown;
    va_start(arguments, format);
    int length = vasprintf(&word, format, arguments);
    va_end(arguments);
    if (length < 0)
        return complain_of_memory(call);
    call->words[call->count++] = word;
    call->words[call->count] = NULL;
    return true;
}

bool opj_refuse_value(const struct opj_call *call, const char *option, const char *value, const char *expected)
{
    complain_usage(call->program->name, "-%s takes %s, not '%s'", option, expected, value);
    return false;
}

const char *opj_number(const char *text, unsigned *number)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 9)
        return NULL;
    *number = (unsigned)strtoul(text, NULL, 10);
    return text + digits;
}

unsigned opj_numbers(const char *text, unsigned *number, unsigned most)
{
    unsigned count = 0;

    while (count < most) {
        text = opj_number(text, &number[count++]);
        if (text == NULL || (*text != ',' && *text != '\0'))
            return 0;
        if (*text++ == '\0')
            return count;
    }
    return 0;
}

bool opj_take_input(struct opj_call *call, const char *value)
{
    call->input = value;
    return true;
}

bool opj_take_output(struct opj_call *call, const char *value)
{
    call->output = value;
    return true;
}

bool opj_take_folder(struct opj_call *call, const char *value)
{
    call->folder = value;
    return true;
}

bool opj_take_format(struct opj_call *call, const char *value)
{
    call->format = value;
    return true;
}

bool opj_take_threads(struct opj_call *call, const char *value)
{
    const char *threads = strcmp(value, "0") == 0 ? "1" : value; /* no threads in addition to the main one */

    return strcmp(value, "ALL_CPUS") == 0 || (opj_add(call, "--threads") && opj_add(call, "%s", threads));
}

bool opj_print_help(struct opj_call *call, const char *value)
{
    (void)value;
    fputs(call->program->help, stdout);
    exit(finish_output(EXIT_FINE));
}

/* Find an option by its name, or by an unambiguous beginning of the name; null if there is none. */
static const struct opj_option *find_option(const struct opj_option *options, const char *name)
{
    const struct opj_option *found = NULL;
    size_t length = strlen(name);

    for (const struct opj_option *option = options; option->name != NULL; option++) {
        if (strcmp(option->name, name) == 0)
            return option;
        if (length > 0 && strncmp(option->name, name, length) == 0 && found != NULL)
            return NULL;
        if (length > 0 && strncmp(option->name, name, length) == 0)
            found = option;
    }
    return found;
}

static bool take(struct opj_call *call, const struct opj_option *option, const char *value)
{
    if (option->refusal != NULL) {
        complain_usage(call->program->name, "-%s: %s", option->name, option->refusal);
        return false;
    }
    if (option->take != NULL)
        return option->take(call, value);
    return option->same == NULL ||
           (opj_add(call, "%s", option->same) && (!option->value || opj_add(call, "%s", value)));
}

bool opj_read(struct opj_call *call, const struct opj_option *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const struct opj_option *option = word[0] == '-' ? find_option(options, word + (word[1] == '-' ? 2 : 1)) : NULL;
        if (option == NULL) {
            complain_usage(call->program->name, "unknown option '%s'", word);
            return false;
        }
        if (option->value && i + 1 == argc) {
            complain_usage(call->program->name, "-%s has no value", option->name);
            return false;
        }
        if (!take(call, option, option->value ? argv[++i] : NULL))
            return false;
    }
    return true;
}

/* Holds the state of adding the files of a folder. */
struct folder_inputs {
    struct opj_call *call;
    opj_is_input *is_input;
    unsigned count;
};

static bool add_input(void *user, char *name, size_t tree, const struct stat *state)
{
    struct folder_inputs *inputs = user;
    const struct file_format *format = file_format_by_path(name);
    bool taken = state != NULL && format != NULL && inputs->is_input(format);
    bool good = !taken || opj_add(inputs->call, "%s", name);

    (void)tree;
    inputs->count += taken;
    free(name);
    return good;
}

static bool fail_folder(void *user, char *name, size_t tree, const char *why)
{
    struct folder_inputs *inputs = user;

    (void)tree;
    complain(name, "%s", why);
    free(name);
    inputs->call->failed = true;
    return false;
}

/*
 * Add the files of a folder whose names are those of inputs, as OpenJPEG's programs choose them: results that lie in
 * the same folder are not inputs of the next call.
 */
static bool add_folder(struct opj_call *call, opj_is_input *is_input)
{
    struct folder_inputs inputs = {call, is_input, 0};
    const struct walk walk = {false, NULL, add_input, fail_folder, &inputs};

    if (!walk_folder(&walk, call->folder))
        return false;
    if (inputs.count > 0)
        return true;
    complain(call->folder, "no file in this folder has the name of an input");
    call->failed = true;
    return false;
}

bool opj_add_files(struct opj_call *call, const char *format, opj_is_input *is_input)
{
    bool folder = call->folder != NULL;

    if (folder ? call->input != NULL || call->output != NULL || call->format == NULL
               : call->input == NULL || call->output == NULL) {
        complain_usage(call->program->name, "name -i and -o, or -ImgDir and -OutFor");
        return false;
    }
    if (folder)
        return opj_add(call, "--out-format") && opj_add(call, "%s", format) && opj_add(call, "--out-dir") &&
               opj_add(call, "%s", call->folder) && opj_add(call, "--") && add_folder(call, is_input);
    return opj_add(call, "--") && opj_add(call, "%s", call->input) && opj_add(call, "%s", call->output);
}

int opj_run(struct opj_call *call, const struct verb *verb, bool fine)
{
    int code = fine ? verb->run(call->count, call->words) : call->failed ? EXIT_FAILED : EXIT_USAGE;

    for (int i = 0; i < call->count; i++)
        free(call->words[i]);
    free(call->words);
    return code;
}
