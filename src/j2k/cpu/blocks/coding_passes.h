/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the encoding passes whose decisions the MQ coder codes (T.800 D.3, D.4), and the coder's loop. Each tier's file
 * includes this once, after it has defined how bits of samples are collected, bits of decisions spread, and gains
 * summed up (gather_columns(), spread_bits(), plane_gains(), fresh_gain()): the passes gain from vectors, and from
 * instructions that count bits or shift by any number. Every pass is a function of its own.
 *
 * A pass goes through each stripe twice. First it finds the coefficients that take part and all contexts, in words of
 * 64 coefficients. Then it writes the decisions, from one coefficient that takes part to the next.
 */
#include <string.h>

#include "j2k/cpu/blocks/coding_words.h"
#include "j2k/rate/measure.h"

/*
 * Holds the bits of a stripe's decision bytes, and which coefficients have significant neighbours in other columns or
 * stripes.
 */
struct j2k_stripe_numbers {
    uint64_t zero[4][J2K_STRIPE_WORDS];
    uint64_t sign[4][J2K_STRIPE_WORDS];
    uint64_t around[J2K_STRIPE_WORDS];
};

/* Holds significance before a pass, with zero words on both sides. */
struct j2k_stripe_before {
    uint64_t word[J2K_STRIPE_WORDS + 2];
};

ALWAYS_INLINE void number_stripe(const struct j2k_stripe *s, const uint64_t *restrict before, enum j2k_zero_rule rule,
    bool causal, struct j2k_stripe_numbers *restrict to)
{
    const uint64_t *above = s->significant - s->pitch, *below = s->significant + s->pitch;
    for (uint32_t w = 0; w < s->words; w++) {
        struct j2k_three up = j2k_three_at(above + w), down = j2k_three_at(below + w);
        if (causal)
            down = (struct j2k_three){0, 0, 0};
        struct j2k_around around =
            j2k_look_around(j2k_three_at(before + w), j2k_three_at(s->significant + w), up, down);
        struct j2k_number zero = j2k_zero_number(rule, &around);
        struct j2k_number sign = j2k_sign_number(
            &around, j2k_three_at(s->negative + w), s->negative[w - s->pitch], s->negative[w + s->pitch]);
        for (uint32_t i = 0; i < 4; i++) {
            to->zero[i][w] = zero.bit[i];
            to->sign[i][w] = sign.bit[i];
        }
        to->around[w] =
            j2k_diagonal_or_beside(&around) | j2k_below_in_columns(0, up.own) | j2k_above_in_columns(0, down.own);
    }
}

static __attribute__((noinline)) void number_plain(uint32_t orientation, const struct j2k_stripe *s,
    const struct j2k_stripe_before *before, struct j2k_stripe_numbers *to)
{
    if (orientation == J2K_HL)
        number_stripe(s, before->word + 1, J2K_HIGH_LOW_RULE, false, to);
    else if (orientation == J2K_HH)
        number_stripe(s, before->word + 1, J2K_HIGH_HIGH_RULE, false, to);
    else
        number_stripe(s, before->word + 1, J2K_LOW_RULE, false, to);
}

static __attribute__((noinline)) void number_causal(uint32_t orientation, const struct j2k_stripe *s,
    const struct j2k_stripe_before *before, struct j2k_stripe_numbers *to)
{
    if (orientation == J2K_HL)
        number_stripe(s, before->word + 1, J2K_HIGH_LOW_RULE, true, to);
    else if (orientation == J2K_HH)
        number_stripe(s, before->word + 1, J2K_HIGH_HIGH_RULE, true, to);
    else
        number_stripe(s, before->word + 1, J2K_LOW_RULE, true, to);
}

ALWAYS_INLINE void number(uint32_t orientation, const struct j2k_stripe *s, const struct j2k_stripe_before *before,
    bool causal, struct j2k_stripe_numbers *to)
{
    (causal ? number_causal : number_plain)(orientation, s, before, to);
}

/*
 * Spread a word's zero coding decisions to 64 bytes. `runs` are the columns whose only decision is that of run-length
 * coding.
 */
ALWAYS_INLINE void spread_zero(
    const struct j2k_stripe_numbers *numbers, uint32_t w, const uint64_t *bits, const uint64_t *runs, uint8_t *to)
{
    const uint64_t *word[6] = {
        bits, &numbers->zero[0][w], &numbers->zero[1][w], &numbers->zero[2][w], &numbers->zero[3][w], runs};
    if (*runs == 0) {
        spread_bits(word, 5, 0, to);
        return;
    }
    uint64_t lowest = *word[1] | *runs;
    word[1] = &lowest;
    spread_bits(word, 6, 0, to);
}

