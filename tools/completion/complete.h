/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes command lines for shells. When Tab is pressed, a shell's script calls "kostka --complete WORD..." with the
 * words after the command's name up to the cursor; the last word may be incomplete or empty. The answer has a line for
 * each word that can stand there, or ":files" or ":folders" if any file or folder can.
 */
#ifndef KOSTKA_TOOL_COMPLETE_H
#define KOSTKA_TOOL_COMPLETE_H

#include "tool.h"

/* Print the completions. `verbs` ends with null. Returns an exit code. */
int complete(const struct verb *const *verbs, char **words, size_t count);

#endif
