/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the maps of chunks. A chunk's map takes the states in which decoding may be at the start of the chunk to those
 * at its end. A decoder that starts anywhere soon falls into step with the codes, but it learns only late which block
 * of the MCU it is in. So the states that are tried are those reached through the chunk before, entered as each block
 * of the MCU: one of them is nearly always right.
 */
#include "jpeg/kernels/huffman.h"

/*
 * The starts of chunks for which a work-group has candidates: those of its own chunks, and behind them as many as
 * following a lead may need.
 */
enum { STARTS = STAGED_CHUNKS - 1, MOST_CANDIDATES = STARTS * WORK_MCU_BLOCKS };

struct candidates {
    LOCAL u16 *states;  /* states of the candidates; those of start i begin at 10 i */
    LOCAL u16 *items;   /* all candidates in order: start | which << 8 */
    LOCAL u32 *offsets; /* index in `items` of each start's first candidate */
};

/*
 * Holds the ways of all starts. A way leads through the chunk in front of a start to that start, and begins at one of
 * the blocks of the MCU. Ways that have reached the same place half-way are joined into one. They are in the order of
 * their starts.
 */
struct ways {
    LOCAL u16 *starts;
    LOCAL u32 *middles; /* places reached half-way */
    LOCAL u32 *ends;    /* places reached at the start of the next chunk */
    LOCAL u16 *leads;   /* candidate that the way leads to | blocks that end in the second half << WAY_BLOCKS */
    LOCAL u32 *offsets; /* index of each start's first way */
};

/* A place packed in a word: position, block and index. */
enum { WAY_BLOCK = 16, WAY_INDEX = 20, WAY_BLOCKS = 4 };

FUNCTION u32 pack_place(struct place place)
{
    return place.position | place.block << WAY_BLOCK | place.index << WAY_INDEX;
}

/* Move on from a place to bit `end`. *blocks receives the number of blocks that end on the way. */
FUNCTION u32 pass_way(const struct pair_tables *tables, LOCAL const u32 *words, u32 way, u32 end, u32 *blocks)
{
    struct place place;
    place.position = way & 0xFFFF;
    place.block = way >> WAY_BLOCK & 15;
    place.index = way >> WAY_INDEX;
    struct passage passage = enter_passage(place);
    pass_until(tables, words, &passage, end);
    *blocks = passed_blocks(&passage);
    return pack_place(place_of(tables, &passage));
}

/*
 * Return the place half-way through the chunk in front of a start, if the chunk is entered at block `block` of the MCU.
 */
FUNCTION u32 enter_way(const struct pair_tables *tables, LOCAL const u32 *words, u32 info, u32 block)
{
    u32 blocks;
    return pass_way(tables, words, info & CHUNK_FIRST ? 0 : block << WAY_BLOCK, (info & CHUNK_BITS) / 2, &blocks);
}

/*
 * Follow all ways through half of their chunks. Returns the number of ways that are left then. The whole work-group
 * calls it.
 */
FUNCTION u32 find_ways(const struct pair_tables *tables, LOCAL const u32 *words, LOCAL const u32 *info,
    const struct ways *ways, LOCAL u32 *scratch)
{
    u32 n = tables->blocks_in_mcu, count = 0;
    for (u32 round = 0; round < STARTS * n; round += MAP_GROUP) {
        u32 item = round + local_index(), start = item / n, block = item % n, total, way = 0, distinct = 0;
        if (item < STARTS * n) {
            u32 known = info[start + 1] & CHUNK_FIRST;
            distinct = block == 0 || ((known | info[start]) & CHUNK_FIRST) == 0;
            if (distinct && !known)
                way = enter_way(tables, words + start * CHUNK_WORDS, info[start], block);
            ways->ends[item] = way;
        }
        barrier_local();
        for (u32 i = 1; i <= block && distinct; i++)
            distinct = ways->ends[item - i] != way;
        u32 place = count + group_scan(scratch, MAP_GROUP, distinct, &total);
        if (distinct) {
            ways->starts[place] = (u16)start;
            ways->middles[place] = way;
        }
        if (item < STARTS * n && block == 0)
            ways->offsets[start] = place;
        count += total;
    }
    if (local_index() == 0)
        ways->offsets[STARTS] = count;
    barrier_local();
    return count;
}

