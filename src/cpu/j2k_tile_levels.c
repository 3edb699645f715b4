/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile-component's resolutions, each made from the one below and its bands, in strips for the threads. */
#include "cpu/j2k_dwt.h"
#include "cpu/j2k_tile.h"

enum { STRIP_ROWS = 64 };

struct level_work {
    struct j2k_decoding *decoding;
    struct j2k_level level;
    bool reversible;
    uint32_t *to;
};

static void run_strip(void *argument, uint32_t index)
{
    const struct level_work *work = argument;
    struct j2k_rect rect = work->level.rect;
    uint32_t y0 = rect.y0 + index * STRIP_ROWS, y1 = rect.y1 - y0 < STRIP_ROWS ? rect.y1 : y0 + STRIP_ROWS;
    size_t pitch = j2k_width(rect);
    if (!kst_j2k_goes_on(work->decoding))
        return;
    void *room = kst_j2k_take(work->decoding, kst_j2k_synthesis_room(rect.x1 - rect.x0), 1, false);
    uint32_t *to = work->to + (size_t)(y0 - rect.y0) * pitch;
    if (room && work->reversible)
        kst_j2k_synthesise_53(&work->level, y0, y1, (int32_t *)to, pitch, room);
    else if (room)
        kst_j2k_synthesise_97(&work->level, y0, y1, (float *)to, pitch, room);
    kst_memory_release(work->decoding->memory, room);
}

static const uint32_t *band_at(const struct j2k_tile_work *work, uint32_t band)
{
    return work->coefficients + work->band_offset[band - work->first_band];
}

/* Where the sample (x, y) lies. */
static const uint32_t *sample_at(const struct j2k_samples *samples, uint32_t x, uint32_t y)
{
    return samples->data + (size_t)(y - samples->rect.y0) * j2k_width(samples->rect) + (x - samples->rect.x0);
}

static struct j2k_level describe_level(
    const struct j2k_tile_work *work, const struct j2k_resolution *resolution, const struct j2k_samples *below)
{
    const struct j2k_plan *plan = work->decoding->plan;
    const struct j2k_rect *low = &(resolution - 1)->valid;
    struct j2k_level level = {.rect = resolution->computed};
    if (j2k_area(*low) > 0)
        level.band[J2K_LL] = sample_at(below, low->x0, low->y0);
    level.pitch[J2K_LL] = j2k_width(below->rect);
    for (uint32_t b = 0; b < resolution->band_count; b++) {
        const struct j2k_band *band = &plan->band[resolution->first_band + b];
        level.band[band->orientation] = band_at(work, resolution->first_band + b);
        level.pitch[band->orientation] = j2k_width(band->window);
    }
    return level;
}

/* Resolution 0 is its band as it stands; its memory is the tile's. */
void kst_j2k_synthesise(struct j2k_tile_work *work, uint32_t component)
{
    struct j2k_decoding *decoding = work->decoding;
    const struct j2k_plan *plan = decoding->plan;
    const struct j2k_tile_component *tc = &plan->tile_component[work->tile->first_component + component];
    const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution];
    struct j2k_samples samples = {(uint32_t *)band_at(work, resolution->first_band), resolution->computed};
    for (uint32_t r = 1; r < tc->resolution_count; r++) {
        struct level_work level = {.decoding = decoding,
            .level = describe_level(work, &resolution[r], &samples),
            .reversible = tc->reversible,
            .to = kst_j2k_take(decoding, j2k_area(resolution[r].computed), sizeof(uint32_t), false)};
        uint32_t rows = (uint32_t)j2k_height(resolution[r].computed);
        if (level.to)
            kst_pool_run(decoding->pool, (rows + STRIP_ROWS - 1) / STRIP_ROWS, run_strip, &level);
        if (r > 1)
            kst_memory_release(decoding->memory, samples.data);
        samples = (struct j2k_samples){level.to, resolution[r].computed};
        if (!level.to)
            return;
    }
    work->component[component] = samples;
}
