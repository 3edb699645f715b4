/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns what the packets of a tile said into the flat arrays of the plan. */
#include "j2k/packets/builder.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/parser.h"

static kst_status add_piece(struct j2k_builder *builder, const struct j2k_contribution *c)
{
    struct j2k_plan *plan = builder->plan;
    kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->piece, plan->piece_count,
        &builder->piece_capacity, sizeof *plan->piece);
    if (status)
        return status;
    plan->piece[plan->piece_count++] = (struct j2k_piece){.offset = c->offset, .length = c->length};
    struct j2k_segment *segment = &plan->segment[plan->segment_count - 1];
    segment->piece_count++;
    segment->length += c->length;
    return KST_OK;
}

static kst_status add_segment(struct j2k_builder *builder, struct j2k_block *block, uint8_t style)
{
    struct j2k_plan *plan = builder->plan;
    kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->segment, plan->segment_count,
        &builder->segment_capacity, sizeof *plan->segment);
    if (status)
        return status;
    plan->segment[plan->segment_count++] = (struct j2k_segment){
        .first_piece = plan->piece_count, .raw = kst_j2k_block_coder_of(block->coder)->is_raw(style, block->passes)};
    block->segment_count++;
    return KST_OK;
}

/*
 * Add the segments of a block, with at most `room` passes. *fine becomes false if there were more; of passes that
 * T.814 codes together, none is kept then.
 */
static kst_status add_segments(struct j2k_builder *builder, const struct j2k_block_state *state, uint8_t style,
    uint32_t room, struct j2k_block *block, bool *fine)
{
    struct j2k_plan *plan = builder->plan;
    for (uint32_t i = state->first; i != J2K_NO_INDEX;) {
        const struct j2k_contribution *c = &builder->contribution[i - 1];
        uint32_t passes = c->passes;
        if (passes > room - block->passes) {
            passes = state->coder == J2K_HT ? 0 : room - block->passes;
            *fine = false;
        }
        if (passes == 0)
            return KST_OK;
        kst_status status = c->starts ? add_segment(builder, block, style) : KST_OK;
        if (!status && c->length > 0)
            status = add_piece(builder, c);
        if (status)
            return status;
        plan->segment[plan->segment_count - 1].passes += (uint8_t)passes;
        block->passes = (uint16_t)(block->passes + passes);
        block->length += c->length;
        i = c->next;
    }
    return KST_OK;
}

/* Check the number of blocks, and of samples visited by their passes, against the limits. */
static kst_status check_limits(struct j2k_builder *builder, const struct j2k_block *block, uint64_t place)
{
    builder->visits += (uint64_t)block->passes * block->width * block->height;
    if (builder->visits > kst_j2k_allowance(builder->limits, J2K_ASKED_VISITS, builder->stream))
        return kst_report_error(builder->report, KST_ERROR_LIMIT_WORK, place, "coding passes");
    if (builder->plan->block_count >= builder->limits->blocks)
        return kst_report_error(
            builder->report, KST_ERROR_LIMIT_BLOCKS, place, "more than %u", (unsigned)builder->limits->blocks);
    return KST_OK;
}

static kst_status keep_block(struct j2k_builder *builder, const struct j2k_block *block)
{
    struct j2k_plan *plan = builder->plan;
    if (!builder->survey) {
        kst_status status = kst_j2k_grow(builder->memory, builder->report, (void **)&plan->block, plan->block_count,
            &builder->block_capacity, sizeof *plan->block);
        if (status)
            return status;
        plan->block[plan->block_count] = *block;
    }
    plan->block_count++;
    plan->band[block->band].block_count++;
    return KST_OK;
}

/* Count the passes of a block in a survey, with at most `most` passes. */
static void survey_passes(const struct j2k_block_state *state, uint32_t most, struct j2k_block *block, bool *fine)
{
    *fine = state->kept <= most;
    block->passes = (uint16_t)(*fine ? state->kept : most);
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

/*
 * Add a block of which packets have said something. One with more missing bit-planes than the band has bit-planes is
 * damaged and left out.
 */
static kst_status add_block(struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t band_index,
    const struct j2k_precinct *precinct, const struct j2k_block_state *state, struct j2k_rect rect)
{
    struct j2k_plan *plan = builder->plan;
    struct j2k_band *band = &plan->band[band_index];
    uint64_t place = builder->stream->part[builder->stream->tile_part[builder->tile]].offset;
    if (state->missing >= band->planes) {
        kst_report_warning(builder->report, KST_WARNING_J2K_BLOCK, place, 1, false);
        return KST_OK;
    }
    struct j2k_block block = {.x = rect.x0,
        .y = rect.y0,
        .width = (uint16_t)(rect.x1 - rect.x0),
        .height = (uint16_t)(rect.y1 - rect.y0),
        .band = band_index,
        .first_segment = plan->segment_count,
        .missing = state->missing,
        .planes = (uint8_t)(band->planes - state->missing),
        .coder = state->coder};
    uint32_t most = 3U * block.planes - 2;
    bool fine = true;
    kst_status status = KST_OK;
    if (builder->survey)
        survey_passes(state, most, &block, &fine);
    else
        status = add_segments(builder, state, grid->style, most, &block, &fine);
    if (!fine)
        kst_report_warning(builder->report, KST_WARNING_J2K_BLOCK, place, 1, false);
    if (status || block.passes == 0)
        return status;
    block.cut = is_cut(builder, grid, precinct, &block);
    status = check_limits(builder, &block, place);
    return status ? status : keep_block(builder, &block);
}

/* The blocks of one subband in a precinct, of which packets were read. */
static kst_status collect_precinct(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t index, const struct j2k_precinct *precinct)
{
    const struct j2k_precinct_band *band = &precinct->state->band[index];
    uint32_t band_index = grid->first_band + index;
    for (uint32_t y = 0; y < band->rows; y++) {
        for (uint32_t x = 0; x < band->columns; x++) {
            const struct j2k_block_state *state = &band->block[(size_t)y * band->columns + x];
            if (state->first == J2K_NO_INDEX || state->coder == J2K_CODER_OPEN)
                continue;
            struct j2k_rect rect = kst_j2k_block_rect(grid, band, x, y);
            if (j2k_is_empty(j2k_intersect(rect, builder->plan->band[band_index].window)))
                continue;
            kst_status status = add_block(builder, grid, band_index, precinct, state, rect);
            if (status)
                return status;
        }
    }
    return KST_OK;
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

kst_status kst_j2k_collect(struct j2k_builder *builder)
{
    for (uint32_t g = 0; g < builder->grid_count; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        for (uint32_t b = 0; grid->kept && b < grid->band_count; b++) {
            kst_status status = collect_band(builder, grid, b);
            if (status)
                return status;
        }
    }
    return KST_OK;
}
