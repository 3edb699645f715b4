/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes chunks whose states are known to coefficients (T.81 F.2.2). DC differences are summed up within a chunk while
 * it is decoded, and across chunks afterwards.
 */
#include "jpeg/kernels/chain.h"
#include "jpeg/tables/zigzag.h"

enum {
    WRITE_CHUNKS = WORK_WRITE_CHUNKS,
    WRITE_TABLES = 4, /* Huffman tables for which the work-group's memory has room */
    WRITE_WORDS = (WRITE_CHUNKS + 1) * CHUNK_WORDS + 3,
    DC_AT_ONCE = 4,   /* DC coefficients that a work-item completes at once */
    ORDER_SIZE = 160, /* room for an index, and for how far the end of a block moves it on */
    BLOCK_ROWS = 9    /* units of 16 bytes that a work-item's block takes, with padding against bank conflicts */
};

/* Holds what all work-items of a work-group share. */
struct writing {
    GLOBAL const u32 *work;
    GLOBAL const struct jpeg_work_picture *picture;
    GLOBAL const u32 *info; /* info words from the group's first chunk on; `bytes` are the words of these chunks */
    GLOBAL const u32 *bytes;
    GLOBAL const u16 *rest;   /* the picture's long tables */
    LOCAL const u16 *symbols; /* short tables, WORK_SHORT_SIZE entries each, unless there are more than WRITE_TABLES */
    LOCAL const u32 *tables;  /* tables of each block of an MCU, see jpeg_work_picture.block_table */
    LOCAL const u32 *components;
    LOCAL const u8 *order;
    LOCAL const u32 *words; /* words of the group's chunks and of the next chunk */
    u32 chunks;             /* number of the group's chunks, including those that do not exist */
    u32 blocks_in_mcu;
};

#define COLUMN_PLACE(i) ((i) % 8 * 8 + (i) / 8)

/* Maps a zig-zag index to the place in a block that is stored by columns. */
TABLE u8 column_order[64] = {JPEG_ZIGZAG(COLUMN_PLACE)};

/* Look up a code in a short table. `few` says whether the work-group's memory holds the tables. */
FUNCTION u32 look_up(const struct writing *writing, u32 table, u32 head, u32 few)
{
    table += head >> (32 - WORK_SHORT_BITS);
    if (few)
        return writing->symbols[table];
    return ((GLOBAL const u16 *)(writing->work + writing->picture->short_table))[table];
}

/* Apply the procedure EXTEND (F.12) for the value of `size` (0–15) bits behind the code. */
FUNCTION i32 symbol_value(u32 symbol, u32 head)
{
    u32 size = symbol >> 5 & 15;
    u32 length = (symbol & 31) - size;
    u32 value = head << length;
    u32 negative = value >> 31 ^ 1;
    return (i32)((value >> 1 >> (31 - size)) - (negative ? (1u << size) - 1 : 0));
}

/* Holds the places that a work-item writes to. */
struct outputs {
    GLOBAL u32x4 *blocks; /* the blocks from the segment's first block on */
    GLOBAL u32 *dc;       /* the DC coefficients from the segment's first block on */
    LOCAL u32x4 *block;   /* the work-item's own block, initially all zero */
    LOCAL u32 *sums;      /* sums of DC differences, a list of WRITE_CHUNKS for each component */
};

/*
 * Holds the position of a work-item in its stretch of a chunk, or behind the stretch while it completes its last block.
 */
struct chunk_writer {
    LOCAL const u32 *words; /* words of the chunk */
    u32 chunk;              /* number of the chunk, counted from the group's first */
    u32 bits;               /* bits of the chunk up to the end of the stretch */
    u32 last;               /* whether the segment ends there */
    u32 first_half;         /* whether the stretch is the chunk's first half */
    u32 extended;           /* whether the work-item is behind its stretch */
    i32 surplus;            /* least bits left behind the segment's last block that count as a surplus */
    u32 high, low, ahead;   /* the word of the position and the two that follow */
    u32 invalid;
    struct place place;
};

/*
 * Limit the index of a word to the words of a chunk. In the last chunk of a segment the last word is 0, as are all data
 * behind the segment; in other chunks nothing that is read there is used.
 */
