/* SPDX-License-Identifier: BSD-2-Clause */
/* Decomposes Exif orientations (Exif 2.32, 4.6.4 A) into mirrorings and a transposition. */
#include "kernels/portable.h"

/*
 * Says how a picture with an orientation of 1–8 is stored, compared with how it is seen: whether its first column is at
 * the right, whether its first row is at the bottom, and whether rows and columns are exchanged.
 */
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
