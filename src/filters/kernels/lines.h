/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds straight lines along edges as filters/cpu/segments.c does. A pixel that is no junction has at most two links,
 * so that the chains are known without following them in any order: one work-item walks along each chain, from the
 * pixel where the CPU would begin. It first counts the points; sums over all pixels by rows then give the place of each
 * chain's points, open chains before closed ones. 32 lanes split a part of a chain. The intermediate memory holds the
 * arrays of struct lines_arrays, and a record's values are those of enum filter_lines_value.
 */
#include "kernels/group.h"

#include "filters/kernels/record.h"

enum {
    LINES_ITEM = FILTER_LINES_CHUNK / FILTER_GROUP_ITEMS, /* consecutive pixels of a work-item */
    LINES_PART = 4095,                                    /* steps of a chain that are split together */
    LINES_BOUND = 16384                                   /* the most points that a work-item walks along a chain */
};
TABLE u32 LINES_LONG = 0x7FFFFFFF;   /* stands for a number of points above LINES_BOUND */
TABLE u32 LINES_CLOSED = 0x80000000; /* flag of a chain's number of points: the chain returns to its first pixel */
TABLE u32 LINES_LAST = 0x80000000;   /* flag of a point's pixel: a part ends there */

/* Holds the arrays in intermediate memory. Pixels are numbered by rows, from 0. */
struct lines_arrays {
    GLOBAL u8 *links;   /* for each pixel a bit for each of its eight neighbours, by rows, to which it is linked */
    GLOBAL u32 *length; /* the number of points of the chain that begins at each pixel; 0: none does */
    GLOBAL u32
        *sums; /* two words for each chunk of pixels: points of open and of closed chains, and later their places */
    GLOBAL u32 *points; /* pixels */
    GLOBAL u32 *begin;  /* for a point at which a segment ends, 1 + the index of its first point; otherwise 0 */
    GLOBAL u32 *rulers; /* see kernels/lines_long.h */
    u32 chunks;
};

FUNCTION struct lines_arrays lines_arrays_of(GLOBAL const struct filter_record *record, GLOBAL u8 *extra)
{
    GLOBAL u32 *words = extra_words(record, extra);
    u64 pixels = (u64)record->width * record->height;
    struct lines_arrays arrays;
    arrays.length = words;
    arrays.points = words + pixels;
    arrays.begin = arrays.points + 2 * pixels;
    arrays.sums = arrays.begin + 2 * pixels;
    arrays.chunks = (u32)((pixels + FILTER_LINES_CHUNK - 1) / FILTER_LINES_CHUNK);
    arrays.rulers = arrays.sums + 2 * ((u64)arrays.chunks + 1);
    arrays.links =
        (GLOBAL u8 *)(arrays.rulers + (u64)(u32)record->value[FILTER_LINES_RULERS] * FILTER_LINES_RULER_WORDS);
    return arrays;
}

FUNCTION u32 edge_at(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, u32 x, u32 y)
{
    return x < record->width && y<record->height && * source_pixel(record, from, x, y)> 0;
}

/* Return the links of an edge's pixel: across a corner, only if neither of the two pixels beside it is an edge. */
FUNCTION u32 links_of(GLOBAL const struct filter_record *record, GLOBAL const u8 *from, u32 x, u32 y)
{
    u32 north = edge_at(record, from, x, y - 1), south = edge_at(record, from, x, y + 1);
    u32 west = edge_at(record, from, x - 1, y), east = edge_at(record, from, x + 1, y);
    u32 links = north << 1 | west << 3 | east << 4 | south << 6;
    if (!(north | west))
        links |= edge_at(record, from, x - 1, y - 1);
    if (!(north | east))
        links |= edge_at(record, from, x + 1, y - 1) << 2;
    if (!(south | west))
        links |= edge_at(record, from, x - 1, y + 1) << 5;
    if (!(south | east))
        links |= edge_at(record, from, x + 1, y + 1) << 7;
    return links;
}