FUNCTION u32 last_word(u32 at)
{
    return at < CHUNK_WORDS ? at : CHUNK_WORDS - 1;
}

/* Enter a chunk that the work-group holds. */
FUNCTION void enter_chunk(const struct writing *writing, struct chunk_writer *writer, u32 chunk)
{
    u32 at = writer->place.position / 32, info = writing->info[chunk];
    writer->chunk = chunk;
    writer->words = writing->words + chunk * CHUNK_WORDS;
    writer->bits = info & CHUNK_BITS;
    writer->last = info & CHUNK_LAST;
    writer->first_half = 0;
    writer->high = writer->words[last_word(at)];
    writer->low = writer->words[last_word(at + 1)];
    writer->ahead = writer->words[last_word(at + 2)];
}

/* Continue behind the end of a stretch, or of a chunk. Returns whether the work-group holds what follows. */
FUNCTION u32 extend(const struct writing *writing, struct chunk_writer *writer)
{
    writer->extended = 1;
    if (writer->first_half) {
        u32 info = writing->info[writer->chunk];
        writer->bits = info & CHUNK_BITS;
        writer->last = info & CHUNK_LAST;
        writer->first_half = 0;
        return 1;
    }
    if (writer->chunk == writing->chunks)
        return 0;
    writer->place.position -= writer->bits;
    enter_chunk(writing, writer, writer->chunk + 1);
    return 1;
}

