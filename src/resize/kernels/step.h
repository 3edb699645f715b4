/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a work-group's step, and the samples that it reads and writes. */
#include "kernels/place.h"
#include "kernels/quads.h"
#include "kernels/search.h"

#include "resize/kernels/work.h"

/*
 * Return the step that the work-group belongs to, of `count` steps whose first work-groups are listed; *group receives
 * the work-group's index within the step.
 */
FUNCTION GLOBAL const struct resize_work_step *find_step(
    GLOBAL const u32 *work, u32 list, u32 steps, u32 count, u32 *group)
{
    u32 index = find_owner(work + list, count, group_index());
    *group = group_index() - work[list + index];
    return (GLOBAL const struct resize_work_step *)(work + steps) + index;
}

FUNCTION GLOBAL const u16 *source_halves_at(GLOBAL const u8 *buffer, u64 place)
{
    return (GLOBAL const u16 *)(GLOBAL const void *)source_at(buffer, place);
}

FUNCTION u32 clipped(i32 value, u32 greatest)
{
    return value < 0 ? 0 : value > (i32)greatest ? greatest : (u32)value;
}

/* Combine the sums of products with the lowest, second and third bytes of the weights, and round the result. */
FUNCTION u32 round_narrow(u32 low, u32 middle, u32 high, u32 greatest)
{
    u32 sum = low + (middle << 8) + (high << 16) + (1u << (RESIZE_NARROW_BITS - 1));
    return clipped((i32)sum >> RESIZE_NARROW_BITS, greatest);
}
