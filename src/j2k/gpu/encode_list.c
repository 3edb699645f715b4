/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how much room each code-block gets and how blocks are arranged in rows, and writes lists for the kernels. */
#include "j2k/gpu/encode_list.h"

#include "device/float_bits.h"

enum {
    MOST_DATA = 1 << 29,    /* most bytes of a list's blocks; further blocks go into another list */
    MOST_UNITS = 1 << 28,   /* most units of decisions */
    MOST_SAMPLES = 1 << 29, /* most samples, so that 32 bits can always count decisions */
    ROWS_A_UNIT = 4,        /* rows of lanes for each multiprocessor, so that it has work while one row waits */
    FRONT_SHARE = 8,
    SLICE = 8192 /* blocks that a thread writes at once; calling one takes as long as thousands of blocks */
};

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert((uint32_t)J2K_CODE_LANES == (uint32_t)J2K_BUNDLE, "as lanes are chosen");
_Static_assert(
    sizeof(struct j2k_work_coded_block) == 80 && sizeof(struct j2k_work_coded_result) == 52, "as in the kernels");

static const struct j2k_plan *plan_of(const struct j2k_gpu_list *list, uint32_t item)
{
    return list->items[item].picture.plan;
}

/*
 * Choose the number of lanes of each row. All blocks wait for the one with the most decisions, and the blocks next to
 * it slow it down. Therefore the first rows have fewer lanes, which takes more of the device, unless other jobs wait
 * for the device.
 */
static void choose_rows(struct j2k_gpu_list *list, uint32_t rows)
{
    list->lanes = kst_j2k_gpu_choose_lanes(list->blocks, rows);
    uint32_t share = list->shared ? 1 : FRONT_SHARE;
    list->front_lanes = list->lanes > share ? list->lanes / share : 1;
    list->front_rows = list->blocks / list->front_lanes < rows ? list->blocks / list->front_lanes : rows;
    uint32_t rest = list->blocks - list->front_rows * list->front_lanes;
    list->rows = list->front_rows + (rest + list->lanes - 1) / list->lanes;
}

/* Holds the room that a block gets, which is kept because most blocks are like the ones before them. */
struct block_rooms {
    const struct j2k_plan *plan;
    const struct j2k_block *like;
    uint32_t data, units;
};

static void find_rooms(const struct j2k_gpu_block_coder *coder, const struct j2k_plan *plan,
    const struct j2k_block *block, bool ample, struct block_rooms *rooms)
{
    const struct j2k_block *like = rooms->like;
    if (like && rooms->plan == plan && like->band == block->band && like->width == block->width &&
        like->height == block->height)
        return;
    *rooms = (struct block_rooms){.plan = plan,
        .like = block,
        .data = coder->block_room(plan, block, ample) + J2K_DATA_HEAD,
        .units = coder->decision_room(plan, block, ample)};
}

uint32_t kst_j2k_gpu_list(struct j2k_gpu_list *list, const uint32_t *chosen, uint32_t count, uint32_t processors)
{
    struct block_rooms rooms = {.like = NULL};
    list->chosen = chosen;
    list->data = list->units = list->samples = 0;
    list->refined = false;
    for (list->blocks = 0; list->blocks < count; list->blocks++) {
        const struct j2k_gpu_block_order *order = &list->orders[chosen[list->blocks]];
        const struct j2k_plan *plan = plan_of(list, order->item);
        const struct j2k_block *block = &plan->block[order->block];
        const struct j2k_gpu_block_coder *coder = kst_j2k_gpu_coder_of(block);
        if (list->blocks == 0)
            list->coder = coder;
        else if (list->coder != coder)
            break;
        find_rooms(coder, plan, block, list->ample, &rooms);
        uint64_t data = list->data + rooms.data;
        uint64_t units = list->units + rooms.units;
        uint64_t samples = list->samples + (uint64_t)block->width * block->height;
        if (list->blocks > 0 && (data > MOST_DATA || units > MOST_UNITS || samples > MOST_SAMPLES))
            break;
        list->place[list->blocks] = (uint32_t)list->data;
        list->data = data;
        list->units = units;
        list->samples = samples;
        list->refined = list->refined || order->refinements > 0;
    }
    list->plain = list->unmeasured && list->coder->at_once;
    choose_rows(list, processors * ROWS_A_UNIT);
    list->words = WORDS(struct j2k_list_work) + list->blocks * WORDS(struct j2k_work_coded_block);
    return list->blocks;
}

