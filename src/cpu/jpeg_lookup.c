/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/jpeg_lookup.h"

static jpeg_symbol pack(uint32_t length, uint32_t size, uint32_t advance)
{
    return (length + size) | (63 - size) << 8 | length << 16 | advance << 24;
}

static jpeg_symbol pack_value(uint32_t length, uint8_t value, enum jpeg_lookup_kind kind)
{
    uint32_t run = value >> 4;
    uint32_t size = value & 15;
    if (kind == JPEG_LOOKUP_DC)
        return pack(length, size, 0);
    bool end = kind == JPEG_LOOKUP_AC && size == 0 && run != 15;
    return pack(length, size, end ? JPEG_END_ADVANCE : run);
}

/* Every look-up that starts with the code. */
static void fill_short_code(struct jpeg_lookup *lookup, uint32_t code, uint32_t length, jpeg_symbol symbol)
{
    uint32_t shift = JPEG_LOOKUP_BITS - length;
    for (uint32_t i = 0; i < 1U << shift; i++)
        lookup->short_code[(code << shift) + i] = symbol;
}

void kst_jpeg_lookup_init(struct jpeg_lookup *lookup, const struct jpeg_huffman *huffman, enum jpeg_lookup_kind kind)
{
    uint32_t code = 0;
    uint32_t index = 0;
    memset(lookup, 0, sizeof *lookup);
    for (uint32_t length = 1; length <= JPEG_LONGEST_CODE; length++) {
        lookup->first[length] = (int32_t)index - (int32_t)code;
        for (uint32_t i = 0; i < huffman->bits[length]; i++) {
            lookup->symbol[index] = pack_value(length, huffman->values[index], kind);
            if (length <= JPEG_LOOKUP_BITS)
                fill_short_code(lookup, code, length, lookup->symbol[index]);
            index++;
            code++;
        }
        lookup->ceiling[length] = (int32_t)(code << (JPEG_LONGEST_CODE - length));
        code <<= 1;
    }
    lookup->ceiling[JPEG_LONGEST_CODE + 1] = 1 << JPEG_LONGEST_CODE;
}

jpeg_symbol kst_jpeg_lookup_slowly(const struct jpeg_lookup *lookup, uint64_t window)
{
    int32_t prefix = (int32_t)(window >> 48);
    uint32_t length = JPEG_LOOKUP_BITS + 1;
    while (prefix >= lookup->ceiling[length])
        length++;
    if (length > JPEG_LONGEST_CODE)
        return pack(JPEG_LONGEST_CODE + 1, 0, JPEG_INVALID_ADVANCE);
    return lookup->symbol[lookup->first[length] + (prefix >> (JPEG_LONGEST_CODE - length))];
}

static uint64_t pack_pair(jpeg_symbol first, jpeg_symbol second)
{
    uint64_t total = jpeg_symbol_total(first);
    uint64_t start = jpeg_symbol_length(first), shift = 63 - jpeg_symbol_size(first);
    uint64_t second_start = start, second_shift = shift, second_advance = 0;
    if (second) {
        second_start = total + jpeg_symbol_length(second);
        second_shift = 63 - jpeg_symbol_size(second);
        second_advance = jpeg_symbol_advance(second) + 1;
        total += jpeg_symbol_total(second);
    }
    return total | start << 8 | shift << 16 | (uint64_t)jpeg_symbol_advance(first) << 24 | second_start << 32 |
           second_shift << 40 | second_advance << 48;
}

void kst_jpeg_pairs_init(struct jpeg_pairs *pairs, const struct jpeg_lookup *lookup)
{
    for (uint32_t i = 0; i < 1U << JPEG_PAIR_BITS; i++) {
        uint32_t window = i << (32 - JPEG_PAIR_BITS);
        jpeg_symbol first = lookup->short_code[window >> (32 - JPEG_LOOKUP_BITS)];
        uint32_t used = jpeg_symbol_total(first);
        jpeg_symbol second = 0;
        if (first && used < JPEG_PAIR_BITS && jpeg_symbol_advance(first) < JPEG_END_ADVANCE)
            second = lookup->short_code[window << used >> (32 - JPEG_LOOKUP_BITS)];
        if (second && used + jpeg_symbol_length(second) > JPEG_PAIR_BITS)
            second = 0;
        pairs->entry[i] = first ? pack_pair(first, second) : 0;
    }
}
