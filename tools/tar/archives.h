/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts groups into archives, one archive after the other, none larger than the limits. */
#ifndef KOSTKA_TOOL_TAR_ARCHIVES_H
#define KOSTKA_TOOL_TAR_ARCHIVES_H

#include "tar/gather.h"
#include "tar/write.h"

struct archives {
    struct crew *crew;
    struct tar_writer writer;
    bool open;
    char *path;           /* path of the open archive */
    uint64_t number;      /* number of the next archive */
    struct made **member; /* the groups in it, which are recorded once it is complete */
    size_t count;
    void *keys; /* a tree (search.h) of their keys */
};

void archives_begin(struct archives *archives, struct crew *crew);

/* Take ownership of a group, and put it into an archive. */
void archives_add(struct archives *archives, struct made *made);

void archives_end(struct archives *archives);

/* gather.c: record the outcome of groups. `output` is a file, or the archive that holds `together` groups. */
void gather_record(struct crew *crew, struct made *const *made, size_t count, const char *output, size_t together);

#endif