/* Link the pixels of edges. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_link(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 pixels = record->width * record->height;
    (void)to;
    for (u32 k = 0; k < LINES_ITEM; k++) {
        u32 pixel = group * FILTER_LINES_CHUNK + k * FILTER_GROUP_ITEMS + local_index();
        if (pixel >= pixels)
            break;
        u32 x = pixel % record->width, y = pixel / record->width;
        if (pixel == 0)
            arrays.sums[2 * arrays.chunks + 1] = 0; /* no chain is too long so far */
        arrays.links[pixel] = (u8)(edge_at(record, from, x, y) ? links_of(record, from, x, y) : 0);
    }
}

FUNCTION u32 lowest_bit(u32 bits)
{
    return 31 - leading_zeros(bits & (0 - bits));
}

/* Return the neighbour of a pixel in a direction, which is the number of a link. */
FUNCTION u32 beside(u32 pixel, u32 direction, u32 width)
{
    u32 place = direction < 4 ? direction : direction + 1;
    return pixel + (place / 3 - 1) * width + place % 3 - 1;
}

FUNCTION u32 is_junction(GLOBAL const u8 *links, u32 pixel)
{
    return ones(links[pixel]) > 2;
}

/* Holds the state of a walk along a chain. */
struct lines_walker {
    u32 pixel, links;
    u32 back; /* the bit of the link by which the walk came; 0: it began here */
};

/* Return the links of a pixel that lead to junctions, or, if `junctions` is 0, to other pixels of the chain. */
FUNCTION u32 links_to(GLOBAL const u8 *links, u32 pixel, u32 width, u32 junctions)
{
    u32 own = links[pixel], found = 0;
    for (u32 rest = own; rest > 0; rest &= rest - 1) {
        u32 direction = lowest_bit(rest);
        found |= is_junction(links, beside(pixel, direction, width)) == junctions ? 1u << direction : 0;
    }
    return found;
}

/* Begin a walk at a pixel, with the links that it may take. */
FUNCTION struct lines_walker walker_at(u32 pixel, u32 links)
{
    struct lines_walker walker;
    walker.pixel = pixel;
    walker.links = links;
    walker.back = 0;
    return walker;
}

/* Go to the next pixel. Returns whether there is one that is no junction. */
FUNCTION u32 walk(GLOBAL const u8 *links, u32 width, struct lines_walker *walker)
{
    u32 ahead = walker->links & ~walker->back;
    if (ahead == 0)
        return 0;
    u32 direction = lowest_bit(ahead), pixel = beside(walker->pixel, direction, width), found = links[pixel];
    if (ones(found) > 2)
        return 0;
    walker->pixel = pixel;
    walker->links = found;
    walker->back = 1u << (7 - direction);
    return 1;
}

/*
 * Return the number of points of the open chain that has an end at a pixel; 0 if the chain begins at its other end;
 * LINES_LONG if it is too long.
 */
FUNCTION u32 measure_open(GLOBAL const u8 *links, u32 pixel, u32 width)
{
    u32 inner = links_to(links, pixel, width, 0), outer = ones(links_to(links, pixel, width, 1)), made = 1 + outer;
    struct lines_walker walker = walker_at(pixel, inner);
    if (inner == 0)
        return made;
    while (walk(links, width, &walker))
        if (++made > LINES_BOUND)
            return LINES_LONG;
    return walker.pixel < pixel ? 0 : made + ((walker.links & ~walker.back) > 0);
}

/*
 * Return the number of points of the closed chain of which a pixel is the first by rows; 0 if it is not the first;
 * LINES_LONG if the chain is too long. Walks in both directions at once, so that all work-items that try take at most L
 * log L steps together for a chain of L pixels.
 */
FUNCTION u32 measure_closed(GLOBAL const u8 *links, u32 pixel, u32 width)
{
    u32 own = links[pixel], made = 1, first = own & (0 - own);
    struct lines_walker there = walker_at(pixel, first), back = walker_at(pixel, own & ~first);
    do {
        if (!walk(links, width, &there) || there.pixel < pixel || !walk(links, width, &back) || back.pixel < pixel)
            return 0;
        if (++made > LINES_BOUND)
            return LINES_LONG;
    } while (there.pixel != pixel);
    return made;
}

/*
 * Return the number of points of the chain that begins at a pixel, with LINES_CLOSED if it is closed; 0: none begins.
 */
