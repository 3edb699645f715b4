/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads take code-blocks of a tile by turns. */
#include <math.h>
#include <string.h>

#include "cpu/j2k_block.h"
#include "cpu/j2k_samples.h"
#include "cpu/j2k_tile.h"

enum { CODEWORDS_MAX = 3 * 74 - 2, BITS = 31 };

/* One thread's room. */
struct worker {
    struct j2k_tile_work *work;
    struct j2k_block_decoder *decoder;
    struct j2k_codeword codeword[CODEWORDS_MAX];
    uint8_t *joined; /* bytes of segments that come in pieces */
    size_t capacity;
};

static bool make_room(struct worker *worker, size_t length)
{
    struct j2k_decoding *decoding = worker->work->decoding;
    if (length <= worker->capacity)
        return true;
    kst_memory_release(decoding->memory, worker->joined);
    worker->joined = kst_j2k_take(decoding, length, 1, false);
    worker->capacity = worker->joined ? length : 0;
    return worker->joined;
}

/* The segments of a block as consecutive bytes each: where they lie if in one piece, else copied. */
static bool gather(struct worker *worker, const struct j2k_block *block)
{
    const struct j2k_plan *plan = worker->work->decoding->plan;
    size_t at = 0;
    if (!make_room(worker, block->length))
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

/* Bits of the largest magnitude, in the region of interest or outside of it (Annex H). */
static int32_t magnitude_bits(const struct j2k_block *block, uint32_t roi_shift)
{
    uint32_t inside = block->planes > roi_shift ? block->planes - roi_shift : 0;
    uint32_t outside = block->planes < roi_shift ? block->planes : roi_shift;
    return (int32_t)(inside > outside ? inside : outside);
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

/* The part of the decoded block that lies in its band's window. */
static void store(const struct worker *worker, const struct j2k_block *block, bool reversible, float factor)
{
    const struct j2k_tile_work *work = worker->work;
    const struct j2k_band *band = &work->decoding->plan->band[block->band];
    struct j2k_rect window = band->window;
    uint32_t x0 = block->x > window.x0 ? block->x : window.x0, y0 = block->y > window.y0 ? block->y : window.y0;
    uint32_t x1 = block->x + block->width < window.x1 ? block->x + block->width : window.x1;
    uint32_t y1 = block->y + block->height < window.y1 ? block->y + block->height : window.y1;
    const struct j2k_indices indices = {
        .from = worker->decoder->samples + (size_t)(y0 - block->y) * block->width + (x0 - block->x),
        .pitch = block->width,
        .width = x1 - x0,
        .height = y1 - y0};
    size_t pitch = j2k_width(window);
    uint32_t *to = work->coefficients + work->band_offset[block->band - work->first_band] +
                   (size_t)(y0 - window.y0) * pitch + (x0 - window.x0);
    if (reversible)
        kst_j2k_store_integers(&indices, (int32_t *)to, pitch);
    else
        kst_j2k_store_reals(&indices, factor, (float *)to, pitch);
}

static void decode_block(struct worker *worker, const struct j2k_block *block)
{
    struct j2k_decoding *decoding = worker->work->decoding;
    const struct j2k_band *band = &decoding->plan->band[block->band];
    const struct j2k_tile_component *tc = &decoding->plan->tile_component[band->tile_component];
    if (!gather(worker, block))
        return;
    int32_t room = BITS - magnitude_bits(block, tc->roi_shift);
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
    if (kst_j2k_block_decode(worker->decoder, &coded))
        count_damage(decoding, block);
    store(worker, block, tc->reversible, ldexpf(band->step, -coded.fraction));
}

static void run_worker(void *argument, uint32_t index)
{
    (void)index;
    struct j2k_tile_work *work = argument;
    struct j2k_decoding *decoding = work->decoding;
    struct worker *worker = kst_j2k_take(decoding, 1, sizeof *worker, true);
    if (!worker)
        return;
    worker->work = work;
    worker->decoder = kst_j2k_take(decoding, 1, sizeof *worker->decoder, false);
    while (worker->decoder && kst_j2k_goes_on(decoding)) {
        uint32_t block = atomic_fetch_add(&work->next_block, 1);
        if (block >= work->block_count)
            break;
        decode_block(worker, &decoding->plan->block[work->first_block + block]);
    }
    kst_memory_release(decoding->memory, worker->joined);
    kst_memory_release(decoding->memory, worker->decoder);
    kst_memory_release(decoding->memory, worker);
}

void kst_j2k_decode_blocks(struct j2k_tile_work *work)
{
    uint32_t threads = kst_pool_threads(work->decoding->pool);
    atomic_init(&work->next_block, 0);
    if (work->block_count > 0)
        kst_pool_run(work->decoding->pool, threads < work->block_count ? threads : work->block_count, run_worker, work);
}
