/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the coding passes for every processor of the architecture, and chooses the tier. */
#include "j2k/cpu/blocks/coding_bytes.h"
#include "j2k/rate/measure.h"

static struct j2k_gains plane_gains(const struct j2k_block_encoder *encoder, const struct j2k_measure *measure)
{
    return j2k_plane_gains(measure, encoder->sample, encoder->settings->width * encoder->settings->height);
}

/* Return the gain of a word's coefficients in `fresh`, which become significant. */
ALWAYS_INLINE int64_t fresh_gain(const struct j2k_block_encoder *encoder, const struct j2k_measure *measure,
    uint32_t stripe, uint32_t w, uint64_t fresh)
{
    const uint32_t width = encoder->settings->width;
    const uint32_t *samples = encoder->sample + (size_t)4 * stripe * width + (size_t)16 * w;
    int64_t gain = 0;
    for (; fresh != 0; fresh &= fresh - 1) {
        uint32_t at = (uint32_t)__builtin_ctzll(fresh);
        gain += j2k_significance_gain(measure, samples[at % 4 * width + at / 4]);
    }
    return gain;
}

/* This header uses the functions of the one above, and those here. */
#include "j2k/cpu/blocks/coding_passes.h"

const struct j2k_coding_passes *kst_j2k_cpu_coding_passes(enum cpu_tier tier)
{
#if defined(__x86_64__)
    if (tier >= CPU_AVX2)
        return kst_j2k_cpu_coding_passes_avx2();
#else
    (void)tier;
#endif
    return &passes;
}
