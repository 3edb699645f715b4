/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the tile of a work-group in its picture, and the block of a work-item in the tile. */
#include "jpeg/kernels/encode_work.h"
#include "kernels/group.h"
#include "kernels/portable.h"
#include "kernels/search.h"

FUNCTION u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

struct tile {
    LOCAL const struct jpeg_encode_picture *picture; /* in the work-group's memory, because it is read all the time */
    u32 index;                                       /* index of the picture */
    u32 number;                                      /* number of the tile in the picture */
    u32 interval;                                    /* number of the restart interval that contains the tile */
    u32 first;                                       /* first MCU, in coding order */
    u32 mcus;                                        /* number of MCUs, at least 1 */
    u32 starts, ends; /* whether the interval starts, and whether it ends, with the tile */
};

FUNCTION GLOBAL const struct jpeg_encode_picture *picture_of(GLOBAL const u32 *work, u32 index)
{
    GLOBAL const struct jpeg_encode_work *head = (GLOBAL const struct jpeg_encode_work *)work;
    return (GLOBAL const struct jpeg_encode_picture *)(work + head->picture) + index;
}

FUNCTION u32 is_gathered(GLOBAL const u32 *work)
{
    return ((GLOBAL const struct jpeg_encode_work *)work)->gathered;
}

/* Return the lists with one word for each picture: the lengths of gathered streams, and their places. */
FUNCTION GLOBAL u32 *stream_lengths(GLOBAL const u32 *work, GLOBAL u32 *lists)
{
    return lists + ENCODE_LISTS * ((GLOBAL const struct jpeg_encode_work *)work)->count;
}

FUNCTION GLOBAL u32 *stream_places(GLOBAL const u32 *work, GLOBAL u32 *lists)
{
    return stream_lengths(work, lists) + ((GLOBAL const struct jpeg_encode_work *)work)->pictures;
}

/*
 * Find the tile of a group. `shared` has ENCODE_PICTURE_WORDS words, which receive the picture; `size` is the size of
 * the work-group. The whole work-group calls it.
 */
FUNCTION struct tile find_tile(GLOBAL const u32 *work, u32 group, LOCAL u32 *shared, u32 size)
{
    GLOBAL const struct jpeg_encode_work *head = (GLOBAL const struct jpeg_encode_work *)work;
    GLOBAL const u32 *list = work + head->tiles;
    struct tile tile;
    u32 low = find_owner(list, head->pictures, group);
    for (u32 i = local_index(); i < ENCODE_PICTURE_WORDS; i += size)
        shared[i] = ((GLOBAL const u32 *)picture_of(work, low))[i];
    tile.number = group - list[low];
    barrier_local();
    tile.picture = (LOCAL const struct jpeg_encode_picture *)shared;
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
 * Holds the block of a work-item. Work-items take the tile's blocks component by component, and the blocks of a
 * component in coding order.
 */
struct block {
    u32 exists; /* 0: there is no block for this work-item */
    u32 real;   /* 0: the block only pads its MCU */
    u32 component;
    u32 mcu;   /* number of the MCU in the tile */
    u32 place; /* number of the block among those of the component in the MCU */
    u32 order; /* number of the block in the tile, in coding order */
};

/* Return whether a block of a component in an MCU holds samples. */
FUNCTION u32 is_real(LOCAL const struct jpeg_encode_picture *picture,
    LOCAL const struct jpeg_encode_component *component, u32 mcu, u32 place)
{
    if (!picture->padded)
        return 1;
    u32 x = mcu % picture->mcus_w * component->h + place % component->h;
    u32 y = mcu / picture->mcus_w * component->v + place / component->h;
    return x < component->blocks_w && y < component->blocks_h;
}

/*
 * Return the last block in front of `end`, among those of a component in an MCU, that holds samples. The first one
 * always does.
 */
FUNCTION u32 last_real(LOCAL const struct jpeg_encode_picture *picture,
    LOCAL const struct jpeg_encode_component *component, u32 mcu, u32 end)
{
    u32 place = end - 1;
    while (place > 0 && !is_real(picture, component, mcu, place))
        place--;
    return place;
}

FUNCTION struct block find_block(const struct tile *tile, u32 item)
{
    LOCAL const struct jpeg_encode_picture *picture = tile->picture;
    struct block block;
    u32 c = 0;
    block.exists = item < tile->mcus * picture->mcu_blocks;
    item = block.exists ? item : 0;
    while (c + 1 < picture->components && item >= tile->mcus * picture->component[c + 1].first_block)
        c++;
    LOCAL const struct jpeg_encode_component *component = &picture->component[c];
    u32 blocks = component->h * component->v, within = item - tile->mcus * component->first_block;
    block.component = c;
    block.mcu = within / blocks;
    block.place = within % blocks;
    block.order = block.mcu * picture->mcu_blocks + component->first_block + block.place;
    block.real = block.exists && is_real(picture, component, tile->first + block.mcu, block.place);
    return block;
}
