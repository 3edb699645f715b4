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

/*
 * For .yuv, which holds components as JPEG has them: where options say what samples there are to be, or the input is
 * raw samples itself, the target becomes raw samples of any kind. Other targets stay.
 */
void target_settle(struct file_settings *files);

#endif
