/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of names, line by line. */
#include "options/list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Holds the state of reading. */
struct reading {
    FILE *from;
    const char *title; /* the name of the list in messages */
    bool null;
    unsigned long long line; /* the number of the line that is read, from 1 on */
    char name[PATH_MAX];
};

static bool complain_line(const struct reading *reading, const char *why, struct problem *problem)
{
    return problem_set(problem, "%s: %s %llu: %s", reading->title, reading->null ? "name" : "line", reading->line, why);
}

/* Read a line without its end. *ended becomes true at the end of the file, where the line is empty. */
static bool read_line(struct reading *reading, bool *ended, struct problem *problem)
{
    int end = reading->null ? '\0' : '\n', byte;
    size_t length = 0;

    reading->line++;
    while ((byte = getc_unlocked(reading->from)) != EOF && byte != end) {
        if (byte == '\0')
            return complain_line(reading, "it holds a byte of 0; --null reads names that end with one", problem);
        if (length + 1 >= sizeof reading->name)
            return complain_line(reading, "longer than the name of a file may be", problem);
        reading->name[length++] = (char)byte;
    }
    reading->name[length] = '\0';
    *ended = byte == EOF;
    return !ferror(reading->from) || complain_line(reading, strerror(errno), problem);
}

static bool read_lines(struct reading *reading, bool (*take)(void *user, const char *name, struct problem *problem),
    void *user, struct problem *problem)
{
    for (bool ended = false; !ended;) {
        if (!read_line(reading, &ended, problem) || (reading->name[0] != '\0' && !take(user, reading->name, problem)))
            return false;
    }
    return true;
}

bool list_read(const struct list *list, bool (*take)(void *user, const char *name, struct problem *problem), void *user,
    struct problem *problem)
{
    bool standard = strcmp(list->path, "-") == 0;
    struct reading reading = {.title = standard ? "standard input" : list->path, .null = list->null};

    reading.from = standard ? stdin : fopen(list->path, "re");
    if (reading.from == NULL)
        return problem_set(problem, "%s: %s", reading.title, strerror(errno));
    bool good = read_lines(&reading, take, user, problem);
    if (!standard)
        (void)!fclose(reading.from);
    return good;
}
