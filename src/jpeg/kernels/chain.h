/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the maps of chunks (maps.h) from the known start of each segment. The maps of a group's chunks are combined
 * into a map of the group, and the maps of a picture's groups are followed from its start. Thus each group, and then
 * each chunk, learns the state that it starts from and how many blocks of its segment come before it.
 */
#include "jpeg/kernels/maps.h"

/* A chain of chunks, or of groups of chunks, is followed in runs, from all entries at once. */
enum {
    CHAIN = WORK_CHUNKS,
    CHAIN_LISTS = 16, /* one list more than a map has entries: MAP_UNKNOWN leads to itself */
    CHAIN_RUN = 16,
    CHAIN_WORDS = CHAIN_LISTS * CHAIN
};

/*
 * Describes a position in a chain: the entry there, and the number of blocks, counted from the last start of a segment
 * if one was passed.
 */
struct chain_link {
    u32 which;
    u32 blocks;
    u32 passed; /* MAP_FIRST or 0 */
};

FUNCTION void take_link(struct chain_link *link, u32 entry, u32 mask)
{
    link->which = entry & MAP_NEXT;
    link->blocks = (entry & MAP_FIRST ? 0 : link->blocks) + (entry >> MAP_BLOCKS & mask);
    link->passed |= entry & MAP_FIRST;
}

/*
 * Load the entries of a chain, as lists of CHAIN words, the first `count` words of which are those of `from`. The whole
 * work-group calls it.
 */
FUNCTION void load_chain(LOCAL u32 *entries, GLOBAL const u32 *RESTRICT from, u64 stride, u32 lists, u32 count)
{
    u32 self = local_index();
    barrier_local();
    for (u32 i = 0; i < CHAIN_LISTS; i++)
        entries[i * CHAIN + self] = i < lists && self < count ? from[i * stride + self] : MAP_UNKNOWN;
    barrier_local();
}

/*
 * Find, for each run and each entry, the entry that it leads to and the number of blocks, and store them in `ends` and
 * `sums`, which have CHAIN words each. The whole work-group calls it.
 */
FUNCTION void follow_runs(LOCAL const u32 *entries, LOCAL u32 *ends, LOCAL u32 *sums, u32 mask, u32 count)
{
    u32 self = local_index(), run = self / CHAIN_LISTS;
    struct chain_link link;
    link.which = self % CHAIN_LISTS;
    link.blocks = link.passed = 0;
    for (u32 i = run * CHAIN_RUN; i < (run + 1) * CHAIN_RUN && i < count; i++)
        take_link(&link, entries[link.which * CHAIN + i], mask);
    ends[self] = link.which | link.passed;
    sums[self] = link.blocks;
    barrier_local();
}

/* Advance a link from the start of the chain over `runs` runs. */
FUNCTION void pass_runs(LOCAL const u32 *ends, LOCAL const u32 *sums, struct chain_link *link, u32 runs)
{
    for (u32 i = 0; i < runs; i++) {
        u32 at = i * CHAIN_LISTS + link->which, end = ends[at];
        link->which = end & MAP_NEXT;
        link->blocks = (end & MAP_FIRST ? 0 : link->blocks) + sums[at];
        link->passed |= end & MAP_FIRST;
    }
}

/* Advance a link from the start of the chain to the chunk, or group, of this work-item. */
FUNCTION void pass_to_self(
    LOCAL const u32 *entries, LOCAL const u32 *ends, LOCAL const u32 *sums, u32 mask, struct chain_link *link)
{
    u32 self = local_index(), run = self / CHAIN_RUN;
    pass_runs(ends, sums, link, run);
    for (u32 i = run * CHAIN_RUN; i < self; i++)
        take_link(link, entries[link->which * CHAIN + i], mask);
}

FUNCTION u32 count_chunks(GLOBAL const struct jpeg_work_picture *picture, u32 first)
{
    u32 left = first < picture->chunks ? picture->chunks - first : 0;
    return left < WORK_CHUNKS ? left : WORK_CHUNKS;
}

/* Holds the arrays that a work-group keeps in its memory to follow a chain. */
struct chain_space {
    LOCAL u32 *entries; /* CHAIN_WORDS */
    LOCAL u32 *ends;    /* CHAIN words, as has `sums` */
    LOCAL u32 *sums;
};

