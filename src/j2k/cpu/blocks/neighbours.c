/* SPDX-License-Identifier: BSD-2-Clause */
/* The context tables of T.800 D.3, indexed by the neighbours of a coefficient. */
#include "j2k/cpu/blocks/neighbours.h"
#include "j2k/cpu/blocks/context_rules.h"

#define HORIZONTAL(i) (BIT(i, 5) + BIT(i, 6))
#define VERTICAL(i) (BIT(i, 4) + BIT(i, 7))
#define DIAGONAL(i) (BIT(i, 0) + BIT(i, 1) + BIT(i, 2) + BIT(i, 3))
/* These take an index with nearest neighbours only: significance in bits 0–3, signs in bits 4–7. */
#define HORIZONTAL_SIGN(i) (SIGNED(i, 1, 5) + SIGNED(i, 2, 6))
#define VERTICAL_SIGN(i) (SIGNED(i, 0, 4) + SIGNED(i, 3, 7))

const uint8_t kst_j2k_zero_coding[4][256] = {{HALF(LOW, 0)}, {HALF(HIGH_LOW, 0)}, {HALF(LOW, 0)}, {HALF(HIGH_HIGH, 0)}};

const uint8_t kst_j2k_sign_coding[256] = {HALF(SIGN, 0)};
