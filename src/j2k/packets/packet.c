/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes packet headers (T.800 B.10, T.814 B.3). */
#include "j2k/packets/block_header.h"
#include "j2k/packets/builder.h"
#include "j2k/packets/tag_tree.h"
#include "j2k/syntax/parser.h"

/* Holds the state while one header is read. */
struct packet_reading {
    struct j2k_builder *builder;
    const struct j2k_grid *grid;
    struct j2k_begun *begun; /* of the grid */
    bool wanted;             /* contributions are kept, because layer and precinct are wanted */
    bool one_segment;        /* all passes of a block of EBCOT share one segment */
    enum j2k_block_coder_kind coder;
    uint32_t layer;
    uint64_t body;
    kst_status status;
};

/*
 * In a survey, remember the block of the coming contribution, so that its passes can be subtracted if the contribution
 * is dropped.
 */
static bool note_block(struct packet_reading *reading, struct j2k_block_state *block, uint32_t passes)
{
    struct j2k_builder *builder = reading->builder;
    reading->status = kst_j2k_grow(builder->memory, builder->report, (void **)&builder->contributor,
        builder->contribution_count, &builder->contributor_capacity, sizeof *builder->contributor);
    if (reading->status)
        return false;
    builder->contributor[builder->contribution_count] = block;
    block->kept = (uint8_t)(block->kept + passes);
    block->first = 1;
    return true;
}

static bool is_too_many(struct packet_reading *reading)
{
    struct j2k_builder *builder = reading->builder;
    if (++builder->contributions <= builder->contributions_allowed)
        return false;
    uint64_t place = builder->stream->part[builder->stream->tile_part[builder->tile]].offset;
    reading->status = kst_report_error(builder->report, KST_ERROR_LIMIT_WORK, place, "segments of code-blocks");
    return true;
}

/*
 * Return whether the coming contribution starts a segment. Passes in front of the first set of T.814 belong to the
 * segment of that set.
 */
static bool starts(const struct packet_reading *reading, const struct j2k_block_state *block, bool first)
{
    return block->passes == 0 || (!first && !(reading->one_segment && block->coder == J2K_EBCOT) &&
                                     kst_j2k_block_coder_of(block->coder)->starts(reading->grid->style, block->passes));
}

/* Return how many of a block's next passes are in the same segment. */
static uint32_t same_segment(const struct packet_reading *reading, const struct j2k_block_state *block, uint32_t passes)
{
    if (reading->one_segment && block->coder == J2K_EBCOT)
        return passes;
    const uint32_t room = kst_j2k_block_coder_of(block->coder)->room(reading->grid->style, block->passes);
    return passes < room ? passes : room;
}

static bool make_room(struct packet_reading *reading)
{
    struct j2k_builder *builder = reading->builder;
    reading->status = kst_j2k_grow(builder->memory, builder->report, (void **)&builder->contribution,
        builder->contribution_count, &builder->contribution_capacity, sizeof *builder->contribution);
    return !reading->status;
}

/* Link the contribution that was added last to the earlier contributions of its block. */
static void chain(struct packet_reading *reading, struct j2k_block_state *block)
{
    struct j2k_builder *builder = reading->builder;
    if (block->last) {
        builder->contribution[block->last - 1].next = builder->contribution_count;
    } else {
        block->first = builder->contribution_count;
        reading->begun->blocks++;
    }
    block->last = builder->contribution_count;
}

static bool keep(
    struct packet_reading *reading, struct j2k_block_state *block, uint32_t passes, uint32_t length, bool first)
{
    struct j2k_builder *builder = reading->builder;
    const bool begins = starts(reading, block, first);
    if (is_too_many(reading) || (builder->survey && !note_block(reading, block, passes)))
        return false;
    if (builder->contribution_count == builder->contribution_capacity && !make_room(reading))
        return false;
    builder->contribution[builder->contribution_count++] = (struct j2k_contribution){.offset = reading->body,
        .length = length,
        .layer = (uint16_t)reading->layer,
        .passes = (uint8_t)passes,
        .starts = begins};
    reading->begun->segments += begins;
    reading->begun->pieces += length > 0;
    if (!builder->survey)
        chain(reading, block);
    return true;
}

/*
 * Remember the first and the last cleanup pass of T.814 that has bytes. This is for a survey that reads only packet
 * headers, where a block's contributions are not kept.
 */
static void note_cleanup(struct j2k_block_state *block, uint32_t passes, uint32_t length)
{
    const uint32_t number = block->passes + passes; /* that of the last of these passes, counted from 1 */
    if (block->coder != J2K_HT || length == 0 || number % 3 != 1)
        return;
    if (block->first == J2K_NO_INDEX)
        block->first = number;
    block->last = number;
}

static bool add(struct packet_reading *reading, struct j2k_block_state *block, uint32_t *passes, uint32_t part,
    uint32_t length, bool first)
{
    if (reading->wanted && !keep(reading, block, part, length, first))
        return false;
    if (!reading->wanted && reading->builder->headers_only)
        note_cleanup(block, part, length);
    reading->body += length;
    block->passes = (uint8_t)(block->passes + part);
    *passes -= part;
    return true;
}

