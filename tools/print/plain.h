/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints text of any origin on a terminal. Characters that could control the terminal are written as escapes: \n, \r,
 * \t and \xHH stand for control characters (C0, C1 and DEL), \uHHHH for characters that change the writing direction or
 * end a line. Everything else does not change, including text in encodings other than UTF-8.
 */
#ifndef KOSTKA_TOOL_PLAIN_H
#define KOSTKA_TOOL_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Print `length` bytes to a stream. */
void plain_put(FILE *to, const char *text, size_t length);
void plain_puts(FILE *to, const char *text);

/*
 * Print whole characters of JSON. Its C0 controls are already escaped, except line feeds between values; the other
 * characters that could control a terminal are written as \uHHHH.
 */
void plain_put_json(FILE *to, const char *text, size_t length);

/* Return the first character of text and the number of its bytes; PLAIN_INVALID and 1 if they are not UTF-8. */
enum { PLAIN_INVALID = 0x110000 };
uint32_t plain_character(const char *text, size_t length, size_t *bytes);

/* Return whether a character could control the terminal. */
bool plain_is_control(uint32_t character);

#endif
