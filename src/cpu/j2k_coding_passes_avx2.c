/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/j2k_coding_passes.h"

const struct j2k_coding_passes *kst_j2k_coding_passes_avx2(void)
{
    return &passes;
}
