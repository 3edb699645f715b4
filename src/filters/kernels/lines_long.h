/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures and traces chains that are too long for one work-item to walk along. Chain pixels in every 64th row or
 * column are rulers: from each of them a work-item walks to the next ruler in either direction, which is not far, since
 * a chain cannot leave 63 × 63 pixels without crossing one. Then the rulers in every 1024th row or column find the next
 * ruler of that wide spacing. One work-item hops along a chain from one of these to the next, and stores the position
 * of each in the chain; the positions of all other rulers follow from these, and each ruler writes the points up to the
 * next one. If no chain is long, the kernels only read one word.
 */

enum { LINES_RULER = FILTER_LINES_RULER, LINES_SUPER = FILTER_LINES_SUPER };
TABLE u32 LINES_END = 0x80000000;    /* flag of a pixel: the chain ends there */
TABLE u32 LINES_BEYOND = 0x40000000; /* flag with LINES_END: a junction belongs to the chain */
TABLE u32 LINES_SECOND = 0x40000000; /* flag without LINES_END: the chain goes on by the pixel's second link */
TABLE u32 LINES_PIXEL = 0x3FFFFFFF;
TABLE u32 LINES_NONE = 0xFFFFFFFF;

/*
 * Holds the hop from a ruler to the next one: its pixel with flags, the number of steps, and the first pixel by rows of
 * those passed.
 */
struct lines_hop {
    u32 target, steps, least;
};

/*
 * Holds the position of a ruler in a long chain: its point has the index made - 1 in the chain. A ruler whose `made` is
 * 0 lies in no long chain.
 */
struct lines_rank {
    u32 made, start /* the chain's first pixel; the highest bit: it goes on by the second link */, first;
};

FUNCTION u32 is_ruler(u32 pixel, u32 width, u32 spacing)
{
    return pixel % width % spacing == 0 || pixel / width % spacing == 0;
}

/*
 * Return the pixel of ruler `index` of a spacing; LINES_NONE for a pixel of a ruler column that lies in a ruler row,
 * too.
 */
FUNCTION u32 ruler_pixel(u32 index, u32 width, u32 height, u32 spacing)
{
    u32 rows = (height + spacing - 1) / spacing;
    if (index < rows * width)
        return index / width * spacing * width + index % width;
    index -= rows * width;
    return index % height % spacing == 0 ? LINES_NONE : index % height * width + index / height * spacing;
}

FUNCTION GLOBAL u32 *ruler_words(const struct lines_arrays *arrays, u32 pixel, u32 width, u32 height)
{
    u32 x = pixel % width, y = pixel / width;
    u32 rows = (height + LINES_RULER - 1) / LINES_RULER;
    u32 index = y % LINES_RULER == 0 ? y / LINES_RULER * width + x : rows * width + x / LINES_RULER * height + y;
    return arrays->rulers + (u64)index * FILTER_LINES_RULER_WORDS;
}

/* Return a link of a pixel: its lowest one, or the other. */
FUNCTION u32 link_of(u32 links, u32 second)
{
    u32 lowest = links & (0 - links);
    return second ? links & ~lowest : lowest;
}

/* Walk to the next ruler, or to the end of the chain. */
FUNCTION struct lines_hop walk_to_ruler(GLOBAL const u8 *links, u32 width, struct lines_walker walker)
{
    struct lines_hop hop;
    hop.steps = 0;
    hop.least = LINES_NONE;
    while (walk(links, width, &walker)) {
        hop.steps++;
        hop.least = smaller(hop.least, walker.pixel);
        if (is_ruler(walker.pixel, width, LINES_RULER)) {
            hop.target = walker.pixel | (link_of(walker.links, 0) == walker.back ? LINES_SECOND : 0);
            return hop;
        }
    }
    hop.target = walker.pixel | LINES_END | ((walker.links & ~walker.back) > 0 ? LINES_BEYOND : 0);
    return hop;
}

FUNCTION struct lines_hop hop_from(const struct lines_arrays *arrays, u32 target, u32 width, u32 height)
{
    GLOBAL const u32 *words =
        ruler_words(arrays, target & LINES_PIXEL, width, height) + (target & LINES_SECOND ? 3 : 0);
    struct lines_hop hop;
    hop.target = words[0];
    hop.steps = words[1];
    hop.least = words[2];
    return hop;
}

FUNCTION void store_hop(GLOBAL u32 *words, u32 second, struct lines_hop hop)
{
    words += second * 3;
    words[0] = hop.target;
    words[1] = hop.steps;
    words[2] = hop.least;
}

/* Return whether a picture has chains that are too long for one work-item. */
FUNCTION u32 has_long(const struct lines_arrays *arrays)
{
    return arrays->sums[2 * arrays->chunks + 1] > 0;
}

