/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says which kernels decode and encode T.814 code-blocks and how much room these need, and describes the blocks to
 * them.
 */
#include <math.h>

#include "device/float_bits.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/job.h"
#include "j2k/gpu/part.h"
#include "j2k/plan/range.h"
#include "j2k/syntax/geometry.h"
#include "j2k/tables/ht.h"

enum {
    PLANES_MOST = 62, /* a block with more planes is damaged, as on the CPU */
    WARPS_A_UNIT = 4,
    SLICE = 8192 /* blocks that a thread writes at once; calling one takes as long as thousands of blocks */
};

/* Holds the last HT set of a block whose cleanup pass has bytes. */
struct set {
    const struct j2k_segment *cleanup, *refinement; /* null: the block has no such segment */
    uint32_t passes;
    uint32_t plane; /* bit-plane of the cleanup pass */
};

static struct set choose_any_set(const struct j2k_block *block, const struct j2k_segment *segment)
{
    struct set set = {NULL, NULL, 0, 0};
    uint32_t pass = 0;
    for (uint32_t i = 0; i < block->segment_count; i++, segment++) {
        pass += segment->passes;
        if (pass % 3 == 1 && segment->length > 0) {
            set = (struct set){segment, NULL, 1, block->planes - 1 - pass / 3};
        } else if (pass % 3 != 1 && set.cleanup && segment == set.cleanup + 1) {
            set.refinement = segment;
            set.passes += segment->passes;
        }
    }
    return set;
}

static inline struct set choose_set(const struct j2k_plan *plan, const struct j2k_block *block)
{
    const struct j2k_segment *segment = &plan->segment[block->first_segment];
    if (block->segment_count > 1)
        return choose_any_set(block, segment);
    if (segment->passes == 1 && segment->length > 0) /* true for most blocks */
        return (struct set){segment, NULL, 1, block->planes - 1U};
    if (segment->passes % 3 != 1 || segment->length == 0)
        return (struct set){NULL, NULL, 0, 0};
    return (struct set){segment, NULL, 1, block->planes - 1U - segment->passes / 3U};
}

/*
 * Return whether magnitudes, including their fraction bits, have more bits than the kernels support. The result is the
 * same for all blocks of a band, because T.814 blocks may have bits in all of its planes.
 */
static bool is_too_deep(const struct j2k_plan *plan, const struct j2k_block *block, int32_t fraction)
{
    uint32_t bits = j2k_magnitude_bits(block, j2k_gpu_component_of(plan, block)->roi_shift);
    return (int32_t)bits + fraction > J2K_GPU_BITS || block->missing + block->planes > PLANES_MOST;
}

static bool are_lengths_possible(const struct set *set)
{
    uint64_t refinement = set->refinement ? set->refinement->length : 0;
    return set->cleanup->length >= J2K_HT_SUFFIX_LEAST && set->cleanup->length <= J2K_HT_CLEANUP_MOST &&
           refinement <= J2K_HT_REFINEMENT_MOST;
}

/* Return the most bits that a magnitude may have in the cleanup pass. */
static uint32_t bits_of(const struct j2k_block *block, const struct set *set)
{
    return (uint32_t)block->missing + block->planes - set->plane;
}

/* A cleanup pass must be in one packet, so that its bytes are contiguous. */
static inline bool can_decode(const struct j2k_plan *plan, const struct j2k_block *block, const struct set *set)
{
    return !set->cleanup ||
           (set->cleanup->piece_count == 1 &&
               (bits_of(block, set) <= J2K_GPU_BITS || is_too_deep(plan, block, kst_j2k_gpu_fraction_of(plan, block))));
}

/*
 * Return the number of words of a block's state, a multiple of four: a word for each quad, and with three passes, one
 * for each sample.
 */
static inline uint32_t words_of(const struct j2k_block *block, uint32_t passes)
{
    uint32_t words = J2K_QUAD_PITCH((block->width + 1U) / 2) * ((block->height + 1U) / 2);
    if (passes > 2)
        words += (uint32_t)block->width * block->height;
    return (words + 3) / 4 * 4;
}

/* Return the number of passes that are decoded, or 1 if none are. */
static inline uint32_t passes_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    return block->segment_count > 1 ? choose_set(plan, block).passes : 1;
}

