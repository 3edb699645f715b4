/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the last block of a deflate stream, so that another stream can be appended. libdeflate makes only complete
 * streams, and does not report where their last blocks begin and end. The stream does not say so either, so all codes
 * must be read, but nothing is decompressed: one look-up skips as many literals as eleven bits hold, so this takes a
 * small part of the time that compressing takes.
 */
#include "files/deflate/join.h"

#include <string.h>

enum {
    LOOK_UP = 11,      /* bits that a table is indexed by */
    LONGEST = 15,      /* bits of a code */
    LITERALS = 288,    /* literals, lengths and the end of a block (3.2.5); 286 and 287 do not occur */
    DISTANCES = 32,    /* 30 and 31 do not occur */
    LENGTH_CODES = 19, /* of code lengths (3.2.7) */
    END_OF_BLOCK = 256,
    WORD_BITS = 56 /* bits in the word after refilling, at least, unless the stream ends */
};

/*
 * Holds a prefix code. An entry of the table has the symbol above LENGTH_FIELD bits with the code's length; 0: the code
 * is longer than the table's index, or invalid.
 */
enum { LENGTH_FIELD = 4 };
struct code {
    uint16_t table[1 << LOOK_UP];
    uint16_t count[LONGEST + 1]; /* codes of each length */
    uint16_t sorted[LITERALS];   /* symbols by code */
};

/* Holds the next bits of a stream; the first one is the word's least significant bit. */
struct bits {
    const uint8_t *data;
    size_t length;
    size_t next; /* first byte that is not in the word yet */
    uint64_t word;
    unsigned held; /* number of bits in the word */
};

/* Holds the codes of a block, as far as skipping it needs them. */
struct block {
    struct code literals;
    struct code distances;
    uint8_t run[1 << LOOK_UP]; /* for each index, bits of the complete literals in it; 0: the first symbol is none */
};

static void refill(struct bits *bits)
{
    while (bits->held <= WORD_BITS && bits->next < bits->length) {
        bits->word |= (uint64_t)bits->data[bits->next++] << bits->held;
        bits->held += 8;
    }
}

/*
 * Refill with eight bytes at once. Bits above `held` may already be in the word; loading them again does not change
 * them.
 */
static inline void refill_fast(struct bits *bits)
{
    uint64_t word = 0;

    if (bits->length - bits->next < sizeof word) {
        refill(bits);
        return;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, bits->data + bits->next, sizeof word);
    bits->word |= word << bits->held;
    bits->next += (63 - bits->held) / 8;
    bits->held |= WORD_BITS;
#else
    refill(bits);
#endif
}

static inline void pass(struct bits *bits, unsigned count)
{
    bits->word >>= count;
    bits->held -= count;
}

/* Take up to 16 bits. Returns false at the stream's end. */
static bool take(struct bits *bits, unsigned count, unsigned *value)
{
    if (bits->held < count)
        refill(bits);
    if (bits->held < count)
        return false;
    *value = (unsigned)(bits->word & ((1u << count) - 1));
    pass(bits, count);
    return true;
}

static size_t position(const struct bits *bits)
{
    return 8 * bits->next - bits->held;
}

static unsigned reversed(unsigned code, unsigned length)
{
    unsigned result = 0;

    for (; length > 0; length--, code >>= 1)
        result = result << 1 | (code & 1);
    return result;
}

/*
 * Make a code from its lengths (3.2.2). Returns false if there are more codes than fit. The caller decides whether a
 * code may be incomplete.
 */
static bool make_code(struct code *code, const uint8_t *lengths, unsigned symbols)
{
    uint16_t first[LONGEST + 2] = {0}, place[LONGEST + 2] = {0};
    int left = 1;

    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < symbols; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned n = 1; n <= LONGEST; n++) {
        left = 2 * left - code->count[n];
        if (left < 0)
            return false;
        first[n + 1] = (uint16_t)((first[n] + code->count[n]) << 1);
        place[n + 1] = (uint16_t)(place[n] + code->count[n]);
    }
    for (unsigned i = 0; i < symbols; i++) {
        unsigned length = lengths[i];
        if (length == 0)
            continue;
        code->sorted[place[length]++] = (uint16_t)i;
        unsigned start = reversed(first[length]++, length);
        for (unsigned at = start; length <= LOOK_UP && at < 1u << LOOK_UP; at += 1u << length)
            code->table[at] = (uint16_t)(i << LENGTH_FIELD | length);
    }
    return true;
}

/* Read a symbol whose code is longer than the table's index, bit by bit. Returns −1 if there is none. */
static int long_symbol(struct bits *bits, const struct code *code)
{
    int value = 0, first = 0, place = 0;

    for (unsigned n = 1; n <= LONGEST && n <= bits->held; n++) {
        value |= (int)(bits->word >> (n - 1) & 1);
        int count = code->count[n];
        if (value - count < first) {
            pass(bits, n);
            return code->sorted[place + value - first];
        }
        place += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return -1;
}

/* Read a symbol. The word holds enough bits for any code, unless the stream ends. */
static inline int symbol(struct bits *bits, const struct code *code)
{
    unsigned entry = code->table[bits->word & ((1u << LOOK_UP) - 1)], length = entry & ((1u << LENGTH_FIELD) - 1);

    if (length == 0 || length > bits->held)
        return long_symbol(bits, code);
    pass(bits, length);
    return (int)(entry >> LENGTH_FIELD);
}

/* Find out how many bits of each index, from the first bit on, are complete literals. */
static void make_runs(struct block *block)
{
    for (unsigned i = 0; i < 1u << LOOK_UP; i++) {
        unsigned run = 0;
        for (;;) {
            unsigned entry = block->literals.table[i >> run], length = entry & ((1u << LENGTH_FIELD) - 1);
            if (length == 0 || run + length > LOOK_UP || entry >> LENGTH_FIELD >= END_OF_BLOCK)
                break;
            run += length;
        }
        block->run[i] = (uint8_t)run;
    }
}

static bool make_block(struct block *block, const uint8_t *lengths, unsigned literals, unsigned distances)
{
    if (!make_code(&block->literals, lengths, literals) || !make_code(&block->distances, lengths + literals, distances))
        return false;
    make_runs(block);
    return true;
}

static bool fixed_codes(struct block *block)
{
    uint8_t lengths[LITERALS + DISTANCES];

    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + LITERALS, 5, DISTANCES);
    return make_block(block, lengths, LITERALS, DISTANCES);
}

