/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a part: measures the segments and code-blocks of its pictures, places them in the buffers, and writes them
 * down for the kernels.
 */
#include "j2k/gpu/part.h"

#include <string.h>

#include "j2k/plan/range.h"
#include "j2k/syntax/geometry.h"

enum {
    STREAM_ALIGNMENT = 16,
    STREAM_AHEAD = 8 /* bytes behind a stream that kernels may read */
};

/* The number of words of a type. */
#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

int32_t kst_j2k_gpu_fraction_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    const struct j2k_tile_component *tc = j2k_gpu_component_of(plan, block);
    return tc->reversible ? -(int32_t)block->below : j2k_gpu_fraction(j2k_magnitude_bits(block, tc->roi_shift));
}

static size_t round_up(size_t length, size_t step)
{
    return (length + step - 1) / step * step;
}

/* Add up what a picture's code-blocks take, whichever coders they have. */
static void measure_blocks(const struct j2k_plan *plan, struct j2k_gpu_sums *sums)
{
    uint64_t area = 0, bits = 0;
    bool ebcot = false;
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_block *block = &plan->block[k];
        area += (uint64_t)block->width * block->height;
        bits += j2k_gpu_bit_words(plan, block);
        ebcot = ebcot || block->coder == J2K_EBCOT;
    }
    sums->area = area;
    sums->bits = ebcot ? bits : 0;
    sums->segments = ebcot ? plan->segment_count : 0;
}

/* Note the words of each tile-component's levels, and add up those of a picture's bands and levels. */
static void measure_samples(const struct j2k_gpu_part *part, uint32_t index, struct j2k_gpu_sums *sums)
{
    const struct j2k_plan *plan = part->items[index].plan;
    struct j2k_gpu_level_words *words = part->level_words + part->place[index].component;
    uint64_t bands = 0, levels = 0, top;
    for (uint32_t b = 0; b < plan->band_count; b++)
        bands += j2k_gpu_area(plan->band[b].window);
    for (uint32_t i = 0; i < plan->tile_component_count; i++) {
        const uint64_t all = kst_j2k_gpu_level_words(plan, &plan->tile_component[i], &top);
        words[i] = (struct j2k_gpu_level_words){(uint32_t)all, (uint32_t)top};
        levels += all;
    }
    sums->bands = bands;
    sums->samples = bands + levels;
}

/*
 * Measure a picture: the sums over all of its segments, pieces and blocks, and where the state of each T.814 block lies
 * among the states of the picture.
 */
static void measure_item(void *arg, uint32_t index)
{
    struct j2k_gpu_part *part = arg;
    const struct j2k_plan *plan = part->items[index].plan;
    struct j2k_gpu_sums sums = {.runs = part->items[index].stream == plan->length ? 0 : kst_j2k_gpu_count_runs(plan)};
    measure_blocks(plan, &sums);
    measure_samples(part, index, &sums);
    if (part->block_place)
        kst_j2k_gpu_add_ht_blocks(plan, &part->block_place[part->place[index].block], &sums);
    part->sums[index] = sums;
}

static void place_planes(const struct j2k_gpu_item *item, struct j2k_gpu_place *place, size_t *pixels)
{
    if (item->placed)
        *pixels = item->at;
    for (uint32_t i = 0; i < item->output.plane_count; i++) {
        const kst_plane *plane = kst_image_plane(&item->output, i);
        size_t pitch = kst_j2k_gpu_pixel_pitch(&item->output, i);
        place->plane[i] = (struct j2k_gpu_plane_place){*pixels, pitch};
        *pixels += item->in_place ? 0 : pitch * plane->height;
    }
}

static void place_volume(const struct j2k_gpu_item *item, struct j2k_gpu_place *place, size_t *pixels)
{
    place->volume = *pixels;
    *pixels += round_up((size_t)kst_j2k_gpu_volume_bytes(item), STREAM_ALIGNMENT);
}

