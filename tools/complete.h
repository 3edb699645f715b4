/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a shell offers when Tab is pressed. Its script calls "kostka --complete WORD...", with the words behind the
 * command's name up to the cursor, the last of which may be begun or empty. The answer is a line for each word that can
 * stand there; ":files" or ":folders" where it can be the name of any.
 */
#ifndef KOSTKA_TOOL_COMPLETE_H
#define KOSTKA_TOOL_COMPLETE_H

#include "tool.h"

/* `verbs` ends with null. Gives an exit code. */
int complete(const struct verb *const *verbs, char **words, size_t count);

#endif
