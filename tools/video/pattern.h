/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares names of files that have a number: frame%05d.png. */
#ifndef KOSTKA_TOOL_VIDEO_PATTERN_H
#define KOSTKA_TOOL_VIDEO_PATTERN_H

#include "tool.h"

/* Describes a name with a number: what is in front of it, how many digits it has at least, and what is behind it. */
struct pattern {
    const char *text;
    size_t before;
    int width;
    const char *behind;
};

/* Find the only %d, %5d or %05d. Returns false if there is none, or something else with %. */
bool pattern_parse(const char *text, struct pattern *pattern);

/* Return a file's name, from malloc. Returns null, with the problem, if out of memory. */
char *pattern_name(const struct pattern *pattern, uint64_t number, struct problem *problem);

/*
 * Find the least and the greatest number that files have. Where the number is in the name of a folder, only numbers
 * from 0 to 10 are looked for, and the greatest one is not known: it is then the least. Returns false if there is no
 * file.
 */
bool pattern_find(const struct pattern *pattern, uint64_t *least, uint64_t *greatest);

/* Return whether two names with a number stand for the same files, in whatever way their folder is spelled. */
bool pattern_is_same(const char *text, const char *other);

#endif
