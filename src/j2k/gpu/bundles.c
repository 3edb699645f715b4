/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts the code-blocks of a part, so that the blocks of a bundle take about the same time, and divides them into
 * bundles.
 */
#include <math.h>
#include <string.h>

#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/part.h"

enum {
    SHAPES = 1 << (J2K_SHAPE_HT + 1),
    COSTS = 1 << 13,
    LENGTH_BITS = 6, /* bits of a cost that hold a rounded length */
    LENGTHS = 1 << LENGTH_BITS,
    PASSES_MOST = COSTS / LENGTHS - 1,
    LENGTH_MOST = UINT16_MAX,
    LANE_CHOICES = 6, /* J2K_BUNDLE lanes, half as many, and so on down to one */
    SLICE = 256,      /* bundles that a thread measures at once */
    ENTRIES = 8192    /* entries whose records a thread notes at once */
};

_Static_assert(J2K_BUNDLE >> (LANE_CHOICES - 1) == 1, "the last choice is one lane");

/*
 * States what each byte of a block costs, by the number of lanes of the block's bundle. `wait` is the time until the
 * block is decoded, and `work` is the time that it keeps a compute unit busy, both in microseconds. They were measured
 * on an H200 with all blocks in equal bundles (docs/performance/jpeg2000-gpu.md); on other devices only their ratios
 * matter.
 */
static const struct {
    double wait, work;
} byte_costs[LANE_CHOICES] = {
    {3.3, 0.011}, {2.85, 0.0178}, {2.2, 0.0289}, {1.77, 0.0465}, {1.24, 0.0741}, {1.05, 0.117}};

/* Return log2 of a power of two plus 1; 0 for 0. */
static uint32_t power_of(uint32_t x)
{
    uint32_t power = 0;
    for (; x > 0; x /= 2)
        power++;
    return power;
}

/* Return a number of bytes in LENGTH_BITS bits: its exponent and the two bits below its highest one. */
static inline uint32_t round_length(uint64_t bytes)
{
    const uint32_t length = bytes < LENGTH_MOST ? (uint32_t)bytes : LENGTH_MOST;
    if (length < 8)
        return length;
    const uint32_t exponent = 29U - (uint32_t)__builtin_clz(length);
    return (exponent + 1) * 4 + (length >> exponent & 3);
}

/* Return the most bytes that are rounded to a length. */
static uint32_t most_bytes(uint32_t rounded)
{
    return rounded < 4 ? rounded : ((rounded % 4 + 5) << (rounded / 4 - 1)) - 1;
}

/*
 * Return how much work a block is, up to COSTS - 1. The work-items of a bundle wait for each other at each pass, and
 * in a pass at each word, so blocks of a bundle should have the same number of passes, and as many symbols in each.
 */
static inline uint32_t cost_of(const struct j2k_block *block)
{
    const uint32_t passes = block->passes < PASSES_MOST ? block->passes : PASSES_MOST;
    return passes << LENGTH_BITS | round_length(block->length);
}

/* Return the shape of a tile-component's blocks that have this coder, which is the same for all blocks of a bundle. */
static uint32_t shape_of(const struct j2k_gpu_part *part, const struct j2k_tile_component *tc,
    const struct j2k_block *block, const struct j2k_gpu_wish *wish)
{
    const uint32_t flights = wish->flights == J2K_NO_FLIGHTS ? 0
                             : wish->flights                 ? wish->flights
                                             : kst_j2k_gpu_coder_of(block)->flights(tc, part->unit_bytes);
    return (block->coder == J2K_HT ? 1U << J2K_SHAPE_HT : power_of(flights) << J2K_SHAPE_FLIGHTS) |
           ((12U - tc->block_width - tc->block_height) * 16 + tc->block_width);
}

/* Return what a shape depends on, which most tile-components share. */
static uint32_t coding_of(const struct j2k_tile_component *tc, const struct j2k_block *block)
{
    return tc->style | (uint32_t)tc->block_width << 8 | (uint32_t)tc->block_height << 16 | (uint32_t)block->coder << 24;
}

