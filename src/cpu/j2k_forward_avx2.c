/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/j2k_forward_rows.h"
#include "cpu/j2k_forward_tiers.h"

void kst_j2k_forward_avx2(struct j2k_forward *forward)
{
    *forward = functions;
}
