/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps outputs in memory instead of in files of their own, so that they can become members of an archive. While a
 * thread captures, the outputs that it opens (output.h) have names and no files.
 */
#ifndef KOSTKA_TOOL_TAR_CAPTURE_H
#define KOSTKA_TOOL_TAR_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "tool.h"

struct captured {
    char *name;
    uint8_t *data; /* from mmap if `mapped`, otherwise from malloc; null if it is empty */
    size_t length;
    bool mapped;
};

struct capture {
    struct captured *file; /* those that are complete, in their order */
    size_t count;
};

/* Capture the calling thread's outputs from now on; end that. */
void capture_begin(struct capture *capture);
void capture_end(void);

/* Return whether the calling thread captures. */
bool capture_is_on(void);

/* Open a file that has no name anywhere. Returns its descriptor, or −1 with errno set. */
int capture_open(void);

/* Keep what such a file holds, under a name. The descriptor may be closed then. */
bool capture_keep(int descriptor, const char *name, struct problem *problem);

/* Add memory from malloc, which is taken over even on failure. */
bool capture_add(struct capture *capture, const char *name, uint8_t *data, size_t length, struct problem *problem);

void capture_release(struct capture *capture);

#endif
