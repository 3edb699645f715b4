/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lays out a tile's resolutions, subbands and precincts (T.800 B.5–B.7), and those parts that the filter's region
 * needs.
 */
#include <math.h>
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/parser.h"

/* Return the offset of the tile's first tile-part. A stream that is yet to be written has none. */
static uint64_t tile_offset(const struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    return stream->part ? stream->part[stream->tile_part[builder->tile]].offset : KST_NO_OFFSET;
}

static kst_status limit_reached(struct j2k_builder *builder, const char *what)
{
    return kst_report_error(builder->report, KST_ERROR_LIMIT_PRECINCTS, tile_offset(builder), "more than %u %s",
        (unsigned)builder->limits->precincts, what);
}

kst_status kst_j2k_count_resolutions(struct j2k_builder *builder, uint32_t count)
{
    builder->resolutions_so_far += count;
    return builder->resolutions_so_far > builder->limits->precincts ? limit_reached(builder, "resolutions") : KST_OK;
}

void kst_j2k_quantise_band(struct j2k_band *band, const struct j2k_band_quantiser *quantiser, uint8_t resolution)
{
    const struct j2k_quantisation *q = quantiser->quantisation;
    uint32_t number = resolution == 0 ? 0 : 3U * (resolution - 1U) + band->orientation;
    uint32_t step = q->step[q->style == 1 ? 0 : number], exponent = step >> 11;
    if (q->style == 1 && resolution > 0) /* derived: the exponent falls by one with each level nearer to the picture */
        exponent = exponent > resolution - 1U ? exponent - (resolution - 1U) : 0;
    uint32_t magnitude = q->guard + exponent, range = quantiser->depth + j2k_log2_gain(band->orientation);
    bool reversible = quantiser->reversible;
    band->exponent = (uint8_t)exponent;
    band->magnitude = (uint8_t)(magnitude > 0 ? magnitude - 1 : 0);
    band->planes = (uint8_t)(band->magnitude + quantiser->roi_shift);
    band->mantissa = reversible ? 0 : step & 0x7FF;
    band->step = reversible ? 1.0F : ldexpf(1.0F + (float)band->mantissa / 2048.0F, (int)range - (int)exponent);
}

static void quantise(const struct j2k_builder *builder, const struct j2k_grid *grid, struct j2k_band *band)
{
    const struct j2k_parameters *in_force = &builder->in_force;
    const struct j2k_band_quantiser quantiser = {.quantisation = &in_force->quantisation[grid->component],
        .depth = builder->stream->component[grid->component].depth,
        .roi_shift = in_force->roi_shift[grid->component],
        .reversible = in_force->coding[grid->component].reversible};
    kst_j2k_quantise_band(band, &quantiser, grid->resolution);
}

static kst_status grow_bands(struct j2k_builder *builder)
{
    struct j2k_plan *plan = builder->plan;
    return kst_j2k_grow(builder->memory, builder->report, (void **)&plan->band, plan->band_count,
        &builder->band_capacity, sizeof *plan->band);
}

static kst_status add_band(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t index, const struct j2k_resolution *resolution)
{
    struct j2k_plan *plan = builder->plan;
    kst_status status = grow_bands(builder);
    if (status)
        return status;
    struct j2k_band band = {.rect = grid->band[index],
        .orientation = (uint8_t)(grid->resolution == 0 ? J2K_LL : index + 1),
        .tile_component = plan->tile_component_count,
        .first_block = plan->block_count};
    band.window = grid->resolution == 0
                      ? resolution->computed
                      : kst_j2k_band_of(resolution->computed, band.orientation & 1U, band.orientation >> 1);
    quantise(builder, grid, &band);
    plan->band[plan->band_count++] = band;
    return KST_OK;
}

static kst_status grow_resolutions(struct j2k_builder *builder)
{
    struct j2k_plan *plan = builder->plan;
    return kst_j2k_grow(builder->memory, builder->report, (void **)&plan->resolution, plan->resolution_count,
        &builder->resolution_capacity, sizeof *plan->resolution);
}

