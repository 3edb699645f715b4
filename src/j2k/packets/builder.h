/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the files that build a plan share: their state, and the functions by which they call each other. Apart
 * from the plan, the state belongs to the tile that is being built.
 */
#ifndef KOSTKA_J2K_PACKETS_BUILDER_H
#define KOSTKA_J2K_PACKETS_BUILDER_H

#include "core/report.h"
#include "j2k/packets/build.h"
#include "j2k/packets/header_bits.h"
#include "j2k/plan/block_coder.h"
#include "j2k/syntax/geometry.h"

enum { J2K_NO_INDEX = 0, J2K_CODER_OPEN = J2K_BLOCK_CODERS };

/* Holds what is known of a code-block while packets are read. */
struct j2k_block_state {
    /*
     * Indices of its first and last contribution, plus 1; J2K_NO_INDEX: none is kept. In a survey `first` only says
     * whether there was any. Where only headers are read, both are numbers, counted from 1, of passes: the first and
     * the last cleanup pass of T.814 that has bytes; J2K_NO_INDEX: there is none.
     */
    uint32_t first, last;
    uint8_t length_bits : 6; /* Lblock; 0: the block is not included yet */
    /*
     * enum j2k_block_coder_kind; J2K_CODER_OPEN: no packet had bytes of the block, so that its passes so far only count
     * planes
     */
    uint8_t coder : 2;
    uint8_t missing;
    uint8_t passes;
    /* In a survey: those of `passes` that belong to wanted layers and precincts and were not dropped. */
    uint8_t kept;
};

/* Holds what one packet adds to one segment of a code-block. */
struct j2k_contribution {
    uint64_t offset;
    uint32_t length;
    uint32_t next; /* index of the same block's next contribution, plus 1 */
    uint16_t layer;
    uint8_t passes;
    bool starts; /* it starts a new segment */
};

/* Describes one band's share of a precinct. */
struct j2k_precinct_band {
    struct j2k_rect rect;   /* in the band's coordinates */
    uint32_t column, row;   /* of its first block, counted from the origin of the band */
    uint32_t columns, rows; /* numbers of blocks; if either is 0, there are none */
    struct j2k_block_state *block;
    uint32_t *inclusion; /* nodes of the tag trees of inclusion and of missing bit-planes */
    uint8_t *missing;
    uint8_t *excluded; /* one entry per column of blocks: see take_inclusion() in packet.c */
};

/* Holds what packets have said about a precinct; allocated when the first packet that is not empty is read. */
struct j2k_precinct_state {
    struct j2k_precinct_band band[3];
};

struct j2k_precinct {
    struct j2k_precinct_state *state; /* null: no packet of it had any content yet */
    uint16_t layers;                  /* number of its packets that were read */
    bool wanted;                      /* some of its blocks are wanted */
    bool broken;                      /* one of its packets is lost, so that those after it cannot be read */
};

/* Counts the blocks, segments and pieces that contributions begin, including contributions that were dropped. */
struct j2k_begun {
    uint32_t blocks, segments, pieces;
};

/* Holds the grid of precincts of one resolution of one component. */
struct j2k_grid {
    uint32_t component;
    uint8_t resolution;
    uint8_t shift;                     /* levels − resolution: how often its samples were halved */
    uint8_t width_bits, height_bits;   /* PPx and PPy */
    uint8_t block_width, block_height; /* log2 of the code-blocks' size: xcb′, ycb′ (B-17, B-18) */
    uint8_t style;
    uint8_t band_count;
    uint32_t column, row;   /* of the first precinct, counted from the origin of the resolution */
    uint32_t columns, rows; /* numbers of precincts; both 0 if the resolution is empty */
    uint32_t first_precinct;
    bool kept; /* its bands are in the plan, from first_band on */
    uint32_t first_band;
    struct j2k_rect band[3];
    struct j2k_begun begun; /* by the packets that were read so far */
};

/* Holds memory of a tile's precincts, which is released as a whole. */
struct j2k_arena {
    struct j2k_arena_chunk *chunk;
    uint32_t step; /* the usual bytes of a chunk; 0: 256 KiB */
};

struct j2k_builder {
    kst_status (*collect)(struct j2k_builder *builder); /* handles what the packets of the current tile said */
    void *collector;                                    /* argument for `collect` */
    struct memory *memory;
    const kst_limits *limits;
    const struct j2k_stream *stream;
    const struct j2k_filter *filter;
    kst_report *report;
    struct j2k_plan *plan;
    const struct j2k_plan *whole; /* a plan that has the packets' contents already; null: packets are read */
    bool survey;                  /* packets are read and checked, but the plan keeps nothing of them */
    bool headers_only; /* in a survey: no contributions are made, so that blocks' headers are all that is known */
    uint32_t tile_capacity, tile_component_capacity, resolution_capacity, band_capacity;
    uint32_t block_capacity, segment_capacity, piece_capacity;
    uint32_t tiles_so_far;                         /* number of tiles that can be decoded */
    uint64_t precincts_so_far, resolutions_so_far; /* sums over all tiles, against the limit */
    uint64_t visits; /* visits of samples by coding passes in all tiles, against the limit */
    uint64_t visits_allowed;
    uint64_t contributions; /* contributions of packets to segments in all tiles, against the limit */
    uint64_t contributions_allowed;
    /* Steps through the order of packets that yielded no packet, in all tiles, against the limit. */
    uint64_t turns;
    struct j2k_rect region; /* on the reference grid, at the plan's reduction */
    bool restricted;        /* the filter may let reading end before the last packet */
    struct pool *pool;      /* threads that share the work of a tile; null: the caller works alone */
    uint32_t shared_from;   /* fewest code-blocks with which a tile is shared by threads */

