/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls each helper of the kernels' language once, for comparison with plain C. */
#include "kernels/group.h"

enum { GROUP = 128 };

KERNEL(GROUP) test_lanes(GLOBAL const u32 *RESTRICT in, GLOBAL u32 *RESTRICT out, u32 shift)
{
    SHARED u32 scratch[GROUP];
    u32 at = group_index() * GROUP + local_index();
    u32 value = in[at];
    u32 shuffled = lane_shuffle(scratch, value, (lane_index() + shift) % LANES);
    u32 ballot = lane_ballot(scratch, value & 1);
    out[2 * at] = shuffled;
    out[2 * at + 1] = ballot;
}

KERNEL(GROUP) test_scan(GLOBAL const u32 *RESTRICT in, GLOBAL u32 *RESTRICT out)
{
    SHARED u32 scratch[GROUP];
    u32 at = group_index() * GROUP + local_index(), total;
    u32 value = in[at];
    u32 before = group_scan(scratch, GROUP, value, &total);
    u32 any = group_any(scratch, GROUP, value > 0xFFFFFF00u);
    u32 sum = group_sum(scratch, GROUP, value & 0xFF);
    out[4 * at] = before;
    out[4 * at + 1] = total;
    out[4 * at + 2] = any;
    out[4 * at + 3] = sum;
}

KERNEL(GROUP) test_bits(GLOBAL const u32 *RESTRICT in, GLOBAL u32 *RESTRICT out, GLOBAL u32 *RESTRICT counter)
{
    u32 at = group_index() * GROUP + local_index();
    u32 value = in[at];
    out[3 * at] = leading_zeros(value);
    out[3 * at + 1] = ones(value);
    out[3 * at + 2] = swap_bytes(value);
    count_up(counter, value & 3);
    atomic_least(counter + 1, value);
}
