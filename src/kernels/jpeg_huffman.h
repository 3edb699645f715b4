/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman decoding of a part (T.81 F.2.2): states, tables, and passing over its codes. */
#include "jpeg_stream.h"

enum {
    SHORT_SIZE = 1 << WORK_SHORT_BITS,
    LONG_SIZE = 1 << WORK_LONG_BITS,
    SHORT_WORDS = WORK_TABLES * SHORT_SIZE / 2,
    INVALID_LENGTH = 17 /* of a bit pattern that is no code; its size is 0 */
};

/*
 * A symbol, packed in 16 bits: bits 0–4 length of code and value, 5–8 size of the value, 9–15 how far the zig-zag index
 * moves on, 64 where the block ends. Where bits 0–4 are 0, the others say in which long table to look the rest up.
 *
 * A pair of symbols: bits 0–4 length of both, 5–11 how far the index moves on; 12–16 and 17–23 likewise of the first.
 * Without a second they are the same. Where bits 0–4 are 0, the code is too long for the table; the others are 1 more
 * than its long table, or 0 where the pairs' table is too small to tell.
 */
enum { PAIR_FIRST = 12, PAIR_SAFE = 48 /* below it the first of a pair does not end the block */ };

struct place {
    u32 position; /* bits from the part's start */
    u32 block;
    u32 index;
};

FUNCTION struct place unpack_state(u32 state)
{
    struct place place;
    place.position = state & 31;
    place.block = state >> STATE_BLOCK & 15;
    place.index = state >> STATE_INDEX & 63;
    return place;
}

/* `end`: the part's bits; the place is not before. */
FUNCTION u32 pack_state(struct place place, u32 end)
{
    return (place.position - end) | place.block << STATE_BLOCK | place.index << STATE_INDEX;
}

/* Where to look in the long table that a code's first bits tell. */
FUNCTION u32 long_index(u32 head)
{
    return head >> (32 - WORK_SHORT_BITS - WORK_LONG_BITS) & (LONG_SIZE - 1);
}

/* A symbol whose code is too long for the table of pairs. `pair`: the block's tables, see work_picture.block_table. */
FUNCTION u32 look_up_slowly(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, u32 table, u32 head)
{
    GLOBAL const u16 *symbols = (GLOBAL const u16 *)(work + picture->short_table);
    u32 symbol = symbols[table + (head >> (32 - WORK_SHORT_BITS))];
    if ((symbol & 31) == 0)
        symbol = ((GLOBAL const u16 *)(work + picture->long_table))[(symbol >> 5) * LONG_SIZE + long_index(head)];
    return symbol;
}

FUNCTION u32 block_table(GLOBAL const struct work_picture *picture, struct place place)
{
    u32 pair = picture->block_table[place.block];
    return place.index == 0 ? pair & 0xFFFF : pair >> 16;
}

FUNCTION u32 move_on(struct place *place, u32 advance, u32 blocks_in_mcu)
{
    place->index += advance;
    if (place->index <= 63)
        return 0;
    place->index = 0;
    place->block = place->block + 1 == blocks_in_mcu ? 0 : place->block + 1;
    return 1;
}

/* What passing over a part needs. */
struct pair_tables {
    GLOBAL const u32 *work;
    GLOBAL const struct work_picture *picture;
    LOCAL const u32 *pairs;
    GLOBAL const u16 *rest; /* long tables */
    u32 bits;               /* of a look-up */
    u32 kinds;
    u32 blocks_in_mcu;
};

/* Bring the picture's tables to the group's memory. Whole work-group; a barrier follows. */
FUNCTION struct pair_tables share_pairs(
    GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, LOCAL u32x4 *pairs)
{
    struct pair_tables tables;
    GLOBAL const u32x4 *from = (GLOBAL const u32x4 *)(GLOBAL const void *)(work + picture->pair_table);
    for (u32 i = local_index(); i < picture->pair_words / 4; i += MAP_GROUP)
        pairs[i] = from[i];
    tables.work = work;
    tables.picture = picture;
    tables.pairs = (LOCAL const u32 *)pairs;
    tables.rest = (GLOBAL const u16 *)(work + picture->long_table);
    tables.bits = picture->pair_bits;
    tables.kinds = picture->block_kinds;
    tables.blocks_in_mcu = picture->blocks_in_mcu;
    return tables;
}

