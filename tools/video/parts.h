/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how several threads read a large piece of a file together: one thread alone copies more slowly than memory
 * allows.
 */
#ifndef KOSTKA_TOOL_VIDEO_PARTS_H
#define KOSTKA_TOOL_VIDEO_PARTS_H

#include "tool.h"

struct parts;

enum { PARTS_LEAST = 1 << 21 /* pieces from this size on are worth several threads, such as a frame of 1080p */ };

/* Return how many helping threads are worth starting: one for each four processors, up to a small number. */
uint32_t parts_helpers(void);

/* Start that many threads in addition to the caller's. Null: none could be started. */
struct parts *parts_start(uint32_t threads);
void parts_end(struct parts *parts); /* null is allowed */

/*
 * Read `length` bytes at an offset of a file. Returns the number of bytes before the first missing one: the file ends
 * there or, with *error set to the error's number, reading failed there.
 */
size_t parts_read(struct parts *parts, int descriptor, uint64_t offset, void *to, size_t length, int *error);

#endif