FUNCTION u32 measure(GLOBAL const u8 *links, u32 pixel, u32 width)
{
    u32 own = links[pixel], count = ones(own);
    if (count == 0 || count > 2)
        return 0;
    if (ones(links_to(links, pixel, width, 0)) < 2)
        return measure_open(links, pixel, width);
    u32 made = lowest_bit(own) >= 4 ? measure_closed(links, pixel, width) : 0; /* both neighbours are behind it */
    return made > 0 ? made | LINES_CLOSED : 0;
}

/* Find where chains begin, and how long they are. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_measure(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, open = 0, closed = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 pixels = record->width * record->height;
    u32x2 total;
    (void)from, (void)to;
    for (u32 k = 0; k < LINES_ITEM; k++) {
        u32 pixel = group * FILTER_LINES_CHUNK + local_index() * LINES_ITEM + k;
        if (pixel >= pixels)
            break;
        u32 made = measure(arrays.links, pixel, record->width);
        arrays.length[pixel] = made;
        if ((made & ~LINES_CLOSED) == LINES_LONG) {
            count_up(&arrays.sums[2 * arrays.chunks + 1], 1);
            continue;
        }
        closed += made & LINES_CLOSED ? made & ~LINES_CLOSED : 0;
        open += made & LINES_CLOSED ? 0 : made;
    }
    group_scan_two(scratch, FILTER_GROUP_ITEMS, open, closed, &total);
    if (local_index() == 0) {
        arrays.sums[2 * group] = total.x;
        arrays.sums[2 * group + 1] = total.y;
    }
}

/*
 * Replace the sums of chunks, which lie `apart` words apart, by the places at which the items of each chunk begin;
 * those of the first begin at `before`. Returns the place behind the last item. Whole work-group.
 */
FUNCTION u32 place_chunks(LOCAL u32 *scratch, GLOBAL u32 *sums, u32 apart, u32 chunks, u32 before)
{
    for (u32 first = 0; first < chunks; first += FILTER_GROUP_ITEMS) {
        u32 chunk = first + local_index(), own = chunk < chunks ? sums[apart * chunk] : 0, total;
        u32 place = before + group_scan(scratch, FILTER_GROUP_ITEMS, own, &total);
        barrier_local();
        if (chunk < chunks)
            sums[apart * chunk] = place;
        before += total;
    }
    return before;
}

/* Replace the sums of chunks by the places of their first points. Behind the last one stands the number of points. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_place(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, before = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    (void)from, (void)to;
    for (u32 kind = 0; kind < 2; kind++)
        before = place_chunks(scratch, arrays.sums + kind, 2, arrays.chunks, before);
    if (local_index() == 0)
        arrays.sums[2 * arrays.chunks] = before;
}

/* Holds the place of a chain's next point: `first` + `made`. */
struct lines_pen {
    u32 first, made;
};

/* Write a point. At the end of a part (the last one may be shorter), note the part as one segment. */
FUNCTION void write_point(const struct lines_arrays *arrays, struct lines_pen *pen, u32 pixel, u32 length)
{
    u32 at = pen->first + pen->made;
    u32 ends = pen->made > 0 && (pen->made % LINES_PART == 0 || pen->made + 1 == length);
    arrays->points[at] = pixel | (ends ? LINES_LAST : 0);
    arrays->begin[at] = ends ? pen->first + (pen->made - 1) / LINES_PART * LINES_PART + 1 : 0;
    pen->made++;
}

/*
 * Write the points of a chain: its pixels, with the junctions at both ends, or, if it is closed, the first pixel again.
 */
FUNCTION void trace_chain(const struct lines_arrays *arrays, u32 width, u32 pixel, u32 length, u32 first)
{
    u32 own = arrays->links[pixel], closed = length & LINES_CLOSED, outer = 0;
    struct lines_walker walker = walker_at(pixel, own & (0 - own));
    struct lines_pen pen;
    pen.first = first;
    pen.made = 0;
    length &= ~LINES_CLOSED;
    if (!closed) {
        outer = links_to(arrays->links, pixel, width, 1);
        if (outer > 0)
            write_point(arrays, &pen, beside(pixel, lowest_bit(outer), width), length);
        walker.links = own & ~(outer & (0 - outer));
    }
    do
        write_point(arrays, &pen, walker.pixel, length);
    while (pen.made < length && walk(arrays->links, width, &walker));
    if (pen.made < length)
        write_point(arrays, &pen, beside(walker.pixel, lowest_bit(walker.links & ~walker.back), width), length);
}

