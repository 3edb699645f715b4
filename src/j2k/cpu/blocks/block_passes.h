/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the decoding passes whose bits are MQ-coded (T.800 D.3, D.4). Each tier's file includes this once, because the
 * passes gain from instructions that count leading zeros or shift by any number. Every pass is a function of its own,
 * because registers are scarce.
 */
#include "j2k/cpu/blocks/block_words.h"

/* Decode a sign (D.3.2): 1 if negative. */
ALWAYS_INLINE uint32_t decode_sign(struct j2k_mq *mq, uint32_t *contexts, uint32_t neighbours, uint32_t negatives)
{
    uint32_t entry = kst_j2k_cpu_sign_coding[neighbours >> 4 | negatives];
    return j2k_mq_decode(mq, &contexts[entry >> 1]) ^ (entry & 1);
}

/* Make the significance pass (D.3.1, D.4): zero coding of the coefficients that have significant neighbours. */
ALWAYS_INLINE void significance_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts;
    const uint8_t *zero_coding = decoder->zero_coding;
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        uint64_t open = w.there & ~*w.significant, left = open;
        uint64_t next = open & j2k_near(w.significant, (ptrdiff_t)decoder->words + 1, causal);
        left ^= next;
        while (next != 0) {
            uint32_t at = (uint32_t)__builtin_ctzll(next);
            uint32_t place = decoder->neighbours_at[at], neighbours = w.neighbours[place];
            next &= next - 1;
            if (!j2k_mq_decode(&mq, &contexts[zero_coding[neighbours]]))
                continue;
            /* This comes before the sign is decoded, because the next coefficient's context waits for it. */
            j2k_make_significant(decoder, &w, at, causal);
            uint64_t more = left & j2k_later_neighbours((uint64_t)1 << at);
            next |= more;
            left ^= more;
            uint32_t sign = decode_sign(&mq, contexts, neighbours, w.negatives[place]);
            j2k_set_value(decoder, &w, at, first_value(one, sign));
        }
        *w.visited = open ^ left;
    }
    decoder->mq = mq;
}

static __attribute__((noinline)) void refinement_pass(struct j2k_block_decoder *decoder, uint32_t one)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts;
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        uint64_t next = *w.significant & ~*w.visited, refined = *w.refined;
        *w.refined = refined | next;
        for (; next != 0; next &= next - 1) {
            uint32_t at = (uint32_t)__builtin_ctzll(next), again = (uint32_t)(refined >> at & 1) * 2;
            uint32_t near = w.neighbours[decoder->neighbours_at[at]] != 0;
            uint32_t *sample = &w.samples[decoder->sample_at[at]];
            uint32_t context = J2K_CONTEXT_MAGNITUDE + again + (near >> again);
            *sample = refined_value(*sample, one, j2k_mq_decode(&mq, &contexts[context]));
        }
    }
    decoder->mq = mq;
}

/*
 * Decode a run (D.3.4): four rows of which nothing is known. Returns the first row that is significant, or 4 if none
 * is.
 */
ALWAYS_INLINE uint32_t decode_run(struct j2k_mq *mq, uint32_t *contexts)
{
    if (j2k_mq_skip(mq, contexts[J2K_CONTEXT_RUN]) || !j2k_mq_decode(mq, &contexts[J2K_CONTEXT_RUN]))
        return 4;
    uint32_t high = j2k_mq_decode(mq, &contexts[J2K_CONTEXT_UNIFORM]);
    return high << 1 | j2k_mq_decode(mq, &contexts[J2K_CONTEXT_UNIFORM]);
}

/*
 * Make the cleanup pass: decode the coefficients that the other passes left. For a column that is a run, only the first
 * bit is in `next`.
 */
ALWAYS_INLINE void cleanup_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts;
    const uint8_t *zero_coding = decoder->zero_coding;
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        uint64_t next = w.there & ~(*w.significant | *w.visited);
        if (next == 0)
            continue;
        uint64_t runs = j2k_whole_columns(next & ~j2k_near(w.significant, (ptrdiff_t)decoder->words + 1, causal));
        next ^= runs * (J2K_COLUMN - 1);
        while (next != 0) {
            uint32_t at = (uint32_t)__builtin_ctzll(next);
            if ((runs >> at & 1) != 0) {
                uint32_t row = decode_run(&mq, contexts);
                next &= next - 1;
                if (row == 4)
                    continue;
                next |= (uint64_t)(J2K_COLUMN << 1 << row & J2K_COLUMN) << at;
                at += row;
            } else {
                next &= next - 1;
                if (!j2k_mq_decode(&mq, &contexts[zero_coding[w.neighbours[decoder->neighbours_at[at]]]]))
                    continue;
            }
            uint32_t place = decoder->neighbours_at[at];
            uint32_t neighbours = w.neighbours[place], negatives = w.negatives[place];
            j2k_make_significant(decoder, &w, at, causal);
            uint64_t ended = runs & (uint64_t)16 << (at & ~3u); /* the column to the right can no longer be a run */
            next |= ended * J2K_COLUMN;
            runs ^= ended;
            uint32_t sign = decode_sign(&mq, contexts, neighbours, negatives);
            j2k_set_value(decoder, &w, at, first_value(one, sign));
        }
    }
    decoder->mq = mq;
}

/* Each pass exists once for each kind of contexts (D.7). */
#define PASS(name, pass, causal)                                                                                       \
    static __attribute__((noinline)) void name(struct j2k_block_decoder *decoder, uint32_t one)                        \
    {                                                                                                                  \
        pass(decoder, one, causal);                                                                                    \
    }
PASS(significance, significance_pass, false)
PASS(causal_significance, significance_pass, true)
PASS(cleanup, cleanup_pass, false)
PASS(causal_cleanup, cleanup_pass, true)

static const struct j2k_block_passes passes = {.significance = {significance, causal_significance},
    .refinement = refinement_pass,
    .cleanup = {cleanup, causal_cleanup}};
