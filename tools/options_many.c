/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options of calls with many inputs. */
#include "options.h"

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    struct many_options *options = settings;
    (void)verb;
    (void)code;
    (void)value;

    options->recursive = true;
    return true;
}

struct option_group many_group(struct many_options *options)
{
    static const struct option_entry table[] = {{"recursive", NULL, OPTION_RECURSIVE, 0, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, options};
}
