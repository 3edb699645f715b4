/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the steps in which a tile's components are decoded, and the windows that move down with them. */
#include <string.h>

#include "j2k/cpu/blocks/narrow.h"
#include "j2k/cpu/tile.h"

enum {
    STEP_ROWS = 64, /* fewest rows of a step */
    /* Bytes of a step, including its tasks and where the blocks of a band end. */
    STEP_BYTES = sizeof(struct j2k_step) + 2 * sizeof(uint32_t) + 1,
};

static uint32_t smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t reach(const struct j2k_decoded_component *component)
{
    return component->tc->reversible ? J2K_REACH_53 : J2K_REACH_97;
}

static uint32_t top_of(const struct j2k_decoded_component *component)
{
    return component->tc->resolution_count - 1U;
}

/* The end of the rows of a resolution, its bands interleaved, that are needed to make it up to `row`. */
static uint32_t interleaved_end(const struct j2k_decoded_component *component, uint32_t r, uint32_t row)
{
    return smaller((uint64_t)row + reach(component), component->resolution[r].computed.y1);
}

/* The first of these rows that is needed to make the resolution from `row` on. */
static uint32_t interleaved_begin(const struct j2k_decoded_component *component, uint32_t r, uint32_t row)
{
    uint32_t margin = reach(component);
    return larger(row > margin ? row - margin : 0, component->resolution[r].computed.y0);
}

void kst_j2k_rows_needed(const struct j2k_decoded_component *component, uint32_t row, uint32_t needed[J2K_RESOLUTIONS])
{
    for (uint32_t r = top_of(component); r > 0; r--) {
        needed[r] = row;
        row = smaller(((uint64_t)interleaved_end(component, r, row) + 1) / 2, component->resolution[r - 1].valid.y1);
    }
    needed[0] = row;
}

/* The end of the rows of a band that are needed, rounded up to whole blocks. */
static uint32_t band_end(const struct j2k_decoded_component *component, uint32_t r, const struct j2k_band *band,
    const uint32_t needed[J2K_RESOLUTIONS])
{
    uint64_t rows = needed[0], side = (uint64_t)1 << component->tc->block_height;
    if (r > 0)
        rows = ((uint64_t)interleaved_end(component, r, needed[r]) + (band->orientation < J2K_LH)) / 2;
    return smaller((rows + side - 1) / side * side, band->window.y1);
}

/* The first row of a band that a step still needs if it starts at row `row[r]` of each resolution r. */
static uint32_t band_begin(
    const struct j2k_decoded_component *component, uint32_t r, const struct j2k_band *band, const uint32_t *row)
{
    uint32_t first =
        top_of(component) == 0 ? row[0] : interleaved_begin(component, r > 0 ? r : 1, row[r > 0 ? r : 1]) / 2;
    return larger(first, band->window.y0);
}

static uint32_t made_begin(const struct j2k_decoded_component *component, uint32_t r, const uint32_t *row)
{
    return larger(interleaved_begin(component, r + 1, row[r + 1]) / 2, component->resolution[r].valid.y0);
}

/* Steps end where rows of blocks of the last resolution end, so that few rows have to be kept for the next step. */
static uint32_t next_step(const struct j2k_decoded_component *component, uint32_t row)
{
    uint64_t side = (uint64_t)1 << component->tc->block_height, end = component->tc->area.y1;
    bool halves = top_of(component) > 0;
    uint32_t margin = halves ? reach(component) : 0;
    uint64_t rows = ((uint64_t)row + STEP_ROWS + margin + halves) >> halves;
    return smaller(((rows + side - 1) / side * side << halves) - margin, end);
}

static const struct j2k_band *bands_of(const struct j2k_group *group, const struct j2k_resolution *resolution)
{
    return &group->decoding->plan->band[resolution->first_band];
}

static struct j2k_window *windows_of(struct j2k_decoded_component *component, uint32_t r)
{
    return &component->band[r > 0 ? 3 * r - 2 : 0];
}

/* Runs a statement for every band of the group. */
#define FOR_EACH_BAND(group, c, r, b)                                                                                  \
    for (struct j2k_decoded_component *c = (group)->component; c < (group)->component + (group)->count; c++)           \
        for (uint32_t r = 0; r < c->tc->resolution_count; r++)                                                         \
            for (uint32_t b = 0; b < c->resolution[r].band_count; b++)

static bool find_steps(struct j2k_group *group)
{
    const struct j2k_decoded_component *component = group->component;
    struct j2k_rect area = component->tc->area;
    uint32_t count = 0;
    for (uint32_t row = area.y0; row < area.y1; row = next_step(component, row))
        count++;
    group->step = kst_j2k_take(group->decoding, count, sizeof *group->step, true);
    if (!group->step)
        return false;
    for (uint32_t row = area.y0; row < area.y1;)
        group->step[group->step_count++].row_end = row = next_step(component, row);
    return true;
}

