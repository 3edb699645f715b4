/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of text that grows to its room and not beyond. */
#ifndef KOSTKA_J2K_SYNTAX_TEXT_H
#define KOSTKA_J2K_SYNTAX_TEXT_H

#include <stddef.h>

struct j2k_text {
    char *text; /* always ends with a zero once something has been added */
    size_t room, length;
};

/*
 * Add what snprintf() would write, cut off at the end of the room. Streams may have hundreds of thousands of elements,
 * and snprintf() would take most of the time of listing them; so only %s, %c, %d, %u, %zu, %llu and %0NX are known,
 * where N is one digit.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void kst_j2k_text_add(struct j2k_text *line, const char *format, ...);

#endif
