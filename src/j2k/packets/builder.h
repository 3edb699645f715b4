/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts that build a plan share; all of it is of one tile but for the plan itself. */
#ifndef KOSTKA_J2K_PACKETS_BUILDER_H
#define KOSTKA_J2K_PACKETS_BUILDER_H

#include "core/report.h"
#include "j2k/packets/build.h"
#include "j2k/packets/header_bits.h"
#include "j2k/syntax/geometry.h"

enum { J2K_NO_INDEX = 0, J2K_PASSES_MAX = 3 * (2 * 37) - 2 };

/* A code-block while packets are read. */
struct j2k_block_state {
    uint32_t first, last; /* contributions, their index + 1; J2K_NO_INDEX: none is kept; of a survey whether any was */
    uint8_t length_bits;  /* Lblock; 0: not included yet */
    uint8_t missing;
    uint8_t passes;
    uint8_t kept; /* of these, in a survey, those of layers and precincts that are wanted, less those dropped */
};

/* What one packet adds to one segment of a code-block. */
struct j2k_contribution {
    uint64_t offset;
    uint32_t length;
    uint32_t next; /* of the same block, index + 1 */
    uint16_t layer;
    uint8_t passes;
    bool starts; /* a new segment */
};

/* One band's share of a precinct. */
struct j2k_precinct_band {
    struct j2k_rect rect;   /* in the band's coordinates */
    uint32_t column, row;   /* of its first block, counted from 0 */
    uint32_t columns, rows; /* of blocks; either 0: there are none */
    struct j2k_block_state *block;
    uint32_t *inclusion; /* nodes of the tag trees */
    uint8_t *missing;
    uint8_t *excluded; /* of each column: see read_band() */
};

/* What packets say of a precinct; made when its first packet that is not empty comes. */
struct j2k_precinct_state {
    struct j2k_precinct_band band[3];
};

struct j2k_precinct {
    struct j2k_precinct_state *state; /* null: nothing so far */
    uint16_t layers;                  /* packets read */
    bool wanted;                      /* some of its blocks are */
    bool broken;                      /* a packet of it is lost, so that those after it cannot be read */
};

/* The precincts of one resolution of one component. */
struct j2k_grid {
    uint32_t component;
    uint8_t resolution;
    uint8_t shift;                     /* levels − resolution */
    uint8_t width_bits, height_bits;   /* PPx and PPy */
    uint8_t block_width, block_height; /* log2 of the size: xcb′, ycb′ (B-17, B-18) */
    uint8_t style;
    uint8_t band_count;
    uint32_t column, row;   /* of the first precinct, counted from 0 of the resolution's coordinates */
    uint32_t columns, rows; /* both 0 where the resolution is empty */
    uint32_t first_precinct;
    bool kept; /* its bands are in the plan: */
    uint32_t first_band;
    struct j2k_rect band[3];
};

/* Memory of a tile's precincts, given back as a whole. */
struct j2k_arena {
    struct j2k_arena_chunk *chunk;
};

struct j2k_builder {
    kst_status (*collect)(struct j2k_builder *builder); /* takes what the packets of the tile at hand said */
    void *collector;                                    /* for it */
    struct memory *memory;
    const kst_limits *limits;
    const struct j2k_stream *stream;
    const struct j2k_filter *filter;
    kst_report *report;
    struct j2k_plan *plan;
    const struct j2k_plan *whole; /* what packets said already; null: they are to be read */
    bool survey;                  /* what packets say is counted and looked at, and the plan keeps nothing of it */
    uint32_t tile_capacity, tile_component_capacity, resolution_capacity, band_capacity;
    uint32_t block_capacity, segment_capacity, piece_capacity;
    uint32_t tiles_so_far;                         /* those that can be decoded */
    uint64_t precincts_so_far, resolutions_so_far; /* of all tiles, against the limit */
    uint64_t visits;                               /* of samples by coding passes, of all tiles, against the limit */
    uint64_t contributions;                        /* of packets to segments, of all tiles, against the limit */
    uint64_t contributions_allowed;
    uint64_t turns;         /* in the order of packets, of all tiles, that brought none; against the limit */
    struct j2k_rect region; /* on the reference grid, reduced */
    bool restricted;        /* the filter may let reading end before the last packet */

    /* of the tile at hand */
    struct j2k_parameters own; /* where its header changes what the main header says */
    struct j2k_parameters in_force;
    uint32_t tile; /* index in the raster */
    struct j2k_rect rect;
    struct j2k_grid *grid; /* by component, then resolution */
    uint32_t grid_count, grid_capacity;
    uint32_t *component_grid; /* the first of each component; one more at the end */
    struct j2k_precinct *precinct;
    uint32_t precinct_count;
    uint64_t packet_total;
    uint64_t wanted_packets; /* still to be read */
    struct j2k_arena arena;
    struct j2k_contribution *contribution;
    uint32_t contribution_count, contribution_capacity;
    struct j2k_block_state **contributor; /* in a survey: the block of each */
    uint32_t contributor_capacity;
};