/* Add a resolution that the plan keeps, with its bands. */
static kst_status add_resolution(struct j2k_builder *builder, struct j2k_grid *grid, struct j2k_resolution resolution)
{
    struct j2k_plan *plan = builder->plan;
    kst_status status = grow_resolutions(builder);
    resolution.first_band = plan->band_count;
    resolution.band_count = grid->band_count;
    grid->kept = true;
    grid->first_band = plan->band_count;
    for (uint32_t b = 0; b < grid->band_count && !status; b++)
        status = add_band(builder, grid, b, &resolution);
    if (!status)
        plan->resolution[plan->resolution_count++] = resolution;
    return status;
}

static uint8_t smaller(uint32_t a, uint32_t b)
{
    return (uint8_t)(a < b ? a : b);
}

/* Divide a resolution into precincts (B.6) and find the size of its code-blocks (B.7). */
static void divide_resolution(struct j2k_grid *grid, const struct j2k_coding *coding, struct j2k_rect rect)
{
    uint8_t size = coding->precinct[grid->resolution];
    uint32_t in_band = grid->resolution > 0;
    grid->width_bits = size & 0x0F;
    grid->height_bits = size >> 4;
    grid->block_width = smaller(coding->block_width, grid->width_bits - in_band);
    grid->block_height = smaller(coding->block_height, grid->height_bits - in_band);
    grid->style = coding->style;
    grid->band_count = grid->resolution ? 3 : 1;
    for (uint32_t b = 0; b < grid->band_count; b++)
        grid->band[b] = grid->resolution ? kst_j2k_band_of(rect, (b + 1) & 1, (b + 1) >> 1) : rect;
    if (j2k_is_empty(rect))
        return;
    grid->column = rect.x0 >> grid->width_bits;
    grid->row = rect.y0 >> grid->height_bits;
    grid->columns = j2k_ceil_shift(rect.x1, grid->width_bits) - grid->column;
    grid->rows = j2k_ceil_shift(rect.y1, grid->height_bits) - grid->row;
}

static kst_status add_grid(struct j2k_builder *builder, const struct j2k_grid *grid)
{
    uint64_t count = (uint64_t)grid->columns * grid->rows;
    if (count > builder->limits->precincts - builder->precincts_so_far)
        return limit_reached(builder, "precincts");
    builder->precincts_so_far += count;
    builder->precinct_count += (uint32_t)count;
    kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&builder->grid, builder->grid_count,
        &builder->grid_capacity, sizeof *builder->grid);
    if (!status)
        builder->grid[builder->grid_count++] = *grid;
    return status;
}

/*
 * Find the part of each kept resolution that the one above it needs, from the highest down to the lowest (see plan.h).
 */
static void find_needs(const struct j2k_coding *coding, struct j2k_rect whole, const struct j2k_tile_component *tc,
    uint32_t reduce, struct j2k_resolution needs[J2K_RESOLUTIONS])
{
    struct j2k_rect valid = tc->area;
    uint32_t margin = coding->reversible ? J2K_REACH_53 : J2K_REACH_97;
    for (uint32_t r = tc->resolution_count; r-- > 0;) {
        struct j2k_rect rect = kst_j2k_reduce(whole, reduce + tc->resolution_count - 1 - r);
        struct j2k_rect computed = r > 0 ? kst_j2k_enlarge(valid, margin, rect) : valid;
        needs[r] = (struct j2k_resolution){.rect = rect, .computed = computed, .valid = valid};
        valid = kst_j2k_band_of(computed, 0, 0);
    }
}

static kst_status add_tile_component(struct j2k_builder *builder, const struct j2k_tile_component *tc)
{
    struct j2k_plan *plan = builder->plan;
    kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->tile_component,
        plan->tile_component_count, &builder->tile_component_capacity, sizeof *plan->tile_component);
    if (!status)
        plan->tile_component[plan->tile_component_count++] = *tc;
    return status;
}

