/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of text on their way to a file, formatted by hand: a list may have as many of them as a stream has elements,
 * of which a megabyte holds hundreds of thousands, and printf() would take most of the time.
 */
#ifndef KOSTKA_TOOLS_PRINT_LINES_H
#define KOSTKA_TOOLS_PRINT_LINES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINES_ROOM = 16384 };

/* Starts with `to` alone. What is there is written when the room is full and by lines_flush(). */
struct lines {
    FILE *to;
    size_t used;
    char text[LINES_ROOM];
};

void lines_flush(struct lines *lines);
/* Add bytes that do not fit any more. */
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

/* The length of a literal is known when this is compiled. */
static inline void lines_put(struct lines *lines, const char *text)
{
    lines_add(lines, text, strlen(text));
}

void lines_spaces(struct lines *lines, size_t count);
/* A decimal number with spaces in front, so that it is at least `width` characters wide. */
void lines_number(struct lines *lines, uint64_t number, size_t width);
/* Text from a file, with escapes as plain_puts() writes them. */
void lines_plain(struct lines *lines, const char *text);
/* The same as a string of JSON in quotes, or null if it is not UTF-8. */
void lines_json(struct lines *lines, const char *text, size_t length);

#endif
