/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States the contexts of T.800 Annex D: their numbers, and the rules of Tables D.1 to D.3, from which the preprocessor
 * computes tables. The code that makes a table decides how an index describes the neighbours of a coefficient.
 */
#ifndef KOSTKA_J2K_TABLES_CONTEXTS_H
#define KOSTKA_J2K_TABLES_CONTEXTS_H

enum {
    J2K_CONTEXT_ZERO = 0,
    J2K_CONTEXT_SIGN = 9,
    J2K_CONTEXT_MAGNITUDE = 14,
    J2K_CONTEXT_RUN = 17,
    J2K_CONTEXT_UNIFORM = 18,
    J2K_CONTEXTS = 19,
    J2K_MQ_STATES = 94, /* rows of Table C.2, times two more probable symbols */
    /* The states in which contexts start (Table D.7); all others start in state 0. */
    J2K_START_ZERO = 2 * 4,
    J2K_START_RUN = 2 * 3,
    J2K_START_UNIFORM = 2 * 46
};

/*
 * Table D.1, from the numbers of significant neighbours to the left and right, above and below, and diagonally. `low`
 * counts those along the direction in which the band is low-pass, `high` those along the other.
 */
#define J2K_ZERO_CONTEXT(low, high, diagonal)                                                                          \
    ((low) == 2      ? 8                                                                                               \
        : (low) == 1 ? ((high) > 0          ? 7                                                                        \
                           : (diagonal) > 0 ? 6                                                                        \
                                            : 5)                                                                       \
        : (high) > 0 ? ((high) == 2 ? 4 : 3)                                                                           \
                     : ((diagonal) >= 2 ? 2 : (diagonal)))
/* The same for HH; `straight` counts neighbours that are not diagonal. */
#define J2K_ZERO_CONTEXT_HH(straight, diagonal)                                                                        \
    ((diagonal) >= 3      ? 8                                                                                          \
        : (diagonal) == 2 ? ((straight) > 0 ? 7 : 6)                                                                   \
        : (diagonal) == 1 ? ((straight) >= 2 ? 5 : 3 + (straight))                                                     \
                          : ((straight) >= 2 ? 2 : (straight)))

/* The contribution of a neighbour to the sign's context: 0 if it is not significant, else 1, or −1 if it is negative.
 */
#define J2K_SIGNED(significant, negative) ((significant) ? 1 - 2 * (negative) : 0)
#define J2K_CLAMPED(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : 0)
/* 3 × the horizontal plus the vertical contribution, −4 to 4: Table D.3 is symmetric about 0. */
#define J2K_BOTH_SIGNS(horizontal, vertical) (3 * J2K_CLAMPED(horizontal) + J2K_CLAMPED(vertical))
/* Tables D.2 and D.3: the context in bits 1–7 and the bit to invert with in bit 0. `both` is the sum above. */
#define J2K_SIGN_CONTEXT(both) (2 * (J2K_CONTEXT_SIGN + ((both) < 0 ? -(both) : (both))) + ((both) < 0 ? 1 : 0))

#define J2K_BIT(i, b) ((i) >> (b)&1)

/* The 256 entries of a table that f computes from an index. A number is short wherever a macro repeats it. */
#define J2K_ENTRIES_16(f, h)                                                                                           \
    f(0x##h##0), f(0x##h##1), f(0x##h##2), f(0x##h##3), f(0x##h##4), f(0x##h##5), f(0x##h##6), f(0x##h##7),            \
        f(0x##h##8), f(0x##h##9), f(0x##h##A), f(0x##h##B), f(0x##h##C), f(0x##h##D), f(0x##h##E), f(0x##h##F)
#define J2K_ENTRIES(f)                                                                                                 \
    J2K_ENTRIES_16(f, 0), J2K_ENTRIES_16(f, 1), J2K_ENTRIES_16(f, 2), J2K_ENTRIES_16(f, 3), J2K_ENTRIES_16(f, 4),      \
        J2K_ENTRIES_16(f, 5), J2K_ENTRIES_16(f, 6), J2K_ENTRIES_16(f, 7), J2K_ENTRIES_16(f, 8), J2K_ENTRIES_16(f, 9),  \
        J2K_ENTRIES_16(f, A), J2K_ENTRIES_16(f, B), J2K_ENTRIES_16(f, C), J2K_ENTRIES_16(f, D), J2K_ENTRIES_16(f, E),  \
        J2K_ENTRIES_16(f, F)

#endif
