/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for every processor of the architecture, and chooses the tier. */
#include "j2k/cpu/blocks/ht_encode.h"
#include "j2k/cpu/blocks/ht_encode_row.h"

/* This header uses the functions of the one above. */
#include "j2k/cpu/blocks/ht_encode_cleanup.h"

#include "j2k/cpu/blocks/ht_encode_count.h"

ALWAYS_INLINE void put_codes(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count)
{
    put_pairs(encoder, to, quad, count);
}

static uint32_t row_bits(const struct j2k_ht_row *row, uint32_t quads)
{
    uint32_t bits = 0;
    for (uint32_t quad = 0; quad < quads; quad++)
        bits += quad_bits(row, false, quad) + excess_bits(row->excess[quad]);
    return bits;
}

static const struct j2k_ht_coding coding = {.any = any_bits, .cleanup = cleanup, .count = count};

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX512)
        return kst_j2k_cpu_ht_coding_avx512();
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_ht_coding_avx2();
#elif defined(__aarch64__)
    if (tier == CPU_NEON)
        return kst_j2k_cpu_ht_coding_neon();
#else
    (void)tier;
#endif
    return &coding;
}