#include "filters/kernels/lines_long.h"

KERNEL(FILTER_GROUP_ITEMS)
filter_lines_trace(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_GROUP_ITEMS];
    u32 group, length[LINES_ITEM], open = 0, closed = 0;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 pixels = record->width * record->height;
    u32 first = group * FILTER_LINES_CHUNK + local_index() * LINES_ITEM;
    u32x2 total;
    (void)from, (void)to;
    UNROLL for (u32 k = 0; k < LINES_ITEM; k++)
    {
        length[k] = first + k < pixels ? arrays.length[first + k] : 0;
        closed += length[k] & LINES_CLOSED ? length[k] & ~LINES_CLOSED : 0;
        open += length[k] & LINES_CLOSED ? 0 : length[k];
    }
    u32x2 places = group_scan_two(scratch, FILTER_GROUP_ITEMS, open, closed, &total);
    open = arrays.sums[2 * group] + places.x;
    closed = arrays.sums[2 * group + 1] + places.y;
    UNROLL for (u32 k = 0; k < LINES_ITEM; k++)
    {
        if (length[k] > 0) {
            u32 is_closed = length[k] & LINES_CLOSED;
            u32 place = is_closed ? closed : open;
            if ((length[k] & ~LINES_CLOSED) > LINES_BOUND + 1)
                seed_chain(&arrays, record->width, record->height, first + k, length[k], place);
            else
                trace_chain(&arrays, record->width, first + k, length[k], place);
            closed += is_closed ? length[k] & ~LINES_CLOSED : 0;
            open += is_closed ? 0 : length[k];
        }
    }
}

struct lines_spot {
    i32 x, y;
};

FUNCTION struct lines_spot spot_of(const struct lines_arrays *arrays, u32 point, u32 width)
{
    u32 pixel = arrays->points[point] & ~LINES_LAST;
    struct lines_spot spot;
    spot.x = (i32)(pixel % width);
    spot.y = (i32)(pixel / width);
    return spot;
}

/*
 * Return the point between two points that is farthest from their chord, the first one if several are equal; `first` if
 * all are near enough. Points are less than 2^12 apart: cross products are below 2^25. Whole work-group.
 */
FUNCTION u32 find_farthest(
    const struct lines_arrays *arrays, u32 width, i32 tolerance, u32 first, u32 last, LOCAL u32 *scratch)
{
    struct lines_spot a = spot_of(arrays, first, width), b = spot_of(arrays, last, width);
    i32 dx = b.x - a.x, dy = b.y - a.y;
    u32 square = (u32)(dx * dx + dy * dy), most = 0, farthest = 0xFFFFFFFF;
    for (u32 i = first + 1 + local_index(); i < last; i += LANES) {
        struct lines_spot spot = spot_of(arrays, i, width);
        i32 x = spot.x - a.x, y = spot.y - a.y;
        u32 away = square > 0 ? magnitude_of(dx * y - dy * x) : (u32)(x * x + y * y);
        farthest = away > most || farthest == 0xFFFFFFFF ? i : farthest;
        most = away > most ? away : most;
    }
    u32 own = most;
    most = ~lane_least(scratch, ~most);
    farthest = lane_least(scratch, own == most ? farthest : 0xFFFFFFFF);
    u64 bound = (u64)(tolerance * tolerance) * (square > 0 ? square : 1);
    u64 reached = square > 0 ? (u64)most * most : most;
    return farthest != 0xFFFFFFFF && reached * 256 > bound ? farthest : first;
}

/* Return whether a segment is long enough to be kept. */
FUNCTION u32 is_kept(const struct lines_arrays *arrays, u32 width, i32 least, u32 first, u32 last)
{
    struct lines_spot a = spot_of(arrays, first, width), b = spot_of(arrays, last, width);
    i64 dx = b.x - a.x, dy = b.y - a.y;
    return dx * dx + dy * dy >= (i64)least * least && (dx != 0 || dy != 0);
}

/*
 * Split a part of a chain. The stack holds the last point of each piece that is still to be examined. Whole work-group.
 */
