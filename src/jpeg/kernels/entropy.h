/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes parts whose states are known to coefficients (T.81 F.2.2). DC differences are summed up within a part while
 * it is decoded, and across parts afterwards.
 */
#include "jpeg/kernels/chain.h"

enum {
    WRITE_PARTS = WORK_WRITE_PARTS,
    WRITE_TABLES = 4, /* Huffman tables for which the work-group's memory has room */
    WRITE_WORDS = (WRITE_PARTS + 1) * PART_WORDS + 3,
    ORDER_SIZE = 160, /* room for an index, and for how far the end of a block moves it on */
    BLOCK_ROWS = 9    /* units of 16 bytes that a work-item's block takes, with padding against bank conflicts */
};

/* What all work-items of a work-group share. */
struct writing {
    GLOBAL const u32 *work;
    GLOBAL const struct work_picture *picture;
    GLOBAL const u32 *info; /* info words from the group's first part on; `bytes` are the words of these parts */
    GLOBAL const u32 *bytes;
    GLOBAL const u16 *rest;   /* the picture's long tables */
    LOCAL const u16 *symbols; /* short tables, SHORT_SIZE entries each, unless there are more than WRITE_TABLES */
    LOCAL const u32 *tables;  /* tables of each block of an MCU, see work_picture.block_table */
    LOCAL const u32 *components;
    LOCAL const u8 *order;
    LOCAL const u32 *words; /* words of the group's parts and of the next part */
    u32 parts;              /* number of the group's parts, including those that do not exist */
    u32 blocks_in_mcu;
};

/* Maps a zig-zag index to the place in a block that is stored by columns. */
TABLE u8 column_order[64] = {0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, //
    33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,                     //
    28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30,                    //
    23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63};

/* Look up a code in a short table. `few` says whether the work-group's memory holds the tables. */
FUNCTION u32 look_up(const struct writing *writing, u32 table, u32 head, u32 few)
{
    table += head >> (32 - WORK_SHORT_BITS);
    if (few)
        return writing->symbols[table];
    return ((GLOBAL const u16 *)(writing->work + writing->picture->short_table))[table];
}

/* The procedure EXTEND (F.12) for the value of `size` (0–15) bits behind the code. */
FUNCTION i32 symbol_value(u32 symbol, u32 head)
{
    u32 size = symbol >> 5 & 15;
    u32 length = (symbol & 31) - size;
    u32 value = head << length;
    u32 negative = value >> 31 ^ 1;
    return (i32)((value >> 1 >> (31 - size)) - (negative ? (1u << size) - 1 : 0));
}

/* The places that a work-item writes to. */
struct outputs {
    GLOBAL u32x4 *blocks; /* the blocks from the segment's first block on */
    GLOBAL u32 *dc;       /* the DC coefficients from the segment's first block on */
    LOCAL u32x4 *block;   /* the work-item's own block, initially all zero */
    LOCAL u32 *sums;      /* sums of DC differences, a list of WRITE_PARTS for each component */
};

/* The position of a work-item in its stretch of a part, or behind the stretch while it completes its last block. */
struct writer {
    LOCAL const u32 *words; /* words of the part */
    u32 part;               /* number of the part, counted from the group's first */
    u32 bits;               /* bits of the part up to the end of the stretch */
    u32 last;               /* whether the segment ends there */
    u32 first_half;         /* whether the stretch is the part's first half */
    u32 extended;           /* whether the work-item is behind its stretch */
    i32 surplus;            /* bits left behind the segment's last block from which on they are a surplus */
    u32 high, low, ahead;   /* the word of the position and the two that follow */
    u32 invalid;
    struct place place;
};

/*
 * Limit the index of a word to the words of a part. Behind the last part of a segment the last word is 0, as all data
 * after it are, and elsewhere nothing is read there any more.
 */
FUNCTION u32 last_word(u32 at)
{
    return at < PART_WORDS ? at : PART_WORDS - 1;
}

