/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From parts whose states are known to coefficients (T.81 F.2.2). DC differences are added up in a part as it is
 * decoded, over parts afterwards.
 */
#include "jpeg_chain.h"

/* What all parts of a group share. */
struct shared_tables {
    LOCAL const u16 *symbols; /* tables of SHORT_SIZE */
    LOCAL const u32 *tables;  /* of each block of an MCU, see work_picture.block_table */
    LOCAL const u32 *components;
    LOCAL const u8 *order;
    GLOBAL const u16 *rest;
    u32 blocks_in_mcu;
};

/* Zig-zag index → place in a block that is stored by columns. */
TABLE u8 column_order[64] = {0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, //
    33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,                     //
    28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30,                    //
    23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63};

/* Bring the picture's tables to the group's memory. Whole work-group; a barrier follows. */
FUNCTION struct shared_tables share_tables(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture,
    LOCAL u32 *symbols, LOCAL u32 *blocks, LOCAL u8 *order)
{
    struct shared_tables tables;
    GLOBAL const u32 *from = work + picture->short_table;
    u32 self = local_index();
    for (u32 i = self; i < picture->tables * SHORT_SIZE / 2; i += WORK_PARTS)
        symbols[i] = from[i];
    if (self < WORK_MCU_BLOCKS) {
        blocks[self] = picture->block_table[self];
        blocks[WORK_MCU_BLOCKS + self] = picture->block_component[self] & 0xFF;
    }
    if (self < 64)
        order[self] = column_order[self];
    tables.symbols = (LOCAL const u16 *)symbols;
    tables.tables = blocks;
    tables.components = blocks + WORK_MCU_BLOCKS;
    tables.order = order;
    tables.rest = (GLOBAL const u16 *)(work + picture->long_table);
    tables.blocks_in_mcu = picture->blocks_in_mcu;
    return tables;
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

/* A part to decode. */
struct part {
    GLOBAL const u32 *words;
    u32 count; /* of words; zeros follow */
    u32 info;
    u32 left;                /* bits of the segment behind the part, at most */
    u32 block;               /* of the segment, in which the part starts */
    u32 limit;               /* the segment's blocks */
    u32 dc_block, dc_blocks; /* the first whose DC difference is in the part, and how many */
};

FUNCTION u32 part_word(const struct part *part, u32 at)
{
    return at < part->count ? part->words[at] : 0;
}

/*
 * Whether the part has more to decode. The last one of a segment goes on, with zeros, to the end of the MCU that the
 * data end in; where they end with an MCU, to that of the next.
 */
FUNCTION u32 more(u32 info, struct place place)
{
    if (place.position < (info & PART_BITS))
        return 1;
    return (info & PART_LAST) && !(place.block == 0 && place.index == 0 && place.position > (info & PART_BITS));
}

/* How many whole bytes are left behind the segment's last block, if that ends here; at most some. */
FUNCTION u32 surplus(const struct part *part, struct place place)
{
    i32 bits = (i32)(part->info & PART_BITS) + (i32)part->left - (i32)place.position;
    return bits >= 8;
}

/*
 * Decode the part and write its AC coefficients; to `dc` its DC coefficients, but for what comes before the part. Sums
 * of DC differences are in `sums`, a list of WORK_PARTS a component.
 */
FUNCTION void write_part(const struct shared_tables *tables, struct part *part, struct place place,
    GLOBAL i16 *RESTRICT blocks, GLOBAL u16 *RESTRICT dc, LOCAL u32 *sums, GLOBAL u32 *RESTRICT damage)
{
    u32 at = place.position / 32, block = part->block, invalid = 0;
    u32 high = part_word(part, at), low = part_word(part, at + 1), ahead = part_word(part, at + 2);
    u32 pair = tables->tables[place.block];
    GLOBAL i16 *out = blocks + (u64)block * 64;
    part->dc_block = place.index == 0 ? block : block + 1;
    part->dc_blocks = 0;
    while (block < part->limit && more(part->info, place)) {
        u32 head = funnel(high, low, place.position);
        u32 symbol = look_up(tables, place.index == 0 ? pair & 0xFFFF : pair >> 16, head);
        i32 value = symbol_value(symbol, head);
        u32 next = place.position + (symbol & 31);
        invalid += (symbol & 0x1FF) == INVALID_LENGTH;
        if (place.index == 0) {
            LOCAL u32 *sum = sums + tables->components[place.block] * WORK_PARTS;
            *sum += (u32)value;
            dc[block] = (u16)*sum;
            part->dc_blocks++;
        } else if (symbol >> 5 & 15) {
            u32 index = place.index + (symbol >> 9) - 1;
            out[tables->order[index < 64 ? index : 63]] = (i16)value;
        }
        if ((place.position ^ next) & 32) {
            at++;
            high = low;
            low = ahead;
            ahead = part_word(part, at + 2);
        }
        place.position = next;
        if (move_on(&place, symbol >> 9, tables->blocks_in_mcu)) {
            block++;
            out += 64;
            pair = tables->tables[place.block];
            if (block == part->limit && surplus(part, place))
                count_up(damage + 2, 1);
        }
    }
    u32 over = place.block == 0 && place.index == 0 && place.position > (part->info & PART_BITS);
    if ((part->info & PART_LAST) && block <= part->limit && over)
        count_up(damage, 1);
    if (invalid > 0)
        count_up(damage + 1, invalid);
}

/* Where a group of parts is: see struct map_group. */
struct part_group {
    GLOBAL const struct work_picture *picture;
    u32 picture_index;
    u32 first; /* group of the picture */
    u32 part;  /* the first, in the picture */
    u32 count;
    u64 at;
    u64 stride;
};

FUNCTION struct part_group find_part_group(GLOBAL const u32 *work)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    struct part_group group;
    group.picture_index = find_picture(work, WORK_OF_PARTS, group_index(), &group.first);
    group.picture = picture_at(work, group.picture_index);
    group.part = (group_index() - group.first) * WORK_PARTS;
    group.count = count_parts(group.picture, group.part);
    group.at = (u64)group_index() * WORK_PARTS;
    group.stride = (u64)head->part_groups * WORK_PARTS;
    return group;
}

