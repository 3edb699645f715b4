/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the look-up tables for single symbols and for pairs, and decodes codes too long for them. */
#include "jpeg/cpu/entropy/lookup.h"

#include <string.h>

#include "jpeg/tables/zigzag.h"

#define RASTER(i) i

const uint8_t kst_jpeg_cpu_raster[64 + JPEG_INVALID_ADVANCE] = {JPEG_ZIGZAG(RASTER), //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                  //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

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
    if (kind == JPEG_LOOKUP_DIFFERENCES)
        return pack(length, size, run);
    bool end = kind == JPEG_LOOKUP_AC && size == 0 && run != 15;
    return pack(length, size, end ? JPEG_END_ADVANCE : run);
}

/* Fill in every look-up that starts with the code. They follow those of the codes before. */
static void fill_short_code(struct jpeg_lookup *lookup, uint32_t code, uint32_t length, jpeg_symbol symbol)
{
    uint32_t count = 1U << (JPEG_LOOKUP_BITS - length);
    jpeg_symbol *entry = &lookup->short_code[code * count];
    if (count < 4) {
        for (uint32_t i = 0; i < count; i++)
            entry[i] = symbol;
        return;
    }
    for (uint32_t i = 0; i < count; i += 4)
        for (uint32_t j = 0; j < 4; j++)
            entry[i + j] = symbol;
}

void kst_jpeg_cpu_lookup_init(
    struct jpeg_lookup *lookup, const struct jpeg_huffman *huffman, enum jpeg_lookup_kind kind)
{
    uint32_t code = 0;
    uint32_t index = 0;
    lookup->ceiling[0] = lookup->first[0] = 0;
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
        if (length == JPEG_LOOKUP_BITS) /* longer codes, and bits that are no code, start with the remaining values */
            memset(lookup->short_code + code, 0, ((1U << JPEG_LOOKUP_BITS) - code) * sizeof *lookup->short_code);
        code <<= 1;
    }
    lookup->ceiling[JPEG_LONGEST_CODE + 1] = 1 << JPEG_LONGEST_CODE;
}

jpeg_symbol kst_jpeg_cpu_lookup_slowly(const struct jpeg_lookup *lookup, uint64_t loaded)
{
    int32_t prefix = (int32_t)(loaded >> 48);
    uint32_t length = JPEG_LOOKUP_BITS + 1;
    while (prefix >= lookup->ceiling[length])
        length++;
    if (length > JPEG_LONGEST_CODE)
        return pack(JPEG_LONGEST_CODE + 1, 0, JPEG_INVALID_ADVANCE);
    return lookup->symbol[lookup->first[length] + (prefix >> (JPEG_LONGEST_CODE - length))];
}

uint64_t kst_jpeg_cpu_pair_single(jpeg_symbol symbol)
{
    uint64_t start = jpeg_symbol_length(symbol), shift = 63 - jpeg_symbol_size(symbol);
    uint64_t advance = jpeg_symbol_advance(symbol);
    return jpeg_symbol_total(symbol) | advance << 8 | start << 16 | start << 24 | shift << 32 | shift << 40 |
           (advance + 1) << 48;
}

/* Make the entry for two symbols; `single` is the entry of the first one alone. */
static uint64_t pack_pair(uint64_t single, jpeg_symbol second)
{
    const uint64_t first = UINT64_C(0xFF00FFFF00); /* the bytes that describe the first symbol */
    uint64_t used = single & 255, advance = jpeg_pair_first_advance(single);
    uint64_t start = used + jpeg_symbol_length(second), shift = 63 - jpeg_symbol_size(second);
    return (single & first) | (used + jpeg_symbol_total(second)) | start << 24 | shift << 40 |
           (advance + jpeg_symbol_advance(second) + 2) << 48;
}

/*
 * Fill in the `count` entries that begin with a symbol. The bits of its value stand between it and the next symbol, and
 * the entries are the same for every such value.
 */
static void fill_pairs(uint64_t *entry, jpeg_symbol first, const struct jpeg_lookup *next, uint32_t count)
{
    uint64_t single = first ? kst_jpeg_cpu_pair_single(first) : JPEG_NO_PAIR;
    uint32_t used = jpeg_symbol_total(first);
    bool alone = !first || used >= JPEG_PAIR_BITS || jpeg_symbol_advance(first) >= JPEG_END_ADVANCE;
    uint32_t part = alone ? 1 : 1U << (JPEG_PAIR_BITS - used);
    entry[0] = single;
    for (uint32_t i = 0; !alone && i < part; i++) {
        jpeg_symbol second = next->short_code[i << used];
        bool fits = second && used + jpeg_symbol_length(second) <= JPEG_PAIR_BITS;
        entry[i] = fits ? pack_pair(single, second) : single;
    }
    for (uint32_t i = part; part > 1 && i < count; i++)
        entry[i] = entry[i & (part - 1)];
    for (uint32_t i = part; part == 1 && i < count; i++)
        entry[i] = single;
}

/*
 * Make a table of pairs. Small pictures take less time to decode than their tables take to make, so as much as possible
 * is done once per code.
 */
void kst_jpeg_cpu_pairs_init(struct jpeg_pairs *pairs, const struct jpeg_lookup *first, const struct jpeg_lookup *next)
{
    _Static_assert((int)JPEG_PAIR_BITS == (int)JPEG_LOOKUP_BITS, "both look-ups begin with the same symbols");
    for (uint32_t at = 0, count; at < 1U << JPEG_PAIR_BITS; at += count) {
        jpeg_symbol symbol = first->short_code[at];
        count = symbol ? 1U << (JPEG_PAIR_BITS - jpeg_symbol_length(symbol)) : 1;
        fill_pairs(pairs->entry + at, symbol, next, count);
    }
}
