/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches two rectified images as filters/cpu/stereo_*.c do. A path is followed by 32 lanes, which share its
 * disparities: each lane has 2, 4 or 8 neighbouring ones, so that there is room for 64, 128 or 256. Costs are computed
 * anew for each direction, which is faster than loading them. Sums of 16 bits lie two in a word; those behind the last
 * disparity have any value, and are ignored.
 */
#include "kernels/group.h"

#include "filters/kernels/points.h"

enum {
    MATCH_ACROSS = 4, /* columns of a census window on either side of its pixel; MATCH_DOWN: rows above and below it */
    MATCH_DOWN = 3,
    MATCH_WIDTH = FILTER_TILE + 2 * MATCH_ACROSS,
    MATCH_HEIGHT = FILTER_TILE + 2 * MATCH_DOWN,
    MATCH_WORST = 31,
    MATCH_FAR = 0x3FFF, /* more than any cost along a path */
    MATCH_AHEAD = 4,    /* steps by which sums are loaded before they are needed */
    MATCH_VALUES = 8,   /* the most disparities of a lane */
    MATCH_MOST = MATCH_VALUES * LANES
};
TABLE u32 NO_MATCH = 0xFFFFFFFF;

/* Return one of the arrays that have a word for each pixel. */
FUNCTION GLOBAL u32 *match_words(GLOBAL const struct filter_record *record, GLOBAL u8 *room, u32 index)
{
    return (GLOBAL u32 *)(GLOBAL void *)room + (u64)index * record->width * record->height;
}

FUNCTION u32 census_at(LOCAL const u16 *own)
{
    u32 word = 0;
    for (i32 y = -MATCH_DOWN; y < 0; y++)
        for (i32 x = -MATCH_ACROSS; x <= MATCH_ACROSS; x++)
            word = word << 1 | (own[y * MATCH_WIDTH + x] > own[-y * MATCH_WIDTH - x]);
    for (i32 x = 1; x <= MATCH_ACROSS; x++)
        word = word << 1 | (own[-x] > own[x]);
    return word;
}

/* Write the census of each pixel. For the right image, also clear the choices of its pixels. */
KERNEL(FILTER_GROUP_ITEMS)
filter_stereo_census(FILTER_ARGUMENTS)
{
    SHARED u16 light[MATCH_WIDTH * MATCH_HEIGHT];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL u8 *room = target_at(to, place_of(record->to));
    u32 right = (u32)record->value[FILTER_MATCH_RIGHT], x = own_column(&tile);
    (void)extra;
    for (u32 i = local_index(); i < MATCH_WIDTH * MATCH_HEIGHT; i += FILTER_GROUP_ITEMS) {
        i32 column = held_in((i32)(tile.left + i % MATCH_WIDTH) - MATCH_ACROSS, (i32)record->width);
        i32 row = held_in((i32)(tile.top + i / MATCH_WIDTH) - MATCH_DOWN, (i32)record->height);
        light[i] = (u16)luminance_of(record, source_pixel(record, from, (u32)column, (u32)row));
    }
    barrier_local();
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        u64 at = (u64)y * record->width + x;
        LOCAL const u16 *own = light + (y - tile.top + MATCH_DOWN) * MATCH_WIDTH + (x - tile.left + MATCH_ACROSS);
        match_words(record, room, right)[at] = census_at(own);
        if (right)
            match_words(record, room, 3)[at] = NO_MATCH;
    }
}

/* Load or store one, two or four words, which lie at a multiple of their length. */
FUNCTION void load_words(GLOBAL const u8 *at, u32 count, u32 *words)
{
    if (count == 1) {
        words[0] = *(GLOBAL const u32 *)(GLOBAL const void *)at;
    } else if (count == 2) {
        u32x2 pair = *(GLOBAL const u32x2 *)(GLOBAL const void *)at;
        words[0] = pair.x;
        words[1] = pair.y;
    } else {
        u32x4 all = *(GLOBAL const u32x4 *)(GLOBAL const void *)at;
        words[0] = all.x;
        words[1] = all.y;
        words[2] = all.z;
        words[3] = all.w;
    }
}

