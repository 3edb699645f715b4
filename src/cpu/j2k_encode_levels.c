/* SPDX-License-Identifier: BSD-2-Clause */
/* The wavelet transform of a tile, level by level, each in strips. */
#include <string.h>

#include "cpu/j2k_analysis.h"
#include "cpu/j2k_encode_tile.h"
#include "j2k/geometry.h"

enum { STRIP_ROWS = 64, STRIPS_PER_THREAD = 3 };

/* Rows of samples, of one component or of three that are transformed together (Annex G). */
struct samples {
    const struct j2k_encode_tile *tile;
    struct j2k_rect rect; /* in the components' coordinates */
    uint32_t first, count;
    bool reversible;
};

/* What one component has become after some levels: its low band. */
struct low_band {
    uint32_t *data[2]; /* by turns */
};

/* One level of one component, or of three. */
struct unit {
    struct j2k_analysis analysis;
    struct samples samples;
    uint32_t strips, first_strip, strip_rows;
};

struct level {
    struct j2k_encode_tile *tile;
    struct unit *unit;
    uint32_t unit_count;
};

static void fetch_samples(const void *source, uint32_t y, void *const room[], const void *row[])
{
    const struct samples *samples = source;
    const struct j2k_encode_job *job = samples->tile->job;
    size_t width = j2k_rect_width(samples->rect);
    for (uint32_t i = 0; i < samples->count; i++) {
        uint32_t component = samples->first + i;
        const struct j2k_origin *origin = &job->source->origin[component];
        struct j2k_rect area = job->coded->plan.component[component].area;
        const uint8_t *from = (const uint8_t *)origin->data + (ptrdiff_t)(y - area.y0) * origin->pitch +
                              (samples->rect.x0 - area.x0) * origin->step * origin->bytes;
        if (samples->reversible)
            job->forward.load_integers(origin, from, width, room[i]);
        else
            job->forward.load_reals(origin, from, width, room[i]);
        row[i] = room[i];
    }
    if (samples->count < 3)
        return;
    if (samples->reversible)
        job->forward.rct(room[0], room[1], room[2], width);
    else
        job->forward.ict(room[0], room[1], room[2], width);
}

/* Of a low band, rows as long as it is wide. */
struct rows {
    const uint32_t *data;
    size_t width;
    uint32_t y0;
};

static void fetch_row(const void *source, uint32_t y, void *const room[], const void *row[])
{
    const struct rows *rows = source;
    (void)room;
    row[0] = rows->data + (size_t)(y - rows->y0) * rows->width;
}

static const struct j2k_tile_component *component_of(const struct j2k_encode_tile *tile, uint32_t component)
{
    return &tile->job->coded->plan.tile_component[tile->tile->first_component + component];
}

static const struct j2k_resolution *resolution_of(
    const struct j2k_encode_tile *tile, uint32_t component, uint32_t resolution)
{
    return &tile->job->coded->plan.resolution[component_of(tile, component)->first_resolution + resolution];
}

static uint32_t *band_data(const struct j2k_encode_tile *tile, uint32_t band)
{
    return tile->coefficients + tile->band_offset[band - tile->first_band];
}

/* Where resolution r > 0 is split into. */
static struct j2k_split split_of(
    const struct j2k_encode_tile *tile, uint32_t component, uint32_t r, const struct low_band *low)
{
    const struct j2k_plan *plan = &tile->job->coded->plan;
    const struct j2k_resolution *resolution = resolution_of(tile, component, r), *below = resolution - 1;
    struct j2k_split split;
    split.band[J2K_LL] = r == 1 ? band_data(tile, below->first_band) : low->data[r % 2];
    split.pitch[J2K_LL] = j2k_rect_width(below->rect);
    for (uint32_t b = 0; b < 3; b++) {
        split.band[J2K_HL + b] = band_data(tile, resolution->first_band + b);
        split.pitch[J2K_HL + b] = j2k_rect_width(plan->band[resolution->first_band + b].rect);
    }
    return split;
}

