/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the steps in which a tile's components are decoded, and the rows of bands that are resident meanwhile. */
#include <string.h>

#include "j2k/cpu/blocks/narrow.h"
#include "j2k/cpu/resident.h"
#include "j2k/cpu/tile.h"
#include "j2k/syntax/geometry.h"

enum {
    STEP_ROWS = 64, /* fewest rows of a step */
    /* Bytes of a step, including its tasks and where the blocks of a band end. */
    STEP_BYTES = sizeof(struct j2k_step) + (2 + J2K_LANES_MAX) * sizeof(uint32_t) + 1,
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

/* Return the end of the rows of a resolution, its bands interleaved, that are needed to make it up to `row`. */
static uint32_t interleaved_end(const struct j2k_decoded_component *component, uint32_t r, uint32_t row)
{
    return smaller((uint64_t)row + reach(component), component->resolution[r].computed.y1);
}

/* Return the first of these rows that is needed to make the resolution from `row` on. */
static uint32_t interleaved_begin(const struct j2k_decoded_component *component, uint32_t r, uint32_t row)
{
    uint32_t margin = reach(component);
    return larger(row > margin ? row - margin : 0, component->resolution[r].computed.y0);
}

void kst_j2k_cpu_rows_needed(
    const struct j2k_decoded_component *component, uint32_t row, uint32_t needed[J2K_RESOLUTIONS])
{
    for (uint32_t r = top_of(component); r > 0; r--) {
        needed[r] = row;
        row = smaller(((uint64_t)interleaved_end(component, r, row) + 1) / 2, component->resolution[r - 1].valid.y1);
    }
    needed[0] = row;
}

/* Return the end of the rows of a band that are needed, rounded up to whole blocks. */
static uint32_t band_end(const struct j2k_decoded_component *component, uint32_t r, const struct j2k_band *band,
    const uint32_t needed[J2K_RESOLUTIONS])
{
    uint64_t rows = needed[0], side = (uint64_t)1 << component->tc->block_height;
    if (r > 0)
        rows = ((uint64_t)interleaved_end(component, r, needed[r]) + (band->orientation < J2K_LH)) / 2;
    return smaller((rows + side - 1) / side * side, band->window.y1);
}

/* Return the first row of a band that a step still needs if it starts at row `row[r]` of each resolution r. */
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

static const struct j2k_band *bands_of(const struct j2k_decode_set *set, const struct j2k_resolution *resolution)
{
    return &set->decoding->plan->band[resolution->first_band];
}

static struct j2k_resident *resident_of(struct j2k_decoded_component *component, uint32_t r)
{
    return &component->band[r > 0 ? 3 * r - 2 : 0];
}

/* Runs a statement for every band of the set. */
#define FOR_EACH_BAND(set, c, r, b)                                                                                    \
    for (struct j2k_decoded_component *c = (set)->component; c < (set)->component + (set)->count; c++)                 \
        for (uint32_t r = 0; r < c->tc->resolution_count; r++)                                                         \
            for (uint32_t b = 0; b < c->resolution[r].band_count; b++)

static bool find_steps(struct j2k_decode_set *set)
{
    const struct j2k_decoded_component *component = set->component;
    struct j2k_rect area = component->tc->area;
    uint32_t count = 0;
    for (uint32_t row = area.y0; row < area.y1; row = next_step(component, row))
        count++;
    set->step = kst_j2k_cpu_take(set->decoding, count, sizeof *set->step, true);
    if (!set->step)
        return false;
    for (uint32_t row = area.y0; row < area.y1;)
        set->step[set->step_count++].row_end = row = next_step(component, row);
    return true;
}

uint32_t kst_j2k_cpu_first_row(const struct j2k_decode_set *set, uint32_t step)
{
    return step > 0 ? set->step[step - 1].row_end : set->component->tc->area.y0;
}

void kst_j2k_cpu_rows_before(const struct j2k_decode_set *set, const struct j2k_decoded_component *c, uint32_t step,
    uint32_t rows[J2K_RESOLUTIONS])
{
    if (step > 0)
        kst_j2k_cpu_rows_needed(c, set->step[step - 1].row_end, rows);
    for (uint32_t r = 0; r < c->tc->resolution_count && step == 0; r++)
        rows[r] = c->resolution[r].valid.y0;
}

/* Set the layout of resident rows, once the number of its rows and the columns of its widest lane are known. */
static void place_resident(const struct j2k_decode_set *set, struct j2k_resident *resident, size_t width)
{
    resident->size = set->narrow ? sizeof(int16_t) : sizeof(int32_t);
    resident->pitch = j2k_resident_pitch(width, resident->size);
    resident->rows = larger(resident->rows, 1);
    resident->lane = j2k_resident_room(resident->pitch * resident->rows * resident->size);
}

/* Return the columns of the widest lane of a band; and below, of a resolution. */
static uint32_t widest_of_band(
    const struct j2k_decode_set *set, const struct j2k_decoded_component *c, uint32_t r, uint32_t b)
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < set->lanes.count; lane++) {
        const struct j2k_lane_columns columns = kst_j2k_cpu_lane_of_band(set, c, r, b, lane);
        most = larger(most, columns.x1 > columns.x0 ? columns.x1 - columns.x0 : 0);
    }
    return most;
}