/* Allocate memory for the places and sums of all pictures, the places of their planes, and the words of levels. */
static bool take_places(struct j2k_gpu_part *part)
{
    size_t planes = 0, components = 0;
    part->place = kst_memory_array(part->memory, part->count, sizeof *part->place, NULL);
    for (uint32_t i = 0; i < part->count && part->place; i++) {
        planes += part->items[i].output.plane_count;
        part->place[i].component = (uint32_t)components;
        components += part->items[i].plan->tile_component_count;
    }
    part->level_words = kst_memory_array(part->memory, components, sizeof *part->level_words, NULL);
    part->plane = kst_memory_array(part->memory, planes, sizeof *part->plane, NULL);
    part->sums = kst_memory_zeroed(part->memory, part->count, sizeof *part->sums, NULL);
    return part->place && part->level_words && part->plane && part->sums;
}

/* Allocate memory for the places of blocks, and note where those of each picture begin. */
static bool take_block_places(struct j2k_gpu_part *part)
{
    size_t blocks = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        part->place[i].block = (uint32_t)blocks;
        blocks += part->items[i].plan->block_count;
    }
    part->block_place = kst_memory_array(part->memory, blocks, sizeof *part->block_place, NULL);
    return part->block_place;
}

bool kst_j2k_gpu_is_followed(const struct j2k_gpu_part *part, uint32_t index)
{
    enum { GAP = 4096 /* most bytes between streams that are uploaded together */ };
    if (!part->items->volume || index + 1 >= part->count)
        return false;
    const struct j2k_gpu_item *item = &part->items[index], *next = item + 1;
    const uintptr_t at = (uintptr_t)item->plan->data, then = (uintptr_t)next->plan->data;
    return item->pinned && next->pinned && then > at && then - at >= item->stream && then - at <= item->stream + GAP &&
           (then - at) % STREAM_ALIGNMENT == 0;
}

/* Place the data of each picture in the buffers. Returns false if they exceed the kernels' offsets. */
static bool place_items(struct j2k_gpu_part *part, struct pool *threads)
{
    uint64_t samples = 0, stream = 0, bits = 0, segments = 0, pieces = 0, blocks = 0, bands = 0, tiles = 0;
    struct j2k_gpu_plane_place *plane = part->plane;
    kst_pool_run(threads, part->count, measure_item, part);
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_plan *plan = part->items[i].plan;
        part->place[i] = (struct j2k_gpu_place){.stream = (uint32_t)stream,
            .segment = (uint32_t)segments,
            .piece = (uint32_t)pieces,
            .bits = (uint32_t)bits,
            .block = (uint32_t)blocks,
            .band = (uint32_t)bands,
            .tile = (uint32_t)tiles,
            .component = part->place[i].component,
            .view = part->views,
            .plane = plane,
            .samples = (uint32_t)samples};
        samples += part->sums[i].samples + kst_j2k_gpu_stage_words(&part->items[i]);
        part->place[i].levels = (uint32_t)part->sums[i].bands;
        place_planes(&part->items[i], &part->place[i], &part->pixels);
        place_volume(&part->items[i], &part->place[i], &part->pixels);
        plane += part->items[i].output.plane_count;
        part->views += j2k_gpu_views(&part->items[i]);
        stream += kst_j2k_gpu_is_followed(part, i)
                      ? (uint64_t)(part->items[i + 1].plan->data - plan->data)
                      : round_up((size_t)part->items[i].stream + STREAM_AHEAD, STREAM_ALIGNMENT);
        segments += part->sums[i].segments;
        pieces += j2k_gpu_has_pieces(&part->sums[i]) ? plan->piece_count : 0;
        blocks += plan->block_count;
        bands += plan->band_count;
        tiles += plan->tile_count;
        bits += part->sums[i].bits;
        if ((samples | stream | bits | segments | pieces | blocks | bands | tiles) > UINT32_MAX / 2)
            return false;
    }
    kst_j2k_gpu_place_sources(part);
    part->samples = samples;
    part->stream = (size_t)stream;
    part->bits = (uint32_t)bits;
    part->segments = (uint32_t)segments;
    part->pieces = (uint32_t)pieces;
    part->blocks = (uint32_t)blocks;
    part->bands = (uint32_t)bands;
    part->tiles = (uint32_t)tiles;
    return true;
}

