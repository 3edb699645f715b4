/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes groups from many workers in any order, and puts them in the order of the inputs into a folder or into
 * archives, so that the same inputs make the same outputs whatever the number of workers.
 */
#ifndef KOSTKA_TOOL_TAR_GATHER_H
#define KOSTKA_TOOL_TAR_GATHER_H

#include "batch/crew.h"
#include "files/capture.h"

/* Holds what a worker has made of a file, or of a group of an archive. */
struct made {
    uint64_t index;         /* in the order of the inputs, from 0 on without gaps */
    const char *input;      /* the file or archive, whose name stays */
    char *group;            /* the group's key; null: an archive that fails as a whole */
    bool is_file;           /* the input is no archive */
    char *label;            /* what messages call it; null: as the input */
    uint64_t bytes;         /* of the input */
    struct capture capture; /* the files of the group */
    struct outcome outcome;
    struct problem problem; /* an empty text: there is none */
    struct made *next;
};

struct gather;

struct gather *gather_open(struct crew *crew); /* null if out of memory */

/*
 * Wait until another group may be begun: groups that wait for an earlier one have a limit. The number is that of
 * groups that have been begun.
 */
void gather_wait(struct gather *gather, uint64_t begun);

/* Take a group over. */
void gather_put(struct gather *gather, struct made *made);

/* Complete the last archive, and release everything. */
void gather_close(struct gather *gather);

void made_release(struct made *made);

#endif
