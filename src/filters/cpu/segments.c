/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds straight segments along edges, after Nevatia and Babu: edges' pixels are linked to chains, and a chain is split
 * at the pixel that is farthest from its chord until all are near enough. Pixels are linked to their four neighbours,
 * and across a corner where neither of the two pixels beside it is an edge. Pixels with more than two links are
 * junctions, at which chains end.
 */
#include "filters/cpu/segments.h"

enum { ROOM = 256, CHAIN = 4096 /* points of a chain; longer ones are cut, which bounds products and work */ };
enum { LINKS = 255, EDGE = 256, JUNCTION = 512, DONE = 1024, DIRECTIONS = 8, SIXTEENTHS = 16 };

/* Neighbours by rows, and the two beside each that lies across a corner. */
static const int32_t steps[DIRECTIONS][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

struct filter_place_on_map {
    int32_t x, y;
};

/* Holds a word for each pixel, with a border of one pixel: its links, and what is known of it. */
struct filter_chains {
    uint16_t *map;
    size_t pitch;
    uint32_t width, height;
    struct filter_place_on_map *point; /* of the chain */
    uint32_t count;
    const struct filter_segments_fit *fit;
    struct filter_segments *found;
};

static uint16_t *word_at(const struct filter_chains *chains, struct filter_place_on_map at)
{
    return chains->map + (size_t)(at.y + 1) * chains->pitch + (size_t)(at.x + 1);
}

static struct filter_place_on_map step_from(struct filter_place_on_map at, uint32_t direction)
{
    return (struct filter_place_on_map){at.x + steps[direction][0], at.y + steps[direction][1]};
}

static void mark_edges(const struct filter_chains *chains, const struct filter_pixels *edges)
{
    for (uint32_t y = 0; y < edges->height; y++) {
        const uint8_t *row = kst_filter_row(edges, y);
        uint16_t *to = word_at(chains, (struct filter_place_on_map){0, (int32_t)y});
        for (uint32_t x = 0; x < edges->width; x++)
            to[x] = row[x] > 0 ? EDGE : 0;
    }
}

static void link_pixel(const struct filter_chains *chains, uint16_t *word)
{
    const ptrdiff_t pitch = (ptrdiff_t)chains->pitch;
    uint32_t links = 0, count = 0;
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        ptrdiff_t across = steps[i][0], down = steps[i][1] * pitch;
        bool corner = across != 0 && down != 0;
        bool linked = word[across + down] > 0 && !(corner && (word[across] > 0 || word[down] > 0));
        links |= (uint32_t)linked << i;
        count += linked;
    }
    *word = (uint16_t)(EDGE | links | (count > 2 ? JUNCTION : 0));
}

/* Return the first direction, of those that are not left out, in which a pixel is linked to one with or without a mark.
 */
static uint32_t find_link(
    const struct filter_chains *chains, struct filter_place_on_map at, uint32_t left_out, uint32_t mask, uint32_t mark)
{
    uint32_t links = *word_at(chains, at) & LINKS & ~left_out;
    for (uint32_t i = 0; links >> i > 0; i++)
        if ((links >> i & 1) && (*word_at(chains, step_from(at, i)) & mask) == mark)
            return i;
    return DIRECTIONS;
}

static kst_status keep_segment(
    const struct filter_chains *chains, struct filter_place_on_map a, struct filter_place_on_map b)
{
    struct filter_segments *found = chains->found;
    int64_t dx = b.x - a.x, dy = b.y - a.y, least = chains->fit->least;
    kst_status status = KST_OK;
    if (dx * dx + dy * dy < least * least || (dx == 0 && dy == 0))
        return KST_OK;
    if (found->count == found->room) {
        size_t room = found->room > 0 ? found->room * 2 : ROOM;
        kst_segment *grown =
            kst_memory_grow(found->memory, found->segment, found->count * sizeof *grown, room * sizeof *grown, &status);
        if (!grown)
            return status;
        found->segment = grown;
        found->room = room;
    }
    found->segment[found->count++] = (kst_segment){a.x, a.y, b.x, b.y};
    return KST_OK;
}

/*
 * Return the point between two that is farthest from their chord, the first of several; `first` if all are near enough.
 * Points of a chain are less than 2^12 apart: cross products are below 2^25.
 */
static uint32_t find_farthest(const struct filter_chains *chains, uint32_t first, uint32_t last)
{
    const struct filter_place_on_map *point = chains->point, a = point[first];
    const int64_t dx = point[last].x - a.x, dy = point[last].y - a.y, square = dx * dx + dy * dy;
    const int64_t tolerance = chains->fit->tolerance;
    int64_t most = -1;
    uint32_t farthest = first;
    for (uint32_t i = first + 1; i < last; i++) {
        int64_t x = point[i].x - a.x, y = point[i].y - a.y, cross = dx * y - dy * x;
        int64_t away = square > 0 ? cross * cross : x * x + y * y;
        farthest = away > most ? i : farthest;
        most = away > most ? away : most;
    }
    int64_t bound = tolerance * tolerance * (square > 0 ? square : 1);
    return most * SIXTEENTHS * SIXTEENTHS > bound ? farthest : first;
}

