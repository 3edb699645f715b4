/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes rectangles of the reference grid, tiles, resolutions and subbands. */
#include "j2k/syntax/geometry.h"

struct j2k_rect kst_j2k_divide(struct j2k_rect rect, uint32_t dx, uint32_t dy)
{
    return (struct j2k_rect){.x0 = j2k_ceil_divide(rect.x0, dx),
        .y0 = j2k_ceil_divide(rect.y0, dy),
        .x1 = j2k_ceil_divide(rect.x1, dx),
        .y1 = j2k_ceil_divide(rect.y1, dy)};
}

struct j2k_rect kst_j2k_reduce(struct j2k_rect rect, uint32_t shift)
{
    return (struct j2k_rect){.x0 = j2k_ceil_shift(rect.x0, shift),
        .y0 = j2k_ceil_shift(rect.y0, shift),
        .x1 = j2k_ceil_shift(rect.x1, shift),
        .y1 = j2k_ceil_shift(rect.y1, shift)};
}

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

struct j2k_rect kst_j2k_tile_rect(const struct j2k_size *size, uint32_t index)
{
    uint64_t x = size->tile_x + (uint64_t)(index % size->columns) * size->tile_width;
    uint64_t y = size->tile_y + (uint64_t)(index / size->columns) * size->tile_height;
    struct j2k_rect rect = {.x0 = (uint32_t)x,
        .y0 = (uint32_t)y,
        .x1 = smaller(x + size->tile_width, size->image.x1),
        .y1 = smaller(y + size->tile_height, size->image.y1)};
    if (rect.x0 < size->image.x0)
        rect.x0 = size->image.x0;
    if (rect.y0 < size->image.y0)
        rect.y0 = size->image.y0;
    return rect;
}

/*
 * Return the column or row of the tile that contains a reduced sample. Because of rounding up, reduced sample k belongs
 * to the tile that contains position k × 2^reduce.
 */
static uint32_t tile_at(uint32_t place, uint32_t reduce, uint32_t first, uint32_t side)
{
    return (uint32_t)((((uint64_t)place << reduce) - first) / side);
}

struct j2k_rect kst_j2k_tiles_of(const struct j2k_size *size, struct j2k_rect region, uint32_t reduce)
{
    if (j2k_is_empty(region))
        return (struct j2k_rect){0};
    return (struct j2k_rect){.x0 = tile_at(region.x0, reduce, size->tile_x, size->tile_width),
        .y0 = tile_at(region.y0, reduce, size->tile_y, size->tile_height),
        .x1 = tile_at(region.x1 - 1, reduce, size->tile_x, size->tile_width) + 1,
        .y1 = tile_at(region.y1 - 1, reduce, size->tile_y, size->tile_height) + 1};
}

/*
 * Return the position in the low or high band that corresponds to `position`: samples at 2n belong to the low band and
 * samples at 2n + 1 to the high one, both at position n.
 */
static uint32_t along(uint32_t position, uint32_t high)
{
    return high ? position / 2 : position / 2 + position % 2;
}

struct j2k_rect kst_j2k_band_of(struct j2k_rect rect, uint32_t high_x, uint32_t high_y)
{
    return (struct j2k_rect){.x0 = along(rect.x0, high_x),
        .y0 = along(rect.y0, high_y),
        .x1 = along(rect.x1, high_x),
        .y1 = along(rect.y1, high_y)};
}

struct j2k_rect kst_j2k_enlarge(struct j2k_rect rect, uint32_t margin, struct j2k_rect bounds)
{
    rect.x0 -= smaller(margin, rect.x0);
    rect.y0 -= smaller(margin, rect.y0);
    rect.x1 = smaller((uint64_t)rect.x1 + margin, UINT32_MAX);
    rect.y1 = smaller((uint64_t)rect.y1 + margin, UINT32_MAX);
    return j2k_intersect(rect, bounds);
}

/* The rule is the one by which a plan with this region computes the windows of its bands (see plan.h). */
bool kst_j2k_needs_block(const struct j2k_plan *plan, struct j2k_rect region, const struct j2k_block *block)
{
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const struct j2k_component *component = &plan->component[band->tile_component % plan->component_count];
    const struct j2k_rect rect = {block->x, block->y, block->x + block->width, block->y + block->height};
    struct j2k_rect valid = j2k_intersect(tc->rect, kst_j2k_divide(region, component->dx, component->dy));
    if (j2k_is_empty(valid))
        return false;
    for (uint32_t r = tc->resolution_count; r-- > 1;) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        bool here = block->band >= resolution->first_band;
        valid = kst_j2k_enlarge(valid, tc->reversible ? J2K_REACH_53 : J2K_REACH_97, resolution->rect);
        valid = kst_j2k_band_of(valid, band->orientation & here, band->orientation >> 1 & here);
        if (here)
            break;
    }
    return !j2k_is_empty(j2k_intersect(rect, valid));
}

struct j2k_rect kst_j2k_reduced_image(const struct j2k_stream *stream, uint32_t reduce)
{
    return kst_j2k_reduce(stream->size.image, reduce);
}

uint32_t kst_j2k_made_count(const struct j2k_stream *stream)
{
    return stream->multi.sample ? stream->multi.sample_count : stream->component_count;
}

/* Components that are transformed together all have one size (T.801 J.2), which is the first one's here. */
struct j2k_component_size kst_j2k_made_component(const struct j2k_stream *stream, uint32_t index)
{
    struct j2k_component_size size = stream->component[index < stream->component_count ? index : 0];
    if (stream->multi.sample) {
        size.depth = stream->multi.sample[index].depth;
        size.is_signed = stream->multi.sample[index].is_signed;
    }
    return size;
}
