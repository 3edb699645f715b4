/* SPDX-License-Identifier: BSD-2-Clause */
/* Exif orientations (Exif 2.32, 4.6.4 A). */
#include "kernels/portable.h"

/* How an orientation of 1–8 has stored what is seen: its first row and column at the right or the bottom, exchanged. */
struct turn {
    u32 from_right, from_bottom, swaps;
};

FUNCTION struct turn find_turn(u32 orientation)
{
    struct turn turn;
    turn.from_right = 0x18C >> orientation & 1;  /* 2, 3, 7, 8 */
    turn.from_bottom = 0x0D8 >> orientation & 1; /* 3, 4, 6, 7 */
    turn.swaps = orientation >= 5;
    return turn;
}
