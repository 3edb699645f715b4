/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts an image into parts that fit into memory, and goes from one to the next. */
#include "j2k/run/walk.h"

enum { LEAST = 64 }; /* rows or columns, but for the last */

/* Fewer rows or columns than the last time, of which those needed so many times the memory that there is. */
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

/* What is broad is not made less than that at once: rows are next. */
static uint32_t narrower(const struct j2k_walk *walk, uint32_t width, double times)
{
    uint32_t fit = fewer(width, times);
    return is_broad(walk, width) && fit < walk->broad ? walk->broad : fit;
}

void kst_j2k_walk_begin(struct j2k_walk *walk, uint32_t width, uint32_t height, uint32_t broad, double times)
{
    *walk =
        (struct j2k_walk){.width = width, .height = height, .next = {.width = width, .height = height}, .broad = broad};
    if (is_broad(walk, width))
        walk->next.width = narrower(walk, width, times);
    else
        walk->next.height = fewer(height, times);
}

/*
 * Of code-blocks along a border those on both sides are decoded twice, of those that it goes through only these. So of
 * blocks that take twice LEAST of the picture, as a rule those of the last resolution, it goes through the middle.
 */
static uint32_t shorten(uint32_t first, uint32_t count, uint32_t end)
{
    if (count >= end - first)
        return end - first;
    uint32_t past = (first + count + LEAST) % (2 * LEAST);
    return count > past ? count - past : count;
}

bool kst_j2k_walk_part(const struct j2k_walk *walk, kst_region *part)
{
    *part = walk->next;
    if (part->y >= walk->height)
        return false;
    part->width = shorten(part->x, part->width, walk->width);
    part->height = shorten(part->y, part->height, walk->height);
    return true;
}

/*
 * Those beside each other are of the same height. The first of them has a neighbour on one side only, and so may have
 * had room where the next one has none, as narrow as it is: all of them are then decoded once more, with fewer rows.
 */
bool kst_j2k_walk_smaller(struct j2k_walk *walk, double times)
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

void kst_j2k_walk_on(struct j2k_walk *walk, kst_region part)
{
    walk->next.x += part.width;
    if (walk->next.x < walk->width)
        return;
    walk->next.x = 0;
    walk->next.y += part.height;
}
