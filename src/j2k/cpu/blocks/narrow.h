/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the reversible path can do with 16 bits a sample, whatever the samples or coefficients are: half the memory,
 * twice as many samples in a vector. What it gives is what 32 bits give.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_NARROW_H
#define KOSTKA_J2K_CPU_BLOCKS_NARROW_H

#include "j2k/plan/plan.h"

/* Coding samples of so many bits, with or without RCT, through so many levels of 5/3. */
bool kst_j2k_analysis_is_narrow(uint32_t depth, bool transformed, uint32_t levels);

/*
 * Decoding a tile-component, or three from `tc` on that went through RCT, of samples of at most so many bits. What
 * packet headers say bounds all of it (j2k/plan/range.h), however hostile the coded bits are.
 */
bool kst_j2k_synthesis_is_narrow(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint32_t count, uint32_t depth);

#endif