/* Enter a part that the work-group holds. */
FUNCTION void enter_part(const struct writing *writing, struct writer *writer, u32 part)
{
    u32 at = writer->place.position / 32, info = writing->info[part];
    writer->part = part;
    writer->words = writing->words + part * PART_WORDS;
    writer->bits = info & PART_BITS;
    writer->last = info & PART_LAST;
    writer->first_half = 0;
    writer->high = writer->words[last_word(at)];
    writer->low = writer->words[last_word(at + 1)];
    writer->ahead = writer->words[last_word(at + 2)];
}

/* Continue behind the end of a stretch, or of a part. Returns whether the work-group holds what follows. */
FUNCTION u32 extend(const struct writing *writing, struct writer *writer)
{
    writer->extended = 1;
    if (writer->first_half) {
        u32 info = writing->info[writer->part];
        writer->bits = info & PART_BITS;
        writer->last = info & PART_LAST;
        writer->first_half = 0;
        return 1;
    }
    if (writer->part == writing->parts)
        return 0;
    writer->place.position -= writer->bits;
    enter_part(writing, writer, writer->part + 1);
    return 1;
}

/* Read the next symbol. *head receives the bits from it on; `pair` names the block's tables. */
FUNCTION u32 read_symbol(const struct writing *writing, struct writer *writer, u32 pair, u32 *head, u32 few)
{
    *head = funnel(writer->high, writer->low, writer->place.position);
    u32 symbol = look_up(writing, writer->place.index == 0 ? pair & 0xFFFF : pair >> 16, *head, few);
    if ((symbol & 31) == 0) {
        symbol = writing->rest[(symbol >> 5) * LONG_SIZE + long_index(*head)];
        writer->invalid += (symbol & 0x1FF) == INVALID_LENGTH && !writer->extended;
    }
    u32 next = writer->place.position + (symbol & 31);
    if ((writer->place.position ^ next) & 32) {
        writer->high = writer->low;
        writer->low = writer->ahead;
        writer->ahead = writer->words[last_word(next / 32 + 2)];
    }
    writer->place.position = next;
    writer->place.index += symbol >> 9;
    return symbol;
}

/*
 * Whether a block starts here that this part must decode. The last part of a segment goes on, with zeros, to the end of
 * the MCU in which the data end; if they end together with an MCU, it goes on to the end of the next MCU.
 */
FUNCTION u32 has_block(const struct writer *writer)
{
    return !writer->extended &&
           (writer->place.position < writer->bits ||
               (writer->last && (writer->place.block > 0 || writer->place.position <= writer->bits)));
}

/* The number of bits of the segment behind the position. Counting stops once there are WORK_SPARE_BITS. */
FUNCTION i32 bits_left(const struct writing *writing, const struct writer *writer)
{
    i32 left = -(i32)writer->place.position;
    u32 last = 0;
    for (u32 part = writer->part; !last && left < WORK_SPARE_BITS; part++) {
        u32 info = writing->info[part];
        left += (i32)(info & PART_BITS);
        last = info & PART_LAST;
    }
    return left;
}

/* Move on to the next block. An interval that is complete is counted if it has a surplus. */
FUNCTION void end_block(
    const struct writing *writing, struct writer *writer, u32 *block, u32 limit, GLOBAL u32 *RESTRICT damage)
{
    writer->place.index = 0;
    writer->place.block = writer->place.block + 1 == writing->blocks_in_mcu ? 0 : writer->place.block + 1;
    *block += 1;
    if (*block == limit && !writer->extended && bits_left(writing, writer) >= writer->surplus)
        count_up(damage + 2, 1);
}

/* Write a block to device memory, clear it in the work-group's memory, and add its DC difference to the sum. */
FUNCTION void flush_block(const struct outputs *outputs, u32 block, u32 component)
{
    u32x4 rows[8];
    GLOBAL u32x4 *to = outputs->blocks + (u64)block * 8;
    LOCAL u32 *sum = outputs->sums + component * WRITE_PARTS;
    for (u32 i = 0; i < 8; i++)
        rows[i] = outputs->block[i];
    for (u32 i = 0; i < 8; i++) {
        to[i] = rows[i];
        outputs->block[i] = make_u32x4(0, 0, 0, 0);
    }
    *sum += rows[0].x & 0xFFFF;
    outputs->dc[block] = (*sum & 0xFFFF) | DC_CODED;
}

