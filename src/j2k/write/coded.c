/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the geometry of an image that is to be written: each of its tiles, precincts and code-blocks. */
#include "j2k/write/coded.h"

#include "j2k/packets/builder.h"
#include "j2k/syntax/parser.h"

enum { PACKETS_PER_PRECINCT = 16 }; /* packets for each precinct that the limit allows; bounds empty packets */

/* Holds the state while a layout is made. */
struct laying {
    struct j2k_builder builder;
    struct j2k_coded *coded;
    uint64_t packets;
    uint32_t grid_capacity, component_grid_count, component_grid_capacity, precinct_capacity;
};

const struct j2k_parameters *kst_j2k_coded_parameters(const struct j2k_coded *coded, uint32_t tile)
{
    return coded->tile ? &coded->tile[tile] : &coded->headers.main;
}

struct j2k_span kst_j2k_coded_precincts(const struct j2k_coded *coded, struct j2k_tiles tiles)
{
    struct j2k_span span = {0, 0};
    if (tiles.count > 0)
        span.first = coded->tiles[tiles.first].first_precinct;
    for (uint32_t t = 0; t < tiles.count; t++)
        span.count += coded->tiles[tiles.first + t].precinct_count;
    return span;
}

struct j2k_span kst_j2k_coded_blocks(const struct j2k_coded *coded, struct j2k_tiles tiles)
{
    struct j2k_span precincts = kst_j2k_coded_precincts(coded, tiles), span = {UINT32_MAX, 0};
    for (uint32_t p = 0; p < precincts.count; p++) {
        const struct j2k_coded_precinct *precinct = &coded->precinct[precincts.first + p];
        for (uint32_t b = 0; b < 3; b++) {
            uint32_t count = (uint32_t)precinct->columns[b] * precinct->rows[b];
            if (count > 0 && precinct->first_block[b] < span.first)
                span.first = precinct->first_block[b];
            span.count += count;
        }
    }
    return span.count > 0 ? span : (struct j2k_span){0, 0};
}

static kst_status grow(struct laying *laying, void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    return kst_j2k_grow(laying->builder.memory, laying->builder.report, array, count, capacity, size);
}

/* Add the blocks of a band of a precinct. */
static kst_status add_blocks(struct laying *laying, const struct j2k_grid *grid, uint32_t precinct, uint32_t b)
{
    struct j2k_builder *builder = &laying->builder;
    struct j2k_plan *plan = builder->plan;
    struct j2k_precinct_band band = kst_j2k_precinct_band(grid, precinct, b);
    struct j2k_coded_precinct *place =
        &laying->coded->precinct[laying->coded->tiles[builder->tile].first_precinct + grid->first_precinct + precinct];
    place->first_block[b] = plan->block_count;
    place->columns[b] = (uint16_t)band.columns;
    place->rows[b] = (uint16_t)band.rows;
    const uint8_t coder = (uint8_t)kst_j2k_block_coder(grid->style)->kind;
    for (uint32_t y = 0; y < band.rows; y++)
        for (uint32_t x = 0; x < band.columns; x++) {
            const struct j2k_rect rect = kst_j2k_block_rect(grid, &band, x, y);
            if (plan->block_count >= builder->limits->blocks)
                return kst_report_error(builder->report, KST_ERROR_LIMIT_BLOCKS, KST_NO_OFFSET, "more than %u",
                    (unsigned)builder->limits->blocks);
            kst_status status =
                grow(laying, (void **)&plan->block, plan->block_count, &builder->block_capacity, sizeof *plan->block);
            if (status)
                return status;
            plan->block[plan->block_count++] = (struct j2k_block){.x = rect.x0,
                .y = rect.y0,
                .width = (uint16_t)(rect.x1 - rect.x0),
                .height = (uint16_t)(rect.y1 - rect.y0),
                .band = grid->first_band + b,
                .coder = coder};
        }
    return KST_OK;
}

static kst_status add_grid_blocks(struct laying *laying, const struct j2k_grid *grid)
{
    struct j2k_plan *plan = laying->builder.plan;
    for (uint32_t b = 0; grid->kept && b < grid->band_count; b++) {
        struct j2k_band *band = &plan->band[grid->first_band + b];
        band->first_block = plan->block_count;
        for (uint32_t p = 0; p < grid->columns * grid->rows; p++) {
            kst_status status = add_blocks(laying, grid, p, b);
            if (status)
                return status;
        }
        band->block_count = plan->block_count - band->first_block;
    }
    return KST_OK;
}

/* Copy the grids of the current tile, and add an entry for each of their precincts. */
static kst_status add_grids(struct laying *laying)
{
    struct j2k_coded *coded = laying->coded;
    const struct j2k_builder *builder = &laying->builder;
    kst_status status = KST_OK;
    for (uint32_t g = 0; g < builder->grid_count && !status; g++) {
        const struct j2k_grid *grid = &builder->grid[g];
        status = grow(laying, (void **)&coded->grid, coded->grid_count, &laying->grid_capacity, sizeof *coded->grid);
        if (!status)
            coded->grid[coded->grid_count++] = *grid;
        for (uint32_t p = 0; p < grid->columns * grid->rows && !status; p++) {
            status = grow(laying, (void **)&coded->precinct, coded->precinct_count, &laying->precinct_capacity,
                sizeof *coded->precinct);
            if (!status)
                coded->precinct[coded->precinct_count++] =
                    (struct j2k_coded_precinct){.grid = coded->grid_count - 1, .tile = builder->tile};
        }
    }
    for (uint32_t c = 0; c <= coded->headers.component_count && !status; c++) {
        status = grow(laying, (void **)&coded->component_grid, laying->component_grid_count,
            &laying->component_grid_capacity, sizeof *coded->component_grid);
        if (!status)
            coded->component_grid[laying->component_grid_count++] = builder->component_grid[c];
    }
    return status;
}

