/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads numbers from words: the arguments of the programs that make files for tests. */
#ifndef KOSTKA_TESTS_SUPPORT_CLI_WORDS_H
#define KOSTKA_TESTS_SUPPORT_CLI_WORDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Return whether the text is a number of up to five digits and ends there. */
static inline bool word_number(const char *text, int *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *number = (int)value;
    return end != text && *end == '\0' && end - text <= 5;
}

/* Return whether the word is `name`, such as "frames=", followed by a number. */
static inline bool word_value(const char *word, const char *name, int *number)
{
    return strncmp(word, name, strlen(name)) == 0 && word_number(word + strlen(name), number);
}

/* Return whether the word is `name` followed by two numbers with the character `between` in between. */
static inline bool word_pair(const char *word, const char *name, char between, int *first, int *second)
{
    char text[16];
    const char *middle = strchr(word, between);
    size_t length = strlen(name), digits = middle != NULL ? (size_t)(middle - word) : 0;

    if (strncmp(word, name, length) != 0 || digits <= length || digits - length >= sizeof text)
        return false;
    memcpy(text, word + length, digits - length);
    text[digits - length] = '\0';
    return word_number(text, first) && word_number(middle + 1, second);
}

#endif
