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
 * Without a second they are the same. 0: the code is too long for the table, or none.
 */
enum { PAIR_FIRST = 12, PAIR_SAFE = 48 /* below it the first of a pair does not end the block */ };

/*
 * Where decoding stands at the start of a part, in 15 bits: 0–4 how many bits the last code of the part before reaches
 * into it, 5–8 block in the MCU, 9–14 zig-zag index of the next coefficient, 0 where a block starts.
 */
enum { STATE_START = 0, STATE_BLOCK = 5, STATE_INDEX = 9 };

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

/* A symbol whose code is too long for the table of pairs. `pair`: the block's tables, see work_picture.block_table. */
FUNCTION u32 look_up_slowly(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, u32 table, u32 head)
{
    GLOBAL const u16 *symbols = (GLOBAL const u16 *)(work + picture->short_table);
    u32 symbol = symbols[table + (head >> (32 - WORK_SHORT_BITS))];
    if ((symbol & 31) == 0) {
        u32 rest = head >> (32 - WORK_SHORT_BITS - WORK_LONG_BITS) & (LONG_SIZE - 1);
        symbol = ((GLOBAL const u16 *)(work + picture->long_table))[(symbol >> 5) * LONG_SIZE + rest];
    }
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
    u32 bits; /* of a look-up */
    u32 kinds;
    u32 blocks_in_mcu;
};

/* Bring the picture's tables to the group's memory. Whole work-group; a barrier follows. */
FUNCTION struct pair_tables share_pairs(
    GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, LOCAL u32 *pairs)
{
    struct pair_tables tables;
    for (u32 i = local_index(); i < picture->pair_words; i += MAP_GROUP)
        pairs[i] = work[picture->pair_table + i];
    tables.work = work;
    tables.picture = picture;
    tables.pairs = pairs;
    tables.bits = picture->pair_bits;
    tables.kinds = picture->block_kinds;
    tables.blocks_in_mcu = picture->blocks_in_mcu;
    return tables;
}

/*
 * Pass over a part's codes, from a place on, as far as its end. Of two codes looked up at once the second counts only
 * where the first ends neither the block nor the part. Adds the blocks that end to *blocks.
 */
FUNCTION u32 pass_part(
    const struct pair_tables *tables, LOCAL const u32 *words, u32 end, struct place place, u32 *blocks)
{
    u32 at = place.position / 32, high = words[at], low = words[at + 1], ahead = words[at + 2], count = 0;
    u32 table = (tables->kinds >> 2 * place.block & 3) << (tables->bits + 1);
    while (place.position < end) {
        u32 head = funnel(high, low, place.position);
        u32 single = place.index >= PAIR_SAFE || end - place.position <= WORK_SHORT_BITS ? PAIR_FIRST : 0;
        u32 entry = table + (head >> (32 - tables->bits)) + (place.index > 0 ? 1u << tables->bits : 0);
        u32 symbol = tables->pairs[entry];
        if (symbol == 0) {
            symbol = look_up_slowly(tables->work, tables->picture, block_table(tables->picture, place), head);
            symbol = (symbol & 31) | symbol >> 9 << 5;
            single = 0;
        }
        symbol >>= single;
        u32 next = place.position + (symbol & 31);
        if ((place.position ^ next) & 32) {
            at++;
            high = low;
            low = ahead;
            ahead = words[at + 2];
        }
        place.position = next;
        if (move_on(&place, symbol >> 5 & 127, tables->blocks_in_mcu)) {
            count++;
            table = (tables->kinds >> 2 * place.block & 3) << (tables->bits + 1);
        }
    }
    *blocks += count;
    return pack_state(place, end);
}