/* Read the next symbol. *head receives the bits from it on; `pair` names the block's tables. */
FUNCTION u32 read_symbol(const struct writing *writing, struct chunk_writer *writer, u32 pair, u32 *head, u32 few)
{
    *head = funnel(writer->high, writer->low, writer->place.position);
    u32 symbol = look_up(writing, writer->place.index == 0 ? pair & 0xFFFF : pair >> 16, *head, few);
    if ((symbol & 31) == 0) {
        symbol = writing->rest[(symbol >> 5) * WORK_LONG_SIZE + long_index(*head)];
        writer->invalid += (symbol & 0x1FF) == WORK_INVALID_LENGTH && !writer->extended;
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
 * Return whether a block starts here that this chunk must decode. The last chunk of a segment goes on, with zeros, to
 * the end of the MCU in which the data end; if they end together with an MCU, it goes on to the end of the next MCU.
 */
FUNCTION u32 has_block(const struct chunk_writer *writer)
{
    return !writer->extended &&
           (writer->place.position < writer->bits ||
               (writer->last && (writer->place.block > 0 || writer->place.position <= writer->bits)));
}

/* Return the number of bits of the segment behind the position. Counting stops once there are WORK_SPARE_BITS. */
FUNCTION i32 bits_left(const struct writing *writing, const struct chunk_writer *writer)
{
    i32 left = -(i32)writer->place.position;
    u32 last = 0;
    for (u32 chunk = writer->chunk; !last && left < WORK_SPARE_BITS; chunk++) {
        u32 info = writing->info[chunk];
        left += (i32)(info & CHUNK_BITS);
        last = info & CHUNK_LAST;
    }
    return left;
}

/* Move on to the next block. An interval that is complete is counted if it has a surplus. */
FUNCTION void end_block(
    const struct writing *writing, struct chunk_writer *writer, u32 *block, u32 limit, GLOBAL u32 *RESTRICT damage)
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
    LOCAL u32 *sum = outputs->sums + component * WRITE_CHUNKS;
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
FUNCTION u32 skip_block(const struct writing *writing, struct chunk_writer *writer, u32 few)
{
    u32 pair = writing->tables[writer->place.block], head;
    while (
        writer->place.index > 0 && writer->place.index < 64 && (writer->last || writer->place.position < writer->bits))
        read_symbol(writing, writer, pair, &head, few);
    return writer->place.index > 63;
}

/* Store a coefficient at its place. */
FUNCTION void put_value(const struct writing *writing, const struct chunk_writer *writer, const struct outputs *outputs,
    u32 symbol, u32 head)
{
    ((LOCAL i16 *)outputs->block)[writing->order[writer->place.index - 1]] = (i16)symbol_value(symbol, head);
}

/* Complete a block that reaches behind the chunks that the work-group holds. */
FUNCTION void finish_block(
    const struct writing *writing, struct chunk_writer *writer, const struct outputs *outputs, u32 pair)
{
    while (writer->place.index <= 63) {
        while (writer->place.position >= writer->bits && !writer->last) {
            u32 info = writing->info[++writer->chunk];
            writer->place.position -= writer->bits;
            writer->bits = info & CHUNK_BITS;
            writer->last = info & CHUNK_LAST;
        }
        GLOBAL const u32 *words = writing->bytes + (u64)writer->chunk * CHUNK_WORDS;
        u32 at = writer->place.position / 32, table = writer->place.index == 0 ? pair & 0xFFFF : pair >> 16;
        u32 head = funnel(words[last_word(at)], words[last_word(at + 1)], writer->place.position);
        u32 symbol = look_up_slowly(writing->work, writing->picture, table, head);
        writer->place.position += symbol & 31;
        writer->place.index += symbol >> 9;
        put_value(writing, writer, outputs, symbol, head);
    }
}

/*
 * Decode the blocks that start in the stretch, except that outputs->dc receives their DC coefficients without the sum
 * of the differences in front of the stretch.
 */
FUNCTION void write_stretch(const struct writing *writing, struct chunk_writer *writer, const struct outputs *outputs,
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
FUNCTION u32 decode_stretch(const struct writing *writing, struct chunk_writer *writer, const struct outputs *outputs,
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

/* Holds the place of a group of stretches, at most WRITE_CHUNKS: see struct map_group. */
struct chunk_group {
    GLOBAL const struct jpeg_work_picture *picture;
    u32 picture_index;
    u32 halves; /* 1: two stretches for each chunk; otherwise 0 */
    u32 spread; /* one of 1 << spread work-items has a stretch: jpeg_work.spread */
    u32 first;  /* the picture's first group */
    u32 chunk;  /* the group's first chunk, counted in the picture */
    u32 count;  /* number of chunks */
    u64 at;
    u64 stride;
};

FUNCTION struct chunk_group find_chunk_group(GLOBAL const u32 *work)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    struct chunk_group group;
    u32 shift = head->halves + head->spread, ratio = (u32)WRITE_RATIO << shift, chunks = WRITE_CHUNKS >> shift;
    group.halves = head->halves;
    group.spread = head->spread;
    group.picture_index = find_picture(work, WORK_OF_CHUNKS, group_index() / ratio, &group.first);
    group.picture = picture_at(work, group.picture_index);
    group.first *= ratio;
    group.chunk = (group_index() - group.first) * chunks;
    group.count = group.chunk < group.picture->chunks ? group.picture->chunks - group.chunk : 0;
    group.count = group.count < chunks ? group.count : chunks;
    group.at = (u64)group_index() * chunks;
    group.stride = (u64)head->chunk_groups * WORK_CHUNKS;
    return group;
}

/* Return the number of this work-item's stretch in the group; a number that no stretch has if it has none. */
FUNCTION u32 own_stretch(const struct chunk_group *group)
{
    u32 stretch = local_index() >> group->spread;
    return stretch << group->spread == local_index() ? stretch : 2 * WRITE_CHUNKS;
}

/* Return the offset of a component's sums in the buffer `groups`, behind what chain.h keeps there. */
FUNCTION u64 group_sums(GLOBAL const u32 *work, u32 component)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    return (u64)head->chunk_groups * (GROUP_DC + (component * WRITE_RATIO << (head->halves + head->spread)));
}

/* Return the offset in the buffer `chunks` of a list of stretches, at the first stretch of the group. */
FUNCTION u64 stretch_list(const struct chunk_group *group, u32 list)
{
    return (CHUNK_STRETCHES + 2 * (u64)list) * group->stride + (group->at << group->halves);
}

/*
 * Return the block of the picture with which a segment starts; *blocks receives the number of blocks that the segment
 * should have.
 */
FUNCTION u32 segment_blocks(
    GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, u32 segment, u32 *blocks)
{
    u32 mcu = segment_at(work, picture, segment)->interval * picture->interval, left = picture->mcus - mcu;
    *blocks = (left < picture->interval ? left : picture->interval) * picture->blocks_in_mcu;
    return mcu * picture->blocks_in_mcu;
}

/* Load what the work-group shares into its memory. The whole work-group calls it; a barrier must follow. */
FUNCTION void share_writing(struct writing *writing, const struct chunk_group *group, LOCAL u32x4 *symbols,
    LOCAL u32 *blocks, LOCAL u8 *order, LOCAL u32x4 *words)
{
    GLOBAL const struct jpeg_work_picture *picture = writing->picture;
    GLOBAL const u32x4 *tables = (GLOBAL const u32x4 *)(GLOBAL const void *)(writing->work + picture->short_table);
    u32 self = local_index(), left = picture->chunks - group->chunk;
    u32 skip = (u32)(group->at * CHUNK_WORDS) & 3; /* words between the last multiple of 16 bytes and the first chunk */
    GLOBAL const u32x4 *bytes = (GLOBAL const u32x4 *)(GLOBAL const void *)(writing->bytes - skip);
    u32 most = (WRITE_CHUNKS >> (group->halves + group->spread)) + 1;
    u32 count = (skip + (left < most ? left : most) * CHUNK_WORDS + 3) / 4;
    for (u32 i = self; picture->tables <= WRITE_TABLES && i < picture->tables * WORK_SHORT_SIZE / 8; i += WRITE_CHUNKS)
        symbols[i] = tables[i];
    if (self < WORK_MCU_BLOCKS) {
        blocks[self] = picture->block_table[self];
        blocks[WORK_MCU_BLOCKS + self] = picture->block_component[self] & 0xFF;
    }
    for (u32 i = self; i < ORDER_SIZE; i += WRITE_CHUNKS)
        order[i] = column_order[i < 64 ? i : 63];
    for (u32 i = self; group->count > 0 && i < count; i += WRITE_CHUNKS)
        words[i] = bytes[i];
    writing->symbols = (LOCAL const u16 *)symbols;
    writing->tables = blocks;
    writing->components = blocks + WORK_MCU_BLOCKS;
    writing->order = order;
    writing->rest = (GLOBAL const u16 *)(writing->work + picture->long_table);
    writing->words = (LOCAL const u32 *)words + skip;
    writing->chunks = most - 1;
    writing->blocks_in_mcu = picture->blocks_in_mcu;
}

/*
 * Store the sums of DC differences of the stretches, and the sums over all stretches of the segment in which the group
 * ends. The whole work-group calls it.
 */
FUNCTION void keep_sums(GLOBAL const u32 *work, const struct chunk_group *group, LOCAL const u32 *sums,
    GLOBAL u32 *RESTRICT chunks, GLOBAL u32 *RESTRICT groups, LOCAL u32 *scratch)
{
    u32 self = local_index(), stretch = own_stretch(group);
    GLOBAL const u32 *segments = chunks + CHUNK_SEGMENT * group->stride + group->at;
    u32 chunk = stretch >> group->halves;
    u32 last = chunk < group->count && segments[chunk] == segments[group->count - 1];
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 sum = sums[i * WRITE_CHUNKS + self];
        u32 total = group_sum(scratch, WRITE_CHUNKS, last ? sum : 0);
        if (stretch < WRITE_CHUNKS)
            chunks[stretch_list(group, STRETCH_DC + i) + stretch] = sum;
        if (self == 0)
            groups[group_sums(work, i) + group_index()] = total;
    }
}

/*
 * Let a work-item enter its stretch. On entry *before is the number of the segment's blocks in front of the chunk, on
 * return in front of the stretch. If the state half-way through the chunk is not known, the first half's work-item
 * decodes the whole chunk, and there is nothing to do for that of the second half. Returns false if there is nothing to
 * do for this reason, or because the chunk's entry is not known and its picture is left to the CPU.
 */
FUNCTION u32 enter_stretch(const struct writing *writing, const struct chunk_group *group, GLOBAL const u32 *own,
    u32 stretch, struct chunk_writer *writer, u32 *before)
{
    u32 midway = group->halves ? own[CHUNK_HALF * group->stride] : 0, second = stretch & group->halves;
    u32 entry = own[CHUNK_ENTRY * group->stride];
    if ((entry & MAP_NEXT) == MAP_UNKNOWN)
        return 0;
    writer->place = unpack_state(entry >> MAP_STATE & MAP_STATES);
    writer->extended = writer->invalid = 0;
    if (second && (midway & HALF_KNOWN)) {
        writer->place = unpack_state(midway & MAP_STATES);
        writer->place.position += (writing->info[stretch / 2] & CHUNK_BITS) / 2;
        *before += midway >> HALF_BLOCKS & HALF_MOST_BLOCKS;
    }
    enter_chunk(writing, writer, stretch >> group->halves);
    if (!second && (midway & HALF_KNOWN)) {
        writer->bits /= 2;
        writer->first_half = 1;
    }
    return !second || (midway & HALF_KNOWN);
}

KERNEL(WORK_WRITE_CHUNKS)
write_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT chunks,
    GLOBAL u32 *RESTRICT groups, GLOBAL u32x4 *RESTRICT coefficients, GLOBAL u32 *RESTRICT dc,
    GLOBAL u32 *RESTRICT damage)
{
    SHARED u32x4 symbols[WRITE_TABLES * WORK_SHORT_SIZE / 8];
    SHARED u32x4 words[WRITE_WORDS / 4];
    SHARED u32x4 block[WRITE_CHUNKS * BLOCK_ROWS];
    SHARED u32 sums[WORK_COMPONENTS * WRITE_CHUNKS];
    SHARED u32 scratch[WRITE_CHUNKS];
    SHARED u32 blocks[2 * WORK_MCU_BLOCKS];
    SHARED u32 order[ORDER_SIZE / 4];
    u32 self = local_index();
    struct chunk_group group = find_chunk_group(work);
    struct writing writing;
    writing.work = work;
    writing.picture = group.picture;
    writing.info = chunks + CHUNK_INFO * group.stride + group.at;
    writing.bytes = bytes + group.at * CHUNK_WORDS;
    for (u32 i = 0; i < WORK_COMPONENTS; i++)
        sums[i * WRITE_CHUNKS + self] = 0;
    for (u32 i = 0; i < BLOCK_ROWS; i++)
        block[i * WRITE_CHUNKS + self] = make_u32x4(0, 0, 0, 0);
    share_writing(&writing, &group, symbols, blocks, (LOCAL u8 *)order, words);
    barrier_local();
    u32 stretch = own_stretch(&group), chunk = stretch >> group.halves;
    if (chunk < group.count) {
        GLOBAL const u32 *own = chunks + group.at + chunk;
        u32 before = own[CHUNK_BEFORE * group.stride], limit, started = 0, behind = 0;
        u64 first =
            (u64)group.picture->block + segment_blocks(work, group.picture, own[CHUNK_SEGMENT * group.stride], &limit);
        struct outputs outputs;
        struct chunk_writer writer;
        outputs.blocks = coefficients + first * 8;
        outputs.dc = dc + first;
        outputs.block = block + self * BLOCK_ROWS;
        outputs.sums = sums + self;
        if (enter_stretch(&writing, &group, own, stretch, &writer, &before)) {
            GLOBAL u32 *counts = damage + group.picture_index * WORK_DAMAGE;
            writer.surplus = first - group.picture->block + limit == group.picture->blocks ? WORK_SPARE_BITS : 8;
            started = before + (writer.place.index > 0);
            if (group.picture->tables <= WRITE_TABLES)
                behind = decode_stretch(&writing, &writer, &outputs, before, limit, counts, 1);
            else
                behind = decode_stretch(&writing, &writer, &outputs, before, limit, counts, 0);
        }
        chunks[stretch_list(&group, STRETCH_BLOCK) + stretch] = started;
        chunks[stretch_list(&group, STRETCH_BLOCKS) + stretch] = behind > started ? behind - started : 0;
    }
    barrier_all();
    keep_sums(work, &group, sums, chunks, groups, scratch);
}