/*
 * Return whether the geometry of a component is that of the one before it: as in a volume, of which all components are
 * alike.
 */
static bool is_repeated(const struct j2k_builder *builder, uint32_t component)
{
    if (component == 0)
        return false;
    const struct j2k_component *own = &builder->plan->component[component], *before = own - 1;
    const struct j2k_coding *coding = &builder->in_force.coding[component];
    return own->dx == before->dx && own->dy == before->dy && own->wanted == before->wanted &&
           j2k_same_rect(own->area, before->area) && memcmp(coding, coding - 1, sizeof *coding) == 0;
}

/* Return whether the bands of a component are quantised as those of the one before it. */
static bool has_same_steps(const struct j2k_builder *builder, uint32_t component)
{
    const struct j2k_parameters *p = &builder->in_force;
    const struct j2k_component_size *size = &builder->stream->component[component];
    const struct j2k_quantisation *own = &p->quantisation[component], *before = own - 1;
    return size[0].depth == size[-1].depth && p->roi_shift[component] == p->roi_shift[component - 1] &&
           own->style == before->style && own->guard == before->guard && own->count == before->count &&
           memcmp(own->step, before->step, sizeof own->step) == 0;
}

/* Add a resolution of a component, and its bands, as those of the component before it. */
static kst_status repeat_resolution(
    struct j2k_builder *builder, struct j2k_grid *grid, const struct j2k_resolution *before, bool same)
{
    struct j2k_plan *plan = builder->plan;
    struct j2k_resolution resolution = *before;
    kst_status status = grow_resolutions(builder);
    resolution.first_band = grid->first_band = plan->band_count;
    for (uint32_t b = 0; b < grid->band_count && !status; b++) {
        status = grow_bands(builder);
        if (status)
            return status;
        struct j2k_band *band = &plan->band[plan->band_count++];
        *band = plan->band[before->first_band + b];
        band->tile_component = plan->tile_component_count;
        if (!same)
            quantise(builder, grid, band);
    }
    if (!status)
        plan->resolution[plan->resolution_count++] = resolution;
    return status;
}

/* Lay a component out as the one before it. */
static kst_status repeat_component(struct j2k_builder *builder, uint32_t component)
{
    struct j2k_plan *plan = builder->plan;
    const uint32_t first = builder->component_grid[component - 1], end = builder->grid_count;
    struct j2k_tile_component tc = plan->tile_component[plan->tile_component_count - 1];
    const uint32_t resolution = tc.first_resolution;
    const bool same = has_same_steps(builder, component);
    kst_status status = KST_OK;
    tc.first_resolution = plan->resolution_count;
    tc.roi_shift = builder->in_force.roi_shift[component];
    builder->component_grid[component] = end;
    for (uint32_t g = first; g < end && !status; g++) {
        struct j2k_grid grid = builder->grid[g];
        const struct j2k_resolution before =
            grid.kept ? plan->resolution[resolution + grid.resolution] : (struct j2k_resolution){.band_count = 0};
        grid.component = component;
        grid.first_precinct = builder->precinct_count;
        if (grid.kept)
            status = repeat_resolution(builder, &grid, &before, same);
        if (!status)
            status = add_grid(builder, &grid);
    }
    return status ? status : add_tile_component(builder, &tc);
}