uint32_t kst_j2k_first_row(const struct j2k_group *group, uint32_t step)
{
    return step > 0 ? group->step[step - 1].row_end : group->component->tc->area.y0;
}

void kst_j2k_rows_before(
    const struct j2k_group *group, const struct j2k_decoded_component *c, uint32_t step, uint32_t rows[J2K_RESOLUTIONS])
{
    if (step > 0)
        kst_j2k_rows_needed(c, group->step[step - 1].row_end, rows);
    for (uint32_t r = 0; r < c->tc->resolution_count && step == 0; r++)
        rows[r] = c->resolution[r].valid.y0;
}

/* Set the layout of a window, once the number of its rows is known. Blocks begin at multiples of `side`. */
static void place_window(
    const struct j2k_group *group, struct j2k_window *window, size_t width, uint32_t y1, uint64_t side)
{
    window->pitch = width;
    window->size = group->narrow ? sizeof(int16_t) : sizeof(int32_t);
    window->base = (uint32_t)(window->y0 / side * side);
    uint32_t all = y1 > window->base ? y1 - window->base : 1;
    window->rows = smaller((window->rows + side - 1) / side * side, all);
    window->rows = larger(window->rows, 1);
}

static void grow(struct j2k_window *window, uint32_t first, uint32_t end)
{
    if (end > first && end - first > window->rows)
        window->rows = end - first;
}

/*
 * Find the most that windows hold while one step's blocks arrive and the rows of an earlier step, which lag behind, are
 * made.
 */
static void measure_step(struct j2k_group *group, struct j2k_decoded_component *c, uint32_t step)
{
    uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
    kst_j2k_rows_before(group, c, step > group->lag ? step - group->lag : 0, begin);
    kst_j2k_rows_needed(c, group->step[step].row_end, end);
    for (uint32_t r = 0; r < c->tc->resolution_count; r++) {
        const struct j2k_band *band = bands_of(group, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            grow(&windows_of(c, r)[b], band_begin(c, r, &band[b], begin), band_end(c, r, &band[b], end));
        if (r > 0 && r < top_of(c))
            grow(&c->made[r], made_begin(c, r, begin), end[r]);
    }
}

static void find_windows(struct j2k_group *group)
{
    for (uint32_t step = 0; step < group->step_count; step++)
        for (uint32_t i = 0; i < group->count; i++)
            measure_step(group, &group->component[i], step);
    FOR_EACH_BAND(group, c, r, b)
    {
        const struct j2k_band *band = &bands_of(group, &c->resolution[r])[b];
        struct j2k_window *window = &windows_of(c, r)[b];
        window->x0 = band->window.x0;
        window->y0 = band->window.y0;
        place_window(group, window, j2k_width(band->window), band->window.y1, (uint64_t)1 << c->tc->block_height);
    }
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t r = 1; r < top_of(&group->component[i]); r++) {
            struct j2k_window *window = &group->component[i].made[r];
            const struct j2k_resolution *resolution = &group->component[i].resolution[r];
            window->x0 = resolution->computed.x0;
            window->y0 = resolution->valid.y0;
            place_window(group, window, j2k_width(resolution->computed), resolution->valid.y1, 1);
        }
}

/* Window `index` of a component, first those of bands; null: there are no more. */
static struct j2k_window *window_at(struct j2k_decoded_component *component, uint32_t index)
{
    uint32_t top = top_of(component), bands = 3 * top + 1;
    if (index < bands)
        return &component->band[index];
    return index + 1 < bands + top ? &component->made[index + 1 - bands] : NULL;
}

/* Size in samples; even an empty window has memory. */
static size_t window_room(const struct j2k_window *window)
{
    return window->pitch * window->rows + 1;
}

static bool make_windows(struct j2k_group *group)
{
    bool fine = true;
    for (uint32_t i = 0; i < group->count; i++) {
        struct j2k_window *window;
        for (uint32_t w = 0; fine && (window = window_at(&group->component[i], w)) != NULL; w++)
            fine = (window->data = kst_j2k_take(group->decoding, window_room(window), window->size, false)) != NULL;
    }
    return fine;
}

/* Assign each block of a band to a step: the first one whose rows reach it. */
static bool assign_blocks(struct j2k_group *group, const struct j2k_decoded_component *c, uint32_t r,
    const struct j2k_band *band, uint32_t *step_of)
{
    uint32_t *end = kst_j2k_take(group->decoding, group->step_count, sizeof *end, false);
    const struct j2k_block *block = group->decoding->plan->block;
    for (uint32_t step = 0; end && step < group->step_count; step++) {
        uint32_t needed[J2K_RESOLUTIONS];
        kst_j2k_rows_needed(c, group->step[step].row_end, needed);
        end[step] = band_end(c, r, band, needed);
    }
    for (uint32_t i = band->first_block; end && i < band->first_block + band->block_count; i++) {
        uint32_t low = 0, high = group->step_count - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (end[middle] > block[i].y)
                high = middle;
            else
                low = middle + 1;
        }
        step_of[i - group->first_block] = low;
        group->step[low].order_end++;
    }
    kst_memory_release(group->decoding->memory, end);
    return end;
}

