/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes tiles with Huffman codes (T.81 F.1.2), and counts their symbols for optimised tables. */
#include "jpeg/kernels/encode_blocks.h"

enum {
    /* Work-groups that a multiprocessor runs at once; the work-groups' memory allows no more. */
    GROUPS_AT_ONCE = 8,
    WINDOW = 704,                              /* words of a tile's code that are assembled at once */
    CODES = ENCODE_DC_CODES + ENCODE_AC_CODES, /* codes of a destination */
    END_OF_BLOCK = 0x00,
    ZERO_RUN = 0xF0
};

/* Describes a work-item's block when everything but its code is known. */
struct coded {
    struct block block;
    i32 difference; /* difference of its DC coefficient from the prediction */
    u32 nonzero[2]; /* bit 31 − k % 32 of word k / 32: whether coefficient k is not 0; never k = 0 */
    u32 codes;      /* index of the codes of its destination */
};

/* Holds the arrays that a work-group keeps in its memory. */
struct encode_tables {
    LOCAL u32 *values;  /* values of ENCODE_BLOCKS blocks: samples, then coefficients */
    LOCAL u32 *extra;   /* samples of the MCU in front of the tile */
    LOCAL i32 *dc;      /* DC coefficients of the blocks, in coding order */
    LOCAL u32x2 *quant; /* 64 quantisers for each component, as in jpeg_encode_component.quant */
    LOCAL u32 *sums;    /* sum of the samples that predict the first DC, for each component */
};

FUNCTION void load_tables(GLOBAL const u32 *work, const struct tile *tile, const struct encode_tables *tables)
{
    GLOBAL const u32 *quant = work + tile->picture->quant;
    for (u32 i = local_index(); i < tile->picture->components * 64; i += ENCODE_BLOCKS)
        tables->quant[i] = make_u32x2(quant[2 * i], quant[2 * i + 1]);
    if (local_index() < ENCODE_COMPONENTS)
        tables->sums[local_index()] = 0;
}

/* Return the prediction of a block's DC coefficient. */
FUNCTION i32 predict(const struct tile *tile, const struct block *block, const struct encode_tables *tables)
{
    LOCAL const struct jpeg_encode_picture *picture = tile->picture;
    LOCAL const struct jpeg_encode_component *component = &picture->component[block->component];
    u32 mcu = block->mcu, end = block->place;
    if (end == 0 && mcu == 0) {
        LOCAL const u32x2 *quant = tables->quant + block->component * 64;
        i32 sum = (i32)tables->sums[block->component] - 64 * 128;
        return tile->starts ? 0 : quantise(sum, quant->x, quant->y);
    }
    if (end == 0) {
        mcu--;
        end = component->h * component->v;
    }
    u32 place = last_real(picture, component, tile->first + mcu, end);
    return tables->dc[mcu * picture->mcu_blocks + component->first_block + place];
}

/* Turn pixels into coefficients, which then lie in tables->values. The whole work-group calls it. */
FUNCTION struct coded code_blocks(
    GLOBAL const u32 *work, const struct tile *tile, GLOBAL const u32 *pixels, const struct encode_tables *tables)
{
    struct coded coded;
    LOCAL u32 *values = tables->values + local_index() * BLOCK_WORDS;
    const struct sample_places samples = {tables->values, tables->extra};
    load_tables(work, tile, tables);
    load_samples(tile, pixels, &samples);
    barrier_local();
    sum_before(tile, &samples, tables->sums);
    coded.block = find_block(tile, local_index());
    coded.codes = tile->picture->component[coded.block.component].table * CODES;
    coded.nonzero[0] = coded.nonzero[1] = 0;
    if (coded.block.real) {
        transform_block(values, tables->quant + coded.block.component * 64);
        sort_block(values, coded.nonzero);
        tables->dc[coded.block.order] = lower_half(values[0]);
    }
    barrier_local();
    coded.difference = 0;
    if (coded.block.real)
        coded.difference = lower_half(values[0]) - predict(tile, &coded.block, tables);
    return coded;
}

