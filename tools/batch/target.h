/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the output's format. */
#ifndef KOSTKA_TOOL_TARGET_H
#define KOSTKA_TOOL_TARGET_H

#include "options/options.h"

/*
 * Choose the format by --out-format, else by the extension of the single output; for standard output, --out-dir and
 * names without an extension it is `fallback`. Returns EXIT_FINE or, after a message, EXIT_USAGE if the name stands for
 * no format that can be written; `names` are the extensions that the verb accepts, for that message.
 */
int target_choose(const char *verb, const struct output_options *output, int argc, char **argv, const char *names,
    const struct file_format *fallback, const struct file_format **target);

/*
 * Settle the target .yuv, which normally holds components as in a JPEG: if options say which samples to write, or the
 * input is raw samples itself, the target becomes raw samples of any kind. Other targets do not change.
 */
void target_settle(struct file_settings *files);

#endif
