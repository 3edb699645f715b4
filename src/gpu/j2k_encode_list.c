/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/j2k_encode_list.h"

#include <string.h>

enum {
    MOST_DATA = 1 << 29, /* bytes of a list's blocks: more go into another list */
    MOST_STATES = 1 << 28,
    BUNDLES_A_UNIT = 24,
    PASS_ENDS = 8 /* bytes that the end of a pass's segment may take */
};

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct coded_block) == 80 && sizeof(struct coded_result) == 32, "as in the kernels");

static const struct j2k_plan *plan_of(const struct j2k_list *list, uint32_t item)
{
    return list->items[item].picture.plan;
}

static const struct j2k_block *block_of(const struct j2k_list *list, const struct j2k_entry *entry)
{
    return &plan_of(list, entry->item)->block[list->orders[entry->block].block];
}

static const struct j2k_tile_component *component_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    return &plan->tile_component[plan->band[block->band].tile_component];
}

/*
 * Each plane of a sample is a bit when nothing is known of it, and its sign another, with an eighth for what adapting
 * costs. Images that are made to take more are coded once more: a decision takes at most 15 bits, a byte seven of them.
 */
uint32_t kst_gpu_j2k_block_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample)
{
    uint64_t samples = (uint64_t)block->width * block->height,
             columns = (uint64_t)block->width * ((block->height + 3U) / 4);
    uint32_t style = component_of(plan, block)->style, planes = plan->band[block->band].planes;
    uint64_t bytes = samples * (planes + 2U) * 9 / 64 + 64;
    if (style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS))
        bytes += (uint64_t)PASS_ENDS * 3 * planes;
    if (ample)
        bytes = (J2K_CODED_PLANES * (6 * columns + 4) + samples) * 15 / 7 + PASS_ENDS * J2K_CODED_PASSES;
    return (uint32_t)((bytes + 3) / 4 * 4);
}

static uint32_t history_of(const struct j2k_list *list, const struct j2k_entry *entry)
{
    const struct j2k_plan *plan = plan_of(list, entry->item);
    uint32_t planes = plan->band[block_of(list, entry)->band].planes;
    uint32_t halves = (planes + J2K_HISTORY - 1U) / J2K_HISTORY;
    return list->ample || halves > J2K_CODED_HISTORY ? J2K_CODED_HISTORY : halves > 0 ? halves : 1;
}

/* Words of a bundle with that many lanes of such blocks; see find_lane() in the kernels. */
static uint64_t state_words(const struct work_bundle *bundle)
{
    uint64_t columns = (uint64_t)bundle->width * bundle->stripes;
    uint64_t edges = (uint64_t)bundle->stripes * ((bundle->width + J2K_CHUNK - 1) / J2K_CHUNK) * J2K_EDGES;
    return bundle->lanes * (2 * columns + edges + (bundle->history * columns + 1) / 2);
}

static void widen(struct work_bundle *bundle, const struct j2k_block *block, uint32_t history)
{
    uint32_t stripes = (block->height + 3U) / 4;
    bundle->width = block->width > bundle->width ? block->width : bundle->width;
    bundle->stripes = stripes > bundle->stripes ? stripes : bundle->stripes;
    bundle->history = history > bundle->history ? history : bundle->history;
}

/* What a bundle's blocks have in common; resolutions that have the more planes the fewer samples they have come first.
 */
static struct j2k_entry entry_of(const struct j2k_list *list, uint32_t order)
{
    const struct j2k_block_order *o = &list->orders[order];
    const struct j2k_plan *plan = plan_of(list, o->item);
    const struct j2k_block *block = &plan->block[o->block];
    const struct j2k_tile_component *tc = component_of(plan, block);
    uint32_t resolution = 0;
    while (resolution + 1U < tc->resolution_count &&
           plan->resolution[tc->first_resolution + resolution + 1].first_band <= block->band)
        resolution++;
    return (struct j2k_entry){.item = o->item,
        .block = order,
        .shape = (uint16_t)((12U - tc->block_width - tc->block_height) * 16 + tc->block_width),
        .cost = (uint16_t)(resolution * 64 + (64 - (uint32_t)plan->band[block->band].planes % 64) % 64)};
}

