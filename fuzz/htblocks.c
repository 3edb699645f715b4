/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes any bytes as a code-block of T.814, and checks that samples and verdict are the same on every tier. The first
 * bytes say what the block is, and the others are its segments.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "j2k/cpu/blocks/block_coder.h"

enum { SEGMENTS = 6, MOST_PLANES = 37 };

struct block {
    struct j2k_coded_block coded;
    struct j2k_codeword codeword[SEGMENTS];
    uint8_t *bytes[SEGMENTS]; /* of exactly their length, so that reading past their end is detected */
};

static void choose_shape(struct j2k_coded_block *coded, struct fuzz_input *input)
{
    coded->width = 1 + fuzz_take(input, 64);
    coded->height = 1 + fuzz_take(input, 64);
    if (fuzz_take(input, 32) == 0) {
        coded->width = coded->width > 3 ? J2K_BLOCK_SIDE - coded->width : coded->width;
        coded->height = coded->width > 4 ? 1 + coded->height % 4 : J2K_BLOCK_SIDE - coded->height;
    }
    coded->style = J2K_STYLE_HT | (fuzz_take(input, 2) ? J2K_STYLE_CAUSAL : 0U);
    coded->planes = 1 + fuzz_take(input, MOST_PLANES);
    coded->missing = fuzz_take(input, MOST_PLANES);
    coded->roi_shift = fuzz_take(input, 4) ? 0 : fuzz_take(input, MOST_PLANES);
    coded->fraction = (int32_t)fuzz_take(input, 4) - 2;
}

/* Choose the segments of cleanup and refinement passes, as packet headers may arrange them. */
static void choose_segments(struct block *block, struct fuzz_input *input)
{
    uint32_t count = 1 + fuzz_take(input, SEGMENTS), pass = 0, most = 3 * block->coded.planes - 2;
    for (uint32_t i = 0; i < count && pass < most; i++) {
        struct j2k_codeword *codeword = &block->codeword[i];
        codeword->passes = pass == 0                          ? 1 + 3 * (fuzz_take(input, 64) % block->coded.planes)
                           : pass % 3 == 1 && pass + 2 < most ? 1 + fuzz_take(input, 2)
                                                              : 1;
        size_t length = fuzz_take(input, 256) | fuzz_take(input, 16) << 8;
        length = length < input->length ? length : input->length;
        codeword->length = (uint32_t)length;
        codeword->data = block->bytes[i] = malloc(length + 1);
        memcpy(block->bytes[i], input->data, length);
        block->bytes[i] = realloc(block->bytes[i], length > 0 ? length : 1);
        codeword->data = block->bytes[i];
        input->data += length;
        input->length -= length;
        pass += codeword->passes;
        block->coded.codeword_count = i + 1;
    }
    block->coded.codewords = block->codeword;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static struct j2k_block_scratch *plain, *fast;
    struct fuzz_input input = {data, length};
    struct block block = {.coded = {.width = 0}};
    const struct j2k_block_functions *coder = kst_j2k_cpu_block_functions(J2K_HT);
    plain = plain ? plain : malloc(coder->decoder_length);
    fast = fast ? fast : malloc(coder->decoder_length);
    choose_shape(&block.coded, &input);
    choose_segments(&block, &input);
    memset(plain->sample, 1, sizeof plain->sample);
    memset(fast->sample, 2, sizeof fast->sample);
    uint32_t met = coder->decode(plain, CPU_C, &block.coded);
    fuzz_check(coder->decode(fast, kst_cpu_best(), &block.coded) == met, "the same verdict");
    fuzz_check(memcmp(plain->sample, fast->sample, sizeof *plain->sample * block.coded.width * block.coded.height) == 0,
        "the same samples");
    for (uint32_t i = 0; i < SEGMENTS; i++)
        free(block.bytes[i]);
    return 0;
}
