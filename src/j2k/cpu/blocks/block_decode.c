/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the coding passes of a code-block in their order (T.800 Annex D), and decodes the raw passes. */
#include <string.h>

#include "j2k/cpu/blocks/block_words.h"

static void raw_significance_pass(struct j2k_block_decoder *decoder, uint32_t one, bool causal)
{
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        uint64_t open = w.there & ~*w.significant, left = open;
        uint64_t next = open & j2k_near(w.significant, (ptrdiff_t)decoder->words + 1, causal);
        left ^= next;
        while (next != 0) {
            uint32_t at = (uint32_t)__builtin_ctzll(next);
            next &= next - 1;
            if (!j2k_raw_bit(&decoder->raw))
                continue;
            uint32_t sign = j2k_raw_bit(&decoder->raw);
            j2k_make_significant(decoder, &w, at, causal);
            j2k_set_value(decoder, &w, at, first_value(one, sign));
            uint64_t more = left & j2k_later_neighbours((uint64_t)1 << at);
            next |= more;
            left ^= more;
        }
        *w.visited = open ^ left;
    }
}

static void raw_refinement_pass(struct j2k_block_decoder *decoder, uint32_t one)
{
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        uint64_t next = *w.significant & ~*w.visited;
        *w.refined |= next;
        for (; next != 0; next &= next - 1) {
            uint32_t *sample = &w.samples[decoder->sample_at[__builtin_ctzll(next)]];
            *sample = refined_value(*sample, one, j2k_raw_bit(&decoder->raw));
        }
    }
}

/* Decode the segmentation symbol (D.5); true if it is right. */
static bool segmentation_symbol(struct j2k_block_decoder *decoder)
{
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < 4; i++)
        symbol = symbol << 1 | j2k_mq_decode(&decoder->mq, &decoder->contexts[J2K_CONTEXT_UNIFORM]);
    return symbol == 0xA;
}

/* Return the size in bytes of an array of words for the block's coefficients. */
static size_t words_length(const struct j2k_block_decoder *decoder)
{
    return sizeof(uint64_t) * ((decoder->stripes + 2) * (decoder->words + 1) + 1);
}

static void prepare(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block)
{
    uint32_t columns = block->width % 16, rows = block->height % 4;
    decoder->width = block->width;
    decoder->height = block->height;
    decoder->stripes = (block->height + 3) / 4;
    decoder->words = (block->width + 15) / 16;
    decoder->column = 4 * decoder->stripes + 4;
    decoder->last_columns = columns == 0 ? UINT64_MAX : ((uint64_t)1 << 4 * columns) - 1;
    decoder->last_rows = rows == 0 ? UINT64_MAX : J2K_TOP_ROWS * ((1u << rows) - 1);
    decoder->has_region = false;
    decoder->zero_coding = kst_j2k_cpu_zero_coding[block->orientation];
    for (uint32_t i = 0; i < 64; i++) {
        decoder->neighbours_at[i] = i / 4 * decoder->column + i % 4;
        decoder->sample_at[i] = i % 4 * decoder->width + i / 4;
    }
    size_t words = words_length(decoder);
    memset(decoder->significant, 0, words);
    memset(decoder->visited, 0, words);
    memset(decoder->refined, 0, words);
    memset(decoder->samples, 0, sizeof(uint32_t) * block->width * block->height);
    memset(decoder->neighbours, 0, sizeof(j2k_neighbours) * (block->width + 2) * decoder->column);
    memset(decoder->negatives, 0, sizeof(j2k_neighbours) * (block->width + 2) * decoder->column);
    kst_j2k_cpu_mq_reset_states(decoder->contexts);
}

/* Return the value of a bit in a plane; 0 for planes that are left out. */
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

/*
 * Coefficients that are significant so far belong to the region of interest (H.1). They take part in the remaining
 * planes, but their values are saved before.
 */
static void set_region_aside(struct j2k_block_decoder *decoder)
{
    size_t size = sizeof(uint32_t) * decoder->width * decoder->height;
    memcpy(decoder->inside, decoder->significant, words_length(decoder));
    memcpy(decoder->region, decoder->samples, size);
    memset(decoder->samples, 0, size);
    decoder->has_region = true;
}

