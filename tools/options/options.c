/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges the options of a verb's groups, reads the command line by them, and has the groups that most verbs share. */
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/spellings.h"
#include "print/json_library.h"

/* Holds the table and the string of letters for getopt_long, merged from those of the groups. */
struct merged {
    struct option table[OPTIONS_MAX];
    const struct option_entry *entry[OPTIONS_MAX];
    char letters[OPTIONS_MAX];
};

static int argument_of(const struct option_entry *entry)
{
    if (entry->value == NULL)
        return no_argument;
    return entry->value[0] == '[' ? optional_argument : required_argument;
}

static void merge(const struct option_group *groups, size_t count, struct merged *merged)
{
    size_t options = 0, letters = 0;

    memset(merged, 0, sizeof *merged);
    merged->letters[letters++] = ':';
    for (size_t i = 0; i < count; i++) {
        for (const struct option_entry *entry = groups[i].table; entry->name != NULL; entry++) {
            if (options + 1 >= OPTIONS_MAX || letters + 3 >= OPTIONS_MAX)
                return;
            merged->entry[options] = entry;
            merged->table[options++] = (struct option){entry->name, argument_of(entry), NULL, entry->code};
            if (entry->code < OPTION_FIRST && strchr(merged->letters + 1, entry->code) == NULL) {
                merged->letters[letters++] = (char)entry->code;
                if (entry->value != NULL)
                    merged->letters[letters++] = ':';
            }
        }
    }
}

/* Return the first entry of an option, and its group. */
static const struct option_entry *entry_of(
    const struct option_group *groups, size_t count, int code, const struct option_group **group)
{
    for (size_t i = 0; i < count; i++)
        for (const struct option_entry *entry = groups[i].table; entry->name != NULL; entry++)
            if (entry->code == code) {
                *group = &groups[i];
                return entry;
            }
    return NULL;
}

static void note(struct options_given *given, const struct option_entry *entry)
{
    if (!options_have(given, entry->code) && given->count < OPTIONS_MAX)
        given->entry[given->count++] = entry;
}

static int complain_option(const struct verb *verb, int code, bool known, char **argv)
{
    const char *given = argv[optind - 1];

    if (code == ':')
        return complain_usage(verb->name, "%s needs a value", given);
    /* For a known letter the error is a value: its long name was written with one, which it does not take. */
    if (optopt != 0 && (known || optopt >= OPTION_FIRST))
        return complain_usage(verb->name, "%s takes no value", given);
    if (optopt > 0)
        return complain_usage(verb->name, "unknown option -%c", optopt);
    return complain_usage(verb->name, "unknown, or not unambiguous, option %s", given);
}

/* The function that options_read() calls for each option instead of reading options; null: none. */
static struct {
    void (*listener)(void *user, const struct option_entry *entry);
    void *user;
} asking;

void options_listen(void (*listener)(void *user, const struct option_entry *entry), void *user)
{
    asking.listener = listener;
    asking.user = user;
}

static bool list_options(const struct option_group *groups, size_t count, int *exit_code)
{
    for (size_t i = 0; i < count; i++)
        for (const struct option_entry *entry = groups[i].table; entry->name != NULL; entry++)
            asking.listener(asking.user, entry);
    *exit_code = EXIT_FINE;
    return false;
}

/* Holds operands that options name: inputs come before the other operands, and the output after them. */
struct named {
    char **input; /* room for as many as there are arguments */
    size_t count;
    char *output; /* null: none */
};

/*
 * Move all operands to the end of argv. There is room, because each operand that an option names took at least one
 * argument, which has been read.
 */
static bool place_operands(
    const char *verb, const struct named *named, const struct options_given *given, int used, int argc, char **argv)
{
    size_t operands = (size_t)(used - optind), total = named->count + operands + (named->output != NULL);

    if (named->output != NULL && options_have(given, OPTION_OUT_DIR)) {
        complain_usage(verb, "--output names one file, and --out-dir a folder for many: write one of them");
        return false;
    }
    char **to = argv + (size_t)argc - total;
    memmove(to + named->count, argv + optind, operands * sizeof *to);
    memcpy(to, named->input, named->count * sizeof *to);
    if (named->output != NULL)
        to[total - 1] = named->output;
    optind = argc - (int)total;
    return true;
}

/* Take the value of an option that names an operand. Returns false if the option does not. */
static bool take_operand(struct named *named, int code, char *value)
{
    if (code == OPTION_INPUT)
        named->input[named->count++] = value;
    else if (code == OPTION_OUTPUT)
        named->output = value;
    return code == OPTION_INPUT || code == OPTION_OUTPUT;
}

