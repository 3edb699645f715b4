/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps outputs in memory instead of in files of their own, so that they can become members of an archive. While a
 * thread captures, the outputs that it opens (output.h) have names, but no files.
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
    struct captured *file; /* complete files, in the order in which they were completed */
    size_t count;
};

/* Start and stop capturing the outputs of the calling thread. */
void capture_begin(struct capture *capture);
void capture_end(void);

/* Return whether the calling thread captures. */
bool capture_is_on(void);

/* Open a file without a name. Returns its descriptor, or −1 with errno set. */
int capture_open(void);

/* Keep the contents of such a file under a name. The descriptor may be closed afterwards. */
bool capture_keep(int descriptor, const char *name, struct problem *problem);

/* Add memory from malloc under a name. The capture owns the memory, even on failure. */
bool capture_add(struct capture *capture, const char *name, uint8_t *data, size_t length, struct problem *problem);

void capture_release(struct capture *capture);

#endif