static uint32_t widest_made(const struct j2k_decode_set *set, const struct j2k_decoded_component *c, uint32_t r)
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < set->lanes.count; lane++) {
        const struct j2k_lane_columns columns = kst_j2k_cpu_lane_of_made(set, c, r, lane);
        most = larger(most, columns.x1 > columns.x0 ? columns.x1 - columns.x0 : 0);
    }
    return most;
}

static void grow(struct j2k_resident *resident, uint32_t first, uint32_t end)
{
    if (end > first && end - first > resident->rows)
        resident->rows = end - first;
}

/*
 * Find the most rows that are resident while one step's blocks arrive and the rows of an earlier step, which lag
 * behind, are made.
 */
static void measure_step(struct j2k_decode_set *set, struct j2k_decoded_component *c, uint32_t step)
{
    uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
    kst_j2k_cpu_rows_before(set, c, step > set->lag ? step - set->lag : 0, begin);
    kst_j2k_cpu_rows_needed(c, set->step[step].row_end, end);
    for (uint32_t r = 0; r < c->tc->resolution_count; r++) {
        const struct j2k_band *band = bands_of(set, &c->resolution[r]);
        for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
            grow(&resident_of(c, r)[b], band_begin(c, r, &band[b], begin), band_end(c, r, &band[b], end));
        if (r > 0 && r < top_of(c))
            grow(&c->made[r], made_begin(c, r, begin), end[r]);
    }
}

static void find_resident(struct j2k_decode_set *set)
{
    for (uint32_t step = 0; step < set->step_count; step++)
        for (uint32_t i = 0; i < set->count; i++)
            measure_step(set, &set->component[i], step);
    FOR_EACH_BAND(set, c, r, b)
    {
        const struct j2k_band *band = &bands_of(set, &c->resolution[r])[b];
        struct j2k_resident *resident = &resident_of(c, r)[b];
        resident->x0 = band->window.x0;
        resident->y0 = band->window.y0;
        place_resident(set, resident, widest_of_band(set, c, r, b));
    }
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t r = 1; r < top_of(&set->component[i]); r++) {
            struct j2k_resident *resident = &set->component[i].made[r];
            const struct j2k_resolution *resolution = &set->component[i].resolution[r];
            resident->x0 = resolution->computed.x0;
            resident->y0 = resolution->valid.y0;
            place_resident(set, resident, widest_made(set, &set->component[i], r));
        }
}

/*
 * Return the resident rows of number `index` of a component, of which those of bands come first; null: there are no
 * more.
 */
static struct j2k_resident *resident_at(struct j2k_decoded_component *component, uint32_t index)
{
    uint32_t top = top_of(component), bands = 3 * top + 1;
    if (index < bands)
        return &component->band[index];
    return index + 1 < bands + top ? &component->made[index + 1 - bands] : NULL;
}

static size_t resident_length(const struct j2k_decode_set *set, const struct j2k_resident *resident)
{
    return (set->lanes.count - 1) * resident->lane + resident->pitch * resident->rows * resident->size;
}

static size_t resident_total(struct j2k_decode_set *set)
{
    const struct j2k_resident *resident;
    size_t bytes = 0;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t w = 0; (resident = resident_at(&set->component[i], w)) != NULL; w++)
            bytes += j2k_resident_room(resident_length(set, resident));
    return bytes;
}

