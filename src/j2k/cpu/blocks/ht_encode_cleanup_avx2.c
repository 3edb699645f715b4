/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for AVX2. */
#include "j2k/cpu/blocks/ht_encode.h"
#include "j2k/cpu/blocks/ht_encode_row.h"

/* This header uses the functions of the one above. */
#include "j2k/cpu/blocks/ht_encode_cleanup.h"

j2k_ht_cleanup *kst_j2k_ht_cleanup_avx2(void)
{
    return cleanup;
}
