/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the packets of a tile straight into the plan, where each code-block has all its passes in one packet: one
 * layer, and no divided resolutions. Code-blocks are in the plan in the order of their packets. The result is kept only
 * if reading the packets one by one would give the same with nothing to report. Otherwise the caller reads the tile
 * again in the usual way, so that reports do not depend on this file.
 */
#include <string.h>

#include "j2k/packets/block_header.h"
#include "j2k/packets/progression.h"
#include "j2k/packets/tag_tree.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/marker.h"

enum {
    SIDE = 64,    /* code-blocks along a side of a subband, at most */
    NODES = 5461, /* of the tag tree of SIDE × SIDE code-blocks */
    SEGMENTS = 2, /* of a code-block, at most: T.814's cleanup and refinement */
    BYTES = 8     /* fewest bytes per code-block, on average, for which a tile's code-blocks get room at once */
};

/* Holds the state while a tile is read. */
struct direct_reading {
    struct j2k_builder *builder;
    uint64_t position, end; /* range that is left of the tile-part */
    bool all;               /* all packets are read; false: `lengths` has the lengths of packets that are skipped */
    struct j2k_packet_lengths lengths;
    uint32_t number;      /* of the next packet */
    uint64_t body;        /* bytes of the blocks of this packet so far */
    uint32_t first_piece; /* of this packet */
};

static struct j2k_rect blocks_of(const struct j2k_grid *grid, struct j2k_rect band)
{
    return (struct j2k_rect){band.x0 >> grid->block_width, band.y0 >> grid->block_height,
        j2k_ceil_shift(band.x1, grid->block_width), j2k_ceil_shift(band.y1, grid->block_height)};
}

/* Return whether the window of each subband is the whole subband, which has few code-blocks. */
static bool suits_bands(const struct j2k_builder *builder, const struct j2k_grid *grid)
{
    bool fine = true;
    for (uint32_t b = 0; b < grid->band_count && fine; b++) {
        const struct j2k_band *band = &builder->plan->band[grid->first_band + b];
        const struct j2k_rect blocks = blocks_of(grid, band->rect);
        fine = memcmp(&band->window, &band->rect, sizeof band->rect) == 0 && blocks.x1 - blocks.x0 <= SIDE &&
               blocks.y1 - blocks.y0 <= SIDE;
    }
    return fine;
}

static bool suits_grids(const struct j2k_builder *builder)
{
    bool fine = true;
    for (uint32_t g = 0; g < builder->grid_count && fine; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        fine = (uint64_t)grid->columns * grid->rows <= 1 &&
               (grid->style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS | J2K_STYLE_MIXED)) == 0 &&
               (!grid->kept || suits_bands(builder, grid));
    }
    return fine;
}

static bool suits(const struct j2k_builder *builder)
{
    const struct j2k_parameters *p = &builder->in_force;
    const struct j2k_stream *stream = builder->stream;
    const uint32_t *part = &stream->tile_part[builder->tile];
    return p->layers == 1 && p->volume_count == 0 && !p->sop && !p->eph && part[1] - part[0] == 1 &&
           builder->rect.x0 == 0 && builder->rect.y0 == 0 && !builder->survey && !builder->filter->careful &&
           !builder->filter->every_packet && !kst_j2k_has_packed_headers(builder) && suits_grids(builder);
}

/* Add a segment, with its bytes. Offsets count from the start of the packet's body until its header is read. */
static void add_segment(struct direct_reading *r, struct j2k_block *block, uint32_t passes, uint32_t length)
{
    struct j2k_plan *plan = r->builder->plan;
    plan->segment[plan->segment_count++] = (struct j2k_segment){
        .length = length, .first_piece = plan->piece_count, .piece_count = length > 0, .passes = (uint8_t)passes};
    if (length > 0)
        plan->piece[plan->piece_count++] = (struct j2k_piece){.offset = r->body, .length = length};
    r->body += length;
    r->builder->contributions++;
    block->segment_count++;
    block->length += length;
}

static bool take_length(struct j2k_header_bits *bits, uint32_t width, uint32_t *length)
{
    if (width > J2K_LENGTH_BITS_MAX)
        return false;
    *length = j2k_bits_take(bits, width);
    return true;
}

