/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coding passes of the MQ coder's bits (T.800 D.3, D.4). Included once by each tier's file: it pays to have counts
 * of leading zeros and shifts by any number in one instruction each. Every pass is a function of its own, as registers
 * are what is scarce.
 */
#include "cpu/j2k_block_columns.h"

/* D.3.2: returns 1 if negative. */
ALWAYS_INLINE uint32_t decode_sign(struct j2k_mq *mq, uint32_t *contexts, j2k_flags shifted)
{
    uint32_t entry = kst_j2k_sign_contexts[j2k_sign_index(shifted)];
    return j2k_mq_decode(mq, &contexts[entry >> 1]) ^ (entry & 1);
}

/* D.3.1, D.4: zero coding of what has significant neighbours. */
ALWAYS_INLINE void significance_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts, width = decoder->width;
    const uint8_t *zero_contexts = decoder->zero_contexts;
    ptrdiff_t pitch = (ptrdiff_t)width + 2;
    j2k_flags *at = decoder->first;
    uint32_t *samples = decoder->samples;
    FOR_EACH_COLUMN(decoder, at, samples)
    {
        j2k_flags flags = *at;
        if ((flags & J2K_SURROUNDINGS) == 0)
            continue;
        uint32_t rows = rows_to_try(flags);
        if (rows == 0)
            continue;
        do {
            uint32_t bit = (uint32_t)__builtin_ctz(rows);
            j2k_flags shifted = flags >> bit;
            rows &= rows - 1;
            flags |= J2K_VISITED << bit;
            if (!j2k_mq_decode(&mq, &contexts[zero_contexts[shifted & 0x1FF]]))
                continue;
            uint32_t sign = decode_sign(&mq, contexts, shifted);
            samples[j2k_row_of(bit) * width] = first_value(one, sign);
            flags |= j2k_flags_mark(bit, sign);
            rows |= rows_to_try(flags) & 8u << bit; /* the next one has a significant neighbour now */
        } while (rows != 0);
        j2k_flags_spread(*at, flags, at, pitch, causal);
        *at = flags;
    }
    decoder->mq = mq;
}

static __attribute__((noinline)) void refinement_pass(struct j2k_block_decoder *decoder, uint32_t one)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts, width = decoder->width;
    j2k_flags *at = decoder->first;
    uint32_t *samples = decoder->samples;
    FOR_EACH_COLUMN(decoder, at, samples)
    {
        j2k_flags flags = *at;
        uint32_t rows = j2k_rows_significant(flags) & ~j2k_rows_visited(flags);
        if (rows == 0)
            continue;
        *at = flags | (j2k_flags)rows * J2K_REFINED;
        do {
            uint32_t bit = (uint32_t)__builtin_ctz(rows);
            j2k_flags shifted = flags >> bit;
            uint32_t near = (shifted & J2K_NEIGHBOURS) != 0;
            uint32_t context = J2K_CONTEXT_MAGNITUDE + ((shifted & J2K_REFINED) != 0 ? 2 : near);
            uint32_t *sample = &samples[j2k_row_of(bit) * width];
            *sample = refined_value(*sample, one, j2k_mq_decode(&mq, &contexts[context]));
            rows &= rows - 1;
        } while (rows != 0);
    }
    decoder->mq = mq;
}

/* D.3.4: four rows of which nothing is known. Returns the first that is significant, 4 for none. */
ALWAYS_INLINE uint32_t decode_run(struct j2k_mq *mq, uint32_t *contexts)
{
    if (!j2k_mq_decode(mq, &contexts[J2K_CONTEXT_RUN]))
        return 4;
    uint32_t high = j2k_mq_decode(mq, &contexts[J2K_CONTEXT_UNIFORM]);
    return high << 1 | j2k_mq_decode(mq, &contexts[J2K_CONTEXT_UNIFORM]);
}

/* What the other passes left over; forgets what was visited. */
ALWAYS_INLINE void cleanup_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    struct j2k_mq mq = decoder->mq;
    uint32_t *contexts = decoder->contexts, width = decoder->width;
    const uint8_t *zero_contexts = decoder->zero_contexts;
    ptrdiff_t pitch = (ptrdiff_t)width + 2;
    j2k_flags *at = decoder->first;
    uint32_t *samples = decoder->samples;
    FOR_EACH_COLUMN(decoder, at, samples)
    {
        j2k_flags flags = *at;
        uint32_t rows = J2K_ROWS & ~(j2k_rows_significant(flags) | j2k_rows_visited(flags));
        bool found = (flags & (J2K_SURROUNDINGS | J2K_ALL_ROWS(J2K_VISITED))) == 0; /* the next row is known to be */
        if (found) {
            uint32_t row = decode_run(&mq, contexts);
            if (row == 4)
                continue;
            rows &= J2K_ROWS << 3 * row;
        }
        for (; rows != 0; rows &= rows - 1) {
            uint32_t bit = (uint32_t)__builtin_ctz(rows);
            j2k_flags shifted = flags >> bit;
            if (!found && !j2k_mq_decode(&mq, &contexts[zero_contexts[shifted & 0x1FF]]))
                continue;
            found = false;
            uint32_t sign = decode_sign(&mq, contexts, shifted);
            samples[j2k_row_of(bit) * width] = first_value(one, sign);
            flags |= j2k_flags_mark(bit, sign);
        }
        j2k_flags_spread(*at, flags, at, pitch, causal);
        j2k_flags missing = stripe + 1 == decoder->stripes ? decoder->missing : 0;
        *at = (flags & ~J2K_ALL_ROWS(J2K_VISITED)) | missing;
    }
    decoder->mq = mq;
}

/* Each once for both kinds of contexts (D.7). */
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
