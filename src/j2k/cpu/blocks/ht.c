/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a block coder of T.814's code-blocks. */
#include <string.h>

#include "j2k/cpu/blocks/ht_decode.h"
#include "j2k/cpu/blocks/ht_encode.h"

_Static_assert(offsetof(struct j2k_ht_decoder, sample) == 0, "scratch memory begins with the samples");

enum {
    SEGMENT_BYTES = 1 << 16, /* more than a segment may have, so that too long ones are recognised */
    WORD_PLANES = 31,        /* most planes for words of 32 bits, and of 64 */
    DEEP_PLANES = 62,
    DEEP_FRACTION = 1,
    DEEP_SIGN = 63
};

/*
 * Choose the last set whose cleanup pass has bytes. Later ones may be empty, and passes in front of the first set may
 * be all that there is. Returns whether there is a set.
 */
static bool choose_set(const struct j2k_coded_block *block, struct j2k_ht_set *set)
{
    const uint32_t none = block->codeword_count;
    uint32_t pass = 0, chosen = none;
    for (uint32_t i = 0; i < block->codeword_count; i++) {
        const struct j2k_codeword *codeword = &block->codewords[i];
        pass += codeword->passes;
        if (pass % 3 == 1 && codeword->length > 0) {
            chosen = i;
            *set = (struct j2k_ht_set){.cleanup = codeword->data,
                .cleanup_length = codeword->length,
                .passes = 1,
                .plane = block->planes - 1 - pass / 3};
        } else if (pass % 3 != 1 && i == chosen + 1) {
            set->refinement = codeword->data;
            set->refinement_length = codeword->length;
            set->passes += codeword->passes;
        }
    }
    return chosen != none;
}

static void set_shape(struct j2k_ht_decoder *decoder, const struct j2k_coded_block *block)
{
    decoder->width = block->width;
    decoder->height = block->height;
    decoder->quad_columns = (block->width + 1) / 2;
    decoder->quad_rows = (block->height + 1) / 2;
    decoder->quad_pitch = (decoder->quad_columns + 1) / 2 * 2 + 2;
    decoder->group_columns = (block->width + 3) / 4;
    decoder->stripes = (block->height + 3) / 4;
    decoder->group_pitch = decoder->group_columns + 2;
}

/* Return whether magnitudes do not fit, inside the region of interest or outside of it. */
static bool is_too_deep(const struct j2k_coded_block *block)
{
    const uint32_t planes = block->missing + block->planes, shift = block->roi_shift;
    const uint32_t inside = planes > shift ? planes - shift : 0, outside = planes < shift ? planes : shift;
    return (int32_t)(inside > outside ? inside : outside) + block->fraction > WORD_PLANES || planes > DEEP_PLANES;
}

/*
 * Convert deep samples to 32 bits. Samples with bits from plane `roi_shift` up belong to the region of interest (T.800
 * H.1): only these planes of theirs count, and half a step is added below the lowest one that was decoded.
 */
static void finish_deep(
    struct j2k_ht_decoder *decoder, const struct j2k_coded_block *block, const struct j2k_ht_set *set)
{
    const uint64_t first = UINT64_C(1) << (block->roi_shift + DEEP_FRACTION), sign = UINT64_C(1) << DEEP_SIGN;
    const uint32_t drop = (uint32_t)(DEEP_FRACTION - block->fraction);
    for (uint32_t i = 0; i < block->width * block->height; i++) {
        uint64_t magnitude = decoder->deep[i] & ~sign;
        if (block->roi_shift > 0 && magnitude >= first) {
            if (set->plane <= block->roi_shift)
                magnitude = (magnitude & ~(first - 1)) | first >> 1;
            magnitude >>= block->roi_shift;
        }
        decoder->sample[i] = (uint32_t)(decoder->deep[i] >> 32 & 0x80000000U) | (uint32_t)(magnitude >> drop);
    }
}

static bool decode_set(struct j2k_ht_decoder *decoder, enum cpu_tier tier, const struct j2k_coded_block *block,
    const struct j2k_ht_set *set)
{
    const bool deep = block->roi_shift > 0 || block->missing + block->planes > WORD_PLANES;
    const bool causal = (block->style & J2K_STYLE_CAUSAL) != 0;
    decoder->plane = set->plane;
    decoder->bits = block->missing + block->planes - set->plane;
    decoder->fraction = deep ? DEEP_FRACTION : block->fraction;
    if (!kst_j2k_cpu_ht_open(decoder, set) ||
        !(deep ? kst_j2k_cpu_ht_deep(decoder) : kst_j2k_cpu_ht_samples(decoder, tier)))
        return false;
    if (set->passes > 1)
        (deep ? kst_j2k_cpu_ht_refine_deep : kst_j2k_cpu_ht_refine_samples)(decoder, set, causal);
    if (deep)
        finish_deep(decoder, block, set);
    return true;
}

static uint32_t decode(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_coded_block *block)
{
    struct j2k_ht_decoder *decoder = (struct j2k_ht_decoder *)(void *)scratch;
    struct j2k_ht_set set = {0};
    uint32_t met = 0;
    set_shape(decoder, block);
    bool coded = choose_set(block, &set);
    if (coded && is_too_deep(block))
        met = J2K_BLOCK_DEPTH;
    else if (coded && !decode_set(decoder, tier, block, &set))
        met = J2K_BLOCK_HT;
    decoder->known = coded && met == 0 ? 3 * (block->planes - 1 - set.plane) + set.passes : 0;
    if (!coded || met != 0)
        memset(decoder->sample, 0, sizeof *decoder->sample * block->width * block->height);
    return met;
}

static uint32_t known(const struct j2k_block_scratch *scratch)
{
    return ((const struct j2k_ht_decoder *)(const void *)scratch)->known;
}

const struct j2k_block_functions kst_j2k_cpu_ht = {.decoder_length = sizeof(struct j2k_ht_decoder),
    .encoder_length = sizeof(struct j2k_ht_encoder),
    .pass_bytes = SEGMENT_BYTES,
    .decode = decode,
    .known = known,
    .encode = kst_j2k_cpu_ht_encode,
    .count = kst_j2k_cpu_ht_count,
    .count_reals = kst_j2k_cpu_ht_count_reals};
