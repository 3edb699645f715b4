/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the steps in which a tile's components are encoded, and the rows of bands that are resident meanwhile. */
#include <string.h>

#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/cpu/blocks/narrow.h"
#include "j2k/cpu/resident.h"

enum {
    STEP_ROWS = 64,        /* fewest rows of a step */
    STRIP_ROWS = 32,       /* fewest rows of each of several strips */
    THREADS_PER_STRIP = 4, /* one thread makes coefficients as fast as this many threads code them */
    ROW_ALIGNMENT = 64,
    /* The rows at the top that must exist before the first ones are split, because they are mirrored. */
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

/* Return the end of the pairs of rows of `rect` that can be split once its rows before `end` exist. */
static uint32_t pairs_end(const struct j2k_encode_component *component, struct j2k_rect rect, uint32_t end)
{
    if (end >= rect.y1)
        return (uint32_t)(((uint64_t)rect.y1 + 1) / 2);
    return end - rect.y0 < MIRRORED ? rect.y0 / 2 : (end - ahead(component)) / 2;
}

/* Return how far each resolution is split once the component's rows before `row` exist. */
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

struct j2k_encode_rows kst_j2k_cpu_encode_rows_before(
    const struct j2k_encode_set *set, const struct j2k_encode_component *component, uint32_t step)
{
    return rows_before(component, step > 0 ? set->step[step - 1].row_end : component->tc->rect.y0);
}

/* Return the end of the existing rows of a band. */
static uint32_t band_end(const struct j2k_band *band, uint32_t r, const struct j2k_encode_rows *rows)
{
    return clamp(rows->made[r], band->rect.y0, band->rect.y1);
}

/* Return the end of the rows of a band that form whole blocks. */
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

/* Return the rows of a step, rounded up to whole blocks, and those around it that splitting needs. */
uint32_t kst_j2k_cpu_encode_rows_at_once(const struct j2k_plan *plan, uint32_t threads)
{
    enum { AROUND = 32 };
    uint32_t least = strips_for(threads) * STRIP_ROWS, shift = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        shift = plan->tile_component[i].block_height > shift ? plan->tile_component[i].block_height : shift;
    return (least > STEP_ROWS ? least : STEP_ROWS) + (2U << shift) + AROUND;
}

static bool find_steps(struct j2k_encode_set *set)
{
    const struct j2k_encode_component *component = set->component;
    struct j2k_rect rect = component->tc->rect;
    uint32_t count = 0;
    for (uint32_t row = rect.y0; row < rect.y1; row = next_step(component, row, set->strips))
        count++;
    set->step = kst_j2k_encode_take(set->tile->encoding, count, sizeof *set->step);
    if (!set->step)
        return false;
    memset(set->step, 0, sizeof *set->step * count);
    for (uint32_t row = rect.y0; row < rect.y1;)
        set->step[set->step_count++].row_end = row = next_step(component, row, set->strips);
    return true;
}

static void grow(struct j2k_encode_resident *resident, uint32_t first, uint32_t end)
{
    if (end > first && end - first > resident->rows)
        resident->rows = end - first;
}

static const struct j2k_band *bands_of(const struct j2k_encode_set *set, const struct j2k_resolution *resolution)
{
    return &set->tile->plan->band[resolution->first_band];
}

static uint32_t first_resident(uint32_t r)
{
    return r > 0 ? 3 * r - 2 : 0;
}

/* Find which rows must be resident while a step's rows are made and the blocks of earlier steps, which lag behind, are
 * coded. */
static void measure_step(struct j2k_encode_set *set, struct j2k_encode_component *c, uint32_t step)
{
    uint32_t lag = set->lag;
    struct j2k_encode_rows coded = kst_j2k_cpu_encode_rows_before(set, c, step > lag ? step - lag : 0);
    struct j2k_encode_rows before = kst_j2k_cpu_encode_rows_before(set, c, step);
    struct j2k_encode_rows after = kst_j2k_cpu_encode_rows_before(set, c, step + 1);
    for (uint32_t r = 0; r <= j2k_encode_top(c); r++) {
        const struct j2k_band *band = bands_of(set, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            grow(&c->band[first_resident(r) + b], blocks_end(c, &band[b], r, &coded), band_end(&band[b], r, &after));
        if (r == 0 || r == j2k_encode_top(c))
            continue;
        struct j2k_rect rect = c->resolution[r].rect;
        /* The four rows before these are still needed, because mirror images may be taken of them. */
        uint64_t used = 2 * (uint64_t)before.made[r];
        grow(&c->low[r], clamp(used > 4 ? used - 4 : 0, rect.y0, rect.y1), clamp(after.made[r + 1], rect.y0, rect.y1));
    }
}

static void place_resident(
    const struct j2k_encode_set *set, struct j2k_encode_resident *resident, struct j2k_rect rect, bool all)
{
    resident->size = set->narrow ? sizeof(int16_t) : sizeof(int32_t);
    resident->pitch = j2k_resident_pitch(j2k_rect_width(rect), resident->size);
    resident->lanes = 1;
    resident->y0 = rect.y0;
    resident->y1 = rect.y1;
    if (all)
        grow(resident, rect.y0, rect.y1);
    resident->rows = resident->rows > 0 ? resident->rows : 1;
}

/* Give each lane rows of its own, as processors would prefetch each other's parts of common ones. */
static void divide(const struct j2k_encode_set *set, struct j2k_encode_resident *resident)
{
    const struct j2k_lanes *lanes = &set->lanes;
    size_t most = 0;
    for (uint32_t lane = 0; lane < lanes->count && lanes->count > 1; lane++) {
        const size_t width = (lanes->x[lane + 1] - lanes->x[lane] + 1) / 2;
        most = width > most ? width : most;
    }
    if (most > 0)
        resident->pitch = j2k_resident_pitch(most, resident->size);
    resident->lanes = lanes->count;
    resident->lane = j2k_resident_room(resident->pitch * resident->rows * resident->size);
}

/* Measure and place the resident rows of one component. */
static void find_resident(struct j2k_encode_set *set, struct j2k_encode_component *c)
{
    uint32_t top = j2k_encode_top(c);
    for (uint32_t step = 0; step < set->step_count; step++)
        measure_step(set, c, step);
    for (uint32_t r = 0; r <= top; r++) {
        const struct j2k_band *band = bands_of(set, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            place_resident(set, &c->band[first_resident(r) + b], band[b].rect, set->keeps);
        for (uint32_t b = 0; b < c->resolution[r].band_count && r > 0 && r == top; b++)
            divide(set, &c->band[first_resident(r) + b]);
        if (r > 0 && r < top)
            place_resident(set, &c->low[r], c->resolution[r].rect, false);
    }
}

static size_t resident_length(const struct j2k_encode_resident *resident)
{
    return (resident->lanes - 1) * resident->lane + resident->pitch * resident->rows * resident->size;
}

/*
 * Return the number of bytes needed for splitting a resolution; the last resolution is split for all components
 * together.
 */
static size_t split_room(const struct j2k_encode_set *set, uint32_t component, uint32_t r)
{
    bool last = r == j2k_encode_top(&set->component[component]);
    if (last && component > 0)
        return 0;
    if (last)
        return kst_j2k_cpu_encode_strip_room(set) * set->strips * set->lanes.count;
    struct j2k_analysis analysis = kst_j2k_cpu_encode_analysis(set, component, r, 0);
    return kst_j2k_cpu_analysis_room(&analysis);
}

static size_t resident_total(const struct j2k_encode_set *set)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_encode_component *c = &set->component[i];
        const uint32_t top = j2k_encode_top(c);
        for (uint32_t w = 0; w <= 3 * top; w++)
            bytes += j2k_resident_room(resident_length(&c->band[w]));
        for (uint32_t r = 1; r <= top; r++)
            bytes += (r < top ? j2k_resident_room(resident_length(&c->low[r])) : 0) +
                     j2k_resident_room(split_room(set, i, r));
    }
    return bytes;
}

/* Place the rows of all bands, and room for splitting. */
static bool make_resident(struct j2k_encode_set *set)
{
    uint8_t *left = set->resident = kst_j2k_encode_take(set->tile->encoding, resident_total(set), 1);
    for (uint32_t i = 0; i < set->count && left; i++) {
        struct j2k_encode_component *c = &set->component[i];
        const uint32_t top = j2k_encode_top(c);
        for (uint32_t w = 0; w <= 3 * top; w++)
            c->band[w].data = j2k_resident_take(&left, resident_length(&c->band[w]));
        for (uint32_t r = 1; r <= top; r++) {
            if (r < top)
                c->low[r].data = j2k_resident_take(&left, resident_length(&c->low[r]));
            c->room[r] = j2k_resident_take(&left, split_room(set, i, r));
        }
    }
    return set->resident;
}

/* Runs a statement for every band of the set. */
#define FOR_EACH_BAND(set, c, r, b)                                                                                    \
    for (const struct j2k_encode_component *c = (set)->component; c < (set)->component + (set)->count; c++)            \
        for (uint32_t r = 0; r <= j2k_encode_top(c); r++)                                                              \
            for (const struct j2k_band *b = bands_of(set, &c->resolution[r]);                                          \
                 b < bands_of(set, &c->resolution[r]) + c->resolution[r].band_count; b++)

static bool is_chosen(const struct j2k_encode_set *set, uint32_t block)
{
    return set->choice == J2K_ALL_BLOCKS || kst_j2k_is_sampled(set->tile, j2k_encode_block(set->tile, block));
}

/*
 * Return the step after whose rows a block is complete. `end` is the end of the band's complete blocks after each step.
 */
static uint32_t step_of(const struct j2k_encode_set *set, const uint32_t *end, const struct j2k_block *block)
{
    uint32_t low = 0, high = set->step_count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (end[middle] > block->y)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Return the lane that codes a block of a step. */
static uint32_t lane_of(const struct j2k_encode_set *set, const struct j2k_encode_component *c, uint32_t r,
    uint32_t step, const struct j2k_block *block)
{
    if (r > 0 && r == j2k_encode_top(c))
        return j2k_lane_of_column(&set->lanes, block->x + block->width / 2U, 1);
    return j2k_lane_of_component(&set->lanes, (uint32_t)(c - set->component), set->count, step);
}

/* Count a band's blocks by step and lane or, if they are already counted, put them in order. */
static void assign_blocks(struct j2k_encode_set *set, const struct j2k_encode_component *c, uint32_t r,
    const struct j2k_band *band, uint32_t *end, bool counted)
{
    for (uint32_t step = 0; step < set->step_count; step++) {
        struct j2k_encode_rows rows = kst_j2k_cpu_encode_rows_before(set, c, step + 1);
        end[step] = blocks_end(c, band, r, &rows);
    }
    for (uint32_t i = band->first_block; i < band->first_block + band->block_count; i++) {
        if (!is_chosen(set, i))
            continue;
        const struct j2k_block *block = &set->tile->plan->block[i];
        const uint32_t step = step_of(set, end, block);
        uint32_t *at = &set->order_end[step * set->lanes.count + lane_of(set, c, r, step, block)];
        if (counted)
            set->order[*at] = i;
        (*at)++;
    }
}

/* Make room for what becomes known of each of `blocks` blocks when its coefficients are first looked at. */
static bool know_more(struct j2k_encode_set *set, uint32_t blocks)
{
    struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_tile_component *tc = set->component->tc;
    const uint32_t columns = ((1U << tc->block_width) + J2K_HT_GROUP_COLUMNS - 1) / J2K_HT_GROUP_COLUMNS;
    const uint32_t rows = ((1U << tc->block_height) + J2K_HT_GROUP_ROWS - 1) / J2K_HT_GROUP_ROWS;
    set->largest = kst_j2k_encode_take(encoding, blocks, sizeof *set->largest);
    if (!encoding->request->count || tc->reversible)
        return set->largest;
    set->bounds = columns * rows;
    set->bound = kst_j2k_encode_take(encoding, blocks, set->bounds * sizeof *set->bound);
    return set->largest && set->bound;
}

/* Order blocks by step, within a step by lane, and within a lane by component, resolution and band. */
static bool order_blocks(struct j2k_encode_set *set)
{
    const uint32_t places = set->step_count * set->lanes.count;
    uint32_t total = 0, *end = kst_j2k_encode_take(set->tile->encoding, set->step_count, sizeof *end);
    set->order_end = kst_j2k_encode_take(set->tile->encoding, places, sizeof *set->order_end);
    if (!end || !set->order_end) {
        kst_memory_release(set->tile->encoding->memory, end);
        return false;
    }
    memset(set->order_end, 0, places * sizeof *set->order_end);
    FOR_EACH_BAND(set, c, r, band)
    assign_blocks(set, c, r, band, end, false);
    for (uint32_t i = 0; i < places; i++) { /* from counts to where the blocks of each step and lane begin */
        uint32_t count = set->order_end[i];
        set->order_end[i] = total;
        total += count;
    }
    set->order = kst_j2k_encode_take(set->tile->encoding, total, sizeof *set->order);
    if (set->order)
        FOR_EACH_BAND(set, c, r, band)
    assign_blocks(set, c, r, band, end, true);
    kst_memory_release(set->tile->encoding->memory, end);
    return set->order && (!set->keeps || know_more(set, total));
}

/* Make room for the rows that are read from a callback. */
static bool make_rows(struct j2k_encode_set *set)
{
    struct j2k_encoding *encoding = set->tile->encoding;
    if (!encoding->request->rows)
        return true;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_origin *origin = &encoding->request->origin[set->first + i];
        size_t length = j2k_rect_width(set->component[i].tc->rect) * origin->stride * origin->bytes;
        set->row_length = length > set->row_length ? length : set->row_length;
    }
    set->row_length = (set->row_length + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    set->row = kst_j2k_encode_take(encoding, set->strips, set->row_length);
    return set->row;
}

/* Return whether 16 bits suffice. Samples that are stored in 32 bits are assumed to need more. */
static bool is_narrow(const struct j2k_encode_set *set)
{
    const struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_tile_component *tc = set->component->tc;
    bool narrow = tc->reversible;
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        narrow = narrow && encoding->request->origin[i].bytes < 4 &&
                 kst_j2k_cpu_analysis_is_narrow(encoding->request->origin[i].depth, set->count > 1, tc->levels);
    return narrow;
}

/* Divide the columns into lanes, unless each row is read as a whole, or there are no levels. */
static struct j2k_lanes lanes_of(const struct j2k_encode_set *set)
{
    const struct j2k_encode_component *c = set->component;
    const struct j2k_encoding *encoding = set->tile->encoding;
    uint32_t block_width = 0;
    for (uint32_t i = 0; i < set->count; i++) /* blocks of the last resolution are not divided */
        block_width = c[i].tc->block_width > block_width ? c[i].tc->block_width : block_width;
    return j2k_lanes_make(c->tc->rect.x0, c->tc->rect.x1,
        encoding->request->rows || j2k_encode_top(c) == 0 ? 1 : encoding->workers, block_width);
}

/* Plan everything without allocating the resident rows. */
static bool lay_out(struct j2k_encode_set *set)
{
    const struct j2k_plan *plan = set->tile->plan;
    uint32_t threads = set->tile->encoding->workers;
    for (uint32_t i = 0; i < set->count; i++) {
        struct j2k_encode_component *c = &set->component[i];
        c->tc = &plan->tile_component[set->tile->part->first_component + set->first + i];
        c->resolution = &plan->resolution[c->tc->first_resolution];
    }
    set->narrow = is_narrow(set);
    set->lag = threads > 1;
    set->lanes = lanes_of(set);
    set->strips =
        j2k_encode_top(set->component) > 0 ? (strips_for(threads) + set->lanes.count - 1) / set->lanes.count : 1;
    if (!find_steps(set))
        return false;
    for (uint32_t i = 0; i < set->count; i++)
        find_resident(set, &set->component[i]);
    return true;
}

bool kst_j2k_cpu_encode_set_begin(struct j2k_encode_set *set)
{
    return lay_out(set) && make_rows(set) && make_resident(set) && order_blocks(set);
}

uint64_t kst_j2k_cpu_encode_set_measure(struct j2k_encode_set *set)
{
    return lay_out(set) ? resident_total(set) : 0;
}

void kst_j2k_cpu_encode_set_end(struct j2k_encode_set *set, struct memory *memory)
{
    kst_memory_release(memory, set->resident);
    kst_memory_release(memory, set->step);
    kst_memory_release(memory, set->order);
    kst_memory_release(memory, set->order_end);
    kst_memory_release(memory, set->largest);
    kst_memory_release(memory, set->bound);
    kst_memory_release(memory, set->row);
}
