/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the files that are mapped. If one becomes shorter, or its storage fails, the system sends SIGBUS to the thread
 * that touches a page which is no longer there. The page, and those behind it, then become zeros, the thread goes on,
 * and the file counts as broken: one bad input must not end the work on others.
 */
#ifndef KOSTKA_TOOL_MAPPING_H
#define KOSTKA_TOOL_MAPPING_H

#include "tool.h"

/* Map a file to be read, as this thread's. Returns null if that fails, or if too many are mapped. */
uint8_t *mapping_make(int descriptor, size_t length);

/* Unmap it. */
void mapping_drop(uint8_t *data);

/* Let the system release the pages of mapped files among these bytes until they are needed again. Thread-safe. */
void mapping_rest(const void *data, size_t length);

/* Return whether no file that this thread has mapped, and not unmapped yet, is broken. */
bool mapping_is_whole(void);

/* Mend the mapping that contains the address. Returns false if none does. A signal handler may call it. */
bool mapping_mend(const void *address);

#endif
