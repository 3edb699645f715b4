/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a plan tile by tile: lays each tile out, reads its packets, and leaves out tiles that cannot be decoded. */
#include "j2k/packets/build.h"

#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/parser.h"

/* The fewest code-blocks for which other threads are woken: that takes as long as planning hundreds of code-blocks. */
enum { SHARED_FROM = 1 << 10 };

/*
 * Holds the numbers of elements in the plan before a tile is added, to return to if the tile turns out not to be
 * decodable.
 */
struct mark {
    uint32_t tile, tile_component, resolution, band, block, segment, piece;
};

static struct mark set_mark(const struct j2k_plan *plan)
{
    return (struct mark){plan->tile_count, plan->tile_component_count, plan->resolution_count, plan->band_count,
        plan->block_count, plan->segment_count, plan->piece_count};
}

static void go_back(struct j2k_plan *plan, struct mark mark)
{
    plan->tile_count = mark.tile;
    plan->tile_component_count = mark.tile_component;
    plan->resolution_count = mark.resolution;
    plan->band_count = mark.band;
    plan->block_count = mark.block;
    plan->segment_count = mark.segment;
    plan->piece_count = mark.piece;
}

bool kst_j2k_is_tile_error(kst_status status)
{
    return status >= KST_ERROR_J2K_NO_CODESTREAM && status <= KST_ERROR_J2K_EXTENSION && status != KST_ERROR_J2K_REDUCE;
}

static kst_status build_tile(struct j2k_builder *builder)
{
    kst_status status = kst_j2k_tile_parameters(builder);
    if (!status)
        status = kst_j2k_layout(builder);
    const bool done = !status && !builder->whole && builder->collect == kst_j2k_collect && kst_j2k_read_direct(builder);
    if (!status && !done && !builder->whole && !kst_j2k_read_shared(builder))
        status = kst_j2k_read_packets(builder);
    if (!status && !done)
        status = builder->collect(builder);
    kst_j2k_sharing_release(builder);
    kst_memory_release(builder->memory, builder->precinct);
    builder->precinct = NULL;
    kst_j2k_arena_release(builder->memory, &builder->arena);
    return status;
}

/* Return whether a tile may hold samples that are wanted. */
static bool touches(const struct j2k_builder *builder, struct j2k_rect tile)
{
    return !j2k_is_empty(j2k_intersect(kst_j2k_reduce(tile, builder->plan->reduce), builder->region));
}

/* Says why the first tile that failed did so; reported if no tile succeeds. */
struct failure {
    kst_status status;
    uint64_t offset;
};

static kst_status try_tile(struct j2k_builder *builder, struct failure *failure)
{
    const struct j2k_stream *stream = builder->stream;
    builder->rect = kst_j2k_tile_rect(&stream->size, builder->tile);
    if (!touches(builder, builder->rect))
        return KST_OK;
    if (stream->tile_part[builder->tile] == stream->tile_part[builder->tile + 1]) {
        builder->plan->missing_tiles++;
        kst_report_warning(builder->report, KST_WARNING_J2K_TILE_MISSING, stream->end, 1, false);
        return KST_OK;
    }
    struct mark mark = set_mark(builder->plan);
    kst_status status = build_tile(builder);
    if (!status)
        builder->tiles_so_far++;
    if (!status && builder->survey) {
        mark.block = builder->plan->block_count; /* kept, because the blocks of all tiles count against the limit */
        go_back(builder->plan, mark);
    }
    if (!kst_j2k_is_tile_error(status))
        return status;
    if (!failure->status)
        *failure = (struct failure){status, builder->report->offset};
    kst_report_forgive(builder->report);
    kst_report_warning(builder->report, KST_WARNING_J2K_TILE_HEADER, failure->offset, 1, false);
    builder->plan->missing_tiles++;
    go_back(builder->plan, mark);
    return KST_OK;
}

static struct j2k_rect filter_region(const struct j2k_stream *stream, const struct j2k_filter *filter)
{
    struct j2k_rect image = kst_j2k_reduced_image(stream, filter->reduce);
    return j2k_is_empty(filter->region) ? image : j2k_intersect(image, filter->region);
}

struct j2k_rect kst_j2k_wanted_tiles(const struct j2k_stream *stream, const struct j2k_filter *filter)
{
    return kst_j2k_tiles_of(&stream->size, filter_region(stream, filter), filter->reduce);
}

/*
 * Return whether the wanted tiles are all that have samples at this reduction: small tiles may have none in a strongly
 * reduced picture.
 */
static bool are_all(const struct j2k_stream *stream, uint32_t reduce, struct j2k_rect tiles)
{
    struct j2k_rect all = kst_j2k_tiles_of(&stream->size, kst_j2k_reduced_image(stream, reduce), reduce);
    return tiles.x0 == all.x0 && tiles.y0 == all.y0 && tiles.x1 == all.x1 && tiles.y1 == all.y1;
}

static kst_status build_tiles(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    struct j2k_rect wanted = kst_j2k_wanted_tiles(stream, builder->filter);
    struct failure failure = {KST_OK, 0};
    for (uint32_t y = wanted.y0; y < wanted.y1; y++)
        for (uint32_t x = wanted.x0; x < wanted.x1; x++) {
            builder->tile = y * stream->size.columns + x;
            kst_status status = try_tile(builder, &failure);
            if (status)
                return status;
        }
    if (failure.status && builder->tiles_so_far == 0 && are_all(stream, builder->filter->reduce, wanted))
        return kst_report_error(builder->report, failure.status, failure.offset, "in every tile");
    return KST_OK;
}

