/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a code-block's bytes to coefficients, in its band's resident rows or elsewhere. */
#include <math.h>
#include <string.h>

#include "j2k/cpu/tile.h"
#include "j2k/plan/range.h"
#include "j2k/syntax/geometry.h"

enum { BITS = 31 };

/*
 * Return the number of bytes of a segment that its passes can reach. Bytes after that have no effect, however many
 * there are.
 */
static uint32_t reach_of(const struct j2k_block_functions *coder, const struct j2k_segment *segment)
{
    uint32_t most = segment->passes * coder->pass_bytes + coder->bytes_ahead;
    return segment->length < most ? (uint32_t)segment->length : most;
}

static bool make_room(struct j2k_decoding *decoding, struct j2k_worker *worker, size_t length)
{
    if (length <= worker->joined_length)
        return true;
    kst_memory_release(decoding->memory, worker->joined);
    worker->joined = kst_j2k_cpu_take(decoding, length, 1, false);
    worker->joined_length = worker->joined ? length : 0;
    return worker->joined;
}

/* Return the total length of the segments that come in several pieces. */
static size_t joined_length(
    const struct j2k_block_functions *coder, const struct j2k_plan *plan, const struct j2k_block *block)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        sum += segment->piece_count > 1 ? reach_of(coder, segment) : 0;
    }
    return sum;
}

static void join_pieces(const struct j2k_block_functions *coder, const struct j2k_plan *plan,
    const struct j2k_segment *segment, uint8_t *to)
{
    const struct j2k_piece *piece = &plan->piece[segment->first_piece];
    for (uint32_t left = reach_of(coder, segment); left > 0; piece++) {
        uint32_t length = piece->length < left ? piece->length : left;
        memcpy(to, plan->data + piece->offset, length);
        to += length;
        left -= length;
    }
}

/* Make each segment of a block consecutive: a segment in one piece is used in place, others are copied. */
static bool gather(struct j2k_decoding *decoding, struct j2k_worker *worker, const struct j2k_block_functions *coder,
    const struct j2k_block *block)
{
    const struct j2k_plan *plan = decoding->plan;
    size_t at = 0;
    if (!make_room(decoding, worker, joined_length(coder, plan, block)))
        return false;
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        struct j2k_codeword *codeword = &worker->codeword[i];
        codeword->length = reach_of(coder, segment);
        codeword->passes = segment->passes;
        codeword->data = plan->data; /* any valid address, for segments without bytes */
        if (segment->piece_count == 0)
            continue;
        const struct j2k_piece *piece = &plan->piece[segment->first_piece];
        if (segment->piece_count == 1) {
            codeword->data = plan->data + piece->offset;
            continue;
        }
        codeword->data = worker->joined + at;
        join_pieces(coder, plan, segment, worker->joined + at);
        at += codeword->length;
    }
    return true;
}

/* Count a damaged block, unless another decode whose region needs the block already has. */
static void count_damage(struct j2k_decoding *decoding, const struct j2k_block *block)
{
    const struct j2k_rect *shown = decoding->plan->shown;
    const struct j2k_segment *segment = &decoding->plan->segment[block->first_segment];
    uint64_t offset = UINT64_MAX;
    if (kst_j2k_needs_block(decoding->plan, shown[0], block) || kst_j2k_needs_block(decoding->plan, shown[1], block))
        return;
    for (uint32_t i = 0; i < block->segment_count && offset == UINT64_MAX; i++)
        if (segment[i].piece_count)
            offset = decoding->plan->piece[segment[i].first_piece].offset;
    atomic_fetch_add(&decoding->damaged, 1);
    uint_fast64_t least = atomic_load(&decoding->damage_offset);
    while (offset < least && !atomic_compare_exchange_weak(&decoding->damage_offset, &least, offset))
        continue;
}

/* Store the rows of one part of a block: its first ones, or those that continue elsewhere. */
static void store_rows(const struct j2k_decoding *decoding, const struct j2k_indices *indices, bool reversible,
    float factor, const struct j2k_destination *to, void *samples)
{
    if (to->narrow)
        decoding->steps.store_narrow(indices, samples, to->pitch);
    else if (reversible)
        decoding->steps.store_integers(indices, samples, to->pitch);
    else
        decoding->steps.store_reals(indices, factor, samples, to->pitch);
}