static bool add_words(
    const struct j2k_plan *plan, const struct j2k_block *block, uint32_t count, struct j2k_gpu_block_words *words)
{
    struct j2k_gpu_block_words sum = *words;
    bool fine = true;
    for (; count > 0 && fine; count--, block++) {
        const struct set set = choose_set(plan, block);
        sum.states += words_of(block, set.passes);
        sum.bits += j2k_gpu_ht_bit_words(block);
        fine = can_decode(plan, block, &set);
    }
    *words = sum;
    return fine;
}

void kst_j2k_gpu_add_ht_blocks(
    const struct j2k_plan *plan, struct j2k_gpu_block_place *places, struct j2k_gpu_sums *sums)
{
    uint64_t states = 0;
    for (uint32_t k = 0; k < plan->block_count; k++) {
        const struct j2k_block *block = &plan->block[k];
        if (block->coder != J2K_HT)
            continue;
        const uint32_t passes = passes_of(plan, block);
        places[k].state = (uint32_t)states;
        sums->refined += passes > 1;
        states += words_of(block, passes);
    }
    sums->ht_states = states;
}

bool kst_j2k_gpu_place_ht_blocks(struct j2k_gpu_part *part)
{
    uint64_t states = part->states;
    for (uint32_t i = 0; i < part->count; i++) {
        part->place[i].ht_state = (uint32_t)states;
        part->refined += part->sums[i].refined;
        states += part->sums[i].ht_states;
        if (states > UINT32_MAX / 2)
            return false;
    }
    part->states = (uint32_t)states;
    return true;
}

uint32_t kst_j2k_gpu_choose_ht_lanes(uint32_t blocks, const struct j2k_gpu_wish *wish)
{
    return wish->lanes ? wish->lanes
                       : kst_j2k_gpu_choose_lanes(blocks, wish->units * WARPS_A_UNIT / (wish->beside + 1));
}

/* Holds the state while threads write the blocks of a part. */
struct ht_writing {
    const struct j2k_gpu_part *part;
    const uint32_t *work;
    uint32_t piece_at;
    struct j2k_work_ht_block *to;
    uint32_t slices; /* number of slices of a picture */
};

/* Describes a band of a picture whose blocks are written. */
struct ht_band {
    struct j2k_work_ht_block common; /* members that are the same for all blocks of the band */
    struct j2k_rect window;
    uint32_t at;   /* place of the band's window in the buffer of samples */
    bool whole;    /* the window is the whole band */
    uint8_t below; /* `below` of the block that `common` and `too_deep` are for; see struct j2k_block */
    bool too_deep;
};

/* Set the members that depend on how many planes of a block's indices are left out. */
static void set_below(struct ht_band *band, const struct j2k_plan *plan, const struct j2k_block *block)
{
    band->common.fraction = kst_j2k_gpu_fraction_of(plan, block);
    band->below = block->below;
    band->too_deep = is_too_deep(plan, block, band->common.fraction);
}

/* Describe the band of a block. */
static void describe_band(
    const struct j2k_gpu_part *part, uint32_t item, const struct j2k_block *block, struct ht_band *in)
{
    const struct j2k_plan *plan = part->items[item].plan;
    const struct j2k_band *band = &plan->band[block->band];
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const bool indices = j2k_gpu_has_indices(part, item, block->band);
    const bool narrow = indices || j2k_gpu_is_narrow(part, item, j2k_gpu_tile_of(plan, block));
    in->common.roi_shift = tc->roi_shift;
    in->common.causal = (tc->style & J2K_STYLE_CAUSAL) != 0;
    in->common.pitch = j2k_gpu_width(band->window);
    in->common.narrow = narrow;
    in->common.picture = item;
    in->common.offset = UINT32_MAX;
    in->window = band->window;
    in->at = part->band[part->place[item].band + block->band] << narrow;
    in->whole = j2k_same_rect(band->window, band->rect);
    set_below(in, plan, block);
    in->common.factor = tc->reversible || indices ? 0 : gpu_float_bits(j2k_gpu_factor_of(band, in->common.fraction));
}

/*
 * Describe the HT set of a block. If parts of the stream were not uploaded, the records of pieces say where the set's
 * bytes are.
 */
