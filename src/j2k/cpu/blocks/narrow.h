/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether 16 bits per sample suffice for the reversible path, whatever the samples or coefficients are. They
 * take half the memory, and a vector holds twice as many samples. The results are the same as with 32 bits.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_NARROW_H
#define KOSTKA_J2K_CPU_BLOCKS_NARROW_H

#include "j2k/plan/plan.h"

/* For encoding: samples of `depth` bits, with or without RCT, through `levels` levels of 5/3. */
bool kst_j2k_cpu_analysis_is_narrow(uint32_t depth, bool transformed, uint32_t levels);

/*
 * For decoding: a tile-component, or the three from `tc` on that go through RCT, with samples of at most `depth` bits.
 * Packet headers give a bound for all values (j2k/plan/range.h), however hostile the coded bits are.
 */
bool kst_j2k_cpu_synthesis_is_narrow(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint32_t count, uint32_t depth);

#endif