/* Skip to the end of the block in which the stretch starts. Returns whether that end lies in the stretch. */
FUNCTION u32 skip_block(const struct writing *writing, struct writer *writer, u32 few)
{
    u32 pair = writing->tables[writer->place.block], head;
    while (
        writer->place.index > 0 && writer->place.index < 64 && (writer->last || writer->place.position < writer->bits))
        read_symbol(writing, writer, pair, &head, few);
    return writer->place.index > 63;
}

/* Store a coefficient at its place. */
FUNCTION void put_value(
    const struct writing *writing, const struct writer *writer, const struct outputs *outputs, u32 symbol, u32 head)
{
    ((LOCAL i16 *)outputs->block)[writing->order[writer->place.index - 1]] = (i16)symbol_value(symbol, head);
}

/* Complete a block that reaches behind the parts that the work-group holds. */
FUNCTION void finish_block(
    const struct writing *writing, struct writer *writer, const struct outputs *outputs, u32 pair)
{
    while (writer->place.index <= 63) {
        while (writer->place.position >= writer->bits && !writer->last) {
            u32 info = writing->info[++writer->part];
            writer->place.position -= writer->bits;
            writer->bits = info & PART_BITS;
            writer->last = info & PART_LAST;
        }
        GLOBAL const u32 *words = writing->bytes + (u64)writer->part * PART_WORDS;
        u32 at = writer->place.position / 32, table = writer->place.index == 0 ? pair & 0xFFFF : pair >> 16;
        u32 head = funnel(words[last_word(at)], words[last_word(at + 1)], writer->place.position);
        u32 symbol = look_up_slowly(writing->work, writing->picture, table, head);
        writer->place.position += symbol & 31;
        writer->place.index += symbol >> 9;
        put_value(writing, writer, outputs, symbol, head);
    }
}

/*
 * Decode the blocks that start in the stretch, except for their DC coefficients: outputs->dc receives these without
 * what comes before the stretch.
 */
FUNCTION void write_stretch(const struct writing *writing, struct writer *writer, const struct outputs *outputs,
    u32 *block, u32 limit, GLOBAL u32 *RESTRICT damage, u32 few)
{
    u32 pair = writing->tables[writer->place.block], open = *block < limit && has_block(writer), head;
    while (open) {
        if (writer->place.position >= writer->bits && !writer->last) {
            if (!extend(writing, writer))
                break;
            continue;
        }
        u32 symbol = read_symbol(writing, writer, pair, &head, few);
        put_value(writing, writer, outputs, symbol, head);
        if (writer->place.index > 63) {
            flush_block(outputs, *block, writing->components[writer->place.block]);
            end_block(writing, writer, block, limit, damage);
            pair = writing->tables[writer->place.block];
            open = *block < limit && has_block(writer);
        }
    }
    if (open) {
        finish_block(writing, writer, outputs, pair);
        flush_block(outputs, *block, writing->components[writer->place.block]);
        end_block(writing, writer, block, limit, damage);
    }
}

/*
 * Decode a stretch, which starts in block `block` of its segment; the segment should have `limit` blocks. Returns the
 * block behind the stretch.
 */
FUNCTION u32 decode_stretch(const struct writing *writing, struct writer *writer, const struct outputs *outputs,
    u32 block, u32 limit, GLOBAL u32 *RESTRICT damage, u32 few)
{
    if (writer->place.index > 0 && block < limit && skip_block(writing, writer, few))
        end_block(writing, writer, &block, limit, damage);
    if (writer->place.index == 0)
        write_stretch(writing, writer, outputs, &block, limit, damage, few);
    if (writer->last && !writer->extended && block <= limit && writer->place.block == 0 && writer->place.index == 0 &&
        writer->place.position > writer->bits)
        count_up(damage, 1);
    if (writer->invalid > 0)
        count_up(damage + 1, writer->invalid);
    return block;
}

