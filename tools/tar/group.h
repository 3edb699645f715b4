/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups the members of an archive into groups, as WebDataset does: consecutive members whose names agree up to the
 * first dot of their last part, the key, belong together, such as 0001.jpg, 0001.cls and 0001.json.
 */
#ifndef KOSTKA_TOOL_TAR_GROUP_H
#define KOSTKA_TOOL_TAR_GROUP_H

#include "tar/read.h"

struct group {
    char *key;             /* empty: the archive itself, which has failed */
    struct member *member; /* in the order of the archive */
    size_t count;
    uint64_t bytes;         /* of all members */
    struct problem problem; /* an empty text: there is none */
    char *culprit;          /* the member that the problem is about; null: none */
};

struct group_reader {
    struct tar_reader tar;
    struct group *begun; /* whose last member may be missing; null: none */
    uint64_t limit;      /* the most bytes of a group */
    struct problem late; /* of the archive, for which a complete group comes first; an empty text: none */
    const char *folder;  /* put before the names of members, like that of a folder; null: nothing */
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

/* Return the length of a name's key. A last part without a dot, or with a dot in front, is part of the key. */
size_t group_key(const char *name);

#endif
