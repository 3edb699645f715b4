/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of tier-1 coding (T.800 Annexes C and D), computed by the preprocessor. The neighbourhood of a coefficient
 * is nine bits, column by column from the west and from north to south in each; bit 4 is the coefficient itself.
 */
#include "j2k/kernels/mq_rows.h"
#include "kernels/portable.h"

enum {
    CONTEXT_SIGN = 9,
    CONTEXT_MAGNITUDE = 14,
    CONTEXT_RUN = 17,
    CONTEXT_UNIFORM = 18,
    CONTEXTS = 19,
    ZERO_TABLE = 512,
    ZERO_TABLES = 3,
    SIGN_TABLE = 256,
    MQ_ROWS = 94
};

#define BIT_OF(i, b) ((i) >> (b)&1)
#define HORIZONTAL_OF(i) (BIT_OF(i, 1) + BIT_OF(i, 7))
#define VERTICAL_OF(i) (BIT_OF(i, 3) + BIT_OF(i, 5))
#define DIAGONAL_OF(i) (BIT_OF(i, 0) + BIT_OF(i, 2) + BIT_OF(i, 6) + BIT_OF(i, 8))

/* Table D.1. h is the number of significant neighbours in the direction in which the band is low-pass. */
#define ONE_WAY(h, v, d)                                                                                               \
    ((h) == 2 ? 8 : (h) == 1 ? ((v) > 0 ? 7 : (d) > 0 ? 6 : 5) : (v) > 0 ? ((v) == 2 ? 4 : 3) : (d) >= 2 ? 2 : (d))
#define BOTH_WAYS(hv, d)                                                                                               \
    ((d) >= 3 ? 8 : (d) == 2 ? ((hv) > 0 ? 7 : 6) : (d) == 1 ? ((hv) >= 2 ? 5 : 3 + (hv)) : (hv) >= 2 ? 2 : (hv))

#define ZERO_LOW(i) ONE_WAY(HORIZONTAL_OF(i), VERTICAL_OF(i), DIAGONAL_OF(i))
#define ZERO_HIGH_LOW(i) ONE_WAY(VERTICAL_OF(i), HORIZONTAL_OF(i), DIAGONAL_OF(i))
#define ZERO_HIGH_HIGH(i) BOTH_WAYS(HORIZONTAL_OF(i) + VERTICAL_OF(i), DIAGONAL_OF(i))

#define EIGHT(f, i) f(i), f((i) + 1), f((i) + 2), f((i) + 3), f((i) + 4), f((i) + 5), f((i) + 6), f((i) + 7)
#define SIXTY_FOUR(f, i)                                                                                               \
    EIGHT(f, i), EIGHT(f, (i) + 8), EIGHT(f, (i) + 16), EIGHT(f, (i) + 24), EIGHT(f, (i) + 32), EIGHT(f, (i) + 40),    \
        EIGHT(f, (i) + 48), EIGHT(f, (i) + 56)
#define HALF(f, i) SIXTY_FOUR(f, i), SIXTY_FOUR(f, (i) + 64), SIXTY_FOUR(f, (i) + 128), SIXTY_FOUR(f, (i) + 192)

SPREAD_TABLE u8 zero_contexts[ZERO_TABLES * ZERO_TABLE] = {HALF(ZERO_LOW, 0), HALF(ZERO_LOW, 256),
    HALF(ZERO_HIGH_LOW, 0), HALF(ZERO_HIGH_LOW, 256), HALF(ZERO_HIGH_HIGH, 0), HALF(ZERO_HIGH_HIGH, 256)};

/*
 * Tables D.2 and D.3, indexed by significance and sign of the neighbours in the west, north, south and east. An entry
 * has the context in bits 1–7 and the bit to invert with in bit 0.
 */
#define SIGNED_OF(i, s) (BIT_OF(i, s) ? 1 - 2 * BIT_OF(i, (s) + 1) : 0)
#define CLAMPED(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)
#define BOTH_OF(i) (3 * CLAMPED(SIGNED_OF(i, 0) + SIGNED_OF(i, 6)) + CLAMPED(SIGNED_OF(i, 2) + SIGNED_OF(i, 4)))
#define SIGN_OF(i) (2 * (CONTEXT_SIGN + (BOTH_OF(i) < 0 ? -BOTH_OF(i) : BOTH_OF(i))) + (BOTH_OF(i) < 0 ? 1 : 0))

SPREAD_TABLE u8 sign_contexts[SIGN_TABLE] = {HALF(SIGN_OF, 0)};

/* The states of the MQ coder, indexed by 2 × row + the more probable symbol. */
SPREAD_TABLE u32 mq_rows[MQ_ROWS] = {J2K_MQ_TABLE(J2K_MQ_ROWS)};