/* Return whether 16 bits suffice for all samples of a tile's components. */
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
    struct j2k_gpu_part *part = arg;
    const struct j2k_plan *plan = part->items[index].plan;
    for (uint32_t t = 0; t < plan->tile_count; t++)
        part->narrow[part->place[index].tile + t] = !part->items[index].indices &&
                                                    !kst_j2k_gpu_is_deep(&part->items[index]) &&
                                                    fits_halves(plan, &plan->tile[t]);
}

static bool find_narrow(struct j2k_gpu_part *part, struct pool *threads)
{
    part->narrow = kst_memory_array(part->memory, part->tiles, sizeof *part->narrow, NULL);
    if (part->narrow)
        kst_pool_run(threads, part->count, find_narrow_tiles, part);
    return part->narrow;
}

static void place_bands(struct j2k_gpu_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_plan *plan = part->items[i].plan;
        uint32_t at = part->place[i].samples;
        for (uint32_t b = 0; b < plan->band_count; b++) {
            part->band[part->place[i].band + b] = at;
            at += (uint32_t)j2k_gpu_area(plan->band[b].window);
        }
    }
}

static uint32_t count_words(const struct j2k_gpu_part *part)
{
    return WORDS(struct j2k_part_work) + part->views * WORDS(struct j2k_work_view) +
           part->segments * WORDS(struct j2k_work_codeword) + part->pieces * WORDS(struct j2k_work_piece) +
           part->ebcot_blocks * WORDS(struct j2k_work_block) +
           (part->blocks - part->ebcot_blocks + part->gaps) * WORDS(struct j2k_work_ht_block) +
           part->host_blocks * WORDS(struct j2k_work_host_block) + part->bundles * (WORDS(struct j2k_work_bundle) + 1) +
           part->levels * (WORDS(struct j2k_work_level) + 1) + part->outputs * (WORDS(struct j2k_work_output) + 1) +
           kst_j2k_gpu_conversion_words(part) + kst_j2k_gpu_column_words(part);
}

/* Return whether the blocks cover every coefficient. */
static bool blocks_cover(const struct j2k_gpu_part *part)
{
    uint64_t sum = 0, bands = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_plan *plan = part->items[i].plan;
        sum += part->sums[i].area;
        for (uint32_t b = 0; b < plan->band_count; b++)
            bands += j2k_gpu_area(plan->band[b].rect);
        bands += plan->missing_tiles;
    }
    return sum == bands;
}

bool kst_j2k_gpu_part_make(struct j2k_gpu_part *part, struct memory *memory, struct pool *threads,
    const struct j2k_gpu_item *items, uint32_t count, const struct j2k_gpu_wish *wish)
{
    *part = (struct j2k_gpu_part){
        .memory = memory, .items = items, .count = count, .finishes = !items->volume, .units = wish->units};
    for (uint32_t i = 0; i < count; i++)
        part->at_once += items[i].volume ? items[i].volume->rows : 1;
    if (!take_places(part) || !take_block_places(part) || !place_items(part, threads))
        return false;
    if (wish->units > 0)
        part->unit_bytes = UINT64_C(4) * part->bits * (wish->beside + 1) / wish->units;
    part->band = kst_memory_array(memory, part->bands, sizeof *part->band, NULL);
    if (!part->band || !kst_j2k_gpu_find_runs(part) || !find_narrow(part, threads) ||
        !kst_j2k_gpu_choose_indices(part, threads, wish) || !kst_j2k_gpu_sort_blocks(part, threads, wish) ||
        !kst_j2k_gpu_split_blocks(part, wish) || !kst_j2k_gpu_choose_bundles(part, threads, wish))
        return false;
    place_bands(part);
    part->covered = items->indices || blocks_cover(part);
    if (!part->covered)
        kst_j2k_gpu_find_gaps(part, threads);
    kst_j2k_gpu_count_levels(part);
    kst_j2k_gpu_count_columns(part);
    part->words = count_words(part);
    return true;
}

