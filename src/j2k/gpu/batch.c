/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a batch: measures the segments and code-blocks of its pictures, places them in the buffers, and writes them
 * down for the kernels.
 */
#include "j2k/gpu/batch.h"

#include <math.h>
#include <string.h>

#include "device/float_bits.h"
#include "j2k/plan/range.h"
#include "j2k/syntax/geometry.h"

enum {
    BITS = 31, /* most bits of a magnitude */
    STREAM_ALIGNMENT = 16,
    STREAM_AHEAD = 8, /* bytes behind a stream that kernels may read */
    SLICE = 2048      /* blocks that a thread writes at once */
};

/* The number of words of a structure. */
#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

static int32_t fraction_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    const struct j2k_tile_component *tc = j2k_gpu_component_of(plan, block);
    int32_t room = BITS - (int32_t)kst_j2k_magnitude_bits(block, tc->roi_shift);
    return tc->reversible ? 0 : room < 1 ? room : 1;
}

static size_t round_up(size_t length, size_t step)
{
    return (length + step - 1) / step * step;
}

/* Measure a picture: the sums for which all of its segments, pieces and blocks have to be visited. */
static void measure_item(void *arg, uint32_t index)
{
    struct j2k_batch *batch = arg;
    const struct j2k_plan *plan = batch->items[index].plan;
    struct j2k_sums sums = {.runs = batch->items[index].stream == plan->length ? 0 : kst_gpu_j2k_count_runs(plan)};
    for (uint32_t s = 0; s < plan->segment_count; s++)
        sums.bits += j2k_gpu_segment_words(&plan->segment[s]);
    for (uint32_t k = 0; k < plan->block_count; k++)
        sums.area += (uint64_t)plan->block[k].width * plan->block[k].height;
    batch->sums[index] = sums;
}

static void place_planes(const struct j2k_gpu_item *item, struct j2k_place *place, size_t *pixels)
{
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        const kst_plane *plane = kst_image_plane(&item->output, i);
        size_t pitch = kst_gpu_j2k_pixel_pitch(&item->output, i);
        place->plane[i] = (struct j2k_plane_place){*pixels, pitch};
        *pixels += item->in_place ? 0 : pitch * plane->height;
    }
}

/* Allocate memory for the places of all pictures and their planes. */
static bool take_places(struct j2k_batch *batch)
{
    size_t planes = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        planes += batch->items[i].output.plane_count;
    batch->place = kst_memory_array(batch->memory, batch->count, sizeof *batch->place, NULL);
    batch->plane = kst_memory_array(batch->memory, planes, sizeof *batch->plane, NULL);
    batch->sums = kst_memory_array(batch->memory, batch->count, sizeof *batch->sums, NULL);
    return batch->place && batch->plane && batch->sums;
}

/* Place the parts of each picture in the buffers. Returns false if these exceed the kernels' offsets. */
static bool place_items(struct j2k_batch *batch, struct pool *threads)
{
    uint64_t samples = 0, stream = 0, bits = 0, segments = 0, pieces = 0, blocks = 0, bands = 0, tiles = 0;
    struct j2k_plane_place *plane = batch->plane;
    kst_pool_run(threads, batch->count, measure_item, batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct j2k_plan *plan = batch->items[i].plan;
        uint64_t levels;
        batch->place[i] = (struct j2k_place){.stream = (uint32_t)stream,
            .segment = (uint32_t)segments,
            .piece = (uint32_t)pieces,
            .bits = (uint32_t)bits,
            .block = (uint32_t)blocks,
            .band = (uint32_t)bands,
            .tile = (uint32_t)tiles,
            .view = batch->views,
            .plane = plane,
            .samples = (uint32_t)samples};
        samples += kst_gpu_j2k_sample_words(plan, &levels);
        batch->place[i].levels = (uint32_t)levels;
        place_planes(&batch->items[i], &batch->place[i], &batch->pixels);
        plane += batch->items[i].output.plane_count;
        batch->views += j2k_gpu_views(&batch->items[i]);
        stream += round_up((size_t)batch->items[i].stream + STREAM_AHEAD, STREAM_ALIGNMENT);
        segments += plan->segment_count;
        pieces += plan->piece_count;
        blocks += plan->block_count;
        bands += plan->band_count;
        tiles += plan->tile_count;
        bits += batch->sums[i].bits;
        if ((samples | stream | bits | segments | pieces | blocks | bands | tiles) > UINT32_MAX / 2)
            return false;
    }
    kst_gpu_j2k_place_sources(batch);
    batch->samples = samples;
    batch->stream = (size_t)stream;
    batch->bits = (uint32_t)bits;
    batch->segments = (uint32_t)segments;
    batch->pieces = (uint32_t)pieces;
    batch->blocks = (uint32_t)blocks;
    batch->bands = (uint32_t)bands;
    batch->tiles = (uint32_t)tiles;
    return true;
}