ALWAYS_INLINE void spread_sign(const struct j2k_stripe_numbers *numbers, uint32_t w, uint8_t *to)
{
    const uint64_t *const word[4] = {
        &numbers->sign[0][w], &numbers->sign[1][w], &numbers->sign[2][w], &numbers->sign[3][w]};
    spread_bits(word, 4, J2K_CONTEXT_SIGN << 1, to);
}

/* Make the significance pass (D.3.1, D.4). Returns its gain. */
ALWAYS_INLINE int64_t significance_pass(
    struct j2k_block_encoder *encoder, j2k_decision **end, bool causal, const struct j2k_measure *measure)
{
    static const uint64_t none = 0;
    struct j2k_stripe_before before;
    struct j2k_stripe_numbers numbers;
    j2k_decision *next = encoder->decision;
    int64_t gain = 0;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        uint64_t any = 0;
        before.word[0] = before.word[s.words + 1] = 0;
        for (uint32_t w = 0; w < s.words; w++) {
            before.word[w + 1] = s.significant[w];
            any |= s.visited[w] = j2k_spread_significance(&s, w, causal);
        }
        if (any == 0)
            continue;
        number(encoder->settings->orientation, &s, &before, causal, &numbers);
        for (uint32_t w = 0; w < s.words; w++) {
            uint64_t left = s.visited[w], fresh = left & s.bits[w];
            uint8_t zero[64], sign[64];
            if (left == 0)
                continue;
            spread_zero(&numbers, w, &s.bits[w], &none, zero);
            spread_sign(&numbers, w, sign);
            if (measure)
                gain += fresh_gain(encoder, measure, stripe, w, fresh);
            for (; left != 0; left &= left - 1) {
                uint32_t at = (uint32_t)__builtin_ctzll(left);
                next[0] = zero[at];
                next[1] = sign[at]; /* used only if the coefficient becomes significant */
                next += 1 + (fresh >> at & 1);
            }
        }
    }
    *end = next;
    return gain;
}

/* Make the refinement pass (D.3.3). */
static __attribute__((noinline)) j2k_decision *refinement_pass(struct j2k_block_encoder *encoder)
{
    const bool causal = (encoder->settings->style & J2K_STYLE_CAUSAL) != 0;
    j2k_decision *next = encoder->decision;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        for (uint32_t w = 0; w < s.words; w++) {
            uint64_t left = s.significant[w] & ~s.visited[w], refined = s.refined[w];
            if (left == 0)
                continue;
            uint64_t near = j2k_have_neighbours(s.significant + w, s.pitch, causal) & ~refined;
            const uint64_t *const word[3] = {&s.bits[w], &near, &refined};
            uint8_t decision[64];
            spread_bits(word, 3, J2K_CONTEXT_MAGNITUDE << 1, decision);
            s.refined[w] = refined | left;
            for (; left != 0; left &= left - 1)
                *next++ = decision[__builtin_ctzll(left)];
        }
    }
    return next;
}

/* Describes one word in the cleanup pass. */
struct j2k_cleanup_word {
    uint64_t left;  /* coefficients to be coded; for a column that is a run of zeros, its first row */
    uint64_t fresh; /* coefficients that become significant */
    uint64_t runs;  /* first rows of the columns that are runs of zeros */
    uint64_t ends;  /* coefficients that end a run */
};

/* Find the runs of a word (D.3.4). */
ALWAYS_INLINE struct j2k_cleanup_word find_runs(uint64_t left, uint64_t fresh, uint64_t around)
{
    uint64_t columns = j2k_whole_columns(left & ~around);
    /* The coefficient, or one above it in its column, is significant. */
    uint64_t since = fresh | (fresh << 1 & ~J2K_TOP_ROWS);
    since |= since << 2 & ~(J2K_TOP_ROWS | J2K_TOP_ROWS << 1);
    uint64_t runs = columns & ~(since >> 3), ended = columns * J2K_COLUMN & since;
    return (struct j2k_cleanup_word){.left = (left & ~(columns * J2K_COLUMN)) | runs | ended,
        .fresh = fresh,
        .runs = runs,
        .ends = ended & ~(ended << 1 & ~J2K_TOP_ROWS)};
}