/* Describes a picture, and its groups of chunks among those of the part. */
struct chained_picture {
    GLOBAL const struct jpeg_work_picture *picture;
    u32 index;
    u32 first, end; /* its groups */
    u32 all;        /* number of groups in the part */
    u32 halves;     /* jpeg_work.halves */
};

FUNCTION struct chained_picture chained_picture_at(GLOBAL const u32 *work, u32 index)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    struct chained_picture result;
    result.picture = picture_at(work, index);
    result.index = index;
    result.first = (work + head->groups[WORK_OF_CHUNKS])[index];
    result.end = (work + head->groups[WORK_OF_CHUNKS])[index + 1];
    result.all = head->chunk_groups;
    result.halves = head->halves;
    return result;
}

FUNCTION struct chained_picture chained_picture_of(GLOBAL const u32 *work, u32 group)
{
    u32 first;
    return chained_picture_at(work, find_picture(work, WORK_OF_CHUNKS, group, &first));
}

FUNCTION struct chain_link link_at(u32 which, u32 blocks)
{
    struct chain_link link;
    link.which = which;
    link.blocks = blocks;
    link.passed = 0;
    return link;
}

/*
 * Load the maps of a group's chunks, and follow its runs. Returns the number of chunks. The whole work-group calls it.
 */
FUNCTION u32 load_group(
    const struct chained_picture *picture, u32 group, GLOBAL const u32 *maps, const struct chain_space *space)
{
    u32 lists = map_lists(picture->picture);
    u32 count = count_chunks(picture->picture, (group - picture->first) * WORK_CHUNKS);
    load_chain(space->entries, maps + (u64)group * WORK_CHUNKS, (u64)picture->all * WORK_CHUNKS, lists, count);
    follow_runs(space->entries, space->ends, space->sums, MAP_MOST_BLOCKS, count);
    return count;
}

/* Advance a link over the `count` chunks of the group that is loaded. */
FUNCTION void pass_group(const struct chain_space *space, u32 count, struct chain_link *link)
{
    pass_runs(space->ends, space->sums, link, (count + CHAIN_RUN - 1) / CHAIN_RUN);
}

/* Make the map of a group of chunks. The whole work-group calls it. */
FUNCTION void map_group(const struct chained_picture *picture, u32 group, GLOBAL const u32 *maps, GLOBAL u32 *groups,
    const struct chain_space *space)
{
    u32 self = local_index(), lists = map_lists(picture->picture), count = load_group(picture, group, maps, space);
    struct chain_link link = link_at(self, 0);
    if (self < lists) {
        pass_group(space, count, &link);
        groups[self * picture->all + group] =
            link.which | (link.blocks & GROUP_BLOCKS_MASK) << MAP_BLOCKS | link.passed;
    }
}

/* Make the map of each group of chunks. */
KERNEL(WORK_CHUNKS)
map_groups(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT maps, GLOBAL u32 *RESTRICT groups)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    struct chain_space space = {entries, ends, sums};
    struct chained_picture picture = chained_picture_of(work, group_index());
    map_group(&picture, group_index(), maps, groups, &space);
}

/*
 * Pass over a chunk's codes, reading the tables in device memory. Returns the state behind the chunk; *blocks is raised
 * by the number of blocks that end in it.
 */
FUNCTION u32 pass_chunk_slowly(GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture,
    GLOBAL const u32 *RESTRICT words, u32 end, struct place place, u32 *blocks)
{
    while (place.position < end) {
        u32 at = place.position / 32, head = funnel(words[at], words[at + 1], place.position);
        u32 symbol = look_up_slowly(work, picture, block_table(picture, place), head);
        place.position += symbol & 31;
        *blocks += move_on(&place, symbol >> 9, picture->blocks_in_mcu);
    }
    return pack_state(place, end);
}

/* Holds the lists in which a picture's chunks are described. */
struct chunk_lists {
    GLOBAL const u32 *work;
    GLOBAL const struct jpeg_work_picture *picture;
    GLOBAL const u32 *bytes;
    GLOBAL const u32 *chunks;
    GLOBAL u32 *maps;
    u64 at;     /* index of the picture's first chunk in the lists */
    u64 stride; /* length of each list */
};

