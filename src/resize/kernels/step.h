/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a work-group's step, and the samples that it reads and writes. */
#include "kernels/place.h"
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

/* Return how many bytes a place lies behind a multiple of 4. OpenCL's buffers begin at such a multiple. */
FUNCTION u32 oddness_of(GLOBAL const u8 *buffer, u64 place)
{
#if defined(__CUDACC__)
    return (u32)((u64)buffer + place) & 3;
#else
    (void)buffer;
    return (u32)place & 3;
#endif
}

FUNCTION GLOBAL const u32 *source_words_at(GLOBAL const u8 *buffer, u64 place)
{
    return (GLOBAL const u32 *)(GLOBAL const void *)source_at(buffer, place);
}

FUNCTION GLOBAL const u16 *source_halves_at(GLOBAL const u8 *buffer, u64 place)
{
    return (GLOBAL const u16 *)(GLOBAL const void *)source_at(buffer, place);
}

FUNCTION GLOBAL const u32x4 *quads_at(GLOBAL const u32 *work, u32 at)
{
    return (GLOBAL const u32x4 *)(GLOBAL const void *)(work + at);
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

/* Store a word at an aligned byte `at` of a row: only the bytes within the row's `length`. */
FUNCTION void store_word(GLOBAL u8 *row, u32 at, u32 length, u32 word)
{
    if (at + 4 <= length) {
        *(GLOBAL u32 *)(GLOBAL void *)(row + at) = word;
        return;
    }
    for (; at < length; at++, word >>= 8)
        row[at] = (u8)word;
}