/*
 * Find the sums of the DC differences in front of each of the group's stretches in its segment, by component, and store
 * them in `before`. The chunk at which the segment starts may belong to an earlier group. The whole work-group calls
 * it.
 */
FUNCTION void find_dc(GLOBAL const u32 *work, const struct chunk_group *group, u32 start, u32 start_of_first,
    GLOBAL const u32 *RESTRICT chunks, GLOBAL const u32 *RESTRICT groups, LOCAL u32 *before, LOCAL u32 *scratch)
{
    u32 self = local_index(), stretch = own_stretch(group);
    for (u32 i = 0; i < group->picture->scan_components; i++) {
        u32 own = stretch >> group->halves < group->count, carry = 0, total;
        u32 sum = own ? chunks[stretch_list(group, STRETCH_DC + i) + stretch] : 0;
        u32 from = group->first + (start_of_first << (group->halves + group->spread)) / WRITE_CHUNKS;
        for (u32 j = from + self; j < group_index(); j += WRITE_CHUNKS)
            carry += groups[group_sums(work, i) + j];
        carry = group_sum(scratch, WRITE_CHUNKS, carry);
        u32 place = group_scan(scratch, WRITE_CHUNKS, sum, &total);
        barrier_local();
        scratch[self] = place;
        barrier_local();
        before[i * WRITE_CHUNKS + self] =
            place +
            (start < group->chunk ? carry : 0u - scratch[(start - group->chunk) << (group->halves + group->spread)]);
        barrier_local();
    }
}