/* Read the lengths of `count` codes, which are coded by `code` (3.2.7). */
static bool take_lengths(struct bits *bits, const struct code *code, uint8_t *lengths, unsigned count)
{
    for (unsigned i = 0; i < count;) {
        refill(bits);
        int found = symbol(bits, code);
        unsigned more, repeats = 1;
        uint8_t value = 0;
        if (found < 0)
            return false;
        if (found < 16)
            value = (uint8_t)found;
        else {
            static const uint8_t extra[3] = {2, 3, 7}, least[3] = {3, 3, 11};
            if ((found == 16 && i == 0) || !take(bits, extra[found - 16], &more))
                return false;
            value = found == 16 ? lengths[i - 1] : 0;
            repeats = least[found - 16] + more;
        }
        if (repeats > count - i)
            return false;
        memset(lengths + i, value, repeats);
        i += repeats;
    }
    return true;
}

static bool dynamic_codes(struct bits *bits, struct block *block)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t of_lengths[LENGTH_CODES] = {0}, lengths[LITERALS + DISTANCES];
    unsigned literals, distances, count, value;

    if (!take(bits, 5, &literals) || !take(bits, 5, &distances) || !take(bits, 4, &count))
        return false;
    literals += 257;
    distances += 1;
    for (unsigned i = 0; i < count + 4; i++) {
        if (!take(bits, 3, &value))
            return false;
        of_lengths[order[i]] = (uint8_t)value;
    }
    return literals <= LITERALS && make_code(&block->literals, of_lengths, LENGTH_CODES) &&
           take_lengths(bits, &block->literals, lengths, literals + distances) &&
           make_block(block, lengths, literals, distances);
}

/* Skip what follows a length's symbol: its extra bits, the distance, and the distance's extra bits (3.2.5). */
static bool pass_match(struct bits *bits, const struct block *block, int found)
{
    static const uint8_t length_extra[29] = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    unsigned index = (unsigned)found - END_OF_BLOCK - 1, ignored;

    if (index >= sizeof length_extra || !take(bits, length_extra[index], &ignored))
        return false;
    refill_fast(bits);
    int distance = symbol(bits, &block->distances);
    return distance >= 0 && distance < 30 && take(bits, distance < 4 ? 0 : (unsigned)distance / 2 - 1, &ignored);
}

static bool pass_codes(struct bits *bits, const struct block *block)
{
    for (;;) {
        unsigned run;
        refill_fast(bits);
        while (bits->held >= LOOK_UP && (run = block->run[bits->word & ((1u << LOOK_UP) - 1)]) != 0)
            pass(bits, run);
        if (bits->held < WORD_BITS) /* so that the word holds any code completely */
            refill_fast(bits);
        int found = symbol(bits, &block->literals);
        if (found == END_OF_BLOCK)
            return true;
        if (found < 0 || (found > END_OF_BLOCK && !pass_match(bits, block, found)))
            return false;
    }
}

static bool pass_stored(struct bits *bits)
{
    unsigned length, complement, ignored;

    if (!take(bits, bits->held % 8, &ignored) || !take(bits, 16, &length) || !take(bits, 16, &complement) ||
        (length ^ complement) != 0xFFFF)
        return false;
    size_t at = position(bits) / 8;
    if (length > bits->length - at)
        return false;
    *bits = (struct bits){.data = bits->data, .length = bits->length, .next = at + length};
    return true;
}

/* Skip a block. `first` receives where it begins. */
static bool pass_block(struct bits *bits, struct block *block, size_t *first, unsigned *is_last)
{
    unsigned type;

    *first = position(bits);
    if (!take(bits, 1, is_last) || !take(bits, 2, &type))
        return false;
    switch (type) {
    case 0:
        return pass_stored(bits);
    case 1:
        return fixed_codes(block) && pass_codes(bits, block);
    case 2:
        return dynamic_codes(bits, block) && pass_codes(bits, block);
    default:
        return false;
    }
}

bool deflate_open_end(uint8_t *data, size_t *length)
{
    struct bits bits = {.data = data, .length = *length};
    struct block block;
    size_t first;
    unsigned is_last = 0;

    while (is_last == 0)
        if (!pass_block(&bits, &block, &first, &is_last))
            return false;
    size_t end = position(&bits);
    if ((end + 7) / 8 != *length)
        return false;
    data[first / 8] &= (uint8_t) ~(1u << first % 8);
    if (end % 8 != 0) /* 3.2.3: the bits behind the last code have no meaning; those of the next block's header do */
        data[end / 8] &= (uint8_t)((1u << end % 8) - 1);
    static const uint8_t stored[4] = {0, 0, 0xFF, 0xFF};
    size_t behind = (end + 3 + 7) / 8;
    if (behind > *length)
        data[*length] = 0;
    memcpy(data + behind, stored, sizeof stored);
    *length = behind + sizeof stored;
    return true;
}