FUNCTION u32 bit_size(i32 value)
{
    return 32 - leading_zeros((u32)(value < 0 ? -value : value));
}

/* Describes a walk over the coefficients of a block that are not 0. */
struct walk {
    u32 mask, next_mask; /* bits of the coefficients that are left */
    u32 base;            /* index of the coefficient that bit 31 of the mask stands for */
    u32 last;            /* index of the coefficient visited last */
};

FUNCTION struct walk walk_block(const struct coded *coded)
{
    struct walk walk;
    walk.mask = coded->nonzero[0];
    walk.next_mask = coded->nonzero[1];
    walk.base = walk.last = 0;
    return walk;
}

FUNCTION u32 walk_on(const struct walk *walk)
{
    return (walk->mask | walk->next_mask) != 0;
}

/* Return the length of the run of zeros in front of the next coefficient, whose index becomes walk->last. */
FUNCTION u32 walk_next(struct walk *walk)
{
    if (walk->mask == 0) {
        walk->mask = walk->next_mask;
        walk->next_mask = 0;
        walk->base = 32;
    }
    u32 place = leading_zeros(walk->mask), run = walk->base + place - walk->last - 1;
    walk->mask &= ~(0x80000000u >> place);
    walk->last = walk->base + place;
    return run;
}

/*
 * Writes a block's bits into the words of its own coefficients. A word is free when both of its coefficients have been
 * read. Long codes may need a word before that; then this word and all that follow go to device memory.
 */
struct block_writer {
    LOCAL u32 *words;
    GLOBAL u32 *more;
    u32 free;  /* number of words of coefficients that are free */
    u32 at;    /* index of the word that the bits go to next */
    u32 limit; /* index of the first word in device memory; at least `at` as long as there is none */
    u32 count; /* number of bits not yet written, below 32 */
    u32 bits;  /* these bits, from the highest on; the rest is 0 */
};

enum { NO_LIMIT = ENCODE_BLOCK_WORDS + 1 };

FUNCTION void write_word(struct block_writer *writer)
{
    if (writer->at < least(writer->free, writer->limit)) {
        writer->words[writer->at] = writer->bits;
    } else {
        writer->limit = least(writer->limit, writer->at);
        writer->more[writer->at] = writer->bits;
    }
    writer->at++;
}

/* Write `length` (1–31) bits, which begin at the highest bit of `bits`; the rest of it is 0. */
FUNCTION void put(struct block_writer *writer, u32 bits, u32 length)
{
    writer->bits |= bits >> writer->count;
    writer->count += length;
    if (writer->count >= 32) {
        write_word(writer);
        writer->count -= 32;
        writer->bits = bits << (length - writer->count);
    }
}

/* Write a symbol's code and the low bits of a value, or of the value minus 1 if it is negative. */
FUNCTION void put_value(struct block_writer *writer, u32 code, i32 value, u32 size)
{
    u32 length = code & 31, bits = (u32)(value + (value >> 31)) << (31 - size) << 1 >> length;
    put(writer, (code & 0xFFFF0000u) | bits, length + size);
}

FUNCTION void put_code(struct block_writer *writer, u32 code)
{
    put(writer, code & 0xFFFF0000u, code & 31);
}

/* Holds the place of a block's bits. */
struct bits {
    LOCAL const u32 *words;
    GLOBAL const u32 *more; /* words from index `limit` on */
    u32 limit;
    u32 length; /* number of bits */
};

