/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes folders, joins their names, and recognises folders. */
#include "system/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool folder_make(const char *folder, struct problem *problem)
{
    char *path = strdup(folder);
    bool good = true;

    if (path == NULL)
        return problem_set(problem, "out of memory");
    for (char *end = path; good && *end != '\0';) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char next = *end;
        *end = '\0';
        good = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EISDIR ||
               problem_set_kind(problem, PROBLEM_WRITE, "cannot make the folder %s: %s", path, strerror(errno));
        *end = next;
    }
    free(path);
    return good;
}

bool is_folder(const char *name)
{
    struct stat state;
    return strcmp(name, "-") != 0 && stat(name, &state) == 0 && S_ISDIR(state.st_mode);
}

char *folder_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    char *joined = malloc(length + strlen(name) + 2);

    if (joined != NULL)
        sprintf(joined, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
    return joined;
}