/* Holds a length of which some bits were read. */
struct partial_length {
    uint32_t bits, value;
};

static bool read_on(struct j2k_header_bits *from, struct partial_length *length, uint32_t bits)
{
    if (bits < length->bits || bits > J2K_LENGTH_BITS_MAX)
        return false;
    uint32_t more = bits - length->bits, next = j2k_bits_take(from, more);
    length->value = more < 32 ? length->value << more | next : next;
    length->bits = bits;
    return true;
}

/* Read the length of a mixed block's first bytes, which shows that the block is one of EBCOT. */
static bool read_first_of_ebcot(struct packet_reading *reading, struct j2k_header_bits *bits,
    struct j2k_block_state *block, struct partial_length *length, uint32_t *passes)
{
    block->coder = J2K_EBCOT;
    const uint32_t part = same_segment(reading, block, *passes);
    return read_on(bits, length, block->length_bits + j2k_floor_log2(part)) &&
           add(reading, block, passes, part, length->value, false);
}

/*
 * Read the length of a block's first bytes, where the style allows code-blocks of T.814. Passes in front of the first
 * bytes have no bytes, and their length is read like that of EBCOT's passes. The first bytes can be those of a cleanup
 * pass: the last pass of a packet whose index is a multiple of 3. In mixed tile-components T.814's lengths begin with a
 * 0 and have more than three bits, and EBCOT's lengths of more than three bits begin with a 1.
 */
static bool read_first(
    struct packet_reading *reading, struct j2k_header_bits *bits, struct j2k_block_state *block, uint32_t *passes)
{
    const bool mixed = (reading->grid->style & J2K_STYLE_MIXED) != 0;
    const uint32_t behind = (block->passes + *passes - 1) % 3, least = block->length_bits;
    const uint32_t set = behind < *passes ? *passes - behind : 0;
    struct partial_length length = {0};
    if (!read_on(bits, &length, least))
        return false;
    if (mixed && (least == J2K_LENGTH_BITS_START ? length.value > 0 : length.value >> (least - 1) != 0))
        return read_first_of_ebcot(reading, bits, block, &length, passes);
    if (set > 0 && !read_on(bits, &length, least + j2k_floor_log2(set)))
        return false;
    if (set > 0 && length.value > 0 && (!mixed || (length.value > 1 && least > J2K_LENGTH_BITS_START))) {
        block->coder = J2K_HT;
        return add(reading, block, passes, set, length.value, true);
    }
    if (length.value == 0 && !read_on(bits, &length, least + j2k_floor_log2(*passes)))
        return false;
    if (length.value > 0)
        return mixed && read_first_of_ebcot(reading, bits, block, &length, passes);
    return add(reading, block, passes, *passes, 0, true);
}

/*
 * Do the same in the usual case: the style does not mix code-blocks, and the packet has the first bytes, which are
 * those of a cleanup pass. In all other cases returns false, reads nothing, and leaves *fine as it is.
 */
static inline bool read_first_set(struct packet_reading *reading, struct j2k_header_bits *bits,
    struct j2k_block_state *block, uint32_t *passes, bool *fine)
{
    const uint32_t behind = (block->passes + *passes - 1) % 3, set = behind < *passes ? *passes - behind : 1;
    const uint32_t width = block->length_bits + j2k_floor_log2(set);
    if (behind >= *passes || (reading->grid->style & J2K_STYLE_MIXED) || width > J2K_LENGTH_BITS_MAX)
        return false;
    j2k_bits_need(bits, J2K_LENGTH_BITS_MAX);
    const uint32_t length = (uint32_t)(bits->ahead >> 1 >> (63 - width));
    if (length == 0)
        return false;
    j2k_bits_skip(bits, width);
    block->coder = J2K_HT;
    *fine = add(reading, block, passes, set, length, true);
    return true;
}

/* Read the length of a block's first bytes in either way. */
static inline bool read_any_first(
    struct packet_reading *reading, struct j2k_header_bits *bits, struct j2k_block_state *block, uint32_t *passes)
{
    bool fine = true;
    if (read_first_set(reading, bits, block, passes, &fine))
        return fine;
    struct j2k_header_bits copy = *bits; /* so that `bits` has no address */
    uint32_t left = *passes;
    fine = read_first(reading, &copy, block, &left);
    *bits = copy;
    *passes = left;
    return fine;
}

/* Read passes and lengths of a block that is included (B.10.6, B.10.7). Returns false if they are impossible. */
static inline bool read_block(
    struct packet_reading *reading, struct j2k_header_bits *bits, struct j2k_block_state *block)
{
    uint32_t passes = j2k_take_passes(bits);
    const uint32_t length_bits = block->length_bits + j2k_bits_ones(bits);
    if (length_bits > J2K_LENGTH_BITS_MAX)
        return false;
    block->length_bits = (uint8_t)(length_bits & 0x3F);
    if (block->passes + passes > J2K_PASSES_MAX)
        return false;
    if (block->coder == J2K_CODER_OPEN && !read_any_first(reading, bits, block, &passes))
        return false;
    while (passes > 0) {
        uint32_t part = same_segment(reading, block, passes);
        uint32_t width = block->length_bits + j2k_floor_log2(part);
        if (width > J2K_LENGTH_BITS_MAX)
            return false;
        uint32_t length = j2k_bits_take(bits, width);
        if (!add(reading, block, &passes, part, length, false))
            return false;
    }
    return !j2k_bits_overrun(bits);
}

