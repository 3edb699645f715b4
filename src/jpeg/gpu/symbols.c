/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables in which the kernels look Huffman codes up. */
#include "jpeg/gpu/symbols.h"

enum { LONGEST = 16, TOO_LONG = 32, END_ADVANCE = 64 };

static uint16_t pack(uint32_t length, uint32_t size, uint32_t advance)
{
    return (uint16_t)((length + size) | size << 5 | advance << 9);
}

/*
 * Pack the symbol of a code. A DC coefficient moves the index on by one. An AC symbol of size 0 ends the block, except
 * ZRL.
 */
static uint16_t pack_symbol(uint32_t length, uint8_t value, enum jpeg_table_class table_class)
{
    uint32_t run = value >> 4, size = value & 15;
    if (table_class == JPEG_DC)
        return pack(length, size, 1);
    return pack(length, size, size == 0 && run != 15 ? END_ADVANCE : run + 1);
}

static void fill(uint16_t *table, uint32_t count, uint16_t symbol)
{
    for (uint32_t i = 0; i < count; i++)
        table[i] = symbol;
}

/*
 * The codes of one length are consecutive, so their prefixes are, too; the first prefix may be the last one of shorter
 * codes.
 */
uint32_t kst_jpeg_gpu_long_tables(const struct jpeg_huffman *huffman)
{
    uint32_t code = 0, count = 1, free = 0; /* one table is for bit patterns that are not a code */
    for (uint32_t length = 1; length <= LONGEST; code = (code + huffman->bits[length]) << 1, length++) {
        if (length <= WORK_SHORT_BITS || huffman->bits[length] == 0)
            continue;
        uint32_t rest = length - WORK_SHORT_BITS, first = code >> rest;
        uint32_t last = (code + huffman->bits[length] - 1) >> rest;
        first = first > free ? first : free;
        count += last + 1 - first;
        free = last + 1;
    }
    return count;
}

uint32_t kst_jpeg_gpu_symbols(const struct jpeg_huffman *huffman, enum jpeg_table_class table_class,
    uint16_t *short_table, uint16_t *long_tables, uint32_t first)
{
    const uint16_t invalid = pack(WORK_INVALID_LENGTH, 0, table_class == JPEG_DC ? 1 : END_ADVANCE);
    const uint16_t none = (uint16_t)(first << 5);
    uint32_t code = 0, index = 0, count = first + 1;
    fill(short_table, WORK_SHORT_SIZE, none);
    fill(long_tables + (size_t)first * WORK_LONG_SIZE, WORK_LONG_SIZE, invalid);
    for (uint32_t length = 1; length <= LONGEST; length++, code <<= 1) {
        for (uint32_t i = 0; i < huffman->bits[length]; i++, code++, index++) {
            uint16_t symbol = pack_symbol(length, huffman->values[index], table_class);
            if (length <= WORK_SHORT_BITS) {
                uint32_t rest = WORK_SHORT_BITS - length;
                fill(short_table + (code << rest), 1U << rest, symbol);
                continue;
            }
            uint16_t *entry = &short_table[code >> (length - WORK_SHORT_BITS)];
            if (*entry == none) {
                fill(long_tables + (size_t)count * WORK_LONG_SIZE, WORK_LONG_SIZE, invalid);
                *entry = (uint16_t)(count++ << 5);
            }
            uint32_t rest = LONGEST - length;
            uint32_t tail = code << rest & (WORK_LONG_SIZE - 1);
            fill(long_tables + (size_t)(*entry >> 5) * WORK_LONG_SIZE + tail, 1U << rest, symbol);
        }
    }
    return count;
}

/* Return the length of the code of a symbol in a short table; more than the table's bits if the table cannot tell. */
static uint32_t code_length(uint16_t symbol)
{
    uint32_t all = symbol & 31;
    return all ? all - (symbol >> 5 & 15) : TOO_LONG;
}

static uint32_t pack_pair(uint16_t symbol)
{
    return (symbol & 31) | (uint32_t)(symbol >> 9) << 16;
}

void kst_jpeg_gpu_pairs(const uint16_t *first, const uint16_t *second, uint32_t bits, uint32_t *pairs)
{
    uint32_t unused = WORK_SHORT_BITS - bits;
    for (uint32_t i = 0; i < 1U << bits; i++) {
        uint16_t one = first[i << unused];
        pairs[i] = (one & 31) == 0 && unused == 0 ? ((uint32_t)one | 31) + 1 : 0;
        if (code_length(one) > bits)
            continue;
        uint32_t single = pack_pair(one), length = single & 31;
        pairs[i] = single << 8 | single;
        if (one >> 9 == END_ADVANCE || length >= bits)
            continue;
        uint16_t other = second[(i << length & ((1U << bits) - 1)) << unused];
        if (code_length(other) <= bits - length)
            pairs[i] = single << 8 | (single + pack_pair(other));
    }
}
