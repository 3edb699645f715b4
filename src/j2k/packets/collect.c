/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns what the packets of a tile said into the flat arrays of the plan. */
#include "j2k/packets/builder.h"
#include "j2k/syntax/geometry.h"

kst_status kst_j2k_reserve(
    struct j2k_builder *builder, void **list, uint32_t count, uint64_t more, uint32_t *capacity, size_t size)
{
    kst_status status = KST_ERROR_LIMIT_MEMORY;
    uint64_t wanted = count + more;
    if (wanted <= *capacity)
        return KST_OK;
    if (*capacity > 0 && wanted < (uint64_t)*capacity * 2)
        wanted = (uint64_t)*capacity * 2;
    void *grown =
        wanted <= UINT32_MAX ? kst_memory_grow(builder->memory, *list, count * size, wanted * size, &status) : NULL;
    if (!grown)
        return kst_report_error(builder->report, status, KST_NO_OFFSET, "while reading JPEG 2000");
    *list = grown;
    *capacity = (uint32_t)wanted;
    return KST_OK;
}

bool kst_j2k_make_room(struct j2k_builder *builder, uint32_t blocks, uint32_t segments)
{
    struct j2k_plan *plan = builder->plan;
    if (plan->block_count + (uint64_t)blocks <= builder->block_capacity &&
        plan->segment_count + (uint64_t)segments <= builder->segment_capacity &&
        plan->piece_count + (uint64_t)segments <= builder->piece_capacity)
        return true;
    kst_report *report = builder->report, unused;
    kst_report_init(&unused);
    builder->report = &unused;
    const bool fine = !kst_j2k_reserve(builder, (void **)&plan->block, plan->block_count, blocks,
                          &builder->block_capacity, sizeof *plan->block) &&
                      !kst_j2k_reserve(builder, (void **)&plan->segment, plan->segment_count, segments,
                          &builder->segment_capacity, sizeof *plan->segment) &&
                      !kst_j2k_reserve(builder, (void **)&plan->piece, plan->piece_count, segments,
                          &builder->piece_capacity, sizeof *plan->piece);
    builder->report = report;
    return fine;
}

static struct j2k_begun begun_by_all(const struct j2k_builder *builder)
{
    struct j2k_begun all = {0};
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct j2k_begun *begun = &builder->grid[g].begun;
        all.blocks += begun->blocks;
        all.segments += begun->segments;
        all.pieces += begun->pieces;
    }
    return all;
}

kst_status kst_j2k_make_rooms(struct j2k_builder *builder)
{
    struct j2k_plan *plan = builder->plan;
    const struct j2k_begun begun = begun_by_all(builder);
    const uint32_t most = builder->limits->blocks > plan->block_count ? builder->limits->blocks - plan->block_count : 0;
    const uint32_t blocks = begun.blocks <= most ? begun.blocks : most + 1;
    kst_status status = kst_j2k_reserve(
        builder, (void **)&plan->block, plan->block_count, blocks, &builder->block_capacity, sizeof *plan->block);
    if (!status)
        status = kst_j2k_reserve(builder, (void **)&plan->segment, plan->segment_count, begun.segments,
            &builder->segment_capacity, sizeof *plan->segment);
    if (!status)
        status = kst_j2k_reserve(builder, (void **)&plan->piece, plan->piece_count, begun.pieces,
            &builder->piece_capacity, sizeof *plan->piece);
    return status;
}

/* Begin a segment with pass `pass` of a block. */
static void add_segment(struct j2k_plan *plan, const struct j2k_block *block, uint8_t style, uint32_t pass)
{
    plan->segment[plan->segment_count++] = (struct j2k_segment){
        .first_piece = plan->piece_count, .raw = kst_j2k_block_coder_of(block->coder)->is_raw(style, pass)};
}

/* Add the bytes of a contribution to the last segment. */
static void add_piece(struct j2k_plan *plan, const struct j2k_contribution *c)
{
    struct j2k_segment *segment = &plan->segment[plan->segment_count - 1];
    plan->piece[plan->piece_count++] = (struct j2k_piece){.offset = c->offset, .length = c->length};
    segment->piece_count++;
    segment->length += c->length;
}

/*
 * Add the segments of a block, with at most `room` passes. Returns false if there were more; passes that T.814 codes
 * together are then all left out.
 */
