/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the bits of the refinement passes of T.814 (7.4, 7.5) are decoded, for samples of any type. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_REFINEMENT_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_REFINEMENT_H

#include "j2k/cpu/blocks/ht_decode.h"

struct j2k_ht_refinement {
    struct j2k_ht_run forward, backward; /* of significance propagation, and of magnitude refinement */
    bool causal;
};

static inline uint32_t j2k_ht_take(struct j2k_ht_run *run)
{
    uint32_t at = run->at++;
    return at < run->count ? (uint32_t)run->data[at / 8] >> at % 8 & 1 : 0;
}

/* Return the index of a group in the decoder's arrays of groups. */
static inline size_t j2k_ht_group_at(const struct j2k_ht_decoder *decoder, uint32_t stripe, uint32_t group)
{
    return (size_t)(stripe + 1) * decoder->group_pitch + group + 1;
}

/* Begin: remove the stuffing of both runs, and find which samples the cleanup pass made significant. */
void kst_j2k_cpu_ht_refinement_open(
    struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal, struct j2k_ht_refinement *refinement);

/*
 * Take the bits of a group in the pass of significance propagation. Returns which samples become significant; their
 * signs are the next bits of `forward`.
 */
uint32_t kst_j2k_cpu_ht_spread(
    struct j2k_ht_decoder *decoder, struct j2k_ht_refinement *refinement, uint32_t stripe, uint32_t group);

#endif