/* Passing over codes: how far it has come. */
struct passage {
    u32 position, index;
    u32 kinds;  /* of the blocks of an MCU, from the one it is in on */
    u32 blocks; /* that have ended */
    u32 first_block;
    u32 high, low, ahead; /* words from the position's on */
};

FUNCTION struct passage enter_passage(const struct pair_tables *tables, LOCAL const u32 *words, struct place place)
{
    struct passage passage;
    u32 at = place.position / 32, all = 2 * tables->blocks_in_mcu, done = 2 * place.block;
    passage.position = place.position;
    passage.index = place.index;
    passage.kinds = (tables->kinds >> done | tables->kinds << (all - done)) & ((1u << all) - 1);
    passage.blocks = 0;
    passage.first_block = place.block;
    passage.high = words[at];
    passage.low = words[at + 1];
    passage.ahead = words[at + 2];
    return passage;
}

FUNCTION struct place place_of(const struct pair_tables *tables, const struct passage *passage)
{
    struct place place;
    place.position = passage->position;
    place.block = (passage->first_block + passage->blocks) % tables->blocks_in_mcu;
    place.index = passage->index;
    return place;
}

/* A code too long for the table of pairs, whose entry is `pair`, as one of it. */
FUNCTION u32 pair_slowly(const struct pair_tables *tables, const struct passage *passage, u32 pair, u32 head)
{
    u32 symbol;
    if (pair > 0)
        symbol = tables->rest[((pair >> 5) - 1) * LONG_SIZE + long_index(head)];
    else
        symbol = look_up_slowly(
            tables->work, tables->picture, block_table(tables->picture, place_of(tables, passage)), head);
    symbol = (symbol & 31) | symbol >> 9 << 5;
    return symbol << PAIR_FIRST | symbol;
}

/* Pass over codes until the position is at least `end`; where the index is below `safe`, over pairs of them. */
FUNCTION void pass_codes(
    const struct pair_tables *tables, LOCAL const u32 *words, struct passage *passage, u32 end, u32 safe)
{
    u32 bits = tables->bits, turn = 2 * tables->blocks_in_mcu - 2;
    u32 row = (passage->kinds & 3) << (bits + 1);
    while (passage->position < end) {
        u32 head = funnel(passage->high, passage->low, passage->position);
        u32 shift = passage->index < safe ? 0 : PAIR_FIRST;
        u32 symbol = tables->pairs[row + (passage->index > 0 ? 1u << bits : 0) + (head >> (32 - bits))];
        if ((symbol & 31) == 0)
            symbol = pair_slowly(tables, passage, symbol, head);
        symbol >>= shift;
        u32 next = passage->position + (symbol & 31);
        if ((passage->position ^ next) & 32) {
            passage->high = passage->low;
            passage->low = passage->ahead;
            passage->ahead = words[next / 32 + 2];
        }
        passage->position = next;
        passage->index += symbol >> 5 & 127;
        if (passage->index > 63) {
            passage->index = 0;
            passage->blocks++;
            passage->kinds = passage->kinds >> 2 | (passage->kinds & 3) << turn;
            row = (passage->kinds & 3) << (bits + 1);
        }
    }
}

/*
 * Pass over a part's codes as far as its bit `end`. Of two codes looked up at once the second counts only where the
 * first ends neither the block nor the part.
 */
FUNCTION void pass_until(const struct pair_tables *tables, LOCAL const u32 *words, struct passage *passage, u32 end)
{
    pass_codes(tables, words, passage, end > WORK_SHORT_BITS ? end - WORK_SHORT_BITS : 0, PAIR_SAFE);
    pass_codes(tables, words, passage, end, 0);
}