static bool add_segments(struct j2k_builder *builder, const struct j2k_block_state *state, uint8_t style, uint32_t room,
    struct j2k_block *block)
{
    struct j2k_plan *plan = builder->plan;
    uint32_t all = 0, next = state->first;
    uint64_t length = 0;
    bool fine = true;
    while (next != J2K_NO_INDEX && fine) {
        const struct j2k_contribution *c = &builder->contribution[next - 1];
        uint32_t passes = c->passes;
        fine = passes <= room - all;
        if (!fine)
            passes = state->coder == J2K_HT ? 0 : room - all;
        if (passes == 0)
            break;
        if (c->starts)
            add_segment(plan, block, style, all);
        if (c->length > 0)
            add_piece(plan, c);
        plan->segment[plan->segment_count - 1].passes += (uint8_t)passes;
        all += passes;
        length += c->length;
        next = c->next;
    }
    block->segment_count = (uint16_t)(plan->segment_count - block->first_segment);
    block->passes = (uint16_t)all;
    block->length = length;
    return fine;
}

/* Check the number of blocks, and of samples visited by their passes, against the limits. */
static kst_status check_limits(struct j2k_builder *builder, const struct j2k_block *block, uint64_t place)
{
    builder->visits += (uint64_t)block->passes * block->width * block->height;
    if (builder->visits > builder->visits_allowed)
        return kst_report_error(builder->report, KST_ERROR_LIMIT_WORK, place, "coding passes");
    if (builder->plan->block_count >= builder->limits->blocks)
        return kst_report_error(
            builder->report, KST_ERROR_LIMIT_BLOCKS, place, "more than %u", (unsigned)builder->limits->blocks);
    return KST_OK;
}

/* Count the passes of a block in a survey, with at most `most` passes. Returns false if there were more. */
static bool survey_passes(const struct j2k_block_state *state, uint32_t most, struct j2k_block *block)
{
    block->passes = (uint16_t)(state->kept <= most ? state->kept : most);
    return state->kept <= most;
}

/* Return whether a block may have had more passes in its last segment, in packets that were lost or left out. */
static bool is_cut(const struct j2k_builder *builder, const struct j2k_grid *grid, const struct j2k_precinct *precinct,
    const struct j2k_block *block)
{
    uint32_t layers = builder->in_force.layers, limit = builder->filter->layers;
    bool all = precinct->layers >= layers && !precinct->broken && (limit == 0 || limit >= layers);
    return !all && block->passes < 3 * block->planes - 2 &&
           !kst_j2k_block_coder_of(block->coder)->starts(grid->style, block->passes);
}

/* Return whether the filter's region leaves out no code-block of the resolutions that it keeps. */
static bool wants_all_blocks(const struct j2k_builder *builder)
{
    bool all = true;
    for (uint32_t g = 0; g < builder->grid_count && all; g++)
        for (uint32_t b = 0; builder->grid[g].kept && b < builder->grid[g].band_count; b++) {
            const struct j2k_band *band = &builder->plan->band[builder->grid[g].first_band + b];
            all = all && j2k_same_rect(band->window, band->rect);
        }
    return all;
}

/* Make room for one block. Used where the region leaves out blocks, so that there is no room for all of them. */
static kst_status make_room_for_block(struct j2k_builder *builder, const struct j2k_block_state *state)
{
    struct j2k_plan *plan = builder->plan;
    uint32_t count = 0;
    for (uint32_t i = state->first; i != J2K_NO_INDEX; i = builder->contribution[i - 1].next)
        count++;
    kst_status status = kst_j2k_reserve(
        builder, (void **)&plan->block, plan->block_count, 1, &builder->block_capacity, sizeof *plan->block);
    if (!status)
        status = kst_j2k_reserve(builder, (void **)&plan->segment, plan->segment_count, count,
            &builder->segment_capacity, sizeof *plan->segment);
    if (!status)
        status = kst_j2k_reserve(
            builder, (void **)&plan->piece, plan->piece_count, count, &builder->piece_capacity, sizeof *plan->piece);
    return status;
}

/* Holds what the blocks of one subband in a precinct share. */
struct precinct_collecting {
    struct j2k_builder *builder;
    const struct j2k_grid *grid;
    const struct j2k_precinct *precinct;
    uint32_t band_index; /* in the plan */
    uint64_t place;      /* offset of the tile, for reports */
};

/*
 * Add a block that packets have described. A block is damaged and left out if as many bit-planes are missing as the
 * band has, or more.
 */
