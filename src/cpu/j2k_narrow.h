/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the reversible path can do with 16 bits a sample, whatever the samples or coefficients are: half the memory,
 * twice as many samples in a vector. What it gives is what 32 bits give.
 */
#ifndef KOSTKA_CPU_J2K_NARROW_H
#define KOSTKA_CPU_J2K_NARROW_H

#include <stdbool.h>
#include <stdint.h>

/* Coding samples of so many bits, with or without RCT, through so many levels of 5/3. */
bool kst_j2k_analysis_is_narrow(uint32_t depth, bool transformed, uint32_t levels);

#endif
