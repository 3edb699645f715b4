/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the members of tar archives one after the other, also from a pipe and if they are compressed. */
#ifndef KOSTKA_TOOL_TAR_READ_H
#define KOSTKA_TOOL_TAR_READ_H

#include <stddef.h>
#include <stdint.h>

#include "tool.h"

struct member {
    char *name;
    uint8_t *data; /* from malloc, even if it is empty */
    size_t length;
};

struct tar_reader {
    struct archive *archive;
    int descriptor;
    uint64_t limit; /* the most bytes of a member */
    uint8_t *block; /* of the file, which was read last */
    size_t zeros;   /* with which what has been read ends, of the last block alone */
    int problem;    /* the error of reading the file; 0: none */
    bool read_all;  /* the file has been read to its end */
    bool ended;
};

enum tar_step {
    TAR_MEMBER,
    TAR_REFUSED, /* the member has a name, and a problem in place of data; others follow */
    TAR_END,
    TAR_FAILED /* nothing else can be read */
};

/*
 * Return whether an operand is an archive, by the extension of its name; of standard input, "-", by its first bytes,
 * which stay there. Of a pipe that takes until some hundred bytes have come.
 */
bool tar_is(const char *name);

/* Open an archive; "-" is standard input. */
bool tar_open(struct tar_reader *reader, const char *name, uint64_t limit, struct problem *problem);

/*
 * Read the next member, without folders, into a structure that the caller has zeroed, and releases by member_release().
 * Members that are no files, or whose names lead out of a folder, are refused.
 */
enum tar_step tar_next(struct tar_reader *reader, struct member *member, struct problem *problem);

/* Return how many bytes have been read, before they were expanded. */
uint64_t tar_position(const struct tar_reader *reader);

void tar_close(struct tar_reader *reader);
void member_release(struct member *member);

#endif
