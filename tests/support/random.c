/* SPDX-License-Identifier: BSD-2-Clause */
/* Generates numbers with a linear congruential generator, and with shifts. */
#include "support/random.h"

uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8; /* lower bits repeat soon */
}

uint32_t random_below(uint32_t *state, uint32_t bound)
{
    return random_next(state) % bound;
}

uint32_t spread_below(uint32_t number, uint32_t bound)
{
    return (uint32_t)((uint64_t)(number * 0x9E3779B1U) * bound >> 32);
}

uint32_t next_random(void)
{
    static uint32_t state = 0x2545F491;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