/* The picture's block that a segment starts with, and *blocks: how many it should hold. */
FUNCTION u32 segment_blocks(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, u32 segment, u32 *blocks)
{
    u32 mcu = segment_at(work, picture, segment)->interval * picture->interval, left = picture->mcus - mcu;
    *blocks = (left < picture->interval ? left : picture->interval) * picture->blocks_in_mcu;
    return mcu * picture->blocks_in_mcu;
}

/* Decode the part at `at` of the lists from the place that `entry` of the maps says. */
FUNCTION void decode_part(GLOBAL const u32 *work, const struct shared_tables *tables, const struct part_group *group,
    u64 at, u32 entry, u32 blocks_before, GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT parts,
    GLOBAL i16 *RESTRICT coefficients, GLOBAL u16 *RESTRICT dc, LOCAL u32 *sums, GLOBAL u32 *RESTRICT damage)
{
    enum { MUCH = 64 };
    struct part part;
    u32 size = part_words(((GLOBAL const struct jpeg_work *)work)->part);
    u32 segment = parts[PART_SEGMENT * group->stride + at];
    u32 first = segment_blocks(work, group->picture, segment, &part.limit);
    u64 block = (u64)group->picture->block + first;
    part.words = bytes + at * size;
    part.count = size;
    part.info = parts[PART_INFO * group->stride + at];
    part.block = entry & MAP_FIRST ? 0 : blocks_before;
    part.left = 0;
    if ((part.info & PART_LAST) == 0) {
        u32 behind = parts[PART_INFO * group->stride + at + 1];
        part.left = behind & PART_LAST ? behind & PART_BITS : MUCH;
    }
    write_part(tables, &part, unpack_state(entry >> MAP_STATE & MAP_STATES), coefficients + block * 64, dc + block,
        sums, damage + group->picture_index * WORK_DAMAGE);
    parts[PART_BLOCK * group->stride + at] = part.dc_block;
    parts[PART_BLOCKS * group->stride + at] = part.dc_blocks;
}

/* Keep the parts' sums of DC differences, and those of all parts of the segment that the group ends in. Whole
 * work-group. */
FUNCTION void keep_sums(GLOBAL const u32 *work, const struct part_group *group, LOCAL const u32 *sums,
    GLOBAL u32 *RESTRICT parts, GLOBAL u32 *RESTRICT groups, LOCAL u32 *scratch)
{
    u32 self = local_index(), all = ((GLOBAL const struct jpeg_work *)work)->part_groups;
    GLOBAL const u32 *segments = parts + PART_SEGMENT * group->stride + group->at;
    u32 last = self < group->count && segments[self] == segments[group->count - 1];
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 sum = sums[i * WORK_PARTS + self];
        u32 total = group_sum(scratch, WORK_PARTS, last ? sum : 0);
        parts[(PART_DC + i) * group->stride + group->at + self] = sum;
        if (self == 0)
            groups[(GROUP_DC + i) * all + group_index()] = total;
    }
}

