/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolutions, each made from the one below and its bands, as far as a step needs them. */
#include "cpu/j2k_tile.h"

static void set_band(struct j2k_level *level, uint32_t orientation, const struct j2k_window *window, uint32_t x0)
{
    level->band[orientation] = window->data + (x0 - window->x0);
    level->pitch[orientation] = window->pitch;
    level->first[orientation] = window->first - window->y0;
}

struct j2k_level kst_j2k_describe_level(const struct j2k_decoded_component *component, uint32_t r)
{
    const struct j2k_window *below = r == 1 ? &component->band[0] : &component->made[r - 1];
    const struct j2k_resolution *low = &component->resolution[r - 1];
    struct j2k_level level = {.rect = component->resolution[r].computed, .reversible = component->tc->reversible};
    set_band(&level, J2K_LL, below, j2k_width(low->valid) > 0 ? low->valid.x0 : below->x0);
    for (uint32_t b = J2K_HL; b <= J2K_HH; b++) {
        const struct j2k_window *window = &component->band[3 * r - 3 + b];
        set_band(&level, b, window, window->x0);
    }
    return level;
}

static void make_levels(struct j2k_decoding *decoding, struct j2k_decoded_component *component, uint32_t row_end)
{
    uint32_t top = component->tc->resolution_count - 1U, needed[J2K_RESOLUTIONS];
    struct j2k_worker *worker =
        kst_j2k_worker_take(decoding, kst_j2k_synthesis_room((uint32_t)j2k_width(component->resolution[top].computed)));
    kst_j2k_rows_needed(component, row_end, needed);
    for (uint32_t r = 1; r < top && worker; r++) {
        struct j2k_window *made = &component->made[r];
        struct j2k_level level = kst_j2k_describe_level(component, r);
        if (needed[r] <= made->end)
            continue;
        kst_j2k_synthesise(
            &decoding->steps, &level, made->end, needed[r], j2k_window_row(made, made->end), made->pitch, worker->room);
        made->end = needed[r];
    }
    if (worker)
        kst_j2k_worker_put(decoding, worker);
}

static void run_component(void *argument, uint32_t index)
{
    struct j2k_group *group = argument;
    make_levels(group->decoding, &group->component[index], group->row_end[group->step]);
}

void kst_j2k_make_levels(struct j2k_group *group)
{
    kst_pool_run(group->decoding->pool, group->count, run_component, group);
}
