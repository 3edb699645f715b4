/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables of tier-1 coding (T.800 Annexes C and D), which the preprocessor computes. The neighbourhood of a
 * coefficient is nine bits, column by column from the west and from north to south in each; bit 4 is the coefficient
 * itself.
 */
#include "j2k/tables/contexts.h"
#include "j2k/tables/mq.h"
#include "kernels/portable.h"

enum { ZERO_TABLE = 512, ZERO_TABLES = 3, SIGN_TABLE = 256 };

#define HORIZONTAL_OF(i) (J2K_BIT(i, 1) + J2K_BIT(i, 7))
#define VERTICAL_OF(i) (J2K_BIT(i, 3) + J2K_BIT(i, 5))
#define DIAGONAL_OF(i) (J2K_BIT(i, 0) + J2K_BIT(i, 2) + J2K_BIT(i, 6) + J2K_BIT(i, 8))

#define ZERO_LOW(i) J2K_ZERO_CONTEXT(HORIZONTAL_OF(i), VERTICAL_OF(i), DIAGONAL_OF(i))
#define ZERO_HIGH_LOW(i) J2K_ZERO_CONTEXT(VERTICAL_OF(i), HORIZONTAL_OF(i), DIAGONAL_OF(i))
#define ZERO_HIGH_HIGH(i) J2K_ZERO_CONTEXT_HH(HORIZONTAL_OF(i) + VERTICAL_OF(i), DIAGONAL_OF(i))

SPREAD_TABLE u8 zero_contexts[ZERO_TABLES * ZERO_TABLE] = {J2K_ENTRIES(ZERO_LOW, 0), J2K_ENTRIES(ZERO_LOW, 256),
    J2K_ENTRIES(ZERO_HIGH_LOW, 0), J2K_ENTRIES(ZERO_HIGH_LOW, 256), J2K_ENTRIES(ZERO_HIGH_HIGH, 0),
    J2K_ENTRIES(ZERO_HIGH_HIGH, 256)};

/*
 * Tables D.2 and D.3, indexed by significance and sign of the neighbours in the west, north, south and east. An entry
 * has the context in bits 1–7 and the bit to invert with in bit 0.
 */
#define SIGNED_OF(i, s) J2K_SIGNED(J2K_BIT(i, s), J2K_BIT(i, (s) + 1))
#define BOTH_OF(i) J2K_BOTH_SIGNS(SIGNED_OF(i, 0) + SIGNED_OF(i, 6), SIGNED_OF(i, 2) + SIGNED_OF(i, 4))
#define SIGN_OF(i) J2K_SIGN_CONTEXT(BOTH_OF(i))

SPREAD_TABLE u8 sign_contexts[SIGN_TABLE] = {J2K_ENTRIES(SIGN_OF, 0)};

/* The states of the MQ coder, indexed by 2 × row + the more probable symbol. */
SPREAD_TABLE u32 mq_rows[J2K_MQ_STATES] = {J2K_MQ_TABLE(J2K_MQ_ROWS)};