static void describe_any_set(const struct ht_writing *w, const struct ht_band *band, uint32_t item,
    const struct j2k_block *block, struct j2k_work_ht_block *to)
{
    const struct j2k_gpu_place *place = &w->part->place[item];
    const struct j2k_work_piece *piece =
        (const struct j2k_work_piece *)(const void *)(w->work + w->piece_at) + place->piece;
    const struct j2k_plan *plan = w->part->items[item].plan;
    const struct set set = choose_set(plan, block);
    if (block->length > 0)
        to->offset = j2k_gpu_first_byte(plan, block);
    to->passes = (uint16_t)set.passes;
    if (!set.cleanup)
        return;
    to->broken = band->too_deep || !are_lengths_possible(&set);
    to->from = place->runs > 0 ? piece[set.cleanup->first_piece].offset
                               : place->stream + (uint32_t)plan->piece[set.cleanup->first_piece].offset;
    to->length = (uint32_t)set.cleanup->length;
    to->bits = (uint16_t)bits_of(block, &set);
    to->plane = (uint16_t)set.plane;
    if (!set.refinement)
        return;
    to->piece =
        w->piece_at + (place->piece + set.refinement->first_piece) * (uint32_t)(sizeof *piece / sizeof *w->work);
    to->pieces = set.refinement->piece_count;
    to->refinement = (uint32_t)set.refinement->length;
}