/* Restore the values of the region of interest. They may be 0, because planes of the region may be left out too. */
static void put_region_back(struct j2k_block_decoder *decoder)
{
    FOR_EACH_WORD(decoder)
    {
        struct j2k_word w = j2k_word_at(decoder, stripe, word);
        const uint32_t *region = decoder->region + (w.samples - decoder->samples);
        for (uint64_t left = decoder->inside[w.significant - decoder->significant]; left != 0; left &= left - 1) {
            uint32_t at = decoder->sample_at[__builtin_ctzll(left)];
            w.samples[at] = region[at];
        }
    }
}

/* Decode a pass. Returns false if it ends with a wrong segmentation symbol. */
static bool decode_pass(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block, uint32_t pass)
{
    uint32_t plane = block->planes - 1 - (pass + 2) / 3;
    if (pass % 3 == 1 && plane + 1 == block->roi_shift)
        set_region_aside(decoder);
    uint32_t one = plane_bit(block, plane);
    bool causal = (block->style & J2K_STYLE_CAUSAL) != 0;
    bool good = true;
    if (j2k_pass_is_raw(block->style, pass)) {
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
        kst_j2k_cpu_mq_reset_states(decoder->contexts);
    return good;
}

/*
 * Return whether a segment ended as it should. Encoders, those of conformance streams among them, end segments of
 * several passes in different ways; for those it is only checked that a segment has as many bytes as it needs.
 */
static bool ended_well(const struct j2k_block_decoder *decoder, uint32_t style, bool raw)
{
    if ((style & J2K_STYLE_TERMALL) == 0)
        return raw ? kst_j2k_cpu_raw_used_up(&decoder->raw) : kst_j2k_cpu_mq_used_up(&decoder->mq);
    return raw ? kst_j2k_cpu_raw_ended_predictably(&decoder->raw) : kst_j2k_cpu_mq_ended_predictably(&decoder->mq);
}

/* Decode up to `limit` passes. If a problem is met, sets *good to the number of passes before it. */
static uint32_t decode_passes(
    struct j2k_block_decoder *decoder, const struct j2k_coded_block *block, uint32_t limit, uint32_t *good)
{
    uint32_t pass = 0;
    prepare(decoder, block);
    for (uint32_t i = 0; i < block->codeword_count; i++) {
        const struct j2k_codeword *codeword = &block->codewords[i];
        bool raw = j2k_pass_is_raw(block->style, pass);
        uint32_t first = pass;
        if (raw)
            kst_j2k_cpu_raw_start(&decoder->raw, codeword->data, codeword->length);
        else
            kst_j2k_cpu_mq_start(&decoder->mq, codeword->data, codeword->length);
        for (; pass - first < codeword->passes; pass++) {
            *good = pass;
            if (pass == limit)
                return 0;
            if (pass + 2 >= 3 * block->planes || j2k_pass_is_raw(block->style, pass) != raw)
                return J2K_BLOCK_PASSES;
            *good = pass >= 3 ? pass - 2 : 0; /* a wrong symbol invalidates its whole plane */
            if (!decode_pass(decoder, block, pass))
                return J2K_BLOCK_SEGMENTATION;
        }
        /* If there is only one segment, keeping it is better than nothing. */
        *good = block->codeword_count > 1 ? first : pass;
        bool ends = !block->cut || i + 1 < block->codeword_count;
        if (ends && (block->style & J2K_STYLE_PREDICTABLE) != 0 && !ended_well(decoder, block->style, raw))
            return J2K_BLOCK_TERMINATION;
    }
    return 0;
}

static uint32_t passes_of(const struct j2k_coded_block *block)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < block->codeword_count; i++)
        sum += block->codewords[i].passes;
    return sum;
}

uint32_t kst_j2k_cpu_block_decode(struct j2k_block_decoder *decoder, const struct j2k_coded_block *block)
{
    uint32_t good = 0, ignored;
    if (is_too_deep(block)) {
        prepare(decoder, block);
        decoder->known = 0;
        return J2K_BLOCK_DEPTH;
    }
    uint32_t met = decode_passes(decoder, block, UINT32_MAX, &good);
    if (met != 0)
        decode_passes(decoder, block, good, &ignored);
    decoder->known = met != 0 ? good : passes_of(block);
    if (decoder->has_region)
        put_region_back(decoder);
    return met;
}