    /* The members from here on belong to the current tile. */
    struct j2k_parameters own; /* set where the tile's headers change the main header's parameters */
    struct j2k_parameters in_force;
    uint32_t tile; /* index in raster order */
    struct j2k_rect rect;
    struct j2k_grid *grid; /* sorted by component, then by resolution */
    uint32_t grid_count, grid_capacity;
    uint32_t *component_grid; /* index of each component's first grid, and one more entry at the end */
    struct j2k_precinct *precinct;
    uint32_t precinct_count;
    uint64_t packet_total;
    uint64_t wanted_packets; /* number of wanted packets that are still to be read */
    struct j2k_arena arena;
    struct j2k_contribution *contribution;
    uint32_t contribution_count, contribution_capacity;
    struct j2k_block_state **contributor; /* in a survey: the block of each contribution */
    uint32_t contributor_capacity;
    bool roomy;                  /* the plan has room for all that the packets have begun */
    struct j2k_sharing *sharing; /* what threads read of the tile; null: they did not share the reading */
};

/* Drop a contribution: its passes no longer count. */
static inline void j2k_drop_contribution(struct j2k_builder *builder, uint32_t index)
{
    struct j2k_contribution *c = &builder->contribution[index];
    if (builder->survey)
        builder->contributor[index]->kept = (uint8_t)(builder->contributor[index]->kept - c->passes);
    c->passes = 0;
}

/* Forget all contributions of the tile. */
static inline void j2k_forget_contributions(struct j2k_builder *builder)
{
    builder->contribution_count = 0;
    for (uint32_t g = 0; g < builder->grid_count; g++)
        builder->grid[g].begun = (struct j2k_begun){0};
}

/*
 * build.c: start a plan with its components and the filter's region, before the first tile; release what a builder
 * holds, except for the plan; and build a plan from start to end, leaving out tiles that cannot be read. On failure
 * nothing of the plan is left.
 */
kst_status kst_j2k_builder_start(struct j2k_builder *builder);
void kst_j2k_builder_release(struct j2k_builder *builder);
kst_status kst_j2k_builder_run(struct j2k_builder *builder);

/*
 * parameters.c: whether a tile's headers change parameters, and setting the parameters in force for the current tile.
 */
bool kst_j2k_tile_has_own(const struct j2k_stream *stream, uint32_t tile);
kst_status kst_j2k_tile_parameters(struct j2k_builder *builder);

/*
 * layout.c: put the tile's geometry into the plan and the grids. kst_j2k_forget_packets() resets what packets have said
 * about the tile.
 */
kst_status kst_j2k_layout(struct j2k_builder *builder);
/* Count this many more resolutions, or an equal amount of work, against the limit. */
kst_status kst_j2k_count_resolutions(struct j2k_builder *builder, uint32_t count);
void kst_j2k_forget_packets(struct j2k_builder *builder);

/*
 * packet_lengths.c: lengths of all packets of the tile, in their order. The count is 0 if nothing gives them, if all
 * packets are wanted anyway, or if they contradict the tile-parts, which is a warning. The caller releases the array.
 */
struct j2k_packet_lengths {
    uint64_t *length; /* at most the bytes of a tile-part, which may exceed 4 GiB (A.4.2: Psot = 0) */
    uint32_t count;
};
kst_status kst_j2k_packet_lengths(struct j2k_builder *builder, struct j2k_packet_lengths *lengths);
/* Do the same where all packets are wanted, without a report; false if nothing gives the lengths of all of them. */
bool kst_j2k_all_packet_lengths(const struct j2k_builder *builder, struct j2k_packet_lengths *lengths);

/*
 * packed_headers.c: the tile's packed packet headers, joined over its tile-parts. `data` is null if there are none. The
 * caller releases the array, also after an error.
 */
struct j2k_packed_headers {
    uint8_t *data;
    size_t length;
};
bool kst_j2k_has_packed_headers(const struct j2k_builder *builder);
kst_status kst_j2k_join_packed_headers(const struct j2k_builder *builder, struct j2k_packed_headers *headers);

/*
 * tile_packets.c: read all packets of the tile; and return the number of steps through the order of packets that a
 * volume takes even without packets.
 */
