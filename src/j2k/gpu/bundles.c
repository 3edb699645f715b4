/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts the code-blocks of a batch, so that the blocks of a bundle take about the same time, and divides them into
 * bundles.
 */
#include <string.h>

#include "j2k/gpu/batch.h"

enum {
    COSTS = 4096,
    SHAPES = 2048,
    BUNDLES_A_UNIT = 12,
    FEW_LANES = 2,
    FRONT_SHARE = 30, /* percent of the blocks */
    REST_LANES = 4,
    SLICE = 256 /* bundles that a thread measures at once */
};

/* Log2 of a power of two plus 1; 0 for 0. */
static uint32_t power_of(uint32_t x)
{
    uint32_t power = 0;
    for (; x > 0; x /= 2)
        power++;
    return power;
}

/*
 * Compute a block's shape, which all blocks of a bundle have in common, and its cost, which says how much work it is.
 */
static struct j2k_entry entry_of(
    const struct j2k_batch *batch, uint32_t item, uint32_t index, const struct j2k_wish *wish)
{
    const struct j2k_plan *plan = batch->items[item].plan;
    const struct j2k_block *block = &plan->block[index];
    const struct j2k_tile_component *tc = j2k_gpu_component_of(plan, block);
    uint32_t passes = block->passes < 255 ? block->passes : 255,
             length = block->length >> 8 < 15 ? (uint32_t)(block->length >> 8) : 15;
    uint32_t flights = wish->flights == J2K_NO_FLIGHTS ? 0
                       : wish->flights                 ? wish->flights
                                                       : kst_gpu_j2k_flights(tc, batch->unit_bytes);
    return (struct j2k_entry){.item = item,
        .block = index,
        .shape = (uint16_t)(power_of(flights) << J2K_SHAPE_FLIGHTS |
                            ((12U - tc->block_width - tc->block_height) * 16 + tc->block_width)),
        .cost = (uint16_t)(COSTS - 1 - (passes << 4 | length))};
}

/* For a picture, the number of its blocks of each cost; later, where the next of them goes. */
struct costs {
    uint32_t place[COSTS];
    uint32_t shape; /* shape of the first block; SHAPES: there are several shapes */
};

struct sorting {
    struct j2k_batch *batch;
    const struct j2k_wish *wish;
    struct costs *costs;
};

static void count_costs(void *arg, uint32_t index)
{
    const struct sorting *s = arg;
    const struct j2k_plan *plan = s->batch->items[index].plan;
    struct costs *costs = &s->costs[index];
    memset(costs, 0, sizeof *costs);
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_entry entry = entry_of(s->batch, index, k, s->wish);
        costs->place[entry.cost]++;
        costs->shape = k == 0 || costs->shape == entry.shape ? entry.shape : SHAPES;
    }
}

static void list_blocks(void *arg, uint32_t index)
{
    const struct sorting *s = arg;
    const struct j2k_plan *plan = s->batch->items[index].plan;
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_entry entry = entry_of(s->batch, index, k, s->wish);
        s->batch->entry[s->costs[index].place[entry.cost]++] = entry;
    }
}

/*
 * Turn counts into places; blocks of the same cost are placed picture by picture. Returns whether all blocks have one
 * shape.
 */
static bool place_costs(const struct j2k_batch *batch, struct costs *costs)
{
    uint32_t at = 0, shape = SHAPES, shapes = 0;
    for (uint32_t k = 0; k < COSTS; k++)
        for (uint32_t i = 0; i < batch->count; i++) {
            uint32_t count = costs[i].place[k];
            costs[i].place[k] = at;
            at += count;
        }
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->items[i].plan->block_count > 0 && (shapes == 0 || costs[i].shape != shape)) {
            shape = costs[i].shape;
            shapes += shape == SHAPES ? 2 : 1;
        }
    return shapes <= 1;
}

/* Sort by shape, keeping the order of blocks that have the same. */
static bool sort_by_shape(struct j2k_batch *batch)
{
    uint32_t place[SHAPES + 1] = {0};
    struct j2k_entry *sorted = kst_memory_array(batch->memory, batch->blocks, sizeof *sorted, NULL);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < batch->blocks; i++)
        place[batch->entry[i].shape + 1]++;
    for (uint32_t k = 1; k <= SHAPES; k++)
        place[k] += place[k - 1];
    for (uint32_t i = 0; i < batch->blocks; i++)
        sorted[place[batch->entry[i].shape]++] = batch->entry[i];
    kst_memory_release(batch->memory, batch->entry);
    batch->entry = sorted;
    return true;
}

bool kst_gpu_j2k_sort_blocks(struct j2k_batch *batch, struct pool *threads, const struct j2k_wish *wish)
{
    struct sorting sorting = {batch, wish, kst_memory_array(batch->memory, batch->count, sizeof(struct costs), NULL)};
    batch->entry = kst_memory_array(batch->memory, batch->blocks, sizeof *batch->entry, NULL);
    bool good = sorting.costs && batch->entry;
    if (good) {
        kst_pool_run(threads, batch->count, count_costs, &sorting);
        bool alike = place_costs(batch, sorting.costs);
        kst_pool_run(threads, batch->count, list_blocks, &sorting);
        good = alike || sort_by_shape(batch);
    }
    kst_memory_release(batch->memory, sorting.costs);
    return good;
}

