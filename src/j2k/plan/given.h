/* SPDX-License-Identifier: BSD-2-Clause */
/* Code-blocks whose coefficients one executor makes for another: the CPU's threads some for a GPU. */
#ifndef KOSTKA_J2K_PLAN_GIVEN_H
#define KOSTKA_J2K_PLAN_GIVEN_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"
#include "j2k/plan/plan.h"

struct j2k_given_block {
    uint32_t picture, block; /* of the plan's */
    bool narrow;             /* its coefficients have 16 bits, which is enough for all of them; else 32 */
    void *to;                /* those that its band's window has go here, without gaps between rows */
};

/* What was wrong with a picture's blocks. */
struct j2k_given_damage {
    uint64_t blocks;
    uint64_t offset; /* the least in the stream; UINT64_MAX: none, or of blocks without bytes */
};

/* Blocks of some pictures, those first that take longest. */
struct j2k_given {
    const struct j2k_plan *const *plan; /* of each picture */
    struct j2k_given_damage *damage;    /* likewise, which is set */
    uint32_t pictures;
    const struct j2k_given_block *block;
    uint32_t blocks;
};

/* Decode them: KST_ERROR_MEMORY, or all is done. */
typedef kst_status j2k_decode_given(
    struct memory *memory, struct pool *pool, enum cpu_tier tier, const struct j2k_given *given);

#endif