/* A contribution counts for nothing. */
static inline void j2k_drop_contribution(struct j2k_builder *builder, uint32_t index)
{
    struct j2k_contribution *c = &builder->contribution[index];
    if (builder->survey)
        builder->contributor[index]->kept = (uint8_t)(builder->contributor[index]->kept - c->passes);
    c->passes = 0;
}

/*
 * build.c: the plan's components and the filter's region, before the first tile; what a builder holds at the end, but
 * not the plan; and from start to end all tiles, those aside that cannot be read: on failure nothing of the plan is
 * left.
 */
kst_status kst_j2k_builder_start(struct j2k_builder *builder);
void kst_j2k_builder_release(struct j2k_builder *builder);
kst_status kst_j2k_builder_run(struct j2k_builder *builder);

/* parameters.c: whether a tile's header changes parameters; what is in force for the tile at hand. */
bool kst_j2k_tile_has_own(const struct j2k_stream *stream, uint32_t tile);
kst_status kst_j2k_tile_parameters(struct j2k_builder *builder);

/* layout.c: the tile's geometry, into the plan and the grids; what packets have said of it forgotten. */
kst_status kst_j2k_layout(struct j2k_builder *builder);
/* Count so many more resolutions, or what is as much work, against the limit. */
kst_status kst_j2k_count_resolutions(struct j2k_builder *builder, uint32_t count);
void kst_j2k_forget_packets(struct j2k_builder *builder);

/* packet_lengths.c: of all packets of the tile, in their order. None where nothing says them, where all packets are
 * wanted, or where they contradict the tile-parts, which is a warning. The caller releases the array. */
struct j2k_packet_lengths {
    uint64_t *length; /* no more than a tile-part has bytes, which may be more than 4 GiB (A.4.2: Psot = 0) */
    uint32_t count;
};
kst_status kst_j2k_packet_lengths(struct j2k_builder *builder, struct j2k_packet_lengths *lengths);

/* packed_headers.c: all packet headers of the tile where they are packed, its tile-parts' one after the other; null
 * data where none are. The caller releases the array, also after an error. */
struct j2k_packed_headers {
    uint8_t *data;
    size_t length;
};
bool kst_j2k_has_packed_headers(const struct j2k_builder *builder);
kst_status kst_j2k_join_packed_headers(const struct j2k_builder *builder, struct j2k_packed_headers *headers);

/* tile_packets.c: all packets of the tile. */
kst_status kst_j2k_read_packets(struct j2k_builder *builder);

/* sop.c: SOP (A.8.1). The number of the one at `at`, or J2K_NO_SOP; where the next one is, or `end`. */
enum { J2K_SOP_LENGTH = 6, J2K_NO_SOP = 0x10000 };
uint32_t kst_j2k_sop_at(const uint8_t *at, const uint8_t *end);
const uint8_t *kst_j2k_sop_find(const uint8_t *from, const uint8_t *end);

/* collect.c: blocks, segments and pieces of the tile, into the plan. What a builder's `collect` usually is. */
kst_status kst_j2k_collect(struct j2k_builder *builder);

/* build.c: errors that concern one tile alone. */
bool kst_j2k_is_tile_error(kst_status status);

/* packet.c: the header of one packet. */
enum j2k_packet_outcome { J2K_PACKET_FINE, J2K_PACKET_DAMAGED, J2K_PACKET_FAILED };

struct j2k_packet {
    const uint8_t *next;         /* of the header on entry, behind it on return */
    const uint8_t *end;          /* of what may hold the header */
    uint64_t body;               /* bytes that follow for code-blocks */
    uint32_t first_contribution; /* those it added; their offsets count from the body's start */
    kst_status status;           /* where it failed, already reported */
};
enum j2k_packet_outcome kst_j2k_packet_header(struct j2k_builder *builder, const struct j2k_grid *grid,
    uint32_t precinct, uint32_t layer, struct j2k_packet *packet);

/* precinct.c: the state of a precinct, made where there is none. Null at a limit, which is reported. */
struct j2k_precinct_state *kst_j2k_precinct_state(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t precinct, kst_status *status);
struct j2k_rect kst_j2k_precinct_band_rect(const struct j2k_grid *grid, uint32_t precinct, uint32_t band);
/* The rect of a precinct's band and its blocks' rows and columns; where it is empty there are none. */
struct j2k_precinct_band kst_j2k_precinct_band(const struct j2k_grid *grid, uint32_t precinct, uint32_t band);
/* Of the block in column x and row y of a precinct's band. */
struct j2k_rect kst_j2k_block_rect(
    const struct j2k_grid *grid, const struct j2k_precinct_band *band, uint32_t x, uint32_t y);
void kst_j2k_arena_release(struct memory *memory, struct j2k_arena *arena);

/* How many more passes, of those from `passes` on, belong to the segment that pass `passes` belongs to (D.4, D.6). */
uint32_t kst_j2k_segment_room(uint8_t style, uint32_t passes);
bool kst_j2k_segment_starts(uint8_t style, uint32_t passes);
bool kst_j2k_segment_is_raw(uint8_t style, uint32_t passes);

#endif
