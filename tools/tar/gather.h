/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes groups from many workers in any order, and puts them in the order of the inputs into a folder or into
 * archives, so that the same inputs make the same outputs whatever the number of workers.
 */
#ifndef KOSTKA_TOOL_TAR_GATHER_H
#define KOSTKA_TOOL_TAR_GATHER_H

#include "batch/crew.h"
#include "files/capture.h"

/* Holds the result of a worker's work on a file, or on a group of an archive. */
struct made {
    uint64_t index;         /* position in the order of the inputs, from 0 on without gaps */
    const char *input;      /* name of the file or archive, which the input owns */
    char *group;            /* the group's key; null: an archive that has failed as a whole */
    bool is_file;           /* the input is no archive */
    char *label;            /* name for messages; null: the input's */
    uint64_t bytes;         /* bytes of the input */
    struct capture capture; /* the files of the group */
    struct outcome outcome;
    struct problem problem; /* an empty text: no problem */
    struct made *next;
};

struct gather;

struct gather *gather_open(struct crew *crew); /* null if out of memory */

/*
 * Wait until another group may begin: the number and the bytes of groups that wait for an earlier one are limited.
 * `begun` is the number of groups that have begun.
 */
void gather_wait(struct gather *gather, uint64_t begun);

/* Take ownership of a group. */
void gather_put(struct gather *gather, struct made *made);

/* Complete the last archive, and release everything. */
void gather_close(struct gather *gather);

void made_release(struct made *made);

#endif
