/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans the regions of a stream one after the other. The packets of a tile are read only once even if several regions
 * need the tile.
 */
#include "core/report.h"
#include "j2k/packets/build.h"
#include "j2k/run/decode.h"
#include "j2k/syntax/geometry.h"

enum { SHARE = 8 /* the plan that is kept may take 1/SHARE of the memory limit */ };

void kst_j2k_run_kept_drop(kst_decoder *decoder)
{
    struct j2k_kept *kept = &j2k_state(decoder)->kept;
    kst_j2k_plan_release(&decoder->memory, &kept->plan);
    kst_memory_release(&decoder->memory, kept->components);
    *kept = (struct j2k_kept){.refused = kept->refused};
}

/* Return the area of some tiles on the reduced grid. */
static struct j2k_rect area_of(const struct j2k_stream *stream, const struct j2k_filter *filter, struct j2k_rect tiles)
{
    uint32_t columns = stream->size.columns;
    struct j2k_rect first = kst_j2k_tile_rect(&stream->size, tiles.y0 * columns + tiles.x0);
    struct j2k_rect last = kst_j2k_tile_rect(&stream->size, (tiles.y1 - 1) * columns + tiles.x1 - 1);
    return kst_j2k_reduce((struct j2k_rect){first.x0, first.y0, last.x1, last.y1}, filter->reduce);
}

static bool contains(struct j2k_rect outer, struct j2k_rect inner)
{
    return outer.x0 <= inner.x0 && outer.y0 <= inner.y0 && inner.x1 <= outer.x1 && inner.y1 <= outer.y1;
}

static bool holds(const kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_rect tiles)
{
    const struct j2k_kept *kept = &j2k_state(decoder)->kept;
    const struct j2k_filter *from = &kept->filter;
    bool same = kept->plan.component && from->layers == filter->layers && from->reduce == filter->reduce &&
                from->careful == filter->careful && from->every_packet == filter->every_packet &&
                contains(kept->tiles, tiles);
    for (uint32_t c = 0; same && c < j2k_state(decoder)->stream.component_count; c++)
        same = kept->components[c] == (!filter->components || filter->components[c]);
    return same;
}

static kst_status build(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_plan *plan)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    return kst_j2k_plan_build(&op, &j2k_state(decoder)->stream, filter, plan);
}

/*
 * Build a plan of whole tiles and keep it. If that fails, takes too much memory, or gives warnings, which each region
 * must report itself, everything stays as it was before.
 */
static void keep(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_rect tiles)
{
    struct j2k_kept *kept = &j2k_state(decoder)->kept;
    const kst_report before = decoder->report;
    const uint64_t most = decoder->memory.limit / SHARE;
    uint32_t count = j2k_state(decoder)->stream.component_count;
    kst_status status = KST_OK;
    kst_j2k_run_kept_drop(decoder);
    uint64_t used = atomic_load(&decoder->memory.used);
    kept->components = kst_memory_array(&decoder->memory, count, sizeof *kept->components, &status);
    for (uint32_t c = 0; c < count && !status; c++)
        kept->components[c] = !filter->components || filter->components[c];
    kept->filter = *filter;
    kept->filter.components = kept->components;
    kept->filter.region = area_of(&j2k_state(decoder)->stream, filter, tiles);
    kept->tiles = tiles;
    if (!status)
        status = build(decoder, &kept->filter, &kept->plan);
    if (!status && decoder->report.warnings == before.warnings && atomic_load(&decoder->memory.used) - used <= most)
        return;
    kept->refused = true;
    kst_j2k_run_kept_drop(decoder);
    decoder->report = before;
}

kst_status kst_j2k_run_decoder_plan(kst_decoder *decoder, const struct j2k_filter *filter, struct j2k_plan *plan)
{
    struct j2k_kept *kept = &j2k_state(decoder)->kept;
    struct j2k_rect tiles = kst_j2k_wanted_tiles(&j2k_state(decoder)->stream, filter), before = kept->before;
    bool partial = !j2k_is_empty(tiles) && !j2k_is_empty(filter->region) &&
                   !contains(filter->region, area_of(&j2k_state(decoder)->stream, filter, tiles));
    if (!partial || kept->refused)
        return build(decoder, filter, plan);
    if (!j2k_is_empty(j2k_intersect(tiles, before)) && !holds(decoder, filter, tiles))
        keep(decoder, filter, tiles);
    kept->before = tiles;
    if (!holds(decoder, filter, tiles))
        return build(decoder, filter, plan);
    const struct operation op = kst_decoder_operation(decoder, NULL);
    return kst_j2k_plan_cut(&op, &j2k_state(decoder)->stream, &kept->plan, filter, plan);
}
