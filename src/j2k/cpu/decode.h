/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out a plan of JPEG 2000 on the CPU's threads. */
#ifndef KOSTKA_J2K_CPU_DECODE_H
#define KOSTKA_J2K_CPU_DECODE_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/progress.h"
#include "j2k/plan/plan.h"

enum { J2K_DECODED_DEPTH = 31 }; /* bits of a sample at most: coefficients and samples take 32 */

/* Where a component's samples go: those of its area, row by row from the upper left one. */
struct j2k_target {
    void *data;      /* null: it is not wanted */
    ptrdiff_t pitch; /* bytes from row to row */
    size_t step;     /* samples from one to the next in a row */
    uint8_t bytes;   /* of a sample: 1, 2 or 4; signed ones in two's complement */
};

/* Bytes that decoding takes beside the plan and what it is decoded to; not known where measuring has no room. */
#define J2K_NEED_UNKNOWN (UINT64_MAX / 2)
struct j2k_cpu_need {
    uint64_t tile;    /* of one tile at a time; more go beside each other as far as the memory limit lets them */
    uint64_t threads; /* of all threads together */
};

struct j2k_cpu_need kst_j2k_cpu_measure(
    struct memory *memory, struct pool *pool, const struct j2k_plan *plan, const struct j2k_target *target);

/*
 * Decode all that the plan holds. `target` has an entry for each component of the picture, all of whose wanted ones are
 * at most J2K_DECODED_DEPTH bits deep. What no tile holds becomes what coefficients of 0 give. Damaged code-blocks are
 * counted as warnings; with `strict` the first of them ends it. A code-block is a step of the progress, which may be
 * null.
 */
kst_status kst_j2k_cpu_decode(struct memory *memory, struct pool *pool, const struct j2k_plan *plan,
    const struct j2k_target *target, enum cpu_tier tier, bool strict, struct progress *progress, kst_report *report);

#endif
