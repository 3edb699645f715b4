/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts groups into archives, one archive after the other, none larger than wanted. */
#ifndef KOSTKA_TOOL_TAR_ARCHIVES_H
#define KOSTKA_TOOL_TAR_ARCHIVES_H

#include "tar/gather.h"
#include "tar/write.h"

struct archives {
    struct crew *crew;
    struct tar_writer writer;
    bool open;
    char *path;           /* of the archive that is open */
    uint64_t number;      /* of the next archive */
    struct made **member; /* the groups in it, which are reported once it is complete */
    size_t count;
    void *keys; /* a tree (search.h) of their keys */
};

void archives_begin(struct archives *archives, struct crew *crew);

/* Take a group over, and put it into an archive. */
void archives_add(struct archives *archives, struct made *made);

void archives_end(struct archives *archives);

/* gather.c: report what has become of groups. `output` is the archive that `together` of them are in, or a file. */
void gather_record(struct crew *crew, struct made *const *made, size_t count, const char *output, size_t together);

#endif
