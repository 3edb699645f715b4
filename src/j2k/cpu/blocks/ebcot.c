/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a block coder of the coding passes of T.800 Annex D. */
#include "j2k/cpu/blocks/block.h"
#include "j2k/cpu/blocks/block_encode.h"

_Static_assert(offsetof(struct j2k_block_decoder, samples) == 0 && offsetof(struct j2k_block_encoder, sample) == 0,
    "scratch memory begins with the samples");

/*
 * For each sample a pass decodes at most three decisions, and four more for a segmentation symbol. Each takes at most
 * 15 bits (Table C.2), and a byte holds at least seven: so a pass takes less than 2^15 bytes. The decoders read some
 * bytes ahead.
 */
enum { PASS_BYTES = 1 << 15, BYTES_AHEAD = 64 };

static uint32_t decode(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_coded_block *block)
{
    struct j2k_block_decoder *decoder = (struct j2k_block_decoder *)(void *)scratch;
    decoder->passes = kst_j2k_cpu_block_passes(tier);
    return kst_j2k_cpu_block_decode(decoder, block);
}

static uint32_t known(const struct j2k_block_scratch *scratch)
{
    return ((const struct j2k_block_decoder *)(const void *)scratch)->known;
}

static struct j2k_block_encoder *encoder_of(struct j2k_block_scratch *scratch, enum cpu_tier tier)
{
    struct j2k_block_encoder *encoder = (struct j2k_block_encoder *)(void *)scratch;
    encoder->functions = kst_j2k_cpu_coding_passes(tier);
    return encoder;
}

static void encode(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings,
    struct j2k_block_outcome *outcome)
{
    struct j2k_block_encoder *encoder = encoder_of(scratch, tier);
    kst_j2k_cpu_block_encode(encoder, settings);
    *outcome = (struct j2k_block_outcome){.planes = encoder->planes,
        .top = encoder->planes,
        .passes = encoder->passes,
        .pass = encoder->pass,
        .data = encoder->data,
        .length = encoder->length,
        .left = encoder->left};
}

static uint32_t measure(struct j2k_block_scratch *scratch, enum cpu_tier tier,
    const struct j2k_block_settings *settings, struct j2k_gains *gains)
{
    return kst_j2k_cpu_block_measure(encoder_of(scratch, tier), settings, gains);
}

const struct j2k_block_functions kst_j2k_cpu_ebcot = {.decoder_length = sizeof(struct j2k_block_decoder),
    .encoder_length = sizeof(struct j2k_block_encoder),
    .pass_bytes = PASS_BYTES,
    .bytes_ahead = BYTES_AHEAD,
    .decode = decode,
    .known = known,
    .encode = encode,
    .measure = measure};
