/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What coding passes have in common, of the MQ coder's bits and of raw ones: they go through words of 64 coefficients
 * and in each from one that has to be coded to the next. So what is hard to predict is decisions alone, not how many
 * of them a column has.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_BLOCK_WORDS_H
#define KOSTKA_J2K_CPU_BLOCKS_BLOCK_WORDS_H

#include "j2k/cpu/blocks/block.h"

/* A word, and what is in it and around. */
struct j2k_word {
    uint64_t *significant, *visited, *refined;
    j2k_neighbours *neighbours, *negatives;
    uint32_t *samples;
    uint64_t there; /* bits of the block */
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

/* All words of all stripes in the order of D.1. */
#define FOR_EACH_WORD(decoder)                                                                                         \
    for (uint32_t stripe = 0; stripe < (decoder)->stripes; stripe++)                                                   \
        for (uint32_t word = 0; word < (decoder)->words; word++)

/* The magnitude of a coefficient that becomes significant in plane `one`, and half of that plane. */
ALWAYS_INLINE uint32_t first_value(uint32_t one, uint32_t sign)
{
    return one | one >> 1 | sign << 31;
}

/* D.3.3: its bit in plane `one` holds the bias so far. */
ALWAYS_INLINE uint32_t refined_value(uint32_t value, uint32_t one, uint32_t bit)
{
    return (value ^ (bit ? 0 : one)) | one >> 1;
}

/* The coefficient of bit `at` is significant from now on. */
ALWAYS_INLINE void j2k_make_significant(
    struct j2k_block_decoder *decoder, const struct j2k_word *w, uint32_t at, bool causal)
{
    *w->significant |= (uint64_t)1 << at;
    j2k_tell_neighbours(w->neighbours + decoder->neighbours_at[at], (ptrdiff_t)decoder->column, !causal || at % 4 != 0);
}

/* And this is its value. */
ALWAYS_INLINE void j2k_set_value(
    struct j2k_block_decoder *decoder, const struct j2k_word *w, uint32_t at, uint32_t value)
{
    w->samples[decoder->sample_at[at]] = value;
    j2k_tell_sign(w->negatives + decoder->neighbours_at[at], (ptrdiff_t)decoder->column, value >> 31);
}

#endif
