/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the instruction tiers of this processor, for tests that compare them. */
#ifndef KOSTKA_TESTS_SUPPORT_CPU_TIERS_H
#define KOSTKA_TESTS_SUPPORT_CPU_TIERS_H

#include "core/cpu.h"

enum { CPU_TIERS = CPU_NEON + 1 };

/* Fill in the tiers in ascending order, plain C first. Returns their number. */
static inline uint32_t cpu_tiers(enum cpu_tier tier[CPU_TIERS])
{
    uint32_t count = 0;
    for (int i = 0; i < CPU_TIERS; i++)
        if (!kst_cpu_tier_by_name(kst_cpu_tier_name((enum cpu_tier)i), &tier[count]))
            count++;
    return count;
}

#endif