FUNCTION void store_words(GLOBAL u8 *at, u32 count, const u32 *words)
{
    if (count == 1)
        *(GLOBAL u32 *)(GLOBAL void *)at = words[0];
    else if (count == 2)
        *(GLOBAL u32x2 *)(GLOBAL void *)at = make_u32x2(words[0], words[1]);
    else
        *(GLOBAL u32x4 *)(GLOBAL void *)at = make_u32x4(words[0], words[1], words[2], words[3]);
}

/*
 * Exchange the costs of a lane's first and last disparity with the neighbouring lanes: *below and *above receive the
 * neighbours' costs. Returns the least cost of all lanes. Whole work-group; `scratch` has two words for each work-item.
 */
FUNCTION u32 exchange_costs(LOCAL u32 *scratch, u32 first, u32 last, u32 least, u32 *below, u32 *above)
{
#if HAS_WARPS
    u32 lane = lane_index(), under = warp_shuffle(last, (lane - 1) % LANES);
    u32 over = warp_shuffle(first, (lane + 1) % LANES);
    *below = lane > 0 ? under : MATCH_FAR;
    *above = lane < LANES - 1 ? over : MATCH_FAR;
    return lane_least(scratch, least);
#else
    u32 self = local_index(), lane = self % LANES;
    barrier_local();
    scratch[2 * self] = first | last << 16;
    scratch[2 * self + 1] = least;
    barrier_local();
    *below = lane > 0 ? scratch[2 * self - 2] >> 16 : MATCH_FAR;
    *above = lane < LANES - 1 ? scratch[2 * self + 2] & 0xFFFF : MATCH_FAR;
    for (u32 i = 0; i < LANES; i++)
        least = smaller(least, scratch[2 * (self - lane + i) + 1]);
    return least;
#endif
}

/* Holds a pixel of a line; where a line other than a row leaves the image, it continues at the other side. */
struct match_place {
    i32 x, y;
};

FUNCTION struct match_place first_place(GLOBAL const struct filter_record *record, u32 line)
{
    i32 dx = record->value[FILTER_MATCH_DX], dy = record->value[FILTER_MATCH_DY];
    struct match_place place;
    place.x = dy != 0 ? (i32)line : dx > 0 ? 0 : (i32)record->width - 1;
    place.y = dy == 0 ? (i32)line : dy > 0 ? 0 : (i32)record->height - 1;
    return place;
}

FUNCTION void step_on(i32 dx, i32 dy, i32 width, struct match_place *place)
{
    place->x += dx;
    place->y += dy;
    if (dy != 0 && place->x == width)
        place->x = 0;
    else if (dy != 0 && place->x < 0)
        place->x = width - 1;
}

/*
 * Compute the costs along a path at a pixel, from those at the pixel before. Returns the lane's least cost; all costs
 * are added to `words`, two in a word.
 */
FUNCTION u32 path_costs(u32 values, const u32 *cost, u32 *path, u32 below, u32 above, u32 least, u32 p1, u32 p2,
    u32 starts, u32 beyond, u32 *words)
{
    u32 made[MATCH_VALUES], lowest = MATCH_FAR;
    UNROLL
    for (u32 i = 0; i < values; i++) {
        u32 down = i > 0 ? path[i > 0 ? i - 1 : 0] : below,
            up = i + 1 < values ? path[i + 1 < values ? i + 1 : 0] : above;
        u32 best = smaller(smaller(path[i], smaller(down, up) + p1), least + p2);
        made[i] = i < beyond ? cost[i] + (starts ? 0 : best - least) : MATCH_FAR;
        lowest = smaller(lowest, made[i]);
    }
    UNROLL
    for (u32 i = 0; i < values; i++)
        path[i] = made[i];
    UNROLL
    for (u32 i = 0; i < values / 2; i++)
        words[i] += made[2 * i] | made[2 * i + 1] << 16;
    return lowest;
}

