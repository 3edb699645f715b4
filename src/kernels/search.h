/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a binary search, by which a work-group finds its picture in the list of the first work-groups of all
 * pictures.
 */
#include "kernels/portable.h"

/*
 * Return the index of the last of `count` (at least 1) ascending entries that is at most `value`; 0 if all are greater.
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
