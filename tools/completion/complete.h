/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes command lines for shells. A shell's script calls "kostka --complete WORD..." when Tab is pressed, with the
 * words behind the command's name up to the cursor; the last one may be incomplete or empty. The answer has a line for
 * each word that can stand there; ":files" or ":folders" if it can be the name of any file or folder.
 */
#ifndef KOSTKA_TOOL_COMPLETE_H
#define KOSTKA_TOOL_COMPLETE_H

#include "tool.h"

/* Print the completions. `verbs` ends with null. Returns an exit code. */
int complete(const struct verb *const *verbs, char **words, size_t count);

#endif
