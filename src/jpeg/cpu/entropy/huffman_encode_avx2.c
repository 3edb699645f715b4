/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiles sequential Huffman coding for processors with shifts that leave the flags alone and with counts of trailing
 * zeros (BMI1, BMI2, LZCNT).
 */
#include "jpeg/cpu/entropy/huffman_encode_template.h"

void kst_jpeg_cpu_huffman_encode_avx2(struct jpeg_huffman_encode *functions)
{
    functions->encode = encode;
    functions->count = count;
}