/* Make the cleanup pass: code the coefficients that the other passes left. */
ALWAYS_INLINE j2k_decision *cleanup_pass(struct j2k_block_encoder *encoder, bool causal)
{
    struct j2k_stripe_before before;
    struct j2k_stripe_numbers numbers;
    j2k_decision *next = encoder->decision;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        uint64_t open[J2K_STRIPE_WORDS], any = 0;
        before.word[0] = before.word[s.words + 1] = 0;
        for (uint32_t w = 0; w < s.words; w++) {
            before.word[w + 1] = s.significant[w];
            any |= open[w] = j2k_insignificant(&s, w) & ~s.visited[w];
            s.significant[w] |= open[w] & s.bits[w];
        }
        if (any == 0)
            continue;
        number(encoder->settings->orientation, &s, &before, causal, &numbers);
        for (uint32_t w = 0; w < s.words; w++) {
            uint8_t zero[64], sign[64];
            if (open[w] == 0)
                continue;
            struct j2k_cleanup_word c = find_runs(open[w], open[w] & s.bits[w], numbers.around[w]);
            if (c.left == c.runs) {
                memset(next, J2K_CONTEXT_RUN << 1, 16);
                next += __builtin_popcountll(c.runs);
                continue;
            }
            spread_zero(&numbers, w, &s.bits[w], &c.runs, zero);
            spread_sign(&numbers, w, sign);
            for (; c.left != 0; c.left &= c.left - 1) {
                uint32_t at = (uint32_t)__builtin_ctzll(c.left);
                if (__builtin_expect((c.ends >> at & 1) != 0, 0)) {
                    *next++ = J2K_CONTEXT_RUN << 1 | 1;
                    *next++ = (j2k_decision)(J2K_CONTEXT_UNIFORM << 1 | (at >> 1 & 1));
                    *next++ = (j2k_decision)(J2K_CONTEXT_UNIFORM << 1 | (at & 1));
                    *next++ = sign[at];
                    continue;
                }
                next[0] = zero[at];
                next[1] = sign[at];
                next += 1 + (c.fresh >> at & 1);
            }
        }
    }
    return next;
}

/* Return what the cleanup pass costs that follows the significance pass that was made. */
static uint32_t cleanup_cost(struct j2k_block_encoder *encoder)
{
    uint32_t cost = 0;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        const struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        for (uint32_t w = 0; w < s.words; w++) {
            const uint64_t rest = j2k_insignificant(&s, w) & ~s.visited[w], fresh = rest & s.bits[w];
            for (uint32_t shift = 0; shift < 64; shift += 32)
                cost += j2k_cleanup_cost((uint32_t)__builtin_popcount((uint32_t)(fresh >> shift)),
                    (uint32_t)__builtin_popcount((uint32_t)(rest >> shift)));
        }
    }
    return cost;
}

/* These are the forms of each pass that matter for speed. */
static __attribute__((noinline)) int64_t plain_significance(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    (void)measure;
    return significance_pass(encoder, end, false, NULL);
}

static __attribute__((noinline)) int64_t measured_significance(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    return significance_pass(encoder, end, false, measure);
}

static __attribute__((noinline)) int64_t causal_significance(
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

/* Collect the planes and the signs of all samples, word by word. */
static void gather_bits(struct j2k_block_encoder *encoder)
{
    const uint32_t width = encoder->settings->width, height = encoder->settings->height;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        const uint32_t *from = encoder->sample + (size_t)4 * stripe * width;
        const uint32_t rows = height - 4 * stripe < 4 ? height - 4 * stripe : 4;
        uint64_t *negative = j2k_stripe_at(encoder, stripe).negative;
        for (uint32_t w = 0; w < encoder->words; w++) {
            const uint32_t columns = width - 16 * w < 16 ? width - 16 * w : 16;
            uint64_t *to = &encoder->plane[0][stripe * encoder->words + w];
            if (rows == 4 && columns == 16) {
                gather_columns(from + (size_t)16 * w, width, encoder->planes, to, &negative[w]);
                continue;
            }
            uint32_t part[4 * 16] = {0};
            for (uint32_t y = 0; y < rows; y++)
                memcpy(part + (size_t)16 * y, from + (size_t)y * width + (size_t)16 * w, columns * sizeof *part);
            gather_columns(part, 16, encoder->planes, to, &negative[w]);
        }
    }
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
    .cleanup_cost = cleanup_cost,
    .encode = encode_decisions};