FUNCTION void split_part(GLOBAL const struct filter_record *record, const struct lines_arrays *arrays, u32 first,
    u32 last, LOCAL u16 *stack, LOCAL u32 *scratch)
{
    i32 tolerance = record->value[FILTER_LINES_TOLERANCE], least = record->value[FILTER_LINES_LEAST];
    u32 width = record->width, base = first, height = 1, top = last;
    while (height > 0) {
        barrier_local(); /* from here on the stack may be overwritten; PoCL 5.0 aborts if this barrier ends the loop */
        u32 farthest = find_farthest(arrays, width, tolerance, first, top, scratch);
        if (farthest > first) {
            if (local_index() == 0)
                stack[height - 1] = (u16)(top - base);
            height++;
            top = farthest;
            continue;
        }
        if (local_index() == 0)
            arrays->begin[top] = is_kept(arrays, width, least, first, top) ? first + 1 : 0;
        first = top;
        height--;
        barrier_local();
        if (height > 0)
            top = base + stack[height - 1];
    }
}

/* Split all parts of chains; 32 work-items look for them among 32 points at a time. */
KERNEL(FILTER_LINES_LANES)
filter_lines_split(FILTER_ARGUMENTS)
{
    SHARED u16 stack[LINES_PART + 1];
    SHARED u32 scratch[FILTER_LINES_LANES];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 step = (u32)record->value[FILTER_LINES_GROUPS] * LANES, all = arrays.sums[2 * arrays.chunks];
    (void)from, (void)to;
    for (u32 block = group * LANES; block < all; block += step) {
        u32 point = block + local_index();
        u32 begin = point < all && (arrays.points[point] & LINES_LAST) ? arrays.begin[point] : 0;
        barrier_all(); /* before any work-item writes to these */
        for (u32 ends = lane_ballot(scratch, begin > 0); ends > 0; ends &= ends - 1) {
            u32 lane = lowest_bit(ends), first = lane_shuffle(scratch, begin, lane) - 1;
            split_part(record, &arrays, first, block + lane, stack, scratch);
        }
    }
}

/* Make the picture black. */
KERNEL(FILTER_GROUP_ITEMS)
filter_lines_blank(FILTER_ARGUMENTS)
{
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct filter_tile tile = tile_of(record, group);
    u32 x = own_column(&tile);
    (void)from, (void)extra;
    for (u32 y = own_row(&tile); x < tile.right && y < tile.bottom; y += FILTER_TILE_ROWS)
        *target_pixel(record, to, x, y) = 0;
}

/*
 * Draw a segment: for each step along its longer side, the pixel nearest to the line; halves go towards the segment's
 * end.
 */
FUNCTION void draw_segment(
    GLOBAL const struct filter_record *record, GLOBAL u8 *to, struct lines_spot a, struct lines_spot b)
{
    u32 dx = magnitude_of(b.x - a.x), dy = magnitude_of(b.y - a.y), steps = dx > dy ? dx : dy;
    for (u32 i = lane_index(); i <= steps; i += LANES) {
        u32 x = (2 * dx * i + steps) / (2 * steps), y = (2 * dy * i + steps) / (2 * steps);
        x = (u32)a.x + (b.x < a.x ? 0 - x : x);
        y = (u32)a.y + (b.y < a.y ? 0 - y : y);
        *target_pixel(record, to, x, y) = 255;
    }
}

/* Draw all segments that are kept. */
KERNEL(FILTER_LINES_LANES)
filter_lines_draw(FILTER_ARGUMENTS)
{
    SHARED u32 scratch[FILTER_LINES_LANES];
    u32 group;
    GLOBAL const struct filter_record *record = find_record(work, list, records, count, &group);
    struct lines_arrays arrays = lines_arrays_of(record, extra);
    u32 step = (u32)record->value[FILTER_LINES_GROUPS] * LANES, all = arrays.sums[2 * arrays.chunks];
    (void)from;
    for (u32 block = group * LANES; block < all; block += step) {
        u32 point = block + local_index(), begin = point < all ? arrays.begin[point] : 0;
        for (u32 ends = lane_ballot(scratch, begin > 0); ends > 0; ends &= ends - 1) {
            u32 lane = lowest_bit(ends), first = lane_shuffle(scratch, begin, lane) - 1;
            draw_segment(
                record, to, spot_of(&arrays, first, record->width), spot_of(&arrays, block + lane, record->width));
        }
    }
}

#include "filters/kernels/lines_list.h"
