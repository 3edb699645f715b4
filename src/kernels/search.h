/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a group's picture in a list of the pictures' first groups. */
#include "kernels/portable.h"

/* Which of `count` (at least 1) ascending entries is the last that is not above `value`; 0 where all are. */
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
