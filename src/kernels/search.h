/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds a binary search, by which a work-group finds its picture in a list of the pictures' first groups. */
#include "kernels/portable.h"

/*
 * Return the index of the last of `count` (at least 1) ascending entries that is not above `value`; 0 if all are above
 * it.
 */
FUNCTION u32 find_owner(GLOBAL const u32 *list, u32 count, u32 value)
{
    u32 low = 0, high = count;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (list[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}
