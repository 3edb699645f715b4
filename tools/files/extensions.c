/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the extensions of files' names. */
#include <string.h>
#include <strings.h>

#include "files/files.h"

const char *file_path_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');

    return dot == NULL || dot == name || dot[1] == '\0' ? NULL : dot + 1;
}

bool file_has_extension(const char *path, const char *wanted)
{
    const char *extension = file_path_extension(path);

    return extension != NULL && strcasecmp(extension, wanted) == 0;
}
