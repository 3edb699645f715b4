/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts an image into regions that fit into memory, and goes from one to the next. */
#include "j2k/run/walk.h"

enum { LEAST = 64 }; /* fewest rows or columns of any region but the last */

/*
 * Return how many rows or columns to try if `count` of them need `times` the available memory. The result is smaller.
 */
static uint32_t fewer(uint32_t count, double times)
{
    double room = count / times * 0.9;
    uint32_t fit = room < count ? (uint32_t)room / LEAST * LEAST : count / 2;
    return fit > LEAST ? fit : LEAST;
}

static bool is_broad(const struct j2k_walk *walk, uint32_t width)
{
    return walk->broad > 0 && width / 2 >= walk->broad;
}

/*
 * Return a smaller width to try. A broad part is not made narrower than `broad` in one step, because its height is
 * reduced next.
 */
static uint32_t narrower(const struct j2k_walk *walk, uint32_t width, double times)
{
    uint32_t fit = fewer(width, times);
    return is_broad(walk, width) && fit < walk->broad ? walk->broad : fit;
}

void kst_j2k_run_walk_begin(struct j2k_walk *walk, uint32_t width, uint32_t height, uint32_t broad, double times)
{
    *walk =
        (struct j2k_walk){.width = width, .height = height, .next = {.width = width, .height = height}, .broad = broad};
    if (is_broad(walk, width))
        walk->next.width = narrower(walk, width, times);
    else
        walk->next.height = fewer(height, times);
}

/*
 * Shorten a region so that its border makes few code-blocks be decoded twice. At a border along blocks, the blocks on
 * both sides are decoded twice; at a border through blocks, only the blocks that it cuts are. So the border goes
 * through the middle of blocks that cover twice LEAST of the picture, which are usually those of the last resolution.
 */
static uint32_t shorten(uint32_t first, uint32_t count, uint32_t end)
{
    if (count >= end - first)
        return end - first;
    uint32_t past = (first + count + LEAST) % (2 * LEAST);
    return count > past ? count - past : count;
}

bool kst_j2k_run_walk_region(const struct j2k_walk *walk, kst_region *region)
{
    *region = walk->next;
    if (region->y >= walk->height)
        return false;
    region->width = shorten(region->x, region->width, walk->width);
    region->height = shorten(region->y, region->height, walk->height);
    return true;
}

/*
 * Regions beside each other have the same height. The first one of a row has a neighbour only on one side, so that it
 * may have fitted although the next one does not, even with the least width: then all of the row is decoded again, with
 * fewer rows.
 */
bool kst_j2k_run_walk_smaller(struct j2k_walk *walk, double times)
{
    const kst_region *next = &walk->next;
    uint32_t right = walk->width - next->x, down = walk->height - next->y;
    uint32_t width = next->width < right ? next->width : right, height = next->height < down ? next->height : down;
    bool low = height < 2 * LEAST, narrow = width < 2 * LEAST;
    if (low && narrow)
        return false;
    if (is_broad(walk, width) || low || (next->x > 0 && !narrow)) {
        walk->next.width = narrower(walk, width, times);
    } else {
        walk->next.x = 0;
        walk->next.height = fewer(height, times);
    }
    return true;
}

void kst_j2k_run_walk_on(struct j2k_walk *walk, kst_region region)
{
    walk->next.x += region.width;
    if (walk->next.x < walk->width)
        return;
    walk->next.x = 0;
    walk->next.y += region.height;
}
