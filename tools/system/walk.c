/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through a folder and the folders in it, each of them once. */
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/folder.h"

/* Describes a folder that has been reached. Only if it is not read do the walk's functions take over its name. */
struct reached {
    char *name;
    dev_t device;
    ino_t inode;
    struct reached *next; /* the folder to read after this one, while both wait */
};

/* Holds the state of one walk. */
struct walker {
    const struct walk *walk;
    size_t tree;
    struct stat avoided;
    bool avoids;
    void *known;              /* a tree (search.h) of the folders that have been reached */
    struct reached *folders;  /* folders that wait, the next one first */
    struct reached *links;    /* folders that links lead to, the next one first; they wait for all others */
    struct reached **last;    /* where the next folder that a link leads to is appended */
    struct reached **subject; /* where the next subfolder of the folder that is being read is inserted */
};

static int compare_reached(const void *left, const void *right)
{
    const struct reached *a = left, *b = right;

    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

static void release_reached(void *node)
{
    struct reached *reached = node;

    free(reached->name);
    free(reached);
}

static struct reached *make_reached(char *name, const struct stat *state)
{
    struct reached *made = malloc(sizeof *made);

    if (made != NULL)
        *made = (struct reached){.name = name, .device = state->st_dev, .inode = state->st_ino};
    return made;
}

static bool fails(const struct walker *walker, char *name, const char *why)
{
    return walker->walk->failure(walker->walk->user, name, walker->tree, why);
}

/* Report a folder that has already been reached by another name. */
static bool fail_again(const struct walker *walker, struct reached *again, const struct reached *before)
{
    char why[sizeof(struct problem)];

    snprintf(why, sizeof why, "is the folder %s, which is walked through already", before->name);
    bool good = fails(walker, again->name, why);
    free(again);
    return good;
}

/* Queue a folder to be read. Folders that links lead to are compared with the others when it is their turn. */
static bool reach(struct walker *walker, char *name, const struct stat *state)
{
    struct stat itself;
    bool link = lstat(name, &itself) == 0 && S_ISLNK(itself.st_mode);
    bool avoided = walker->avoids && state->st_dev == walker->avoided.st_dev && state->st_ino == walker->avoided.st_ino;
    struct reached *made = avoided || !walker->walk->recursive ? NULL : make_reached(name, state);

    if (made == NULL) {
        free(name);
        return avoided || !walker->walk->recursive;
    }
    struct reached ***end = link ? &walker->last : &walker->subject;
    made->next = **end;
    **end = made;
    *end = &made->next;
    return true;
}

static bool take(struct walker *walker, const char *folder, const struct dirent *entry)
{
    char *name = folder_join(folder, entry->d_name);
    struct stat state;

    if (name == NULL)
        return false;
    if (stat(name, &state) != 0)
        return entry->d_type == DT_DIR && walker->walk->recursive
                   ? fails(walker, name, strerror(errno))
                   : walker->walk->file(walker->walk->user, name, walker->tree, NULL);
    if (S_ISDIR(state.st_mode))
        return reach(walker, name, &state);
    if (S_ISREG(state.st_mode))
        return walker->walk->file(walker->walk->user, name, walker->tree, &state);
    free(name);
    return true;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_folder(struct walker *walker, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_shown, compare_entries);
    char why[128];
    bool good = true;

    if (count < 0) {
        snprintf(why, sizeof why, "cannot read the folder: %s", strerror(errno));
        char *name = strdup(folder);
        return name != NULL && fails(walker, name, why);
    }
    walker->subject = &walker->folders;
    for (int i = 0; i < count; i++) {
        good = good && take(walker, folder, entries[i]);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* Return the next folder to read; null if there is none. */
static struct reached *next_folder(struct walker *walker)
{
    struct reached **list = walker->folders != NULL ? &walker->folders : &walker->links, *next = *list;

    if (next == NULL)
        return NULL;
    *list = next->next;
    if (walker->last == &next->next)
        walker->last = list;
    return next;
}

static bool visit(struct walker *walker, struct reached *folder)
{
    struct reached **known = tsearch(folder, &walker->known, compare_reached);

    if (known == NULL) {
        release_reached(folder);
        return false;
    }
    return *known == folder ? read_folder(walker, folder->name) : fail_again(walker, folder, *known);
}

/* Begin with the walked folder. If it has vanished meanwhile, that is reported as a failure. */
static bool begin(struct walker *walker, const char *folder)
{
    char *name = strdup(folder);
    struct stat state;

    if (name == NULL)
        return false;
    if (stat(folder, &state) != 0)
        return fails(walker, name, strerror(errno));
    struct reached *first = make_reached(name, &state);
    if (first == NULL)
        free(name);
    return first != NULL && visit(walker, first);
}

bool walk_folder(const struct walk *walk, const char *folder)
{
    size_t length = strlen(folder);
    struct walker walker = {.walk = walk, .tree = length + (length == 0 || folder[length - 1] != '/')};
    struct reached *next;

    walker.last = &walker.links;
    walker.avoids = walk->avoided != NULL && stat(walk->avoided, &walker.avoided) == 0;
    bool good = begin(&walker, folder);
    while ((next = next_folder(&walker)) != NULL)
        if (good)
            good = visit(&walker, next);
        else
            release_reached(next);
    tdestroy(walker.known, release_reached);
    return good;
}