/*
 * Holds, for pictures that one thread sorts, the number of their blocks of each cost; later, the place of the next
 * block of each cost.
 */
struct costs {
    uint32_t place[COSTS];
    uint32_t least; /* cost of the longest block; the others cost as much or more; COSTS: there are no blocks */
    uint32_t shape; /* shape of the first block; SHAPES: there are several shapes */
};

struct sorting {
    struct j2k_gpu_part *part;
    const struct j2k_gpu_wish *wish;
    uint32_t shares; /* the pictures are divided into so many shares, each with its `costs` */
    struct costs *costs;
    struct j2k_gpu_entry *unsorted; /* in the plans' order */
};

/* Return the first picture of a share. */
static uint32_t first_of(const struct sorting *s, uint32_t share)
{
    return (uint32_t)((uint64_t)s->part->count * share / s->shares);
}

/* List the blocks of a picture in the plan's order, in which the blocks of a band follow each other, and count them. */
static void count_picture(const struct sorting *s, uint32_t index, struct costs *costs)
{
    const struct j2k_plan *plan = s->part->items[index].plan;
    struct j2k_gpu_entry *entry = &s->unsorted[s->part->place[index].block];
    uint32_t band = UINT32_MAX, coder = UINT32_MAX, coding = UINT32_MAX, shape = SHAPES, least = costs->least;
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_block *block = &plan->block[k];
        const uint32_t cost = COSTS - 1 - cost_of(block);
        if (block->band != band || block->coder != coder) {
            const struct j2k_tile_component *tc = j2k_gpu_component_of(plan, block);
            shape = coding_of(tc, block) == coding ? shape : shape_of(s->part, tc, block, s->wish);
            coding = coding_of(tc, block);
            costs->shape = least == COSTS || costs->shape == shape ? shape : SHAPES;
            band = block->band;
            coder = block->coder;
        }
        entry[k] = (struct j2k_gpu_entry){.item = index,
            .block = k,
            .shape = (uint16_t)shape,
            .cost = (uint16_t)cost,
            .width = block->width,
            .height = block->height};
        costs->place[cost]++;
        least = cost < least ? cost : least;
    }
    costs->least = least;
}

static void count_costs(void *arg, uint32_t share)
{
    const struct sorting *s = arg;
    struct costs *costs = &s->costs[share];
    memset(costs->place, 0, sizeof costs->place);
    costs->least = COSTS;
    costs->shape = SHAPES;
    for (uint32_t i = first_of(s, share); i < first_of(s, share + 1); i++)
        count_picture(s, i, costs);
}

static void list_blocks(void *arg, uint32_t share)
{
    const struct sorting *s = arg;
    uint32_t *place = s->costs[share].place;
    for (uint32_t i = first_of(s, share); i < first_of(s, share + 1); i++) {
        const uint32_t blocks = s->part->items[i].plan->block_count;
        const struct j2k_gpu_entry *entry = &s->unsorted[s->part->place[i].block];
        for (uint32_t k = 0; k < blocks; k++)
            s->part->entry[place[entry[k].cost]++] = entry[k];
    }
}

/*
 * Turn counts into places; blocks of the same cost are placed picture by picture. Returns whether all blocks have one
 * shape.
 */
static bool place_costs(const struct sorting *s)
{
    uint32_t at = 0, shape = SHAPES, shapes = 0, least = COSTS;
    for (uint32_t i = 0; i < s->shares; i++)
        least = s->costs[i].least < least ? s->costs[i].least : least;
    for (uint32_t k = least; k < COSTS; k++)
        for (uint32_t i = 0; i < s->shares; i++) {
            uint32_t count = s->costs[i].place[k];
            s->costs[i].place[k] = at;
            at += count;
        }
    for (uint32_t i = 0; i < s->shares; i++)
        if (s->costs[i].least < COSTS && (shapes == 0 || s->costs[i].shape != shape)) {
            shape = s->costs[i].shape;
            shapes += shape == SHAPES ? 2 : 1;
        }
    return shapes <= 1;
}