/* Read the segments of T.814: the passes up to the cleanup pass, which has bytes, and those behind it. */
static bool read_sets(
    struct direct_reading *r, struct j2k_header_bits *bits, struct j2k_block *block, uint32_t length_bits)
{
    const uint32_t behind = (block->passes - 1U) % 3, set = block->passes - behind;
    uint32_t length;
    if (!take_length(bits, length_bits + j2k_floor_log2(set), &length) || length == 0)
        return false;
    add_segment(r, block, set, length);
    if (behind == 0)
        return true;
    if (!take_length(bits, length_bits + j2k_floor_log2(behind), &length))
        return false;
    add_segment(r, block, behind, length);
    return true;
}

/* Read passes and lengths of a block that is included. */
static bool read_block(struct direct_reading *r, struct j2k_header_bits *bits, struct j2k_block *block)
{
    const uint32_t passes = j2k_take_passes(bits), length_bits = J2K_LENGTH_BITS_START + j2k_bits_ones(bits);
    uint32_t length;
    block->passes = (uint16_t)passes;
    block->first_segment = r->builder->plan->segment_count;
    if (passes > 3U * block->planes - 2 || passes > J2K_PASSES_MAX || length_bits > J2K_LENGTH_BITS_MAX)
        return false;
    r->builder->visits += (uint64_t)passes * block->width * block->height;
    if (block->coder == J2K_HT)
        return read_sets(r, bits, block, length_bits);
    if (!take_length(bits, length_bits + j2k_floor_log2(passes), &length))
        return false;
    add_segment(r, block, passes, length);
    return true;
}

/* Describes a subband whose code-blocks are read. */
struct direct_band {
    struct j2k_band *band;
    const struct j2k_grid *grid;
    uint32_t index;
    struct j2k_precinct_band place; /* of its blocks */
};

/* Begin a subband, all of which is in its only precinct. */
static struct direct_band begin_band(const struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t b)
{
    const struct j2k_rect rect = grid->band[b];
    struct direct_band in = {.grid = grid, .index = grid->first_band + b, .place = {.rect = rect}};
    in.band = &builder->plan->band[in.index];
    in.band->first_block = builder->plan->block_count;
    if (j2k_is_empty(rect))
        return in;
    const struct j2k_rect blocks = blocks_of(grid, rect);
    in.place.column = blocks.x0;
    in.place.row = blocks.y0;
    in.place.columns = blocks.x1 - blocks.x0;
    in.place.rows = blocks.y1 - blocks.y0;
    return in;
}

/* Read a block that is included, and add it. */
static bool add_block(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in,
    struct j2k_rect rect, uint32_t missing)
{
    struct j2k_plan *plan = r->builder->plan;
    if (missing >= in->band->planes)
        return false;
    struct j2k_block *block = &plan->block[plan->block_count++];
    *block = (struct j2k_block){.x = rect.x0,
        .y = rect.y0,
        .width = (uint16_t)(rect.x1 - rect.x0),
        .height = (uint16_t)(rect.y1 - rect.y0),
        .band = in->index,
        .missing = (uint8_t)missing,
        .planes = (uint8_t)(in->band->planes - missing),
        .coder = (in->grid->style & J2K_STYLE_HT) != 0 ? J2K_HT : J2K_EBCOT};
    in->band->block_count++;
    return read_block(r, bits, block) && !j2k_bits_overrun(bits);
}

/* Read the only block of a subband. Its tag trees have one node each. */
static bool read_single(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in)
{
    if (!kst_j2k_make_room(r->builder, 1, SEGMENTS))
        return false;
    return !j2k_bit(bits) || add_block(r, bits, in, in->place.rect, j2k_bits_zeros(bits, J2K_TAG_MISSING_MAX + 1));
}

/* Holds tag trees of which nothing is known yet. */
struct direct_trees {
    struct j2k_tag_shape shape;
    uint32_t inclusion[NODES];
    uint8_t missing[NODES];
};

/* Clip the range of columns, or rows, from *from to *to to a block that begins at `at` and has 2^shift of them. */
static inline void clip(uint64_t at, uint32_t shift, uint32_t *from, uint32_t *to)
{
    const uint64_t end = at + (UINT64_C(1) << shift);
    *from = at > *from ? (uint32_t)at : *from;
    *to = end < *to ? (uint32_t)end : *to;
}

