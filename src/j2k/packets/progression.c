/* SPDX-License-Identifier: BSD-2-Clause */
/* Enumerates the packets of a progression volume in the five progression orders (T.800 B.12.1). */
#include "j2k/packets/progression.h"

#include "j2k/syntax/parser.h"

/*
 * Holds the cursor of one resolution of one component in a progression by position. Its precincts come in raster order.
 * The turn of the next one is at the point of the reference grid where it starts, or where the tile starts if that is
 * later.
 */
struct runner {
    uint64_t point; /* y in the high 32 bits, x in the low ones */
    uint32_t grid;
    uint32_t precinct; /* the next precinct */
};

struct progression_walk {
    struct j2k_builder *builder;
    const struct j2k_volume *volume;
    j2k_visit visit;
    void *argument;
    /* Grids that are not empty, sorted by resolution and then by component, or by component and then by resolution. */
    uint32_t *list;
    uint32_t count;
    struct runner *heap; /* a binary heap with the least point, then the least grid, at the top */
};

static bool in_volume(const struct j2k_volume *volume, const struct j2k_grid *grid)
{
    return grid->columns && grid->resolution >= volume->r0 && grid->resolution < volume->r1;
}

static bool by_component(uint8_t progression)
{
    return progression == J2K_PCRL || progression == J2K_CPRL;
}

static void list_grids(struct progression_walk *walk)
{
    const struct j2k_builder *b = walk->builder;
    const struct j2k_volume *v = walk->volume;
    if (by_component(v->progression)) {
        for (uint32_t g = b->component_grid[v->c0]; g < b->component_grid[v->c1]; g++)
            if (in_volume(v, &b->grid[g]))
                walk->list[walk->count++] = g;
        return;
    }
    for (uint32_t r = v->r0; r < v->r1; r++)
        for (uint32_t c = v->c0; c < v->c1; c++) {
            uint32_t g = b->component_grid[c] + r;
            if (g < b->component_grid[c + 1] && in_volume(v, &b->grid[g]))
                walk->list[walk->count++] = g;
        }
}

static bool visit_layer(const struct progression_walk *walk, uint32_t first, uint32_t end, uint32_t layer)
{
    for (uint32_t i = first; i < end; i++) {
        const struct j2k_grid *grid = &walk->builder->grid[walk->list[i]];
        for (uint32_t p = 0; p < grid->columns * grid->rows; p++)
            if (!walk->visit(walk->argument, grid, p, layer))
                return false;
    }
    return true;
}

static uint64_t start_along(uint32_t index, uint32_t bits, uint32_t separation, uint32_t start)
{
    uint64_t at = ((uint64_t)index << bits) * separation;
    return at > start ? at : start;
}

/* Set the point at which the precinct's turn comes: the first at which the conditions on x and y hold (B.12.1.3). */
static void aim(const struct j2k_builder *builder, struct runner *runner)
{
    const struct j2k_grid *grid = &builder->grid[runner->grid];
    const struct j2k_component_size *size = &builder->stream->component[grid->component];
    uint32_t column = grid->column + runner->precinct % grid->columns;
    uint32_t row = grid->row + runner->precinct / grid->columns;
    uint64_t x = start_along(column, (uint32_t)grid->width_bits + grid->shift, size->dx, builder->rect.x0);
    uint64_t y = start_along(row, (uint32_t)grid->height_bits + grid->shift, size->dy, builder->rect.y0);
    runner->point = y << 32 | x;
}

static bool before(const struct runner *a, const struct runner *b)
{
    return a->point < b->point || (a->point == b->point && a->grid < b->grid);
}

static void sink(struct runner *heap, uint32_t count, uint32_t at)
{
    struct runner moved = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Visit all precincts of the grids list[first … end) by position, with all layers of each at once. */
static bool visit_positions(const struct progression_walk *walk, uint32_t first, uint32_t end)
{
    const struct j2k_builder *builder = walk->builder;
    struct runner *heap = walk->heap;
    uint32_t count = end - first;
    for (uint32_t i = 0; i < count; i++) {
        heap[i] = (struct runner){.grid = walk->list[first + i]};
        aim(builder, &heap[i]);
    }
    for (uint32_t i = count / 2; i-- > 0;)
        sink(heap, count, i);
    while (count > 0) {
        const struct j2k_grid *grid = &builder->grid[heap[0].grid];
        for (uint32_t l = 0; l < walk->volume->layers; l++)
            if (!walk->visit(walk->argument, grid, heap[0].precinct, l))
                return false;
        if (++heap[0].precinct < grid->columns * grid->rows)
            aim(builder, &heap[0]);
        else
            heap[0] = heap[--count];
        sink(heap, count, 0);
    }
    return true;
}

/* Return the end of the run of list entries that have the same resolution (or component) as entry `first`. */
static uint32_t run_end(const struct progression_walk *walk, uint32_t first, bool component)
{
    const struct j2k_grid *grid = walk->builder->grid, *start = &grid[walk->list[first]];
    uint32_t i = first + 1;
    while (i < walk->count && (component ? grid[walk->list[i]].component == start->component
                                         : grid[walk->list[i]].resolution == start->resolution))
        i++;
    return i;
}

static bool visit_layers(const struct progression_walk *walk, uint32_t first, uint32_t end)
{
    for (uint32_t l = 0; l < walk->volume->layers; l++)
        if (!visit_layer(walk, first, end, l))
            return false;
    return true;
}

static void walk_list(const struct progression_walk *walk)
{
    uint8_t progression = walk->volume->progression;
    if (walk->count == 0)
        return;
    if (progression == J2K_LRCP) {
        visit_layers(walk, 0, walk->count);
        return;
    }
    if (progression == J2K_PCRL) {
        visit_positions(walk, 0, walk->count);
        return;
    }
    bool more = true;
    for (uint32_t i = 0; i < walk->count && more;) {
        uint32_t end = run_end(walk, i, progression == J2K_CPRL);
        more = progression == J2K_RLCP ? visit_layers(walk, i, end) : visit_positions(walk, i, end);
        i = end;
    }
}

kst_status kst_j2k_walk(struct j2k_builder *builder, const struct j2k_volume *volume, j2k_visit visit, void *argument)
{
    struct progression_walk walk = {.builder = builder, .volume = volume, .visit = visit, .argument = argument};
    kst_status status = KST_OK;
    walk.list = kst_memory_array(builder->memory, builder->grid_count, sizeof *walk.list, &status);
    walk.heap = kst_memory_array(builder->memory, builder->grid_count, sizeof *walk.heap, &status);
    if (walk.list && walk.heap) {
        list_grids(&walk);
        walk_list(&walk);
    } else {
        kst_report_error(builder->report, status, KST_NO_OFFSET, "for the order of packets");
    }
    kst_memory_release(builder->memory, walk.list);
    kst_memory_release(builder->memory, walk.heap);
    return status;
}