/* Split the chain, and keep its segments in their order. The last point of each part lies on a stack. */
static kst_status split_chain(const struct filter_chains *chains)
{
    uint32_t stack[CHAIN], height = 0, first = 0;
    kst_status status = KST_OK;
    if (chains->count < 2)
        return KST_OK;
    stack[height++] = chains->count - 1;
    while (height > 0 && !status) {
        uint32_t last = stack[height - 1], farthest = find_farthest(chains, first, last);
        if (farthest > first) {
            stack[height++] = farthest;
            continue;
        }
        status = keep_segment(chains, chains->point[first], chains->point[last]);
        first = last;
        height--;
    }
    return status;
}

/* Add a point. A chain that is full is split, and the next one begins at its end. */
static kst_status add_point(struct filter_chains *chains, struct filter_place_on_map at)
{
    kst_status status = KST_OK;
    if (chains->count == CHAIN) {
        status = split_chain(chains);
        chains->point[0] = chains->point[CHAIN - 1];
        chains->count = 1;
    }
    chains->point[chains->count++] = at;
    return status;
}

/* Follow a chain from a pixel to its other end, with the junctions at both, or around to the pixel itself. */
static kst_status follow(struct filter_chains *chains, struct filter_place_on_map start, bool closed)
{
    struct filter_place_on_map at = start;
    uint32_t begin = find_link(chains, start, 0, JUNCTION, JUNCTION), next = 0;
    kst_status status = KST_OK;
    chains->count = 0;
    if (begin < DIRECTIONS)
        status = add_point(chains, step_from(start, begin));
    while (next < DIRECTIONS && !status) {
        *word_at(chains, at) |= DONE;
        status = add_point(chains, at);
        next = find_link(chains, at, 0, JUNCTION | DONE, 0);
        at = next < DIRECTIONS ? step_from(at, next) : at;
    }
    bool alone = begin < DIRECTIONS && at.x == start.x && at.y == start.y;
    uint32_t end = find_link(chains, at, alone ? 1u << begin : 0, JUNCTION, JUNCTION);
    if (!status && (closed || end < DIRECTIONS))
        status = add_point(chains, closed ? start : step_from(at, end));
    return status ? status : split_chain(chains);
}

/* Return whether a pixel of a chain has at most one link to another one of it. */
static bool is_end(const struct filter_chains *chains, struct filter_place_on_map at)
{
    uint32_t first = find_link(chains, at, 0, JUNCTION, 0);
    return first == DIRECTIONS || find_link(chains, at, 1u << first, JUNCTION, 0) == DIRECTIONS;
}

/* Follow all chains that begin at an end, or those that are closed, by rows. */
static kst_status follow_all(struct filter_chains *chains, bool closed)
{
    kst_status status = KST_OK;
    struct filter_place_on_map at;
    for (at.y = 0; at.y < (int32_t)chains->height; at.y++) {
        at.x = 0;
        for (const uint16_t *row = word_at(chains, at); at.x < (int32_t)chains->width && !status; at.x++) {
            uint32_t word = row[at.x];
            if (word > 0 && !(word & (JUNCTION | DONE)) && (closed || is_end(chains, at)))
                status = follow(chains, at, closed);
        }
    }
    return status;
}

static void link_all(const struct filter_chains *chains)
{
    struct filter_place_on_map at = {0, 0};
    for (; at.y < (int32_t)chains->height; at.y++) {
        uint16_t *row = word_at(chains, at);
        for (size_t x = 0; x < chains->width; x++)
            if (row[x] > 0)
                link_pixel(chains, row + x);
    }
}

kst_status kst_filter_segments_find(
    const struct filter_pixels *edges, const struct filter_segments_fit *fit, struct filter_segments *found)
{
    struct filter_chains chains = {
        .pitch = (size_t)edges->width + 2, .width = edges->width, .height = edges->height, .fit = fit, .found = found};
    kst_status status = KST_OK;
    chains.map =
        kst_memory_zeroed(found->memory, (size_t)edges->height + 2, chains.pitch * sizeof *chains.map, &status);
    if (!status)
        chains.point = kst_memory_array(found->memory, CHAIN, sizeof *chains.point, &status);
    if (!status) {
        mark_edges(&chains, edges);
        link_all(&chains);
        status = follow_all(&chains, false);
    }
    if (!status)
        status = follow_all(&chains, true);
    kst_memory_release(found->memory, chains.map);
    kst_memory_release(found->memory, chains.point);
    return status;
}
