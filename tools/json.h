/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON on standard output. */
#ifndef KOSTKA_TOOL_JSON_H
#define KOSTKA_TOOL_JSON_H

#include <jansson.h>

#include "tool.h"

/* A string; bytes that are not UTF-8 become U+FFFD, so that every file name can be shown. */
json_t *json_text(const char *text);

/* Print and release. Gives EXIT_FAILED where standard output cannot be written, else `code`. */
int json_print(json_t *value, int code);

/* Flush standard output; EXIT_FAILED, said on standard error, where that fails, else `code`. */
int finish_output(int code);

#endif
