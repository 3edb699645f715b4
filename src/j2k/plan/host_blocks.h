/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares code-blocks whose coefficients one executor computes for another: while a GPU decodes a batch, the CPU's
 * threads decode some of its code-blocks.
 */
#ifndef KOSTKA_J2K_PLAN_HOST_BLOCKS_H
#define KOSTKA_J2K_PLAN_HOST_BLOCKS_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"
#include "j2k/plan/plan.h"

struct j2k_host_block {
    uint32_t picture, block; /* indices: of the picture in j2k_host_blocks, and of the block in that picture's plan */
    /*
     * True: coefficients are stored as 16-bit numbers, in which all coefficients of the block fit; false: as 32-bit
     * numbers.
     */
    bool narrow;
    /* The destination of those coefficients that lie in the band's window, row after row without gaps. */
    void *to;
};

/* Holds the damage found in the code-blocks of one picture. */
struct j2k_host_damage {
    uint64_t blocks;
    /*
     * Least offset in the stream of a damaged block; UINT64_MAX: no block is damaged, or only blocks without bytes are.
     */
    uint64_t offset;
};

/* Holds the blocks of some pictures that are to be decoded, sorted so that those that take longest come first. */
struct j2k_host_blocks {
    const struct j2k_plan *const *plan; /* the plan of each picture */
    struct j2k_host_damage *damage;     /* output: the damage of each picture */
    uint32_t pictures;
    const struct j2k_host_block *block;
    uint32_t blocks;
};

/* Decode host blocks. Returns KST_ERROR_MEMORY, or KST_OK once all coefficients are written. */
typedef kst_status j2k_decode_host_blocks(
    struct memory *memory, struct pool *pool, enum cpu_tier tier, const struct j2k_host_blocks *blocks);

#endif