/* Sort by shape; blocks of the same shape keep their order. */
static bool sort_by_shape(struct j2k_gpu_part *part)
{
    uint32_t place[SHAPES + 1] = {0};
    struct j2k_gpu_entry *sorted = kst_memory_array(part->memory, part->blocks, sizeof *sorted, NULL);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < part->blocks; i++)
        place[part->entry[i].shape + 1]++;
    for (uint32_t k = 1; k <= SHAPES; k++)
        place[k] += place[k - 1];
    for (uint32_t i = 0; i < part->blocks; i++)
        sorted[place[part->entry[i].shape]++] = part->entry[i];
    kst_memory_release(part->memory, part->entry);
    part->entry = sorted;
    return true;
}

bool kst_j2k_gpu_sort_blocks(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish)
{
    struct memory *memory = part->memory;
    if (part->segments == 0 && wish->host_bytes == 0)
        return true; /* all blocks are T.814 blocks, which all take about equally long */
    const uint32_t shares = threads ? part->count : 1;
    struct sorting sorting = {.part = part,
        .wish = wish,
        .shares = shares,
        .costs = kst_memory_array(memory, shares, sizeof *sorting.costs, NULL),
        .unsorted = kst_memory_array(memory, part->blocks, sizeof *sorting.unsorted, NULL)};
    part->entry = kst_memory_array(memory, part->blocks, sizeof *part->entry, NULL);
    bool good = sorting.costs && sorting.unsorted && part->entry;
    if (good) {
        kst_pool_run(threads, shares, count_costs, &sorting);
        bool alike = place_costs(&sorting);
        kst_pool_run(threads, shares, list_blocks, &sorting);
        good = alike || sort_by_shape(part);
    }
    kst_memory_release(memory, sorting.costs);
    kst_memory_release(memory, sorting.unsorted);
    return good;
}

uint32_t kst_j2k_gpu_choose_lanes(uint32_t blocks, uint32_t bundles)
{
    uint32_t lanes = J2K_BUNDLE;
    while (lanes > 1 && blocks / lanes < bundles)
        lanes /= 2;
    return lanes;
}

static uint32_t wave_lanes(const struct j2k_gpu_part *part, const struct j2k_gpu_wish *wish,
    const struct j2k_gpu_entry *entry, uint32_t flights)
{
    const struct j2k_plan *plan = part->items[entry->item].plan;
    if (!wish->lanes)
        return kst_j2k_gpu_coder_of(&plan->block[entry->block])->lanes(flights, part->unit_bytes);
    return wish->lanes < J2K_BUNDLE / flights ? wish->lanes : J2K_BUNDLE / flights;
}

/* Holds the number of lanes of a bundle for each rounded length of its blocks. */
struct choice {
    uint8_t lanes[LENGTHS];
};

static uint32_t rounded_length_of(const struct j2k_gpu_entry *entry)
{
    return (COSTS - 1U - entry->cost) % LENGTHS;
}

static uint32_t lanes_of(const struct choice *choice, const struct j2k_gpu_entry *entry)
{
    return choice->lanes[rounded_length_of(entry)];
}

/*
 * Cut the sorted blocks into bundles, each with as many blocks of one shape as it has lanes. Lanes without blocks would
 * take memory that was not foreseen: if a block follows that wants fewer lanes, the blocks in front of it are divided
 * into bundles that are full.
 */
