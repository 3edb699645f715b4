/* SPDX-License-Identifier: BSD-2-Clause */
/* The coding passes of a code-block and their order (T.800 Annex D). */
#include <string.h>

#include "cpu/j2k_block.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A pass over all columns in the order of D.1. */
#define FOR_EACH_COLUMN(decoder, at, samples)                                                                          \
    for (uint32_t stripe = 0; stripe < (decoder)->stripes; stripe++, (at) += 2, (samples) += 3 * (decoder)->width)     \
        for (uint32_t column = 0; column < (decoder)->width; column++, (at)++, (samples)++)

/* D.3.2: returns 1 if negative. */
ALWAYS_INLINE uint32_t decode_sign(struct j2k_mq *mq, uint32_t *contexts, j2k_flags shifted)
{
    uint32_t entry = kst_j2k_sign_contexts[j2k_sign_index(shifted)];
    return j2k_mq_decode(mq, &contexts[entry >> 1]) ^ (entry & 1);
}

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

/* Rows of the significance pass. */
ALWAYS_INLINE uint32_t rows_to_try(j2k_flags flags)
{
    return j2k_rows_near(flags) & ~(j2k_rows_significant(flags) | j2k_rows_visited(flags));
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

static void raw_significance_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    uint32_t width = decoder->width;
    ptrdiff_t pitch = (ptrdiff_t)width + 2;
    j2k_flags *at = decoder->first;
    uint32_t *samples = decoder->samples;
    FOR_EACH_COLUMN(decoder, at, samples)
    {
        j2k_flags flags = *at;
        uint32_t rows = rows_to_try(flags);
        while (rows != 0) {
            uint32_t bit = (uint32_t)__builtin_ctz(rows);
            rows &= rows - 1;
            flags |= J2K_VISITED << bit;
            if (!j2k_raw_bit(&decoder->raw))
                continue;
            uint32_t sign = j2k_raw_bit(&decoder->raw);
            samples[j2k_row_of(bit) * width] = first_value(one, sign);
            flags |= j2k_flags_mark(bit, sign);
            rows |= rows_to_try(flags) & 8u << bit;
        }
        j2k_flags_spread(*at, flags, at, pitch, causal);
        *at = flags;
    }
}

static void refinement_pass(struct j2k_block_decoder *decoder, uint32_t one)
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

static void raw_refinement_pass(struct j2k_block_decoder *decoder, uint32_t one)
{
    uint32_t width = decoder->width;
    j2k_flags *at = decoder->first;
    uint32_t *samples = decoder->samples;
    FOR_EACH_COLUMN(decoder, at, samples)
    {
        uint32_t rows = j2k_rows_significant(*at) & ~j2k_rows_visited(*at);
        *at |= (j2k_flags)rows * J2K_REFINED;
        for (; rows != 0; rows &= rows - 1) {
            uint32_t *sample = &samples[j2k_row_of((uint32_t)__builtin_ctz(rows)) * width];
            *sample = refined_value(*sample, one, j2k_raw_bit(&decoder->raw));
        }
    }
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

/* Each once for both kinds of contexts, as they are where the time goes. */
static void coded_significance_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    if (causal)
        significance_pass(decoder, one, true);
    else
        significance_pass(decoder, one, false);
}

static void coded_cleanup_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    if (causal)
        cleanup_pass(decoder, one, true);
    else
        cleanup_pass(decoder, one, false);
}

/* D.5 */
static bool segmentation_symbol(struct j2k_block_decoder *decoder)
{
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < 4; i++)
        symbol = symbol << 1 | j2k_mq_decode(&decoder->mq, &decoder->contexts[J2K_CONTEXT_UNIFORM]);
    return symbol == 0xA;
}

static void prepare(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block)
{
    uint32_t rows = block->height % 4;
    decoder->width = block->width;
    decoder->height = block->height;
    decoder->stripes = (block->height + 3) / 4;
    decoder->has_region = false;
    decoder->first = decoder->flags + block->width + 3;
    decoder->zero_contexts = kst_j2k_zero_contexts[block->orientation];
    decoder->missing = rows == 0 ? 0 : J2K_ALL_ROWS(J2K_VISITED) & ~((J2K_VISITED << 3 * rows) - 1);
    memset(decoder->samples, 0, sizeof(uint32_t) * block->width * block->height);
    memset(decoder->flags, 0, sizeof(j2k_flags) * (block->width + 2) * (decoder->stripes + 2));
    j2k_flags *last = decoder->first + (size_t)(decoder->stripes - 1) * (block->width + 2);
    for (uint32_t x = 0; x < block->width; x++)
        last[x] = decoder->missing;
    kst_j2k_mq_reset(decoder->contexts);
}

