/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds straight segments along edges, after Nevatia and Babu: the pixels of edges are linked to chains, and a chain is
 * split at the pixel that is farthest from its chord until all pixels are near enough. Pixels are linked to their four
 * neighbours, and across a corner if neither of the two pixels beside it is an edge. Pixels with more than two links
 * are junctions, at which chains end.
 */
#include "filters/cpu/segments.h"

#include <string.h>

#include "filters/bands.h"

enum { ROOM = 256, CHAIN = 4096 /* points of a chain; longer ones are cut, which bounds products and work */ };
enum { LINKS = 255, EDGE = 256, JUNCTION = 512, DONE = 1024, DIRECTIONS = 8, SIXTEENTHS = 16, THOUSAND = 1000 };
enum { PATTERNS = 1 << DIRECTIONS, ROWS = 3 };

/* The steps to a pixel's neighbours, by rows. */
static const int32_t steps[DIRECTIONS][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

struct filter_place_on_map {
    int32_t x, y;
};

/* Holds a word for each pixel, with a border of one pixel: its links and its state. */
struct filter_chains {
    uint16_t *map;
    size_t pitch;
    uint32_t width, height;
    struct filter_place_on_map *point; /* points of the current chain */
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

/*
 * Compute the word of an edge's pixel for each pattern of neighbours that are edges: bit i stands for the neighbour at
 * steps[i]. A corner is linked if neither of the two pixels beside it is an edge.
 */
static void fill_words(uint16_t words[PATTERNS])
{
    static const uint32_t beside[DIRECTIONS] = {
        1 << 1 | 1 << 3, 0, 1 << 1 | 1 << 4, 0, 0, 1 << 3 | 1 << 6, 0, 1 << 4 | 1 << 6};
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        uint32_t links = 0, count = 0;
        for (uint32_t i = 0; i < DIRECTIONS; i++) {
            bool linked = (pattern >> i & 1) && !(pattern & beside[i]);
            links |= (uint32_t)linked << i;
            count += linked;
        }
        words[pattern] = (uint16_t)(EDGE | links | (count > 2 ? JUNCTION : 0));
    }
}

/* Holds what bands need to fill the map. */
struct filter_linking {
    const struct filter_chains *chains;
    const struct filter_pixels *edges;
    uint16_t words[PATTERNS];
};

/* Set whether each pixel of a row is an edge, with a pixel on either side that is none. */
static void load_row(const struct filter_pixels *edges, int64_t y, uint8_t *to)
{
    memset(to, 0, (size_t)edges->width + 2);
    if (y < 0 || y >= (int64_t)edges->height)
        return;
    const uint8_t *row = kst_filter_row(edges, (uint32_t)y);
    for (uint32_t x = 0; x < edges->width; x++)
        to[x + 1] = row[x] > 0;
}

static void link_row(const uint16_t *words, const uint8_t *const row[3], uint16_t *to, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *above = row[0] + x, *own = row[1] + x, *below = row[2] + x;
        if (!own[1])
            continue;
        to[x] = words[above[0] | above[1] << 1 | above[2] << 2 | own[0] << 3 | own[2] << 4 | below[0] << 5 |
                      below[1] << 6 | below[2] << 7];
    }
}

static kst_status link_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_linking *linking = arg;
    const size_t pitch = (size_t)linking->edges->width + 2;
    kst_status status = KST_OK;
    uint8_t *ring = kst_memory_array(work->operation->memory, ROWS, pitch, &status);
    if (!ring)
        return status;
    load_row(linking->edges, (int64_t)first - 1, ring + (first + ROWS - 1) % ROWS * pitch);
    load_row(linking->edges, first, ring + first % ROWS * pitch);
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *const row[ROWS] = {
            ring + (y + ROWS - 1) % ROWS * pitch, ring + y % ROWS * pitch, ring + (y + 1) % ROWS * pitch};
        load_row(linking->edges, (int64_t)y + 1, ring + (y + 1) % ROWS * pitch);
        link_row(linking->words, row, word_at(linking->chains, (struct filter_place_on_map){0, (int32_t)y}),
            linking->edges->width);
    }
    kst_memory_release(work->operation->memory, ring);
    return KST_OK;
}

static kst_status link_all(
    const struct filter_work *work, const struct filter_chains *chains, const struct filter_pixels *edges)
{
    struct filter_linking linking = {.chains = chains, .edges = edges};
    fill_words(linking.words);
    return kst_filter_bands(work, edges->height, link_band, &linking);
}

/* Return the first direction, except those left out, in which a pixel is linked to one whose word has the bits `mark`
 * in `mask`; DIRECTIONS if there is none. */
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
 * Return the point between two points that is farthest from their chord, the first one if several are equal; `first` if
 * all are near enough. Points of a chain are less than 2^12 apart: cross products are below 2^25.
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

/*
 * Split the chain, and keep its segments in order. The stack holds the last point of each part that is still to be
 * examined.
 */
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

/* Add a point. A full chain is split, and the next one begins at its end. */
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

/* Follow a chain from a pixel to its other end, including junctions at both ends, or around to the pixel again. */
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

/* Return whether a pixel of a chain has at most one link to another pixel that is no junction. */
static bool is_end(const struct filter_chains *chains, struct filter_place_on_map at)
{
    uint32_t first = find_link(chains, at, 0, JUNCTION, 0);
    return first == DIRECTIONS || find_link(chains, at, 1u << first, JUNCTION, 0) == DIRECTIONS;
}

/* Follow all chains that begin at an end, or all closed chains, in the order of rows. */
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

struct filter_segments_fit kst_filter_segments_fit_of(const struct filter_value *value)
{
    return (struct filter_segments_fit){
        (value[FILTER_LINES_NEAR].number * SIXTEENTHS + THOUSAND / 2) / THOUSAND, value[FILTER_LINES_LENGTH].number};
}

kst_status kst_filter_segments_find(const struct filter_work *work, const struct filter_pixels *edges,
    const struct filter_segments_fit *fit, struct filter_segments *found)
{
    struct filter_chains chains = {
        .pitch = (size_t)edges->width + 2, .width = edges->width, .height = edges->height, .fit = fit, .found = found};
    kst_status status = KST_OK;
    chains.map =
        kst_memory_zeroed(found->memory, (size_t)edges->height + 2, chains.pitch * sizeof *chains.map, &status);
    if (!status)
        chains.point = kst_memory_array(found->memory, CHAIN, sizeof *chains.point, &status);
    if (!status)
        status = link_all(work, &chains, edges);
    if (!status)
        status = follow_all(&chains, false);
    if (!status)
        status = follow_all(&chains, true);
    kst_memory_release(found->memory, chains.map);
    kst_memory_release(found->memory, chains.point);
    return status;
}