/* The number of blocks of all bands, which follow each other in the plan; also finds the first block. */
static uint32_t find_blocks(struct j2k_group *group)
{
    uint32_t total = 0;
    FOR_EACH_BAND(group, c, r, b)
    {
        const struct j2k_band *band = &bands_of(group, &c->resolution[r])[b];
        if (total == 0)
            group->first_block = band->first_block;
        if (band->block_count > 0)
            total = band->first_block + band->block_count - group->first_block;
    }
    return total;
}

/* Order blocks by step, and within a step as in the plan. */
static bool order_blocks(struct j2k_group *group)
{
    uint32_t total = find_blocks(group);
    bool fine = true;
    uint32_t *step_of = kst_j2k_take(group->decoding, total + 1U, sizeof *step_of, false);
    group->order = kst_j2k_take(group->decoding, total + 1U, sizeof *group->order, false);
    fine = step_of && group->order;
    FOR_EACH_BAND(group, c, r, b)
    fine = fine && assign_blocks(group, c, r, &bands_of(group, &c->resolution[r])[b], step_of);
    /* Turn the counts into where each step's blocks begin. */
    for (uint32_t step = 0, sum = 0; step < group->step_count && fine; step++) {
        uint32_t count = group->step[step].order_end;
        group->step[step].order_end = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < total && fine; i++)
        group->order[group->step[step_of[i]].order_end++] = i;
    kst_memory_release(group->decoding->memory, step_of);
    return fine;
}

/* Targets of 32 bits are taken to be for samples of more than 16 bits. */
static bool is_narrow(const struct j2k_group *group)
{
    const struct j2k_plan *plan = group->decoding->plan;
    uint32_t depth = 0;
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        if (group->decoding->target[i].data && group->decoding->target[i].bytes == 4)
            return false;
        depth = larger(depth, plan->component[i].depth);
    }
    return kst_j2k_synthesis_is_narrow(plan, group->component[0].tc, group->count, depth);
}

/* Plan everything without allocating the windows. */
static bool lay_out(struct j2k_group *group)
{
    const struct j2k_plan *plan = group->decoding->plan;
    for (uint32_t i = 0; i < group->count; i++) {
        struct j2k_decoded_component *c = &group->component[i];
        c->tc = &plan->tile_component[group->tile->first_component + group->first + i];
        c->resolution = &plan->resolution[c->tc->first_resolution];
    }
    group->lag = kst_pool_threads(group->decoding->pool) > 1;
    group->narrow = is_narrow(group);
    if (!find_steps(group))
        return false;
    find_windows(group);
    return true;
}

bool kst_j2k_group_begin(struct j2k_group *group)
{
    return lay_out(group) && make_windows(group) && order_blocks(group);
}

uint64_t kst_j2k_group_measure(struct j2k_group *group)
{
    uint64_t bytes = 0;
    if (lay_out(group))
        bytes = (uint64_t)find_blocks(group) * 2 * sizeof *group->order + (uint64_t)group->step_count * STEP_BYTES;
    for (uint32_t i = 0; bytes > 0 && i < group->count; i++) {
        const struct j2k_window *window;
        for (uint32_t w = 0; (window = window_at(&group->component[i], w)) != NULL; w++)
            bytes += window_room(window) * window->size + KST_MEMORY_OVERHEAD;
    }
    return bytes;
}

void kst_j2k_group_end(struct j2k_group *group)
{
    struct memory *memory = group->decoding->memory;
    for (uint32_t i = 0; i < group->count; i++) {
        for (uint32_t w = 0; w < 3 * J2K_LEVELS + 1; w++)
            kst_memory_release(memory, group->component[i].band[w].data);
        for (uint32_t r = 0; r < J2K_RESOLUTIONS; r++)
            kst_memory_release(memory, group->component[i].made[r].data);
    }
    kst_memory_release(memory, group->step);
    kst_memory_release(memory, group->order);
}

static void clear_rows(const struct j2k_window *window, uint32_t from, uint32_t to)
{
    for (uint32_t y = from; y < to; y++)
        memset(j2k_window_row(window, y), 0, window->size * window->pitch);
}

void kst_j2k_clear(const struct j2k_group *group, uint32_t step)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct j2k_decoded_component *c = &group->component[i];
        uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
        kst_j2k_rows_before(group, c, step, begin);
        kst_j2k_rows_needed(c, group->step[step].row_end, end);
        for (uint32_t r = 0; r < c->tc->resolution_count; r++) {
            const struct j2k_band *band = bands_of(group, &c->resolution[r]);
            const struct j2k_window *window = &c->band[r > 0 ? 3 * r - 2 : 0];
            for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
                clear_rows(&window[b], step > 0 ? band_end(c, r, &band[b], begin) : band[b].window.y0,
                    band_end(c, r, &band[b], end));
        }
    }
}
