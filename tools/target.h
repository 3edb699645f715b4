/* SPDX-License-Identifier: BSD-2-Clause */
/* Which format the output gets. */
#ifndef KOSTKA_TOOL_TARGET_H
#define KOSTKA_TOOL_TARGET_H

#include "options.h"

/*
 * The format by --out-format, else by the extension of the one output there is, else `fallback`: for standard output,
 * --out-dir, and names without an extension. Gives EXIT_FINE, or EXIT_USAGE after having said that the name stands for
 * no format that is written; `names` are the extensions that the verb takes, for that message.
 */
int target_choose(const char *verb, const struct output_options *output, int argc, char **argv, const char *names,
    const struct file_format *fallback, const struct file_format **target);

#endif