/* Copy the counters of damage, which are final when the blocks are written, to memory that the host reads. */
FUNCTION void report_damage(GLOBAL const u32 *work, GLOBAL const u32 *damage, GLOBAL u32 *report)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    if (head->reports && group_index() == 0)
        for (u32 i = local_index(); i < head->pictures * WORK_DAMAGE; i += WRITE_CHUNKS)
            report[i] = damage[i];
}

/* Complete the DC coefficients of all blocks. Unless the work says that it `reports`, `report` is not used. */
KERNEL(WORK_WRITE_CHUNKS)
write_dc(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT chunks, GLOBAL const u32 *RESTRICT groups,
    GLOBAL u32 *RESTRICT dc, GLOBAL const u32 *damage, GLOBAL u32 *report)
{
    SHARED u32 before[WORK_COMPONENTS * WRITE_CHUNKS];
    SHARED u32 scratch[WRITE_CHUNKS];
    SHARED u32 components[WORK_MCU_BLOCKS];
    u32 self = local_index(), start = 0, start_of_first = 0, segment = 0;
    struct chunk_group group = find_chunk_group(work);
    u32 stretch = own_stretch(&group), chunk = stretch >> group.halves;
    report_damage(work, damage, report);
    GLOBAL const u32 *segments = chunks + CHUNK_SEGMENT * group.stride + group.at;
    if (self < WORK_MCU_BLOCKS)
        components[self] = group.picture->block_component[self] & 0xFF;
    if (group.count > 0) {
        segment = segments[chunk < group.count ? chunk : 0];
        start = segment_at(work, group.picture, segment)->first_chunk;
        start_of_first = segment_at(work, group.picture, segments[0])->first_chunk;
    }
    find_dc(work, &group, start, start_of_first, chunks, groups, before, scratch);
    if (chunk >= group.count)
        return;
    u32 limit, first = group.picture->block + segment_blocks(work, group.picture, segment, &limit);
    u32 block = chunks[stretch_list(&group, STRETCH_BLOCK) + stretch], n = group.picture->blocks_in_mcu;
    u32 end = block + chunks[stretch_list(&group, STRETCH_BLOCKS) + stretch];
    u32 in_mcu = block % n;
    while (block < end) { /* a few at a time, whose loads do not wait for each other */
        u32 values[DC_AT_ONCE];
        UNROLL for (u32 i = 0; i < DC_AT_ONCE; i++) values[i] = block + i < end ? dc[first + block + i] : 0;
        UNROLL for (u32 i = 0; i < DC_AT_ONCE; i++)
        {
            if (block + i < end)
                dc[first + block + i] =
                    ((values[i] + before[components[in_mcu] * WRITE_CHUNKS + self]) & 0xFFFF) | DC_CODED;
            in_mcu = in_mcu + 1 == n ? 0 : in_mcu + 1;
        }
        block += DC_AT_ONCE;
    }
}