/* Compute the costs of the lane's disparities; `at` is the column of the right image's pixel for the first one. */
FUNCTION void pixel_costs(GLOBAL const u32 *right, u32 own, i32 at, u32 values, u32 *cost)
{
    UNROLL
    for (u32 i = 0; i < values; i++)
        cost[i] = at >= (i32)i ? ones(own ^ right[at - (i32)i]) : MATCH_WORST;
}

/* Return the address of the lane's sums at a pixel. */
FUNCTION GLOBAL u8 *match_sums(GLOBAL u8 *volume, u32 width, struct match_place place, u32 words)
{
    return volume + (((u64)(u32)place.y * width + (u32)place.x) * LANES + lane_index()) * words * 4;
}

/*
 * Follow a path along each of the work-group's lines. Whole work-group: all lines of a direction have the same length.
 */
FUNCTION void follow_lines(GLOBAL const struct filter_record *record, GLOBAL const u8 *room, GLOBAL u8 *volume,
    u32 group, LOCAL u32 *scratch, u32 values)
{
    const i32 dx = record->value[FILTER_MATCH_DX], dy = record->value[FILTER_MATCH_DY], width = (i32)record->width;
    const u32 lines = dy == 0 ? record->height : record->width, steps = dy == 0 ? record->width : record->height;
    const u32 words = values / 2, disparities = (u32)record->value[FILTER_MATCH_DISPARITIES];
    const u32 p1 = (u32)record->value[FILTER_MATCH_P1], p2 = (u32)record->value[FILTER_MATCH_P2];
    const u32 own = lane_index() * values;
    const u32 beyond = disparities > own ? disparities - own : 0;
    const u32 line = group * FILTER_MATCH_LINES + local_index() / LANES, active = line < lines;
    const u32 again = active && record->value[FILTER_MATCH_FIRST] == 0; /* there are sums to add to */
    GLOBAL const u32 *left = (GLOBAL const u32 *)(GLOBAL const void *)room;
    GLOBAL const u32 *right = left + (u64)record->width * record->height;
    struct match_place place = first_place(record, active ? line : 0), ahead = place;
    u32 path[MATCH_VALUES], sums[MATCH_AHEAD * MATCH_VALUES / 2], least = 0, below = 0, above = 0;
    UNROLL
    for (u32 i = 0; i < values; i++)
        path[i] = 0;
    UNROLL
    for (u32 j = 0; j < MATCH_AHEAD; j++) {
        UNROLL
        for (u32 i = 0; i < words; i++)
            sums[j * words + i] = 0;
        if (again && j < steps)
            load_words(match_sums(volume, record->width, ahead, words), words, sums + j * words);
        step_on(dx, dy, width, &ahead);
    }
    for (u32 begin = 0; begin < steps; begin += MATCH_AHEAD) {
        UNROLL
        for (u32 j = 0; j < MATCH_AHEAD; j++) {
            if (begin + j < steps) {
                const u64 row = (u64)(u32)place.y * record->width;
                u32 starts = begin + j == 0 || (dy != 0 && dx != 0 && place.x == (dx > 0 ? 0 : width - 1));
                u32 cost[MATCH_VALUES], made[MATCH_VALUES / 2];
                pixel_costs(right + row, left[row + (u32)place.x],
                    place.x - record->value[FILTER_MATCH_LEAST] - (i32)own, values, cost);
                UNROLL
                for (u32 i = 0; i < words; i++)
                    made[i] = sums[j * words + i];
                if (again && begin + j + MATCH_AHEAD < steps)
                    load_words(match_sums(volume, record->width, ahead, words), words, sums + j * words);
                step_on(dx, dy, width, &ahead);
                u32 lowest = path_costs(values, cost, path, below, above, least, p1, p2, starts, beyond, made);
                if (active)
                    store_words(match_sums(volume, record->width, place, words), words, made);
                least = exchange_costs(scratch, path[0], path[values - 1], lowest, &below, &above);
                step_on(dx, dy, width, &place);
            }
        }
    }
}