/* Return the first way to the same start that ends at the same place. */
FUNCTION u32 first_same(const struct ways *ways, u32 item)
{
    u32 same = ways->offsets[ways->starts[item]];
    while (ways->ends[same] != ways->ends[item])
        same++;
    return same;
}

FUNCTION u32 state_of(u32 way, u32 end)
{
    return ((way & 0xFFFF) - end) | (way >> WAY_BLOCK & 15) << STATE_BLOCK | way >> WAY_INDEX << STATE_INDEX;
}

/* Find the candidates of all starts, which are the states that the ways lead to. The whole work-group calls it. */
FUNCTION void find_candidates(const struct pair_tables *tables, LOCAL const u32 *words, LOCAL const u32 *info,
    const struct ways *ways, const struct candidates *candidates, LOCAL u32 *scratch)
{
    u32 n = tables->blocks_in_mcu, before = 0, count = find_ways(tables, words, info, ways, scratch);
    for (u32 round = 0; round < STARTS * n; round += MAP_GROUP) {
        u32 item = round + local_index(), start = 0, known = 1, total, way = 0, same = item, blocks = 0;
        if (item < count) {
            start = ways->starts[item];
            known = info[start + 1] & CHUNK_FIRST;
            if (!known)
                way = pass_way(
                    tables, words + start * CHUNK_WORDS, ways->middles[item], info[start] & CHUNK_BITS, &blocks);
            ways->ends[item] = way;
        }
        barrier_local();
        if (item < count)
            same = first_same(ways, item);
        u32 distinct = item < count && same == item;
        u32 place = before + group_scan(scratch, MAP_GROUP, distinct, &total);
        if (distinct && item == ways->offsets[start])
            candidates->offsets[start] = place;
        barrier_local();
        u32 which = place - candidates->offsets[start];
        if (distinct) {
            candidates->states[start * WORK_MCU_BLOCKS + which] =
                (u16)(known ? STATE_START : state_of(way, info[start] & CHUNK_BITS));
            candidates->items[place] = (u16)(start | which << 8);
            ways->leads[item] = (u16)(which | blocks << WAY_BLOCKS);
        }
        barrier_local();
        if (item < count && !distinct)
            ways->leads[item] = (u16)((ways->leads[same] & MAP_NEXT) | blocks << WAY_BLOCKS);
        before += total;
    }
    if (local_index() == 0)
        candidates->offsets[STARTS] = before;
    barrier_local();
}

/* Holds the place of a work-group: its picture, its first chunk there, and the index of that chunk in the lists. */
struct map_group {
    GLOBAL const struct jpeg_work_picture *picture;
    u32 first;
    u32 number; /* number of groups of the picture; `index` is this group's number among them */
    u32 index;
    u64 at;
    u64 stride; /* distance from one list to the next */
    u32 halves; /* whether the maps also hold the place half-way */
};

/* Return the number of lists that a map needs: the more blocks an MCU has, the more often a candidate is missing. */
FUNCTION u32 map_lists(GLOBAL const struct jpeg_work_picture *picture)
{
    u32 wanted = 2 * picture->blocks_in_mcu + 3;
    return wanted < MAP_LISTS ? wanted : MAP_LISTS;
}

/*
 * Return the number of entries of a chunk's map for states that are not candidates: those that the group in front
 * finds, and those that the group of the chunk finds.
 */
FUNCTION u32 foreign_extra(GLOBAL const struct jpeg_work_picture *picture)
{
    return (map_lists(picture) - picture->blocks_in_mcu) / 2;
}

FUNCTION u32 own_extra(GLOBAL const struct jpeg_work_picture *picture)
{
    return map_lists(picture) - picture->blocks_in_mcu - foreign_extra(picture);
}

/*
 * Clear the entries in which possibly nothing will be stored. A group clears all lists for its own chunks, except those
 * that the group in front fills for its first two chunks; it clears these for the first two chunks behind its own.
 */
FUNCTION void clear_maps(const struct map_group *group, GLOBAL u32 *RESTRICT maps)
{
    u32 lists = map_lists(group->picture), foreign = lists - foreign_extra(group->picture);
    for (u32 i = local_index(); i < lists * MAP_CHUNKS; i += MAP_GROUP) {
        u32 list = i / MAP_CHUNKS, chunk = i % MAP_CHUNKS;
        if (list < foreign || chunk >= 2 || group->index == 0)
            maps[list * group->stride + group->at + chunk] = MAP_UNKNOWN;
        if (list >= foreign && chunk < 2 && group->index + 1 < group->number)
            maps[list * group->stride + group->at + MAP_CHUNKS + chunk] = MAP_UNKNOWN;
    }
}