bool kst_j2k_gpu_part_geometry(
    struct j2k_gpu_part *part, struct memory *memory, const struct j2k_gpu_item *items, uint32_t count, uint32_t units)
{
    *part = (struct j2k_gpu_part){.memory = memory,
        .items = items,
        .count = count,
        .finishes = true,
        .encodes = true,
        .units = units,
        .at_once = count};
    if (!take_places(part) || !place_items(part, NULL))
        return false;
    part->blocks = part->segments = part->pieces = 0;
    part->band = kst_memory_array(memory, part->bands, sizeof *part->band, NULL);
    if (!part->band)
        return false;
    place_bands(part);
    kst_j2k_gpu_count_levels(part);
    part->words = count_words(part);
    return true;
}

void kst_j2k_gpu_part_release(struct j2k_gpu_part *part)
{
    kst_j2k_gpu_release_gaps(part);
    kst_memory_release(part->memory, part->sums);
    kst_memory_release(part->memory, part->place);
    kst_memory_release(part->memory, part->run);
    kst_memory_release(part->memory, part->plane);
    kst_memory_release(part->memory, part->level_words);
    kst_memory_release(part->memory, part->entry);
    kst_memory_release(part->memory, part->host_at);
    kst_memory_release(part->memory, part->block_place);
    kst_memory_release(part->memory, part->band);
    kst_memory_release(part->memory, part->narrow);
    kst_memory_release(part->memory, part->indices);
    kst_memory_release(part->memory, part->bundle);
    kst_memory_release(part->memory, part->store_group);
}

/* Return where the first of a block's wanted coefficients goes in the buffer of samples. */
static uint32_t place_of(const struct j2k_gpu_part *part, const struct j2k_gpu_entry *entry)
{
    const struct j2k_plan *plan = part->items[entry->item].plan;
    const struct j2k_block *block = &plan->block[entry->block];
    bool narrow = j2k_gpu_is_narrow(part, entry->item, j2k_gpu_tile_of(plan, block));
    return j2k_gpu_place_in_band(part, entry->item, block, j2k_wanted_part(plan, block), narrow);
}

struct j2k_work_channel kst_j2k_gpu_channel(const struct j2k_gpu_part *part, uint32_t index, uint32_t k)
{
    const struct j2k_gpu_item *item = &part->items[index];
    const struct j2k_gpu_place *place = &part->place[index];
    uint32_t samples = kst_format_channels(item->output.format), p = samples ? 0 : k;
    const kst_plane *plane = kst_image_plane(&item->output, p);
    const struct j2k_gpu_channel channel = j2k_gpu_channel_of(item, k);
    uint32_t bytes = kst_plane_sample_bytes(plane);
    uint64_t at = item->in_place ? item->image.buffer[p].handle + item->image.offset[p] : place->plane[p].at;
    at += samples ? (uint64_t)k * bytes : 0;
    return (struct j2k_work_channel){.component = channel.component,
        .value = channel.value,
        .offset = {(uint32_t)at, (uint32_t)(at >> 32)},
        .pitch = (uint32_t)(item->in_place ? (size_t)plane->pitch : place->plane[p].pitch),
        .stride = samples ? samples : 1,
        .bytes = bytes,
        .absolute = item->in_place};
}

static struct j2k_work_view describe_view(const struct j2k_gpu_part *part, uint32_t index)
{
    const struct j2k_gpu_item *item = &part->items[index];
    if (item->conversion.sources > 0)
        return kst_j2k_gpu_source_view(part, index);
    struct j2k_work_view view = {.channels = item->channels};
    bool together = kst_format_channels(item->output.format) == item->channels && item->channels >= 3;
    for (uint32_t k = 0; k < item->channels; k++) {
        view.channel[k] = kst_j2k_gpu_channel(part, index, k);
        together = together && view.channel[k].bytes == 1 &&
                   (view.channel[k].component < 3 || view.channel[k].component == J2K_CONSTANT);
    }
    view.packed = together ? item->channels : 0;
    return view;
}

/*
 * Write the views of a picture. If it has more than J2K_WORK_CHANNELS channels, each view has the channels of
 * J2K_WORK_CHANNELS components.
 */
