/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes folders, and walks through them. */
#ifndef KOSTKA_TOOL_FOLDER_H
#define KOSTKA_TOOL_FOLDER_H

#include <sys/stat.h>

#include "tool.h"

/* Make a folder and its parents, as far as they do not exist. Other threads may make the same folders meanwhile. */
bool folder_make(const char *folder, struct problem *problem);

bool is_folder(const char *name); /* false for "-", which is standard input */

/* Return FOLDER/NAME, which the caller frees; null if out of memory. */
char *folder_join(const char *folder, const char *name);

/*
 * Says what to do with the files below a folder. `tree` is the offset at which, in each name, the part below the walked
 * folder begins. The functions take ownership of the name, and return false if out of memory, which ends the walk.
 */
struct walk {
    bool recursive;
    const char *avoided; /* a folder that is skipped below the walked one; null: none */
    /* Takes a regular file; or, with a null state, a name for which stat() fails. */
    bool (*file)(void *user, char *name, size_t tree, const struct stat *state);
    /* Takes a folder that cannot be read, or that must not be read again. */
    bool (*failure)(void *user, char *name, size_t tree, const char *why);
    void *user;
};

/*
 * Walk through a folder: its files in the order of their names, then, if the walk is recursive, the folders in it, and
 * last the folders that symbolic links lead to. Hidden files and folders are left out. Each folder is read only once,
 * so links that form a loop do no harm. Returns false if out of memory.
 */
bool walk_folder(const struct walk *walk, const char *folder);

#endif
