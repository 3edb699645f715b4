/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/j2k_inverse_rows.h"
#include "cpu/j2k_inverse_tiers.h"

void kst_j2k_inverse_avx2(struct j2k_inverse *inverse)
{
    *inverse = functions;
}
