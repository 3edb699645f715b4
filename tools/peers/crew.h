/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads between which a peer's pictures are divided. */
#ifndef KOSTKA_TOOL_PEERS_CREW_H
#define KOSTKA_TOOL_PEERS_CREW_H

#include "tool.h"

enum { CREW_MOST = 32 };

/* What one of them does. */
typedef bool (*crew_work)(void *user, uint32_t worker, struct problem *problem);

/* Workers 0 to count − 1, at most CREW_MOST, at a time; returns when all are done, with the first one's problem. */
bool crew_run(uint32_t count, crew_work work, void *user, struct problem *problem);

#endif