/* Make room for all components at once, where the second is like the first. The limits allow that many resolutions. */
static kst_status reserve_repeated(struct j2k_builder *builder)
{
    struct j2k_plan *plan = builder->plan;
    const struct j2k_tile_component *tc = &plan->tile_component[plan->tile_component_count - 1];
    const uint32_t first_band = tc->resolution_count > 0 ? plan->resolution[tc->first_resolution].first_band : 0;
    const uint64_t more = builder->stream->component_count - 1;
    kst_status status = kst_j2k_reserve(builder, (void **)&builder->grid, builder->grid_count,
        more * builder->grid_count, &builder->grid_capacity, sizeof *builder->grid);
    if (!status && tc->resolution_count > 0)
        status = kst_j2k_reserve(builder, (void **)&plan->resolution, plan->resolution_count,
            more * tc->resolution_count, &builder->resolution_capacity, sizeof *plan->resolution);
    if (!status && tc->resolution_count > 0)
        status = kst_j2k_reserve(builder, (void **)&plan->band, plan->band_count,
            more * (plan->band_count - first_band), &builder->band_capacity, sizeof *plan->band);
    return status ? status
                  : kst_j2k_reserve(builder, (void **)&plan->tile_component, plan->tile_component_count, more,
                        &builder->tile_component_capacity, sizeof *plan->tile_component);
}

static kst_status layout_component(struct j2k_builder *builder, uint32_t component)
{
    if (is_repeated(builder, component))
        return repeat_component(builder, component);
    struct j2k_plan *plan = builder->plan;
    const struct j2k_coding *coding = &builder->in_force.coding[component];
    const struct j2k_component *picture = &plan->component[component];
    struct j2k_rect whole = kst_j2k_divide(builder->rect, picture->dx, picture->dy);
    struct j2k_tile_component tc = {.rect = kst_j2k_reduce(whole, plan->reduce),
        .first_resolution = plan->resolution_count,
        .levels = coding->levels,
        .reversible = coding->reversible,
        .style = coding->style,
        .roi_shift = builder->in_force.roi_shift[component],
        .block_width = coding->block_width,
        .block_height = coding->block_height};
    tc.area = j2k_intersect(tc.rect, picture->area);
    if (picture->wanted && !j2k_is_empty(tc.area))
        tc.resolution_count = (uint8_t)(coding->levels + 1 - plan->reduce);
    struct j2k_resolution needs[J2K_RESOLUTIONS];
    find_needs(coding, whole, &tc, plan->reduce, needs);
    builder->component_grid[component] = builder->grid_count;
    for (uint32_t r = 0; r <= coding->levels; r++) {
        struct j2k_grid grid = {
            .component = component, .resolution = (uint8_t)r, .shift = (uint8_t)(coding->levels - r)};
        grid.first_precinct = builder->precinct_count;
        divide_resolution(&grid, coding, kst_j2k_reduce(whole, grid.shift));
        kst_status status = r < tc.resolution_count ? add_resolution(builder, &grid, needs[r]) : KST_OK;
        if (!status)
            status = add_grid(builder, &grid);
        if (status)
            return status;
    }
    return add_tile_component(builder, &tc);
}

/* Check that the parameters of a component are consistent with its geometry. */
static kst_status check_component(struct j2k_builder *builder, uint32_t component, uint64_t offset)
{
    const struct j2k_coding *coding = &builder->in_force.coding[component];
    const struct j2k_quantisation *q = &builder->in_force.quantisation[component];
    if (builder->plan->component[component].wanted && coding->levels < builder->plan->reduce)
        return kst_report_error(builder->report, KST_ERROR_J2K_REDUCE, offset, "component %u of tile %u has %u",
            (unsigned)component, (unsigned)builder->tile, (unsigned)coding->levels);
    if (q->style != 1 && q->count < 3U * coding->levels + 1)
        return kst_report_error(builder->report, KST_ERROR_J2K_QUANTISATION, offset,
            "component %u has %u steps for %u levels", (unsigned)component, q->count, coding->levels);
    return kst_j2k_count_resolutions(builder, coding->levels + 1U);
}

/*
 * A component transform (G.2, G.3) needs at least three components, the first three being of one size and one kind of
 * wavelet transform.
 */
