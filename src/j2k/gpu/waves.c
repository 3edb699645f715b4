/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the code-blocks of which several passes are decoded at once, by measured thresholds: see docs/performance.md.
 */
#include "j2k/gpu/batch.h"

/*
 * Thresholds in coded bytes for each compute unit of the device, for blocks of 4,096 coefficients: up to how many bytes
 * each choice pays.
 */
enum {
    BYTES_FOR_FOUR = 160 << 10, /* four planes at once, and below, two and one */
    BYTES_FOR_TWO = 600 << 10,
    BYTES_FOR_ONE = 2000 << 10,
    BYTES_FOR_RAW = 1400 << 10, /* one plane at once, if passes are raw */
    BYTES_FOR_FEW = 24 << 10,   /* using only half of the work-items of a bundle */
    MOST = 4,
    AHEAD = 2 /* words that a pass stays behind the previous one, beside a stripe */
};

/* The flights that a block's size has room for: successive passes are a stripe and two words apart. */
static uint32_t most_flights(const struct j2k_tile_component *tc)
{
    uint32_t across = tc->block_width > 3 ? 1U << (tc->block_width - 3) : 1, down = 1U << (tc->block_height - 2);
    uint32_t passes = across * down / (across + AHEAD), flights = 1;
    if (passes < 2)
        return 0;
    while (flights < MOST && 3 * flights < passes)
        flights *= 2;
    return flights;
}

/*
 * Smaller blocks finish sooner when their passes follow each other, and so fewer bytes of them keep the device busy;
 * the bytes are scaled accordingly.
 */
uint32_t kst_gpu_j2k_flights(const struct j2k_tile_component *tc, uint64_t bytes)
{
    uint64_t scaled = bytes << (12 - tc->block_width - tc->block_height);
    if ((tc->style & J2K_STYLE_RESET) == 0 || (tc->style & J2K_STYLE_TERMALL) == 0 ||
        scaled > ((tc->style & J2K_STYLE_BYPASS) != 0 ? BYTES_FOR_RAW : BYTES_FOR_ONE))
        return 0;
    uint32_t most = most_flights(tc), flights = scaled > BYTES_FOR_TWO ? 1 : scaled > BYTES_FOR_FOUR ? 2 : MOST;
    return most < flights ? most : flights;
}

uint32_t kst_gpu_j2k_wave_lanes(uint32_t flights, uint64_t bytes)
{
    return J2K_BUNDLE / flights / (bytes > BYTES_FOR_FEW ? 1 : 2);
}