/* Do the same, faster for most blocks, which have a single pass, whose bytes are at their place in the stream. */
static inline void describe_set(const struct ht_writing *w, const struct ht_band *band, uint32_t item,
    const struct j2k_block *block, struct j2k_work_ht_block *to)
{
    const struct j2k_gpu_place *place = &w->part->place[item];
    const struct j2k_plan *plan = w->part->items[item].plan;
    const struct j2k_segment *segment = &plan->segment[block->first_segment];
    if (block->segment_count > 1 || segment->passes > 1 || segment->length == 0 || place->runs > 0) {
        describe_any_set(w, band, item, block, to);
        return;
    }
    const struct set set = {segment, NULL, 1, block->planes - 1U};
    const uint32_t offset = (uint32_t)plan->piece[segment->first_piece].offset;
    to->offset = offset;
    to->from = place->stream + offset;
    to->length = (uint32_t)segment->length;
    to->passes = 1;
    to->broken = band->too_deep || !are_lengths_possible(&set);
    to->bits = (uint16_t)(block->missing + 1);
    to->plane = (uint16_t)set.plane;
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Describe the part of a block that is in the window of its band. */
static inline void describe_window(
    const struct ht_band *band, const struct j2k_block *block, struct j2k_work_ht_block *to)
{
    const struct j2k_rect window = band->window;
    const uint32_t x0 = larger(block->x, window.x0), y0 = larger(block->y, window.y0);
    to->left = (uint16_t)(x0 - block->x);
    to->top = (uint16_t)(y0 - block->y);
    to->right = (uint16_t)(smaller(block->x + block->width, window.x1) - block->x);
    to->bottom = (uint16_t)(smaller(block->y + block->height, window.y1) - block->y);
    to->to = band->at + (y0 - window.y0) * band->common.pitch + (x0 - window.x0);
}

/* Describe a block of a band. */
static inline void describe_block(
    const struct ht_writing *w, struct ht_band *band, uint32_t item, uint32_t index, struct j2k_work_ht_block *to)
{
    const struct j2k_gpu_part *part = w->part;
    const struct j2k_plan *plan = part->items[item].plan;
    const struct j2k_gpu_place *place = &part->place[item];
    const struct j2k_block *block = &plan->block[index];
    if (block->below != band->below)
        set_below(band, plan, block);
    *to = band->common;
    to->state = place->ht_state + part->block_place[place->block + index].state;
    to->width = to->right = block->width;
    to->height = to->bottom = block->height;
    if (band->whole)
        to->to = band->at + (block->y - band->window.y0) * band->common.pitch + (block->x - band->window.x0);
    else
        describe_window(band, block, to);
    describe_set(w, band, item, block, to);
}

/*
 * Return the place of a block's record; J2K_NO_RECORD: it has none. Without a list, records are in the order of the
 * plans.
 */
static uint32_t find_record(const struct j2k_gpu_part *part, uint32_t item, uint32_t index)
{
    const uint32_t at = part->place[item].block + index;
    if (!part->entry)
        return at;
    return part->items[item].plan->block[index].coder == J2K_HT ? part->block_place[at].record : J2K_NO_RECORD;
}

/* Write a slice of a picture's blocks, in the order of the plan, where the blocks of a band follow each other. */
static void write_slice(void *arg, uint32_t slice)
{
    const struct ht_writing *w = arg;
    const uint32_t item = slice / w->slices, count = w->part->items[item].plan->block_count;
    const struct j2k_plan *plan = w->part->items[item].plan;
    struct ht_band described = {.at = 0};
    uint32_t band = UINT32_MAX, k = slice % w->slices * SLICE;
    for (const uint32_t end = count < k + SLICE ? count : k + SLICE; k < end; k++) {
        const struct j2k_block *block = &plan->block[k];
        const uint32_t at = find_record(w->part, item, k);
        if (at == J2K_NO_RECORD)
            continue;
        if (block->band != band)
            describe_band(w->part, item, block, &described);
        band = block->band;
        describe_block(w, &described, item, k, &w->to[at]);
    }
}

void kst_j2k_gpu_write_ht_blocks(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t block_at, uint32_t piece_at)
{
    struct ht_writing writing = {.part = part,
        .work = work,
        .piece_at = piece_at,
        .to = (struct j2k_work_ht_block *)(void *)(work + block_at),
        .slices = (j2k_gpu_most_blocks(part) + SLICE - 1) / SLICE};
    if (part->blocks > part->ebcot_blocks)
        kst_pool_run(threads, part->count * writing.slices, write_slice, &writing);
}

static void decode(struct j2k_gpu_job *job)
{
    const struct j2k_gpu_part *part = &job->part;
    const uint32_t blocks = part->blocks - part->ebcot_blocks + part->gaps;
    const uint32_t together = J2K_QUAD_GROUP / J2K_BUNDLE * part->ht_lanes; /* blocks of a work-group */
    if (blocks == 0)
        return;
    kst_gpu_launch_buffers(&job->track->queue, job->built, J2K_KERNEL_QUADS, (blocks + together - 1) / together,
        job->buffer, GPU_BUFFERS(J2K_WORK, J2K_STREAM, J2K_STATES, J2K_PASSES));
    kst_gpu_launch_buffers(&job->track->queue, job->built, J2K_KERNEL_QUAD_SAMPLES, blocks, job->buffer,
        GPU_BUFFERS(J2K_WORK, J2K_STREAM, J2K_STATES, J2K_PASSES, J2K_SAMPLES, J2K_DAMAGE));
    if (part->refined > 0)
        kst_gpu_launch_buffers(&job->track->queue, job->built, J2K_KERNEL_REFINE, blocks, job->buffer,
            GPU_BUFFERS(J2K_WORK, J2K_STREAM, J2K_STATES, J2K_PASSES, J2K_SAMPLES));
}

/* T.814 blocks have no flights: their passes follow each other. */
static uint32_t choose_flights(const struct j2k_tile_component *tc, uint64_t bytes)
{
    (void)tc;
    (void)bytes;
    return 0;
}

/*
 * By default there is room for one bit of each sample for each plane, and one for its sign, plus an eighth. Blocks that
 * take more are coded again with ample room: MagSgn takes at most 32 bits for a sample, and a stuffed bit for 15 of
 * these; MEL and VLC together take less than 8 bytes for a pair of quads.
 */
static uint32_t block_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample)
{
    enum { AROUND = 64, PAIR_BYTES = 8 };
    const uint64_t samples = (uint64_t)block->width * block->height;
    const uint64_t pairs = (uint64_t)((block->width + 3U) / 4) * ((block->height + 1U) / 2);
    uint64_t bytes = samples * (plan->band[block->band].planes + 2U) * 9 / 64 + AROUND;
    if (ample)
        bytes = 4 * samples * 16 / 15 + PAIR_BYTES * pairs + AROUND;
    return (uint32_t)((bytes + 3) / 4 * 4);
}

/* Samples are coded without decisions. */
static uint32_t decision_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample)
{
    (void)plan;
    (void)block;
    (void)ample;
    return 0;
}

const struct j2k_gpu_block_coder kst_j2k_gpu_ht = {.add_words = add_words,
    .decode = decode,
    .flights = choose_flights,
    .code = J2K_ENCODE_CODE_HT,
    .at_once = true,
    .most_passes = 1,
    .block_room = block_room,
    .decision_room = decision_room};
