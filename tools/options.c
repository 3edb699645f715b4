/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 96 };

/* One table and one string of letters for getopt_long, made of the groups'. */
struct merged {
    struct option table[TABLE_MAX];
    char letters[TABLE_MAX];
};

static void merge(const struct option_group *groups, size_t count, struct merged *merged)
{
    size_t options = 0, letters = 0;

    memset(merged, 0, sizeof *merged);
    merged->letters[letters++] = ':';
    for (size_t i = 0; i < count; i++) {
        for (const struct option *option = groups[i].table; option->name != NULL; option++) {
            if (options + 1 >= TABLE_MAX || letters + 3 >= TABLE_MAX)
                return;
            merged->table[options++] = *option;
            if (option->val < OPTION_FIRST && strchr(merged->letters + 1, option->val) == NULL) {
                merged->letters[letters++] = (char)option->val;
                if (option->has_arg == required_argument)
                    merged->letters[letters++] = ':';
            }
        }
    }
}

static const struct option_group *group_of(const struct option_group *groups, size_t count, int code)
{
    for (size_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].table; option->name != NULL; option++)
            if (option->val == code)
                return &groups[i];
    return NULL;
}

static int complain_option(const struct verb *verb, int code, char **argv)
{
    const char *given = argv[optind - 1];

    if (code == ':')
        return complain_usage(verb->name, "%s needs a value", given);
    if (optopt > 0 && optopt < OPTION_FIRST)
        return complain_usage(verb->name, "unknown option -%c", optopt);
    if (optopt != 0)
        return complain_usage(verb->name, "%s takes no value", given);
    return complain_usage(verb->name, "unknown, or not unambiguous, option %s", given);
}

bool options_read(
    const struct verb *verb, int argc, char **argv, const struct option_group *groups, size_t count, int *exit_code)
{
    struct merged merged;
    int code;

    merge(groups, count, &merged);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, merged.letters, merged.table, NULL)) != -1) {
        const struct option_group *group = group_of(groups, count, code);
        if (code == OPTION_HELP) {
            fputs(verb->help, stdout);
            *exit_code = EXIT_FINE;
            return false;
        }
        if (group == NULL)
            *exit_code = complain_option(verb, code, argv);
        else if (group->handle(verb->name, group->settings, code, optarg))
            continue;
        else
            *exit_code = EXIT_USAGE;
        return false;
    }
    return true;
}

static bool handle_common(const char *verb, void *settings, int code, const char *value)
{
    struct common_options *options = settings;
    uint64_t number;

    switch (code) {
    case OPTION_THREADS:
        if (!value_number(verb, "--threads", value, 1, 1024, &number))
            return false;
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
    static const struct option table[] = {{"help", no_argument, NULL, OPTION_HELP},
        {"verbose", no_argument, NULL, OPTION_VERBOSE}, {"threads", required_argument, NULL, OPTION_THREADS},
        {"device", required_argument, NULL, OPTION_DEVICE}, {"max-pixels", required_argument, NULL, OPTION_MAX_PIXELS},
        {"max-memory", required_argument, NULL, OPTION_MAX_MEMORY},
        {"max-work", required_argument, NULL, OPTION_MAX_WORK}, {NULL, 0, NULL, 0}};
    return (struct option_group){table, handle_common, options};
}

int common_context(const struct common_options *options, uint32_t threads, kst_context **context)
{
    kst_context_options made;

    kst_context_options_init(&made);
    made.device = options->device;
    made.threads = threads;
    made.limits.pixels = options->max_pixels;
    made.limits.memory = options->max_memory;
    made.limits.work = (uint32_t)options->max_work;
    kst_status status = kst_context_create(&made, context);
    switch (status) {
    case KST_OK:
        return EXIT_FINE;
    case KST_ERROR_DEVICE_MISSING:
    case KST_ERROR_DEVICE_FAILED:
        complain(options->device, "%s; 'kostka devices' lists those that there are", kst_status_text(status));
        return EXIT_DEVICE;
    case KST_ERROR_DEVICE_NAME:
        complain(options->device, "%s", kst_status_text(status));
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
            complain_usage(verb, "--out-format '%s' is not one of jpeg, png, tiff, pnm, pgm, ppm, pam, raw", value);
        return options->format != NULL;
    default:
        if (!value_number(verb, "--compression", value, 0, 9, &number))
            return false;
        options->compression = (int)number;
        return true;
    }
}

struct option_group output_group(struct output_options *options)
{
    static const struct option table[] = {{"out-dir", required_argument, NULL, OPTION_OUT_DIR},
        {"out-format", required_argument, NULL, OPTION_OUT_FORMAT},
        {"compression", required_argument, NULL, OPTION_COMPRESSION}, {NULL, 0, NULL, 0}};
    return (struct option_group){table, handle_output, options};
}

static bool handle_json(const char *verb, void *settings, int code, const char *value)
{
    (void)verb;
    (void)code;
    (void)value;
    *(bool *)settings = true;
    return true;
}

struct option_group json_group(bool *json)
{
    static const struct option table[] = {{"json", no_argument, NULL, OPTION_JSON}, {NULL, 0, NULL, 0}};
    return (struct option_group){table, handle_json, json};
}