KERNEL(WORK_PARTS)
write_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL const u32 *RESTRICT maps,
    GLOBAL u32 *RESTRICT groups, GLOBAL u32 *RESTRICT parts, GLOBAL i16 *RESTRICT coefficients, GLOBAL u16 *RESTRICT dc,
    GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 symbols[SHORT_WORDS];
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 run_sums[CHAIN];
    SHARED u32 sums[WORK_COMPONENTS * WORK_PARTS];
    SHARED u32 scratch[WORK_PARTS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 order[16];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 self = local_index(), all = head->part_groups;
    struct part_group group = find_part_group(work);
    struct shared_tables tables = share_tables(work, group.picture, symbols, blocks, (LOCAL u8 *)order);
    struct step step;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums[i * WORK_PARTS + self] = 0;
    load_chain(entries, maps + group.at, group.stride, map_lists(group.picture), group.count);
    follow_runs(entries, ends, run_sums, MAP_MOST_BLOCKS, group.count);
    step.which = groups[GROUP_ENTRY * all + group_index()];
    step.blocks = groups[GROUP_BLOCKS * all + group_index()];
    step.passed = 0;
    if (self < group.count) {
        pass_to_self(entries, ends, run_sums, MAP_MOST_BLOCKS, &step);
        decode_part(work, &tables, &group, group.at + self, entries[step.which * CHAIN + self], step.blocks, bytes,
            parts, coefficients, dc, sums + self, damage);
    }
    barrier_all();
    keep_sums(work, &group, sums, parts, groups, scratch);
}

/*
 * The sums of DC differences before each of the group's parts in its segment, by component, to `before`. The part at
 * which the segment starts may lie in an earlier group. Whole work-group.
 */
FUNCTION void find_dc(GLOBAL const u32 *work, const struct part_group *group, u32 start, u32 start_of_first,
    GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups, LOCAL u32 *before, LOCAL u32 *scratch)
{
    u32 self = local_index(), all = ((GLOBAL const struct jpeg_work *)work)->part_groups;
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 sum = self < group->count ? parts[(PART_DC + i) * group->stride + group->at + self] : 0, carry = 0, total;
        for (u32 j = group->first + start_of_first / WORK_PARTS + self; j < group_index(); j += WORK_PARTS)
            carry += groups[(GROUP_DC + i) * all + j];
        carry = group_sum(scratch, WORK_PARTS, carry);
        u32 place = group_scan(scratch, WORK_PARTS, sum, &total);
        barrier_local();
        scratch[self] = place;
        barrier_local();
        before[i * WORK_PARTS + self] = place + (start < group->part ? carry : 0u - scratch[start - group->part]);
        barrier_local();
    }
}

/* The DC coefficients of all blocks. */
KERNEL(WORK_PARTS)
write_dc(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT parts, GLOBAL const u32 *RESTRICT groups,
    GLOBAL const u16 *RESTRICT dc, GLOBAL u16 *RESTRICT coefficients)
{
    SHARED u32 before[WORK_COMPONENTS * WORK_PARTS];
    SHARED u32 scratch[WORK_PARTS];
    SHARED u32 components[WORK_MCU_BLOCKS];
    u32 self = local_index(), start = 0, start_of_first = 0, segment = 0;
    struct part_group group = find_part_group(work);
    GLOBAL const u32 *segments = parts + PART_SEGMENT * group.stride + group.at;
    if (self < WORK_MCU_BLOCKS)
        components[self] = group.picture->block_component[self] & 0xFF;
    if (group.count > 0) {
        segment = segments[self < group.count ? self : 0];
        start = segment_at(work, group.picture, segment)->first_part;
        start_of_first = segment_at(work, group.picture, segments[0])->first_part;
    }
    find_dc(work, &group, start, start_of_first, parts, groups, before, scratch);
    if (self >= group.count)
        return;
    u32 limit, first = group.picture->block + segment_blocks(work, group.picture, segment, &limit);
    u32 block = parts[PART_BLOCK * group.stride + group.at + self];
    u32 end = block + parts[PART_BLOCKS * group.stride + group.at + self], n = group.picture->blocks_in_mcu;
    for (u32 in_mcu = block % n; block < end; block++, in_mcu = in_mcu + 1 == n ? 0 : in_mcu + 1)
        coefficients[(u64)(first + block) * 64] =
            (u16)(dc[first + block] + before[components[in_mcu] * WORK_PARTS + self]);
}
