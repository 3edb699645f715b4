/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the geometry and the state of precincts and their code-blocks (T.800 B.6, B.7). */
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/packets/tag_tree.h"

enum { CHUNK = 1 << 18, ALIGNMENT = 8 };

struct j2k_arena_chunk {
    struct j2k_arena_chunk *next;
    size_t used, length; /* bytes used, and bytes available, in `bytes` */
    uint64_t bytes[];
};

/* Take zeroed memory from the arena. */
static void *arena_take(struct j2k_builder *builder, size_t length, kst_status *status)
{
    struct j2k_arena_chunk *chunk = builder->arena.chunk;
    length = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->length - chunk->used < length) {
        const size_t step = builder->arena.step ? builder->arena.step : CHUNK;
        size_t room = length > step ? length : step;
        chunk = kst_memory_array(builder->memory, sizeof *chunk + room, 1, status);
        if (!chunk)
            return NULL;
        chunk->length = room;
        chunk->used = 0;
        chunk->next = builder->arena.chunk;
        builder->arena.chunk = chunk;
    }
    void *taken = (char *)chunk->bytes + chunk->used;
    chunk->used += length;
    return memset(taken, 0, length);
}

void kst_j2k_arena_release(struct memory *memory, struct j2k_arena *arena)
{
    while (arena->chunk) {
        struct j2k_arena_chunk *next = arena->chunk->next;
        kst_memory_release(memory, arena->chunk);
        arena->chunk = next;
    }
}

struct j2k_rect kst_j2k_precinct_band_rect(const struct j2k_grid *grid, uint32_t precinct, uint32_t band)
{
    uint32_t in_band = grid->resolution > 0;
    uint32_t width_bits = grid->width_bits - in_band, height_bits = grid->height_bits - in_band;
    uint64_t x = (uint64_t)(grid->column + precinct % grid->columns) << width_bits;
    uint64_t y = (uint64_t)(grid->row + precinct / grid->columns) << height_bits;
    uint64_t x1 = x + (UINT64_C(1) << width_bits), y1 = y + (UINT64_C(1) << height_bits);
    struct j2k_rect rect = {.x0 = (uint32_t)x,
        .y0 = (uint32_t)y,
        .x1 = x1 < UINT32_MAX ? (uint32_t)x1 : UINT32_MAX,
        .y1 = y1 < UINT32_MAX ? (uint32_t)y1 : UINT32_MAX};
    return j2k_intersect(rect, grid->band[band]);
}

struct j2k_precinct_band kst_j2k_precinct_band(const struct j2k_grid *grid, uint32_t precinct, uint32_t band)
{
    struct j2k_precinct_band made = {.rect = kst_j2k_precinct_band_rect(grid, precinct, band)};
    if (j2k_is_empty(made.rect))
        return made;
    made.column = made.rect.x0 >> grid->block_width;
    made.row = made.rect.y0 >> grid->block_height;
    made.columns = j2k_ceil_shift(made.rect.x1, grid->block_width) - made.column;
    made.rows = j2k_ceil_shift(made.rect.y1, grid->block_height) - made.row;
    return made;
}

struct j2k_rect kst_j2k_block_rect(
    const struct j2k_grid *grid, const struct j2k_precinct_band *band, uint32_t x, uint32_t y)
{
    uint64_t x0 = (uint64_t)(band->column + x) << grid->block_width;
    uint64_t y0 = (uint64_t)(band->row + y) << grid->block_height;
    uint64_t x1 = x0 + (UINT64_C(1) << grid->block_width), y1 = y0 + (UINT64_C(1) << grid->block_height);
    struct j2k_rect rect = {.x0 = (uint32_t)x0,
        .y0 = (uint32_t)y0,
        .x1 = x1 < UINT32_MAX ? (uint32_t)x1 : UINT32_MAX,
        .y1 = y1 < UINT32_MAX ? (uint32_t)y1 : UINT32_MAX};
    return j2k_intersect(rect, band->rect);
}

/* Allocate the states of the blocks in one band of a precinct, and the nodes of its two tag trees. */
static bool make_band(struct j2k_builder *builder, struct j2k_precinct_band *band, kst_status *status)
{
    if (band->columns == 0)
        return true;
    struct j2k_tag_shape shape;
    kst_j2k_tag_shape(&shape, band->columns, band->rows);
    band->block = arena_take(builder, (size_t)band->columns * band->rows * sizeof *band->block, status);
    band->inclusion = band->block ? arena_take(builder, shape.nodes * sizeof *band->inclusion, status) : NULL;
    band->missing = band->inclusion ? arena_take(builder, shape.nodes * sizeof *band->missing, status) : NULL;
    band->excluded = band->missing ? arena_take(builder, band->columns, status) : NULL;
    return band->excluded;
}

struct j2k_precinct_state *kst_j2k_precinct_state(
    struct j2k_builder *builder, const struct j2k_grid *grid, uint32_t precinct, kst_status *status)
{
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    if (p->state)
        return p->state;
    struct j2k_precinct_state *state = arena_take(builder, sizeof *state, status);
    bool fine = state;
    for (uint32_t b = 0; b < grid->band_count && fine; b++) {
        state->band[b] = kst_j2k_precinct_band(grid, precinct, b);
        fine = make_band(builder, &state->band[b], status);
    }
    if (!fine) {
        kst_report_error(builder->report, *status, KST_NO_OFFSET, "for packet headers");
        return NULL;
    }
    p->state = state;
    return state;
}
