/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the T.800 code-blocks of a part, and their segments, to the kernels. Blocks are described in the order of
 * the plans, where those of a band follow each other and have most in common, each at its place in the sorted list.
 */
#include "device/float_bits.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/part.h"
#include "j2k/plan/range.h"
#include "j2k/syntax/geometry.h"

enum {
    SLICE = 2048, /* blocks that a thread writes at once */
    AHEAD = 16    /* blocks whose records are fetched ahead: sorted, they are far from each other */
};

/* The number of words of a type. */
#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* Holds the state while threads write segments. */
struct segments_writing {
    const struct j2k_gpu_part *part;
    uint32_t *work;
    uint32_t segment_at, piece_at;
};

/* Write a segment. No pieces are to be gathered for segments of T.814. Returns the place of the next segment's bits. */
static inline uint32_t write_segment(
    const struct j2k_segment *segment, bool ht, uint32_t piece_at, uint32_t bits, struct j2k_work_codeword *to)
{
    *to = (struct j2k_work_codeword){.piece = piece_at + segment->first_piece * WORDS(struct j2k_work_piece),
        .pieces = ht ? 0 : segment->piece_count,
        .bits = bits,
        .passes = segment->passes,
        .raw = segment->raw};
    return bits + (uint32_t)j2k_gpu_segment_words(ht, segment);
}

/*
 * Write the segments of a picture, each of which belongs to one block: in one go, or block by block if some blocks are
 * those of T.814.
 */
static void write_segments_of(const struct segments_writing *w, uint32_t index, struct j2k_work_codeword *to)
{
    const struct j2k_plan *plan = w->part->items[index].plan;
    const uint32_t piece_at = w->piece_at + w->part->place[index].piece * WORDS(struct j2k_work_piece);
    uint32_t bits = w->part->place[index].bits;
    if (w->part->sums[index].ht_states == 0) {
        for (uint32_t i = 0; i < plan->segment_count; i++)
            bits = write_segment(&plan->segment[i], false, piece_at, bits, &to[i]);
        return;
    }
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_block *block = &plan->block[k];
        for (uint32_t i = block->first_segment; i < block->first_segment + block->segment_count; i++)
            bits = write_segment(&plan->segment[i], block->coder == J2K_HT, piece_at, bits, &to[i]);
    }
}

/* Write the segments and pieces of a picture. */
static void write_segments(void *arg, uint32_t index)
{
    const struct segments_writing *w = arg;
    const struct j2k_gpu_place *place = &w->part->place[index];
    if (w->part->sums[index].segments > 0)
        write_segments_of(w, index, (struct j2k_work_codeword *)(void *)(w->work + w->segment_at) + place->segment);
    if (j2k_gpu_has_pieces(&w->part->sums[index]))
        kst_j2k_gpu_write_pieces(
            w->part, index, (struct j2k_work_piece *)(void *)(w->work + w->piece_at) + place->piece);
}

void kst_j2k_gpu_write_segments(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t segment_at, uint32_t piece_at)
{
    struct segments_writing writing = {part, work, segment_at, piece_at};
    kst_pool_run(threads, part->count, write_segments, &writing);
}

/* Holds the state while threads write blocks. */
struct blocks_writing {
    const struct j2k_gpu_part *part;
    struct j2k_work_block *to;
    uint32_t segment_at;
    uint32_t slices; /* number of slices of a picture */
};

/* Describes a band of a picture whose blocks are written. */
struct block_band {
    const struct j2k_band *band;
    uint32_t index, item;
    uint32_t segment_at; /* offset of the first segment of the picture */
    uint32_t at, pitch;  /* place of the band's window in the buffer of samples, and pitch */
    uint32_t x, y;       /* where the window begins */
    int32_t fraction;    /* fraction bits of most blocks' coefficients; negative: planes that are left out */
    uint32_t factor;     /* the factor for these */
    uint8_t style, contexts, roi_shift;
    bool narrow, reversible;
    bool whole; /* the window is the whole band */
};

/* Return the factor for coefficients of a band that have so many fraction bits. */
static uint32_t factor_of(const struct block_band *in, int32_t fraction)
{
    return in->reversible ? 0 : gpu_float_bits(j2k_gpu_factor_of(in->band, fraction));
}

