/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman decoding of a part (T.81 F.2.2): states, tables, and passing over its codes. */
#include "jpeg/kernels/stream.h"

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
 * A pair of symbols: bits 0–4 length of both, 16–22 how far the index moves on; 8–12 and 24–30 likewise of the first.
 * Without a second they are the same. Where bits 0–4 are 0, the code is too long for the table; the others are 32 times
 * 1 more than its long table, or 0 where the pairs' table is too small to tell.
 */
enum {
    PAIR_LENGTH = 31,
    PAIR_STEP = 0x7F001F,
    PAIR_FIRST = 8,
    PAIR_SAFE = 48 /* index below which the first of a pair does not end the block */
};

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

/* Most blocks that a part and the code before it end in: of two bits each, behind nine of the MCU. */
enum { ROWS = WORK_MCU_BLOCKS + PART_SIZE * 4 + 4 };

/* What passing over a part needs. */
struct pair_tables {
    GLOBAL const u32 *work;
    GLOBAL const struct work_picture *picture;
    LOCAL const u32 *pairs;
    LOCAL const u16 *rows;  /* where the tables of blocks are among those, from the MCU's first on, MCU after MCU */
    GLOBAL const u16 *rest; /* long tables */
    u32 bits;               /* of a look-up */
    u32 blocks_in_mcu;
};

/* Bring the picture's tables to the group's memory. Whole work-group; a barrier follows. */
FUNCTION struct pair_tables share_pairs(
    GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, LOCAL u32x4 *pairs, LOCAL u16 *rows)
{
    struct pair_tables tables;
    GLOBAL const u32x4 *from = (GLOBAL const u32x4 *)(GLOBAL const void *)(work + picture->pair_table);
    tables.work = work;
    tables.picture = picture;
    tables.pairs = (LOCAL const u32 *)pairs;
    tables.rows = rows;
    tables.rest = (GLOBAL const u16 *)(work + picture->long_table);
    tables.bits = picture->pair_bits;
    tables.blocks_in_mcu = picture->blocks_in_mcu;
    for (u32 i = local_index(); i < picture->pair_words / 4; i += MAP_GROUP)
        pairs[i] = from[i];
    for (u32 i = local_index(); i < ROWS; i += MAP_GROUP)
        rows[i] = (u16)((picture->block_kinds >> 2 * (i % tables.blocks_in_mcu) & 3) << (tables.bits + 1));
    return tables;
}

/* Passing over codes: how far it has come. */
struct passage {
    u32 at;    /* position | index << PASSAGE_INDEX */
    u32 block; /* counted from the first of the MCU that it began in */
    u32 first_block;
};

enum { PASSAGE_INDEX = 16, PASSAGE_POSITION = (1 << PASSAGE_INDEX) - 1, PASSAGE_ENDED = 64 << PASSAGE_INDEX };

FUNCTION struct passage enter_passage(struct place place)
{
    struct passage passage;
    passage.at = place.position | place.index << PASSAGE_INDEX;
    passage.block = passage.first_block = place.block;
    return passage;
}

FUNCTION struct place place_of(const struct pair_tables *tables, const struct passage *passage)
{
    struct place place;
    place.position = passage->at & PASSAGE_POSITION;
    place.block = passage->block % tables->blocks_in_mcu;
    place.index = passage->at >> PASSAGE_INDEX;
    return place;
}

/* Blocks that have ended. */
FUNCTION u32 passed_blocks(const struct passage *passage)
{
    return passage->block - passage->first_block;
}

/* A code too long for the table of pairs, whose entry is `pair`, as one of it. */
FUNCTION u32 pair_slowly(const struct pair_tables *tables, u32 at, u32 block, u32 pair, u32 head)
{
    u32 symbol;
    if (pair > 0) {
        symbol = tables->rest[((pair >> 5) - 1) * LONG_SIZE + long_index(head)];
    } else {
        u32 both = tables->picture->block_table[block % tables->blocks_in_mcu];
        symbol = look_up_slowly(tables->work, tables->picture, at >> PASSAGE_INDEX ? both >> 16 : both & 0xFFFF, head);
    }
    symbol = (symbol & 31) | symbol >> 9 << PASSAGE_INDEX;
    return symbol << PAIR_FIRST | symbol;
}

/*
 * Pass over codes until the position is at least `end`; where the index is below `safe`, over pairs of them. Position
 * and index are one word, to which an entry of the tables is added as it is.
 */
FUNCTION void pass_codes(
    const struct pair_tables *tables, LOCAL const u32 *words, struct passage *passage, u32 end, u32 safe)
{
    u32 bits = tables->bits, at = passage->at, block = passage->block;
    while ((at & PASSAGE_POSITION) < end) {
        u32 word = (at & PASSAGE_POSITION) / 32, head = funnel(words[word], words[word + 1], at);
        u32 symbol =
            tables->pairs[tables->rows[block] + (at >> PASSAGE_INDEX ? 1u << bits : 0) + (head >> (32 - bits))];
        if ((symbol & PAIR_LENGTH) == 0)
            symbol = pair_slowly(tables, at, block, symbol, head);
        if (at >= safe << PASSAGE_INDEX)
            symbol >>= PAIR_FIRST;
        at += symbol & PAIR_STEP;
        if (at >= PASSAGE_ENDED) {
            at &= PASSAGE_POSITION;
            block++;
        }
    }
    passage->at = at;
    passage->block = block;
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
