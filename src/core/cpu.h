/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the processor's instruction tiers (plain C, SSE2, AVX2 and so on), and says how many processors there are. */
#ifndef KOSTKA_CORE_CPU_H
#define KOSTKA_CORE_CPU_H

#include <kostka/kostka.h>
#include <stdbool.h>

/* The tiers are in ascending order: each includes those below it that exist on its architecture. */
enum cpu_tier { CPU_C, CPU_SSE2, CPU_AVX2, CPU_AVX512, CPU_NEON };

enum cpu_tier kst_cpu_best(void);
/*
 * Find the tier with a name: "c", "sse2", "avx2", "avx512" or "neon". KST_ERROR_CPU_TIER if the name is unknown or the
 * processor lacks the tier.
 */
kst_status kst_cpu_tier_by_name(const char *name, enum cpu_tier *tier);
const char *kst_cpu_tier_name(enum cpu_tier tier);
/* Return whether PDEP of BMI2 takes a step per bit of its mask, as on AMD's first two generations that have it. */
bool kst_cpu_deposits_slowly(void);
void kst_cpu_model(char model[128]);
uint32_t kst_cpu_count(void); /* the number of processors that this process may run on, at least 1 */

#endif
