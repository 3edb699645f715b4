/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a plan of JPEG 2000 obeys everything that plan.h promises. */
#include "j2k_plan_check.h"

static bool inside(struct j2k_rect a, struct j2k_rect b)
{
    if (a.x0 >= a.x1 || a.y0 >= a.y1)
        return true;
    return a.x0 >= b.x0 && a.y0 >= b.y0 && a.x1 <= b.x1 && a.y1 <= b.y1;
}

static bool within(uint32_t first, uint32_t count, uint32_t total)
{
    return first <= total && count <= total - first;
}

static const char *check_segments(const struct j2k_plan *plan, const struct j2k_block *block)
{
    uint64_t length = 0;
    uint32_t passes = 0;
    if (block->segment_count < 1 || !within(block->first_segment, block->segment_count, plan->segment_count))
        return "a block's segments";
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        uint64_t bytes = 0;
        if (segment->passes == 0 || !within(segment->first_piece, segment->piece_count, plan->piece_count))
            return "a segment";
        for (uint32_t k = 0; k < segment->piece_count; k++) {
            const struct j2k_piece *piece = &plan->piece[segment->first_piece + k];
            if (piece->length == 0 || piece->offset > plan->length || piece->length > plan->length - piece->offset)
                return "a piece";
            bytes += piece->length;
        }
        if (bytes != segment->length)
            return "a segment's length";
        passes += segment->passes;
        length += segment->length;
    }
    return passes == block->passes && length == block->length ? NULL : "a block's passes or length";
}

static const char *check_block(const struct j2k_plan *plan, const struct j2k_band *band, const struct j2k_block *block)
{
    struct j2k_rect rect = {block->x, block->y, block->x + block->width, block->y + block->height};
    if (block->width == 0 || block->height == 0 || block->width > J2K_BLOCK_SIDE || block->height > J2K_BLOCK_SIDE ||
        block->width * block->height > J2K_BLOCK_SAMPLES)
        return "a block's size";
    if (!inside(rect, band->rect))
        return "a block outside of its band";
    if (block->planes < 1 || block->planes > 74 || block->planes + block->missing != band->planes)
        return "a block's bit planes";
    if (block->passes < 1 || block->passes > 3 * block->planes - 2)
        return "a block's number of passes";
    return check_segments(plan, block);
}

static const char *check_band(const struct j2k_plan *plan, uint32_t index, const struct j2k_resolution *resolution)
{
    const struct j2k_band *band = &plan->band[index];
    if (!within(band->first_block, band->block_count, plan->block_count))
        return "a band's blocks";
    if (!inside(band->window, band->rect) || band->exponent > 31 || band->magnitude > 37 || band->planes > 74 ||
        !(band->step > 0))
        return "a band";
    if (resolution->band_count == 1 ? band->orientation != J2K_LL : band->orientation == J2K_LL)
        return "a band's orientation";
    for (uint32_t i = 0; i < band->block_count; i++) {
        const struct j2k_block *block = &plan->block[band->first_block + i];
        const char *problem = block->band == index ? check_block(plan, band, block) : "a block's band";
        if (problem)
            return problem;
    }
    return NULL;
}

/*
 * Check that the windows of the bands, and the valid part of the resolution below, have the size that the resolution
 * needs.
 */
static bool interleaves(
    const struct j2k_plan *plan, const struct j2k_resolution *below, const struct j2k_resolution *resolution)
{
    const struct j2k_band *band = &plan->band[resolution->first_band];
    uint32_t width = resolution->computed.x1 - resolution->computed.x0;
    uint32_t height = resolution->computed.y1 - resolution->computed.y0;
    return below->valid.x1 - below->valid.x0 + band[0].window.x1 - band[0].window.x0 == width &&
           below->valid.y1 - below->valid.y0 + band[1].window.y1 - band[1].window.y0 == height;
}

static const char *check_resolutions(const struct j2k_plan *plan, const struct j2k_tile_component *tc)
{
    if (!within(tc->first_resolution, tc->resolution_count, plan->resolution_count))
        return "a tile-component's resolutions";
    for (uint32_t r = 0; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        if (resolution->band_count != (r ? 3 : 1) ||
            !within(resolution->first_band, resolution->band_count, plan->band_count))
            return "a resolution's bands";
        if (!inside(resolution->valid, resolution->computed) || !inside(resolution->computed, resolution->rect))
            return "a resolution's parts";
        if (r > 0 && !interleaves(plan, resolution - 1, resolution))
            return "windows that do not interleave";
        for (uint32_t b = 0; b < resolution->band_count; b++) {
            const char *problem = check_band(plan, resolution->first_band + b, resolution);
            if (problem)
                return problem;
        }
    }
    return NULL;
}

static const char *check_component(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, const struct j2k_component *component)
{
    if (!inside(tc->area, tc->rect) || !inside(tc->area, component->area))
        return "a tile-component's area";
    if (tc->resolution_count && (!component->wanted || tc->resolution_count + plan->reduce != tc->levels + 1))
        return "a tile-component's number of resolutions";
    return check_resolutions(plan, tc);
}

const char *j2k_plan_problem(const struct j2k_plan *plan)
{
    for (uint32_t t = 0; t < plan->tile_count; t++) {
        const struct j2k_tile *tile = &plan->tile[t];
        if (!within(tile->first_component, plan->component_count, plan->tile_component_count) ||
            !inside(tile->rect, plan->image) || (tile->transform && plan->component_count < 3))
            return "a tile";
        for (uint32_t c = 0; c < plan->component_count; c++) {
            const char *problem =
                check_component(plan, &plan->tile_component[tile->first_component + c], &plan->component[c]);
            if (problem)
                return problem;
        }
    }
    return NULL;
}