static void cut_bundles(struct j2k_gpu_part *part, const struct j2k_gpu_wish *wish, const struct choice *choice)
{
    for (uint32_t i = 0; i < part->ebcot_blocks;) {
        uint16_t shape = part->entry[i].shape;
        uint32_t flights = shape >> J2K_SHAPE_FLIGHTS ? 1U << ((shape >> J2K_SHAPE_FLIGHTS) - 1) : 0;
        struct j2k_work_bundle bundle = {.block = i,
            .lanes = flights ? wave_lanes(part, wish, &part->entry[i], flights) : lanes_of(choice, &part->entry[i]),
            .flights = flights};
        const uint32_t lanes = bundle.lanes, left = part->ebcot_blocks - i;
        while (bundle.blocks < lanes && bundle.blocks < left && part->entry[i + bundle.blocks].shape == shape &&
               (flights || lanes_of(choice, &part->entry[i + bundle.blocks]) >= lanes))
            bundle.blocks++;
        while (flights == 0 && !wish->lanes && bundle.lanes > bundle.blocks)
            bundle.lanes /= 2;
        bundle.blocks = bundle.blocks < bundle.lanes ? bundle.blocks : bundle.lanes;
        i += bundle.blocks;
        part->wave += flights == 0;
        part->bundle[part->bundles++] = bundle;
    }
}

/* Return the most passes of a bundle's blocks. The first one has the most, unless its cost does not tell how many. */
static uint32_t most_passes(const struct j2k_gpu_part *part, const struct j2k_work_bundle *bundle)
{
    const struct j2k_gpu_entry *entry = &part->entry[bundle->block];
    uint32_t most = (COSTS - 1U - entry->cost) >> LENGTH_BITS;
    for (uint32_t i = 0; i < bundle->blocks && most >= PASSES_MOST; i++) {
        const uint32_t passes = part->items[entry[i].item].plan->block[entry[i].block].passes;
        most = passes > most ? passes : most;
    }
    return most;
}

static void measure_bundles(void *arg, uint32_t index)
{
    struct j2k_gpu_part *part = arg;
    uint32_t first = index * SLICE, end = part->bundles - first < SLICE ? part->bundles : first + SLICE;
    for (uint32_t b = first; b < end; b++) {
        struct j2k_work_bundle *bundle = &part->bundle[b];
        const struct j2k_gpu_entry *entry = &part->entry[bundle->block];
        uint32_t width = 0, height = 0;
        for (uint32_t i = 0; i < bundle->blocks; i++) {
            width = entry[i].width > width ? entry[i].width : width;
            height = entry[i].height > height ? entry[i].height : height;
        }
        bundle->width = width;
        bundle->stripes = (height + 3) / 4;
        bundle->history = j2k_gpu_planes(most_passes(part, bundle));
    }
}

static bool place_bundles(struct j2k_gpu_part *part)
{
    uint64_t states = 0;
    for (uint32_t b = 0; b < part->bundles; b++) {
        struct j2k_work_bundle *bundle = &part->bundle[b];
        uint64_t words = (uint64_t)J2K_PITCH(bundle->width) * bundle->stripes * bundle->lanes;
        bundle->state = (uint32_t)states;
        states += ((J2K_STATE_WORDS + bundle->history) * (words + bundle->lanes) + 3) / 4 * 4;
        part->store_group[b] = part->store_groups;
        part->store_groups += (uint32_t)((words + J2K_STORE_GROUP - 1) / J2K_STORE_GROUP);
        if (states > UINT32_MAX / 2)
            return false;
    }
    part->states = (uint32_t)states;
    return kst_j2k_gpu_place_ht_blocks(part);
}

/* Return the choice with the most lanes with which a block of so many bytes is decoded in time; or one lane. */
static uint32_t choose_within(uint32_t bytes, double time)
{
    uint32_t choice = 0;
    while (choice + 1 < LANE_CHOICES && bytes * byte_costs[choice].wait > time)
        choice++;
    return choice;
}

/* Let each rounded length have as many lanes as a time allows. Returns the work of all blocks. */
static double choose_lanes(struct choice *choice, const uint32_t count[LENGTHS], double time)
{
    double work = 0;
    for (uint32_t r = 0; r < LENGTHS; r++) {
        if (count[r] == 0)
            continue;
        const uint32_t k = choose_within(most_bytes(r), time);
        choice->lanes[r] = (uint8_t)(J2K_BUNDLE >> k);
        work += (double)count[r] * most_bytes(r) * byte_costs[k].work;
    }
    return work;
}

