/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the output's format. */
#ifndef KOSTKA_TOOL_TARGET_H
#define KOSTKA_TOOL_TARGET_H

#include "options/options.h"

/*
 * Choose the format by --out-format, else by the extension of the single output; `fallback` is the format for standard
 * output, --out-dir and names without an extension. Returns EXIT_FINE or, after a message, EXIT_USAGE if no format that
 * can be written has that name; the message lists `names`, the extensions that the verb accepts.
 */
int target_choose(const char *verb, const struct output_options *output, int argc, char **argv, const char *names,
    const struct file_format *fallback, const struct file_format **target);

/*
 * Settle the target .yuv, which normally holds components as a JPEG has them: if options say which samples to write, or
 * if the input is raw samples, the target becomes the general format of raw samples. Other targets do not change.
 */
void target_settle(struct file_settings *files);

#endif
