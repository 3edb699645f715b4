/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms the samples of a tile's components to the coefficients of all levels, some rows at a time. */
#include <string.h>

#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/syntax/geometry.h"

/*
 * Holds the components' samples of a strip's columns; if they are read from a callback, each strip has a row buffer of
 * its own.
 */
struct strip_samples {
    const struct j2k_encode_set *set;
    uint32_t x0, x1;
    uint8_t *row;
};

/*
 * Find where row y of a component begins. If the previous component uses the same plane, it has already fetched the
 * row.
 */
static const uint8_t *find_row(const struct strip_samples *samples, uint32_t component, uint32_t y)
{
    const struct j2k_encode_set *set = samples->set;
    struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_origin *origin = &encoding->request->origin[component];
    const kst_rows *rows = encoding->request->rows;
    struct j2k_rect area = encoding->coded->plan.component[component].area;
    size_t place = (size_t)origin->place * origin->bytes;
    if (!rows)
        return (const uint8_t *)origin->data + (ptrdiff_t)(y - area.y0) * origin->pitch +
               (samples->x0 - area.x0) * origin->stride * origin->bytes + place;
    bool same = component > set->first && origin[-1].plane == origin->plane;
    if (!same && !rows->read(rows->user, origin->plane, samples->x0 - area.x0, y - area.y0, samples->x1 - samples->x0,
                     samples->row))
        kst_j2k_encode_fail(encoding, KST_ERROR_ROWS);
    return samples->row + place;
}

/* Fetch row y of the components, level shifted and transformed (Annex G). */
static void fetch_samples(const void *source, uint32_t y, void *const room[], const void *row[])
{
    const struct strip_samples *samples = source;
    const struct j2k_encode_set *set = samples->set;
    const struct j2k_encoding *encoding = set->tile->encoding;
    const struct j2k_tile_component *tc = set->component->tc;
    size_t width = samples->x1 - samples->x0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_origin *origin = &encoding->request->origin[set->first + i];
        const uint8_t *from = find_row(samples, set->first + i, y);
        if (set->narrow)
            encoding->forward->load_narrow(origin, from, width, room[i]);
        else if (origin->real)
            memcpy(room[i], from, width * sizeof(float));
        else if (tc->reversible)
            encoding->forward->load_integers(origin, from, width, room[i]);
        else
            encoding->forward->load_reals(origin, from, width, room[i]);
        row[i] = room[i];
    }
    if (set->count < J2K_ANALYSED_TOGETHER)
        return;
    if (set->narrow)
        encoding->forward->rct_narrow(room[0], room[1], room[2], width);
    else if (tc->reversible)
        encoding->forward->rct(room[0], room[1], room[2], width);
    else
        encoding->forward->ict(room[0], room[1], room[2], width);
}

static void fetch_row(const void *source, uint32_t y, void *const room[], const void *row[])
{
    (void)room;
    row[0] = j2k_encode_resident_row(source, y);
}

/* Let a lane, which begins with column x of the band, write to its rows, unless memory is only measured. */
static void aim(
    struct j2k_split *split, uint32_t orientation, const struct j2k_encode_resident *resident, uint32_t lane, size_t x)
{
    if (resident->data)
        split->band[orientation] = resident->data + (resident->lanes > 1 ? lane * resident->lane : x * resident->size);
    split->pitch[orientation] = resident->pitch;
    split->rows[orientation] = resident->rows;
}

/* Limit an analysis of the last resolution to a lane, and to the columns beside it on which its coefficients depend. */
static void keep_to_lane(const struct j2k_encode_set *set, uint32_t lane, struct j2k_analysis *analysis)
{
    const uint32_t reach = analysis->reversible ? J2K_REACH_53 : J2K_REACH_97;
    const struct j2k_lanes *lanes = &set->lanes;
    struct j2k_rect *rect = &analysis->rect;
    if (lane > 0) {
        analysis->beside[0] = reach;
        rect->x0 = lanes->x[lane] - reach;
    }
    if (lane + 1 < lanes->count) {
        analysis->beside[1] = reach;
        rect->x1 = lanes->x[lane + 1] + reach;
    }
}

struct j2k_analysis kst_j2k_cpu_encode_analysis(
    const struct j2k_encode_set *set, uint32_t component, uint32_t r, uint32_t lane)
{
    const struct j2k_encode_component *c = &set->component[component];
    bool last = r == j2k_encode_top(c);
    struct j2k_analysis analysis = {.forward = set->tile->encoding->forward,
        .reversible = c->tc->reversible,
        .narrow = set->narrow,
        .rect = c->resolution[r].rect,
        .component_count = last ? set->count : 1,
        .fetch = last ? fetch_samples : fetch_row,
        .source = last ? NULL : &c->low[r]};
    const uint32_t x0 = analysis.rect.x0, first = last ? set->lanes.x[lane] : x0;
    const uint32_t lows = (first + 1) / 2 - (x0 + 1) / 2, highs = first / 2 - x0 / 2;
    if (last)
        keep_to_lane(set, lane, &analysis);
    for (uint32_t i = 0; i < analysis.component_count; i++) {
        aim(&analysis.split[i], J2K_LL, r == 1 ? &c[i].band[0] : &c[i].low[r - 1], lane, lows);
        for (uint32_t b = J2K_HL; b <= J2K_HH; b++)
            aim(&analysis.split[i], b, &c[i].band[3 * r - 3 + b], lane, b == J2K_LH ? lows : highs);
    }
    return analysis;
}

