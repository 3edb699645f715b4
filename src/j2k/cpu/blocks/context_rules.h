/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of T.800, Tables D.1 to D.3, from which the preprocessor computes tables. The file that includes this
 * defines HORIZONTAL(i), VERTICAL(i) and DIAGONAL(i), the numbers of significant neighbours in index i, and
 * HORIZONTAL_SIGN(i), VERTICAL_SIGN(i), the sums of SIGNED for two neighbours.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_CONTEXT_RULES_H
#define KOSTKA_J2K_CPU_BLOCKS_CONTEXT_RULES_H

#include "j2k/cpu/blocks/mq.h"

#define BIT(i, b) ((i) >> (b)&1)

/* h: the number of neighbours along the direction in which the band is low-pass. */
#define ONE_WAY(h, v, d)                                                                                               \
    ((h) == 2 ? 8 : (h) == 1 ? ((v) > 0 ? 7 : (d) > 0 ? 6 : 5) : (v) > 0 ? ((v) == 2 ? 4 : 3) : (d) >= 2 ? 2 : (d))
#define BOTH_WAYS(hv, d)                                                                                               \
    ((d) >= 3 ? 8 : (d) == 2 ? ((hv) > 0 ? 7 : 6) : (d) == 1 ? ((hv) >= 2 ? 5 : 3 + (hv)) : (hv) >= 2 ? 2 : (hv))

#define LOW(i) ONE_WAY(HORIZONTAL(i), VERTICAL(i), DIAGONAL(i))
#define HIGH_LOW(i) ONE_WAY(VERTICAL(i), HORIZONTAL(i), DIAGONAL(i))
#define HIGH_HIGH(i) BOTH_WAYS(HORIZONTAL(i) + VERTICAL(i), DIAGONAL(i))

#define EIGHT(f, i) f(i), f((i) + 1), f((i) + 2), f((i) + 3), f((i) + 4), f((i) + 5), f((i) + 6), f((i) + 7)
#define SIXTY_FOUR(f, i)                                                                                               \
    EIGHT(f, i), EIGHT(f, (i) + 8), EIGHT(f, (i) + 16), EIGHT(f, (i) + 24), EIGHT(f, (i) + 32), EIGHT(f, (i) + 40),    \
        EIGHT(f, (i) + 48), EIGHT(f, (i) + 56)
#define HALF(f, i) SIXTY_FOUR(f, i), SIXTY_FOUR(f, (i) + 64), SIXTY_FOUR(f, (i) + 128), SIXTY_FOUR(f, (i) + 192)

/* The contribution of a neighbour whose significance is bit s of i: 1, or −1 if bit n is set, which means negative. */
#define SIGNED(i, s, n) (BIT(i, s) ? 1 - 2 * BIT(i, n) : 0)
#define CLAMP(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)
/* 3 × the horizontal plus the vertical contribution, −4 to 4: Table D.3 is symmetric about 0. */
#define BOTH(i) (3 * CLAMP(HORIZONTAL_SIGN(i)) + CLAMP(VERTICAL_SIGN(i)))
#define SIGN(i) (2 * (J2K_CONTEXT_SIGN + (BOTH(i) < 0 ? -BOTH(i) : BOTH(i))) + (BOTH(i) < 0 ? 1 : 0))

#endif