/* How many orders go together: what they take with a lane each is about what they will take. */
static uint32_t share(struct j2k_list *list, const uint32_t *chosen, uint32_t count)
{
    uint64_t data = 0, states = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct j2k_entry entry = entry_of(list, chosen[i]);
        const struct j2k_block *block = block_of(list, &entry);
        struct work_bundle alone = {.lanes = 1};
        widen(&alone, block, history_of(list, &entry));
        data += kst_gpu_j2k_block_room(plan_of(list, entry.item), block, list->ample) + J2K_DATA_HEAD;
        states += state_words(&alone);
        if (i > 0 && (data > MOST_DATA || states > MOST_STATES))
            return i;
        list->entry[i] = entry;
    }
    return count;
}

static void make_bundles(struct j2k_list *list, uint32_t lanes)
{
    for (uint32_t i = 0; i < list->blocks;) {
        struct work_bundle bundle = {.block = i, .lanes = lanes, .state = (uint32_t)list->states};
        uint16_t shape = list->entry[i].shape;
        for (; i < list->blocks && bundle.blocks < lanes && list->entry[i].shape == shape; i++, bundle.blocks++)
            widen(&bundle, block_of(list, &list->entry[i]), history_of(list, &list->entry[i]));
        list->states += state_words(&bundle);
        list->bundle[list->bundles++] = bundle;
    }
}

uint32_t kst_gpu_j2k_list(
    struct j2k_list *list, const uint32_t *chosen, uint32_t count, uint32_t units, struct j2k_entry *room)
{
    list->blocks = share(list, chosen, count);
    list->bundles = 0;
    list->states = list->data = 0;
    kst_gpu_j2k_sort_entries(list->entry, room, list->blocks);
    make_bundles(list, kst_gpu_j2k_choose_lanes(list->blocks, units * BUNDLES_A_UNIT));
    for (uint32_t i = 0; i < list->blocks; i++) {
        const struct j2k_entry *entry = &list->entry[i];
        list->place[i] = (uint32_t)list->data;
        list->data +=
            kst_gpu_j2k_block_room(plan_of(list, entry->item), block_of(list, entry), list->ample) + J2K_DATA_HEAD;
    }
    list->words = WORDS(struct j2k_list_work) + list->blocks * WORDS(struct coded_block) +
                  list->bundles * WORDS(struct work_bundle);
    return list->blocks;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static struct coded_block describe(const struct j2k_list *list, uint32_t index, uint32_t bundle)
{
    const struct j2k_entry *entry = &list->entry[index];
    const struct j2k_block_order *order = &list->orders[entry->block];
    const struct j2k_plan *plan = plan_of(list, entry->item);
    const struct j2k_block *block = &plan->block[order->block];
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    uint32_t pitch = j2k_gpu_width(band->rect);
    return (struct coded_block){.from = list->batch->band[list->batch->place[entry->item].band + block->band] +
                                        (block->y - band->rect.y0) * pitch + (block->x - band->rect.x0),
        .pitch = pitch,
        .width = block->width,
        .height = block->height,
        .style = tc->style,
        .contexts = band->orientation == J2K_HH   ? 2
                    : band->orientation == J2K_HL ? 1
                                                  : 0,
        .exact = tc->reversible,
        .factor = tc->reversible ? 0 : float_bits(1.0F / band->step),
        .measured = list->items[entry->item].measured,
        .stop = float_bits(order->stop),
        .roi_shift = tc->roi_shift,
        .left = order->region.x0,
        .top = order->region.y0,
        .right = order->region.x1,
        .bottom = order->region.y1,
        .bundle = bundle,
        .lane = index - list->bundle[bundle].block,
        .data = list->place[index],
        .capacity = kst_gpu_j2k_block_room(plan, block, list->ample)};
}

void kst_gpu_j2k_list_write(const struct j2k_list *list, uint32_t *words)
{
    struct j2k_list_work *head = (struct j2k_list_work *)(void *)words;
    *head =
        (struct j2k_list_work){.blocks = list->blocks, .block = WORDS(struct j2k_list_work), .bundles = list->bundles};
    head->bundle = head->block + list->blocks * WORDS(struct coded_block);
    struct coded_block *block = (struct coded_block *)(void *)(words + head->block);
    for (uint32_t b = 0; b < list->bundles; b++)
        for (uint32_t i = 0; i < list->bundle[b].blocks; i++)
            block[list->bundle[b].block + i] = describe(list, list->bundle[b].block + i, b);
    memcpy(words + head->bundle, list->bundle, list->bundles * sizeof *list->bundle);
}
