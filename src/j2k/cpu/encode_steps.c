/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the steps in which a tile's components are encoded, and the windows that move down with them. */
#include <string.h>

#include "j2k/cpu/blocks/coding_group.h"
#include "j2k/cpu/blocks/narrow.h"

enum {
    STEP_ROWS = 64,        /* fewest rows of a step */
    STRIP_ROWS = 32,       /* fewest rows of each of several strips */
    THREADS_PER_STRIP = 4, /* one thread makes coefficients as fast as this many threads code them */
    ROW_ALIGNMENT = 64,
    /* Rows at the top that must be there before the first ones are split, because mirror images are taken of them. */
    MIRRORED = 8
};

static uint32_t clamp(uint64_t value, uint32_t low, uint32_t high)
{
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

static uint32_t ahead(const struct j2k_encode_component *component)
{
    return component->tc->reversible ? J2K_ANALYSIS_AHEAD_53 : J2K_ANALYSIS_AHEAD_97;
}

/* The end of the pairs of rows of `rect` that can be split once its rows before `end` are there. */
static uint32_t pairs_end(const struct j2k_encode_component *component, struct j2k_rect rect, uint32_t end)
{
    if (end >= rect.y1)
        return (uint32_t)(((uint64_t)rect.y1 + 1) / 2);
    return end - rect.y0 < MIRRORED ? rect.y0 / 2 : (end - ahead(component)) / 2;
}

/* How far each resolution is split once the component's rows before `row` are there. */
static struct j2k_encode_rows rows_before(const struct j2k_encode_component *component, uint32_t row)
{
    struct j2k_encode_rows rows;
    for (uint32_t r = j2k_encode_top(component); r > 0; r--) {
        struct j2k_rect below = component->resolution[r - 1].rect;
        rows.made[r] = pairs_end(component, component->resolution[r].rect, row);
        row = clamp(rows.made[r], below.y0, below.y1);
    }
    rows.made[0] = row;
    return rows;
}

struct j2k_encode_rows kst_j2k_encode_rows_before(
    const struct j2k_coding_group *group, const struct j2k_encode_component *component, uint32_t step)
{
    return rows_before(component, step > 0 ? group->step[step - 1].row_end : component->tc->rect.y0);
}

/* The end of the rows of a band that are there. */
static uint32_t band_end(const struct j2k_band *band, uint32_t r, const struct j2k_encode_rows *rows)
{
    return clamp(rows->made[r], band->rect.y0, band->rect.y1);
}

/* The end of the rows of a band that form whole blocks. */
static uint32_t blocks_end(const struct j2k_encode_component *component, const struct j2k_band *band, uint32_t r,
    const struct j2k_encode_rows *rows)
{
    uint32_t end = band_end(band, r, rows);
    return end == band->rect.y1
               ? end
               : clamp(end >> component->tc->block_height << component->tc->block_height, band->rect.y0, end);
}

/* Steps end where rows of blocks of the first level end, so that few coefficients have to be kept for the next step. */
static uint32_t next_step(const struct j2k_encode_component *component, uint32_t row, uint32_t strips)
{
    uint32_t shift = component->tc->block_height, halves = j2k_encode_top(component) > 0;
    uint64_t least = strips > 1 ? strips * STRIP_ROWS : 1;
    least = least > STEP_ROWS ? least : STEP_ROWS;
    uint64_t pairs = ((row + least) >> halves) + ((uint64_t)1 << shift) - 1;
    return clamp((pairs >> shift << shift << halves) + (halves ? ahead(component) : 0), row, component->tc->rect.y1);
}

static uint32_t strips_for(uint32_t threads)
{
    return (threads + THREADS_PER_STRIP - 1) / THREADS_PER_STRIP;
}

/* A step's, rounded up to blocks, and those around it that splitting takes into account. */
uint32_t kst_j2k_encode_rows_at_once(const struct j2k_plan *plan, uint32_t threads)
{
    enum { AROUND = 32 };
    uint32_t least = strips_for(threads) * STRIP_ROWS, shift = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        shift = plan->tile_component[i].block_height > shift ? plan->tile_component[i].block_height : shift;
    return (least > STEP_ROWS ? least : STEP_ROWS) + (2U << shift) + AROUND;
}

static bool find_steps(struct j2k_coding_group *group)
{
    const struct j2k_encode_component *component = group->component;
    struct j2k_rect rect = component->tc->rect;
    uint32_t count = 0;
    for (uint32_t row = rect.y0; row < rect.y1; row = next_step(component, row, group->strips))
        count++;
    group->step = kst_j2k_encode_take(group->tile->job, count, sizeof *group->step);
    if (!group->step)
        return false;
    memset(group->step, 0, sizeof *group->step * count);
    for (uint32_t row = rect.y0; row < rect.y1;)
        group->step[group->step_count++].row_end = row = next_step(component, row, group->strips);
    return true;
}

static void grow(struct j2k_encode_window *window, uint32_t first, uint32_t end)
{
    if (end > first && end - first > window->rows)
        window->rows = end - first;
}

static const struct j2k_band *bands_of(const struct j2k_coding_group *group, const struct j2k_resolution *resolution)
{
    return &group->tile->plan->band[resolution->first_band];
}

static uint32_t first_window(uint32_t r)
{
    return r > 0 ? 3 * r - 2 : 0;
}

/* Find what windows hold while a step's rows are made and the blocks of earlier steps, which lag behind, are coded. */
static void measure_step(struct j2k_coding_group *group, struct j2k_encode_component *c, uint32_t step)
{
    uint32_t lag = group->lag;
    struct j2k_encode_rows coded = kst_j2k_encode_rows_before(group, c, step > lag ? step - lag : 0);
    struct j2k_encode_rows before = kst_j2k_encode_rows_before(group, c, step);
    struct j2k_encode_rows after = kst_j2k_encode_rows_before(group, c, step + 1);
    for (uint32_t r = 0; r <= j2k_encode_top(c); r++) {
        const struct j2k_band *band = bands_of(group, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            grow(&c->band[first_window(r) + b], blocks_end(c, &band[b], r, &coded), band_end(&band[b], r, &after));
        if (r == 0 || r == j2k_encode_top(c))
            continue;
        struct j2k_rect rect = c->resolution[r].rect;
        /* The four rows before these are still needed, because mirror images may be taken of them. */
        uint64_t used = 2 * (uint64_t)before.made[r];
        grow(&c->low[r], clamp(used > 4 ? used - 4 : 0, rect.y0, rect.y1), clamp(after.made[r + 1], rect.y0, rect.y1));
    }
}

static void place_window(const struct j2k_coding_group *group, struct j2k_encode_window *window, struct j2k_rect rect)
{
    window->size = group->narrow ? sizeof(int16_t) : sizeof(int32_t);
    window->pitch = j2k_rect_width(rect);
    window->y0 = rect.y0;
    window->y1 = rect.y1;
    window->rows = window->rows > 0 ? window->rows : 1;
}

/* Measure and place the windows of one component. */
static void find_windows(struct j2k_coding_group *group, struct j2k_encode_component *c)
{
    uint32_t top = j2k_encode_top(c);
    for (uint32_t step = 0; step < group->step_count; step++)
        measure_step(group, c, step);
    for (uint32_t r = 0; r <= top; r++) {
        const struct j2k_band *band = bands_of(group, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            place_window(group, &c->band[first_window(r) + b], band[b].rect);
        if (r > 0 && r < top)
            place_window(group, &c->low[r], c->resolution[r].rect);
    }
}

static size_t window_room(const struct j2k_encode_window *window)
{
    return window->pitch * window->rows + 1;
}

static bool take_window(const struct j2k_coding_group *group, struct j2k_encode_window *window)
{
    window->data = kst_j2k_encode_take(group->tile->job, window_room(window), window->size);
    return window->data;
}

/* Bytes needed for splitting a resolution; the last resolution is split for all components together. */
static size_t split_room(const struct j2k_coding_group *group, uint32_t component, uint32_t r)
{
    bool last = r == j2k_encode_top(&group->component[component]);
    if (last && component > 0)
        return 0;
    struct j2k_analysis analysis = kst_j2k_encode_analysis(group, component, r);
    return kst_j2k_analysis_room(&analysis) * (last ? group->strips : 1);
}

static bool make_windows(struct j2k_coding_group *group, uint32_t component)
{
    struct j2k_encode_component *c = &group->component[component];
    uint32_t top = j2k_encode_top(c);
    bool fine = true;
    for (uint32_t w = 0; w <= 3 * top && fine; w++)
        fine = take_window(group, &c->band[w]);
    for (uint32_t r = 1; r < top && fine; r++)
        fine = take_window(group, &c->low[r]);
    for (uint32_t r = 1; r <= top && fine; r++) {
        size_t room = split_room(group, component, r);
        if (room == 0)
            continue;
        c->room[r] = kst_j2k_encode_take(group->tile->job, room, 1);
        fine = c->room[r];
    }
    return fine;
}

/* Runs a statement for every band of the group. */
#define FOR_EACH_BAND(group, c, r, b)                                                                                  \
    for (const struct j2k_encode_component *c = (group)->component; c < (group)->component + (group)->count; c++)      \
        for (uint32_t r = 0; r <= j2k_encode_top(c); r++)                                                              \
            for (const struct j2k_band *b = bands_of(group, &c->resolution[r]);                                        \
                 b < bands_of(group, &c->resolution[r]) + c->resolution[r].band_count; b++)

static bool is_chosen(const struct j2k_coding_group *group, uint32_t block)
{
    return group->choice == J2K_ALL_BLOCKS || kst_j2k_is_sampled(group->tile, j2k_encode_block(group->tile, block));
}

/* The step after whose rows a block is complete. `end` is the end of the band's complete blocks after each step. */
static uint32_t step_of(const struct j2k_coding_group *group, const uint32_t *end, const struct j2k_block *block)
{
    uint32_t low = 0, high = group->step_count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (end[middle] > block->y)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Count a band's blocks by step or, if they are already counted, put them in order. */
static void assign_blocks(struct j2k_coding_group *group, const struct j2k_encode_component *c, uint32_t r,
    const struct j2k_band *band, uint32_t *end, bool counted)
{
    for (uint32_t step = 0; step < group->step_count; step++) {
        struct j2k_encode_rows rows = kst_j2k_encode_rows_before(group, c, step + 1);
        end[step] = blocks_end(c, band, r, &rows);
    }
    for (uint32_t i = band->first_block; i < band->first_block + band->block_count; i++) {
        if (!is_chosen(group, i))
            continue;
        uint32_t *at = &group->step[step_of(group, end, &group->tile->plan->block[i])].order_end;
        if (counted)
            group->order[*at] = i;
        (*at)++;
    }
}

/* Order blocks by step, and within a step by component, resolution and band. */
static bool order_blocks(struct j2k_coding_group *group)
{
    uint32_t total = 0, *end = kst_j2k_encode_take(group->tile->job, group->step_count, sizeof *end);
    if (!end)
        return false;
    FOR_EACH_BAND(group, c, r, band)
    assign_blocks(group, c, r, band, end, false);
    for (uint32_t step = 0; step < group->step_count; step++) { /* from counts to where each step's blocks begin */
        uint32_t count = group->step[step].order_end;
        group->step[step].order_end = total;
        total += count;
    }
    group->order = kst_j2k_encode_take(group->tile->job, total, sizeof *group->order);
    if (group->order)
        FOR_EACH_BAND(group, c, r, band)
    assign_blocks(group, c, r, band, end, true);
    kst_memory_release(group->tile->job->memory, end);
    return group->order;
}

/* Make room for the rows that are read from a callback. */
static bool make_rows(struct j2k_coding_group *group)
{
    struct j2k_encode_job *job = group->tile->job;
    if (!job->source->rows)
        return true;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct j2k_origin *origin = &job->source->origin[group->first + i];
        size_t length = j2k_rect_width(group->component[i].tc->rect) * origin->step * origin->bytes;
        group->row_length = length > group->row_length ? length : group->row_length;
    }
    group->row_length = (group->row_length + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    group->row = kst_j2k_encode_take(job, group->strips, group->row_length);
    return group->row;
}

/* Samples that are stored in 32 bits are taken to need more than 16. */
static bool is_narrow(const struct j2k_coding_group *group)
{
    const struct j2k_encode_job *job = group->tile->job;
    const struct j2k_tile_component *tc = group->component->tc;
    bool narrow = tc->reversible;
    for (uint32_t i = group->first; i < group->first + group->count; i++)
        narrow = narrow && job->source->origin[i].bytes < 4 &&
                 kst_j2k_analysis_is_narrow(job->source->origin[i].depth, group->count > 1, tc->levels);
    return narrow;
}

/* Plan everything without allocating the windows. */
static bool lay_out(struct j2k_coding_group *group)
{
    const struct j2k_plan *plan = group->tile->plan;
    uint32_t threads = kst_pool_threads(group->tile->job->pool);
    for (uint32_t i = 0; i < group->count; i++) {
        struct j2k_encode_component *c = &group->component[i];
        c->tc = &plan->tile_component[group->tile->part->first_component + group->first + i];
        c->resolution = &plan->resolution[c->tc->first_resolution];
    }
    group->narrow = is_narrow(group);
    group->lag = threads > 1;
    group->strips = j2k_encode_top(group->component) > 0 ? strips_for(threads) : 1;
    if (!find_steps(group))
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        find_windows(group, &group->component[i]);
    return true;
}

bool kst_j2k_coding_group_begin(struct j2k_coding_group *group)
{
    bool fine = lay_out(group) && make_rows(group);
    for (uint32_t i = 0; i < group->count; i++)
        fine = fine && make_windows(group, i);
    return fine && order_blocks(group);
}

uint64_t kst_j2k_coding_group_measure(struct j2k_coding_group *group)
{
    uint64_t bytes = 0;
    bool fine = lay_out(group);
    for (uint32_t i = 0; i < group->count && fine; i++) {
        const struct j2k_encode_component *c = &group->component[i];
        uint32_t top = j2k_encode_top(c);
        for (uint32_t w = 0; w <= 3 * top; w++)
            bytes += window_room(&c->band[w]) * c->band[w].size;
        for (uint32_t r = 1; r <= top; r++)
            bytes += (r < top ? window_room(&c->low[r]) * c->low[r].size : 0) + split_room(group, i, r);
    }
    return bytes;
}

void kst_j2k_coding_group_end(struct j2k_coding_group *group)
{
    struct memory *memory = group->tile->job->memory;
    for (uint32_t i = 0; i < group->count; i++) {
        for (uint32_t w = 0; w < 3 * J2K_LEVELS + 1; w++)
            kst_memory_release(memory, group->component[i].band[w].data);
        for (uint32_t r = 0; r < J2K_RESOLUTIONS; r++) {
            kst_memory_release(memory, group->component[i].low[r].data);
            kst_memory_release(memory, group->component[i].room[r]);
        }
    }
    kst_memory_release(memory, group->step);
    kst_memory_release(memory, group->order);
    kst_memory_release(memory, group->row);
}