/* Return the pixel of the work-item's ruler, if it belongs to a chain; LINES_NONE otherwise. */
FUNCTION u32 own_ruler(
    GLOBAL const struct filter_record *record, const struct lines_arrays *arrays, u32 group, u32 spacing)
{
    u32 width = record->width, height = record->height, index = group * FILTER_GROUP_ITEMS + local_index();
    u32 rulers = (height + spacing - 1) / spacing * width + (width + spacing - 1) / spacing * height;
    if (!has_long(arrays) || index >= rulers)
        return LINES_NONE;
    u32 pixel = ruler_pixel(index, width, height, spacing);
    if (pixel == LINES_NONE)
        return pixel;
    u32 links = ones(arrays->links[pixel]);
    return links == 1 || links == 2 ? pixel : LINES_NONE;
}

/* Find the next ruler from each ruler, in both directions. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_rulers(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 width = record->width, pixel = own_ruler(record, &arrays, group, LINES_RULER);
    (void)from, (void)to;
    if (pixel == LINES_NONE)
        return;
    GLOBAL u32 *words = ruler_words(&arrays, pixel, width, record->height);
    for (u32 second = 0; second < 2; second++) {
        struct lines_walker walker = walker_at(pixel, link_of(arrays.links[pixel], second));
        store_hop(words, second, walk_to_ruler(arrays.links, width, walker));
    }
    words[6] = 0;
}

/*
 * Find the next ruler of the wide spacing from each ruler of that spacing. No work-item reads words that others write
 * meanwhile.
 */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_supers(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 width = record->width, height = record->height;
    u32 pixel = own_ruler(record, &arrays, group, LINES_SUPER);
    (void)from, (void)to;
    if (pixel == LINES_NONE)
        return;
    for (u32 second = 0; second < 2; second++) {
        struct lines_hop way = hop_from(&arrays, pixel | (second ? LINES_SECOND : 0), width, height);
        while (!(way.target & LINES_END) && !is_ruler(way.target & LINES_PIXEL, width, LINES_SUPER)) {
            struct lines_hop next = hop_from(&arrays, way.target, width, height);
            way.target = next.target;
            way.steps += next.steps;
            way.least = smaller(way.least, next.least);
        }
        store_hop(ruler_words(&arrays, pixel, width, height), second, way);
    }
}

/* Return the number of points as measure_open() does for shorter chains. */
FUNCTION u32 measure_long_open(const struct lines_arrays *arrays, u32 pixel, u32 width, u32 height)
{
    u32 inner = links_to(arrays->links, pixel, width, 0), outer = ones(links_to(arrays->links, pixel, width, 1));
    struct lines_hop hop = walk_to_ruler(arrays->links, width, walker_at(pixel, inner));
    u32 made = 1 + outer + hop.steps;
    while (!(hop.target & LINES_END)) {
        hop = hop_from(arrays, hop.target, width, height);
        made += hop.steps;
    }
    return (hop.target & LINES_PIXEL) < pixel ? 0 : made + ((hop.target & LINES_BEYOND) > 0);
}

/*
 * Return the number of points as measure_closed() does, by going around once, from the first ruler of the wide spacing
 * if there is one.
 */
FUNCTION u32 measure_long_closed(const struct lines_arrays *arrays, u32 pixel, u32 width, u32 height)
{
    struct lines_walker walker = walker_at(pixel, link_of(arrays->links[pixel], 0));
    struct lines_hop hop = walk_to_ruler(arrays->links, width, walker);
    u32 base = hop.target, made = 1, wide = 0;
    do {
        if ((hop.target & LINES_END) || hop.least < pixel)
            return 0;
        if (!wide && is_ruler(hop.target & LINES_PIXEL, width, LINES_SUPER)) {
            wide = 1;
            base = hop.target;
            made = 1;
        }
        hop = hop_from(arrays, hop.target, width, height);
        made += hop.steps;
    } while (hop.target != base);
    return hop.least < pixel ? 0 : made;
}

/* Find the lengths of long chains where they begin, and add them to the sums. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_measure_long(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 width = record->width, pixels = record->width * record->height;
    (void)from, (void)to;
    if (!has_long(&arrays))
        return;
    for (u32 k = 0; k < LINES_ITEM; k++) {
        u32 pixel = group * FILTER_LINES_CHUNK + k * FILTER_GROUP_ITEMS + local_index();
        u32 length = pixel < pixels ? arrays.length[pixel] : 0, closed = length >> 31;
        if ((length & ~LINES_CLOSED) != LINES_LONG)
            continue;
        u32 made = closed ? measure_long_closed(&arrays, pixel, width, record->height)
                          : measure_long_open(&arrays, pixel, width, record->height);
        arrays.length[pixel] = made > 0 && closed ? made | LINES_CLOSED : made;
        count_up(&arrays.sums[2 * group + closed], made);
    }
}

FUNCTION void store_rank(const struct lines_arrays *arrays, u32 target, struct lines_rank rank, u32 width, u32 height)
{
    GLOBAL u32 *words = ruler_words(arrays, target & LINES_PIXEL, width, height);
    words[6] = rank.made + 1;
    words[7] = rank.start | (target & LINES_SECOND) << 1;
    words[8] = rank.first;
}

/* Return whether a chain goes on behind a hop: it neither ends nor has passed its first pixel again. */
FUNCTION u32 goes_on(struct lines_hop hop, u32 start, u32 closed)
{
    return !(hop.target & LINES_END) && !(closed && hop.least == start);
}

