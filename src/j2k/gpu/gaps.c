/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the gaps between code-blocks of T.814: coefficients that no block covers, which must be 0. They are listed
 * behind the blocks, like blocks without passes, so that the kernel which stores coefficients clears them. This writes
 * each coefficient once, where clearing all bands beforehand would write most of them twice.
 */
#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

enum { WIDTH = 256, HEIGHT = 64, IMPOSSIBLE = UINT32_MAX }; /* of what is cleared by one work-group, at most */

/* Takes the gaps of a picture, and writes records of them unless `to` is null. */
struct gap_list {
    const struct j2k_gpu_part *part;
    struct j2k_work_ht_block *to;
    uint32_t item, band, narrow;
    uint32_t count;
};

static void add_piece(struct gap_list *list, struct j2k_rect rect)
{
    const struct j2k_gpu_part *part = list->part;
    const uint32_t width = rect.x1 - rect.x0 < WIDTH ? rect.x1 - rect.x0 : WIDTH;
    const uint32_t height = rect.y1 - rect.y0 < HEIGHT ? rect.y1 - rect.y0 : HEIGHT;
    const struct j2k_rect window = part->items[list->item].plan->band[list->band].window;
    if (list->to)
        list->to[list->count] = (struct j2k_work_ht_block){.right = (uint16_t)width,
            .bottom = (uint16_t)height,
            .to = (part->band[part->place[list->item].band + list->band] << list->narrow) +
                  (rect.y0 - window.y0) * j2k_gpu_width(window) + (rect.x0 - window.x0),
            .pitch = j2k_gpu_width(window),
            .narrow = list->narrow,
            .picture = list->item};
    list->count++;
}

static void add_gap(struct gap_list *list, struct j2k_rect rect)
{
    struct j2k_rect piece = rect;
    for (piece.y0 = rect.y0; piece.y0 < rect.y1; piece.y0 += HEIGHT)
        for (piece.x0 = rect.x0; piece.x0 < rect.x1; piece.x0 += WIDTH)
            add_piece(list, piece);
}

/* Add the gaps of a band. Returns false if its blocks are not in raster order, as where it has several precincts. */
static bool add_gaps_of_band(struct gap_list *list, const struct j2k_plan *plan)
{
    const struct j2k_band *band = &plan->band[list->band];
    const struct j2k_rect window = band->window;
    struct j2k_rect row = {window.x0, window.y0, window.x1, window.y0}; /* what is left of a row of blocks */
    for (uint32_t k = band->first_block; k < band->first_block + band->block_count; k++) {
        const struct j2k_block *own = &plan->block[k];
        const struct j2k_rect block =
            j2k_intersect((struct j2k_rect){own->x, own->y, own->x + own->width, own->y + own->height}, window);
        if (block.x0 == row.x0 && block.y0 == row.y0 && block.y1 == row.y1) { /* as most do */
            row.x0 = block.x1;
            continue;
        }
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

/* Return whether a band is one block without a gap. */
static bool is_one_block(const struct j2k_plan *plan, const struct j2k_band *band)
{
    const struct j2k_block *block = &plan->block[band->first_block];
    return band->block_count == 1 && block->x <= band->window.x0 && block->y <= band->window.y0 &&
           block->x + block->width >= band->window.x1 && block->y + block->height >= band->window.y1;
}

/* List the gaps of a picture. Returns their number; IMPOSSIBLE: they cannot be listed. */
static uint32_t list_gaps(const struct j2k_gpu_part *part, uint32_t index, struct j2k_work_ht_block *to)
{
    const struct j2k_plan *plan = part->items[index].plan;
    struct gap_list list = {.part = part, .to = to, .item = index};
    for (; list.band < plan->band_count; list.band++) {
        const uint32_t tile = plan->band[list.band].tile_component / plan->component_count;
        if (is_one_block(plan, &plan->band[list.band]))
            continue;
        list.narrow = j2k_gpu_is_narrow(part, index, &plan->tile[tile]) || j2k_gpu_has_indices(part, index, list.band);
        if (!add_gaps_of_band(&list, plan))
            return IMPOSSIBLE;
    }
    return plan->missing_tiles > 0 ? IMPOSSIBLE : list.count;
}

static void count_gaps(void *arg, uint32_t index)
{
    struct j2k_gpu_part *part = arg;
    part->sums[index].gaps = list_gaps(part, index, NULL);
}

void kst_j2k_gpu_find_gaps(struct j2k_gpu_part *part, struct pool *threads)
{
    uint32_t sum = 0;
    if (part->entry || part->blocks == 0)
        return;
    kst_pool_run(threads, part->count, count_gaps, part);
    for (uint32_t i = 0; i < part->count; i++) {
        if (part->sums[i].gaps == IMPOSSIBLE)
            return;
        part->place[i].gap = sum;
        sum += part->sums[i].gaps;
    }
    part->gaps = sum;
    part->covered = true;
}

/* Holds the state while threads write the gaps of a part. */
struct gaps_writing {
    const struct j2k_gpu_part *part;
    struct j2k_work_ht_block *to;
};

static void write_gaps(void *arg, uint32_t index)
{
    const struct gaps_writing *writing = arg;
    if (writing->part->sums[index].gaps > 0)
        list_gaps(writing->part, index, writing->to + writing->part->place[index].gap);
}

void kst_j2k_gpu_write_gaps(const struct j2k_gpu_part *part, struct pool *threads, struct j2k_work_ht_block *to)
{
    struct gaps_writing writing = {part, to};
    if (part->gaps > 0)
        kst_pool_run(threads, part->count, write_gaps, &writing);
}
