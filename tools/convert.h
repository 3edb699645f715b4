/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what 'kostka convert' and 'kostka filter' have in common, which is all but the filters. */
#ifndef KOSTKA_TOOL_CONVERT_H
#define KOSTKA_TOOL_CONVERT_H

#include "tool.h"

/*
 * Read the options and operands of a verb and convert pictures, each of which goes through a chain of filters (null:
 * through none). Returns the exit code.
 */
int convert_run(const struct verb *verb, const char *filters, int argc, char **argv);

#endif
