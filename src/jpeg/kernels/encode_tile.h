/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a tile lies in its picture, and its blocks in it. */
#include "jpeg/kernels/encode_work.h"
#include "kernels/group.h"
#include "kernels/portable.h"
#include "kernels/search.h"

FUNCTION u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

struct tile {
    LOCAL const struct encode_picture *picture; /* in the work-group's memory: it is looked at all the time */
    u32 index;                                  /* of the picture */
    u32 number;                                 /* of the tile in it */
    u32 interval;                               /* of restarts, that it lies in */
    u32 first;                                  /* MCU in coding order */
    u32 mcus;                                   /* at least 1 */
    u32 starts, ends;                           /* whether the interval does so with it */
};

FUNCTION GLOBAL const struct encode_picture *picture_of(GLOBAL const u32 *work, u32 index)
{
    GLOBAL const struct encode_work *head = (GLOBAL const struct encode_work *)work;
    return (GLOBAL const struct encode_picture *)(work + head->picture) + index;
}

/* `shared`: ENCODE_PICTURE_WORDS, which get the picture. `size`: of the work-group. Whole work-group. */
FUNCTION struct tile find_tile(GLOBAL const u32 *work, u32 group, LOCAL u32 *shared, u32 size)
{
    GLOBAL const struct encode_work *head = (GLOBAL const struct encode_work *)work;
    GLOBAL const u32 *list = work + head->tiles;
    struct tile tile;
    u32 low = find_owner(list, head->pictures, group);
    for (u32 i = local_index(); i < ENCODE_PICTURE_WORDS; i += size)
        shared[i] = ((GLOBAL const u32 *)picture_of(work, low))[i];
    tile.number = group - list[low];
    barrier_local();
    tile.picture = (LOCAL const struct encode_picture *)shared;
    tile.index = low;
    tile.interval = tile.number / tile.picture->interval_tiles;
    u32 within = tile.number - tile.interval * tile.picture->interval_tiles;
    u32 before = tile.interval * tile.picture->interval, left = tile.picture->mcus - before;
    left = least(left, tile.picture->interval) - within * tile.picture->tile_mcus;
    tile.first = before + within * tile.picture->tile_mcus;
    tile.mcus = least(left, tile.picture->tile_mcus);
    tile.starts = within == 0;
    tile.ends = left == tile.mcus;
    return tile;
}

/*
 * A work-item's block. Work-items take the tile's blocks component by component, and those of a component in coding
 * order.
 */
struct block {
    u32 exists; /* otherwise there is none for this work-item */
    u32 real;   /* otherwise it pads its MCU */
    u32 component;
    u32 mcu;   /* in the tile */
    u32 place; /* in the MCU, counted in the component */
    u32 order; /* in the tile, in coding order */
};

/* Whether a component's block of an MCU holds samples. */
FUNCTION u32 is_real(
    LOCAL const struct encode_picture *picture, LOCAL const struct encode_component *component, u32 mcu, u32 place)
{
    if (!picture->padded)
        return 1;
    u32 x = mcu % picture->mcus_w * component->h + place % component->h;
    u32 y = mcu / picture->mcus_w * component->v + place / component->h;
    return x < component->blocks_w && y < component->blocks_h;
}

/* The last block of an MCU's component, before `end`, that holds samples. The first one always does. */
FUNCTION u32 last_real(
    LOCAL const struct encode_picture *picture, LOCAL const struct encode_component *component, u32 mcu, u32 end)
{
    u32 place = end - 1;
    while (place > 0 && !is_real(picture, component, mcu, place))
        place--;
    return place;
}

FUNCTION struct block find_block(const struct tile *tile, u32 item)
{
    LOCAL const struct encode_picture *picture = tile->picture;
    struct block block;
    u32 c = 0;
    block.exists = item < tile->mcus * picture->mcu_blocks;
    item = block.exists ? item : 0;
    while (c + 1 < picture->components && item >= tile->mcus * picture->component[c + 1].first_block)
        c++;
    LOCAL const struct encode_component *component = &picture->component[c];
    u32 blocks = component->h * component->v, within = item - tile->mcus * component->first_block;
    block.component = c;
    block.mcu = within / blocks;
    block.place = within % blocks;
    block.order = block.mcu * picture->mcu_blocks + component->first_block + block.place;
    block.real = block.exists && is_real(picture, component, tile->first + block.mcu, block.place);
    return block;
}
