/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/jpeg_huffman_encode_template.h"

static jpeg_code code_of(const struct jpeg_huffman_codes *codes, uint32_t symbol)
{
    return (jpeg_code)codes->code[symbol] << 8 | codes->length[symbol];
}

/* Runs and coefficients whose symbol has no code get length 0; they do not occur. */
static void fill_small(struct jpeg_coder *coder)
{
    for (uint32_t run = 0; run < 16; run++) {
        for (int32_t value = -32; value < 32; value++) {
            uint32_t size = magnitude_bits(value);
            jpeg_code code = coder->ac[run << 4 | size];
            uint32_t bits = (uint32_t)(value + (value >> 31)) & (((uint32_t)1 << size) - 1);
            coder->small[run][value & 63] = ((code >> 8) << size | bits) << 8 | ((code & 255) + size);
        }
    }
}

void kst_jpeg_coder_init(struct jpeg_coder *coder, const struct jpeg_huffman *dc, const struct jpeg_huffman *ac)
{
    struct jpeg_huffman_codes codes;
    kst_jpeg_huffman_derive_codes(dc, &codes);
    for (uint32_t i = 0; i < 16; i++)
        coder->dc[i] = code_of(&codes, i);
    kst_jpeg_huffman_derive_codes(ac, &codes);
    for (uint32_t i = 0; i < 256; i++)
        coder->ac[i] = code_of(&codes, i);
    fill_small(coder);
}

void kst_jpeg_huffman_encode_init(struct jpeg_huffman_encode *functions, enum cpu_tier tier)
{
    functions->encode = encode;
    functions->count = count;
#if defined(__x86_64__)
    if (tier == CPU_AVX2 || tier == CPU_AVX512)
        kst_jpeg_huffman_encode_avx2(functions);
#else
    (void)tier;
#endif
}