/*
 * Set the components' areas and which components are wanted. A component transform needs all of the first three or
 * none.
 */
static void describe_components(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    const bool *chosen = builder->filter->components;
    struct j2k_plan *plan = builder->plan;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_component_size *size = &stream->component[c];
        plan->component[c] = (struct j2k_component){.depth = size->depth,
            .is_signed = size->is_signed,
            .dx = size->dx,
            .dy = size->dy,
            .wanted = !chosen || chosen[c],
            .area = kst_j2k_divide(builder->region, size->dx, size->dy)};
    }
    if (plan->component_count < 3 || !stream->transform_somewhere)
        return;
    bool any = plan->component[0].wanted || plan->component[1].wanted || plan->component[2].wanted;
    for (uint32_t c = 0; c < 3; c++)
        plan->component[c].wanted = any;
}

kst_status kst_j2k_builder_start(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    struct j2k_plan *plan = builder->plan;
    const struct j2k_filter *filter = builder->filter;
    bool whole = j2k_is_empty(filter->region);
    kst_status status = KST_OK;
    *plan = (struct j2k_plan){.data = stream->data,
        .length = stream->length,
        .image = stream->size.image,
        .reduce = filter->reduce,
        .component_count = stream->component_count};
    if (filter->reduce > J2K_LEVELS)
        return kst_report_error(builder->report, KST_ERROR_J2K_REDUCE, KST_NO_OFFSET, NULL);
    plan->component = kst_memory_zeroed(builder->memory, plan->component_count, sizeof *plan->component, &status);
    builder->component_grid =
        kst_memory_array(builder->memory, (size_t)plan->component_count + 1, sizeof *builder->component_grid, &status);
    if (!plan->component || !builder->component_grid)
        return kst_report_error(builder->report, status, KST_NO_OFFSET, NULL);
    builder->visits_allowed = kst_j2k_allowance(builder->limits, J2K_ASKED_VISITS, stream);
    builder->contributions_allowed = kst_j2k_allowance(builder->limits, J2K_ASKED_CONTRIBUTIONS, stream);
    builder->restricted = !whole || filter->layers || filter->reduce || filter->components;
    builder->region = filter_region(stream, filter);
    describe_components(builder);
    return KST_OK;
}

void kst_j2k_builder_release(struct j2k_builder *builder)
{
    kst_j2k_parameters_release(builder->memory, &builder->own);
    kst_memory_release(builder->memory, builder->grid);
    kst_memory_release(builder->memory, builder->component_grid);
    kst_memory_release(builder->memory, builder->contribution);
    kst_memory_release(builder->memory, builder->contributor);
}

kst_status kst_j2k_builder_run(struct j2k_builder *builder)
{
    kst_status status = kst_j2k_builder_start(builder);
    if (!status)
        status = build_tiles(builder);
    kst_j2k_builder_release(builder);
    if (status)
        kst_j2k_plan_release(builder->memory, builder->plan);
    return status;
}

kst_status kst_j2k_read_wanted(const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter)
{
    if (filter->reduce > J2K_LEVELS)
        return kst_report_error(op->report, KST_ERROR_J2K_REDUCE, KST_NO_OFFSET, NULL);
    if (filter->careful)
        return kst_j2k_read_all_parts(op, stream);
    return kst_j2k_read_parts(op, stream, kst_j2k_wanted_tiles(stream, filter));
}

static kst_status build(const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter,
    bool survey, struct j2k_plan *plan)
{
    *plan = (struct j2k_plan){0};
    const kst_limits narrow = kst_j2k_narrow(op->limits, stream, false);
    struct j2k_builder builder = {.collect = kst_j2k_collect,
        .memory = op->memory,
        .limits = &narrow,
        .stream = stream,
        .filter = filter,
        .report = op->report,
        .plan = plan,
        .survey = survey,
        .pool = survey ? NULL : op->pool,
        .shared_from = SHARED_FROM};
    kst_status status = kst_j2k_read_wanted(op, stream, filter);
    return status ? status : kst_j2k_builder_run(&builder);
}

kst_status kst_j2k_plan_build(
    const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter, struct j2k_plan *plan)
{
    return build(op, stream, filter, false, plan);
}

kst_status kst_j2k_survey(const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter,
    struct j2k_packet_totals *totals)
{
    struct j2k_plan plan;
    kst_status status = build(op, stream, filter, true, &plan);
    *totals = plan.totals;
    kst_j2k_plan_release(op->memory, &plan);
    return status;
}

void kst_j2k_plan_release(struct memory *memory, struct j2k_plan *plan)
{
    kst_memory_release(memory, plan->component);
    kst_memory_release(memory, plan->tile);
    kst_memory_release(memory, plan->tile_component);
    kst_memory_release(memory, plan->resolution);
    kst_memory_release(memory, plan->band);
    kst_memory_release(memory, plan->block);
    kst_memory_release(memory, plan->segment);
    kst_memory_release(memory, plan->piece);
    memset(plan, 0, sizeof *plan);
}
