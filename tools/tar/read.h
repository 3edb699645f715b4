/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the members of tar archives one after the other, also from pipes and compressed files. */
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
    uint8_t *block; /* the block of the file that was read last */
    size_t zeros;   /* number of zero bytes at the end of what has been read, counted in the last bytes only */
    int problem;    /* errno of reading the file; 0: none */
    bool read_all;  /* the file has been read to its end */
    bool ended;
};

enum tar_step {
    TAR_MEMBER,
    TAR_REFUSED, /* the member has a name, and a problem instead of data; other members follow */
    TAR_END,
    TAR_FAILED /* nothing else can be read */
};

/*
 * Return whether an operand is an archive, by its extension; for standard input, "-", by its first bytes, which are not
 * consumed. For a pipe that takes until some hundred bytes have arrived.
 */
bool tar_is(const char *name);

/* Open an archive; "-" is standard input. */
bool tar_open(struct tar_reader *reader, const char *name, uint64_t limit, struct problem *problem);

/*
 * Read the next member that is not a folder, into a structure that the caller has zeroed, and releases by
 * member_release(). Members that are not files, or whose names lead out of the current folder, are refused.
 */
enum tar_step tar_next(struct tar_reader *reader, struct member *member, struct problem *problem);

/* Return how many bytes of the file have been read, before expansion. */
uint64_t tar_position(const struct tar_reader *reader);

void tar_close(struct tar_reader *reader);
void member_release(struct member *member);

#endif