/*
 * Return the entry of a start that stands for a state to which a chunk leads: a candidate, or a new entry for a further
 * state; MAP_UNKNOWN if there is no room for one.
 */
FUNCTION u32 find_next(
    const struct map_group *group, const struct candidates *candidates, LOCAL u32 *extra, u32 start, u32 state)
{
    u32 count = candidates->offsets[start + 1] - candidates->offsets[start], n = group->picture->blocks_in_mcu;
    for (u32 i = 0; i < count; i++)
        if (candidates->states[start * WORK_MCU_BLOCKS + i] == state)
            return i;
    if (start >= MAP_CHUNKS + 2)
        return MAP_UNKNOWN;
    u32 which = count_up_local(extra + start, 1), own = own_extra(group->picture);
    if (start < MAP_CHUNKS)
        return which < own ? n + which : MAP_UNKNOWN;
    return which < foreign_extra(group->picture) ? n + own + which : MAP_UNKNOWN;
}

/*
 * Follow a chunk from a state. Returns the entry of the next chunk that it leads to, and in *blocks the number of
 * blocks that end in the chunk. Nearly always one of the ways passes through the place reached half-way, and the rest
 * is known; otherwise *behind receives the state at the end. *midway receives the place half-way.
 */
FUNCTION u32 lead_on(const struct pair_tables *tables, const struct map_group *group, LOCAL const u32 *words,
    LOCAL const u32 *info, const struct ways *ways, const struct candidates *candidates, LOCAL u32 *extra, u32 start,
    u32 state, u32 *blocks, u32 *behind, u32 *midway)
{
    u32 end = info[start + 1] & CHUNK_BITS;
    words += (start + 1) * CHUNK_WORDS;
    struct passage passage = enter_passage(unpack_state(state));
    pass_until(tables, words, &passage, end / 2);
    struct place place = place_of(tables, &passage);
    u32 middle = pack_place(place);
    *midway = HALF_KNOWN | passed_blocks(&passage) << HALF_BLOCKS | pack_state(place, end / 2);
    for (u32 i = ways->offsets[start + 1]; i < ways->offsets[start + 2]; i++)
        if (ways->middles[i] == middle) {
            *blocks = passed_blocks(&passage) + (ways->leads[i] >> WAY_BLOCKS);
            return ways->leads[i] & MAP_NEXT;
        }
    pass_until(tables, words, &passage, end);
    *blocks = passed_blocks(&passage);
    *behind = pack_state(place_of(tables, &passage), end);
    return find_next(group, candidates, extra, start + 1, *behind);
}

/*
 * Fill the map of a chunk's candidate. If it leads to a state that is not a candidate of the next chunk, that chunk's
 * map gets one more entry, and so on.
 */
FUNCTION void map_candidate(const struct pair_tables *tables, const struct map_group *group, LOCAL const u32 *words,
    LOCAL const u32 *info, const struct ways *ways, const struct candidates *candidates, LOCAL u32 *extra, u32 item,
    GLOBAL u32 *RESTRICT maps)
{
    u32 start = item & 0xFF, which = item >> 8, more = 1;
    u32 state = candidates->states[start * WORK_MCU_BLOCKS + which];
    while (more) {
        u32 flags = info[start + 1], blocks = 0, next = 0, behind = STATE_START, midway = 0;
        if ((flags & CHUNK_LAST) == 0)
            next =
                lead_on(tables, group, words, info, ways, candidates, extra, start, state, &blocks, &behind, &midway);
        if (group->halves && group->first + start < group->picture->chunks)
            maps[(MAP_LISTS + which) * group->stride + group->at + start] = midway;
        if (group->first + start < group->picture->chunks)
            maps[which * group->stride + group->at + start] =
                next | blocks << MAP_BLOCKS | state << MAP_STATE | (flags & CHUNK_FIRST ? MAP_FIRST : 0);
        more = next != MAP_UNKNOWN && next >= group->picture->blocks_in_mcu;
        which = next;
        state = behind;
        start++;
    }
}