/* Whether 16 bits suffice for all samples of a tile's components. */
static bool fits_halves(const struct j2k_plan *plan, const struct j2k_tile *tile)
{
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component];
    for (uint32_t c = 0; c < plan->component_count; c++)
        if (tc[c].resolution_count > 0 && (!tc[c].reversible || kst_j2k_range(plan, &tc[c]) > INT16_MAX))
            return false;
    return true;
}

static void find_narrow_tiles(void *arg, uint32_t index)
{
    struct j2k_batch *batch = arg;
    const struct j2k_plan *plan = batch->items[index].plan;
    for (uint32_t t = 0; t < plan->tile_count; t++)
        batch->narrow[batch->place[index].tile + t] = fits_halves(plan, &plan->tile[t]);
}

static bool find_narrow(struct j2k_batch *batch, struct pool *threads)
{
    batch->narrow = kst_memory_array(batch->memory, batch->tiles, sizeof *batch->narrow, NULL);
    if (batch->narrow)
        kst_pool_run(threads, batch->count, find_narrow_tiles, batch);
    return batch->narrow;
}

static void place_bands(struct j2k_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct j2k_plan *plan = batch->items[i].plan;
        uint32_t at = batch->place[i].samples;
        for (uint32_t b = 0; b < plan->band_count; b++) {
            batch->band[batch->place[i].band + b] = at;
            at += (uint32_t)j2k_gpu_area(plan->band[b].window);
        }
    }
}

static uint32_t count_words(const struct j2k_batch *batch)
{
    return WORDS(struct j2k_batch_work) + batch->views * WORDS(struct work_view) +
           batch->segments * WORDS(struct work_codeword) + batch->pieces * WORDS(struct work_piece) +
           batch->blocks * WORDS(struct work_block) + batch->given * WORDS(struct work_given) +
           batch->bundles * (WORDS(struct work_bundle) + 1) + batch->levels * (WORDS(struct work_level) + 1) +
           batch->outputs * (WORDS(struct work_output) + 1) + kst_gpu_j2k_conversion_words(batch);
}

/* Whether the blocks cover every coefficient. */
static bool blocks_cover(const struct j2k_batch *batch)
{
    uint64_t sum = 0, bands = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct j2k_plan *plan = batch->items[i].plan;
        sum += batch->sums[i].area;
        for (uint32_t b = 0; b < plan->band_count; b++)
            bands += j2k_gpu_area(plan->band[b].rect);
        bands += plan->missing_tiles;
    }
    return sum == bands;
}