kst_status kst_j2k_read_packets(struct j2k_builder *builder);
uint64_t kst_j2k_volume_turns(const struct j2k_volume *volume);

/*
 * direct.c: read the packets of the tile and collect what they say, in one go, where that is simple. If it is not
 * simple, or if there is anything to report, returns false and leaves everything as it was.
 */
bool kst_j2k_read_direct(struct j2k_builder *builder);

/*
 * shared.c: let threads share the work of a tile, resolution by resolution, where PLT says where packets lie: first the
 * reading, then the collecting of what they read. If sharing does not pay, or if there is anything to report, both
 * return false and leave everything as it was; the caller then does the work alone.
 */
bool kst_j2k_read_shared(struct j2k_builder *builder);
bool kst_j2k_collect_shared(struct j2k_builder *builder);
/* Release what threads read; kst_j2k_read_undo() also forgets it, so that the caller can read alone. */
void kst_j2k_sharing_release(struct j2k_builder *builder);
void kst_j2k_read_undo(struct j2k_builder *builder);

/*
 * sop.c: SOP markers (A.8.1). kst_j2k_sop_at() gives the number of the one at `at`, or J2K_NO_SOP; kst_j2k_sop_find()
 * the position of the next one, or `end`.
 */
enum { J2K_SOP_LENGTH = 6, J2K_NO_SOP = 0x10000 };
uint32_t kst_j2k_sop_at(const uint8_t *at, const uint8_t *end);
const uint8_t *kst_j2k_sop_find(const uint8_t *from, const uint8_t *end);

/* collect.c: add the tile's blocks, segments and pieces to the plan. This is the usual `collect` of a builder. */
kst_status kst_j2k_collect(struct j2k_builder *builder);
/* Do the same for one resolution, in whose lists there is room. */
kst_status kst_j2k_collect_grid(struct j2k_builder *builder, const struct j2k_grid *grid);
/*
 * Make room for `more` elements behind the `count` elements of a list. A list that grows becomes at least twice as
 * large.
 */
kst_status kst_j2k_reserve(
    struct j2k_builder *builder, void **list, uint32_t count, uint64_t more, uint32_t *capacity, size_t size);
/*
 * Make room in the plan for some more blocks, some segments and as many pieces. Returns false on failure, without a
 * report.
 */
bool kst_j2k_make_room(struct j2k_builder *builder, uint32_t blocks, uint32_t segments);
/* Make room in the plan for all that the tile can add, but for only one block beyond the limit. */
kst_status kst_j2k_make_rooms(struct j2k_builder *builder);

/* build.c: whether an error concerns only one tile. */
bool kst_j2k_is_tile_error(kst_status status);

/* packet.c: read the header of one packet. */
enum j2k_packet_outcome { J2K_PACKET_FINE, J2K_PACKET_DAMAGED, J2K_PACKET_FAILED };

struct j2k_packet {
    const uint8_t *next; /* the header on entry, and the byte behind it on return */
    const uint8_t *end;  /* end of the bytes that may hold the header */
    uint64_t body;       /* number of bytes of code-blocks that follow */
    /* The first contribution that the packet added. Offsets of its contributions count from the start of its body. */
    uint32_t first_contribution;
    kst_status status; /* the error if reading failed, already reported */
};
enum j2k_packet_outcome kst_j2k_packet_header(struct j2k_builder *builder, const struct j2k_grid *grid,
    uint32_t precinct, uint32_t layer, struct j2k_packet *packet);

/* precinct.c: the state of a precinct, allocated if there is none yet. Returns null at a limit, which is reported. */
struct j2k_precinct_state *kst_j2k_precinct_state(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t precinct, kst_status *status);
struct j2k_rect kst_j2k_precinct_band_rect(const struct j2k_grid *grid, uint32_t precinct, uint32_t band);
/* Return the rect of a precinct's band, and its blocks' rows and columns, which are 0 if it is empty. */
struct j2k_precinct_band kst_j2k_precinct_band(const struct j2k_grid *grid, uint32_t precinct, uint32_t band);
/* Return the rect of the block in column x and row y of a precinct's band. */
struct j2k_rect kst_j2k_block_rect(
    const struct j2k_grid *grid, const struct j2k_precinct_band *band, uint32_t x, uint32_t y);
void kst_j2k_arena_release(struct memory *memory, struct j2k_arena *arena);

/* Holds what the quantiser of a component's bands depends on. */
struct j2k_band_quantiser {
    const struct j2k_quantisation *quantisation;
    uint8_t depth, roi_shift;
    bool reversible;
};

/*
 * layout.c: set exponent, mantissa, planes and step of a band. In the list of steps, LL has number 0, and each further
 * resolution has the next three numbers (E-3 to E-5).
 */
void kst_j2k_quantise_band(struct j2k_band *band, const struct j2k_band_quantiser *quantiser, uint8_t resolution);

#endif
