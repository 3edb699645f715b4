/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Huffman decoding by many work-items at once (T.81 F.2.2). A segment's data are cut into parts. A part's function
 * takes the state at its start (how far the last code of the part before reaches into it, block in the MCU, zig-zag
 * index) to that at its end. Every part starts from a guess; then parts whose guess is not what the part before gives
 * are decoded again, until none is left: Huffman codes fall into step by themselves, so that a few rounds do.
 */
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
 */

/* What all parts of a group share. */
struct shared_tables {
    LOCAL const u16 *symbols; /* tables of SHORT_SIZE */
    LOCAL const u32 *tables;  /* of each block of an MCU, see work_picture.block_table */
    LOCAL const u32 *components;
    GLOBAL const u16 *rest;
    u32 blocks_in_mcu;
};

struct part {
    u32 start;       /* bit positions in the picture's bytes without stuffing: of the part's first bit, */
    u32 end;         /* behind its last, */
    u32 segment_end; /* and behind its segment's last */
    u32 first;       /* whether it is its segment's first part, and its last */
    u32 last;
    u32 interval;
    u32 segment_part; /* its segment's first part */
};

/* Sums of what a part holds: completed blocks, and differences of DC by component, modulo 2^32. */
struct sums {
    u32 blocks;
    u32 dc[WORK_COMPONENTS];
};

struct bits {
    GLOBAL const u32 *words;
    u64 window; /* the next bit is the highest */
    u32 count;  /* bits in it, at least 33 */
    u32 next;   /* word */
    u32 end;    /* bit position from which on there are zeros */
};

FUNCTION u32 load_word(GLOBAL const u32 *words, u32 index, u32 end)
{
    u32 whole = end / 32;
    if (index < whole)
        return swap_bytes(words[index]);
    if (index > whole || end % 32 == 0)
        return 0;
    return swap_bytes(words[index]) & ~(0xFFFFFFFFu >> (end % 32));
}

FUNCTION void bits_start(struct bits *bits, GLOBAL const u32 *words, u32 position, u32 end)
{
    u32 index = position / 32, skip = position % 32;
    bits->words = words;
    bits->end = end;
    bits->window = (u64)load_word(words, index, end) << 32 | load_word(words, index + 1, end);
    bits->window <<= skip;
    bits->count = 64 - skip;
    bits->next = index + 2;
}

FUNCTION void bits_consume(struct bits *bits, u32 n)
{
    bits->window <<= n;
    bits->count -= n;
    if (bits->count <= 32) {
        bits->window |= (u64)load_word(bits->words, bits->next, bits->end) << (32 - bits->count);
        bits->count += 32;
        bits->next++;
    }
}

FUNCTION u32 look_up(const struct shared_tables *tables, u32 table, u32 head)
{
    u32 symbol = tables->symbols[table + (head >> (32 - WORK_SHORT_BITS))];
    if ((symbol & 31) == 0)
        symbol =
            tables
                ->rest[(symbol >> 5) * LONG_SIZE + (head >> (32 - WORK_SHORT_BITS - WORK_LONG_BITS) & (LONG_SIZE - 1))];
    return symbol;
}

/* EXTEND (F.12) of the value of `size` (0–15) bits behind the code. */
FUNCTION i32 symbol_value(u32 symbol, u32 head)
{
    u32 size = symbol >> 5 & 15;
    u32 length = (symbol & 31) - size;
    u32 value = head << length;
    u32 negative = value >> 31 ^ 1;
    return (i32)((value >> 1 >> (31 - size)) - (negative ? (1u << size) - 1 : 0));
}

/* Where decoding stands within an MCU. A state packs it with how far it is past the end of a part, 0–63 bits. */
struct place {
    u32 position;
    u32 block; /* in the MCU */
    u32 index; /* zig-zag, of the next coefficient; 0: the block starts */
};

FUNCTION struct place unpack_state(u32 state, u32 start)
{
    struct place place;
    place.position = start + (state & 63);
    place.block = state >> 6 & 15;
    place.index = state >> 10 & 63;
    return place;
}

/* The state in which a segment starts, and which is the guess for parts in its middle. */
enum { STATE_START = 0 };

FUNCTION u32 pack_state(struct place place, u32 end)
{
    return (place.position - end) | place.block << 6 | place.index << 10;
}

