/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reduces a stream to the entropy-coded data of its plan, for executors that cannot cope with everything that may stand
 * between these data.
 */
#ifndef KOSTKA_JPEG_PLAN_COMPACT_H
#define KOSTKA_JPEG_PLAN_COMPACT_H

#include "core/memory.h"
#include "jpeg/plan/plan.h"

/*
 * Make a plan whose stream consists of the data of all segments, one behind the other, with each run of bytes 0xFF
 * shortened to one (fill bytes, T.81 B.1.1.2). It gives the same pixels and the same counts of damage. Frame and tables
 * are those of the plan. Returns KST_OK, or KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, after which nothing is held.
 */
kst_status kst_jpeg_compact(struct memory *memory, const struct jpeg_plan *plan, struct jpeg_plan *compact);

/* Release what kst_jpeg_compact() allocated. A zeroed plan is allowed: it holds nothing. */
void kst_jpeg_compact_release(struct memory *memory, struct jpeg_plan *compact);

#endif
