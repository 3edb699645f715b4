/* SPDX-License-Identifier: BSD-2-Clause */
/* Mirrors positions that lie outside of a level. */
#include "kernels/portable.h"

/*
 * Return the position in [i0, i1) whose mirror image is position i by periodic symmetric extension (F-4, F-5). It has
 * the same parity as i, unless the range has only one position.
 */
FUNCTION i32 mirror(i32 i, i32 i0, i32 i1)
{
    if (i >= i0 && i < i1)
        return i;
    if (i1 - i0 == 1)
        return i0;
    i32 period = 2 * (i1 - i0 - 1), offset = (i - i0) % period;
    offset += offset < 0 ? period : 0;
    return i0 + (offset < period - offset ? offset : period - offset);
}

/* Return the same for a position that is mirrored at most once. */
FUNCTION i32 mirror_once(i32 i, i32 i0, i32 i1)
{
    i = i > 2 * i0 - i ? i : 2 * i0 - i;
    return i < 2 * (i1 - 1) - i ? i : 2 * (i1 - 1) - i;
}
