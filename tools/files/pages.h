/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how several threads write a large piece into a file of a RAM disk. The kernel lets one thread at a time
 * write into a file, and most of what that costs there is making pages. So the caller's thread writes a piece from its
 * front, while others copy its end into the file's pages, which they map.
 */
#ifndef KOSTKA_TOOL_PAGES_H
#define KOSTKA_TOOL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pages;

enum { PAGES_LEAST = 1 << 21 /* bytes that are worth several threads, such as a frame of 1080p */ };

/* Return how many threads are worth starting beside the caller's: one for each four processors, but few. */
uint32_t pages_helpers(void);

/*
 * Start so many threads for a file, which is open for reading and writing, and on a RAM disk. Null: it is on another
 * file system, or no threads could be started. The descriptor stays the caller's.
 */
struct pages *pages_open(int descriptor, uint32_t helpers);
void pages_close(struct pages *pages); /* null is allowed */

/*
 * Write at an offset, which is where the file ends or lies behind it. Returns false if that failed: the file then has
 * any bytes there, may be longer than it was, and the caller writes the piece by itself, as all others: no thread helps
 * any more. One thread calls this at a time.
 */
bool pages_write(struct pages *pages, uint64_t offset, const void *data, size_t length);

#endif