bool kst_gpu_j2k_batch(struct j2k_batch *batch, struct memory *memory, struct pool *threads,
    const struct j2k_gpu_item *items, uint32_t count, const struct j2k_wish *wish)
{
    *batch = (struct j2k_batch){.memory = memory, .items = items, .count = count, .finishes = true};
    if (!take_places(batch) || !place_items(batch, threads))
        return false;
    if (wish->units > 0)
        batch->unit_bytes = UINT64_C(4) * batch->bits * (wish->beside + 1) / wish->units;
    batch->band = kst_memory_array(memory, batch->bands, sizeof *batch->band, NULL);
    if (!batch->band || !kst_gpu_j2k_find_runs(batch) || !find_narrow(batch, threads) ||
        !kst_gpu_j2k_sort_blocks(batch, threads, wish) || !kst_gpu_j2k_split_blocks(batch, wish) ||
        !kst_gpu_j2k_choose_bundles(batch, threads, wish))
        return false;
    place_bands(batch);
    batch->covered = blocks_cover(batch);
    kst_gpu_j2k_count_levels(batch);
    batch->words = count_words(batch);
    return true;
}

bool kst_gpu_j2k_batch_geometry(
    struct j2k_batch *batch, struct memory *memory, const struct j2k_gpu_item *items, uint32_t count)
{
    *batch = (struct j2k_batch){.memory = memory, .items = items, .count = count};
    if (!take_places(batch) || !place_items(batch, NULL))
        return false;
    batch->blocks = batch->segments = batch->pieces = 0;
    batch->band = kst_memory_array(memory, batch->bands, sizeof *batch->band, NULL);
    if (!batch->band)
        return false;
    place_bands(batch);
    kst_gpu_j2k_count_levels(batch);
    batch->words = count_words(batch);
    return true;
}

void kst_gpu_j2k_batch_release(struct j2k_batch *batch)
{
    kst_memory_release(batch->memory, batch->sums);
    kst_memory_release(batch->memory, batch->place);
    kst_memory_release(batch->memory, batch->run);
    kst_memory_release(batch->memory, batch->plane);
    kst_memory_release(batch->memory, batch->entry);
    kst_memory_release(batch->memory, batch->given_at);
    kst_memory_release(batch->memory, batch->band);
    kst_memory_release(batch->memory, batch->narrow);
    kst_memory_release(batch->memory, batch->bundle);
    kst_memory_release(batch->memory, batch->store_group);
}

/* The state while threads write a batch. */
struct writing {
    const struct j2k_batch *batch;
    uint32_t *work;
    uint32_t segment, piece, block; /* offsets of the first of each */
};

/* Write the segments and pieces of a picture. */
static void write_segments(void *arg, uint32_t index)
{
    const struct writing *w = arg;
    const struct j2k_plan *plan = w->batch->items[index].plan;
    const struct j2k_place *place = &w->batch->place[index];
    struct work_codeword *to = (struct work_codeword *)(void *)(w->work + w->segment) + place->segment;
    struct work_piece *piece = (struct work_piece *)(void *)(w->work + w->piece) + place->piece;
    uint32_t bits = place->bits;
    for (uint32_t s = 0; s < plan->segment_count; s++) {
        const struct j2k_segment *segment = &plan->segment[s];
        *to++ =
            (struct work_codeword){.piece = w->piece + (place->piece + segment->first_piece) * WORDS(struct work_piece),
                .pieces = segment->piece_count,
                .bits = bits,
                .passes = segment->passes,
                .raw = segment->raw};
        bits += (uint32_t)j2k_gpu_segment_words(segment);
    }
    kst_gpu_j2k_write_pieces(w->batch, index, piece);
}

/* The offset of a block's first byte in the stream; UINT32_MAX if the block has no bytes. */
static uint32_t first_byte(const struct j2k_plan *plan, const struct j2k_block *block)
{
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        if (segment->piece_count > 0)
            return (uint32_t)plan->piece[segment->first_piece].offset;
    }
    return UINT32_MAX;
}

/* Where the first of a block's wanted coefficients goes in the buffer of samples. */
static uint32_t place_of(const struct j2k_batch *batch, const struct j2k_entry *entry)
{
    const struct j2k_plan *plan = batch->items[entry->item].plan;
    const struct j2k_block *block = &plan->block[entry->block];
    const struct j2k_rect window = plan->band[block->band].window, part = j2k_wanted_part(plan, block);
    bool narrow = j2k_gpu_is_narrow(batch, entry->item, j2k_gpu_tile_of(plan, block));
    return (batch->band[batch->place[entry->item].band + block->band] << narrow) +
           (part.y0 - window.y0) * j2k_gpu_width(window) + (part.x0 - window.x0);
}

