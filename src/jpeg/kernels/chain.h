/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the maps of parts (maps.h) from the known start of each segment. The maps of a group's parts are combined to
 * a map of the group, and the maps of a picture's groups are followed from its start. Thus each group, and then each
 * part, learns the state that it starts from and how many blocks of its segment come before it.
 */
#include "jpeg/kernels/maps.h"

/* A chain of parts, or of groups of parts, is followed in runs, from all entries at once. */
enum {
    CHAIN = WORK_PARTS,
    CHAIN_LISTS = 16, /* one list more than a map has entries: MAP_UNKNOWN leads to itself */
    CHAIN_RUN = 16,
    CHAIN_WORDS = CHAIN_LISTS * CHAIN
};

/*
 * A position in a chain: the entry there, and the number of blocks, counted from the last start of a segment if one was
 * passed.
 */
struct step {
    u32 which;
    u32 blocks;
    u32 passed; /* MAP_FIRST or 0 */
};

FUNCTION void take_step(struct step *step, u32 entry, u32 mask)
{
    step->which = entry & MAP_NEXT;
    step->blocks = (entry & MAP_FIRST ? 0 : step->blocks) + (entry >> MAP_BLOCKS & mask);
    step->passed |= entry & MAP_FIRST;
}

/*
 * Load the entries of a chain, as lists of CHAIN words; the first `count` words of each list are those of `from`. Whole
 * work-group.
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
 * Find what each run leads to from each entry, and store it in `ends` and `sums`, which have CHAIN words each. Whole
 * work-group.
 */
FUNCTION void follow_runs(LOCAL const u32 *entries, LOCAL u32 *ends, LOCAL u32 *sums, u32 mask, u32 count)
{
    u32 self = local_index(), run = self / CHAIN_LISTS;
    struct step step;
    step.which = self % CHAIN_LISTS;
    step.blocks = step.passed = 0;
    for (u32 i = run * CHAIN_RUN; i < (run + 1) * CHAIN_RUN && i < count; i++)
        take_step(&step, entries[step.which * CHAIN + i], mask);
    ends[self] = step.which | step.passed;
    sums[self] = step.blocks;
    barrier_local();
}

/* Move on over `runs` runs. */
FUNCTION void pass_runs(LOCAL const u32 *ends, LOCAL const u32 *sums, struct step *step, u32 runs)
{
    for (u32 i = 0; i < runs; i++) {
        u32 at = i * CHAIN_LISTS + step->which, end = ends[at];
        step->which = end & MAP_NEXT;
        step->blocks = (end & MAP_FIRST ? 0 : step->blocks) + sums[at];
        step->passed |= end & MAP_FIRST;
    }
}

/* Move from the start of the chain to the part, or group, of this work-item. */
FUNCTION void pass_to_self(
    LOCAL const u32 *entries, LOCAL const u32 *ends, LOCAL const u32 *sums, u32 mask, struct step *step)
{
    u32 self = local_index(), run = self / CHAIN_RUN;
    pass_runs(ends, sums, step, run);
    for (u32 i = run * CHAIN_RUN; i < self; i++)
        take_step(step, entries[step->which * CHAIN + i], mask);
}

FUNCTION u32 count_parts(GLOBAL const struct work_picture *picture, u32 first)
{
    u32 left = first < picture->parts ? picture->parts - first : 0;
    return left < WORK_PARTS ? left : WORK_PARTS;
}

/* Make the map of each group of parts. */
KERNEL(WORK_PARTS)
map_groups(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT maps, GLOBAL u32 *RESTRICT groups)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 group = group_index(), first, self = local_index(), all = head->part_groups;
    GLOBAL const struct work_picture *picture = picture_at(work, find_picture(work, WORK_OF_PARTS, group, &first));
    u32 lists = map_lists(picture), count = count_parts(picture, (group - first) * WORK_PARTS);
    load_chain(entries, maps + (u64)group * WORK_PARTS, (u64)all * WORK_PARTS, lists, count);
    follow_runs(entries, ends, sums, MAP_MOST_BLOCKS, count);
    struct step step;
    step.which = self;
    step.blocks = step.passed = 0;
    if (self < lists) {
        pass_runs(ends, sums, &step, (count + CHAIN_RUN - 1) / CHAIN_RUN);
        groups[self * all + group] = step.which | (step.blocks & GROUP_BLOCKS_MASK) << MAP_BLOCKS | step.passed;
    }
}