/*
 * Complete the map of a chunk at an entry whose successor is not known. If the entry leads to a state that the next
 * chunk's map lacks, that state replaces the first entry of the map: nothing that matters can have led to the replaced
 * entry. Returns whether this happened.
 */
FUNCTION u32 complete_map(const struct chunk_lists *lists, u32 chunk, u32 which)
{
    GLOBAL u32 *map = lists->maps + lists->at + chunk;
    u32 blocks = 0, next = 0, given_up = 0;
    u32 entry = map[which * lists->stride] & ~(u32)MAP_NEXT;
    u32 info = lists->chunks[CHUNK_INFO * lists->stride + lists->at + chunk];
    if ((info & CHUNK_LAST) == 0) {
        u32 behind = pass_chunk_slowly(lists->work, lists->picture, lists->bytes + (lists->at + chunk) * CHUNK_WORDS,
            info & CHUNK_BITS, unpack_state(entry >> MAP_STATE & MAP_STATES), &blocks);
        while (next < map_lists(lists->picture) && (map[next * lists->stride + 1] >> MAP_STATE & MAP_STATES) != behind)
            next++;
        given_up = next == map_lists(lists->picture);
        if (given_up) {
            next = 0;
            map[1] = MAP_UNKNOWN | behind << MAP_STATE;
        }
    }
    map[which * lists->stride] = entry | next | blocks << MAP_BLOCKS;
    if (((GLOBAL const struct jpeg_work *)lists->work)->halves)
        map[(MAP_LISTS + which) * lists->stride] = 0;
    return given_up;
}

/* Describes how far a picture's chunks have been followed one by one. */
struct way {
    struct chain_link link;
    u32 stale;     /* whether entry 0 of the next chunk was given up */
    u32 completed; /* number of maps that were completed */
    u32 lost;      /* whether more maps would have to be completed than is allowed */
};

/* Follow the chunks from `chunk` to `end`, completing maps where necessary. */
FUNCTION void follow_chunks(const struct chunk_lists *lists, u32 chunk, u32 end, struct way *way)
{
    for (; chunk < end; chunk++) {
        GLOBAL const u32 *entry = lists->maps + way->link.which * lists->stride + lists->at + chunk;
        way->stale = 0;
        if ((*entry & MAP_NEXT) == MAP_UNKNOWN) {
            way->lost = way->completed == lists->picture->most_completed;
            if (way->lost)
                return;
            way->stale = complete_map(lists, chunk, way->link.which);
            way->completed++;
        }
        take_link(&way->link, *entry, MAP_MOST_BLOCKS);
    }
}

/*
 * Follow the groups whose maps are in the work-group's memory one by one, beginning with number `first` of the picture.
 */
FUNCTION void follow_groups(const struct chunk_lists *lists, LOCAL const u32 *entries, u32 first, u32 count,
    struct way *way, GLOBAL u32 *RESTRICT groups, u32 all)
{
    for (u32 i = 0; i < count && !way->lost; i++) {
        groups[GROUP_ENTRY * all + i] = way->link.which;
        groups[GROUP_BLOCKS * all + i] = way->link.blocks;
        u32 entry = entries[way->link.which * CHAIN + i], chunk = (first + i) * WORK_CHUNKS;
        if (way->stale || (entry & MAP_NEXT) == MAP_UNKNOWN)
            follow_chunks(lists, chunk, chunk + count_chunks(lists->picture, chunk), way);
        else
            take_link(&way->link, entry, GROUP_BLOCKS_MASK);
    }
}

/* The words in which all work-items of a group share a struct way. */
enum { WAY_WHICH, WAY_BLOCKS_BEFORE, WAY_STALE, WAY_COMPLETED, WAY_LOST, WAY_WORDS };

FUNCTION struct way load_way(LOCAL const u32 *words)
{
    struct way way;
    way.link.which = words[WAY_WHICH];
    way.link.blocks = words[WAY_BLOCKS_BEFORE];
    way.link.passed = 0;
    way.stale = words[WAY_STALE];
    way.completed = words[WAY_COMPLETED];
    way.lost = words[WAY_LOST];
    return way;
}

