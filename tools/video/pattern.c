/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes names of files that have a number, and finds the numbers that there are. */
#include "video/pattern.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH_MOST = 10, DIGITS_MOST = 18, TRIED_MOST = 10 /* numbers of folders that are tried */ };

bool pattern_parse(const char *text, struct pattern *pattern)
{
    const char *percent = strchr(text, '%');
    const char *at = percent;

    if (percent == NULL)
        return false;
    *pattern = (struct pattern){text, (size_t)(percent - text), 0, NULL};
    for (at++; isdigit((unsigned char)*at) && pattern->width <= WIDTH_MOST; at++)
        pattern->width = 10 * pattern->width + (*at - '0');
    pattern->behind = at + 1;
    return *at == 'd' && pattern->width <= WIDTH_MOST && strchr(pattern->behind, '%') == NULL;
}

char *pattern_name(const struct pattern *pattern, uint64_t number, struct problem *problem)
{
    size_t length = strlen(pattern->text) + 32;
    char *name = malloc(length);

    if (name == NULL)
        problem_set(problem, "out of memory");
    else
        snprintf(name, length, "%.*s%0*llu%s", (int)pattern->before, pattern->text, pattern->width,
            (unsigned long long)number, pattern->behind);
    return name;
}

/* Try the numbers that sequences mostly begin with. */
static bool try_numbers(const struct pattern *pattern, uint64_t *least, uint64_t *greatest)
{
    struct problem ignored;

    for (*least = 0; *least <= TRIED_MOST; ++*least) {
        char *name = pattern_name(pattern, *least, &ignored);
        bool found = name != NULL && access(name, F_OK) == 0;
        free(name);
        *greatest = *least;
        if (found)
            return true;
    }
    return false;
}

/* Return whether a file's name without its folder is one of the pattern's, and then its number. */
static bool take_number(const struct pattern *pattern, const char *prefix, const char *name, uint64_t *number)
{
    size_t before = (size_t)(pattern->text + pattern->before - prefix), digits = 0;
    size_t width = pattern->width > 1 ? (size_t)pattern->width : 1;

    if (strncmp(name, prefix, before) != 0)
        return false;
    name += before;
    *number = 0;
    for (; isdigit((unsigned char)name[digits]) && digits < DIGITS_MOST; digits++)
        *number = 10 * *number + (uint64_t)(name[digits] - '0');
    /* A number begins with zeros only if it has exactly as many digits as the width asks for. */
    return digits >= width && (digits == width || name[0] != '0') && strcmp(name + digits, pattern->behind) == 0;
}

/* Return where the file's own name begins in a pattern. */
static const char *own_name(const struct pattern *pattern)
{
    const char *from = pattern->text + pattern->before;

    while (from > pattern->text && from[-1] != '/')
        from--;
    return from;
}

/* Return the folder in which a name of the pattern begins, from malloc; null if out of memory. */
static char *folder_name(const struct pattern *pattern)
{
    const char *own = own_name(pattern);

    return own == pattern->text ? strdup(".") : strndup(pattern->text, (size_t)(own - pattern->text));
}

static DIR *open_folder(const struct pattern *pattern)
{
    char *folder = folder_name(pattern);
    DIR *stream = folder == NULL ? NULL : opendir(folder);

    free(folder);
    return stream;
}

bool pattern_find(const struct pattern *pattern, uint64_t *least, uint64_t *greatest)
{
    const char *prefix = own_name(pattern);
    const struct dirent *entry;
    uint64_t number;
    DIR *folder = strchr(pattern->behind, '/') != NULL ? NULL : open_folder(pattern);

    if (folder == NULL)
        return try_numbers(pattern, least, greatest);
    *least = UINT64_MAX;
    *greatest = 0;
    while ((entry = readdir(folder)) != NULL)
        if (take_number(pattern, prefix, entry->d_name, &number)) {
            *least = number < *least ? number : *least;
            *greatest = number > *greatest ? number : *greatest;
        }
    closedir(folder);
    return *least <= *greatest;
}

static bool share_folder(const struct pattern *a, const struct pattern *b)
{
    struct stat found[2];
    char *folder[2] = {folder_name(a), folder_name(b)};
    bool good =
        folder[0] != NULL && folder[1] != NULL && stat(folder[0], &found[0]) == 0 && stat(folder[1], &found[1]) == 0;

    free(folder[0]);
    free(folder[1]);
    return good && found[0].st_dev == found[1].st_dev && found[0].st_ino == found[1].st_ino;
}

bool pattern_is_same(const char *text, const char *other)
{
    struct pattern a, b;

    if (!pattern_parse(text, &a) || !pattern_parse(other, &b))
        return false;
    const char *own = own_name(&a), *own_other = own_name(&b);
    const size_t before = (size_t)(a.text + a.before - own), before_other = (size_t)(b.text + b.before - own_other);
    const int width = a.width > 1 ? a.width : 1, width_other = b.width > 1 ? b.width : 1;
    return before == before_other && memcmp(own, own_other, before) == 0 && width == width_other &&
           strcmp(a.behind, b.behind) == 0 && share_folder(&a, &b);
}
