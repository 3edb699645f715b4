/* SPDX-License-Identifier: BSD-2-Clause */
/* The context tables of T.800 D.3, worked out by the preprocessor from the rules of Tables D.1 to D.3. */
#include "cpu/j2k_context.h"
#include "cpu/j2k_mq.h"

#define BIT(i, b) ((i) >> (b)&1)
#define HORIZONTAL(i) (BIT(i, 3) + BIT(i, 5))
#define VERTICAL(i) (BIT(i, 1) + BIT(i, 7))
#define DIAGONAL(i) (BIT(i, 0) + BIT(i, 2) + BIT(i, 6) + BIT(i, 8))

/* h: neighbours along the direction in which the band is low-pass */
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

const uint8_t kst_j2k_zero_contexts[4][512] = {
    {HALF(LOW, 0), HALF(LOW, 256)},
    {HALF(HIGH_LOW, 0), HALF(HIGH_LOW, 256)},
    {HALF(LOW, 0), HALF(LOW, 256)},
    {HALF(HIGH_HIGH, 0), HALF(HIGH_HIGH, 256)},
};

/* A neighbour whose significance is bit s of i counts 1, or −1 if bit s − 1 says that it is negative. */
#define SIGNED(i, s) (BIT(i, s) ? 1 - 2 * BIT(i, (s)-1) : 0)
#define CLAMP(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)
/* 3 × horizontal + vertical contribution, −4 to 4: Table D.3 is symmetric about 0. */
#define BOTH(i) (3 * CLAMP(SIGNED(i, 3) + SIGNED(i, 5)) + CLAMP(SIGNED(i, 1) + SIGNED(i, 7)))
#define SIGN(i) (2 * (J2K_CONTEXT_SIGN + (BOTH(i) < 0 ? -BOTH(i) : BOTH(i))) + (BOTH(i) < 0 ? 1 : 0))

const uint8_t kst_j2k_sign_contexts[256] = {HALF(SIGN, 0)};