FUNCTION void store_way(const struct way *way, LOCAL u32 *words)
{
    words[WAY_WHICH] = way->link.which;
    words[WAY_BLOCKS_BEFORE] = way->link.blocks;
    words[WAY_STALE] = way->stale;
    words[WAY_COMPLETED] = way->completed;
    words[WAY_LOST] = way->lost;
}

/*
 * Mark the entries of all groups of a picture as unknown, because it is left to the CPU: no chunk then has an entry,
 * and nothing is decoded.
 */
FUNCTION void forget_groups(GLOBAL u32 *RESTRICT groups, u32 first, u32 end, u32 all)
{
    for (u32 i = first + local_index(); i < end; i += CHAIN) {
        groups[GROUP_ENTRY * all + i] = MAP_UNKNOWN;
        groups[GROUP_BLOCKS * all + i] = 0;
    }
}

/*
 * Follow the groups of a picture's chunks. Where a map is not known, one work-item completes it, chunk after chunk,
 * which takes long. A picture that has more such chunks than allowed is left to the CPU. `start` has WAY_WORDS words.
 * The whole work-group calls it.
 */
FUNCTION void follow_picture(const struct chained_picture *picture, const struct chunk_lists *lists, GLOBAL u32 *groups,
    GLOBAL u32 *damage, const struct chain_space *space, LOCAL u32 *start)
{
    u32 self = local_index(), all = picture->all;
    if (self < WAY_WORDS)
        start[self] = 0;
    for (u32 group = picture->first; group < picture->end; group += CHAIN) {
        u32 count = picture->end - group < CHAIN ? picture->end - group : CHAIN;
        load_chain(space->entries, groups + group, all, map_lists(picture->picture), count);
        follow_runs(space->entries, space->ends, space->sums, GROUP_BLOCKS_MASK, count);
        struct way way = load_way(start);
        struct chain_link link = way.link, behind = way.link;
        pass_runs(space->ends, space->sums, &behind, (count + CHAIN_RUN - 1) / CHAIN_RUN);
        barrier_local();
        if (behind.which != MAP_UNKNOWN && !way.stale && !way.lost) {
            pass_to_self(space->entries, space->ends, space->sums, GROUP_BLOCKS_MASK, &link);
            if (self < count) {
                groups[GROUP_ENTRY * all + group + self] = link.which;
                groups[GROUP_BLOCKS * all + group + self] = link.blocks;
            }
            way.link = behind;
        } else if (self == 0) {
            follow_groups(lists, space->entries, group - picture->first, count, &way, groups + group, all);
        }
        if (self == 0)
            store_way(&way, start);
    }
    barrier_all();
    if (start[WAY_LOST])
        forget_groups(groups, picture->first, picture->end, all);
    if (self == 0)
        damage[picture->index * WORK_DAMAGE + WORK_COMPLETED] =
            start[WAY_COMPLETED] | (start[WAY_LOST] ? WORK_LEFT : 0);
}

FUNCTION struct chunk_lists chunk_lists_of(GLOBAL const u32 *work, const struct chained_picture *picture,
    GLOBAL const u32 *bytes, GLOBAL const u32 *chunks, GLOBAL u32 *maps)
{
    struct chunk_lists lists;
    lists.work = work;
    lists.picture = picture->picture;
    lists.bytes = bytes;
    lists.chunks = chunks;
    lists.maps = maps;
    lists.at = (u64)picture->first * WORK_CHUNKS;
    lists.stride = (u64)picture->all * WORK_CHUNKS;
    return lists;
}

/* Follow the groups of each picture's chunks, with one work-group for each picture. */
KERNEL(WORK_CHUNKS)
follow_pictures(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL const u32 *RESTRICT chunks,
    GLOBAL u32 *RESTRICT maps, GLOBAL u32 *RESTRICT groups, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    SHARED u32 start[WAY_WORDS];
    struct chain_space space = {entries, ends, sums};
    struct chained_picture picture = chained_picture_at(work, group_index());
    struct chunk_lists lists = chunk_lists_of(work, &picture, bytes, chunks, maps);
    follow_picture(&picture, &lists, groups, damage, &space, start);
}

