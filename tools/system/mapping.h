/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages mapped files. If a file becomes shorter, or its storage fails, the system sends SIGBUS to the thread that
 * touches a page that is no longer there. That page and those behind it are then replaced by zeros, the thread goes on,
 * and the file counts as broken: one bad input must not end the work on others.
 */
#ifndef KOSTKA_TOOL_MAPPING_H
#define KOSTKA_TOOL_MAPPING_H

#include "tool.h"

/*
 * Map a file for reading; the mapping counts as this thread's. Returns null if that fails, or if too many are mapped.
 */
uint8_t *mapping_make(int descriptor, size_t length);

/* Unmap a file. */
void mapping_drop(uint8_t *data);

/* Let the system drop the pages of mapped files among these bytes until they are needed again. Thread-safe. */
void mapping_rest(const void *data, size_t length);

/* Return whether none of the files that this thread has mapped and not yet unmapped is broken. */
bool mapping_is_whole(void);

/* Mend the mapping that contains an address. Returns false if there is none. A signal handler may call this. */
bool mapping_mend(const void *address);

#endif
