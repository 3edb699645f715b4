/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the members of an archive in groups, as WebDataset does: consecutive members whose names agree up to the
 * first dot of their last component, the key, belong together, such as 0001.jpg, 0001.cls and 0001.json.
 */
#ifndef KOSTKA_TOOL_TAR_GROUP_H
#define KOSTKA_TOOL_TAR_GROUP_H

#include "tar/read.h"

struct group {
    char *key;             /* empty: the group stands for the archive, which has failed */
    struct member *member; /* in the order of the archive */
    size_t count;
    uint64_t bytes;         /* bytes of all members */
    struct problem problem; /* an empty text: no problem */
    char *culprit;          /* the member that the problem is about; null: none */
};

struct group_reader {
    struct tar_reader tar;
    struct group *begun; /* the current group, which may get further members; null: none */
    uint64_t limit;      /* the most bytes of a group */
    struct problem late; /* problem of the archive, which is reported after a complete group; an empty text: none */
    const char *folder;  /* put in front of the names of members, like a folder's name; null: nothing */
    bool open;
};

/* `folder` must outlive the reader. */
bool groups_open(
    struct group_reader *reader, const char *name, const char *folder, uint64_t limit, struct problem *problem);

/* Return the next group, which may have a problem in place of members, or null at the end. */
struct group *groups_next(struct group_reader *reader);

/* Return how many bytes of the archive's file have been read. */
uint64_t groups_position(const struct group_reader *reader);

void groups_close(struct group_reader *reader);
void group_release(struct group *group); /* null is allowed */

/*
 * Return the length of a name's key. If the last component has no dot, or begins with one, all of it is part of the
 * key.
 */
size_t group_key(const char *name);

#endif