/*
 * Whether the part has more to decode. The last one of a segment goes on, with zeros, to the end of the MCU that the
 * data end in; where they end with an MCU, to that of the next.
 */
FUNCTION u32 more(const struct part *part, struct place place)
{
    if (place.position < part->end)
        return 1;
    return part->last && !(place.block == 0 && place.index == 0 && place.position > part->segment_end);
}

FUNCTION void add_dc(u32 *dc, u32 component, u32 difference)
{
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        dc[i] += component == i ? difference : 0;
}

/* A part's function: decode from a state, return the state at the end and what there was. */
FUNCTION u32 run_part(
    const struct shared_tables *tables, const struct part *part, GLOBAL const u32 *words, u32 state, struct sums *sums)
{
    struct bits bits;
    struct place place = unpack_state(state, part->start);
    u32 pair = tables->tables[place.block];
    sums->blocks = 0;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums->dc[i] = 0;
    bits_start(&bits, words, place.position, part->segment_end);
    while (more(part, place)) {
        u32 head = (u32)(bits.window >> 32);
        u32 symbol = look_up(tables, place.index == 0 ? pair & 0xFFFF : pair >> 16, head);
        if (place.index == 0)
            add_dc(sums->dc, tables->components[place.block] & 0xFF, (u32)symbol_value(symbol, head));
        bits_consume(&bits, symbol & 31);
        place.position += symbol & 31;
        place.index += symbol >> 9;
        if (place.index > 63) {
            place.index = 0;
            place.block = place.block + 1 == tables->blocks_in_mcu ? 0 : place.block + 1;
            sums->blocks++;
            pair = tables->tables[place.block];
        }
    }
    return part->last ? STATE_START : pack_state(place, part->end);
}

/* Where the group's part for this work-item lies. False where there is none. */
FUNCTION u32 find_part(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture,
    GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT ranks, u32 index, struct part *part)
{
    part->start = part->end = part->segment_end = 0;
    part->first = part->last = 1;
    part->interval = part->segment_part = 0;
    if (index >= picture->parts)
        return 0;
    GLOBAL const struct work_segment *segment = find_segment(work, picture, index);
    u32 from = (segment->offset / WORK_PART + index - segment->first_part) * WORK_PART, to = from + WORK_PART;
    u32 end = segment->offset + segment->length;
    part->first = index == segment->first_part;
    part->last = to >= end;
    part->start = 8 * rank_of(picture, stream, ranks, part->first ? segment->offset : from);
    part->segment_end = 8 * rank_of(picture, stream, ranks, end);
    part->end = part->last ? part->segment_end : 8 * rank_of(picture, stream, ranks, to);
    part->interval = segment->interval;
    part->segment_part = segment->first_part;
    return 1;
}

/* Bring the picture's tables to the group's memory. Whole work-group; a barrier follows. */
FUNCTION struct shared_tables share_tables(
    GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, LOCAL u32 *symbols, LOCAL u32 *blocks)
{
    struct shared_tables tables;
    GLOBAL const u32 *from = work + picture->short_table;
    for (u32 i = local_index(); i < picture->tables * SHORT_SIZE / 2; i += WORK_PARTS)
        symbols[i] = from[i];
    if (local_index() < WORK_MCU_BLOCKS) {
        blocks[local_index()] = picture->block_table[local_index()];
        blocks[WORK_MCU_BLOCKS + local_index()] = picture->block_component[local_index()];
    }
    tables.symbols = (LOCAL const u16 *)symbols;
    tables.tables = blocks;
    tables.components = blocks + WORK_MCU_BLOCKS;
    tables.rest = (GLOBAL const u16 *)(work + picture->long_table);
    tables.blocks_in_mcu = picture->blocks_in_mcu;
    barrier_local();
    return tables;
}

FUNCTION GLOBAL const u32 *picture_words(GLOBAL const struct work_picture *picture, GLOBAL const u32 *bytes)
{
    return bytes + (u64)picture->stream * 4;
}

/*
 * A group's entries in `groups`, lists of one word a group: the state its first part started from; the state behind its
 * last part, twice, for rounds to read one while they write the other; sums.
 */
enum { GROUP_IN, GROUP_OUT, GROUP_OUT_NEXT, GROUP_SUMS, GROUP_LISTS = GROUP_SUMS + 1 + WORK_COMPONENTS };

