/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how several threads write a large piece into a file of a RAM disk. The kernel lets only one thread at a time
 * write into a file, and spends most of that time on allocating pages. So the calling thread writes a piece from its
 * front, while other threads map the file's pages and copy the end of the piece into them.
 */
#ifndef KOSTKA_TOOL_PAGES_H
#define KOSTKA_TOOL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pages;

enum { PAGES_LEAST = 1 << 21 /* pieces from this size on are worth several threads, such as a frame of 1080p */ };

/* Return how many helping threads are worth starting: one for each four processors, up to a small number. */
uint32_t pages_helpers(void);

/*
 * Start that many threads for a file that is open for reading and writing. Returns null if it is not on a RAM disk, or
 * if no threads could be started. The descriptor stays the caller's.
 */
struct pages *pages_open(int descriptor, uint32_t helpers);
void pages_close(struct pages *pages); /* null is allowed */

/*
 * Write at an offset, which is the file's end or lies behind it. On failure returns false: the bytes there are
 * undefined, the file may have become longer, and the caller must write this piece and all later ones itself, because
 * the threads no longer help. Only one thread may call this at a time.
 */
bool pages_write(struct pages *pages, uint64_t offset, const void *data, size_t length);

#endif