/*
 * Read the blocks of a row. *least becomes the least level of the tag tree's nodes that leave out blocks of the row; 0
 * if a block is included.
 */
static bool read_row(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in,
    struct direct_trees *trees, uint32_t y, uint32_t *least)
{
    const struct j2k_grid *grid = in->grid;
    struct j2k_rect row = in->place.rect;
    *least = trees->shape.levels;
    clip((uint64_t)(in->place.row + y) << grid->block_height, grid->block_height, &row.y0, &row.y1);
    for (uint32_t x = 0; x < in->place.columns;) {
        uint32_t level = 0;
        if (j2k_tag_below(&trees->shape, trees->inclusion, bits, x, y, 1, &level)) {
            const uint32_t missing = j2k_tag_value(&trees->shape, trees->missing, bits, x, y);
            struct j2k_rect rect = row;
            clip((uint64_t)(in->place.column + x) << grid->block_width, grid->block_width, &rect.x0, &rect.x1);
            if (!add_block(r, bits, in, rect, missing))
                return false;
        }
        *least = level < *least ? level : *least;
        x = ((x >> level) + 1) << level;
    }
    return true;
}

static bool read_rows(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in)
{
    const uint32_t blocks = in->place.columns * in->place.rows;
    struct direct_trees trees;
    if (!kst_j2k_make_room(r->builder, blocks, SEGMENTS * blocks))
        return false;
    kst_j2k_tag_shape(&trees.shape, in->place.columns, in->place.rows);
    memset(trees.inclusion, 0, trees.shape.nodes * sizeof *trees.inclusion);
    memset(trees.missing, 0, trees.shape.nodes);
    for (uint32_t y = 0, least; y < in->place.rows; y = ((y >> least) + 1) << least)
        if (!read_row(r, bits, in, &trees, y, &least))
            return false;
    return true;
}

static bool read_band(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in)
{
    const uint32_t blocks = in->place.columns * in->place.rows;
    if (blocks == 1)
        return read_single(r, bits, in);
    return blocks == 0 || read_rows(r, bits, in);
}

/* Skip a packet that is not wanted. An empty packet has a single byte. */
static bool pass_packet(struct direct_reading *r, const uint8_t *at, uint64_t length)
{
    if (length == 0 || (at[0] < 0x80 && length != 1))
        return false;
    r->position += length;
    r->builder->plan->totals.skipped_bytes += length;
    return true;
}

/* Take over a packet whose header ends at `next`: its bytes must all be there. */
static bool take_packet(struct direct_reading *r, const uint8_t *at, const uint8_t *next, uint64_t length)
{
    struct j2k_plan *plan = r->builder->plan;
    const uint64_t header = (uint64_t)(next - at), left = r->end - r->position;
    if (header + r->body > left || (!r->all && header + r->body != length))
        return false;
    for (uint32_t i = r->first_piece; i < plan->piece_count; i++)
        plan->piece[i].offset += r->position + header;
    r->position += header + r->body;
    plan->totals.packets++;
    plan->totals.header_bytes += header;
    plan->totals.body_bytes += r->body;
    return true;
}

/* Read the packet of a resolution, or skip it. */
static bool read_packet(struct direct_reading *r, const struct j2k_grid *grid)
{
    struct j2k_builder *builder = r->builder;
    const uint8_t *at = builder->stream->data + r->position, *end = builder->stream->data + r->end;
    const bool wanted = builder->precinct[grid->first_precinct].wanted;
    const uint64_t length = r->all ? 0 : r->lengths.length[r->number];
    struct j2k_header_bits bits;
    r->number++;
    r->body = 0;
    r->first_piece = builder->plan->piece_count;
    if (r->position >= r->end || length > r->end - r->position || (end - at > 1 && at[0] == 0xFF && at[1] == J2K_SOP))
        return false;
    if (!r->all && !wanted)
        return pass_packet(r, at, length);
    builder->wanted_packets -= wanted;
    j2k_bits_start(&bits, at, end);
    const bool full = j2k_bit(&bits);
    for (uint32_t b = 0; b < grid->band_count; b++) {
        const struct direct_band in = begin_band(builder, grid, b);
        if (full && !read_band(r, &bits, &in))
            return false;
    }
    const uint8_t *next = j2k_bits_end(&bits);
    return next && take_packet(r, at, next, length);
}