static kst_status add_block(
    const struct precinct_collecting *in, const struct j2k_block_state *state, struct j2k_rect rect)
{
    struct j2k_builder *builder = in->builder;
    struct j2k_plan *plan = builder->plan;
    struct j2k_band *band = &plan->band[in->band_index];
    if (state->missing >= band->planes) {
        kst_report_warning(builder->report, KST_WARNING_J2K_BLOCK, in->place, 1, false);
        return KST_OK;
    }
    struct j2k_block unused, *block = builder->survey ? &unused : &plan->block[plan->block_count];
    *block = (struct j2k_block){.x = rect.x0,
        .y = rect.y0,
        .width = (uint16_t)(rect.x1 - rect.x0),
        .height = (uint16_t)(rect.y1 - rect.y0),
        .band = in->band_index,
        .first_segment = plan->segment_count,
        .missing = state->missing,
        .planes = (uint8_t)(band->planes - state->missing),
        .coder = state->coder};
    uint32_t most = 3U * block->planes - 2;
    const bool fine = builder->survey ? survey_passes(state, most, block)
                                      : add_segments(builder, state, in->grid->style, most, block);
    if (!fine)
        kst_report_warning(builder->report, KST_WARNING_J2K_BLOCK, in->place, 1, false);
    if (block->passes == 0)
        return KST_OK;
    block->cut = is_cut(builder, in->grid, in->precinct, block);
    kst_status status = check_limits(builder, block, in->place);
    plan->block_count += !status;
    band->block_count += !status;
    return status;
}

static kst_status collect_row(
    const struct precinct_collecting *in, const struct j2k_precinct_band *band, uint32_t y, bool inside)
{
    const struct j2k_block_state *state = &band->block[(size_t)y * band->columns];
    for (uint32_t x = 0; x < band->columns; x++) {
        if (state[x].first == J2K_NO_INDEX || state[x].coder == J2K_CODER_OPEN)
            continue;
        struct j2k_rect rect = kst_j2k_block_rect(in->grid, band, x, y);
        if (!inside && j2k_is_empty(j2k_intersect(rect, in->builder->plan->band[in->band_index].window)))
            continue;
        kst_status status = KST_OK;
        if (!in->builder->roomy && !in->builder->survey)
            status = make_room_for_block(in->builder, &state[x]);
        if (!status)
            status = add_block(in, &state[x], rect);
        if (status)
            return status;
    }
    return KST_OK;
}

/* Collect the blocks of one subband in a precinct of which packets were read. */
static kst_status collect_precinct(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t index, const struct j2k_precinct *precinct)
{
    const struct j2k_precinct_band *band = &precinct->state->band[index];
    const struct precinct_collecting in = {.builder = builder,
        .grid = grid,
        .precinct = precinct,
        .band_index = grid->first_band + index,
        .place = builder->stream->part[builder->stream->tile_part[builder->tile]].offset};
    const struct j2k_rect window = builder->plan->band[in.band_index].window, rect = band->rect;
    const bool inside = window.x0 <= rect.x0 && window.y0 <= rect.y0 && rect.x1 <= window.x1 && rect.y1 <= window.y1;
    kst_status status = KST_OK;
    for (uint32_t y = 0; y < band->rows && !status; y++)
        status = collect_row(&in, band, y, inside);
    return status;
}

static kst_status collect_band(struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t index)
{
    builder->plan->band[grid->first_band + index].first_block = builder->plan->block_count;
    for (uint32_t p = 0; p < grid->columns * grid->rows; p++) {
        const struct j2k_precinct *precinct = &builder->precinct[grid->first_precinct + p];
        if (!precinct->state || !precinct->wanted)
            continue;
        kst_status status = collect_precinct(builder, grid, index, precinct);
        if (status)
            return status;
    }
    return KST_OK;
}

kst_status kst_j2k_collect_grid(struct j2k_builder *builder, const struct j2k_grid *grid)
{
    kst_status status = KST_OK;
    for (uint32_t b = 0; grid->kept && b < grid->band_count && !status; b++)
        status = collect_band(builder, grid, b);
    return status;
}

kst_status kst_j2k_collect(struct j2k_builder *builder)
{
    if (kst_j2k_collect_shared(builder))
        return KST_OK;
    kst_status status = KST_OK;
    if (builder->sharing) {
        kst_j2k_read_undo(builder);
        status = kst_j2k_read_packets(builder);
    }
    builder->roomy = !builder->survey && wants_all_blocks(builder);
    if (!status && builder->roomy)
        status = kst_j2k_make_rooms(builder);
    for (uint32_t g = 0; g < builder->grid_count && !status; g++)
        status = kst_j2k_collect_grid(builder, &builder->grid[g]);
    return status;
}
