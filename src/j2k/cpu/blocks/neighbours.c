/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the context tables of T.800 D.3, indexed by the neighbours of a coefficient. */
#include "j2k/cpu/blocks/neighbours.h"

#include "j2k/tables/contexts.h"

#define HORIZONTAL(i) (J2K_BIT(i, 5) + J2K_BIT(i, 6))
#define VERTICAL(i) (J2K_BIT(i, 4) + J2K_BIT(i, 7))
#define DIAGONAL(i) (J2K_BIT(i, 0) + J2K_BIT(i, 1) + J2K_BIT(i, 2) + J2K_BIT(i, 3))

#define LOW(i) J2K_ZERO_CONTEXT(HORIZONTAL(i), VERTICAL(i), DIAGONAL(i))
#define HIGH_LOW(i) J2K_ZERO_CONTEXT(VERTICAL(i), HORIZONTAL(i), DIAGONAL(i))
#define HIGH_HIGH(i) J2K_ZERO_CONTEXT_HH(HORIZONTAL(i) + VERTICAL(i), DIAGONAL(i))

const uint8_t kst_j2k_cpu_zero_coding[4][256] = {
    {J2K_ENTRIES(LOW, 0)}, {J2K_ENTRIES(HIGH_LOW, 0)}, {J2K_ENTRIES(LOW, 0)}, {J2K_ENTRIES(HIGH_HIGH, 0)}};

/* The nearest neighbours have their significance in bits 0–3 and their signs in bits 4–7. */
#define SIGNED(i, n) J2K_SIGNED(J2K_BIT(i, n), J2K_BIT(i, (n) + 4))
#define SIGN(i) J2K_SIGN_CONTEXT(J2K_BOTH_SIGNS(SIGNED(i, 1) + SIGNED(i, 2), SIGNED(i, 0) + SIGNED(i, 3)))

const uint8_t kst_j2k_cpu_sign_coding[256] = {J2K_ENTRIES(SIGN, 0)};
