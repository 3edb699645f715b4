/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes code-blocks of T.814: what is encoded is decoded again, and all tiers write the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "j2k/cpu/blocks/ht_encode.h"

struct trial {
    struct j2k_block_settings settings;
    uint32_t sample[J2K_BLOCK_SAMPLES];
    uint8_t data[J2K_HT_ENCODER_ROOM];
    struct j2k_pass pass[J2K_HT_SET];
    struct j2k_block_outcome outcome;
};

static void read_shape(struct fuzz_input *input, struct j2k_block_settings *settings)
{
    const uint32_t width = 2 + fuzz_take(input, 9);
    const uint32_t most = 1u << (width < 2 + 8 ? 12 - width : 2);
    settings->width = (1u << width) - fuzz_take(input, 1u << (width < 6 ? width : 6));
    settings->height = most <= 256 ? 1 + fuzz_take(input, most) : most - fuzz_take(input, 256);
    settings->style = J2K_STYLE_HT | (fuzz_take(input, 2) ? J2K_STYLE_CAUSAL : 0);
    settings->plane = fuzz_take(input, 8);
    settings->refinements = fuzz_take(input, 3);
    settings->measure = true;
    settings->sum = true;
}

/* Read samples; a few bytes of the input fill a whole block by repetition. */
static void read_samples(struct fuzz_input *input, struct trial *trial)
{
    const uint32_t planes = 1 + fuzz_take(input, 29), stretch = 1 + fuzz_take(input, 200);
    const uint32_t count = trial->settings.width * trial->settings.height, mask = (UINT32_C(1) << planes) - 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= stretch) {
            trial->sample[i] = (trial->sample[i - stretch] * 5 + i) & (0x80000000 | mask);
            continue;
        }
        const uint32_t low = fuzz_take(input, 256), high = fuzz_take(input, 256);
        trial->sample[i] = ((low | high << planes / 2) & mask) | (low & 1) << 31;
    }
}

static void encode(struct trial *trial, struct j2k_block_scratch *scratch, enum cpu_tier tier)
{
    memcpy(scratch->sample, trial->sample, sizeof trial->sample);
    kst_j2k_cpu_ht.encode(scratch, tier, &trial->settings, &trial->outcome);
}

static void keep(struct trial *trial)
{
    fuzz_check(trial->outcome.length <= sizeof trial->data, "the bytes fit");
    memcpy(trial->data, trial->outcome.data, trial->outcome.length);
    memcpy(trial->pass, trial->outcome.pass, trial->outcome.passes * sizeof *trial->pass);
}

/* Decode the first passes, and check each sample against those that were encoded. */
static void decode(const struct trial *trial, struct j2k_block_scratch *scratch, uint32_t passes)
{
    const uint32_t first = trial->pass[0].length, plane = trial->settings.plane, finest = plane - (passes > 1);
    const struct j2k_codeword codeword[2] = {
        {trial->data, first, 1}, {trial->data + first, trial->pass[passes - 1].length - first, passes - 1}};
    const struct j2k_coded_block block = {.width = trial->settings.width,
        .height = trial->settings.height,
        .style = trial->settings.style,
        .missing = trial->outcome.planes - trial->outcome.top,
        .planes = trial->outcome.top,
        .fraction = 1,
        .codeword_count = passes > 1 ? 2 : 1,
        .codewords = codeword};
    fuzz_check(kst_j2k_cpu_ht.decode(scratch, kst_cpu_best(), &block) == 0, "a block is decoded");
    for (uint32_t i = 0; i < block.width * block.height; i++) {
        const uint32_t wanted = trial->sample[i] & 0x7FFFFFFF, found = (scratch->sample[i] & 0x7FFFFFFF) >> 1;
        if (found == 0) {
            fuzz_check(wanted >> plane == 0, "no sample is lost");
            continue;
        }
        const bool known = wanted >> plane == found >> plane || wanted >> finest == found >> finest;
        fuzz_check(known && trial->sample[i] >> 31 == scratch->sample[i] >> 31, "a sample comes back");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    struct trial *trial = calloc(1, sizeof *trial);
    struct j2k_block_scratch *encoder = malloc(kst_j2k_cpu_ht.encoder_length),
                             *decoder = malloc(kst_j2k_cpu_ht.decoder_length);
    fuzz_check(trial && encoder && decoder, "there is memory");
    read_shape(&input, &trial->settings);
    read_samples(&input, trial);
    encode(trial, encoder, CPU_C);
    keep(trial);
    for (uint32_t passes = 1; passes <= trial->outcome.passes; passes++)
        decode(trial, decoder, passes);
    encode(trial, encoder, kst_cpu_best());
    fuzz_check(memcmp(trial->data, trial->outcome.data, trial->outcome.length) == 0 &&
                   memcmp(trial->pass, trial->outcome.pass, trial->outcome.passes * sizeof *trial->pass) == 0,
        "all tiers write the same bytes");
    free(trial);
    free(encoder);
    free(decoder);
    return 0;
}