/* Clear the group's share of the picture's blocks: they have no coefficients yet. */
FUNCTION void clear_blocks(const struct map_group *group, GLOBAL u32 *RESTRICT dc)
{
    u32 all = group->picture->blocks, share = (all + group->number - 1) / group->number;
    u32 from = share * group->index, to = from + share < all ? from + share : all;
    for (u32 i = from + local_index(); i < to; i += MAP_GROUP)
        dc[group->picture->block + i] = 0;
}

/*
 * Store what later kernels need of the chunks. They read groups of four words, for which the group's own chunks have
 * room.
 */
FUNCTION void keep_chunks(const struct map_group *group, LOCAL const u32 *words, LOCAL const u32 *info,
    LOCAL const u32 *segments, GLOBAL u32 *RESTRICT bytes, GLOBAL u32 *RESTRICT chunks)
{
    u32 left = group->first < group->picture->chunks ? group->picture->chunks - group->first : 0, self = local_index();
    u32 count = left < MAP_CHUNKS ? left : MAP_CHUNKS;
    for (u32 i = self; i < (count * CHUNK_WORDS + 3) / 4 * 4; i += MAP_GROUP)
        bytes[group->at * CHUNK_WORDS + i] = words[CHUNK_WORDS + i];
    if (self < count) {
        chunks[CHUNK_INFO * group->stride + group->at + self] = info[1 + self];
        chunks[CHUNK_SEGMENT * group->stride + group->at + self] = segments[1 + self];
    }
}

FUNCTION struct map_group find_map_group(GLOBAL const u32 *work, u32 *index)
{
    enum { RATIO = WORK_CHUNKS / MAP_CHUNKS };
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    struct map_group group;
    u32 first;
    *index = find_picture(work, WORK_OF_CHUNKS, group_index() / RATIO, &first);
    group.picture = picture_at(work, *index);
    group.index = group_index() - first * RATIO;
    group.number = ((work + head->groups[WORK_OF_CHUNKS])[*index + 1] - first) * RATIO;
    group.first = group.index * MAP_CHUNKS;
    group.at = (u64)group_index() * MAP_CHUNKS;
    group.stride = (u64)head->chunk_groups * WORK_CHUNKS;
    group.halves = head->halves;
    return group;
}

/* Remove the stuffing from the chunks and make their maps. */
KERNEL(WORK_MAP_GROUP)
map_parts(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL u32 *RESTRICT bytes,
    GLOBAL u32 *RESTRICT chunks, GLOBAL u32 *RESTRICT maps, GLOBAL u32 *RESTRICT dc, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32x4 pairs[WORK_PAIR_WORDS / 4];
    SHARED u16 rows[ROWS];
    SHARED u32 words[STAGED_WORDS];
    SHARED u32 info[STAGED_CHUNKS];
    SHARED u32 segments[2 * STAGED_CHUNKS];
    SHARED u32 scratch[MAP_GROUP];
    SHARED u32 offsets[STARTS + 1];
    SHARED u32 extra[STARTS + 1];
    SHARED u16 states[MOST_CANDIDATES];
    SHARED u16 items[MOST_CANDIDATES];
    SHARED u32 middles[MOST_CANDIDATES];
    SHARED u32 ends[MOST_CANDIDATES];
    SHARED u16 way_starts[MOST_CANDIDATES];
    SHARED u16 leads[MOST_CANDIDATES];
    SHARED u32 way_offsets[STARTS + 1];
    u32 index, self = local_index();
    struct map_group group = find_map_group(work, &index);
    struct candidates candidates;
    struct ways ways;
    ways.starts = way_starts;
    ways.middles = middles;
    ways.ends = ends;
    ways.leads = leads;
    ways.offsets = way_offsets;
    candidates.states = states;
    candidates.items = items;
    candidates.offsets = offsets;
    if (group.index == 0 && self < WORK_DAMAGE)
        damage[index * WORK_DAMAGE + self] = 0;
    clear_blocks(&group, dc);
    clear_maps(&group, maps);
    if (self < STARTS + 1)
        extra[self] = 0;
    struct pair_tables tables = share_pairs(work, group.picture, pairs, rows);
    stage_chunks(work, group.picture, stream, group.first, words, info, segments, scratch);
    keep_chunks(&group, words, info, segments, bytes, chunks);
    find_candidates(&tables, words, info, &ways, &candidates, scratch);
    barrier_all();
    for (u32 i = self; i < offsets[MAP_CHUNKS]; i += MAP_GROUP)
        map_candidate(&tables, &group, words, info, &ways, &candidates, extra, items[i], maps);
}
