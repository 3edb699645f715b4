/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and collects the packets of a tile on several threads, each of which takes one resolution of a component after
 * the other, where PLT or PLM says where packets lie. Their results are taken over only if reading the packets one by
 * one would have given the same without anything to report. Otherwise the caller reads the tile again alone, so that
 * reports do not depend on threads.
 */
#include "j2k/packets/progression.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/marker.h"

enum { GRIDS_MAX = 512, ARENA_STEP = 1 << 15, EPH_LENGTH = 2 };

/* Holds what a thread finds in one resolution of a component. */
struct packets_share {
    struct j2k_builder builder; /* a copy, with its own report, contributions and memory of precincts */
    struct j2k_plan plan;       /* a copy, with its own numbers of elements and sums over packets */
    kst_report report;
    bool fine;
};

struct j2k_sharing {
    struct j2k_builder *builder;
    struct packets_share *share; /* one for each grid */
    uint32_t order[GRIDS_MAX];   /* the grids, with large ones first */
    struct j2k_packet_lengths lengths;
    uint64_t *offset;      /* where each packet begins, in their order */
    uint32_t *number;      /* the place in that order of each packet, by precinct and then by layer */
    uint64_t left;         /* while packets are located: bytes that are left of the tile-part */
    uint32_t part, placed; /* likewise: the next tile-part, and the number of packets that have a place */
    uint64_t position;
    /* The builder's sums before it took over what was read. */
    struct j2k_packet_totals totals;
    uint64_t turns, contributions;
};

/* Return a rough lower bound of the number of the tile's code-blocks. */
static uint64_t count_blocks(const struct j2k_builder *builder)
{
    uint64_t blocks = 0;
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        for (uint32_t b = 0; b < grid->band_count && !j2k_is_empty(grid->band[b]); b++) {
            const struct j2k_rect band = grid->band[b];
            blocks += (uint64_t)(band.x1 - band.x0) * (band.y1 - band.y0) >> (grid->block_width + grid->block_height);
        }
    }
    return blocks;
}

static bool pays(const struct j2k_builder *builder)
{
    return builder->pool && kst_pool_threads(builder->pool) > 1 && !builder->survey && builder->grid_count > 0 &&
           builder->grid_count <= GRIDS_MAX && count_blocks(builder) >= builder->shared_from;
}

/* Sort the grids from high to low resolutions: high ones have the most blocks. */
static void put_in_order(struct j2k_sharing *sharing)
{
    const struct j2k_builder *builder = sharing->builder;
    uint32_t count = 0;
    for (uint32_t r = J2K_RESOLUTIONS; r-- > 0;)
        for (uint32_t g = 0; g < builder->grid_count; g++)
            if (builder->grid[g].resolution == r)
                sharing->order[count++] = g;
}

static void release_shares(struct j2k_sharing *sharing)
{
    struct j2k_builder *builder = sharing->builder;
    for (uint32_t g = 0; sharing->share && g < builder->grid_count; g++) {
        kst_j2k_arena_release(builder->memory, &sharing->share[g].builder.arena);
        kst_memory_release(builder->memory, sharing->share[g].builder.contribution);
    }
    kst_memory_release(builder->memory, sharing->share);
}

void kst_j2k_sharing_release(struct j2k_builder *builder)
{
    struct j2k_sharing *sharing = builder->sharing;
    if (!sharing)
        return;
    release_shares(sharing);
    kst_memory_release(builder->memory, sharing->lengths.length);
    kst_memory_release(builder->memory, sharing->offset);
    kst_memory_release(builder->memory, sharing->number);
    kst_memory_release(builder->memory, sharing);
    builder->sharing = NULL;
}

/*
 * Begin to share; the builder holds `sharing` from now on. Returns false if memory is missing, which is not reported.
 */
static bool begin(struct j2k_builder *builder)
{
    struct j2k_sharing *sharing = kst_memory_zeroed(builder->memory, 1, sizeof *sharing, NULL);
    if (!sharing)
        return false;
    sharing->builder = builder;
    sharing->share = kst_memory_zeroed(builder->memory, builder->grid_count, sizeof *sharing->share, NULL);
    for (uint32_t g = 0; sharing->share && g < builder->grid_count; g++) {
        struct packets_share *share = &sharing->share[g];
        share->builder = *builder;
        share->builder.arena = (struct j2k_arena){.step = ARENA_STEP};
        share->builder.contribution = NULL;
        share->builder.contribution_count = share->builder.contribution_capacity = 0;
    }
    put_in_order(sharing);
    builder->sharing = sharing;
    return sharing->share;
}

/* Point the share's copy of the builder to the share's own plan and report, and reset these. */
static void settle_in(struct packets_share *share, const struct j2k_builder *builder)
{
    share->plan = *builder->plan;
    share->plan.totals = (struct j2k_packet_totals){0};
    share->builder.plan = &share->plan;
    share->builder.report = &share->report;
    share->builder.visits = 0;
    share->builder.roomy = true;
    kst_report_init(&share->report);
}

