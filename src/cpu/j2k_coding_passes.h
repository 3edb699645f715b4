/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coding passes whose decisions the MQ coder takes (T.800 D.3, D.4), and the coder's loop. Included once by each
 * tier's file: it pays to have counts of leading zeros and shifts by any number in one instruction each, and vectors
 * for gathering bits. Every pass is a function of its own.
 */
#include <string.h>

#include "cpu/j2k_coding_columns.h"

/* D.3.2 */
ALWAYS_INLINE j2k_decision sign_decision(j2k_flags shifted, uint32_t sign)
{
    return (j2k_decision)(kst_j2k_sign_contexts[j2k_sign_index(shifted)] ^ sign);
}

/* D.3.1, D.4. Returns the gain. */
ALWAYS_INLINE int32_t significance_pass(
    struct j2k_block_encoder *encoder, j2k_decision **end, bool causal, const struct j2k_measure *measure)
{
    const uint32_t width = encoder->source->width;
    const uint8_t *zero_contexts = kst_j2k_zero_contexts[encoder->source->orientation];
    const ptrdiff_t pitch = (ptrdiff_t)width + 2;
    const uint16_t *bits = encoder->bits, *negative = encoder->negative;
    const uint32_t *samples = encoder->sample;
    j2k_flags *at = encoder->first;
    j2k_decision *next = encoder->decision;
    int32_t gain = 0;
    uint32_t column = 0;
    FOR_EACH_COLUMN(encoder, at, column, samples)
    {
        j2k_flags flags = *at;
        uint32_t rows = rows_to_try(flags);
        if (rows == 0)
            continue;
        uint32_t plane = bits[column];
        do {
            uint32_t bit = (uint32_t)__builtin_ctz(rows), one = plane >> bit & 1;
            j2k_flags shifted = flags >> bit;
            rows &= rows - 1;
            flags |= J2K_VISITED << bit;
            *next++ = (j2k_decision)((uint32_t)zero_contexts[shifted & 0x1FF] << 1 | one);
            if (!one)
                continue;
            uint32_t sign = negative[column] >> bit & 1u;
            *next++ = sign_decision(shifted, sign);
            flags |= j2k_flags_mark(bit, sign);
            rows |= rows_to_try(flags) & 8u << bit; /* the next one has a significant neighbour now */
            if (measure)
                gain += j2k_significance_gain(measure, samples[j2k_row_of(bit) * width]);
        } while (rows != 0);
        j2k_flags_spread(*at, flags, at, pitch, causal);
        *at = flags;
    }
    *end = next;
    return gain;
}

/* D.3.3 */
static __attribute__((noinline)) j2k_decision *refinement_pass(struct j2k_block_encoder *encoder)
{
    const uint32_t width = encoder->source->width;
    j2k_flags *at = encoder->first;
    j2k_decision *next = encoder->decision;
    const uint16_t *bits = encoder->bits;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++, at += 2)
        for (uint32_t x = 0; x < width; x++, at++, bits++) {
            j2k_flags flags = *at;
            uint32_t rows = j2k_rows_significant(flags) & ~j2k_rows_visited(flags), plane = *bits;
            if (rows == 0)
                continue;
            *at = flags | (j2k_flags)rows * J2K_REFINED;
            do {
                uint32_t bit = (uint32_t)__builtin_ctz(rows);
                j2k_flags shifted = flags >> bit;
                uint32_t near = (shifted & J2K_NEIGHBOURS) != 0;
                uint32_t context = J2K_CONTEXT_MAGNITUDE + ((shifted & J2K_REFINED) != 0 ? 2 : near);
                *next++ = (j2k_decision)(context << 1 | (plane >> bit & 1));
                rows &= rows - 1;
            } while (rows != 0);
        }
    return next;
}