static kst_status add_tile(struct laying *laying, uint32_t tile)
{
    struct j2k_coded *coded = laying->coded;
    struct j2k_builder *builder = &laying->builder;
    builder->tile = tile;
    builder->rect = kst_j2k_tile_rect(&coded->headers.size, tile);
    builder->in_force = *kst_j2k_coded_parameters(coded, tile);
    if (builder->in_force.layers > coded->layers)
        coded->layers = builder->in_force.layers;
    kst_status status = kst_j2k_layout(builder);
    kst_memory_release(builder->memory, builder->precinct);
    builder->precinct = NULL;
    if (status)
        return status;
    struct j2k_coded_tile *place = &coded->tiles[tile];
    *place = (struct j2k_coded_tile){.first_grid = coded->grid_count,
        .grid_count = builder->grid_count,
        .first_component_grid = laying->component_grid_count,
        .first_precinct = coded->precinct_count,
        .precinct_count = builder->precinct_count};
    laying->packets += (uint64_t)builder->precinct_count * builder->in_force.layers;
    if (laying->packets > PACKETS_PER_PRECINCT * (uint64_t)builder->limits->precincts)
        return kst_report_error(builder->report, KST_ERROR_LIMIT_PRECINCTS, KST_NO_OFFSET, "%llu packets",
            (unsigned long long)laying->packets);
    status = add_grids(laying);
    for (uint32_t g = 0; g < builder->grid_count && !status; g++)
        status = add_grid_blocks(laying, &builder->grid[g]);
    return status;
}

static kst_status lay_out(struct laying *laying)
{
    struct j2k_coded *coded = laying->coded;
    struct j2k_builder *builder = &laying->builder;
    uint32_t tiles = coded->headers.size.columns * coded->headers.size.rows;
    kst_status status = kst_j2k_coded_check(coded, builder->report);
    if (!status)
        status = kst_j2k_builder_start(builder);
    if (status)
        return status;
    coded->tiles = kst_memory_zeroed(builder->memory, tiles, sizeof *coded->tiles, &status);
    if (!coded->tiles)
        return kst_report_error(builder->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t t = 0; t < tiles && !status; t++)
        status = add_tile(laying, t);
    if (status)
        return status;
    coded->block = kst_memory_zeroed(builder->memory, coded->plan.block_count, sizeof *coded->block, &status);
    return coded->block ? KST_OK : kst_report_error(builder->report, status, KST_NO_OFFSET, NULL);
}

kst_status kst_j2k_coded_layout(const struct operation *op, struct j2k_coded *coded)
{
    const struct j2k_filter everything = {.layers = 0};
    struct laying laying = {.coded = coded,
        .builder = {.memory = op->memory,
            .limits = op->limits,
            .stream = &coded->headers,
            .filter = &everything,
            .report = op->report,
            .plan = &coded->plan}};
    kst_status status = lay_out(&laying);
    kst_j2k_builder_release(&laying.builder);
    return status;
}

static void quantise_component(struct j2k_coded *coded, uint32_t index)
{
    struct j2k_plan *plan = &coded->plan;
    struct j2k_tile_component *tc = &plan->tile_component[index];
    const uint32_t component = index % plan->component_count;
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(coded, index / plan->component_count);
    tc->roi_shift = parameters->roi_shift[component]; /* depends on the steps */
    const struct j2k_band_quantiser quantiser = {.quantisation = &parameters->quantisation[component],
        .depth = coded->headers.component[component].depth,
        .roi_shift = parameters->roi_shift[component],
        .reversible = tc->reversible};
    for (uint8_t r = 0; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        for (uint32_t b = 0; b < resolution->band_count; b++)
            kst_j2k_quantise_band(&plan->band[resolution->first_band + b], &quantiser, r);
    }
}

void kst_j2k_coded_quantise(struct j2k_coded *coded)
{
    for (uint32_t i = 0; i < coded->plan.tile_component_count; i++)
        quantise_component(coded, i);
}

void kst_j2k_coded_release(struct memory *memory, struct j2k_coded *coded)
{
    kst_j2k_plan_release(memory, &coded->plan);
    kst_memory_release(memory, coded->grid);
    kst_memory_release(memory, coded->component_grid);
    kst_memory_release(memory, coded->tiles);
    kst_memory_release(memory, coded->precinct);
    kst_memory_release(memory, coded->block);
    coded->grid = NULL;
    coded->component_grid = NULL;
    coded->tiles = NULL;
    coded->precinct = NULL;
    coded->block = NULL;
    coded->grid_count = 0;
    coded->precinct_count = 0;
}