/* The place of a group of WRITE_PARTS stretches: see struct map_group. */
struct part_group {
    GLOBAL const struct work_picture *picture;
    u32 picture_index;
    u32 halves; /* 1: two stretches for each part; otherwise 0 */
    u32 first;  /* the picture's first group */
    u32 part;   /* the group's first part, counted in the picture */
    u32 count;  /* number of parts */
    u64 at;
    u64 stride;
};

FUNCTION struct part_group find_part_group(GLOBAL const u32 *work)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    struct part_group group;
    u32 ratio = (u32)WRITE_RATIO << head->halves, parts = WRITE_PARTS >> head->halves;
    group.halves = head->halves;
    group.picture_index = find_picture(work, WORK_OF_PARTS, group_index() / ratio, &group.first);
    group.picture = picture_at(work, group.picture_index);
    group.first *= ratio;
    group.part = (group_index() - group.first) * parts;
    group.count = group.part < group.picture->parts ? group.picture->parts - group.part : 0;
    group.count = group.count < parts ? group.count : parts;
    group.at = (u64)group_index() * parts;
    group.stride = (u64)head->part_groups * WORK_PARTS;
    return group;
}

/* The offset of a component's sums in the buffer `groups`, behind what chain.h keeps there. */
FUNCTION u64 group_sums(GLOBAL const u32 *work, u32 component)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    return (u64)head->part_groups * (GROUP_DC + (component * WRITE_RATIO << head->halves));
}

/* The offset in the buffer `parts` of a list of stretches, at the first stretch of the group. */
FUNCTION u64 stretch_list(const struct part_group *group, u32 list)
{
    return (PART_STRETCHES + 2 * (u64)list) * group->stride + (group->at << group->halves);
}

/*
 * The block of the picture with which a segment starts; *blocks receives the number of blocks that the segment should
 * have.
 */
FUNCTION u32 segment_blocks(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, u32 segment, u32 *blocks)
{
    u32 mcu = segment_at(work, picture, segment)->interval * picture->interval, left = picture->mcus - mcu;
    *blocks = (left < picture->interval ? left : picture->interval) * picture->blocks_in_mcu;
    return mcu * picture->blocks_in_mcu;
}

/* Load what the work-group shares into its memory. Whole work-group; a barrier must follow. */
FUNCTION void share_writing(struct writing *writing, const struct part_group *group, LOCAL u32x4 *symbols,
    LOCAL u32 *blocks, LOCAL u8 *order, LOCAL u32x4 *words)
{
    GLOBAL const struct work_picture *picture = writing->picture;
    GLOBAL const u32x4 *tables = (GLOBAL const u32x4 *)(GLOBAL const void *)(writing->work + picture->short_table);
    GLOBAL const u32x4 *bytes = (GLOBAL const u32x4 *)(GLOBAL const void *)writing->bytes;
    u32 self = local_index(), left = picture->parts - group->part, most = (WRITE_PARTS >> group->halves) + 1;
    u32 count = ((left < most ? left : most) * PART_WORDS + 3) / 4;
    for (u32 i = self; picture->tables <= WRITE_TABLES && i < picture->tables * SHORT_SIZE / 8; i += WRITE_PARTS)
        symbols[i] = tables[i];
    if (self < WORK_MCU_BLOCKS) {
        blocks[self] = picture->block_table[self];
        blocks[WORK_MCU_BLOCKS + self] = picture->block_component[self] & 0xFF;
    }
    for (u32 i = self; i < ORDER_SIZE; i += WRITE_PARTS)
        order[i] = column_order[i < 64 ? i : 63];
    for (u32 i = self; group->count > 0 && i < count; i += WRITE_PARTS)
        words[i] = bytes[i];
    writing->symbols = (LOCAL const u16 *)symbols;
    writing->tables = blocks;
    writing->components = blocks + WORK_MCU_BLOCKS;
    writing->order = order;
    writing->rest = (GLOBAL const u16 *)(writing->work + picture->long_table);
    writing->words = (LOCAL const u32 *)words;
    writing->parts = most - 1;
    writing->blocks_in_mcu = picture->blocks_in_mcu;
}

