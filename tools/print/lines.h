/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats lines of text for a file by hand. A list may have as many lines as a stream has elements, hundreds of
 * thousands in a megabyte, and printf() would take most of the time.
 */
#ifndef KOSTKA_TOOLS_PRINT_LINES_H
#define KOSTKA_TOOLS_PRINT_LINES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINES_ROOM = 16384 };

/* Buffers lines. Initialise it with `to` alone. The text is written when the buffer is full, and by lines_flush(). */
struct lines {
    FILE *to;
    size_t used;
    char text[LINES_ROOM];
};

void lines_flush(struct lines *lines);
/* Add bytes for which the buffer has no room left. */
void lines_overflow(struct lines *lines, const char *text, size_t length);

static inline void lines_add(struct lines *lines, const char *text, size_t length)
{
    if (length > sizeof lines->text - lines->used) {
        lines_overflow(lines, text, length);
        return;
    }
    memcpy(lines->text + lines->used, text, length);
    lines->used += length;
}

/* Add a string. Compilers know the length of a literal, because this is inline. */
static inline void lines_put(struct lines *lines, const char *text)
{
    lines_add(lines, text, strlen(text));
}

void lines_spaces(struct lines *lines, size_t count);
/* Add a decimal number, with spaces in front if it has fewer than `width` characters. */
void lines_number(struct lines *lines, uint64_t number, size_t width);
/* Add text from a file, with escapes as plain_puts() writes them. */
void lines_plain(struct lines *lines, const char *text);
/* Add text as a string of JSON in quotes, or null if it is not UTF-8. */
void lines_json(struct lines *lines, const char *text, size_t length);

#endif