/* Note where the next packet lies. */
static bool place_packet(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_sharing *sharing = argument;
    const struct j2k_builder *builder = sharing->builder;
    if (sharing->placed == sharing->lengths.count)
        return false;
    const uint32_t number = sharing->placed++;
    while (sharing->left == 0) {
        const struct j2k_tile_part *part = &builder->stream->part[sharing->part++];
        sharing->position = part->body;
        sharing->left = part->body_length;
    }
    sharing->number[(size_t)(grid->first_precinct + precinct) * builder->in_force.layers + layer] = number;
    sharing->offset[number] = sharing->position;
    sharing->position += sharing->lengths.length[number];
    sharing->left -= sharing->lengths.length[number];
    return true;
}

/* Locate all packets, whose lengths add up to the tile-parts. */
static bool locate(struct j2k_sharing *sharing)
{
    struct j2k_builder *builder = sharing->builder;
    const struct j2k_volume all = {.progression = builder->in_force.progression,
        .r1 = J2K_RESOLUTIONS,
        .layers = builder->in_force.layers,
        .c1 = builder->stream->component_count};
    if (!kst_j2k_all_packet_lengths(builder, &sharing->lengths))
        return false;
    sharing->offset = kst_memory_array(builder->memory, builder->packet_total, sizeof *sharing->offset, NULL);
    sharing->number = kst_memory_array(builder->memory, builder->packet_total, sizeof *sharing->number, NULL);
    sharing->part = builder->stream->tile_part[builder->tile];
    sharing->turns = builder->turns;
    builder->turns += kst_j2k_volume_turns(&all);
    kst_report *report = builder->report, unused;
    kst_report_init(&unused);
    builder->report = &unused;
    bool fine = sharing->offset && sharing->number && !kst_j2k_walk(builder, &all, place_packet, sharing);
    builder->report = report;
    return fine && sharing->placed == builder->packet_total;
}

/* Skip the SOP that a packet must have if COD says so, and must not have otherwise. */
static bool pass_sop(const struct j2k_builder *builder, const uint8_t **next, const uint8_t *end, uint32_t number)
{
    const uint8_t *at = *next;
    if (!builder->in_force.sop)
        return end - at < 2 || at[0] != 0xFF || at[1] != J2K_SOP;
    if (kst_j2k_sop_at(at, end) != (number & 0xFFFF))
        return false;
    *next += J2K_SOP_LENGTH;
    return true;
}

/* Skip the EPH that a header must end with if COD says so. */
static bool pass_eph(const struct j2k_builder *builder, const uint8_t **next, const uint8_t *end)
{
    const uint8_t *at = *next;
    if (!builder->in_force.eph)
        return true;
    *next += EPH_LENGTH;
    return end - at >= EPH_LENGTH && at[0] == 0xFF && at[1] == J2K_EPH;
}

/* Read one packet. Returns false if there is anything to report, or if the packet is not as long as PLT or PLM says. */
static bool read_packet(const struct j2k_sharing *sharing, struct j2k_builder *builder, const struct j2k_grid *grid,
    uint32_t precinct, uint32_t layer)
{
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    const uint32_t number =
        sharing->number[(size_t)(grid->first_precinct + precinct) * builder->in_force.layers + layer];
    const uint8_t *data = builder->stream->data, *start = data + sharing->offset[number];
    struct j2k_packet packet = {.next = start, .end = start + sharing->lengths.length[number]};
    if (!pass_sop(builder, &packet.next, packet.end, number) ||
        kst_j2k_packet_header(builder, grid, precinct, layer, &packet) != J2K_PACKET_FINE ||
        !pass_eph(builder, &packet.next, packet.end) || (uint64_t)(packet.end - packet.next) != packet.body)
        return false;
    for (uint32_t i = packet.first_contribution; i < builder->contribution_count; i++)
        builder->contribution[i].offset += (uint64_t)(packet.next - data);
    builder->plan->totals.packets++;
    builder->plan->totals.header_bytes += (uint64_t)(packet.next - start);
    builder->plan->totals.body_bytes += packet.body;
    p->layers++;
    return true;
}

static void read_grid(void *arg, uint32_t index)
{
    const struct j2k_sharing *sharing = arg;
    struct packets_share *share = &sharing->share[sharing->order[index]];
    struct j2k_builder *builder = &share->builder;
    const struct j2k_grid *grid = &builder->grid[sharing->order[index]];
    settle_in(share, sharing->builder);
    share->fine = true;
    for (uint32_t p = 0; p < grid->columns * grid->rows && share->fine; p++)
        for (uint32_t l = 0; l < builder->in_force.layers && share->fine; l++)
            share->fine = read_packet(sharing, builder, grid, p, l);
}

/* Take over what was read. Returns false if there would have been something to report. */
static bool take_over(struct j2k_sharing *sharing)
{
    struct j2k_builder *builder = sharing->builder;
    const uint64_t before = sharing->contributions = builder->contributions;
    bool fine = true;
    sharing->totals = builder->plan->totals;
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct packets_share *share = &sharing->share[g];
        const struct j2k_packet_totals *totals = &share->plan.totals;
        fine = fine && share->fine && share->report.warnings == 0 && !share->report.status;
        builder->contributions += share->builder.contributions - before;
        builder->plan->totals.packets += totals->packets;
        builder->plan->totals.header_bytes += totals->header_bytes;
        builder->plan->totals.body_bytes += totals->body_bytes;
    }
    return fine && builder->contributions - before <= UINT32_MAX &&
           builder->contributions <= builder->contributions_allowed;
}