/* Likewise a part's in `parts`: the state behind it, and sums. */
enum { PART_OUT, PART_SUMS, PART_LISTS = PART_SUMS + 1 + WORK_COMPONENTS };

/*
 * Decode parts again until each started from what the one before gave. states[i]: behind the group's part i; `in`: what
 * this work-item's started from; `before`: what the group's first is to start from. After r rounds the first r parts
 * are settled, so there are at most as many as parts. Whole work-group; a barrier comes before and after.
 */
FUNCTION void settle_group(const struct shared_tables *tables, const struct part *part, GLOBAL const u32 *words,
    LOCAL u32 *states, LOCAL u32 *scratch, u32 before, u32 *in, struct sums *sums)
{
    u32 self = local_index(), changed;
    do {
        u32 wanted = self > 0 ? states[self - 1] : before;
        wanted = part->first ? STATE_START : wanted;
        changed = group_any(scratch, WORK_PARTS, wanted != *in);
        if (wanted != *in) {
            *in = wanted;
            states[self] = run_part(tables, part, words, wanted, sums);
        }
        barrier_local();
    } while (changed);
}

/* Keep what is known of the group's parts, and their sums. `list`: GROUP_OUT or GROUP_OUT_NEXT. Whole work-group. */
FUNCTION void keep_group(GLOBAL const u32 *work, GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups,
    LOCAL const u32 *states, LOCAL u32 *scratch, u32 group, u32 list, u32 in, const struct sums *sums)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 all = head->part_groups, self = local_index();
    GLOBAL u32 *part = parts + (u64)group * WORK_PARTS + self;
    u64 stride = (u64)all * WORK_PARTS;
    u32 blocks = group_sum(scratch, WORK_PARTS, sums->blocks);
    part[PART_OUT * stride] = states[self];
    part[PART_SUMS * stride] = sums->blocks;
    if (self == 0) {
        groups[GROUP_IN * all + group] = in;
        groups[list * all + group] = states[WORK_PARTS - 1];
        groups[GROUP_SUMS * all + group] = blocks;
    }
    for (u32 i = 0; i < WORK_COMPONENTS; i++) {
        u32 dc = group_sum(scratch, WORK_PARTS, sums->dc[i]);
        part[(PART_SUMS + 1 + i) * stride] = sums->dc[i];
        if (self == 0)
            groups[(GROUP_SUMS + 1 + i) * all + group] = dc;
    }
}

/* Every part from a guess, and the groups in themselves. */
KERNEL(WORK_PARTS)
decode_guesses(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT ranks,
    GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups)
{
    SHARED u32 symbols[SHORT_WORDS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 states[WORK_PARTS];
    SHARED u32 scratch[WORK_PARTS];
    u32 group = group_index(), first, self = local_index();
    GLOBAL const struct work_picture *picture = picture_at(work, find_picture(work, WORK_OF_PARTS, group, &first));
    GLOBAL const u32 *words = picture_words(picture, bytes);
    struct shared_tables tables = share_tables(work, picture, symbols, blocks);
    struct part part;
    struct sums sums;
    u32 in = STATE_START;
    sums.blocks = 0;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums.dc[i] = 0;
    states[self] = STATE_START;
    if (find_part(work, picture, stream, ranks, (group - first) * WORK_PARTS + self, &part))
        states[self] = run_part(&tables, &part, words, in, &sums);
    barrier_local();
    settle_group(&tables, &part, words, states, scratch, STATE_START, &in, &sums);
    keep_group(work, parts, groups, states, scratch, group, GROUP_OUT, in, &sums);
}

/* What keep_group() kept. Whole work-group. */
FUNCTION void recall_group(GLOBAL const u32 *work, GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups,
    LOCAL u32 *states, u32 group, u32 first, u32 *in, struct sums *sums)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 all = head->part_groups, self = local_index();
    GLOBAL const u32 *part = parts + (u64)group * WORK_PARTS + self;
    u64 stride = (u64)all * WORK_PARTS;
    barrier_all();
    states[self] = part[PART_OUT * stride];
    sums->blocks = part[PART_SUMS * stride];
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums->dc[i] = part[(PART_SUMS + 1 + i) * stride];
    *in = groups[GROUP_IN * all + group];
    barrier_all();
    *in = self > 0 ? states[self - 1] : *in;
    *in = first ? STATE_START : *in;
}