/* Write a block's code in the place of its coefficients; `more` has room for ENCODE_BLOCK_WORDS words. */
FUNCTION struct bits write_block(const struct coded *coded, LOCAL u32 *values, LOCAL const u32 *codes, GLOBAL u32 *more)
{
    LOCAL const u32 *ac = codes + coded->codes + ENCODE_DC_CODES;
    struct block_writer writer = {values, more, 0, 0, NO_LIMIT, 0, 0};
    struct walk walk = walk_block(coded);
    u32 size = bit_size(coded->difference);
    put_value(&writer, codes[coded->codes + size], coded->difference, size);
    while (walk_on(&walk)) {
        u32 run = walk_next(&walk);
        i32 value = (i32)(values[walk.last / 2] << (16 - walk.last % 2 * 16)) >> 16;
        writer.free = (walk.last + 1) / 2;
        for (; run > 15; run -= 16)
            put_code(&writer, ac[ZERO_RUN]);
        size = bit_size(value);
        put_value(&writer, ac[run << 4 | size], value, size);
    }
    writer.free = 32;
    if (walk.last != 63)
        put_code(&writer, ac[END_OF_BLOCK]);
    struct bits bits = {values, more, writer.limit, 32 * writer.at + writer.count};
    if (writer.count > 0)
        write_word(&writer);
    bits.limit = writer.limit;
    return bits;
}

/*
 * Copy a block's bits into a window of words, as far as they lie in it. The window begins with word `first` of the
 * tile, and its words are 0 where nothing was written.
 */
FUNCTION void place_bits_in(LOCAL u32 *window, u32 first, const struct bits *bits, u32 start)
{
    u32 shift = start % 32, words = (shift + bits->length + 31) / 32, last = 0;
    ROLL for (u32 i = 0; i < words; i++)
    {
        u32 next = 0, to = start / 32 + i - first;
        if (32 * i < bits->length)
            next = i < bits->limit ? bits->words[i] : bits->more[i];
        u32 word = shift_pair(next, last, shift);
        last = next;
        if (to >= WINDOW)
            continue;
        if (i == 0 || i + 1 == words)
            join_local(window + to, word);
        else
            window[to] = word;
    }
}

/*
 * Return the number of bits in front of this work-item's block, which has number `order` in coding order, and `length`
 * bits if it exists. *total receives the bits of all blocks. The whole work-group calls it.
 */
FUNCTION u32 place_block(LOCAL u32 *lengths, LOCAL u32 *scratch, u32 order, u32 exists, u32 length, u32 *total)
{
    u32 self = local_index();
    lengths[self] = 0;
    barrier_local();
    if (exists)
        lengths[order] = length;
    barrier_local();
    u32 before = group_scan(scratch, ENCODE_BLOCKS, lengths[self], total);
    barrier_local();
    lengths[self] = before;
    barrier_local();
    return lengths[order];
}

/*
 * Code a tile, from pixels to bits. `bits` receives the bits, from the tile's own first word on, the first bit of a
 * word being its highest; `lists` receives their number. If streams are gathered, their lengths, to which measure_tiles
 * adds, are cleared. The groups of a launch are those of all tiles from number `skip` on.
 *
 * The words of a block's code for which its coefficients have no room wait among the tile's words, from
 * ENCODE_BLOCK_WORDS times the block's place in the tile on, where the code of no earlier block ends up.
 */