/* Describe what the blocks of a band have in common. */
static void describe_band(struct j2k_gpu_describing *d, uint32_t item, uint32_t index)
{
    const struct j2k_plan *plan = d->items[item].picture.plan;
    const struct j2k_band *band = &plan->band[index];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const bool exact = tc->reversible || d->items[item].indices;
    const uint32_t place = d->part->place[item].band + index;
    d->item = item;
    d->band = index;
    d->rect = band->rect;
    d->like = (struct j2k_work_coded_block){.from = d->part->band[place],
        .pitch = j2k_gpu_width(band->rect),
        .style = tc->style,
        .contexts = j2k_gpu_contexts_of(band->orientation),
        .exact = exact,
        .factor = exact ? 0 : gpu_float_bits(1.0F / band->step),
        .measured = d->items[item].measured,
        .roi_shift = tc->roi_shift,
        .band = place};
}

void kst_j2k_gpu_describe_coded(
    struct j2k_gpu_describing *d, const struct j2k_gpu_block_order *order, struct j2k_work_coded_block *to)
{
    const struct j2k_block *block = &d->items[order->item].picture.plan->block[order->block];
    if (d->item != order->item || d->band != block->band)
        describe_band(d, order->item, block->band);
    *to = d->like;
    to->from += (block->y - d->rect.y0) * to->pitch + (block->x - d->rect.x0);
    to->width = block->width;
    to->height = block->height;
    to->stop = gpu_float_bits(order->stop);
    to->left = order->region.x0;
    to->top = order->region.y0;
    to->right = order->region.x1;
    to->bottom = order->region.y1;
    to->refinements = order->refinements;
}

struct list_writing {
    const struct j2k_gpu_list *list;
    struct j2k_work_coded_block *block;
};

/* Write a slice of the blocks. The room of a block ends where that of the next one begins. */
static void write_slice(void *arg, uint32_t index)
{
    const struct list_writing *w = arg;
    const struct j2k_gpu_list *list = w->list;
    struct j2k_gpu_describing describing = j2k_gpu_describing(list->part, list->items);
    uint32_t first = index * SLICE, left = list->blocks - first;
    for (uint32_t i = first; i < first + (left < SLICE ? left : SLICE); i++) {
        const uint32_t end = i + 1 < list->blocks ? list->place[i + 1] : (uint32_t)list->data;
        kst_j2k_gpu_describe_coded(&describing, &list->orders[list->chosen[i]], &w->block[i]);
        w->block[i].data = list->place[i];
        w->block[i].capacity = end - list->place[i] - J2K_DATA_HEAD;
    }
}

void kst_j2k_gpu_list_write(const struct j2k_gpu_list *list, struct pool *threads, uint32_t *words)
{
    struct j2k_list_work *head = (struct j2k_list_work *)(void *)words;
    *head = (struct j2k_list_work){.blocks = list->blocks,
        .block = WORDS(struct j2k_list_work),
        .room = (uint32_t)list->units,
        .lanes = list->lanes,
        .front_lanes = list->front_lanes,
        .front_rows = list->front_rows,
        .passes = list->coder->most_passes};
    struct list_writing writing = {list, (struct j2k_work_coded_block *)(void *)(words + head->block)};
    uint32_t slices = (list->blocks + SLICE - 1) / SLICE;
    if (threads)
        kst_pool_run(threads, slices, write_slice, &writing);
    else
        for (uint32_t i = 0; i < slices; i++)
            write_slice(&writing, i);
}
