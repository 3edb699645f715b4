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
    BYTES = 8,    /* fewest bytes per code-block, on average, for which a tile's code-blocks get room at once */
    LINE = 64     /* bytes of a processor's cache line */
};

/*
 * While a packet header is read, so many bytes of the next packets are fetched from memory: several packets if they
 * have at most SHORT bytes on average, otherwise fewer bytes, because most of them are bodies that nobody reads.
 */
enum { SHORT = 1024, AHEAD_SHORT = 2048, AHEAD_LONG = 512 };

/* Holds the state while a tile is read. */
struct direct_reading {
    struct j2k_builder *builder;
    uint64_t position, end; /* range that is left of the tile-part */
    bool all;               /* all packets are read; false: `lengths` has the lengths of packets that are skipped */
    struct j2k_packet_lengths lengths;
    uint32_t number;      /* of the next packet */
    uint64_t body;        /* bytes of the blocks of this packet so far */
    uint32_t first_piece; /* of this packet */
    uint64_t fetched;     /* position up to which bytes were fetched ahead */
    uint32_t ahead;       /* bytes that are fetched ahead */
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
        fine =
            j2k_same_rect(band->window, band->rect) && blocks.x1 - blocks.x0 <= SIDE && blocks.y1 - blocks.y0 <= SIDE;
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

/*
 * Holds where the blocks of a subband, their segments and pieces go. It is no part of what has an address, so that it
 * stays in registers.
 */
struct direct_lists {
    struct j2k_block *block; /* the next one of each list */
    struct j2k_segment *segment;
    struct j2k_piece *piece;
    uint32_t segments, pieces; /* numbers of those that are in the plan */
    uint64_t body;             /* bytes of the packet's blocks so far */
    uint64_t visits;
};

static struct direct_lists begin_lists(const struct direct_reading *r)
{
    const struct j2k_plan *plan = r->builder->plan;
    return (struct direct_lists){.block = plan->block + plan->block_count,
        .segment = plan->segment + plan->segment_count,
        .piece = plan->piece + plan->piece_count,
        .segments = plan->segment_count,
        .pieces = plan->piece_count,
        .body = r->body};
}

/* Take over a subband's blocks, segments and pieces. Each segment is one packet's contribution. */
static void end_lists(struct direct_reading *r, struct j2k_band *band, const struct direct_lists *to)
{
    struct j2k_builder *builder = r->builder;
    struct j2k_plan *plan = builder->plan;
    builder->contributions += to->segments - plan->segment_count;
    builder->visits += to->visits;
    plan->block_count = (uint32_t)(to->block - plan->block);
    plan->segment_count = to->segments;
    plan->piece_count = to->pieces;
    band->block_count = plan->block_count - band->first_block;
    r->body = to->body;
}

/* Add a segment, with its bytes. Offsets count from the start of the packet's body until its header is read. */
static inline void add_segment(struct direct_lists *to, uint32_t passes, uint32_t length)
{
    *to->segment++ = (struct j2k_segment){
        .length = length, .first_piece = to->pieces, .piece_count = length > 0, .passes = (uint8_t)passes};
    to->segments++;
    if (length == 0)
        return;
    *to->piece++ = (struct j2k_piece){.offset = to->body, .length = length};
    to->pieces++;
    to->body += length;
}

/*
 * Says what a packet header tells of a block's passes: how many there are, and how many of them, the last ones, are in
 * a second segment; and the lengths of both segments.
 */
struct direct_passes {
    uint32_t count, behind; /* no passes at all: the header is not one that this file reads */
    uint32_t length, length_behind;
};

static inline bool take_length(struct j2k_header_bits *bits, uint32_t width, uint32_t *length)
{
    if (width > J2K_LENGTH_BITS_MAX)
        return false;
    *length = j2k_bits_take(bits, width);
    return true;
}

/* Read the lengths of a block of T.814: of the passes up to the cleanup pass, which has bytes, and of those behind. */
static inline bool read_sets(struct j2k_header_bits *bits, uint32_t length_bits, struct direct_passes *passes)
{
    passes->behind = (passes->count - 1) % 3;
    const uint32_t set = passes->count - passes->behind;
    if (!take_length(bits, length_bits + j2k_floor_log2(set), &passes->length) || passes->length == 0)
        return false;
    return passes->behind == 0 ||
           take_length(bits, length_bits + j2k_floor_log2(passes->behind), &passes->length_behind);
}

/* Read passes and lengths of a block that is included, and has `planes` planes. */
static inline struct direct_passes read_passes(struct j2k_header_bits *bits, uint32_t planes, bool ht)
{
    struct direct_passes passes = {.count = j2k_take_passes(bits)};
    const uint32_t length_bits = J2K_LENGTH_BITS_START + j2k_bits_ones(bits);
    const bool possible =
        passes.count <= 3 * planes - 2 && passes.count <= J2K_PASSES_MAX && length_bits <= J2K_LENGTH_BITS_MAX;
    if (!possible || !(ht ? read_sets(bits, length_bits, &passes)
                          : take_length(bits, length_bits + j2k_floor_log2(passes.count), &passes.length)))
        return (struct direct_passes){.count = 0};
    return passes;
}

/*
 * Read the same in the usual case of T.814: there is one pass, which is a cleanup pass with bytes, and all that is said
 * of it is ahead. In all other cases returns 0 and reads nothing.
 */
static inline uint32_t read_cleanup(struct j2k_header_bits *bits)
{
    enum { PASS = 1, MOST = 24 /* additions to Lblock, so that lengths have at most 27 bits */ };
    const uint64_t ahead = bits->ahead, lengths = ahead << PASS; /* ones, a zero, and the length */
    const uint32_t ones = (uint32_t)__builtin_clzll(~lengths | 1), width = J2K_LENGTH_BITS_START + ones;
    const uint32_t count = PASS + ones + 1 + width;
    if (ahead >> 63 != 0 || ones > MOST || count > bits->left)
        return 0;
    const uint32_t length = (uint32_t)(lengths << (ones + 1) >> (64 - width));
    bits->ahead = length > 0 ? ahead << count : ahead;
    bits->left -= length > 0 ? count : 0;
    return length;
}

/* Return the length of a side of a block that begins at `at`, and ends at the end of the subband at the latest. */
static inline uint32_t side(uint32_t at, uint32_t log2, uint32_t end)
{
    return end - at < 1U << log2 ? end - at : 1U << log2;
}

/* Describes a subband whose code-blocks are read. It begins at the origin, as the tile does. */
struct direct_band {
    struct j2k_band *band;
    const struct j2k_grid *grid;
    uint32_t index, planes;
    bool ht;
    struct j2k_precinct_band place; /* of its blocks */
};

/* Begin a subband, all of which is in its only precinct. */
static struct direct_band begin_band(const struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t b)
{
    const struct j2k_rect rect = grid->band[b];
    struct direct_band in = {.grid = grid, .index = grid->first_band + b, .place = {.rect = rect}};
    in.band = &builder->plan->band[in.index];
    in.planes = in.band->planes;
    in.ht = (grid->style & J2K_STYLE_HT) != 0;
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

/* Says where a block of a subband lies. */
struct direct_place {
    uint32_t x, y, width, height;
};

/* Add a block, of which a packet header tells some passes. */
static inline void add_block(struct direct_lists *to, const struct direct_band *in, struct direct_place place,
    uint32_t missing, struct direct_passes passes)
{
    *to->block++ = (struct j2k_block){.x = place.x,
        .y = place.y,
        .width = (uint16_t)place.width,
        .height = (uint16_t)place.height,
        .band = in->index,
        .first_segment = to->segments,
        .segment_count = passes.behind > 0 ? 2 : 1,
        .missing = (uint8_t)missing,
        .planes = (uint8_t)(in->planes - missing),
        .passes = (uint16_t)passes.count,
        .coder = in->ht ? J2K_HT : J2K_EBCOT,
        .length = (uint64_t)passes.length + passes.length_behind};
    to->visits += (uint64_t)passes.count * (place.width * place.height);
    add_segment(to, passes.count - passes.behind, passes.length);
    if (passes.behind > 0)
        add_segment(to, passes.behind, passes.length_behind);
}

/* Read a block that is included. */
static inline bool read_block(struct direct_lists *to, struct j2k_header_bits *bits, const struct direct_band *in,
    struct direct_place place, uint32_t missing)
{
    if (missing >= in->planes)
        return false;
    const uint32_t length = in->ht ? read_cleanup(bits) : 0;
    if (length > 0) {
        add_block(to, in, place, missing, (struct direct_passes){.count = 1, .length = length});
        return true;
    }
    const struct direct_passes passes = read_passes(bits, in->planes - missing, in->ht);
    if (passes.count > 0)
        add_block(to, in, place, missing, passes);
    return passes.count > 0;
}

/* Read the only block of a subband. Its tag trees have one node each. */
static bool read_single(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in)
{
    if (!kst_j2k_make_room(r->builder, 1, SEGMENTS))
        return false;
    if (!j2k_bit(bits))
        return true;
    struct direct_lists to = begin_lists(r);
    const uint32_t missing = j2k_bits_zeros(bits, J2K_TAG_MISSING_MAX + 1);
    if (!read_block(&to, bits, in, (struct direct_place){0, 0, in->place.rect.x1, in->place.rect.y1}, missing))
        return false;
    end_lists(r, in->band, &to);
    return true;
}

/*
 * Holds what is known of the tag trees of a subband. With one layer, a node of the tree of inclusion has one bit: 1 if
 * some block below it is included. It is read at the node's first block, the upper left one, unless a node above leaves
 * that block out. Nothing is kept of included nodes. What a node leaves out is skipped as a whole, along a row, and
 * down the rows if it leaves out all of them, so that the work is proportional to the bits of the header.
 */
struct direct_trees {
    struct j2k_tag_shape shape;
    uint8_t *row[J2K_TAG_LEVELS]; /* nodes of each level above the current row of blocks: their values plus 1 */
    uint8_t missing[NODES];       /* the same of all rows; 0: not known */
    uint8_t until[SIDE]; /* the row before which the last node is over that began in a column and left blocks out */
    uint8_t level[SIDE]; /* of that node */
};

static void begin_trees(struct direct_trees *trees, const struct direct_band *in)
{
    kst_j2k_tag_shape(&trees->shape, in->place.columns, in->place.rows);
    memset(trees->missing, 0, trees->shape.nodes);
    memset(trees->until, 0, in->place.columns);
}

static void begin_row(struct direct_trees *trees, uint32_t y)
{
    for (uint32_t k = 0; k < trees->shape.levels; k++)
        trees->row[k] = trees->missing + trees->shape.offset[k] + (y >> k) * trees->shape.width[k];
}

/*
 * Read whether the block (x, y) is included, where no node that began in a row above leaves it out. Returns the level,
 * plus 1, of the node that leaves it out; 0: it is included.
 */
static inline uint32_t take_inclusion(
    struct direct_trees *trees, struct j2k_header_bits *bits, uint32_t x, uint32_t y, uint32_t top)
{
    const uint32_t nodes = (uint32_t)__builtin_ctz(x | y | 1U << top) + 1; /* that begin here */
    j2k_bits_fill(bits);
    const uint32_t ones = (uint32_t)__builtin_clzll(~bits->ahead | 1);
    if (ones >= nodes) {
        j2k_bits_skip(bits, nodes);
        return 0;
    }
    const uint32_t level = nodes - 1 - ones;
    j2k_bits_skip(bits, ones + 1);
    trees->until[x] = (uint8_t)(y + (1U << level));
    trees->level[x] = (uint8_t)level;
    return level + 1;
}

/* Read how many bit-planes of the block in column x, which is included, are missing. */
static inline uint32_t take_missing(
    const struct direct_trees *trees, struct j2k_header_bits *bits, uint32_t x, uint32_t top)
{
    enum { MOST = J2K_TAG_MISSING_MAX + 1 };
    uint32_t low = 0, k = 1;
    while (k <= top && trees->row[k][x >> k] == 0)
        k++;
    if (k <= top)
        low = trees->row[k][x >> k] - 1U;
    while (--k > 0) {
        low += j2k_bits_zeros(bits, MOST);
        trees->row[k][x >> k] = (uint8_t)(low < MOST ? low + 1 : MOST);
    }
    return low + j2k_bits_zeros(bits, MOST);
}

/*
 * Read the blocks of a row. *least becomes the least level of the tag tree's nodes that leave out blocks of the row; 0
 * if a block is included.
 */
static bool read_row(struct direct_lists *lists, struct j2k_header_bits *from, const struct direct_band *in,
    struct direct_trees *trees, uint32_t y, uint32_t *least)
{
    const uint32_t width = in->grid->block_width, height = in->grid->block_height;
    const uint32_t columns = in->place.columns, top = trees->shape.levels > 1 ? trees->shape.levels - 1 : 0;
    struct direct_place place = {.y = y << height};
    struct j2k_header_bits bits = *from;
    struct direct_lists to = *lists;
    *least = trees->shape.levels;
    place.height = side(place.y, height, in->place.rect.y1);
    for (uint32_t x = 0; x < columns;) {
        const uint32_t left_out = y < trees->until[x] ? trees->level[x] + 1U : take_inclusion(trees, &bits, x, y, top);
        if (left_out > 0) {
            *least = left_out - 1 < *least ? left_out - 1 : *least;
            x += 1U << (left_out - 1);
            continue;
        }
        place.x = x++ << width;
        place.width = side(place.x, width, in->place.rect.x1);
        if (!read_block(&to, &bits, in, place, take_missing(trees, &bits, x - 1, top)))
            return false;
    }
    *least = to.block > lists->block ? 0 : *least;
    *from = bits;
    *lists = to;
    return !j2k_bits_overrun(&bits);
}

static bool read_rows(struct direct_reading *r, struct j2k_header_bits *bits, const struct direct_band *in)
{
    const uint32_t blocks = in->place.columns * in->place.rows;
    struct direct_trees trees;
    if (!kst_j2k_make_room(r->builder, blocks, SEGMENTS * blocks))
        return false;
    struct direct_lists to = begin_lists(r);
    begin_trees(&trees, in);
    for (uint32_t y = 0, least; y < in->place.rows; y = ((y >> least) + 1) << least) {
        begin_row(&trees, y);
        if (!read_row(&to, bits, in, &trees, y, &least))
            return false;
    }
    end_lists(r, in->band, &to);
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

/*
 * Fetch bytes ahead. Each packet header says where the next one begins, so that reading them would wait for memory at
 * each packet: for a volume of many small packets more than a quarter of the time that opening and planning it takes.
 */
static void fetch_ahead(struct direct_reading *r)
{
    const uint64_t to = r->position + r->ahead < r->end ? r->position + r->ahead : r->end;
    uint64_t at = r->position > r->fetched ? r->position : r->fetched;
    for (; at < to; at += LINE)
        __builtin_prefetch(r->builder->stream->data + at);
    r->fetched = at;
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
    fetch_ahead(r);
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
    r->ahead = r->end - r->position <= builder->packet_total * SHORT ? AHEAD_SHORT : AHEAD_LONG;
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
