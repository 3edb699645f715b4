/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what the decoding passes, MQ-coded and raw, share. A pass goes through words of 64 coefficients, one bit for
 * each, and in a word from one coefficient that must be coded to the next. So for the processor only the decisions are
 * hard to predict, not how many of them a column has.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_WORDS_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_WORDS_H

#include "j2k/cpu/blocks/block.h"

/* Describes a word of coefficients: its place in all the sets and arrays. */
struct j2k_word {
    uint64_t *significant, *visited, *refined;
    j2k_neighbours *neighbours, *negatives;
    uint32_t *samples;
    uint64_t there; /* bits that belong to the block */
};

ALWAYS_INLINE struct j2k_word j2k_word_at(struct j2k_block_decoder *decoder, uint32_t stripe, uint32_t word)
{
    size_t index = (size_t)(stripe + 1) * (decoder->words + 1) + word + 1;
    size_t first = (size_t)(16 * word + 1) * decoder->column + (size_t)(4 * stripe + 1);
    return (struct j2k_word){.significant = decoder->significant + index,
        .visited = decoder->visited + index,
        .refined = decoder->refined + index,
        .neighbours = decoder->neighbours + first,
        .negatives = decoder->negatives + first,
        .samples = decoder->samples + (size_t)4 * stripe * decoder->width + (size_t)16 * word,
        .there = (word + 1 == decoder->words ? decoder->last_columns : UINT64_MAX) &
                 (stripe + 1 == decoder->stripes ? decoder->last_rows : UINT64_MAX)};
}

/* Visits all words of all stripes in the order of D.1. */
#define FOR_EACH_WORD(decoder)                                                                                         \
    for (uint32_t stripe = 0; stripe < (decoder)->stripes; stripe++)                                                   \
        for (uint32_t word = 0; word < (decoder)->words; word++)

/* Return the value of a coefficient that becomes significant in plane `one`, including half of that plane. */
ALWAYS_INLINE uint32_t first_value(uint32_t one, uint32_t sign)
{
    return one | one >> 1 | sign << 31;
}

/* Return the value of a coefficient after refinement (D.3.3); until now its bit in plane `one` held the bias. */
ALWAYS_INLINE uint32_t refined_value(uint32_t value, uint32_t one, uint32_t bit)
{
    return (value ^ (bit ? 0 : one)) | one >> 1;
}

/* Mark the coefficient of bit `at` as significant, also for its neighbours. */
ALWAYS_INLINE void j2k_make_significant(
    struct j2k_block_decoder *decoder, const struct j2k_word *w, uint32_t at, bool causal)
{
    *w->significant |= (uint64_t)1 << at;
    j2k_tell_neighbours(w->neighbours + decoder->neighbours_at[at], (ptrdiff_t)decoder->column, !causal || at % 4 != 0);
}

/* Set the value and the sign of a coefficient that became significant. */
ALWAYS_INLINE void j2k_set_value(
    struct j2k_block_decoder *decoder, const struct j2k_word *w, uint32_t at, uint32_t value)
{
    w->samples[decoder->sample_at[at]] = value;
    j2k_tell_sign(w->negatives + decoder->neighbours_at[at], (ptrdiff_t)decoder->column, value >> 31);
}

#endif