static kst_status check_transform(struct j2k_builder *builder, uint64_t offset)
{
    const struct j2k_stream *stream = builder->stream;
    const struct j2k_component_size *size = stream->component;
    const struct j2k_coding *coding = builder->in_force.coding;
    if (!builder->in_force.transform)
        return KST_OK;
    bool fine = stream->component_count >= 3;
    for (uint32_t i = 1; fine && i < 3; i++)
        fine = size[i].dx == size[0].dx && size[i].dy == size[0].dy && coding[i].reversible == coding[0].reversible;
    return fine ? KST_OK : kst_report_error(builder->report, KST_ERROR_J2K_TRANSFORM, offset, NULL);
}

static kst_status add_tile(struct j2k_builder *builder)
{
    struct j2k_plan *plan = builder->plan;
    const struct j2k_parameters *p = &builder->in_force;
    struct j2k_tile tile = {.index = builder->tile,
        .first_component = plan->tile_component_count,
        .rect = builder->rect,
        .layers = p->layers,
        .transform = J2K_TRANSFORM_NONE,
        .multi = p->multi};
    if (p->transform)
        tile.transform = p->coding[0].reversible ? J2K_TRANSFORM_RCT : J2K_TRANSFORM_ICT;
    kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->tile, plan->tile_count,
        &builder->tile_capacity, sizeof *plan->tile);
    if (!status)
        plan->tile[plan->tile_count++] = tile;
    return status;
}

/* Return whether a precinct holds something wanted. The only precinct of a resolution holds all of its bands. */
static bool holds_wanted(const struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t precinct)
{
    const bool only = grid->columns == 1 && grid->rows == 1;
    bool wanted = false;
    for (uint32_t b = 0; b < grid->band_count && !wanted; b++) {
        const struct j2k_rect rect = only ? grid->band[b] : kst_j2k_precinct_band_rect(grid, precinct, b);
        wanted = !j2k_is_empty(j2k_intersect(rect, builder->plan->band[grid->first_band + b].window));
    }
    return wanted;
}

/* Mark the precincts that hold something wanted, and count the packets that these have. */
static void mark_wanted(struct j2k_builder *builder)
{
    uint32_t layers = builder->in_force.layers;
    if (builder->filter->layers && builder->filter->layers < layers)
        layers = builder->filter->layers;
    builder->wanted_packets = 0;
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        for (uint32_t p = 0; grid->kept && p < grid->columns * grid->rows; p++) {
            const bool wanted = holds_wanted(builder, grid, p);
            builder->precinct[grid->first_precinct + p].wanted = wanted;
            builder->wanted_packets += wanted ? layers : 0;
        }
    }
}

void kst_j2k_forget_packets(struct j2k_builder *builder)
{
    kst_j2k_arena_release(builder->memory, &builder->arena);
    memset(builder->precinct, 0, builder->precinct_count * sizeof *builder->precinct);
    j2k_forget_contributions(builder);
    mark_wanted(builder);
}

kst_status kst_j2k_layout(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    uint64_t offset = tile_offset(builder);
    builder->grid_count = 0;
    builder->precinct_count = 0;
    kst_status status = check_transform(builder, offset);
    for (uint32_t c = 0; c < stream->component_count && !status; c++)
        status = check_component(builder, c, offset);
    if (!status)
        status = add_tile(builder);
    if (!status)
        status = layout_component(builder, 0);
    if (!status && stream->component_count > 1 && is_repeated(builder, 1))
        status = reserve_repeated(builder);
    for (uint32_t c = 1; c < stream->component_count && !status; c++)
        status = layout_component(builder, c);
    if (status)
        return status;
    builder->component_grid[stream->component_count] = builder->grid_count;
    builder->packet_total = (uint64_t)builder->precinct_count * builder->in_force.layers;
    builder->precinct = kst_memory_zeroed(builder->memory, builder->precinct_count, sizeof *builder->precinct, &status);
    if (!builder->precinct)
        return kst_report_error(builder->report, status, offset, NULL);
    mark_wanted(builder);
    return KST_OK;
}