/*
 * Store the entries at which the `count` chunks of the group that is loaded are reached, if the group is entered at
 * `link`.
 */
FUNCTION void place_chunks(const struct chained_picture *picture, u32 group, u32 count, struct chain_link link,
    GLOBAL const u32 *maps, GLOBAL u32 *chunks, const struct chain_space *space)
{
    u32 self = local_index();
    u64 stride = (u64)picture->all * WORK_CHUNKS, at = (u64)group * WORK_CHUNKS + self;
    pass_to_self(space->entries, space->ends, space->sums, MAP_MOST_BLOCKS, &link);
    u32 entry = space->entries[link.which * CHAIN + self];
    if (picture->halves && self < count)
        chunks[CHUNK_HALF * stride + at] = link.which < MAP_LISTS ? maps[(MAP_LISTS + link.which) * stride + at] : 0;
    chunks[CHUNK_ENTRY * stride + at] = entry;
    chunks[CHUNK_BEFORE * stride + at] = entry & MAP_FIRST ? 0 : link.blocks;
}

/* Find the entries at which decoding reaches the chunks of a group. The whole work-group calls it. */
FUNCTION void place_group(const struct chained_picture *picture, u32 group, GLOBAL const u32 *maps,
    GLOBAL const u32 *groups, GLOBAL u32 *chunks, const struct chain_space *space)
{
    u32 all = picture->all, count = load_group(picture, group, maps, space);
    struct chain_link link = link_at(groups[GROUP_ENTRY * all + group], groups[GROUP_BLOCKS * all + group]);
    place_chunks(picture, group, count, link, maps, chunks, space);
}

/*
 * Follow the groups of a picture one after the other, and place the chunks of each at once. Returns whether all maps on
 * the way are known; otherwise what has been stored is not valid. The whole work-group calls it.
 */
FUNCTION u32 place_known(const struct chained_picture *picture, GLOBAL const u32 *maps, GLOBAL u32 *groups,
    GLOBAL u32 *chunks, const struct chain_space *space)
{
    struct chain_link link = link_at(0, 0);
    for (u32 group = picture->first; group < picture->end && link.which != MAP_UNKNOWN; group++) {
        u32 count = load_group(picture, group, maps, space);
        place_chunks(picture, group, count, link, maps, chunks, space);
        if (local_index() == 0) {
            groups[GROUP_ENTRY * picture->all + group] = link.which;
            groups[GROUP_BLOCKS * picture->all + group] = link.blocks;
        }
        pass_group(space, count, &link);
    }
    return link.which != MAP_UNKNOWN;
}

/* Find the entry at which decoding reaches each chunk. */
KERNEL(WORK_CHUNKS)
place_parts(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT maps, GLOBAL const u32 *RESTRICT groups,
    GLOBAL u32 *RESTRICT chunks)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    struct chain_space space = {entries, ends, sums};
    struct chained_picture picture = chained_picture_of(work, group_index());
    place_group(&picture, group_index(), maps, groups, chunks, &space);
}

/*
 * Do what the three kernels above do, for pictures of few groups: one work-group for each picture. Nearly always all
 * maps on the way are known, and the picture is walked through once.
 */
KERNEL(WORK_CHUNKS)
chain_pictures(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL u32 *chunks, GLOBAL u32 *maps,
    GLOBAL u32 *groups, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    SHARED u32 start[WAY_WORDS];
    struct chain_space space = {entries, ends, sums};
    struct chained_picture picture = chained_picture_at(work, group_index());
    struct chunk_lists lists = chunk_lists_of(work, &picture, bytes, chunks, maps);
    if (place_known(&picture, maps, groups, chunks, &space)) {
        if (local_index() == 0)
            damage[picture.index * WORK_DAMAGE + WORK_COMPLETED] = 0;
        return;
    }
    for (u32 group = picture.first; group < picture.end; group++)
        map_group(&picture, group, maps, groups, &space);
    barrier_all();
    follow_picture(&picture, &lists, groups, damage, &space, start);
    barrier_all();
    for (u32 group = picture.first; group < picture.end; group++)
        place_group(&picture, group, maps, groups, chunks, &space);
}