#define MATCH_PATHS(values)                                                                                            \
    KERNEL(FILTER_GROUP_ITEMS)                                                                                         \
    filter_stereo_paths_##values(FILTER_ARGUMENTS)                                                                     \
    {                                                                                                                  \
        SHARED u32 scratch[2 * FILTER_GROUP_ITEMS];                                                                    \
        u32 group;                                                                                                     \
        GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);                   \
        (void)extra;                                                                                                   \
        follow_lines(record, source_at(from, place_of(record->from)), target_at(to, place_of(record->to)), group,      \
            scratch, values);                                                                                          \
    }

MATCH_PATHS(2)
MATCH_PATHS(4)
MATCH_PATHS(8)

/* Return how many disparities of a column lie in the right image. */
FUNCTION u32 match_visible(GLOBAL const struct filter_record *record, u32 x)
{
    u32 least = (u32)record->value[FILTER_MATCH_LEAST];
    if (x >= record->width || x < least)
        return 0;
    return smaller(x - least + 1, (u32)record->value[FILTER_MATCH_DISPARITIES]);
}

/*
 * Return the offset of the lowest point of the parabola through three sums, in 1/256 pixels; see the CPU's between().
 */
FUNCTION i32 match_between(i32 before, i32 own, i32 after)
{
    i32 curve = before + after - 2 * own, lean = before - after;
    curve = curve > 0 ? curve : 1;
    return (lean * 256 + curve + 512 * curve) / (2 * curve) - 256;
}

/* Return the choice for a pixel: the disparity, its index from bit 16 on, and its confidence from bit 24 on; or 0. */
FUNCTION u32 match_choice(
    GLOBAL const struct filter_record *record, GLOBAL const u16 *sums, u32 best, u32 second, u32 visible)
{
    u32 index = best & 255, least = best >> 8, sure = 255;
    i32 value = (record->value[FILTER_MATCH_LEAST] + (i32)index) * 256;
    if (best == NO_MATCH || (second != NO_MATCH && second * (u32)record->value[FILTER_MATCH_UNIQUE] < least * 100))
        return 0;
    if (second != NO_MATCH)
        sure = second > least ? (second - least) * 255 / second : 0;
    if (index > 0 && index + 1 < visible)
        value += match_between(sums[index - 1], sums[index], sums[index + 1]);
    return (value > 0 ? (u32)value : 1) | index << 16 | sure << 24;
}

/*
 * Choose the disparity of a pixel, and let its sums compete for pixels of the right image: keys[i] belongs to the pixel
 * that lies i − 255 columns behind the match of the work-group's first column at the least disparity. Whole work-group.
 */
FUNCTION void choose_at(GLOBAL const struct filter_record *record, GLOBAL const u8 *volume, GLOBAL u32 *choices,
    u32 column, u32 x, u32 y, LOCAL u32 *scratch, LOCAL u32 *keys, u32 values)
{
    const u32 words = values / 2, own = lane_index() * values, visible = match_visible(record, x);
    GLOBAL const u8 *sums = volume + ((u64)y * record->width + (x < record->width ? x : 0)) * LANES * words * 4;
    u32 loaded[MATCH_VALUES / 2], best = NO_MATCH, second = NO_MATCH;
    load_words(sums + lane_index() * words * 4, words, loaded);
    UNROLL
    for (u32 i = 0; i < values; i++) {
        u32 key = (loaded[i / 2] >> i % 2 * 16 & 0xFFFF) << 8 | (own + i);
        if (own + i >= visible)
            continue;
        best = smaller(best, key);
        if (record->value[FILTER_MATCH_TOLERANCE] >= 0)
            atomic_least_local(keys + column + MATCH_MOST - 1 - own - i, key);
    }
    best = lane_least(scratch, best);
    UNROLL
    for (u32 i = 0; i < values; i++) {
        u32 apart = own + i > (best & 255) ? own + i - (best & 255) : (best & 255) - own - i;
        if (own + i < visible && apart > 1)
            second = smaller(second, loaded[i / 2] >> i % 2 * 16 & 0xFFFF);
    }
    second = lane_least(scratch, second);
    if (lane_index() == 0 && x < record->width)
        choices[(u64)y * record->width + x] =
            match_choice(record, (GLOBAL const u16 *)(GLOBAL const void *)sums, best, second, visible);
}