/* Holds the state of reading the options of a call. */
struct call {
    const struct option_group *groups;
    size_t count;
    const struct merged *merged;
    struct options_given *given;
    struct named *named;
};

static bool read_all(const struct verb *verb, int argc, char **argv, const struct call *call, int *exit_code)
{
    const struct option_group *group = NULL;
    int code;

    opterr = 0;
    optind = 1;
    for (int at = -1; (code = getopt_long(argc, argv, call->merged->letters, call->merged->table, &at)) != -1;
         at = -1) {
        const struct option_entry *entry = entry_of(call->groups, call->count, code, &group);
        if (entry != NULL && at >= 0)
            entry = call->merged->entry[at]; /* the entry of the spelling that was used */
        if (code == OPTION_HELP) {
            fputs(verb->help, stdout);
            *exit_code = EXIT_FINE;
            return false;
        }
        if (entry == NULL) {
            const bool known = entry_of(call->groups, call->count, optopt, &group) != NULL;
            *exit_code = complain_option(verb, code, known, argv);
            return false;
        }
        note(call->given, entry);
        if (take_operand(call->named, code, optarg) || group->handle(verb->name, group->settings, code, optarg))
            continue;
        *exit_code = EXIT_USAGE;
        return false;
    }
    return true;
}

bool options_read(const struct verb *verb, int argc, char **argv, const struct option_group *groups, size_t count,
    struct options_given *given, int *exit_code)
{
    struct named named = {.input = calloc((size_t)argc, sizeof *named.input)};
    struct merged merged;
    int used = argc;

    if (asking.listener != NULL) {
        free(named.input);
        return list_options(groups, count, exit_code);
    }
    merge(groups, count, &merged);
    given->count = 0;
    *exit_code = EXIT_USAGE;
    bool good = named.input != NULL && spellings_rewrite(verb->name, &used, argv, merged.table, merged.letters) &&
                read_all(verb, used, argv, &(struct call){groups, count, &merged, given, &named}, exit_code) &&
                place_operands(verb->name, &named, given, used, argc, argv);
    free(named.input);
    return good;
}

static bool handle_common(const char *verb, void *settings, int code, const char *value)
{
    struct common_options *options = settings;
    uint64_t number;

    switch (code) {
    case OPTION_THREADS:
        if (!value_number(verb, "--threads", value, 1, 1024, &number)) {
            if (strcmp(verb, "decode") == 0 && strcmp(value, "0") == 0)
                complain(NULL, "opj_decompress's -t, a tile, is --tile here");
            return false;
        }
        options->threads = (uint32_t)number;
        return true;
    case OPTION_DEVICE:
        options->device = value;
        return true;
    case OPTION_MAX_PIXELS:
        return value_bytes(verb, "--max-pixels", value, &options->max_pixels);
    case OPTION_MAX_MEMORY:
        return value_bytes(verb, "--max-memory", value, &options->max_memory);
    case OPTION_MAX_WORK:
        return value_number(verb, "--max-work", value, 1, UINT32_MAX, &options->max_work);
    default:
        options->verbose = true;
        return true;
    }
}

