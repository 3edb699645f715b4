/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the inverse steps for AVX2. */
#include "j2k/cpu/dwt/inverse_rows.h"
#include "j2k/cpu/dwt/inverse_tiers.h"

void kst_j2k_cpu_inverse_avx2(struct j2k_inverse *inverse)
{
    *inverse = functions;
}