/* Each group's parts once more as far as what the group before gave is not what this one started from. */
KERNEL(WORK_PARTS)
join_groups(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT ranks,
    GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups, u32 list)
{
    SHARED u32 symbols[SHORT_WORDS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 states[WORK_PARTS];
    SHARED u32 scratch[WORK_PARTS];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 group = group_index(), first, self = local_index(), all = head->part_groups;
    GLOBAL const struct work_picture *picture = picture_at(work, find_picture(work, WORK_OF_PARTS, group, &first));
    GLOBAL const u32 *words = picture_words(picture, bytes);
    u32 before = group > first ? groups[list * all + group - 1] : STATE_START, in;
    struct part part;
    struct sums sums;
    struct shared_tables tables = share_tables(work, picture, symbols, blocks);
    find_part(work, picture, stream, ranks, (group - first) * WORK_PARTS + self, &part);
    recall_group(work, parts, groups, states, group, part.first, &in, &sums);
    settle_group(&tables, &part, words, states, scratch, before, &in, &sums);
    keep_group(work, parts, groups, states, scratch, group, GROUP_OUT + GROUP_OUT_NEXT - list, in, &sums);
}

/*
 * One group a picture goes over the picture's groups of parts from first to last. Where all are joined, that is all;
 * otherwise it decodes those that are not, which makes the picture's parts settled whatever they hold.
 */
KERNEL(WORK_PARTS)
settle_pictures(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT ranks,
    GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups, u32 list)
{
    SHARED u32 symbols[SHORT_WORDS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 states[WORK_PARTS];
    SHARED u32 scratch[WORK_PARTS];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 index = group_index(), self = local_index(), all = head->part_groups;
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    GLOBAL const u32 *words = picture_words(picture, bytes);
    u32 first = (work + head->groups[WORK_OF_PARTS])[index], end = (work + head->groups[WORK_OF_PARTS])[index + 1];
    GLOBAL const u32 *outs = groups + list * all;
    struct shared_tables tables = share_tables(work, picture, symbols, blocks);
    u32 group = first + 1;
    while (group < end) {
        /* The first of the next groups that is not joined to the one before. */
        u32 at = group + self, open = at < end && outs[at - 1] != groups[GROUP_IN * all + at];
        barrier_local();
        scratch[self] = open;
        barrier_local();
        u32 skip = 0;
        while (skip < WORK_PARTS && scratch[skip] == 0)
            skip++;
        group += skip;
        barrier_local();
        if (skip == WORK_PARTS || group >= end)
            continue;
        struct part part;
        struct sums sums;
        u32 in, before = outs[group - 1];
        find_part(work, picture, stream, ranks, (group - first) * WORK_PARTS + self, &part);
        recall_group(work, parts, groups, states, group, part.first, &in, &sums);
        settle_group(&tables, &part, words, states, scratch, before, &in, &sums);
        keep_group(work, parts, groups, states, scratch, group, list, in, &sums);
        barrier_all();
        group++;
    }
}

/* What comes before each part in its picture (`places`: lists of WORK_PARTS a group, as the sums). */
KERNEL(WORK_PARTS)
place_parts(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups,
    GLOBAL u32 *RESTRICT places)
{
    SHARED u32 scratch[WORK_PARTS];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 group = group_index(), first, self = local_index(), all = head->part_groups;
    u64 stride = (u64)all * WORK_PARTS, at = (u64)group * WORK_PARTS + self;
    find_picture(work, WORK_OF_PARTS, group, &first);
    for (u32 i = 0; i < 1 + WORK_COMPONENTS; i++) {
        u32 before = 0, total;
        for (u32 j = first + self; j < group; j += WORK_PARTS)
            before += groups[(GROUP_SUMS + i) * all + j];
        before = group_sum(scratch, WORK_PARTS, before);
        places[i * stride + at] =
            before + group_scan(scratch, WORK_PARTS, parts[(PART_SUMS + i) * stride + at], &total);
    }
}

/* Zig-zag index → place in a block that is stored by columns. */
TABLE u8 column_order[64] = {0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, //
    33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,                     //
    28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30,                    //
    23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63};

/* Zero the coefficients; `count` times 16 bytes. */
KERNEL(STREAM_GROUP) clear_blocks(GLOBAL u32x4 *RESTRICT coefficients, u32 count)
{
    enum { STEPS = WORK_CLEAR / (16 * STREAM_GROUP) };
    u64 at = (u64)group_index() * (STEPS * STREAM_GROUP) + local_index();
    for (u32 i = 0; i < STEPS; i++, at += STREAM_GROUP)
        if (at < count)
            coefficients[at] = make_u32x4(0, 0, 0, 0);
}

/* Decode each part from the right state and write its coefficients. */
FUNCTION void write_part(const struct shared_tables *tables, const struct part *part, GLOBAL const u32 *words,
    u32 state, LOCAL const u8 *order, GLOBAL i16 *RESTRICT blocks, u32 limit, const struct sums *before,
    GLOBAL u32 *RESTRICT damage)
{
    struct bits bits;
    struct place place = unpack_state(state, part->start);
    u32 pair = tables->tables[place.block], block = before->blocks, invalid = 0;
    u32 dc[WORK_COMPONENTS];
    GLOBAL i16 *out = blocks + (u64)block * 64;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        dc[i] = before->dc[i];
    bits_start(&bits, words, place.position, part->segment_end);
    while (block < limit && more(part, place)) {
        u32 head = (u32)(bits.window >> 32);
        u32 symbol = look_up(tables, place.index == 0 ? pair & 0xFFFF : pair >> 16, head);
        i32 value = symbol_value(symbol, head);
        invalid += (symbol & 0x1FF) == INVALID_LENGTH;
        if (place.index == 0) {
            u32 component = tables->components[place.block] & 0xFF;
            add_dc(dc, component, (u32)value);
            value = 0;
            for (u32 i = 0; i < WORK_COMPONENTS; i++)
                value = component == i ? (i32)dc[i] : value;
            out[0] = (i16)(u16)(u32)value;
            place.index = 1;
        } else {
            place.index += symbol >> 9;
            if (symbol >> 5 & 15)
                out[order[place.index > 64 ? 63 : place.index - 1]] = (i16)value;
        }
        bits_consume(&bits, symbol & 31);
        place.position += symbol & 31;
        if (place.index > 63) {
            place.index = 0;
            place.block = place.block + 1 == tables->blocks_in_mcu ? 0 : place.block + 1;
            block++;
            out += 64;
            pair = tables->tables[place.block];
            if (block == limit && place.position <= part->segment_end && part->segment_end - place.position >= 8)
                count_up(damage + 2, 1);
        }
    }
    if (part->last && block <= limit && place.block == 0 && place.index == 0 && place.position > part->segment_end)
        count_up(damage, 1);
    if (invalid > 0)
        count_up(damage + 1, invalid);
}

KERNEL(WORK_PARTS)
write_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT ranks,
    GLOBAL const u32 *RESTRICT bytes, GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT places,
    GLOBAL i16 *RESTRICT coefficients, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 symbols[SHORT_WORDS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 order[16];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 group = group_index(), first, self = local_index();
    u64 stride = (u64)head->part_groups * WORK_PARTS, at = (u64)group * WORK_PARTS + self;
    u32 index = find_picture(work, WORK_OF_PARTS, group, &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    if (self < 64)
        ((LOCAL u8 *)order)[self] = column_order[self];
    struct shared_tables tables = share_tables(work, picture, symbols, blocks);
    struct part part;
    struct sums before;
    if (!find_part(work, picture, stream, ranks, (group - first) * WORK_PARTS + self, &part))
        return;
    u64 start = (u64)first * WORK_PARTS + part.segment_part;
    before.blocks = places[at] - places[start];
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        before.dc[i] = places[(1 + i) * stride + at] - places[(1 + i) * stride + start];
    u32 mcu = part.interval * picture->interval;
    u32 mcus = picture->mcus - mcu < picture->interval ? picture->mcus - mcu : picture->interval;
    GLOBAL i16 *out = coefficients + ((u64)picture->block + (u64)mcu * picture->blocks_in_mcu) * 64;
    write_part(&tables, &part, picture_words(picture, bytes), part.first ? STATE_START : parts[at - 1],
        (LOCAL const u8 *)order, out, mcus * picture->blocks_in_mcu, &before, damage + index * WORK_DAMAGE);
}