/*
 * Make room for all code-blocks at once, unless the tile-part is too short for them: damage may invent any number of
 * them.
 */
static void make_all_room(const struct direct_reading *r)
{
    struct j2k_builder *builder = r->builder;
    uint64_t sum = 0;
    for (uint32_t g = 0; g < builder->grid_count; g++)
        for (uint32_t b = 0; builder->grid[g].kept && b < builder->grid[g].band_count; b++) {
            const struct j2k_rect blocks = blocks_of(&builder->grid[g], builder->grid[g].band[b]);
            sum += j2k_is_empty(blocks) ? 0 : (uint64_t)(blocks.x1 - blocks.x0) * (blocks.y1 - blocks.y0);
        }
    if (sum <= (r->end - r->position) / BYTES && sum < UINT32_MAX / SEGMENTS)
        kst_j2k_make_room(builder, (uint32_t)sum, (uint32_t)sum + SEGMENTS);
}

/* Read the packets of all components one after the other: of all resolutions, or of one, which some may not have. */
static bool read_grids(struct direct_reading *r, bool by_resolution, uint32_t resolution)
{
    struct j2k_builder *builder = r->builder;
    bool fine = true;
    for (uint32_t g = 0; g < builder->grid_count && (r->all || builder->wanted_packets > 0) && fine; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        if (grid->columns > 0 && grid->rows > 0 && (!by_resolution || grid->resolution == resolution))
            fine = read_packet(r, grid) && builder->plan->block_count <= builder->limits->blocks;
    }
    return fine;
}

/* Read all packets, or until none is wanted any more. */
static bool read_all(struct direct_reading *r)
{
    struct j2k_builder *builder = r->builder;
    const uint8_t progression = builder->in_force.progression;
    const bool by_resolution = progression != J2K_CPRL && progression != J2K_PCRL;
    bool fine = true;
    r->all = !builder->restricted || builder->wanted_packets == builder->packet_total;
    if (!r->all && !kst_j2k_all_packet_lengths(builder, &r->lengths))
        return false;
    make_all_room(r);
    for (uint32_t k = 0; k < (by_resolution ? J2K_RESOLUTIONS : 1) && r->number < builder->packet_total && fine; k++)
        fine = read_grids(r, by_resolution, k);
    builder->plan->totals.left_bytes += r->end - r->position;
    return fine && builder->wanted_packets == 0 && (!r->all || r->position == r->end);
}

static bool is_within_limits(const struct j2k_builder *builder)
{
    return builder->contributions <= builder->contributions_allowed && builder->visits <= builder->visits_allowed &&
           builder->plan->block_count <= builder->limits->blocks &&
           builder->turns <= kst_j2k_allowance(builder->limits, J2K_ASKED_TURNS, builder->stream);
}

/* Forget what was read: the tile's code-blocks, and the packets that were wanted. */
static void undo(struct j2k_builder *builder, const struct j2k_builder *before, const struct j2k_plan *plan)
{
    builder->turns = before->turns;
    builder->visits = before->visits;
    builder->contributions = before->contributions;
    builder->wanted_packets = before->wanted_packets;
    builder->plan->totals = plan->totals;
    builder->plan->block_count = plan->block_count;
    builder->plan->segment_count = plan->segment_count;
    builder->plan->piece_count = plan->piece_count;
    for (uint32_t g = 0; g < builder->grid_count; g++)
        for (uint32_t b = 0; builder->grid[g].kept && b < builder->grid[g].band_count; b++)
            builder->plan->band[builder->grid[g].first_band + b].block_count = 0;
}

bool kst_j2k_read_direct(struct j2k_builder *builder)
{
    if (!suits(builder))
        return false;
    const struct j2k_tile_part *part = &builder->stream->part[builder->stream->tile_part[builder->tile]];
    const struct j2k_builder before = *builder;
    const struct j2k_plan plan = *builder->plan;
    const struct j2k_volume all = {.r1 = J2K_RESOLUTIONS, .c1 = builder->stream->component_count};
    struct direct_reading reading = {.builder = builder, .position = part->body, .end = part->body + part->body_length};
    builder->turns += kst_j2k_volume_turns(&all);
    const bool fine = read_all(&reading) && is_within_limits(builder);
    kst_memory_release(builder->memory, reading.lengths.length);
    if (!fine)
        undo(builder, &before, &plan);
    return fine;
}