static void run_strip(void *argument, uint32_t index)
{
    const struct level *level = argument;
    uint32_t u = 0;
    while (index >= level->unit[u].first_strip + level->unit[u].strips)
        u++;
    const struct unit *unit = &level->unit[u];
    struct j2k_rect rect = unit->analysis.rect;
    uint32_t y0 = rect.y0 + (index - unit->first_strip) * unit->strip_rows;
    uint32_t y1 = rect.y1 - y0 < unit->strip_rows ? rect.y1 : y0 + unit->strip_rows;
    struct j2k_encode_job *job = level->tile->job;
    if (!kst_j2k_encode_goes_on(job))
        return;
    void *room = kst_j2k_encode_take(job, kst_j2k_analysis_room(&unit->analysis), 1);
    if (room)
        kst_j2k_analyse(&unit->analysis, y0, y1, room);
    kst_memory_release(job->memory, room);
}

/* One strip on one thread, which then works nothing out twice. */
static void cut_into_strips(const struct level *level, struct unit *unit)
{
    uint32_t rows = unit->analysis.rect.y1 - unit->analysis.rect.y0;
    uint32_t threads = kst_pool_threads(level->tile->job->pool);
    uint32_t each = threads == 1 ? rows : rows / (STRIPS_PER_THREAD * threads);
    unit->strip_rows = each > STRIP_ROWS || threads == 1 ? each : STRIP_ROWS;
    unit->strips = (rows + unit->strip_rows - 1) / unit->strip_rows;
    unit->first_strip = level->unit_count == 0 ? 0 : unit[-1].first_strip + unit[-1].strips;
}

/* The level `depth` of the component, if it has one; the first of all is of all three that belong together. */
static void add_unit(struct level *level, uint32_t component, uint32_t depth, struct low_band *low, struct rows *rows)
{
    struct j2k_encode_tile *tile = level->tile;
    const struct j2k_tile_component *tc = component_of(tile, component);
    bool together = depth == 0 && component < 3 && tile->tile->transform != J2K_TRANSFORM_NONE;
    if (tc->resolution_count == 0 || tc->levels <= depth || (together && component > 0))
        return;
    uint32_t r = tc->levels - depth;
    struct j2k_rect rect = resolution_of(tile, component, r)->rect;
    if (j2k_is_empty(rect))
        return;
    struct unit *unit = &level->unit[level->unit_count];
    unit->samples = (struct samples){
        .tile = tile, .rect = rect, .first = component, .count = together ? 3 : 1, .reversible = tc->reversible};
    unit->analysis = (struct j2k_analysis){.forward = &tile->job->forward,
        .reversible = tc->reversible,
        .rect = rect,
        .component_count = unit->samples.count,
        .fetch = depth == 0 ? fetch_samples : fetch_row,
        .source = depth == 0 ? (const void *)&unit->samples : &rows[component]};
    for (uint32_t i = 0; i < unit->samples.count; i++)
        unit->analysis.split[i] = split_of(tile, component + i, r, &low[component + i]);
    rows[component] = (struct rows){low[component].data[(r + 1) % 2], j2k_rect_width(rect), rect.y0};
    cut_into_strips(level, unit);
    level->unit_count++;
}

/* Without levels samples are coefficients. */
static void copy_samples(struct j2k_encode_tile *tile, uint32_t first, uint32_t count)
{
    struct samples samples = {.tile = tile,
        .rect = component_of(tile, first)->rect,
        .first = first,
        .count = count,
        .reversible = component_of(tile, first)->reversible};
    for (uint32_t y = samples.rect.y0; y < samples.rect.y1; y++) {
        const void *row[J2K_ANALYSED_TOGETHER];
        void *room[J2K_ANALYSED_TOGETHER];
        for (uint32_t i = 0; i < count; i++)
            room[i] = band_data(tile, resolution_of(tile, first + i, 0)->first_band) +
                      (size_t)(y - samples.rect.y0) * j2k_rect_width(samples.rect);
        fetch_samples(&samples, y, room, row);
    }
}

