/* SPDX-License-Identifier: BSD-2-Clause */
/* The context tables of T.800 D.3 by the flags of a stripe column. */
#include "cpu/j2k_context.h"
#include "cpu/j2k_context_rules.h"

#define HORIZONTAL(i) (BIT(i, 3) + BIT(i, 5))
#define VERTICAL(i) (BIT(i, 1) + BIT(i, 7))
#define DIAGONAL(i) (BIT(i, 0) + BIT(i, 2) + BIT(i, 6) + BIT(i, 8))
#define HORIZONTAL_SIGN(i) (SIGNED(i, 3, 2) + SIGNED(i, 5, 4))
#define VERTICAL_SIGN(i) (SIGNED(i, 1, 0) + SIGNED(i, 7, 6))

const uint8_t kst_j2k_zero_contexts[4][512] = {
    {HALF(LOW, 0), HALF(LOW, 256)},
    {HALF(HIGH_LOW, 0), HALF(HIGH_LOW, 256)},
    {HALF(LOW, 0), HALF(LOW, 256)},
    {HALF(HIGH_HIGH, 0), HALF(HIGH_HIGH, 256)},
};

const uint8_t kst_j2k_sign_contexts[256] = {HALF(SIGN, 0)};