/*
 * Store the sums of DC differences of the stretches, and the sums over all stretches of the segment in which the group
 * ends. Whole work-group.
 */
FUNCTION void keep_sums(GLOBAL const u32 *work, const struct part_group *group, LOCAL const u32 *sums,
    GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups, LOCAL u32 *scratch)
{
    u32 self = local_index();
    GLOBAL const u32 *segments = parts + PART_SEGMENT * group->stride + group->at;
    u32 part = self >> group->halves, last = part < group->count && segments[part] == segments[group->count - 1];
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 sum = sums[i * WRITE_PARTS + self];
        u32 total = group_sum(scratch, WRITE_PARTS, last ? sum : 0);
        parts[stretch_list(group, STRETCH_DC + i) + self] = sum;
        if (self == 0)
            groups[group_sums(work, i) + group_index()] = total;
    }
}

/*
 * Let a work-item enter its stretch. On entry *before is the number of the segment's blocks in front of the part, on
 * return in front of the stretch. If it is not known where decoding stands half-way, the first half is the whole part.
 * False if there is nothing to do: for the second half in that case, or because nothing is known of the part, whose
 * picture is left to the CPU.
 */
FUNCTION u32 enter_stretch(const struct writing *writing, const struct part_group *group, GLOBAL const u32 *own,
    u32 self, struct writer *writer, u32 *before)
{
    u32 midway = group->halves ? own[PART_HALF * group->stride] : 0, second = self & group->halves;
    u32 entry = own[PART_ENTRY * group->stride];
    if ((entry & MAP_NEXT) == MAP_UNKNOWN)
        return 0;
    writer->place = unpack_state(entry >> MAP_STATE & MAP_STATES);
    writer->extended = writer->invalid = 0;
    if (second && (midway & HALF_KNOWN)) {
        writer->place = unpack_state(midway & MAP_STATES);
        writer->place.position += (writing->info[self / 2] & PART_BITS) / 2;
        *before += midway >> HALF_BLOCKS & HALF_MOST_BLOCKS;
    }
    enter_part(writing, writer, self >> group->halves);
    if (!second && (midway & HALF_KNOWN)) {
        writer->bits /= 2;
        writer->first_half = 1;
    }
    return !second || (midway & HALF_KNOWN);
}