static struct work_block describe_block(
    const struct j2k_batch *batch, const struct j2k_entry *entry, uint32_t segment_at)
{
    const struct j2k_plan *plan = batch->items[entry->item].plan;
    const struct j2k_block *block = &plan->block[entry->block];
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const struct j2k_place *place = &batch->place[entry->item];
    const struct j2k_rect part = j2k_wanted_part(plan, block);
    int32_t fraction = fraction_of(plan, block);
    return (struct work_block){
        .segment = segment_at + (place->segment + block->first_segment) * WORDS(struct work_codeword),
        .segments = block->segment_count,
        .planes = block->planes,
        .width = block->width,
        .height = block->height,
        .style = (uint8_t)(tc->style | (block->cut ? J2K_STYLE_CUT : 0)),
        .contexts = band->orientation == J2K_HH   ? 2
                    : band->orientation == J2K_HL ? 1
                                                  : 0,
        .roi_shift = tc->roi_shift,
        .too_deep = (int32_t)kst_j2k_magnitude_bits(block, tc->roi_shift) + fraction > BITS,
        .fraction = fraction,
        .factor = tc->reversible ? 0 : gpu_float_bits(ldexpf(band->step, -fraction)),
        .to = place_of(batch, entry),
        .pitch = j2k_gpu_width(band->window),
        .narrow = j2k_gpu_is_narrow(batch, entry->item, j2k_gpu_tile_of(plan, block)),
        .left = (uint16_t)(part.x0 - block->x),
        .top = (uint16_t)(part.y0 - block->y),
        .right = (uint16_t)(part.x1 - block->x),
        .bottom = (uint16_t)(part.y1 - block->y),
        .picture = entry->item,
        .offset = first_byte(plan, block)};
}

struct work_channel kst_gpu_j2k_channel(const struct j2k_batch *batch, uint32_t index, uint32_t k)
{
    const struct j2k_gpu_item *item = &batch->items[index];
    const struct j2k_place *place = &batch->place[index];
    uint32_t samples = kst_format_channels(item->output.format), p = samples ? 0 : k;
    const kst_plane *plane = kst_image_plane(&item->output, p);
    const struct j2k_gpu_channel channel = j2k_gpu_channel_of(item, k);
    uint32_t bytes = kst_plane_sample_bytes(plane);
    uint64_t at = item->in_place ? item->image.buffer[p].handle + item->image.offset[p] : place->plane[p].at;
    at += samples ? (uint64_t)k * bytes : 0;
    return (struct work_channel){.component = channel.component,
        .value = channel.value,
        .offset = {(uint32_t)at, (uint32_t)(at >> 32)},
        .pitch = (uint32_t)(item->in_place ? (size_t)plane->pitch : place->plane[p].pitch),
        .step = samples ? samples : 1,
        .bytes = bytes,
        .absolute = item->in_place};
}

static struct work_view describe_view(const struct j2k_batch *batch, uint32_t index)
{
    const struct j2k_gpu_item *item = &batch->items[index];
    if (item->conversion.sources > 0)
        return kst_gpu_j2k_source_view(batch, index);
    struct work_view view = {.channels = item->channels};
    bool together = kst_format_channels(item->output.format) == item->channels && item->channels >= 3;
    for (uint32_t k = 0; k < item->channels; k++) {
        view.channel[k] = kst_gpu_j2k_channel(batch, index, k);
        together = together && view.channel[k].bytes == 1 &&
                   (view.channel[k].component < 3 || view.channel[k].component == J2K_CONSTANT);
    }
    view.packed = together ? item->channels : 0;
    return view;
}

