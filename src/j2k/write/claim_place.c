/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds where the bytes of a code-block are that breaks a claim. The packet headers of its tile are read a second time
 * for that, because the first reading keeps no places: few streams break a claim, and each claim needs one place.
 */
#include "j2k/write/claim_blocks.h"

/* Return the block of a plan of one tile; null: the plan does not have it. */
static const struct j2k_block *find_block(const struct j2k_plan *plan, const struct j2k_claimed_block *wanted)
{
    const struct j2k_grid *grid = wanted->grid;
    const struct j2k_precinct_band place = kst_j2k_precinct_band(grid, wanted->precinct, wanted->band);
    const struct j2k_rect rect = kst_j2k_block_rect(grid, &place, wanted->x, wanted->y);
    if (plan->tile_count != 1)
        return NULL;
    const struct j2k_tile_component *tc = &plan->tile_component[plan->tile[0].first_component + grid->component];
    const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + grid->resolution];
    const struct j2k_band *band = &plan->band[resolution->first_band + wanted->band];
    for (uint32_t i = band->first_block; i < band->first_block + band->block_count; i++)
        if (plan->block[i].x == rect.x0 && plan->block[i].y == rect.y0)
            return &plan->block[i];
    return NULL;
}

/* Return the offset of a block's first bytes from a pass on; if there are none, of its last bytes. */
static uint64_t find_bytes(const struct j2k_plan *plan, const struct j2k_block *block, uint32_t pass)
{
    uint64_t offset = UINT64_MAX;
    uint32_t end = 0; /* number of the segment's last pass */
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        end += segment->passes;
        if (segment->piece_count == 0)
            continue;
        offset = plan->piece[segment->first_piece].offset;
        if (end >= pass)
            break;
    }
    return offset;
}

uint64_t kst_j2k_claim_place(const struct j2k_builder *builder, const struct j2k_claimed_block *block, uint32_t pass)
{
    const struct j2k_stream *stream = builder->stream;
    const struct j2k_filter filter = {
        .region = j2k_intersect(kst_j2k_tile_rect(&stream->size, builder->tile), stream->size.image), .multi = true};
    struct j2k_plan plan;
    kst_report damage;
    struct j2k_builder again = {.collect = kst_j2k_collect,
        .memory = builder->memory,
        .limits = builder->limits,
        .stream = stream,
        .filter = &filter,
        .report = &damage,
        .plan = &plan};
    uint64_t offset = UINT64_MAX;
    kst_report_init(&damage);
    if (!kst_j2k_builder_run(&again)) {
        const struct j2k_block *found = find_block(&plan, block);
        offset = found ? find_bytes(&plan, found, pass) : UINT64_MAX;
        kst_j2k_plan_release(builder->memory, &plan);
    }
    return offset < UINT64_MAX ? offset : stream->part[stream->tile_part[builder->tile]].offset;
}
