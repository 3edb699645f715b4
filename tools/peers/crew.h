/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides a peer's pictures among threads. */
#ifndef KOSTKA_TOOL_PEERS_CREW_H
#define KOSTKA_TOOL_PEERS_CREW_H

#include "tool.h"

enum { CREW_MOST = 32 };

/* Does the work of one thread. */
typedef bool (*crew_work)(void *user, uint32_t worker, struct problem *problem);

/*
 * Run workers 0 to count − 1, at most CREW_MOST, at the same time. Returns when all are done, with the first problem.
 */
bool crew_run(uint32_t count, crew_work work, void *user, struct problem *problem);

#endif