/*
 * Write the views of a picture. If it has more channels than a view, each view has those of J2K_WORK_CHANNELS
 * components.
 */
static void write_views(const struct j2k_batch *batch, uint32_t index, struct work_view *view)
{
    const struct j2k_gpu_item *item = &batch->items[index];
    if (item->channels <= J2K_WORK_CHANNELS) {
        *view = describe_view(batch, index);
        return;
    }
    memset(view, 0, j2k_gpu_views(item) * sizeof *view);
    for (uint32_t k = 0; k < item->channels; k++) {
        struct work_channel channel = kst_gpu_j2k_channel(batch, index, k);
        struct work_view *own = &view[channel.component / J2K_WORK_CHANNELS];
        own->channel[own->channels++] = channel;
    }
}

static void write_blocks(void *arg, uint32_t index)
{
    const struct writing *w = arg;
    const struct j2k_batch *batch = w->batch;
    struct work_block *to = (struct work_block *)(void *)(w->work + w->block);
    uint32_t first = index * SLICE, end = batch->blocks - first < SLICE ? batch->blocks : first + SLICE;
    for (uint32_t i = first; i < end; i++)
        to[i] = describe_block(batch, &batch->entry[i], w->segment);
}

static void write_given(const struct j2k_batch *batch, struct work_given *to)
{
    for (uint32_t i = 0; i < batch->given; i++) {
        const struct j2k_entry *entry = &batch->entry[batch->blocks + i];
        const struct j2k_plan *plan = batch->items[entry->item].plan;
        const struct j2k_block *block = &plan->block[entry->block];
        const struct j2k_rect part = j2k_wanted_part(plan, block);
        to[i] = (struct work_given){.from = batch->given_at[i],
            .to = place_of(batch, entry),
            .pitch = j2k_gpu_width(plan->band[block->band].window),
            .narrow = j2k_gpu_is_narrow(batch, entry->item, j2k_gpu_tile_of(plan, block)),
            .width = j2k_gpu_width(part),
            .height = j2k_gpu_height(part)};
    }
}

void kst_gpu_j2k_work(struct j2k_batch *batch, struct pool *threads, uint32_t *work)
{
    struct j2k_batch_work *head = (struct j2k_batch_work *)(void *)work;
    uint32_t view = WORDS(struct j2k_batch_work), segment = view + batch->views * WORDS(struct work_view);
    uint32_t piece = segment + batch->segments * WORDS(struct work_codeword);
    uint32_t block = piece + batch->pieces * WORDS(struct work_piece);
    uint32_t bundle = block + batch->blocks * WORDS(struct work_block);
    uint32_t given = bundle + batch->bundles * WORDS(struct work_bundle);
    uint32_t groups = given + batch->given * WORDS(struct work_given);
    *head = (struct j2k_batch_work){.segments = batch->segments,
        .segment = segment,
        .blocks = batch->blocks,
        .block = block,
        .bundles = batch->bundles,
        .bundle = bundle,
        .wave = batch->wave,
        .view = view,
        .store_groups = groups,
        .given = given};
    for (uint32_t i = 0; i < batch->count; i++)
        write_views(batch, i, (struct work_view *)(void *)(work + view) + batch->place[i].view);
    struct writing writing = {.batch = batch, .work = work, .segment = segment, .piece = piece, .block = block};
    if (batch->segments > 0)
        kst_pool_run(threads, batch->count, write_segments, &writing);
    kst_pool_run(threads, (batch->blocks + SLICE - 1) / SLICE, write_blocks, &writing);
    if (batch->bundles > 0) {
        memcpy(work + bundle, batch->bundle, batch->bundles * sizeof *batch->bundle);
        memcpy(work + groups, batch->store_group, batch->bundles * sizeof *batch->store_group);
    }
    write_given(batch, (struct work_given *)(void *)(work + given));
    uint32_t end = kst_gpu_j2k_write_levels(batch, work, groups + batch->bundles);
    kst_gpu_j2k_write_conversions(batch, work, end);
}
