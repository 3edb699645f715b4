/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the tables for coding runs and chooses the functions for the tier; also compiles the portable functions. */
#include "jpeg/cpu/entropy/huffman_encode_template.h"

static jpeg_code code_of(const struct jpeg_huffman_codes *codes, uint32_t symbol)
{
    return (jpeg_code)codes->code[symbol] << 8 | codes->length[symbol];
}

/* Fill in the codes of the coefficients of one size after one run. If their symbol has no code they never occur. */
static void fill_size(jpeg_code *small, jpeg_code code, uint32_t size)
{
    const uint32_t half = 1U << (size - 1);
    const jpeg_code base = ((code >> 8) << size) << 8 | ((code & 255) + size);
    jpeg_code *positive = small + half, *negative = small + 64 - (2 * half - 1);
    for (uint32_t i = 0; i < half; i++) {
        positive[i] = base + ((half + i) << 8);
        negative[i] = base + (i << 8);
    }
}

void kst_jpeg_cpu_coder_init(struct jpeg_coder *coder, const struct jpeg_huffman *dc, const struct jpeg_huffman *ac)
{
    struct jpeg_huffman_codes codes;
    kst_jpeg_huffman_derive_codes(dc, &codes);
    for (uint32_t i = 0; i < 16; i++)
        coder->dc[i] = code_of(&codes, i);
    kst_jpeg_huffman_derive_codes(ac, &codes);
    for (uint32_t i = 0; i < 256; i++)
        coder->ac[i] = code_of(&codes, i);
    for (uint32_t run = 0; run < 16; run++) {
        coder->small[run][0] = coder->small[run][32] = 0; /* never looked up */
        for (uint32_t size = 1; size <= 5; size++)
            fill_size(coder->small[run], coder->ac[run << 4 | size], size);
    }
}

void kst_jpeg_cpu_huffman_encode_init(struct jpeg_huffman_encode *functions, enum cpu_tier tier)
{
    functions->encode = encode;
    functions->count = count;
#if defined(__x86_64__)
    if (tier == CPU_AVX2 || tier == CPU_AVX512)
        kst_jpeg_cpu_huffman_encode_avx2(functions);
#else
    (void)tier;
#endif
}