size_t kst_j2k_cpu_encode_strip_room(const struct j2k_encode_set *set)
{
    size_t most = 0;
    for (uint32_t lane = 0; lane < set->lanes.count; lane++) {
        struct j2k_analysis analysis = kst_j2k_cpu_encode_analysis(set, 0, j2k_encode_top(set->component), lane);
        const size_t room = kst_j2k_cpu_analysis_room(&analysis);
        most = room > most ? room : most;
    }
    return most;
}

/* If there are no levels, the samples are the coefficients. */
static void copy_samples(const struct strip_samples *samples, uint32_t from, uint32_t end)
{
    const struct j2k_encode_set *set = samples->set;
    for (uint32_t y = from; y < end; y++) {
        const void *row[J2K_ANALYSED_TOGETHER];
        void *room[J2K_ANALYSED_TOGETHER] = {NULL};
        for (uint32_t i = 0; i < set->count; i++)
            room[i] = j2k_encode_resident_row(&set->component[i].band[0], y);
        fetch_samples(samples, y, room, row);
    }
}

/* Describes the rows of a resolution that are split in one step. */
struct row_stretch {
    uint32_t from, end;
    bool further; /* they follow rows that were split before */
};

static struct row_stretch stretch_of(
    const struct j2k_encode_set *set, const struct j2k_encode_component *c, uint32_t r, uint32_t step)
{
    uint64_t from = kst_j2k_cpu_encode_rows_before(set, c, step).made[r];
    uint64_t end = kst_j2k_cpu_encode_rows_before(set, c, step + 1).made[r];
    struct j2k_rect rect = c->resolution[r].rect;
    return (struct row_stretch){.from = 2 * from > rect.y0 ? (uint32_t)(2 * from) : rect.y0,
        .end = 2 * end < rect.y1 ? (uint32_t)(2 * end) : rect.y1,
        .further = from > rect.y0 / 2};
}

/* A single strip continues where that of the step before ended. Several strips compute the rows around them again. */
void kst_j2k_cpu_encode_strip(const struct j2k_encode_set *set, uint32_t step, uint32_t lane, uint32_t strip)
{
    const struct j2k_encode_component *c = set->component;
    uint32_t top = j2k_encode_top(c), strips = set->strips;
    struct strip_samples samples = {.set = set,
        .x0 = c->tc->rect.x0,
        .x1 = c->tc->rect.x1,
        .row = set->row ? set->row + strip * set->row_length : NULL};
    if (top == 0) {
        uint32_t from = kst_j2k_cpu_encode_rows_before(set, c, step).made[0];
        copy_samples(&samples, from, kst_j2k_cpu_encode_rows_before(set, c, step + 1).made[0]);
        return;
    }
    struct row_stretch stretch = stretch_of(set, c, top, step);
    struct j2k_analysis analysis = kst_j2k_cpu_encode_analysis(set, 0, top, lane);
    uint8_t *room = c->room[top] + ((size_t)lane * strips + strip) * kst_j2k_cpu_encode_strip_room(set);
    samples.x0 = analysis.rect.x0;
    samples.x1 = analysis.rect.x1;
    analysis.source = &samples;
    if (stretch.from >= stretch.end)
        return;
    if (strips == 1) {
        (stretch.further ? kst_j2k_cpu_analyse_further : kst_j2k_cpu_analyse)(
            &analysis, stretch.from, stretch.end, room);
        return;
    }
    uint32_t each = (stretch.end - stretch.from + 2 * strips - 1) / (2 * strips) * 2;
    uint64_t from = (uint64_t)(stretch.from & ~1U) + (uint64_t)strip * each, end = from + each;
    from = from < stretch.from ? stretch.from : from;
    end = end > stretch.end || strip + 1 == strips ? stretch.end : end;
    if (from < end)
        kst_j2k_cpu_analyse(&analysis, (uint32_t)from, (uint32_t)end, room);
}

void kst_j2k_cpu_encode_levels(const struct j2k_encode_set *set, uint32_t step, uint32_t component)
{
    const struct j2k_encode_component *c = &set->component[component];
    for (uint32_t r = j2k_encode_top(c); r-- > 1;) {
        struct row_stretch stretch = stretch_of(set, c, r, step);
        struct j2k_analysis analysis = kst_j2k_cpu_encode_analysis(set, component, r, 0);
        if (stretch.from < stretch.end && !j2k_is_empty(analysis.rect))
            (stretch.further ? kst_j2k_cpu_analyse_further : kst_j2k_cpu_analyse)(
                &analysis, stretch.from, stretch.end, c->room[r]);
    }
}