/* Passes are counted from 0, a cleanup pass; after it each plane has three (D.2). */
static bool is_raw(uint32_t style, uint32_t pass)
{
    return (style & J2K_STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
}

/* What a bit in a plane is worth; 0 for planes that are left out. */
static uint32_t plane_bit(const struct j2k_coded_block *block, uint32_t plane)
{
    int32_t bit = (int32_t)(plane >= block->roi_shift ? plane - block->roi_shift : plane) + block->fraction;
    return bit >= 0 ? (uint32_t)1 << bit : 0;
}

static bool is_too_deep(const struct j2k_coded_block *block)
{
    uint32_t shift = block->roi_shift, inside = block->planes > shift ? block->planes - shift : 0;
    uint32_t outside = block->planes < shift ? block->planes : shift;
    return (int32_t)(inside > outside ? inside : outside) + block->fraction > 31;
}

/* H.1: what is significant so far belongs to the region; it takes part in what follows, but not with its value. */
static void set_region_aside(struct j2k_block_decoder *decoder)
{
    size_t size = sizeof(uint32_t) * decoder->width * decoder->height;
    memcpy(decoder->region, decoder->samples, size);
    memset(decoder->samples, 0, size);
    decoder->has_region = true;
}

static void put_region_back(struct j2k_block_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->width * decoder->height; i++)
        if (decoder->region[i] != 0)
            decoder->samples[i] = decoder->region[i];
}

/* Returns false for a wrong segmentation symbol. */
static bool decode_pass(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block, uint32_t pass)
{
    uint32_t plane = block->planes - 1 - (pass + 2) / 3;
    if (pass % 3 == 1 && plane + 1 == block->roi_shift)
        set_region_aside(decoder);
    uint32_t one = plane_bit(block, plane);
    bool causal = (block->style & J2K_STYLE_CAUSAL) != 0;
    bool good = true;
    if (is_raw(block->style, pass)) {
        if (pass % 3 == 1)
            raw_significance_pass(decoder, one, causal);
        else
            raw_refinement_pass(decoder, one);
        return true;
    }
    if (pass % 3 == 1)
        coded_significance_pass(decoder, one, causal);
    else if (pass % 3 == 2)
        refinement_pass(decoder, one);
    else {
        coded_cleanup_pass(decoder, one, causal);
        if ((block->style & J2K_STYLE_SYMBOLS) != 0)
            good = segmentation_symbol(decoder);
    }
    if ((block->style & J2K_STYLE_RESET) != 0)
        kst_j2k_mq_reset(decoder->contexts);
    return good;
}

/* Encoders differ in how they end segments of several passes, conformance streams among them: there only what a segment
 * needs and what it has must agree. */
static bool ended_well(const struct j2k_block_decoder *decoder, uint32_t style, bool raw)
{
    if ((style & J2K_STYLE_TERMALL) == 0)
        return raw ? kst_j2k_raw_used_up(&decoder->raw) : kst_j2k_mq_used_up(&decoder->mq);
    return raw ? kst_j2k_raw_ended_predictably(&decoder->raw) : kst_j2k_mq_ended_predictably(&decoder->mq);
}

/* Decode up to `limit` passes; sets *good to the number of passes in front of what was found wrong, if anything was. */
static uint32_t decode_passes(
    struct j2k_block_decoder *decoder, const struct j2k_coded_block *block, uint32_t limit, uint32_t *good)
{
    uint32_t pass = 0;
    prepare(decoder, block);
    for (uint32_t i = 0; i < block->codeword_count; i++) {
        const struct j2k_codeword *codeword = &block->codewords[i];
        bool raw = is_raw(block->style, pass);
        uint32_t first = pass;
        if (raw)
            kst_j2k_raw_start(&decoder->raw, codeword->data, codeword->length);
        else
            kst_j2k_mq_start(&decoder->mq, codeword->data, codeword->length);
        for (; pass - first < codeword->passes; pass++) {
            *good = pass;
            if (pass == limit)
                return 0;
            if (pass + 2 >= 3 * block->planes || is_raw(block->style, pass) != raw)
                return J2K_BLOCK_PASSES;
            *good = pass >= 3 ? pass - 2 : 0; /* the symbol vouches for the whole plane */
            if (!decode_pass(decoder, block, pass))
                return J2K_BLOCK_SEGMENTATION;
        }
        *good = block->codeword_count > 1 ? first : pass; /* something is better than nothing */
        if ((block->style & J2K_STYLE_PREDICTABLE) != 0 && !ended_well(decoder, block->style, raw))
            return J2K_BLOCK_TERMINATION;
    }
    return 0;
}

uint32_t kst_j2k_block_decode(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block)
{
    uint32_t good = 0, ignored;
    if (is_too_deep(block)) {
        prepare(decoder, block);
        return J2K_BLOCK_DEPTH;
    }
    uint32_t met = decode_passes(decoder, block, UINT32_MAX, &good);
    if (met != 0)
        decode_passes(decoder, block, good, &ignored);
    if (decoder->has_region)
        put_region_back(decoder);
    return met;
}
