/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a line of text that is cut off where its room ends. */
#ifndef KOSTKA_J2K_SYNTAX_TEXT_H
#define KOSTKA_J2K_SYNTAX_TEXT_H

#include <stddef.h>

struct j2k_text {
    char *text; /* ends with a zero as soon as something has been added */
    size_t room, length;
};

/*
 * Append what snprintf() would write, cut off at the end of the room. Streams may have hundreds of thousands of
 * elements, and snprintf() would take most of the time of listing them; so only %s, %c, %d, %u, %zu, %llu and %0NX are
 * supported, where N is one digit.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void kst_j2k_text_add(struct j2k_text *line, const char *format, ...);

#endif
