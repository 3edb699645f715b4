/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options for outputs that are archives. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "tar/write.h"

/* The default limits of archives with numbers, the same as those of WebDataset's writer. */
enum { GROUPS_MAX = 100000 };
static const uint64_t bytes_max = 3000000000;

/* Set the folder that the pattern names. */
static bool set_folder(const char *verb, struct output_options *output)
{
    static char folder[PATH_MAX];
    const char *slash = strrchr(output->archives, '/');
    size_t length = slash == NULL ? 0 : slash == output->archives ? 1 : (size_t)(slash - output->archives);

    if (length >= sizeof folder || memchr(output->archives, '%', length) != NULL) {
        complain_usage(
            verb, "%s: the number belongs into the name of the archive, not into that of its folder", output->archives);
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : output->archives);
    output->directory = folder;
    return true;
}

/* Set the limits, which apply only if the pattern has a number. */
static bool set_limits(const char *verb, struct output_options *output, bool numbered)
{
    bool limited = output->most_groups > 0 || output->most_bytes > 0;

    if (limited && !numbered) {
        complain_usage(verb, "%s: --max-count and --max-size make several archives: write a name such as out-%%06d.tar",
            output->archives);
        return false;
    }
    if (output->many.shard.count > 1 && !numbered) {
        complain_usage(
            verb, "%s: each shard makes archives of its own: write a name such as out-%%06d.tar", output->archives);
        return false;
    }
    if (numbered && output->most_groups == 0)
        output->most_groups = GROUPS_MAX;
    if (numbered && output->most_bytes == 0)
        output->most_bytes = bytes_max;
    return true;
}

static bool refuse_limits(const char *verb, const struct options_given *given)
{
    static const char why[] = "it is for archives: name the output out-%06d.tar";

    return options_refuse(verb, given, OPTION_MAX_COUNT, why) && options_refuse(verb, given, OPTION_MAX_SIZE, why);
}

bool output_take_archives(
    const char *verb, struct output_options *output, struct options_given *given, int *argc, char **argv)
{
    static const struct option_entry folder = {"output", "FILE", OPTION_OUT_DIR, 0, 0};
    int operands = *argc - optind, least = output->many.list.path != NULL ? 1 : 2;
    bool numbered;

    if (output->directory != NULL || operands < least || !file_has_extension(argv[*argc - 1], "tar"))
        return refuse_limits(verb, given);
    output->archives = argv[*argc - 1];
    if (!tar_pattern(output->archives, &numbered)) {
        complain_usage(
            verb, "'%s': names of archives have one number, such as %%06d; %%%% is a percent sign", output->archives);
        return false;
    }
    if (given->count < OPTIONS_MAX)
        given->entry[given->count++] = &folder;
    --*argc;
    return set_folder(verb, output) && set_limits(verb, output, numbered);
}
