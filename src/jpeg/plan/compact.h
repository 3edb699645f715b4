/* SPDX-License-Identifier: BSD-2-Clause */
/* The entropy-coded data of a plan alone, for executors that do not take all that may be among them. */
#ifndef KOSTKA_JPEG_PLAN_COMPACT_H
#define KOSTKA_JPEG_PLAN_COMPACT_H

#include "core/memory.h"
#include "jpeg/plan/plan.h"

/*
 * Make a plan whose stream is the data of all segments, one behind the other, with each run of bytes 0xFF shortened to
 * one (fill bytes, T.81 B.1.1.2): it gives the same pixels and counts of damage. Frame and tables are the plan's.
 * KST_OK, or KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, and nothing is held.
 */
kst_status kst_jpeg_compact(struct memory *memory, const struct jpeg_plan *plan, struct jpeg_plan *compact);

/* One that was zeroed holds nothing. */
void kst_jpeg_compact_release(struct memory *memory, struct jpeg_plan *compact);

#endif