static void copy_flat_components(struct j2k_encode_tile *tile)
{
    uint32_t count = tile->job->coded->plan.component_count;
    bool together = tile->tile->transform != J2K_TRANSFORM_NONE;
    for (uint32_t c = 0; c < count; c++) {
        const struct j2k_tile_component *tc = component_of(tile, c);
        if (tc->resolution_count == 1 && !(together && (c == 1 || c == 2)))
            copy_samples(tile, c, together && c == 0 ? 3 : 1);
    }
}

/* Room for the low bands between the first level and the last: the larger one is used first. */
static bool allocate_low(struct j2k_encode_tile *tile, struct low_band *low)
{
    for (uint32_t c = 0; c < tile->job->coded->plan.component_count; c++) {
        const struct j2k_tile_component *tc = component_of(tile, c);
        for (uint32_t r = tc->levels; tc->resolution_count > 0 && r > 1 && r + 2 > tc->levels; r--) {
            size_t area = j2k_rect_area(resolution_of(tile, c, r - 1)->rect);
            low[c].data[r % 2] = kst_j2k_encode_take(tile->job, area, sizeof(uint32_t));
            if (!low[c].data[r % 2])
                return false;
        }
    }
    return true;
}

static uint32_t most_levels(const struct j2k_encode_tile *tile)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < tile->job->coded->plan.component_count; c++) {
        const struct j2k_tile_component *tc = component_of(tile, c);
        if (tc->resolution_count > 0 && tc->levels > most)
            most = tc->levels;
    }
    return most;
}

/* One level of some components, side by side. */
static void run_level(const struct level *prototype, uint32_t depth, uint32_t first, uint32_t end, struct low_band *low,
    struct rows *rows)
{
    struct level level = *prototype;
    for (uint32_t c = first; c < end; c++)
        add_unit(&level, c, depth, low, rows);
    if (level.unit_count == 0)
        return;
    const struct unit *last = &level.unit[level.unit_count - 1];
    kst_pool_run(level.tile->job->pool, last->first_strip + last->strips, run_strip, &level);
}

static void release_low(struct j2k_encode_job *job, struct low_band *low)
{
    for (uint32_t i = 0; i < 2; i++) {
        kst_memory_release(job->memory, low->data[i]);
        low->data[i] = NULL;
    }
}

/* The first level together, then component by component, which gives back low bands as early as can be. */
static void run_levels(struct j2k_encode_tile *tile, struct unit *unit, struct rows *rows, struct low_band *low)
{
    const struct level level = {.tile = tile, .unit = unit};
    uint32_t depth = most_levels(tile), count = tile->job->coded->plan.component_count;
    if (depth > 0)
        run_level(&level, 0, 0, count, low, rows);
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t d = 1; d < depth && kst_j2k_encode_goes_on(tile->job); d++)
            run_level(&level, d, c, c + 1, low, rows);
        release_low(tile->job, &low[c]);
    }
}

void kst_j2k_encode_levels(struct j2k_encode_tile *tile)
{
    struct j2k_encode_job *job = tile->job;
    uint32_t count = job->coded->plan.component_count;
    struct unit *unit = kst_j2k_encode_take(job, count, sizeof *unit);
    struct rows *rows = kst_j2k_encode_take(job, count, sizeof *rows);
    struct low_band *low = kst_j2k_encode_take(job, count, sizeof *low);
    if (low)
        memset(low, 0, count * sizeof *low);
    if (unit && rows && low) {
        copy_flat_components(tile);
        if (allocate_low(tile, low))
            run_levels(tile, unit, rows, low);
    }
    for (uint32_t c = 0; low && c < count; c++)
        release_low(job, &low[c]);
    kst_memory_release(job->memory, low);
    kst_memory_release(job->memory, rows);
    kst_memory_release(job->memory, unit);
}
