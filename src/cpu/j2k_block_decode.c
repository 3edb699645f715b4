/* SPDX-License-Identifier: BSD-2-Clause */
/* The coding passes of a code-block and their order (T.800 Annex D). */
#include <string.h>

#include "cpu/j2k_block_columns.h"

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
        decoder->passes->significance[causal](decoder, one);
    else if (pass % 3 == 2)
        decoder->passes->refinement(decoder, one);
    else {
        decoder->passes->cleanup[causal](decoder, one);
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