static bool make_resident(struct j2k_decode_set *set)
{
    struct j2k_resident *resident;
    uint8_t *left = set->resident = kst_j2k_cpu_take(set->decoding, resident_total(set), 1, false);
    for (uint32_t i = 0; i < set->count && left; i++)
        for (uint32_t w = 0; (resident = resident_at(&set->component[i], w)) != NULL; w++)
            resident->data = j2k_resident_take(&left, resident_length(set, resident));
    return set->resident;
}

/* Return the logarithm of how many columns of the last resolution a column of a band stands for. */
static uint32_t shift_of(const struct j2k_decoded_component *c, uint32_t r)
{
    return r > 0 ? top_of(c) - r + 1 : top_of(c);
}

/*
 * Assign each block of a band to the first step whose rows reach it, and to a lane. `place_of` receives the place of
 * each block's step and lane in set->order_end.
 */
static bool assign_blocks(struct j2k_decode_set *set, const struct j2k_decoded_component *c, uint32_t r,
    const struct j2k_band *band, uint32_t *place_of)
{
    uint32_t *end = kst_j2k_cpu_take(set->decoding, set->step_count, sizeof *end, false);
    const struct j2k_block *block = set->decoding->plan->block;
    for (uint32_t step = 0; end && step < set->step_count; step++) {
        uint32_t needed[J2K_RESOLUTIONS];
        kst_j2k_cpu_rows_needed(c, set->step[step].row_end, needed);
        end[step] = band_end(c, r, band, needed);
    }
    for (uint32_t i = band->first_block; end && i < band->first_block + band->block_count; i++) {
        uint32_t low = 0, high = set->step_count - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (end[middle] > block[i].y)
                high = middle;
            else
                low = middle + 1;
        }
        low =
            low * set->lanes.count + j2k_lane_of_column(&set->lanes, block[i].x + block[i].width / 2U, shift_of(c, r));
        place_of[i - band->first_block] = low;
        set->order_end[low]++;
    }
    kst_memory_release(set->decoding->memory, end);
    return end;
}

/* Return the number of blocks of all bands. */
static uint32_t count_blocks(struct j2k_decode_set *set)
{
    uint32_t total = 0;
    FOR_EACH_BAND(set, c, r, b)
    total += bands_of(set, &c->resolution[r])[b].block_count;
    return total;
}

/* Order blocks by step, within a step by lane, and within a lane by component, resolution and band. */
static bool order_blocks(struct j2k_decode_set *set)
{
    uint32_t total = count_blocks(set), at = 0, places = set->step_count * set->lanes.count;
    bool fine = true;
    uint32_t *place_of = kst_j2k_cpu_take(set->decoding, total + 1U, sizeof *place_of, false);
    set->order = kst_j2k_cpu_take(set->decoding, total + 1U, sizeof *set->order, false);
    set->order_end = kst_j2k_cpu_take(set->decoding, places, sizeof *set->order_end, true);
    fine = place_of && set->order && set->order_end;
    FOR_EACH_BAND(set, c, r, b)
    {
        const struct j2k_band *band = &bands_of(set, &c->resolution[r])[b];
        fine = fine && assign_blocks(set, c, r, band, place_of + at);
        at += band->block_count;
    }
    /* Turn the counts into where the blocks of each step and lane begin. */
    for (uint32_t place = 0, sum = 0; place < places && fine; place++) {
        uint32_t count = set->order_end[place];
        set->order_end[place] = sum;
        sum += count;
    }
    at = 0;
    FOR_EACH_BAND(set, c, r, b)
    {
        const struct j2k_band *band = &bands_of(set, &c->resolution[r])[b];
        for (uint32_t i = 0; i < band->block_count && fine; i++)
            set->order[set->order_end[place_of[at++]]++] = band->first_block + i;
    }
    kst_memory_release(set->decoding->memory, place_of);
    return fine;
}

static bool is_narrow(const struct j2k_decode_set *set)
{
    const struct j2k_plan *plan = set->decoding->plan;
    uint32_t depth = 0;
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        depth = larger(depth, plan->component[i].depth);
    return kst_j2k_cpu_synthesis_is_narrow(plan, set->component[0].tc, set->count, depth);
}