static void write_views(const struct j2k_gpu_part *part, uint32_t index, struct j2k_work_view *view)
{
    const struct j2k_gpu_item *item = &part->items[index];
    if (item->channels <= J2K_WORK_CHANNELS) {
        *view = describe_view(part, index);
        return;
    }
    memset(view, 0, j2k_gpu_views(item) * sizeof *view);
    for (uint32_t k = 0; k < item->channels; k++) {
        struct j2k_work_channel channel = kst_j2k_gpu_channel(part, index, k);
        struct j2k_work_view *own = &view[channel.component / J2K_WORK_CHANNELS];
        own->channel[own->channels++] = channel;
    }
}

static void write_host_blocks(const struct j2k_gpu_part *part, struct j2k_work_host_block *to)
{
    for (uint32_t i = 0; i < part->host_blocks; i++) {
        const struct j2k_gpu_entry *entry = &part->entry[part->blocks + i];
        const struct j2k_plan *plan = part->items[entry->item].plan;
        const struct j2k_block *block = &plan->block[entry->block];
        const struct j2k_rect wanted = j2k_wanted_part(plan, block);
        to[i] = (struct j2k_work_host_block){.from = part->host_at[i],
            .to = place_of(part, entry),
            .pitch = j2k_gpu_width(plan->band[block->band].window),
            .narrow = j2k_gpu_is_narrow(part, entry->item, j2k_gpu_tile_of(plan, block)),
            .width = j2k_gpu_width(wanted),
            .height = j2k_gpu_height(wanted)};
    }
}

void kst_j2k_gpu_work(struct j2k_gpu_part *part, struct pool *threads, uint32_t *work)
{
    struct j2k_part_work *head = (struct j2k_part_work *)(void *)work;
    uint32_t view = WORDS(struct j2k_part_work), segment = view + part->views * WORDS(struct j2k_work_view);
    uint32_t piece = segment + part->segments * WORDS(struct j2k_work_codeword);
    uint32_t block = piece + part->pieces * WORDS(struct j2k_work_piece);
    uint32_t ht_block = block + part->ebcot_blocks * WORDS(struct j2k_work_block);
    uint32_t ht_blocks = part->blocks - part->ebcot_blocks;
    uint32_t bundle = ht_block + (ht_blocks + part->gaps) * WORDS(struct j2k_work_ht_block);
    uint32_t host_blocks = bundle + part->bundles * WORDS(struct j2k_work_bundle);
    uint32_t groups = host_blocks + part->host_blocks * WORDS(struct j2k_work_host_block);
    *head = (struct j2k_part_work){.segments = part->segments,
        .segment = segment,
        .blocks = part->ebcot_blocks,
        .block = block,
        .ht_blocks = ht_blocks + part->gaps,
        .ht_block = ht_block,
        .ht_lanes = part->ht_lanes,
        .bundles = part->bundles,
        .bundle = bundle,
        .wave = part->wave,
        .view = view,
        .store_groups = groups,
        .host_blocks = host_blocks};
    for (uint32_t i = 0; i < part->count; i++)
        write_views(part, i, (struct j2k_work_view *)(void *)(work + view) + part->place[i].view);
    if (part->pieces > 0 || part->segments > 0)
        kst_j2k_gpu_write_segments(part, threads, work, segment, piece);
    kst_j2k_gpu_write_ebcot_blocks(part, threads, work, block, segment);
    kst_j2k_gpu_write_ht_blocks(part, threads, work, ht_block, piece);
    kst_j2k_gpu_write_gaps(part, (struct j2k_work_ht_block *)(void *)(work + ht_block) + ht_blocks);
    if (part->bundles > 0) {
        memcpy(work + bundle, part->bundle, part->bundles * sizeof *part->bundle);
        memcpy(work + groups, part->store_group, part->bundles * sizeof *part->store_group);
    }
    write_host_blocks(part, (struct j2k_work_host_block *)(void *)(work + host_blocks));
    uint32_t end = kst_j2k_gpu_write_levels(part, work, groups + part->bundles);
    end = kst_j2k_gpu_write_conversions(part, work, end);
    kst_j2k_gpu_write_columns(part, work, end);
}