KERNEL(WORK_WRITE_PARTS)
write_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT parts,
    GLOBAL u32 *RESTRICT groups, GLOBAL u32x4 *RESTRICT coefficients, GLOBAL u32 *RESTRICT dc,
    GLOBAL u32 *RESTRICT damage)
{
    SHARED u32x4 symbols[WRITE_TABLES * SHORT_SIZE / 8];
    SHARED u32x4 words[WRITE_WORDS / 4];
    SHARED u32x4 block[WRITE_PARTS * BLOCK_ROWS];
    SHARED u32 sums[WORK_COMPONENTS * WRITE_PARTS];
    SHARED u32 scratch[WRITE_PARTS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 order[ORDER_SIZE / 4];
    u32 self = local_index();
    struct part_group group = find_part_group(work);
    struct writing writing;
    writing.work = work;
    writing.picture = group.picture;
    writing.info = parts + PART_INFO * group.stride + group.at;
    writing.bytes = bytes + group.at * PART_WORDS;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums[i * WRITE_PARTS + self] = 0;
    for (u32 i = 0; i < BLOCK_ROWS; i++)
        block[i * WRITE_PARTS + self] = make_u32x4(0, 0, 0, 0);
    share_writing(&writing, &group, symbols, blocks, (LOCAL u8 *)order, words);
    barrier_local();
    u32 part = self >> group.halves;
    if (part < group.count) {
        GLOBAL const u32 *own = parts + group.at + part;
        u32 before = own[PART_BEFORE * group.stride], limit, started = 0, behind = 0;
        u64 first =
            (u64)group.picture->block + segment_blocks(work, group.picture, own[PART_SEGMENT * group.stride], &limit);
        struct outputs outputs;
        struct writer writer;
        outputs.blocks = coefficients + first * 8;
        outputs.dc = dc + first;
        outputs.block = block + self * BLOCK_ROWS;
        outputs.sums = sums + self;
        if (enter_stretch(&writing, &group, own, self, &writer, &before)) {
            GLOBAL u32 *counts = damage + group.picture_index * WORK_DAMAGE;
            writer.surplus = first - group.picture->block + limit == group.picture->blocks ? WORK_SPARE_BITS : 8;
            started = before + (writer.place.index > 0);
            if (group.picture->tables <= WRITE_TABLES)
                behind = decode_stretch(&writing, &writer, &outputs, before, limit, counts, 1);
            else
                behind = decode_stretch(&writing, &writer, &outputs, before, limit, counts, 0);
        }
        parts[stretch_list(&group, STRETCH_BLOCK) + self] = started;
        parts[stretch_list(&group, STRETCH_BLOCKS) + self] = behind > started ? behind - started : 0;
    }
    barrier_all();
    keep_sums(work, &group, sums, parts, groups, scratch);
}

/*
 * Find the sums of the DC differences in front of each of the group's stretches in its segment, by component, and store
 * them in `before`. The part at which the segment starts may belong to an earlier group. Whole work-group.
 */
FUNCTION void find_dc(GLOBAL const u32 *work, const struct part_group *group, u32 start, u32 start_of_first,
    GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups, LOCAL u32 *before, LOCAL u32 *scratch)
{
    u32 self = local_index();
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 own = self >> group->halves < group->count, carry = 0, total;
        u32 sum = own ? parts[stretch_list(group, STRETCH_DC + i) + self] : 0;
        u32 from = group->first + (start_of_first << group->halves) / WRITE_PARTS;
        for (u32 j = from + self; j < group_index(); j += WRITE_PARTS)
            carry += groups[group_sums(work, i) + j];
        carry = group_sum(scratch, WRITE_PARTS, carry);
        u32 place = group_scan(scratch, WRITE_PARTS, sum, &total);
        barrier_local();
        scratch[self] = place;
        barrier_local();
        before[i * WRITE_PARTS + self] =
            place + (start < group->part ? carry : 0u - scratch[(start - group->part) << group->halves]);
        barrier_local();
    }
}

/* Complete the DC coefficients of all blocks. */
KERNEL(WORK_WRITE_PARTS)
write_dc(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups,
    GLOBAL u32 *RESTRICT dc)
{
    SHARED u32 before[WORK_COMPONENTS * WRITE_PARTS];
    SHARED u32 scratch[WRITE_PARTS];
    SHARED u32 components[WORK_MCU_BLOCKS];
    u32 self = local_index(), start = 0, start_of_first = 0, segment = 0;
    struct part_group group = find_part_group(work);
    u32 part = self >> group.halves;
    GLOBAL const u32 *segments = parts + PART_SEGMENT * group.stride + group.at;
    if (self < WORK_MCU_BLOCKS)
        components[self] = group.picture->block_component[self] & 0xFF;
    if (group.count > 0) {
        segment = segments[part < group.count ? part : 0];
        start = segment_at(work, group.picture, segment)->first_part;
        start_of_first = segment_at(work, group.picture, segments[0])->first_part;
    }
    find_dc(work, &group, start, start_of_first, parts, groups, before, scratch);
    if (part >= group.count)
        return;
    u32 limit, first = group.picture->block + segment_blocks(work, group.picture, segment, &limit);
    u32 block = parts[stretch_list(&group, STRETCH_BLOCK) + self], n = group.picture->blocks_in_mcu;
    u32 end = block + parts[stretch_list(&group, STRETCH_BLOCKS) + self];
    for (u32 in_mcu = block % n; block < end; block++, in_mcu = in_mcu + 1 == n ? 0 : in_mcu + 1)
        dc[first + block] = ((dc[first + block] + before[components[in_mcu] * WRITE_PARTS + self]) & 0xFFFF) | DC_CODED;
}
