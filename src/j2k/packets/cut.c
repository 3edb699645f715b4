/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a plan for a part of what another plan covers by copying blocks of that plan, so that packets are not read
 * again.
 */
#include "j2k/packets/builder.h"
#include "j2k/syntax/parser.h"

/* Return the current tile in the other plan, whose tiles ascend by index; null if it was damaged and is not there. */
static const struct j2k_tile *find_tile(const struct j2k_builder *builder)
{
    const struct j2k_tile *tile = builder->whole->tile;
    uint32_t first = 0, end = builder->whole->tile_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (tile[middle].index < builder->tile)
            first = middle + 1;
        else
            end = middle;
    }
    return first < builder->whole->tile_count && tile[first].index == builder->tile ? &tile[first] : NULL;
}

static const struct j2k_band *find_band(
    const struct j2k_plan *whole, const struct j2k_tile *tile, const struct j2k_grid *grid, uint32_t index)
{
    const struct j2k_tile_component *tc = &whole->tile_component[tile->first_component + grid->component];
    if (grid->resolution >= tc->resolution_count)
        return NULL;
    return &whole->band[whole->resolution[tc->first_resolution + grid->resolution].first_band + index];
}

static kst_status copy_pieces(struct j2k_builder *builder, const struct j2k_segment *segment)
{
    struct j2k_plan *plan = builder->plan;
    for (uint32_t i = 0; i < segment->piece_count; i++) {
        kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->piece, plan->piece_count,
            &builder->piece_capacity, sizeof *plan->piece);
        if (status)
            return status;
        plan->piece[plan->piece_count++] = builder->whole->piece[segment->first_piece + i];
    }
    return KST_OK;
}

static kst_status copy_segments(struct j2k_builder *builder, const struct j2k_block *block)
{
    struct j2k_plan *plan = builder->plan;
    for (uint32_t i = 0; i < block->segment_count; i++) {
        struct j2k_segment segment = builder->whole->segment[block->first_segment + i];
        kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->segment, plan->segment_count,
            &builder->segment_capacity, sizeof *plan->segment);
        uint32_t first_piece = plan->piece_count;
        if (!status)
            status = copy_pieces(builder, &segment);
        if (status)
            return status;
        segment.first_piece = first_piece;
        plan->segment[plan->segment_count++] = segment;
    }
    return KST_OK;
}

static kst_status copy_block(struct j2k_builder *builder, uint32_t band, const struct j2k_block *block)
{
    struct j2k_plan *plan = builder->plan;
    struct j2k_block copy = *block;
    copy.band = band;
    copy.first_segment = plan->segment_count;
    kst_status status = copy_segments(builder, block);
    if (!status)
        status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->block, plan->block_count,
            &builder->block_capacity, sizeof *plan->block);
    if (!status)
        plan->block[plan->block_count++] = copy;
    return status;
}

/* Copy the blocks of a band in the order in which reading packets would have collected them. */
static kst_status copy_band(
    struct j2k_builder *builder, const struct j2k_tile *tile, const struct j2k_grid *grid, uint32_t index)
{
    uint32_t to = grid->first_band + index, first = builder->plan->block_count;
    const struct j2k_band *from = tile ? find_band(builder->whole, tile, grid, index) : NULL;
    const struct j2k_rect window = builder->plan->band[to].window;
    kst_status status = KST_OK;
    for (uint32_t i = 0; from && i < from->block_count && !status; i++) {
        const struct j2k_block *block = &builder->whole->block[from->first_block + i];
        const struct j2k_rect rect = {block->x, block->y, block->x + block->width, block->y + block->height};
        if (!j2k_is_empty(j2k_intersect(rect, window)))
            status = copy_block(builder, to, block);
    }
    builder->plan->band[to].first_block = first;
    builder->plan->band[to].block_count = builder->plan->block_count - first;
    return status;
}

static kst_status collect(struct j2k_builder *builder)
{
    const struct j2k_tile *tile = find_tile(builder);
    kst_status status = KST_OK;
    for (uint32_t g = 0; g < builder->grid_count && !status; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        for (uint32_t b = 0; grid->kept && b < grid->band_count && !status; b++)
            status = copy_band(builder, tile, grid, b);
    }
    return status;
}

kst_status kst_j2k_plan_cut(const struct operation *op, struct j2k_stream *stream, const struct j2k_plan *whole,
    const struct j2k_filter *filter, struct j2k_plan *plan)
{
    struct j2k_builder builder = {.collect = collect,
        .memory = op->memory,
        .limits = op->limits,
        .stream = stream,
        .filter = filter,
        .report = op->report,
        .plan = plan,
        .whole = whole};
    *plan = (struct j2k_plan){0};
    return kst_j2k_builder_run(&builder);
}