static void describe_band(const struct blocks_writing *w, uint32_t item, uint32_t index, struct block_band *in)
{
    const struct j2k_gpu_part *part = w->part;
    const struct j2k_plan *plan = part->items[item].plan;
    const struct j2k_gpu_place *place = &part->place[item];
    const struct j2k_band *band = &plan->band[index];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    in->band = band;
    in->index = index;
    in->item = item;
    in->narrow = j2k_gpu_is_narrow(part, item, &plan->tile[band->tile_component / plan->component_count]);
    in->segment_at = w->segment_at + place->segment * WORDS(struct j2k_work_codeword);
    in->at = part->band[place->band + index] << in->narrow;
    in->pitch = j2k_gpu_width(band->window);
    in->x = band->window.x0;
    in->y = band->window.y0;
    in->style = tc->style;
    in->contexts = j2k_gpu_contexts_of(band->orientation);
    in->roi_shift = tc->roi_shift;
    in->reversible = tc->reversible;
    in->whole = j2k_same_rect(band->window, band->rect);
    in->fraction = in->reversible ? 0 : 1;
    in->factor = factor_of(in, in->fraction);
}

/* Describe the part of a block that is in the window of its band, which is not the whole band. */
static void describe_window(
    const struct block_band *in, const struct j2k_plan *plan, const struct j2k_block *block, struct j2k_work_block *to)
{
    const struct j2k_rect wanted = j2k_wanted_part(plan, block);
    to->left = (uint16_t)(wanted.x0 - block->x);
    to->top = (uint16_t)(wanted.y0 - block->y);
    to->right = (uint16_t)(wanted.x1 - block->x);
    to->bottom = (uint16_t)(wanted.y1 - block->y);
    to->to = in->at + (wanted.y0 - in->y) * in->pitch + (wanted.x0 - in->x);
}

/* Describe a block of a band. */
static inline void describe_block(
    const struct block_band *in, const struct j2k_plan *plan, const struct j2k_block *block, struct j2k_work_block *to)
{
    const uint32_t bits = j2k_magnitude_bits(block, in->roi_shift);
    const int32_t fraction = in->reversible ? -(int32_t)block->below : j2k_gpu_fraction(bits);
    to->segment = in->segment_at + block->first_segment * WORDS(struct j2k_work_codeword);
    to->segments = block->segment_count;
    to->planes = block->planes;
    to->width = to->right = block->width;
    to->height = to->bottom = block->height;
    to->style = in->style;
    to->contexts = in->contexts;
    to->roi_shift = in->roi_shift;
    to->too_deep = (int32_t)bits + fraction > J2K_GPU_BITS;
    to->fraction = fraction;
    to->factor = fraction == in->fraction ? in->factor : factor_of(in, fraction);
    to->pitch = in->pitch;
    to->narrow = in->narrow;
    to->cut = block->cut;
    to->left = to->top = 0;
    to->picture = in->item;
    to->offset = j2k_gpu_first_byte(plan, block);
    if (in->whole)
        to->to = in->at + (block->y - in->y) * in->pitch + (block->x - in->x);
    else
        describe_window(in, plan, block, to);
}

/* Fetch a record that is to be written; most records lie in two lines of a processor's cache. */
static inline void fetch_record(const struct j2k_work_block *record)
{
    __builtin_prefetch(record, 1);
    __builtin_prefetch(&record->offset, 1);
}

/* Write a slice of a picture's blocks. */
static void write_slice(void *arg, uint32_t slice)
{
    const struct blocks_writing *w = arg;
    const uint32_t item = slice / w->slices, count = w->part->items[item].plan->block_count;
    const struct j2k_plan *plan = w->part->items[item].plan;
    const struct j2k_gpu_block_place *place = &w->part->block_place[w->part->place[item].block];
    struct j2k_work_block *to = w->to;
    struct block_band in = {.band = NULL};
    uint32_t k = slice % w->slices * SLICE;
    for (const uint32_t end = count < k + SLICE ? count : k + SLICE; k < end; k++) {
        const struct j2k_block *block = &plan->block[k];
        if (k + AHEAD < end && plan->block[k + AHEAD].coder == J2K_EBCOT && place[k + AHEAD].record != J2K_NO_RECORD)
            fetch_record(&to[place[k + AHEAD].record]);
        if (block->coder != J2K_EBCOT || place[k].record == J2K_NO_RECORD)
            continue;
        if (!in.band || block->band != in.index)
            describe_band(w, item, block->band, &in);
        describe_block(&in, plan, block, &to[place[k].record]);
    }
}

void kst_j2k_gpu_write_ebcot_blocks(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t block_at, uint32_t segment_at)
{
    struct blocks_writing writing = {.part = part,
        .to = (struct j2k_work_block *)(void *)(work + block_at),
        .segment_at = segment_at,
        .slices = (j2k_gpu_most_blocks(part) + SLICE - 1) / SLICE};
    if (part->ebcot_blocks > 0)
        kst_pool_run(threads, part->count * writing.slices, write_slice, &writing);
}