DENSE_KERNEL(ENCODE_BLOCKS, GROUPS_AT_ONCE)
encode_tiles(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT pixels, GLOBAL u32 *bits,
    GLOBAL u32 *RESTRICT lists, u32 skip)
{
    SHARED u32 picture[ENCODE_PICTURE_WORDS];
    SHARED u32 values[ENCODE_BLOCKS * BLOCK_WORDS];
    SHARED i32 dc[ENCODE_BLOCKS];
    SHARED u32x2 quant[ENCODE_COMPONENTS * 64];
    SHARED u32 sums[ENCODE_COMPONENTS];
    SHARED u32 codes[ENCODE_CODES];
    SHARED u32 lengths[ENCODE_BLOCKS];
    SHARED u32 scratch[ENCODE_BLOCKS];
    SHARED u32 window[WINDOW];
    u32 self = local_index(), total;
    struct tile tile = find_tile(work, group_index() + skip, picture, ENCODE_BLOCKS);
    struct encode_tables tables = {values, window, dc, quant, sums};
    for (u32 i = self; i < ENCODE_CODES; i += ENCODE_BLOCKS)
        codes[i] = work[tile.picture->codes + i];
    struct coded coded = code_blocks(work, &tile, pixels, &tables);
    GLOBAL u32 *out = bits + tile.picture->bits +
                      (u64)tile.number * tile.picture->tile_mcus * tile.picture->mcu_blocks * ENCODE_BLOCK_WORDS;
    struct bits own = {values, out, 0, 0};
    if (coded.block.exists)
        own = write_block(&coded, values + self * BLOCK_WORDS, codes, out + coded.block.order * ENCODE_BLOCK_WORDS);
    u32 start = place_block(lengths, scratch, coded.block.order, coded.block.exists, own.length, &total);
    for (u32 first = 0; first * 32 < total; first += WINDOW) {
        for (u32 i = self; i < WINDOW; i += ENCODE_BLOCKS)
            window[i] = 0;
        barrier_local();
        if (start / 32 < first + WINDOW && start + own.length > first * 32)
            place_bits_in(window, first, &own, start);
        barrier_all();
        for (u32 i = self; i < WINDOW && (first + i) * 32 < total; i += ENCODE_BLOCKS)
            out[first + i] = window[i];
        barrier_local();
    }
    if (self == 0)
        lists[ENCODE_LENGTHS * ((GLOBAL const struct jpeg_encode_work *)work)->count + group_index() + skip] = total;
    if (self == 0 && tile.number == 0 && is_gathered(work))
        stream_lengths(work, lists)[tile.index] = 0;
}

FUNCTION void count_block(const struct coded *coded, LOCAL const i16 *values, LOCAL u32 *histogram)
{
    LOCAL u32 *ac = histogram + coded->codes + ENCODE_DC_CODES;
    count_up_local(histogram + coded->codes + bit_size(coded->difference), 1);
    struct walk walk = walk_block(coded);
    while (walk_on(&walk)) {
        u32 run = walk_next(&walk);
        if (run > 15)
            count_up_local(ac + ZERO_RUN, run >> 4);
        count_up_local(ac + ((run & 15) << 4 | bit_size(values[walk.last])), 1);
    }
    if (walk.last != 63)
        count_up_local(ac + END_OF_BLOCK, 1);
}

/*
 * Count how often each symbol occurs in each picture. The histograms have ENCODE_CODES words for each picture, which
 * are 0 at the start.
 */
DENSE_KERNEL(ENCODE_BLOCKS, GROUPS_AT_ONCE)
count_symbols(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT pixels, GLOBAL u32 *RESTRICT histograms, u32 skip)
{
    SHARED u32 picture[ENCODE_PICTURE_WORDS];
    SHARED u32 values[ENCODE_BLOCKS * BLOCK_WORDS];
    SHARED u32 extra[ENCODE_MCU_BLOCKS * BLOCK_WORDS];
    SHARED i32 dc[ENCODE_BLOCKS];
    SHARED u32x2 quant[ENCODE_COMPONENTS * 64];
    SHARED u32 sums[ENCODE_COMPONENTS];
    SHARED u32 histogram[ENCODE_CODES];
    u32 self = local_index();
    struct tile tile = find_tile(work, group_index() + skip, picture, ENCODE_BLOCKS);
    struct encode_tables tables = {values, extra, dc, quant, sums};
    for (u32 i = self; i < ENCODE_CODES; i += ENCODE_BLOCKS)
        histogram[i] = 0;
    struct coded coded = code_blocks(work, &tile, pixels, &tables);
    barrier_local();
    if (coded.block.exists)
        count_block(&coded, (LOCAL const i16 *)(values + self * BLOCK_WORDS), histogram);
    barrier_local();
    for (u32 i = self; i < ENCODE_CODES; i += ENCODE_BLOCKS)
        if (histogram[i] != 0)
            count_up(histograms + tile.index * ENCODE_CODES + i, histogram[i]);
}