/*
 * Pass over a part's codes, reading the tables in device memory. Returns the state behind the part; *blocks is raised
 * by the number of blocks that end in it.
 */
FUNCTION u32 pass_part_slowly(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture,
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

/* The lists in which a picture's parts are described. */
struct part_lists {
    GLOBAL const u32 *work;
    GLOBAL const struct work_picture *picture;
    GLOBAL const u32 *bytes;
    GLOBAL const u32 *parts;
    GLOBAL u32 *maps;
    u64 at;     /* index of the picture's first part in the lists */
    u64 stride; /* length of each list */
};

/*
 * Complete the map of a part at an entry whose successor is not known. If it leads to a state for which the next part
 * has no entry, the first entry there is given up: nothing that matters can have led to it. Returns whether that was
 * the case.
 */
FUNCTION u32 complete_map(const struct part_lists *lists, u32 part, u32 which)
{
    GLOBAL u32 *map = lists->maps + lists->at + part;
    u32 blocks = 0, next = 0, given_up = 0;
    u32 entry = map[which * lists->stride] & ~(u32)MAP_NEXT;
    u32 info = lists->parts[PART_INFO * lists->stride + lists->at + part];
    if ((info & PART_LAST) == 0) {
        u32 behind = pass_part_slowly(lists->work, lists->picture, lists->bytes + (lists->at + part) * PART_WORDS,
            info & PART_BITS, unpack_state(entry >> MAP_STATE & MAP_STATES), &blocks);
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

/* The state of following a picture's parts one by one. */
struct way {
    struct step step;
    u32 stale;     /* whether entry 0 of the next part was given up */
    u32 completed; /* number of maps that were completed */
    u32 lost;      /* whether more maps would have to be completed than may be */
};

/* Follow the parts from `part` to `end`, completing maps where necessary. */
FUNCTION void follow_parts(const struct part_lists *lists, u32 part, u32 end, struct way *way)
{
    for (; part < end; part++) {
        GLOBAL const u32 *entry = lists->maps + way->step.which * lists->stride + lists->at + part;
        way->stale = 0;
        if ((*entry & MAP_NEXT) == MAP_UNKNOWN) {
            way->lost = way->completed == lists->picture->most_completed;
            if (way->lost)
                return;
            way->stale = complete_map(lists, part, way->step.which);
            way->completed++;
        }
        take_step(&way->step, *entry, MAP_MOST_BLOCKS);
    }
}

/*
 * Follow the groups whose maps are in the work-group's memory one by one, beginning with number `first` of the picture.
 */
FUNCTION void follow_groups(const struct part_lists *lists, LOCAL const u32 *entries, u32 first, u32 count,
    struct way *way, GLOBAL u32 *RESTRICT groups, u32 all)
{
    for (u32 i = 0; i < count && !way->lost; i++) {
        groups[GROUP_ENTRY * all + i] = way->step.which;
        groups[GROUP_BLOCKS * all + i] = way->step.blocks;
        u32 entry = entries[way->step.which * CHAIN + i], part = (first + i) * WORK_PARTS;
        if (way->stale || (entry & MAP_NEXT) == MAP_UNKNOWN)
            follow_parts(lists, part, part + count_parts(lists->picture, part), way);
        else
            take_step(&way->step, entry, GROUP_BLOCKS_MASK);
    }
}

/* The state at the point that a work-group has reached, shared by all its work-items. */
enum { WAY_WHICH, WAY_BLOCKS_BEFORE, WAY_STALE, WAY_COMPLETED, WAY_LOST, WAY_WORDS };

FUNCTION struct way load_way(LOCAL const u32 *words)
{
    struct way way;
    way.step.which = words[WAY_WHICH];
    way.step.blocks = words[WAY_BLOCKS_BEFORE];
    way.step.passed = 0;
    way.stale = words[WAY_STALE];
    way.completed = words[WAY_COMPLETED];
    way.lost = words[WAY_LOST];
    return way;
}

FUNCTION void store_way(const struct way *way, LOCAL u32 *words)
{
    words[WAY_WHICH] = way->step.which;
    words[WAY_BLOCKS_BEFORE] = way->step.blocks;
    words[WAY_STALE] = way->stale;
    words[WAY_COMPLETED] = way->completed;
    words[WAY_LOST] = way->lost;
}

/*
 * Mark the entries of all groups of a picture as unknown, because it is left to the CPU: no part then has an entry, and
 * nothing is decoded.
 */
FUNCTION void forget_groups(GLOBAL u32 *RESTRICT groups, u32 first, u32 end, u32 all)
{
    for (u32 i = first + local_index(); i < end; i += CHAIN) {
        groups[GROUP_ENTRY * all + i] = MAP_UNKNOWN;
        groups[GROUP_BLOCKS * all + i] = 0;
    }
}

/*
 * For each picture, one work-group follows the groups of its parts. Where a map is not known, one work-item completes
 * it, part after part, which takes long. A picture that has more such parts than allowed is left to the CPU.
 */
KERNEL(WORK_PARTS)
follow_pictures(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bytes, GLOBAL const u32 *RESTRICT parts,
    GLOBAL u32 *RESTRICT maps, GLOBAL u32 *RESTRICT groups, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    SHARED u32 start[WAY_WORDS];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 index = group_index(), self = local_index(), all = head->part_groups;
    u32 first = (work + head->groups[WORK_OF_PARTS])[index], end = (work + head->groups[WORK_OF_PARTS])[index + 1];
    struct part_lists lists;
    lists.work = work;
    lists.picture = picture_at(work, index);
    lists.bytes = bytes;
    lists.parts = parts;
    lists.maps = maps;
    lists.at = (u64)first * WORK_PARTS;
    lists.stride = (u64)all * WORK_PARTS;
    if (self < WAY_WORDS)
        start[self] = 0;
    for (u32 group = first; group < end; group += CHAIN) {
        u32 count = end - group < CHAIN ? end - group : CHAIN;
        load_chain(entries, groups + group, all, map_lists(lists.picture), count);
        follow_runs(entries, ends, sums, GROUP_BLOCKS_MASK, count);
        struct way way = load_way(start);
        struct step step = way.step, behind = way.step;
        pass_runs(ends, sums, &behind, (count + CHAIN_RUN - 1) / CHAIN_RUN);
        barrier_local();
        if (behind.which != MAP_UNKNOWN && !way.stale && !way.lost) {
            pass_to_self(entries, ends, sums, GROUP_BLOCKS_MASK, &step);
            if (self < count) {
                groups[GROUP_ENTRY * all + group + self] = step.which;
                groups[GROUP_BLOCKS * all + group + self] = step.blocks;
            }
            way.step = behind;
        } else if (self == 0) {
            follow_groups(&lists, entries, group - first, count, &way, groups + group, all);
        }
        if (self == 0)
            store_way(&way, start);
    }
    barrier_all();
    if (start[WAY_LOST])
        forget_groups(groups, first, end, all);
    if (self == 0)
        damage[index * WORK_DAMAGE + WORK_COMPLETED] = start[WAY_COMPLETED] | (start[WAY_LOST] ? WORK_LEFT : 0);
}

/* Find the entry at which decoding reaches each part. */
KERNEL(WORK_PARTS)
place_parts(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT maps, GLOBAL const u32 *RESTRICT groups,
    GLOBAL u32 *RESTRICT parts)
{
    SHARED u32 entries[CHAIN_WORDS];
    SHARED u32 ends[CHAIN];
    SHARED u32 sums[CHAIN];
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    u32 group = group_index(), first, self = local_index(), all = head->part_groups;
    GLOBAL const struct work_picture *picture = picture_at(work, find_picture(work, WORK_OF_PARTS, group, &first));
    u32 count = count_parts(picture, (group - first) * WORK_PARTS);
    u64 stride = (u64)all * WORK_PARTS, at = (u64)group * WORK_PARTS + self;
    struct step step;
    step.which = groups[GROUP_ENTRY * all + group];
    step.blocks = groups[GROUP_BLOCKS * all + group];
    step.passed = 0;
    load_chain(entries, maps + (u64)group * WORK_PARTS, stride, map_lists(picture), count);
    follow_runs(entries, ends, sums, MAP_MOST_BLOCKS, count);
    pass_to_self(entries, ends, sums, MAP_MOST_BLOCKS, &step);
    u32 entry = entries[step.which * CHAIN + self];
    if (head->halves && self < count)
        parts[PART_HALF * stride + at] = step.which < MAP_LISTS ? maps[(MAP_LISTS + step.which) * stride + at] : 0;
    parts[PART_ENTRY * stride + at] = entry;
    parts[PART_BEFORE * stride + at] = entry & MAP_FIRST ? 0 : step.blocks;
}