/*
 * Divide the columns into lanes, unless rows are handed out as a whole, or there are no levels, without which blocks
 * are not in bands of half the columns.
 */
static struct j2k_lanes lanes_of(const struct j2k_decode_set *set)
{
    const struct j2k_decoded_component *c = set->component;
    const uint32_t threads = kst_pool_threads(set->decoding->pool);
    return j2k_lanes_make(
        c->tc->area.x0, c->tc->area.x1, set->decoding->rows || top_of(c) == 0 ? 1 : threads, c->tc->block_width);
}

/* Plan everything without allocating the resident rows. */
static bool lay_out(struct j2k_decode_set *set)
{
    const struct j2k_plan *plan = set->decoding->plan;
    for (uint32_t i = 0; i < set->count; i++) {
        struct j2k_decoded_component *c = &set->component[i];
        c->tc = &plan->tile_component[set->tile->first_component + set->first + i];
        c->resolution = &plan->resolution[c->tc->first_resolution];
    }
    set->lag = kst_pool_threads(set->decoding->pool) > 1;
    set->lanes = lanes_of(set);
    set->narrow = is_narrow(set);
    if (!find_steps(set))
        return false;
    set->band_rows = kst_j2k_cpu_band_rows(set);
    find_resident(set);
    return true;
}

/* Find the bands whose blocks cover the whole window; no two blocks share coefficients. */
static void find_covered(struct j2k_decode_set *set)
{
    const struct j2k_plan *plan = set->decoding->plan;
    FOR_EACH_BAND(set, c, r, b)
    {
        const struct j2k_band *band = &bands_of(set, &c->resolution[r])[b];
        uint64_t left = (uint64_t)j2k_width(band->window) * j2k_height(band->window);
        for (uint32_t i = band->first_block; i < band->first_block + band->block_count; i++) {
            const struct j2k_rect part = j2k_wanted_part(plan, &plan->block[i]);
            left -= (uint64_t)j2k_width(part) * j2k_height(part);
        }
        resident_of(c, r)[b].covered = left == 0;
    }
}

bool kst_j2k_cpu_decode_set_begin(struct j2k_decode_set *set)
{
    if (!lay_out(set) || !make_resident(set) || !order_blocks(set))
        return false;
    find_covered(set);
    return true;
}

uint64_t kst_j2k_cpu_decode_set_measure(struct j2k_decode_set *set)
{
    uint64_t bytes = 0;
    if (lay_out(set))
        bytes = (uint64_t)count_blocks(set) * 2 * sizeof *set->order + (uint64_t)set->step_count * STEP_BYTES;
    return bytes > 0 ? bytes + resident_total(set) + KST_MEMORY_OVERHEAD : 0;
}

void kst_j2k_cpu_decode_set_end(struct j2k_decode_set *set)
{
    struct memory *memory = set->decoding->memory;
    kst_memory_release(memory, set->resident);
    kst_memory_release(memory, set->step);
    kst_memory_release(memory, set->order);
    kst_memory_release(memory, set->order_end);
}

static void clear_rows(const struct j2k_resident *resident, uint32_t lane, uint32_t from, uint32_t to)
{
    for (uint32_t y = from; y < to; y++)
        memset(j2k_resident_row(resident, lane, y), 0, resident->size * resident->pitch);
}

void kst_j2k_cpu_clear(const struct j2k_decode_set *set, uint32_t step, uint32_t lane)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_decoded_component *c = &set->component[i];
        uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
        kst_j2k_cpu_rows_before(set, c, step, begin);
        kst_j2k_cpu_rows_needed(c, set->step[step].row_end, end);
        for (uint32_t r = 0; r < c->tc->resolution_count; r++) {
            const struct j2k_band *band = bands_of(set, &c->resolution[r]);
            const struct j2k_resident *resident = &c->band[r > 0 ? 3 * r - 2 : 0];
            for (uint32_t b = 0; b < c->resolution[r].band_count; b++)
                if (!resident[b].covered)
                    clear_rows(&resident[b], lane, step > 0 ? band_end(c, r, &band[b], begin) : band[b].window.y0,
                        band_end(c, r, &band[b], end));
        }
    }
}
