/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the slices of a volume tile by tile, where its transform is not one wavelet over all components: tiles may have
 * transforms of their own (T.801 A.3.7 to A.3.9), and other wavelets across.
 */
#include <math.h>

#include "core/report.h"
#include "j2k/packets/build.h"
#include "j2k/run/decode_volume.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/parser.h"

#define OFFSET_LIMIT 4294967296.0

static const struct j2k_stream *stream_of(const struct j2k_volume_decoding *d)
{
    return &j2k_state(d->decoder)->stream;
}

static kst_status refuse(const struct j2k_volume_decoding *d, kst_status status, uint64_t offset, const char *what)
{
    return kst_report_error(&d->decoder->report, status, offset, what ? "%s" : NULL, what);
}

/* Add the transform of a tile to the list. *capacity is the room of the list. */
static kst_status add_tile(struct j2k_volume_decoding *d, uint32_t index, double *work, uint32_t *capacity)
{
    const struct operation op = kst_decoder_operation(d->decoder, NULL);
    kst_status status = kst_j2k_grow(op.memory, op.report, (void **)&d->own, d->own_count, capacity, sizeof *d->own);
    if (status)
        return status;
    struct j2k_volume_tile *tile = &d->own[d->own_count++];
    tile->index = index;
    return kst_j2k_parse_tile_multi(&op, stream_of(d), index, work, &tile->multi);
}

kst_status kst_j2k_run_volume_find_tiles(struct j2k_volume_decoding *d)
{
    const struct j2k_stream *stream = stream_of(d);
    double work = 0;
    uint32_t capacity = 0;
    if (!stream->multi.allowed)
        return KST_OK;
    kst_status status = kst_j2k_run_open_further(d->decoder, &d->filter);
    const struct j2k_rect tiles = kst_j2k_wanted_tiles(stream, &d->filter);
    for (uint32_t y = tiles.y0; y < tiles.y1 && !status; y++)
        for (uint32_t x = tiles.x0; x < tiles.x1 && !status; x++)
            if (kst_j2k_tile_has_multi(stream, y * stream->size.columns + x))
                status = add_tile(d, y * stream->size.columns + x, &work, &capacity);
    if (!status && d->own_count > 0 && d->options->reduce_z > 0)
        status = refuse(d, KST_ERROR_J2K_REDUCE, stream->start, "along z, where a tile has a transform of its own");
    return status;
}

void kst_j2k_run_volume_drop_tiles(struct j2k_volume_decoding *d)
{
    struct memory *memory = &d->decoder->memory;
    for (uint32_t i = 0; i < d->own_count; i++)
        kst_j2k_multi_release(memory, &d->own[i].multi);
    kst_memory_release(memory, d->own);
    d->own = NULL;
    d->own_count = 0;
}

/* Check that offsets are numbers that samples can have, and whole numbers if they are added to integers. */
static bool are_offsets(const struct j2k_multi_array *offsets, uint32_t index, bool real)
{
    const double value = offsets->value[index];
    return fabs(value) < OFFSET_LIMIT && (real || (value >= floor(value) && value <= floor(value)));
}

/* Follow which components are in single precision through a collection, and check that it can work on them. */
static kst_status check_collection(const struct j2k_volume_decoding *d, const struct j2k_multi *multi,
    const struct j2k_multi_collection *collection, const bool *before, bool *made)
{
    const uint32_t *input = multi->index + collection->input, *output = multi->index + collection->output;
    const bool copies = collection->kind != J2K_MULTI_WAVELET && collection->array < 0;
    for (uint32_t i = 0; i < collection->count; i++)
        if (before[input[i]] && collection->reversible && !copies)
            return refuse(d, KST_ERROR_J2K_EXTENSION, collection->where,
                "a reversible transform of components that are not coded reversibly");
    for (uint32_t i = 0; i < collection->made; i++) {
        const bool real = kst_j2k_multi_makes_reals(collection, i < collection->count && before[input[i]]);
        made[output[i]] = real;
        if (collection->offsets >= 0 && !are_offsets(&multi->array[collection->offsets], i, real))
            return refuse(d, KST_ERROR_J2K_MULTI, multi->array[collection->offsets].offset,
                "an offset that is too large, or no whole number");
    }
    return KST_OK;
}

