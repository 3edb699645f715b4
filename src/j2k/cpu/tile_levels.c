/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes each resolution from the one below it and its bands, as far as a step needs it. */
#include "j2k/cpu/tile.h"

static void set_band(struct j2k_level *level, uint32_t orientation, const struct j2k_resident *resident, uint32_t x0)
{
    level->band[orientation] = resident->data + (x0 - resident->x0) * resident->size;
    level->pitch[orientation] = resident->pitch;
    level->rows[orientation] = resident->rows;
}

struct j2k_level kst_j2k_cpu_describe_level(const struct j2k_decode_set *set,
    const struct j2k_decoded_component *component, uint32_t r, uint32_t x0, uint32_t x1)
{
    const struct j2k_resident *below = r == 1 ? &component->band[0] : &component->made[r - 1];
    const struct j2k_resolution *low = &component->resolution[r - 1];
    const struct j2k_rect all = component->resolution[r].computed;
    const uint32_t lows = (x0 + 1) / 2 - (all.x0 + 1) / 2, highs = x0 / 2 - all.x0 / 2;
    struct j2k_level level = {
        .rect = {x0, all.y0, x1, all.y1}, .reversible = component->tc->reversible, .narrow = set->narrow};
    set_band(&level, J2K_LL, below, (j2k_width(low->valid) > 0 ? low->valid.x0 : below->x0) + lows);
    for (uint32_t b = J2K_HL; b <= J2K_HH; b++) {
        const struct j2k_resident *resident = &component->band[3 * r - 3 + b];
        set_band(&level, b, resident, resident->x0 + (b == J2K_LH ? lows : highs));
    }
    return level;
}

void kst_j2k_cpu_make_levels(
    const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t component, uint32_t step)
{
    const struct j2k_decoded_component *c = &set->component[component];
    uint32_t begin[J2K_RESOLUTIONS], end[J2K_RESOLUTIONS];
    kst_j2k_cpu_rows_before(set, c, step, begin);
    kst_j2k_cpu_rows_needed(c, set->step[step].row_end, end);
    for (uint32_t r = 1; r + 1 < c->tc->resolution_count; r++) {
        const struct j2k_resident *made = &c->made[r];
        const struct j2k_rect computed = c->resolution[r].computed;
        struct j2k_level level = kst_j2k_cpu_describe_level(set, c, r, computed.x0, computed.x1);
        for (uint32_t y = begin[r], count; y < end[r]; y += count) { /* up to where the rows wrap */
            uint32_t left = j2k_resident_left(made, y);
            count = end[r] - y < left ? end[r] - y : left;
            kst_j2k_cpu_synthesise(
                &set->decoding->steps, &level, y, y + count, j2k_resident_row(made, y), made->pitch, worker->room);
        }
    }
}