/*
 * Read whether a block that was not included so far is included now (B.10.4, B.10.5). If not, *level becomes the level
 * of the highest node of the tag tree for which that holds.
 */
static inline bool read_inclusion(const struct packet_reading *reading, struct j2k_header_bits *bits,
    const struct j2k_precinct_band *band, const struct j2k_tag_shape *shape, uint32_t x, uint32_t y, uint32_t *level)
{
    if (!j2k_tag_below(shape, band->inclusion, bits, x, y, reading->layer + 1, level))
        return false;
    struct j2k_block_state *block = &band->block[(size_t)y * band->columns + x];
    block->missing = (uint8_t)j2k_tag_value(shape, band->missing, bits, x, y);
    block->length_bits = J2K_LENGTH_BITS_START;
    block->coder = reading->coder == J2K_EBCOT ? J2K_EBCOT : J2K_CODER_OPEN;
    return true;
}

/*
 * Read whether the block (x, y) is included; if not, *level becomes the level of the tag tree's node that excludes it.
 * If that node began in a row above, `excluded` has its level for the node's first column, because the tree was
 * consulted in that row. So the tree is consulted only once for each node.
 */
static inline bool take_inclusion(const struct packet_reading *reading, struct j2k_header_bits *bits,
    const struct j2k_precinct_band *band, const struct j2k_tag_shape *shape, uint32_t x, uint32_t y, uint32_t *level)
{
    uint8_t *excluded = &band->excluded[x];
    bool before = band->block[(size_t)y * band->columns + x].length_bits > 0;
    *level = before ? 0 : *excluded;
    if ((y & ((1U << *level) - 1)) != 0)
        return false;
    *level = 0;
    bool included = before ? j2k_bit(bits) : read_inclusion(reading, bits, band, shape, x, y, level);
    *excluded = (uint8_t)*level;
    return included;
}

/*
 * Read the blocks of a band in raster order. What a node of the tag tree excludes is skipped as a whole, along a row,
 * and down the rows if the whole row is excluded, so that the work is proportional to the bits of the header.
 */
static bool read_band(
    struct packet_reading *reading, struct j2k_header_bits *from, const struct j2k_precinct_band *band)
{
    if (band->columns == 0)
        return true;
    struct j2k_header_bits bits = *from;
    struct j2k_tag_shape shape;
    kst_j2k_tag_shape(&shape, band->columns, band->rows);
    for (uint32_t y = 0, least; y < band->rows; y = ((y >> least) + 1) << least) {
        least = shape.levels;
        for (uint32_t x = 0; x < band->columns;) {
            struct j2k_block_state *block = &band->block[(size_t)y * band->columns + x];
            uint32_t level = 0;
            bool included = take_inclusion(reading, &bits, band, &shape, x, y, &level);
            if (included && !read_block(reading, &bits, block))
                return false;
            if (j2k_bits_overrun(&bits))
                return false;
            least = level < least ? level : least;
            x = ((x >> level) + 1) << level;
        }
    }
    *from = bits;
    return true;
}

enum j2k_packet_outcome kst_j2k_packet_header(struct j2k_builder *builder, const struct j2k_grid *grid,
    uint32_t precinct, uint32_t layer, struct j2k_packet *packet)
{
    const struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    uint32_t layers = builder->filter->layers;
    struct packet_reading reading = {.builder = builder,
        .grid = grid,
        .begun = &builder->grid[grid - builder->grid].begun,
        .layer = layer,
        .wanted = !builder->headers_only && p->wanted && (layers == 0 || layer < layers),
        .one_segment = (grid->style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS)) == 0,
        .coder = kst_j2k_block_coder(grid->style)->kind};
    struct j2k_header_bits bits;
    packet->first_contribution = builder->contribution_count;
    packet->body = 0;
    j2k_bits_start(&bits, packet->next, packet->end);
    if (j2k_bit(&bits)) {
        const struct j2k_precinct_state *state = kst_j2k_precinct_state(builder, grid, precinct, &reading.status);
        bool fine = state;
        for (uint32_t b = 0; b < grid->band_count && fine; b++)
            fine = read_band(&reading, &bits, &state->band[b]);
        packet->status = reading.status;
        if (reading.status)
            return J2K_PACKET_FAILED;
        if (!fine)
            return J2K_PACKET_DAMAGED;
    }
    packet->next = j2k_bits_end(&bits);
    packet->body = reading.body;
    return packet->next ? J2K_PACKET_FINE : J2K_PACKET_DAMAGED;
}