static kst_status check_numbers(const struct j2k_volume_decoding *d, const struct j2k_multi *multi, const bool *is_real)
{
    const uint32_t coded = stream_of(d)->component_count, most = kst_j2k_multi_most(multi, coded);
    struct memory *memory = &d->decoder->memory;
    kst_status status = KST_OK;
    bool *both = kst_memory_array(memory, 2 * (size_t)most, sizeof *both, &status), *before = both, *made;
    if (!both)
        return refuse(d, status, KST_NO_OFFSET, NULL);
    made = both + most;
    for (uint32_t i = 0; i < coded; i++)
        before[i] = is_real[i];
    for (uint32_t s = 0; s < multi->stage_count && !status; s++) {
        const struct j2k_multi_stage *stage = &multi->stage[s];
        bool *taken = before;
        for (uint32_t c = 0; c < stage->collection_count && !status; c++)
            status = check_collection(d, multi, &multi->collection[stage->first_collection + c], before, made);
        before = made;
        made = taken;
    }
    kst_memory_release(memory, both);
    return status;
}

/* Return the transform that is in force for a tile. */
static const struct j2k_multi *find_multi(const struct j2k_volume_decoding *d, uint32_t index)
{
    uint32_t low = 0, high = d->own_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->own[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->own_count && d->own[low].index == index ? &d->own[low].multi : &stream_of(d)->multi;
}

kst_status kst_j2k_run_volume_describe_tile(const struct j2k_volume_decoding *d, const struct j2k_plan *plan,
    const struct j2k_tile *tile, uint32_t index, const struct j2k_multi **multi, bool *is_real)
{
    const struct j2k_stream *stream = stream_of(d);
    *multi = find_multi(d, index);
    if (tile && tile->transform != J2K_TRANSFORM_NONE)
        return refuse(d, KST_ERROR_J2K_EXTENSION, stream->start, "a tile with RCT or ICT");
    if ((*multi)->stage_count == 0 && stream->multi.sample_count != stream->component_count)
        return refuse(d, KST_ERROR_J2K_MULTI, stream->start,
            "components that no stage transforms, of which CBD has another number than SIZ");
    for (uint32_t c = 0; c < stream->component_count; c++)
        is_real[c] =
            tile ? !plan->tile_component[tile->first_component + c].reversible : !stream->main.coding[c].reversible;
    return check_numbers(d, *multi, is_real);
}

kst_status kst_j2k_run_volume_check_stages(const struct j2k_volume_decoding *d, const struct j2k_plan *plan)
{
    struct memory *memory = &d->decoder->memory;
    const struct j2k_multi *multi = NULL;
    kst_status status = KST_OK;
    bool *is_real = kst_memory_array(memory, stream_of(d)->component_count, sizeof *is_real, &status);
    if (!is_real)
        return refuse(d, status, KST_NO_OFFSET, NULL);
    for (uint32_t t = 0; t < plan->tile_count && !status; t++)
        status = kst_j2k_run_volume_describe_tile(d, plan, &plan->tile[t], plan->tile[t].index, &multi, is_real);
    kst_memory_release(memory, is_real);
    return status;
}

void kst_j2k_run_volume_shifts(const struct j2k_volume_decoding *d, double *shift)
{
    const struct j2k_stream *stream = stream_of(d);
    for (uint32_t c = 0; c < stream->component_count; c++)
        shift[c] = stream->component[c].is_signed ? 0 : ldexp(1, stream->component[c].depth - 1);
}

/* Holds the state of making the slices of some rows, tile by tile in raster order. */
struct tile_walk {
    struct j2k_volume_decoding *d;
    const struct j2k_plan *plan;
    const struct j2k_z_slices *slices;
    uint32_t planned; /* the next tile of the plan */
    bool *is_real;    /* for each coded component */
    double *shift;
};

/* Make the slices of the samples in a rectangle of the planes, which begin at `area`. */
static kst_status make_rect(const struct tile_walk *walk, const struct j2k_multi *multi, struct j2k_rect rect)
{
    struct j2k_volume_decoding *d = walk->d;
    const struct operation op = kst_decoder_operation(d->decoder, d->progress);
    const struct j2k_rect area = walk->plan->component->area;
    const size_t x = rect.x0 - area.x0, y = rect.y0 - area.y0;
    struct j2k_z_planes planes = d->planes;
    struct j2k_z_slices slices = *walk->slices;
    planes.data += y * planes.pitch + x * sizeof(int32_t);
    planes.width = rect.x1 - rect.x0;
    planes.height = rect.y1 - rect.y0;
    slices.data += y * slices.pitch + x * slices.bytes;
    const struct j2k_multi_work work = {.multi = multi,
        .planes = &planes,
        .slices = &slices,
        .shown = d->shown,
        .coded = stream_of(d)->component_count,
        .is_real = walk->is_real,
        .shift = walk->shift,
        .sample = kst_j2k_run_volume_samples(d)};
    return kst_j2k_cpu_multi_synthesise(&op, &work);
}

/* Make the slices of a tile. A missing tile, whose coefficients are 0, counts as coded like the picture. */
static kst_status make_tile(struct tile_walk *walk, uint32_t index)
{
    const struct j2k_volume_decoding *d = walk->d;
    const struct j2k_plan *plan = walk->plan;
    const struct j2k_tile *tile = NULL;
    const struct j2k_multi *multi = NULL;
    while (walk->planned < plan->tile_count && plan->tile[walk->planned].index < index)
        walk->planned++;
    if (walk->planned < plan->tile_count && plan->tile[walk->planned].index == index)
        tile = &plan->tile[walk->planned];
    const struct j2k_rect all = kst_j2k_reduce(kst_j2k_tile_rect(&stream_of(d)->size, index), d->filter.reduce);
    const struct j2k_rect rect = j2k_intersect(all, plan->component->area);
    if (j2k_is_empty(rect))
        return KST_OK;
    kst_status status = kst_j2k_run_volume_describe_tile(d, plan, tile, index, &multi, walk->is_real);
    return status ? status : make_rect(walk, multi, rect);
}

static kst_status make_all(struct tile_walk *walk, struct j2k_rect tiles)
{
    const uint32_t columns = stream_of(walk->d)->size.columns;
    kst_status status = KST_OK;
    for (uint32_t y = tiles.y0; y < tiles.y1 && !status; y++)
        for (uint32_t x = tiles.x0; x < tiles.x1 && !status; x++)
            status = make_tile(walk, y * columns + x);
    return status;
}

kst_status kst_j2k_run_volume_make_tiles(struct j2k_volume_decoding *d, const struct j2k_plan *plan,
    struct j2k_rect region, const struct j2k_z_slices *slices)
{
    const struct j2k_stream *stream = stream_of(d);
    struct memory *memory = &d->decoder->memory;
    struct j2k_filter filter = d->filter;
    struct tile_walk walk = {.d = d, .plan = plan, .slices = slices};
    kst_status status = KST_OK;
    filter.region = region;
    walk.is_real = kst_memory_array(memory, stream->component_count, sizeof *walk.is_real, &status);
    walk.shift = kst_memory_array(memory, stream->component_count, sizeof *walk.shift, &status);
    if (!status)
        kst_j2k_run_volume_shifts(d, walk.shift);
    status = status ? refuse(d, status, KST_NO_OFFSET, NULL) : make_all(&walk, kst_j2k_wanted_tiles(stream, &filter));
    kst_memory_release(memory, walk.is_real);
    kst_memory_release(memory, walk.shift);
    return status;
}