uint32_t kst_gpu_j2k_choose_lanes(uint32_t blocks, uint32_t bundles)
{
    uint32_t lanes = J2K_BUNDLE;
    while (lanes > 1 && blocks / lanes < bundles)
        lanes /= 2;
    return lanes;
}

static uint32_t wave_lanes(const struct j2k_batch *batch, const struct j2k_wish *wish, uint32_t flights)
{
    if (!wish->lanes)
        return kst_gpu_j2k_wave_lanes(flights, batch->unit_bytes);
    return wish->lanes < J2K_BUNDLE / flights ? wish->lanes : J2K_BUNDLE / flights;
}

/* The number of blocks of a bundle: `lanes` for the first `front` blocks, `rest` for the others. */
struct choice {
    uint32_t front, lanes, rest;
};

/* Cut the sorted blocks into bundles, each with as many blocks of one shape as it has lanes. */
static void cut_bundles(struct j2k_batch *batch, const struct j2k_wish *wish, const struct choice *choice)
{
    for (uint32_t i = 0; i < batch->blocks;) {
        uint16_t shape = batch->entry[i].shape;
        uint32_t flights = shape >> J2K_SHAPE_FLIGHTS ? 1U << ((shape >> J2K_SHAPE_FLIGHTS) - 1) : 0;
        struct work_bundle bundle = {.block = i,
            .lanes = flights             ? wave_lanes(batch, wish, flights)
                     : i < choice->front ? choice->lanes
                                         : choice->rest,
            .flights = flights};
        for (; i < batch->blocks && bundle.blocks < bundle.lanes && batch->entry[i].shape == shape; i++)
            bundle.blocks++;
        batch->wave += flights == 0;
        batch->bundle[batch->bundles++] = bundle;
    }
}

static void widen(struct work_bundle *bundle, const struct j2k_block *block)
{
    uint32_t stripes = (block->height + 3U) / 4, history = j2k_gpu_planes(block);
    bundle->width = block->width > bundle->width ? block->width : bundle->width;
    bundle->stripes = stripes > bundle->stripes ? stripes : bundle->stripes;
    bundle->history = history > bundle->history ? history : bundle->history;
}

static void measure_bundles(void *arg, uint32_t index)
{
    struct j2k_batch *batch = arg;
    uint32_t first = index * SLICE, end = batch->bundles - first < SLICE ? batch->bundles : first + SLICE;
    for (uint32_t b = first; b < end; b++) {
        struct work_bundle *bundle = &batch->bundle[b];
        const struct j2k_entry *entry = &batch->entry[bundle->block];
        for (uint32_t i = 0; i < bundle->blocks; i++)
            widen(bundle, &batch->items[entry[i].item].plan->block[entry[i].block]);
    }
}

static bool place_bundles(struct j2k_batch *batch)
{
    uint64_t states = 0;
    for (uint32_t b = 0; b < batch->bundles; b++) {
        struct work_bundle *bundle = &batch->bundle[b];
        uint64_t words = (uint64_t)J2K_PITCH(bundle->width) * bundle->stripes * bundle->lanes;
        bundle->state = (uint32_t)states;
        states += ((J2K_STATE_WORDS + bundle->history) * (words + bundle->lanes) + 3) / 4 * 4;
        batch->store_group[b] = batch->store_groups;
        batch->store_groups += (uint32_t)((words + J2K_STORE_GROUP - 1) / J2K_STORE_GROUP);
        if (states > UINT32_MAX / 2)
            return false;
    }
    batch->states = (uint32_t)states;
    return true;
}

/*
 * Choose the number of lanes. Few blocks have been decoded by the time the longest of them are finished, and the
 * longest finish sooner with fewer others beside them. So where bundles would have FEW_LANES lanes or one, only the
 * bundles of the longest blocks get so few.
 */
static struct choice choose(const struct j2k_batch *batch, const struct j2k_wish *wish)
{
    uint32_t bundles = wish->units * BUNDLES_A_UNIT / (wish->beside + 1),
             few = kst_gpu_j2k_choose_lanes(batch->blocks, bundles);
    if (wish->lanes)
        return (struct choice){batch->blocks, wish->lanes, wish->lanes};
    if (few > FEW_LANES || batch->blocks < bundles)
        return (struct choice){batch->blocks, few, few};
    return (struct choice){(uint32_t)((uint64_t)batch->blocks * FRONT_SHARE / 100), few, REST_LANES};
}

bool kst_gpu_j2k_choose_bundles(struct j2k_batch *batch, struct pool *threads, const struct j2k_wish *wish)
{
    const struct choice choice = choose(batch, wish);
    batch->bundle = kst_memory_array(batch->memory, batch->blocks, sizeof *batch->bundle, NULL);
    batch->store_group = kst_memory_array(batch->memory, batch->blocks, sizeof *batch->store_group, NULL);
    if (!batch->bundle || !batch->store_group)
        return false;
    cut_bundles(batch, wish, &choice);
    kst_pool_run(threads, (batch->bundles + SLICE - 1) / SLICE, measure_bundles, batch);
    return place_bundles(batch);
}
