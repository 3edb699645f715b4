/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the forward steps for AVX-512. */
#include "j2k/cpu/dwt/forward_rows.h"
#include "j2k/cpu/dwt/forward_tiers.h"

void kst_j2k_cpu_forward_avx512(struct j2k_forward *forward)
{
    *forward = functions;
}
