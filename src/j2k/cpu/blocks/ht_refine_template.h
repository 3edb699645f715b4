/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the refinement passes of T.814 (7.4, 7.5) to samples of type WORD in the array SAMPLES of the decoder. */
#include "j2k/cpu/blocks/ht_refinement.h"

/* Return the value of a plane's bit; 0 where the word has none for it. */
static WORD plane_bit(const struct j2k_ht_decoder *decoder, int32_t plane)
{
    return plane + decoder->fraction >= 0 ? (WORD)1 << (plane + decoder->fraction) : 0;
}

static WORD *sample_at(struct j2k_ht_decoder *decoder, uint32_t stripe, uint32_t group, uint32_t bit)
{
    return decoder->SAMPLES + (size_t)(4 * stripe + bit % 4) * decoder->width + 4 * group + bit / 4;
}

/* Make samples significant, with half a step of their plane. */
static void spread(struct j2k_ht_decoder *decoder, struct j2k_ht_refinement *refinement)
{
    const int32_t plane = (int32_t)decoder->plane - 1;
    const WORD value = plane_bit(decoder, plane) | plane_bit(decoder, plane - 1);
    for (uint32_t stripe = 0; stripe < decoder->stripes; stripe++)
        for (uint32_t group = 0; group < decoder->group_columns; group++)
            for (uint32_t fresh = kst_j2k_cpu_ht_spread(decoder, refinement, stripe, group); fresh != 0;
                 fresh &= fresh - 1)
                *sample_at(decoder, stripe, group, (uint32_t)__builtin_ctz(fresh)) =
                    (WORD)j2k_ht_take(&refinement->forward) << (WORD_BITS - 1) | value;
}

/*
 * Add a bit to samples that the cleanup pass made significant. In its place they have half a step of the plane above.
 */
static void refine(struct j2k_ht_decoder *decoder, struct j2k_ht_refinement *refinement)
{
    const int32_t plane = (int32_t)decoder->plane - 1;
    const WORD one = plane_bit(decoder, plane), half = plane_bit(decoder, plane - 1);
    for (uint32_t stripe = 0; stripe < decoder->stripes; stripe++)
        for (uint32_t group = 0; group < decoder->group_columns; group++)
            for (uint32_t left = decoder->significant[j2k_ht_group_at(decoder, stripe, group)]; left != 0;
                 left &= left - 1) {
                WORD *sample = sample_at(decoder, stripe, group, (uint32_t)__builtin_ctz(left));
                *sample = (j2k_ht_take(&refinement->backward) ? *sample : *sample & ~one) | half;
            }
}

static void take_refinement(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal)
{
    struct j2k_ht_refinement refinement;
    kst_j2k_cpu_ht_refinement_open(decoder, set, causal, &refinement);
    spread(decoder, &refinement);
    if (set->passes > 2)
        refine(decoder, &refinement);
}
