/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks and derives Huffman tables, and computes optimal ones. */
#include "jpeg/plan/huffman.h"

#include <string.h>

/* Tables K.3 to K.6 of annex K.3.3, by class and by luminance or chrominance. */
static const struct jpeg_huffman standard[2][2] = {
    {
        {
            .bits = {0, 0, 1, 5, 1, 1, 1, 1, 1, 1},
            .values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        },
        {
            .bits = {0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
            .values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        },
    },
    {
        {
            .bits = {0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
            .values = {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
                0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24,
                0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a,
                0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54,
                0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75,
                0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95,
                0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4,
                0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3,
                0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea,
                0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa},
        },
        {
            .bits = {0, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
            .values = {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
                0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15,
                0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28,
                0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53,
                0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74,
                0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93,
                0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2,
                0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca,
                0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9,
                0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa},
        },
    },
};

const struct jpeg_huffman *kst_jpeg_standard_huffman(enum jpeg_table_class table_class, int chroma)
{
    return &standard[table_class][chroma];
}

bool kst_jpeg_huffman_valid(const struct jpeg_huffman *huffman, enum jpeg_table_class table_class)
{
    static const uint8_t largest[] = {[JPEG_DC] = 15, [JPEG_AC] = 255, [JPEG_DIFFERENCES] = 16};
    uint32_t code = 0, count = 0;
    for (uint32_t length = 1; length <= 16; length++) {
        code = (code << 1) + huffman->bits[length];
        count += huffman->bits[length];
        /* The code of all ones is reserved (C.2), so the next code must fit too. */
        if (huffman->bits[length] != 0 && code >= (uint32_t)1 << length)
            return false;
        if (count > 256)
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (huffman->values[i] > largest[table_class])
            return false;
    }
    return true;
}

void kst_jpeg_huffman_derive_codes(const struct jpeg_huffman *huffman, struct jpeg_huffman_codes *codes)
{
    memset(codes, 0, sizeof *codes);
    uint32_t code = 0, index = 0;
    for (uint32_t length = 1; length <= 16; length++, code <<= 1) {
        for (uint32_t i = 0; i < huffman->bits[length] && index < 256; i++, index++, code++) {
            uint8_t symbol = huffman->values[index];
            codes->code[symbol] = (uint16_t)code;
            codes->length[symbol] = (uint8_t)length;
        }
    }
}

enum { SYMBOLS = 257, RESERVED = 256 };

/*
 * Describes a tree of the forest that the procedure of K.2 joins. The trees lie in ascending order of their keys (a
 * leaf's key is its symbol). Of equally frequent trees the one with the larger key is joined first.
 */
struct tree {
    uint64_t frequency;
    uint32_t node; /* leaves 0–256 are the symbols; inner nodes follow */
};

/* Return the index of the least frequent tree other than `except`. */
static uint32_t rarest(const struct tree *tree, uint32_t count, uint32_t except)
{
    uint32_t best = except == 0 ? 1 : 0;
    for (uint32_t i = best + 1; i < count; i++) {
        if (i != except && tree[i].frequency <= tree[best].frequency)
            best = i;
    }
    return best;
}

/* Apply Huffman's procedure: length[s] becomes the code length of symbol s, 0 if the symbol does not occur. */
static void assign_lengths(const uint64_t frequency[SYMBOLS], uint16_t length[SYMBOLS])
{
    struct tree tree[SYMBOLS];
    uint16_t parent[2 * SYMBOLS], depth[2 * SYMBOLS];
    uint32_t count = 0, nodes = SYMBOLS;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        if (frequency[i] != 0)
            tree[count++] = (struct tree){frequency[i], i};
    }
    while (count > 1) {
        uint32_t first = rarest(tree, count, UINT32_MAX);
        uint32_t second = rarest(tree, count, first);
        parent[tree[first].node] = parent[tree[second].node] = (uint16_t)nodes;
        /* The joined tree keeps the key of the rarer one, and therefore its place. */
        tree[first] = (struct tree){tree[first].frequency + tree[second].frequency, nodes++};
        memmove(tree + second, tree + second + 1, (--count - second) * sizeof *tree);
    }
    depth[nodes - 1] = 0;
    for (uint32_t i = nodes - 1; i-- > SYMBOLS;)
        depth[i] = (uint16_t)(depth[parent[i]] + 1);
    for (uint32_t i = 0; i < SYMBOLS; i++)
        length[i] = frequency[i] == 0 ? 0 : (uint16_t)(nodes == SYMBOLS ? 1 : depth[parent[i]] + 1);
}

/* Reduce code lengths above 16 as figure K.3 does. */
static void limit_lengths(uint16_t count[SYMBOLS])
{
    for (uint32_t i = SYMBOLS - 1; i > 16; i--) {
        while (count[i] > 0) {
            uint32_t j = i - 2;
            while (count[j] == 0)
                j--;
            count[i] = (uint16_t)(count[i] - 2);
            count[i - 1]++;
            count[j + 1] = (uint16_t)(count[j + 1] + 2);
            count[j]--;
        }
    }
}

void kst_jpeg_huffman_optimal(uint64_t frequency[257], struct jpeg_huffman *huffman)
{
    uint16_t length[SYMBOLS], count[SYMBOLS] = {0};
    frequency[RESERVED] = 1;
    assign_lengths(frequency, length);

    uint32_t longest = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        count[length[i]]++;
        longest = length[i] > longest ? length[i] : longest;
    }
    count[0] = 0;
    limit_lengths(count);

    /* The reserved symbol has the last of the longest codes, which is all ones. That code is removed. */
    uint32_t last = 16;
    while (count[last] == 0)
        last--;
    count[last]--;

    memset(huffman, 0, sizeof *huffman);
    for (uint32_t i = 1; i <= 16; i++)
        huffman->bits[i] = (uint8_t)count[i];
    /* Symbols are sorted by their code lengths before limiting (figure K.4). */
    uint32_t index = 0;
    for (uint32_t i = 1; i <= longest; i++) {
        for (uint32_t symbol = 0; symbol < RESERVED; symbol++) {
            if (length[symbol] == i)
                huffman->values[index++] = (uint8_t)symbol;
        }
    }
}
