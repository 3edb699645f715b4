/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes each resolution from the one below it and its bands, lane by lane, as far as a step needs it. */
#include "j2k/cpu/tile.h"
#include "j2k/syntax/geometry.h"

/* Return the part of what is computed of a resolution on which a lane depends. */
static struct j2k_rect part_of_lane(
    const struct j2k_decode_set *set, const struct j2k_decoded_component *component, uint32_t r, uint32_t lane)
{
    const uint32_t reach = component->tc->reversible ? J2K_REACH_53 : J2K_REACH_97;
    uint32_t x0 = set->lanes.x[lane], x1 = set->lanes.x[lane + 1];
    for (uint32_t k = component->tc->resolution_count - 1U;; k--) {
        struct j2k_rect rect = component->resolution[k].computed;
        if (lane > 0 && x0 > reach && x0 - reach > rect.x0)
            rect.x0 = x0 - reach;
        if (lane + 1 < set->lanes.count && (uint64_t)x1 + reach < rect.x1)
            rect.x1 = x1 + reach;
        if (k == r)
            return rect;
        x0 = (uint32_t)(((uint64_t)rect.x0 + 1) / 2);
        x1 = (uint32_t)(((uint64_t)rect.x1 + 1) / 2);
    }
}

struct j2k_lane_columns kst_j2k_cpu_lane_of_made(
    const struct j2k_decode_set *set, const struct j2k_decoded_component *component, uint32_t r, uint32_t lane)
{
    const struct j2k_rect part = part_of_lane(set, component, r, lane);
    return (struct j2k_lane_columns){part.x0, part.x1};
}

struct j2k_lane_columns kst_j2k_cpu_lane_of_band(const struct j2k_decode_set *set,
    const struct j2k_decoded_component *component, uint32_t r, uint32_t b, uint32_t lane)
{
    const struct j2k_band *band = &set->decoding->plan->band[component->resolution[r].first_band + b];
    const bool low = band->orientation == J2K_LL || band->orientation == J2K_LH;
    struct j2k_lane_columns columns = {band->window.x0, band->window.x1};
    if (set->lanes.count == 1)
        return columns;
    const struct j2k_rect part = part_of_lane(set, component, r > 0 ? r : 1, lane);
    if (lane > 0)
        columns.x0 = (uint32_t)(((uint64_t)part.x0 + low) / 2);
    if (lane + 1 < set->lanes.count)
        columns.x1 = (uint32_t)(((uint64_t)part.x1 + low) / 2);
    return columns;
}

static void set_band(
    struct j2k_level *level, uint32_t orientation, const struct j2k_resident *resident, uint32_t lane, size_t column)
{
    level->band[orientation] = resident->data + lane * resident->lane + column * resident->size;
    level->pitch[orientation] = resident->pitch;
    level->rows[orientation] = resident->rows;
}

/* Return which of the columns that a lane has of the resolution below is the first that it needs of them. */
static uint32_t first_low(const struct j2k_decode_set *set, const struct j2k_decoded_component *component, uint32_t r,
    uint32_t lane, uint32_t x0)
{
    const struct j2k_rect valid = component->resolution[r - 1].valid;
    const struct j2k_resident *below = r == 1 ? &component->band[0] : &component->made[r - 1];
    if (lane == 0)
        return j2k_width(valid) > 0 ? valid.x0 - below->x0 : 0;
    return r == 1 ? 0 : (x0 + 1) / 2 - part_of_lane(set, component, r - 1, lane).x0;
}

struct j2k_level kst_j2k_cpu_describe_level(
    const struct j2k_decode_set *set, const struct j2k_decoded_component *component, uint32_t r, uint32_t lane)
{
    const struct j2k_resident *below = r == 1 ? &component->band[0] : &component->made[r - 1];
    struct j2k_level level = {
        .rect = part_of_lane(set, component, r, lane), .reversible = component->tc->reversible, .narrow = set->narrow};
    set_band(&level, J2K_LL, below, lane, first_low(set, component, r, lane, level.rect.x0));
    for (uint32_t b = J2K_HL; b <= J2K_HH; b++)
        set_band(&level, b, &component->band[3 * r - 3 + b], lane, 0);
    return level;
}

void kst_j2k_cpu_make_levels(
    const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t component, uint32_t step, uint32_t lane)
{
    const struct j2k_decoded_component *c = &set->component[component];
    uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
    kst_j2k_cpu_rows_before(set, c, step, begin);
    kst_j2k_cpu_rows_needed(c, set->step[step].row_end, end);
    for (uint32_t r = 1; r + 1 < c->tc->resolution_count; r++) {
        const struct j2k_resident *made = &c->made[r];
        struct j2k_level level = kst_j2k_cpu_describe_level(set, c, r, lane);
        for (uint32_t y = begin[r], count; y < end[r]; y += count) { /* up to where the rows wrap */
            uint32_t rows = j2k_resident_left(made, y);
            count = end[r] - y < rows ? end[r] - y : rows;
            kst_j2k_cpu_synthesise(&set->decoding->steps, &level, y, y + count, j2k_resident_row(made, lane, y),
                made->pitch, worker->room);
        }
    }
}