void kst_j2k_read_undo(struct j2k_builder *builder)
{
    builder->plan->totals = builder->sharing->totals;
    builder->turns = builder->sharing->turns;
    builder->contributions = builder->sharing->contributions;
    kst_j2k_sharing_release(builder);
    kst_j2k_forget_packets(builder);
}

bool kst_j2k_read_shared(struct j2k_builder *builder)
{
    const bool all = !builder->restricted || builder->wanted_packets == builder->packet_total;
    if (!pays(builder) || !all || builder->in_force.volume_count > 0 || kst_j2k_has_packed_headers(builder))
        return false;
    const uint64_t turns = builder->turns;
    bool fine = begin(builder) && locate(builder->sharing);
    if (!fine) {
        builder->turns = turns;
        kst_j2k_sharing_release(builder);
        return false;
    }
    j2k_forget_contributions(builder);
    kst_pool_run(builder->pool, builder->grid_count, read_grid, builder->sharing);
    fine = take_over(builder->sharing) &&
           builder->turns <= kst_j2k_allowance(builder->limits, J2K_ASKED_TURNS, builder->stream);
    if (!fine)
        kst_j2k_read_undo(builder);
    return fine;
}

/* Return whether a share collected all that was begun, so that its blocks, segments and pieces leave no gaps. */
static bool is_complete(const struct packets_share *share, const struct j2k_grid *grid, const struct j2k_begun *first)
{
    return share->plan.block_count - first->blocks == grid->begun.blocks &&
           share->plan.segment_count - first->segments == grid->begun.segments &&
           share->plan.piece_count - first->pieces == grid->begun.pieces && share->report.warnings == 0;
}

static void collect_grid(void *arg, uint32_t index)
{
    const struct j2k_sharing *sharing = arg;
    struct packets_share *share = &sharing->share[sharing->order[index]];
    const struct j2k_grid *grid = &share->builder.grid[sharing->order[index]];
    const struct j2k_begun first = {share->plan.block_count, share->plan.segment_count, share->plan.piece_count};
    share->fine = !kst_j2k_collect_grid(&share->builder, grid) && is_complete(share, grid, &first);
}

/* Give each share its part of the plan's lists, one behind the other. Returns false if these exceed the limit. */
static bool divide(const struct j2k_sharing *sharing)
{
    const struct j2k_builder *builder = sharing->builder;
    struct j2k_plan next = *builder->plan;
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct j2k_begun *begun = &builder->grid[g].begun;
        struct packets_share *share = &sharing->share[g];
        settle_in(share, builder);
        share->plan.block_count = next.block_count;
        share->plan.segment_count = next.segment_count;
        share->plan.piece_count = next.piece_count;
        next.block_count += begun->blocks;
        next.segment_count += begun->segments;
        next.piece_count += begun->pieces;
    }
    return next.block_count <= builder->limits->blocks;
}

/* Return whether all shares are fine, and together within the limits; the builder then has what they collected. */
static bool take_collected(const struct j2k_sharing *sharing)
{
    struct j2k_builder *builder = sharing->builder;
    const struct j2k_plan *last = &sharing->share[builder->grid_count - 1].plan;
    uint64_t visits = builder->visits;
    bool fine = true;
    for (uint32_t g = 0; g < builder->grid_count && fine; g++) {
        fine = sharing->share[g].fine;
        visits += sharing->share[g].builder.visits;
    }
    if (!fine || visits > builder->visits_allowed)
        return false;
    builder->visits = visits;
    builder->plan->block_count = last->block_count;
    builder->plan->segment_count = last->segment_count;
    builder->plan->piece_count = last->piece_count;
    return true;
}

/* Undo the collecting in all bands. */
static void uncollect(const struct j2k_builder *builder)
{
    for (uint32_t g = 0; g < builder->grid_count; g++)
        for (uint32_t b = 0; builder->grid[g].kept && b < builder->grid[g].band_count; b++)
            builder->plan->band[builder->grid[g].first_band + b].block_count = 0;
}

/* Make room in the plan. Returns false if there is too little, which is not reported. */
static bool make_rooms(struct j2k_builder *builder)
{
    kst_report *report = builder->report, unused;
    kst_report_init(&unused);
    builder->report = &unused;
    bool fine = !kst_j2k_make_rooms(builder);
    builder->report = report;
    return fine;
}

bool kst_j2k_collect_shared(struct j2k_builder *builder)
{
    if (!builder->sharing || !make_rooms(builder) || !divide(builder->sharing))
        return false;
    kst_pool_run(builder->pool, builder->grid_count, collect_grid, builder->sharing);
    const bool fine = take_collected(builder->sharing);
    if (!fine)
        uncollect(builder);
    return fine;
}
