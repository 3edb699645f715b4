/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the Huffman decoding of a chunk (T.81 F.2.2): its states, the tables, and passing over its codes without storing
 * coefficients.
 */
#include "jpeg/kernels/stream.h"

/*
 * A symbol is packed in 16 bits: bits 0–4 are the length of code and value, bits 5–8 the size of the value, and bits
 * 9–15 how far the zig-zag index moves on, 64 if the block ends. If bits 0–4 are 0, the others name the long table in
 * which to look up the rest.
 *
 * A pair of symbols is packed in 32 bits: bits 0–4 are the length of both, bits 16–22 how far the index moves on; bits
 * 8–12 and 24–30 are the same for the first symbol alone. Without a second symbol both are equal. If bits 0–4 are 0,
 * the code is too long for the table; the other bits are then 32 × (the number of its long table + 1), or 0 if the
 * table of pairs is too small to tell.
 */
enum {
    PAIR_LENGTH = 31,
    PAIR_STEP = 0x7F001F,
    PAIR_FIRST = 8,
    PAIR_SAFE = 48 /* index below which the first symbol of a pair does not end the block */
};

struct place {
    u32 position; /* position in bits from the start of the chunk */
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

/* Pack the state behind a chunk; `end` is the number of the chunk's bits, and the place is not in front of it. */
FUNCTION u32 pack_state(struct place place, u32 end)
{
    return (place.position - end) | place.block << STATE_BLOCK | place.index << STATE_INDEX;
}

/* Return the index in the long table that the first bits of a code select. */
FUNCTION u32 long_index(u32 head)
{
    return head >> (32 - WORK_SHORT_BITS - WORK_LONG_BITS) & (WORK_LONG_SIZE - 1);
}

/*
 * Look up a symbol whose code is too long for the table of pairs, in the short and the long tables. `table` is one of
 * the block's tables, see jpeg_work_picture.block_table.
 */
FUNCTION u32 look_up_slowly(GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, u32 table, u32 head)
{
    GLOBAL const u16 *symbols = (GLOBAL const u16 *)(work + picture->short_table);
    u32 symbol = symbols[table + (head >> (32 - WORK_SHORT_BITS))];
    if ((symbol & 31) == 0)
        symbol = ((GLOBAL const u16 *)(work + picture->long_table))[(symbol >> 5) * WORK_LONG_SIZE + long_index(head)];
    return symbol;
}

FUNCTION u32 block_table(GLOBAL const struct jpeg_work_picture *picture, struct place place)
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

/*
 * The most blocks that passing over a chunk, and the code in front of it, may reach, counted from the start of an MCU:
 * nine blocks of the MCU may come before, and a block may have only two bits.
 */
enum { ROWS = WORK_MCU_BLOCKS + WORK_CHUNK * 4 + 4 };

/* Holds the tables and numbers needed for passing over a chunk. */
struct pair_tables {
    GLOBAL const u32 *work;
    GLOBAL const struct jpeg_work_picture *picture;
    LOCAL const u32 *pairs;
    /* Offsets in `pairs` of the tables of each block, from the MCU's first block on, MCU after MCU. */
    LOCAL const u16 *rows;
    GLOBAL const u16 *rest; /* the picture's long tables */
    u32 bits;               /* number of bits looked up at once */
    u32 blocks_in_mcu;
};

/*
 * Load the picture's tables of pairs into the work-group's memory. The whole work-group calls it; a barrier must
 * follow.
 */
FUNCTION struct pair_tables share_pairs(
    GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, LOCAL u32x4 *pairs, LOCAL u16 *rows)
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

/* Holds the position reached while passing over codes. */
struct passage {
    u32 at;    /* position | index << PASSAGE_INDEX */
    u32 block; /* counted from the first block of the MCU in which the passage began */
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

/* Return the number of blocks that have ended on the way. */
FUNCTION u32 passed_blocks(const struct passage *passage)
{
    return passage->block - passage->first_block;
}

/*
 * Look up a code that is too long for the table of pairs, and return it in the form of a pair; `pair` is the entry of
 * the table.
 */
FUNCTION u32 pair_slowly(const struct pair_tables *tables, u32 at, u32 block, u32 pair, u32 head)
{
    u32 symbol;
    if (pair > 0) {
        symbol = tables->rest[((pair >> 5) - 1) * WORK_LONG_SIZE + long_index(head)];
    } else {
        u32 both = tables->picture->block_table[block % tables->blocks_in_mcu];
        symbol = look_up_slowly(tables->work, tables->picture, at >> PASSAGE_INDEX ? both >> 16 : both & 0xFFFF, head);
    }
    symbol = (symbol & 31) | symbol >> 9 << PASSAGE_INDEX;
    return symbol << PAIR_FIRST | symbol;
}

/*
 * Pass over codes until the position is at least `end`; as long as the index is below `safe`, over two codes at once.
 * Position and index are kept in one word, to which an entry of the tables is added as it is.
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
 * Pass over the codes of a chunk up to its bit `end`. If two codes are looked up at once, the second one counts only if
 * the first ends neither the block nor the chunk.
 */
FUNCTION void pass_until(const struct pair_tables *tables, LOCAL const u32 *words, struct passage *passage, u32 end)
{
    pass_codes(tables, words, passage, end > WORK_SHORT_BITS ? end - WORK_SHORT_BITS : 0, PAIR_SAFE);
    pass_codes(tables, words, passage, end, 0);
}
