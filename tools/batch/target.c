/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the output's format from the options and from file names. */
#include "batch/target.h"

#include <string.h>
#include <strings.h>

#include "batch/inputs.h"

/* Extensions of formats that are related to one that can be written. */
static const struct {
    const char *extension, *instead;
} relatives[] = {
    {"jpx", "JPX (T.801) is read as far as it is JP2, and not written; a name ending in .jp2 or .j2k makes JPEG 2000"},
    {"jpf", "JPX (T.801) is read as far as it is JP2, and not written; a name ending in .jp2 or .j2k makes JPEG 2000"},
    {"mj2", "Motion JPEG 2000 (T.802) is not written; a name ending in .jp2 makes one picture"},
};

static int complain_name(const char *verb, const char *path, const char *names)
{
    const char *extension = file_path_extension(path);

    for (size_t i = 0; extension != NULL && i < sizeof relatives / sizeof *relatives; i++)
        if (strcasecmp(relatives[i].extension, extension) == 0)
            return complain_usage(verb, "'%s': %s", path, relatives[i].instead);
    return complain_usage(verb, "'%s' names no format that is written; %s do, or add --out-format", path, names);
}

int target_choose(const char *verb, const struct output_options *output, int argc, char **argv, const char *names,
    const struct file_format *fallback, const struct file_format **target)
{
    const char *path = argv[argc - 1];
    bool named = output->directory == NULL && argc - optind == 2 && strcmp(path, "-") != 0;
    int code = operands_check(verb, output, argv + optind, (size_t)(argc - optind));

    if (code != EXIT_FINE)
        return code;
    *target = output->format;
    if (*target == NULL && named)
        *target = file_format_by_path(path);
    if (*target == NULL && (!named || (file_path_extension(path) == NULL && fallback != NULL)))
        *target = fallback;
    if (*target == NULL && named)
        return complain_name(verb, path, names);
    if (*target != NULL && (*target)->write == NULL)
        return complain_usage(verb, "'%s': %s is read, and not written; %s are names of outputs",
            output->format == NULL ? path : "--out-format", (*target)->name, names);
    return EXIT_FINE;
}

void target_settle(struct file_settings *files)
{
    bool chosen = files->decode.format != KST_FORMAT_AUTO || files->decode.components != NULL || files->raw.width > 0;

    if (files->target == &file_yuv && chosen)
        files->target = &file_raw;
}