/* What the other passes left over, with run-length coding (D.3.4); forgets what was visited. */
ALWAYS_INLINE j2k_decision *cleanup_pass(struct j2k_block_encoder *encoder, bool causal)
{
    const uint32_t width = encoder->source->width;
    const uint8_t *zero_contexts = kst_j2k_zero_contexts[encoder->source->orientation];
    const ptrdiff_t pitch = (ptrdiff_t)width + 2;
    const uint16_t *bits = encoder->bits, *negative = encoder->negative;
    j2k_flags *at = encoder->first;
    j2k_decision *next = encoder->decision;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++, at += 2) {
        const j2k_flags missing = stripe + 1 == encoder->stripes ? encoder->missing : 0;
        for (uint32_t x = 0; x < width; x++, at++, bits++, negative++) {
            j2k_flags flags = *at;
            uint32_t rows = J2K_ROWS & ~(j2k_rows_significant(flags) | j2k_rows_visited(flags)), plane = *bits;
            bool found = (flags & (J2K_SURROUNDINGS | J2K_ALL_ROWS(J2K_VISITED))) == 0; /* the next one is known */
            if (found) {
                *next++ = (j2k_decision)(J2K_CONTEXT_RUN << 1 | (plane != 0));
                if (plane == 0)
                    continue;
                uint32_t bit = (uint32_t)__builtin_ctz(plane), row = j2k_row_of(bit);
                *next++ = (j2k_decision)(J2K_CONTEXT_UNIFORM << 1 | row >> 1);
                *next++ = (j2k_decision)(J2K_CONTEXT_UNIFORM << 1 | (row & 1));
                rows &= J2K_ROWS << bit;
            }
            for (; rows != 0; rows &= rows - 1) {
                uint32_t bit = (uint32_t)__builtin_ctz(rows), one = plane >> bit & 1;
                j2k_flags shifted = flags >> bit;
                if (!found)
                    *next++ = (j2k_decision)((uint32_t)zero_contexts[shifted & 0x1FF] << 1 | one);
                found = false;
                if (!one)
                    continue;
                uint32_t sign = *negative >> bit & 1u;
                *next++ = sign_decision(shifted, sign);
                flags |= j2k_flags_mark(bit, sign);
            }
            j2k_flags_spread(*at, flags, at, pitch, causal);
            *at = (flags & ~J2K_ALL_ROWS(J2K_VISITED)) | missing;
        }
    }
    return next;
}

/* Each in the forms that matter where the time goes. */
static __attribute__((noinline)) int32_t plain_significance(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    (void)measure;
    return significance_pass(encoder, end, false, NULL);
}

static __attribute__((noinline)) int32_t measured_significance(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    return significance_pass(encoder, end, false, measure);
}

static __attribute__((noinline)) int32_t causal_significance(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    return significance_pass(encoder, end, true, measure);
}

static __attribute__((noinline)) j2k_decision *plain_cleanup(struct j2k_block_encoder *encoder)
{
    return cleanup_pass(encoder, false);
}

static __attribute__((noinline)) j2k_decision *causal_cleanup(struct j2k_block_encoder *encoder)
{
    return cleanup_pass(encoder, true);
}

/* Bit `plane` of all samples, or the signs for 31, by columns of four. */
static void gather_bits(const struct j2k_block_encoder *encoder, uint32_t plane, uint16_t *restrict to)
{
    const uint32_t width = encoder->source->width, height = encoder->source->height;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++, to += width) {
        const uint32_t *restrict from = encoder->sample + (size_t)4 * stripe * width;
        if (height - 4 * stripe >= 4) {
            for (uint32_t x = 0; x < width; x++)
                to[x] = (uint16_t)((from[x] >> plane & 1) | (from[x + width] >> plane & 1) << 3 |
                                   (from[x + 2 * width] >> plane & 1) << 6 | (from[x + 3 * width] >> plane & 1) << 9);
            continue;
        }
        memset(to, 0, width * sizeof *to);
        for (uint32_t row = 0; row < height - 4 * stripe; row++)
            for (uint32_t x = 0; x < width; x++)
                to[x] |= (uint16_t)((from[x + row * width] >> plane & 1) << 3 * row);
    }
}

static struct j2k_gains plane_gains(const struct j2k_measure *measure, const uint32_t *sample, uint32_t count)
{
    return j2k_plane_gains(measure, sample, count);
}

static void encode_decisions(
    struct j2k_mq_encoder *mq, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end)
{
    j2k_mq_encode(mq, contexts, decision, end);
}

static const struct j2k_coding_passes passes = {.gather = gather_bits,
    .gains = plane_gains,
    .plain_significance = plain_significance,
    .significance = {measured_significance, causal_significance},
    .refinement = refinement_pass,
    .cleanup = {plain_cleanup, causal_cleanup},
    .encode = encode_decisions};
