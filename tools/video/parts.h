/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how threads together read a large piece of a file: one alone copies less than memory takes. */
#ifndef KOSTKA_TOOL_VIDEO_PARTS_H
#define KOSTKA_TOOL_VIDEO_PARTS_H

#include "tool.h"

struct parts;

enum { PARTS_LEAST = 1 << 21 /* bytes that are worth several threads, such as a frame of 1080p */ };

/* Return how many threads are worth starting beside the caller's: one for each four processors, but few. */
uint32_t parts_helpers(void);

/* Start so many threads beside the caller's. Null: none could be started. */
struct parts *parts_start(uint32_t threads);
void parts_end(struct parts *parts); /* null is allowed */

/*
 * Read `length` bytes at an offset of a file. Returns how many of them there are up to the first that is missing,
 * because the file ends or, with *error set to the number of the error, because reading failed.
 */
size_t parts_read(struct parts *parts, int descriptor, uint64_t offset, void *to, size_t length, int *error);

#endif
