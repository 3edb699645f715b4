/* SPDX-License-Identifier: BSD-2-Clause */
/* From a code-block's bytes to coefficients in its band's window. */
#include <math.h>
#include <string.h>

#include "cpu/j2k_tile.h"
#include "j2k/range.h"

enum { BITS = 31 };

static bool make_room(struct j2k_decoding *decoding, struct j2k_worker *worker, size_t length)
{
    if (length <= worker->joined_length)
        return true;
    kst_memory_release(decoding->memory, worker->joined);
    worker->joined = kst_j2k_take(decoding, length, 1, false);
    worker->joined_length = worker->joined ? length : 0;
    return worker->joined;
}

/* The segments of a block as consecutive bytes each: where they lie if in one piece, else copied. */
static bool gather(struct j2k_decoding *decoding, struct j2k_worker *worker, const struct j2k_block *block)
{
    const struct j2k_plan *plan = decoding->plan;
    size_t at = 0;
    if (block->length > 0 && !make_room(decoding, worker, block->length))
        return false;
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        struct j2k_codeword *codeword = &worker->codeword[i];
        codeword->length = segment->length;
        codeword->passes = segment->passes;
        codeword->data = plan->data; /* of any place, where there are no bytes */
        if (segment->piece_count == 0)
            continue;
        const struct j2k_piece *piece = &plan->piece[segment->first_piece];
        if (segment->piece_count == 1) {
            codeword->data = plan->data + piece->offset;
            continue;
        }
        codeword->data = worker->joined + at;
        for (uint32_t k = 0; k < segment->piece_count; k++) {
            memcpy(worker->joined + at, plan->data + piece[k].offset, piece[k].length);
            at += piece[k].length;
        }
    }
    return true;
}

static void count_damage(struct j2k_decoding *decoding, const struct j2k_block *block)
{
    const struct j2k_segment *segment = &decoding->plan->segment[block->first_segment];
    uint64_t offset = UINT64_MAX;
    for (uint32_t i = 0; i < block->segment_count && offset == UINT64_MAX; i++)
        if (segment[i].piece_count)
            offset = decoding->plan->piece[segment[i].first_piece].offset;
    atomic_fetch_add(&decoding->damaged, 1);
    uint_fast64_t least = atomic_load(&decoding->damage_offset);
    while (offset < least && !atomic_compare_exchange_weak(&decoding->damage_offset, &least, offset))
        continue;
}

/* Where the coefficients of a band go. */
static const struct j2k_window *find_window(const struct j2k_group *group, uint32_t band)
{
    const struct j2k_plan *plan = group->decoding->plan;
    uint32_t tile_component = plan->band[band].tile_component;
    const struct j2k_decoded_component *c =
        &group->component[tile_component - group->tile->first_component - group->first];
    return &c->band[band - c->resolution->first_band];
}

/* The part of the decoded block that lies in its band's window. */
static void store(const struct j2k_group *group, const struct j2k_worker *worker, const struct j2k_block *block,
    bool reversible, float factor)
{
    const struct j2k_window *window = find_window(group, block->band);
    struct j2k_rect rect = group->decoding->plan->band[block->band].window;
    uint32_t x0 = block->x > rect.x0 ? block->x : rect.x0, y0 = block->y > rect.y0 ? block->y : rect.y0;
    uint32_t x1 = block->x + block->width < rect.x1 ? block->x + block->width : rect.x1;
    uint32_t y1 = block->y + block->height < rect.y1 ? block->y + block->height : rect.y1;
    const struct j2k_indices indices = {
        .from = worker->decoder.samples + (size_t)(y0 - block->y) * block->width + (x0 - block->x),
        .pitch = block->width,
        .width = x1 - x0,
        .height = y1 - y0};
    void *to = (uint8_t *)j2k_window_row(window, y0) + (x0 - rect.x0) * window->size;
    if (group->narrow)
        group->decoding->steps.store_narrow(&indices, to, window->pitch);
    else if (reversible)
        group->decoding->steps.store_integers(&indices, to, window->pitch);
    else
        group->decoding->steps.store_reals(&indices, factor, to, window->pitch);
}

static void decode_block(const struct j2k_group *group, struct j2k_worker *worker, const struct j2k_block *block)
{
    struct j2k_decoding *decoding = group->decoding;
    const struct j2k_band *band = &decoding->plan->band[block->band];
    const struct j2k_tile_component *tc = &decoding->plan->tile_component[band->tile_component];
    if (!gather(decoding, worker, block))
        return;
    int32_t room = BITS - (int32_t)kst_j2k_magnitude_bits(block, tc->roi_shift);
    struct j2k_coded_block coded = {.width = block->width,
        .height = block->height,
        .orientation = band->orientation,
        .style = tc->style,
        .planes = block->planes,
        .roi_shift = tc->roi_shift,
        .fraction = tc->reversible ? 0
                    : room < 1     ? room
                                   : 1,
        .codeword_count = block->segment_count,
        .codewords = worker->codeword};
    if (kst_j2k_block_decode(&worker->decoder, &coded))
        count_damage(decoding, block);
    store(group, worker, block, tc->reversible, ldexpf(band->step, -coded.fraction));
}

void kst_j2k_decode_one(const struct j2k_group *group, struct j2k_worker *worker, uint32_t block)
{
    struct j2k_decoding *decoding = group->decoding;
    int none = KST_OK;
    decode_block(group, worker, &decoding->plan->block[group->first_block + group->order[block]]);
    if (decoding->progress && !kst_progress_add(decoding->progress, 1))
        atomic_compare_exchange_strong(&decoding->status, &none, KST_ERROR_CANCELLED);
}
