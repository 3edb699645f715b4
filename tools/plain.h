/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from anywhere, on its way to a terminal. What would steer that is written as an escape: \n, \r, \t and \xHH
 * stand for control characters (C0, C1 and DEL), \uHHHH for characters that turn the direction of writing or end a
 * line. All else stays as it is, text in another encoding than UTF-8 too.
 */
#ifndef KOSTKA_TOOL_PLAIN_H
#define KOSTKA_TOOL_PLAIN_H

#include <stddef.h>
#include <stdio.h>

/* `length` bytes to a stream. */
void plain_put(FILE *to, const char *text, size_t length);
void plain_puts(FILE *to, const char *text);

/* Whole characters of JSON, whose C0 controls are escaped or line feeds between its values: the others as \uHHHH. */
void plain_put_json(FILE *to, const char *text, size_t length);

#endif