/*
 * Choose the number of lanes for each length of blocks. Blocks that share a bundle wait for each other, so that a long
 * block is decoded late in a full bundle; but a bundle of few blocks leaves most lanes of a warp idle. The kernel ends
 * when its longest block is decoded and all work is done.
 *
 * So each block gets the most lanes with which it is decoded within a certain time. The function searches for the
 * shortest such time within which the compute units can also do all of the work; more time means more lanes, and
 * therefore less work. The longest block takes some time even in a bundle of its own, so the compute units have at
 * least that long; if other parts follow, which need them too, they have half of it.
 */
static void choose(const struct j2k_gpu_part *part, const struct j2k_gpu_wish *wish, struct choice *choice)
{
    enum { TIMES = 80 };
    uint32_t count[LENGTHS] = {0}, longest = 0, first = 0, last = 0;
    double time[TIMES];
    if (wish->lanes) {
        memset(choice->lanes, (int)wish->lanes, sizeof choice->lanes);
        return;
    }
    for (uint32_t i = 0; i < part->ebcot_blocks; i++)
        count[rounded_length_of(&part->entry[i])]++;
    for (uint32_t r = 0; r < LENGTHS; r++)
        longest = count[r] > 0 ? most_bytes(r) : longest;
    const double step = 1.0625, units = (double)wish->units / (wish->beside + 1);
    const double least = longest * byte_costs[LANE_CHOICES - 1].wait * (wish->followed ? 0.5 : 1),
                 most = longest * byte_costs[0].wait;
    for (time[0] = least / 8; last + 1 < TIMES && time[last] < most; last++)
        time[last + 1] = time[last] * step;
    while (first < last) {
        const uint32_t middle = (first + last) / 2;
        if (choose_lanes(choice, count, time[middle]) > fmax(time[middle], least) * units)
            first = middle + 1;
        else
            last = middle;
    }
    choose_lanes(choice, count, time[first]);
}

/* Note where the records of a slice of the blocks are. */
static void note_records(void *arg, uint32_t index)
{
    const struct j2k_gpu_part *part = arg;
    const uint32_t first = index * ENTRIES, all = part->blocks + part->host_blocks;
    const uint32_t end = all - first < ENTRIES ? all : first + ENTRIES;
    for (uint32_t i = first; i < end; i++) {
        const struct j2k_gpu_entry *entry = &part->entry[i];
        part->block_place[part->place[entry->item].block + entry->block].record = i >= part->blocks ? J2K_NO_RECORD
                                                                                  : i >= part->ebcot_blocks
                                                                                      ? i - part->ebcot_blocks
                                                                                      : i;
    }
}

bool kst_j2k_gpu_choose_bundles(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish)
{
    part->ebcot_blocks = part->entry ? part->blocks : 0;
    while (part->ebcot_blocks > 0 && part->entry[part->ebcot_blocks - 1].shape >> J2K_SHAPE_HT != 0)
        part->ebcot_blocks--;
    part->ht_lanes = kst_j2k_gpu_choose_ht_lanes(part->blocks - part->ebcot_blocks, wish);
    struct choice choice;
    const uint32_t most = part->entry ? part->blocks : 0; /* bundles */
    part->bundle = kst_memory_array(part->memory, most, sizeof *part->bundle, NULL);
    part->store_group = kst_memory_array(part->memory, most, sizeof *part->store_group, NULL);
    if (!part->bundle || !part->store_group)
        return false;
    if (part->entry) {
        choose(part, wish, &choice);
        cut_bundles(part, wish, &choice);
        kst_pool_run(threads, (part->blocks + part->host_blocks + ENTRIES - 1) / ENTRIES, note_records, part);
    }
    kst_pool_run(threads, (part->bundles + SLICE - 1) / SLICE, measure_bundles, part);
    return place_bundles(part);
}