struct option_group common_group(struct common_options *options)
{
    static const struct option_entry table[] = {{"help", NULL, OPTION_HELP, 0, 0},
        {"verbose", NULL, OPTION_VERBOSE, 0, 0}, {"threads", "N", OPTION_THREADS, 0, 0},
        {"device", "DEVICE", OPTION_DEVICE, 0, 0}, {"max-pixels", "N", OPTION_MAX_PIXELS, 0, 0},
        {"max-memory", "BYTES", OPTION_MAX_MEMORY, 0, 0}, {"max-work", "N", OPTION_MAX_WORK, 0, 0},
        {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle_common, options};
}

/* Return whether the name stands for several devices. */
static bool is_list(const char *name)
{
    return name != NULL && (strchr(name, ',') != NULL || strcmp(name, "all") == 0);
}

bool common_names_many(const struct common_options *options)
{
    return is_list(options->device != NULL ? options->device : getenv("KOSTKA_DEVICE"));
}

int common_context(const struct common_options *options, uint32_t threads, kst_context **context)
{
    kst_context_options made;

    if (common_names_many(options)) {
        complain(options->device != NULL ? options->device : "KOSTKA_DEVICE",
            "several devices work on many inputs only: name one, or add --out-dir");
        return EXIT_USAGE;
    }
    kst_context_options_init(&made);
    made.device = options->device;
    made.threads = threads;
    made.limits.pixels = options->max_pixels;
    made.limits.memory = options->max_memory;
    made.limits.work = (uint32_t)options->max_work;
    made.searched.searched = source_searched;
    kst_status status = kst_context_create(&made, context);
    return status ? common_complain(options, status) : EXIT_FINE;
}

int common_complain(const struct common_options *options, kst_status status)
{
    char device[128] = "KOSTKA_DEVICE";

    if (options->device != NULL)
        snprintf(device, sizeof device, "--device %s", options->device);
    switch (status) {
    case KST_ERROR_DEVICE_MISSING:
    case KST_ERROR_DEVICE_FAILED:
        complain(device, "%s; 'kostka devices' lists those that there are", kst_status_text(status));
        return EXIT_DEVICE;
    case KST_ERROR_DEVICE_NAME:
        complain(device, "%s", kst_status_text(status));
        return EXIT_USAGE;
    case KST_ERROR_CPU_TIER:
        complain("KOSTKA_CPU", "%s", kst_status_text(status));
        return EXIT_DEVICE;
    case KST_ERROR_OPTIONS:
        complain("KOSTKA_THREADS", "must be a number of threads, 1 to 1024");
        return EXIT_USAGE;
    default:
        complain(NULL, "%s", kst_status_text(status));
        return EXIT_FAILED;
    }
}

uint64_t common_max_pixels(const struct common_options *options)
{
    return options->max_pixels != 0 ? options->max_pixels : UINT64_C(1) << 29;
}

uint64_t common_max_memory(const struct common_options *options)
{
    return options->max_memory != 0 ? options->max_memory : UINT64_C(1) << 32;
}

bool common_on_cpu(const struct common_options *options)
{
    const char *device = options->device != NULL ? options->device : getenv("KOSTKA_DEVICE");
    return device != NULL && strcmp(device, "cpu") == 0;
}

static bool handle_output(const char *verb, void *settings, int code, const char *value)
{
    struct output_options *options = settings;
    uint64_t number;

    switch (code) {
    case OPTION_OUT_DIR:
        options->directory = value;
        return true;
    case OPTION_OUT_FORMAT:
        options->format = file_format_by_name(value);
        if (options->format == NULL)
            complain_usage(verb,
                "--out-format '%s' is not one of jpeg, jp2, j2k, png, tiff, bmp, pnm, pgm, ppm, pam, pgx, raw, yuv",
                value);
        return options->format != NULL;
    case OPTION_MAX_COUNT:
        return value_number(verb, "--max-count", value, 1, UINT32_MAX, &options->most_groups);
    case OPTION_MAX_SIZE:
        return value_bytes(verb, "--max-size", value, &options->most_bytes);
    case OPTION_IN_PLACE:
        options->in_place = true;
        return true;
    default:
        if (!value_number(verb, "--compression", value, 0, 9, &number))
            return false;
        options->compression = (int)number;
        return true;
    }
}

struct option_group output_group(struct output_options *options)
{
    static const struct option_entry table[] = {{"out-dir", "DIR", OPTION_OUT_DIR, 0, 0},
        {"out-format", "jpeg|jp2|j2k|png|tiff|bmp|pnm|pgm|ppm|pam|pgx|raw|yuv", OPTION_OUT_FORMAT, 0, 0},
        {"input", "FILE", OPTION_INPUT, 0, 0}, {"output", "FILE", OPTION_OUTPUT, 0, 0},
        {"in-place", NULL, OPTION_IN_PLACE, 0, 0}, {"max-count", "N", OPTION_MAX_COUNT, 0, 0},
        {"max-size", "BYTES", OPTION_MAX_SIZE, 0, 0},
        {"compression", "0-9", OPTION_COMPRESSION, KIND_PNG | KIND_TIFF, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle_output, options};
}

static bool handle_json(const char *verb, void *settings, int code, const char *value)
{
    struct problem problem = {.text = ""};

    (void)code;
    (void)value;
    *(bool *)settings = json_library_load(&problem);
    if (!*(bool *)settings)
        complain(verb, "--json: %s", problem.text);
    return *(bool *)settings;
}

struct option_group json_group(bool *json)
{
    static const struct option_entry table[] = {{"json", NULL, OPTION_JSON, 0, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle_json, json};
}