FUNCTION void choose_row(GLOBAL const struct filter_record *record, GLOBAL const u8 *volume, GLOBAL u8 *room, u32 group,
    LOCAL u32 *scratch, LOCAL u32 *keys, u32 values)
{
    const u32 y = group / record->groups_of_row, left = group % record->groups_of_row * FILTER_MATCH_COLUMNS;
    GLOBAL u32 *others = match_words(record, room, 3) + (u64)y * record->width;
    for (u32 i = local_index(); i < FILTER_MATCH_COLUMNS + MATCH_MOST; i += FILTER_GROUP_ITEMS)
        keys[i] = NO_MATCH;
    barrier_local();
    for (u32 first = 0; first < FILTER_MATCH_COLUMNS; first += FILTER_MATCH_LINES) {
        u32 column = first + local_index() / LANES;
        choose_at(record, volume, match_words(record, room, 2), column, left + column, y, scratch, keys, values);
    }
    barrier_local();
    for (u32 i = local_index(); i < FILTER_MATCH_COLUMNS + MATCH_MOST; i += FILTER_GROUP_ITEMS)
        if (keys[i] != NO_MATCH)
            atomic_least(others + (left + i - (u32)record->value[FILTER_MATCH_LEAST] - (MATCH_MOST - 1)), keys[i]);
}

#define MATCH_CHOOSE(values)                                                                                           \
    KERNEL(FILTER_GROUP_ITEMS)                                                                                         \
    filter_stereo_choose_##values(FILTER_ARGUMENTS)                                                                    \
    {                                                                                                                  \
        SHARED u32 scratch[FILTER_GROUP_ITEMS], keys[FILTER_MATCH_COLUMNS + MATCH_MOST];                               \
        u32 group;                                                                                                     \
        GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);                   \
        (void)extra;                                                                                                   \
        choose_row(record, source_at(from, place_of(record->from)), target_at(to, place_of(record->to)), group,        \
            scratch, keys, values);                                                                                    \
    }

MATCH_CHOOSE(2)
MATCH_CHOOSE(4)
MATCH_CHOOSE(8)

/* Store the disparities, or their confidences, of the pixels whose choice the right image confirms. */
KERNEL(FILTER_GROUP_ITEMS)
filter_stereo_store(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    GLOBAL const u32 *words = (GLOBAL const u32 *)(GLOBAL const void *)source_at(from, place_of(record->from));
    const u64 pixels = (u64)record->width * record->height;
    const i32 tolerance = record->value[FILTER_MATCH_TOLERANCE];
    u32 x = own_column(&tile);
    (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS) {
        u64 at = (u64)y * record->width + x;
        u32 choice = words[2 * pixels + at], index = choice >> 16 & 255;
        if (choice != 0 && tolerance >= 0) {
            u32 other = words[3 * pixels + at - (u32)record->value[FILTER_MATCH_LEAST] - index] & 255;
            choice = (i32)magnitude_of((i32)other - (i32)index) <= tolerance ? choice : 0;
        }
        store_sample(target_pixel(record, to, x, y), 0, record->to_bytes,
            record->value[FILTER_MATCH_SURE] ? choice >> 24 : choice & 0xFFFF);
    }
}