/* Write the points of a long chain up to its first ruler, and store the positions of the rulers along its hops. */
FUNCTION void seed_chain(const struct lines_arrays *arrays, u32 width, u32 height, u32 pixel, u32 length, u32 first)
{
    u32 closed = length & LINES_CLOSED, own = arrays->links[pixel];
    u32 outer = closed ? 0 : links_to(arrays->links, pixel, width, 1);
    struct lines_walker walker = walker_at(pixel, closed ? link_of(own, 0) : own & ~(outer & (0 - outer)));
    struct lines_pen pen;
    struct lines_rank rank;
    pen.first = first;
    pen.made = 0;
    length &= ~LINES_CLOSED;
    if (outer > 0)
        write_point(arrays, &pen, beside(pixel, lowest_bit(outer), width), length);
    do
        write_point(arrays, &pen, walker.pixel, length);
    while (walk(arrays->links, width, &walker) && !is_ruler(walker.pixel, width, LINES_RULER));
    u32 target = walker.pixel | (link_of(walker.links, 0) == walker.back ? LINES_SECOND : 0);
    rank.made = pen.made;
    rank.start = pixel;
    rank.first = first;
    store_rank(arrays, target, rank, width, height);
    struct lines_hop hop = hop_from(arrays, target, width, height);
    while (goes_on(hop, pixel, closed)) {
        rank.made += hop.steps;
        store_rank(arrays, hop.target, rank, width, height);
        hop = hop_from(arrays, hop.target, width, height);
    }
}

/* Read the position of a ruler, and begin a walk by the link by which its chain goes on. */
FUNCTION struct lines_rank rank_of(
    const struct lines_arrays *arrays, u32 pixel, u32 width, u32 height, struct lines_walker *walker)
{
    GLOBAL const u32 *words = ruler_words(arrays, pixel, width, height);
    struct lines_rank rank;
    rank.made = words[6];
    rank.start = words[7] & LINES_PIXEL;
    rank.first = words[8];
    *walker = walker_at(pixel, link_of(arrays->links[pixel], words[7] >> 31));
    return rank;
}

/* Store the positions of the rulers between two rulers of the wide spacing. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_rank(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 width = record->width, height = record->height;
    u32 pixel = own_ruler(record, &arrays, group, LINES_SUPER);
    struct lines_walker walker;
    (void)from, (void)to;
    if (pixel == LINES_NONE)
        return;
    struct lines_rank rank = rank_of(&arrays, pixel, width, height, &walker);
    if (rank.made == 0)
        return;
    u32 closed = arrays.length[rank.start] & LINES_CLOSED;
    struct lines_hop hop = walk_to_ruler(arrays.links, width, walker);
    rank.made--;
    while (goes_on(hop, rank.start, closed) && !is_ruler(hop.target & LINES_PIXEL, width, LINES_SUPER)) {
        rank.made += hop.steps;
        store_rank(&arrays, hop.target, rank, width, height);
        hop = hop_from(&arrays, hop.target, width, height);
    }
}

/* Write the points from each ruler of a long chain up to the next one, or to the chain's end. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_trace_long(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 width = record->width, pixel = own_ruler(record, &arrays, group, LINES_RULER);
    struct lines_walker walker;
    struct lines_pen pen;
    (void)from, (void)to;
    if (pixel == LINES_NONE)
        return;
    struct lines_rank rank = rank_of(&arrays, pixel, width, record->height, &walker);
    if (rank.made == 0)
        return;
    u32 length = arrays.length[rank.start], closed = length & LINES_CLOSED;
    length &= ~LINES_CLOSED;
    pen.first = rank.first;
    pen.made = rank.made - 1;
    do
        write_point(&arrays, &pen, walker.pixel, length);
    while (walk(arrays.links, width, &walker) && !is_ruler(walker.pixel, width, LINES_RULER) &&
           !(closed && walker.pixel == rank.start));
    if (pen.made + 1 != length)
        return;
    if (closed)
        write_point(&arrays, &pen, rank.start, length);
    else if (walker.links & ~walker.back)
        write_point(&arrays, &pen, beside(walker.pixel, lowest_bit(walker.links & ~walker.back), width), length);
}