static void store(const struct j2k_decoding *decoding, const struct j2k_worker *worker, const struct j2k_block *block,
    bool reversible, float factor, const struct j2k_destination *to)
{
    const struct j2k_rect part = j2k_wanted_part(decoding->plan, block);
    uint32_t height = part.y1 - part.y0;
    struct j2k_indices indices = {
        .from = worker->scratch.sample + (size_t)(part.y0 - block->y) * block->width + (to->x0 - block->x),
        .pitch = block->width,
        .width = to->x1 - to->x0,
        .height = height < to->rows ? height : to->rows};
    store_rows(decoding, &indices, reversible, factor, to, to->samples);
    if (height <= to->rows)
        return;
    indices.from += (size_t)to->rows * block->width;
    indices.height = height - to->rows;
    store_rows(decoding, &indices, reversible, factor, to, to->further);
}

void kst_j2k_cpu_decode_block(struct j2k_decoding *decoding, struct j2k_worker *worker, const struct j2k_block *block,
    const struct j2k_destination *to, uint32_t count)
{
    const struct j2k_band *band = &decoding->plan->band[block->band];
    const struct j2k_tile_component *tc = &decoding->plan->tile_component[band->tile_component];
    const struct j2k_block_functions *coder = kst_j2k_cpu_block_functions(block->coder);
    if (!gather(decoding, worker, coder, block))
        return;
    int32_t room = BITS - (int32_t)j2k_magnitude_bits(block, tc->roi_shift);
    struct j2k_coded_block coded = {.width = block->width,
        .height = block->height,
        .orientation = band->orientation,
        .style = tc->style,
        .cut = block->cut,
        .missing = block->missing,
        .planes = block->planes,
        .roi_shift = tc->roi_shift,
        .fraction = tc->reversible ? 0
                    : room < 1     ? room
                                   : 1,
        .codeword_count = block->segment_count,
        .codewords = worker->codeword};
    if (coder->decode(&worker->scratch, decoding->tier, &coded))
        count_damage(decoding, block);
    for (uint32_t i = 0; i < count; i++)
        store(decoding, worker, block, tc->reversible, ldexpf(band->step, -coded.fraction), &to[i]);
}

/* Find where the coefficients of a block go that a lane depends on. Returns false if there are none. */
static bool find_place(const struct j2k_decode_set *set, const struct j2k_decoded_component *c,
    const struct j2k_block *block, uint32_t lane, struct j2k_destination *to)
{
    const struct j2k_rect part = j2k_wanted_part(set->decoding->plan, block);
    const uint32_t index = block->band - c->resolution->first_band, r = (index + 2) / 3;
    const struct j2k_lane_columns columns =
        kst_j2k_cpu_lane_of_band(set, c, r, block->band - c->resolution[r].first_band, lane);
    const struct j2k_resident *resident = &c->band[index];
    to->x0 = part.x0 > columns.x0 ? part.x0 : columns.x0;
    to->x1 = part.x1 < columns.x1 ? part.x1 : columns.x1;
    if (to->x0 >= to->x1)
        return false;
    const size_t left = (to->x0 - columns.x0) * resident->size;
    to->samples = (uint8_t *)j2k_resident_row(resident, lane, part.y0) + left;
    to->pitch = resident->pitch;
    to->narrow = set->narrow;
    to->rows = j2k_resident_left(resident, part.y0);
    to->further = resident->data + lane * resident->lane + left;
    return true;
}

void kst_j2k_cpu_decode_one(const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t index)
{
    struct j2k_decoding *decoding = set->decoding;
    const struct j2k_block *block = &decoding->plan->block[set->order[index]];
    const uint32_t tile_component = decoding->plan->band[block->band].tile_component;
    const struct j2k_decoded_component *c = &set->component[tile_component - set->tile->first_component - set->first];
    struct j2k_destination to[J2K_LANES_MAX];
    uint32_t count = 0;
    int none = KST_OK;
    for (uint32_t lane = 0; lane < set->lanes.count; lane++)
        count += find_place(set, c, block, lane, &to[count]);
    kst_j2k_cpu_decode_block(decoding, worker, block, to, count);
    if (decoding->progress && !kst_progress_add(decoding->progress, 1))
        atomic_compare_exchange_strong(&decoding->status, &none, KST_ERROR_CANCELLED);
}
