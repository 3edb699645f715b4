/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides a tile's columns into lanes, so that a thread nearly always works on coefficients that its own processor has
 * in its cache. Two processors may share no cache, and then a line that another one has last used costs a hundred
 * nanoseconds or more: without lanes two threads took twice the processor time of one.
 */
#ifndef KOSTKA_J2K_CPU_LANES_H
#define KOSTKA_J2K_CPU_LANES_H

#include <stdint.h>

enum {
    J2K_LANES_MAX = 16,
    J2K_LANE_COLUMNS = 512 /* fewest columns of a lane, nearly */
};

/* Lane i has the columns from x[i] on that are before x[i + 1], of the last resolution. */
struct j2k_lanes {
    uint32_t count;
    uint32_t x[J2K_LANES_MAX + 1];
};

/*
 * Divide the columns x0 ≤ x < x1 among at most `threads` lanes, which meet between code-blocks of 2^block_width columns
 * of the first level.
 */
static inline struct j2k_lanes j2k_lanes_make(uint32_t x0, uint32_t x1, uint32_t threads, uint32_t block_width)
{
    const uint32_t most = threads < J2K_LANES_MAX ? threads : J2K_LANES_MAX;
    const uint32_t unit = 2U << block_width, least = J2K_LANE_COLUMNS > 2 * unit ? J2K_LANE_COLUMNS : 2 * unit;
    const uint32_t fit = (x1 - x0) / least;
    struct j2k_lanes lanes = {.count = fit < most ? fit : most};
    lanes.count = lanes.count > 0 ? lanes.count : 1;
    lanes.x[0] = x0;
    for (uint32_t i = 1; i < lanes.count; i++) {
        const uint64_t at = x0 + (uint64_t)(x1 - x0) * i / lanes.count;
        lanes.x[i] = (uint32_t)((at + unit / 2) / unit * unit);
    }
    lanes.x[lanes.count] = x1;
    return lanes;
}

/* Return the lane of column x of a band, of which a column stands for 2^shift columns of the last resolution. */
static inline uint32_t j2k_lane_of_column(const struct j2k_lanes *lanes, uint32_t x, uint32_t shift)
{
    uint32_t lane = 0;
    while (lane + 1 < lanes->count && (uint64_t)x << shift >= lanes->x[lane + 1])
        lane++;
    return lane;
}

/*
 * Return the lane that has the lower resolutions of a component. Components that are left over when all lanes have the
 * same number go to each lane in turn, step by step.
 */
static inline uint32_t j2k_lane_of_component(
    const struct j2k_lanes *lanes, uint32_t component, uint32_t components, uint32_t step)
{
    const uint32_t even = components / lanes->count * lanes->count;
    return component < even ? component % lanes->count : (component - even + step) % lanes->count;
}

#endif
