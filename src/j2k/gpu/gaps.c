/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the gaps between T.814 code-blocks: coefficients that no block covers, which must be 0. They are listed behind
 * the blocks, like blocks without passes, so that the kernel that stores coefficients clears them. This way each
 * coefficient is written once; clearing all bands beforehand would write most of them twice.
 */
#include <string.h>

#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

enum { WIDTH = 256, HEIGHT = 64 }; /* the largest area that one work-group clears */

enum { CAPACITY = 512, IMPOSSIBLE = UINT32_MAX };

/* Collects the gaps of a picture. */
struct gap_list {
    const struct j2k_gpu_part *part;
    struct j2k_work_ht_block *record;
    uint32_t count, capacity;
    bool failed; /* memory is missing */
    uint32_t item, band, narrow;
};

static bool make_room(struct gap_list *list)
{
    if (list->count < list->capacity)
        return true;
    const size_t capacity = list->capacity ? (size_t)list->capacity * 2 : CAPACITY;
    struct j2k_work_ht_block *grown = kst_memory_grow(
        list->part->memory, list->record, list->count * sizeof *list->record, capacity * sizeof *list->record, NULL);
    list->failed = list->failed || !grown || capacity > UINT32_MAX / 2;
    list->record = grown ? grown : list->record;
    list->capacity = grown ? (uint32_t)capacity : list->capacity;
    return !list->failed;
}

static void add_piece(struct gap_list *list, struct j2k_rect rect)
{
    const struct j2k_gpu_part *part = list->part;
    const uint32_t width = rect.x1 - rect.x0 < WIDTH ? rect.x1 - rect.x0 : WIDTH;
    const uint32_t height = rect.y1 - rect.y0 < HEIGHT ? rect.y1 - rect.y0 : HEIGHT;
    const struct j2k_rect window = part->items[list->item].plan->band[list->band].window;
    if (!make_room(list))
        return;
    list->record[list->count++] = (struct j2k_work_ht_block){.right = (uint16_t)width,
        .bottom = (uint16_t)height,
        .to = (part->band[part->place[list->item].band + list->band] << list->narrow) +
              (rect.y0 - window.y0) * j2k_gpu_width(window) + (rect.x0 - window.x0),
        .pitch = j2k_gpu_width(window),
        .narrow = list->narrow,
        .picture = list->item};
}

static void add_gap(struct gap_list *list, struct j2k_rect rect)
{
    struct j2k_rect piece = rect;
    for (piece.y0 = rect.y0; piece.y0 < rect.y1; piece.y0 += HEIGHT)
        for (piece.x0 = rect.x0; piece.x0 < rect.x1; piece.x0 += WIDTH)
            add_piece(list, piece);
}

/*
 * Add the gaps of a band. Returns false if its blocks are not in raster order, for instance because it has several
 * precincts.
 */
static bool add_gaps_of_band(struct gap_list *list, const struct j2k_plan *plan)
{
    const struct j2k_band *band = &plan->band[list->band];
    const struct j2k_rect window = band->window;
    struct j2k_rect row = {window.x0, window.y0, window.x1, window.y0}; /* part of a row behind the blocks so far */
    for (uint32_t k = band->first_block; k < band->first_block + band->block_count; k++) {
        const struct j2k_block *own = &plan->block[k];
        const uint32_t end = own->x + own->width;
        if (own->x == row.x0 && own->y == row.y0 && own->y + own->height == row.y1 && end <= row.x1) {
            row.x0 = end; /* true for most blocks */
            continue;
        }
        const struct j2k_rect block =
            j2k_intersect((struct j2k_rect){own->x, own->y, end, own->y + own->height}, window);
        if (block.y0 >= row.y1) {
            add_gap(list, row);
            add_gap(list, (struct j2k_rect){window.x0, row.y1, window.x1, block.y0});
            row = (struct j2k_rect){window.x0, block.y0, window.x1, block.y1};
        }
        if (block.y0 != row.y0 || block.y1 != row.y1 || block.x0 < row.x0)
            return false;
        add_gap(list, (struct j2k_rect){row.x0, row.y0, block.x0, row.y1});
        row.x0 = block.x1;
    }
    add_gap(list, row);
    add_gap(list, (struct j2k_rect){window.x0, row.y1, window.x1, window.y1});
    return true;
}

/* Return whether one block covers all of a band. */
static bool is_one_block(const struct j2k_plan *plan, const struct j2k_band *band)
{
    const struct j2k_block *block = &plan->block[band->first_block];
    return band->block_count == 1 && block->x <= band->window.x0 && block->y <= band->window.y0 &&
           block->x + block->width >= band->window.x1 && block->y + block->height >= band->window.y1;
}

/* List the gaps of a picture. Returns false if they cannot be listed. */
static bool list_gaps(struct gap_list *list)
{
    const struct j2k_plan *plan = list->part->items[list->item].plan;
    for (list->band = 0; list->band < plan->band_count; list->band++) {
        if (is_one_block(plan, &plan->band[list->band]))
            continue;
        const uint32_t tile = plan->band[list->band].tile_component / plan->component_count;
        list->narrow = j2k_gpu_is_narrow(list->part, list->item, &plan->tile[tile]) ||
                       j2k_gpu_has_indices(list->part, list->item, list->band);
        if (!add_gaps_of_band(list, plan))
            return false;
    }
    return plan->missing_tiles == 0 && !list->failed;
}

static void find_gaps(void *arg, uint32_t index)
{
    struct j2k_gpu_part *part = arg;
    struct gap_list list = {.part = part, .item = index};
    part->sums[index].gaps = list_gaps(&list) ? list.count : IMPOSSIBLE;
    part->sums[index].gap = list.record;
}

void kst_j2k_gpu_find_gaps(struct j2k_gpu_part *part, struct pool *threads)
{
    uint32_t sum = 0;
    if (part->entry || part->blocks == 0)
        return;
    kst_pool_run(threads, part->count, find_gaps, part);
    for (uint32_t i = 0; i < part->count; i++) {
        if (part->sums[i].gaps == IMPOSSIBLE)
            return;
        part->place[i].gap = sum;
        sum += part->sums[i].gaps;
    }
    part->gaps = sum;
    part->covered = true;
}

void kst_j2k_gpu_write_gaps(const struct j2k_gpu_part *part, struct j2k_work_ht_block *to)
{
    for (uint32_t i = 0; part->gaps > 0 && i < part->count; i++)
        if (part->sums[i].gaps > 0)
            memcpy(to + part->place[i].gap, part->sums[i].gap, part->sums[i].gaps * sizeof *to);
}

void kst_j2k_gpu_release_gaps(struct j2k_gpu_part *part)
{
    for (uint32_t i = 0; part->sums && i < part->count; i++)
        kst_memory_release(part->memory, part->sums[i].gap);
}
