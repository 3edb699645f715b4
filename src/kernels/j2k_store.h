/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From columns of bits to coefficients in their bands: magnitudes, regions of interest (T.800 Annex H), dequantisation
 * (Annex E). A work-group takes some columns of a stripe of all of a bundle's blocks.
 */
#include "search.h"

#include "j2k_passes.h"
#include "j2k_work.h"

enum {
    STORE_GROUPS_MOST = (J2K_PLANES_MOST + J2K_HISTORY - 1) / J2K_HISTORY,
    STORE_ROOM = J2K_STORE_COLUMNS + J2K_BUNDLE /* a column more for each block, against conflicts of banks */
};

FUNCTION float as_real(u32 bits)
{
#if defined(__CUDACC__)
    return __uint_as_float(bits);
#else
    return as_float(bits);
#endif
}

FUNCTION u32 real_bits(float real)
{
#if defined(__CUDACC__)
    return __float_as_uint(real);
#else
    return as_uint(real);
#endif
}

/* What a bit in a plane is worth; 0 for planes that are left out. */
FUNCTION u32 plane_value(GLOBAL const struct work_block *block, i32 plane)
{
    i32 shift = (i32)block->roi_shift;
    i32 bit = (plane >= shift ? plane - shift : plane) + block->fraction;
    return bit >= 0 && bit < 32 ? 1u << bit : 0;
}

/* Rows of a column, as they are being put together. */
struct column_values {
    u32 inside[4], outside[4]; /* in planes at and above the region of interest's shift, and below it */
};

FUNCTION void add_planes(
    struct column_values *v, GLOBAL const struct work_block *block, u32 nibbles, u32 first, u32 end)
{
    for (u32 t = first; t < end; t++, nibbles >>= 4) {
        i32 plane = (i32)(block->planes - 1 - t);
        u32 value = plane_value(block, plane), is_inside = plane >= (i32)block->roi_shift;
        UNROLL for (u32 r = 0; r < 4; r++)
        {
            u32 part = nibbles >> r & 1 ? value : 0;
            v->inside[r] |= is_inside ? part : 0;
            v->outside[r] |= is_inside ? 0 : part;
        }
    }
}

/* Magnitude with the half step of the lowest plane that was decoded. `behind`: the last pass did not come to it. */
FUNCTION u32 biased(GLOBAL const struct work_block *block, u32 inside, u32 outside, i32 last, u32 behind)
{
    i32 plane = last + (behind ? 1 : 0);
    if (inside) {
        plane = plane < (i32)block->roi_shift ? (i32)block->roi_shift : plane;
        return inside | plane_value(block, plane) >> 1;
    }
    return outside | plane_value(block, plane) >> 1;
}

FUNCTION u32 coefficient(GLOBAL const struct work_block *block, u32 magnitude, u32 negative)
{
    i32 value = negative ? -(i32)magnitude : (i32)magnitude;
    return block->factor ? real_bits((float)value * as_real(block->factor)) : (u32)value;
}

/* Planes of four rows → those of row r, the first in bit 3: bits r, r + 4, r + 8 and r + 12. */
FUNCTION u32 row_of(u32 nibbles, u32 r)
{
    return (nibbles >> r & 0x1111u) * 0x8421u >> 12 & 15;
}

/* What a block's columns have in common. */
struct stored_planes {
    u32 begun, kept; /* planes, and groups of them that are in the history */
    u32 behind;      /* the last pass was one of significance: it did not come to what was significant before */
    i32 last;        /* plane */
};

FUNCTION struct stored_planes count_planes(GLOBAL const struct work_block *block, u32 passes)
{
    struct stored_planes p;
    p.begun = passes > 0 ? (passes + 4) / 3 : 0; /* (passes + 2) / 3 of them are complete */
    p.kept = (passes + 2) / 3 / J2K_HISTORY;
    p.behind = passes % 3 == 2;
    p.last = (i32)block->planes - (i32)p.begun;
    return p;
}

/* Magnitudes where there is no region of interest, and a word has room for all planes. */
FUNCTION void plain_magnitudes(GLOBAL const struct work_block *block, const struct stored_planes *p, u32 flags,
    LOCAL const u16 *history, u32 step, u32 *magnitude)
{
    u32 rest = J2K_HISTORY * (p->kept + 1) - p->begun;
    i32 shift = p->last + block->fraction;
    UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] = 0;
    for (u32 g = 0; g < p->kept; g++) {
        UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] = magnitude[r] << 4 | row_of(history[g * step], r);
    }
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 bits = (magnitude[r] << 4 | row_of(flags >> COLUMN_PLANES, r)) >> rest;
        i32 place = shift + (p->behind && !(flags >> (8 + r) & 1) ? 1 : 0);
        bits = shift >= 0 ? bits << shift : bits >> -shift;
        magnitude[r] = bits | (place > 0 ? 1u << (place - 1) : 0);
    }
}

FUNCTION void all_magnitudes(GLOBAL const struct work_block *block, const struct stored_planes *p, u32 flags,
    LOCAL const u16 *history, u32 step, u32 *magnitude)
{
    struct column_values v;
    UNROLL for (u32 r = 0; r < 4; r++) v.inside[r] = v.outside[r] = 0;
    for (u32 g = 0; g < p->kept; g++)
        add_planes(&v, block, history[g * step], g * J2K_HISTORY, (g + 1) * J2K_HISTORY);
    add_planes(&v, block, flags >> COLUMN_PLANES, p->kept * J2K_HISTORY, p->begun);
    UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] =
        biased(block, v.inside[r], v.outside[r], p->last, p->behind && !(flags >> (8 + r) & 1));
}

/* A column of a block: `word` and `history` are its own in the group's memory, planes `step` apart. */
FUNCTION void store_column(GLOBAL const struct work_block *block, u32 passes, LOCAL const u32 *word,
    LOCAL const u16 *history, u32 step, u32 x, u32 y, GLOBAL u32 *samples)
{
    u32 magnitude[4], flags = passes > 0 ? *word : 0;
    struct stored_planes p = count_planes(block, passes);
    if (block->roi_shift == 0 && block->planes < 29)
        plain_magnitudes(block, &p, flags, history, step, magnitude);
    else
        all_magnitudes(block, &p, flags, history, step, magnitude);
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 row = y + r;
        if (x >= block->left && x < block->right && row >= block->top && row < block->bottom)
            samples[block->to + (row - block->top) * block->pitch + (x - block->left)] =
                coefficient(block, flags >> r & 1 ? magnitude[r] : 0, flags >> (4 + r) & 1);
    }
}

/* Columns of a stripe to the group's memory, block by block, `pitch` apart; `bundle` has them lane by lane. */
FUNCTION void load_columns(GLOBAL const struct work_bundle *bundle, GLOBAL const u32 *states, u32 first, u32 count,
    u32 pitch, LOCAL u32 *words, LOCAL u16 *history)
{
    u32 columns = bundle->width * bundle->stripes, lanes = bundle->lanes;
    u32 chunks = (bundle->width + J2K_CHUNK - 1) / J2K_CHUNK;
    GLOBAL const u32 *from = states + bundle->state + first * lanes;
    GLOBAL const u16 *kept =
        (GLOBAL const u16 *)(states + bundle->state + (columns + bundle->stripes * chunks * J2K_EDGES) * lanes) +
        first * lanes;
    for (u32 i = local_index(); i < count * lanes; i += J2K_STORE_GROUP) {
        u32 lane = i & (lanes - 1), to = lane * pitch + i / lanes;
        words[to] = lane < bundle->blocks ? from[i] : 0;
        for (u32 g = 0; g < bundle->history; g++)
            history[g * STORE_ROOM + to] = lane < bundle->blocks ? kept[g * columns * lanes + i] : 0;
    }
}

KERNEL(J2K_STORE_GROUP)
store_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT states, GLOBAL const u32 *RESTRICT passes,
    GLOBAL u32 *RESTRICT samples)
{
    SHARED u32 words[STORE_ROOM];
    SHARED u16 history[STORE_GROUPS_MOST * STORE_ROOM];
    GLOBAL const struct j2k_batch_work *head = (GLOBAL const struct j2k_batch_work *)work;
    GLOBAL const u32 *list = work + head->store_groups;
    u32 index = find_owner(list, head->bundles, group_index());
    GLOBAL const struct work_bundle *bundle = (GLOBAL const struct work_bundle *)(work + head->bundle) + index;
    u32 columns = J2K_STORE_COLUMNS / bundle->lanes, across = (bundle->width + columns - 1) / columns;
    u32 group = group_index() - list[index], stripe = group / across, x0 = group % across * columns;
    u32 count = bundle->width - x0 < columns ? bundle->width - x0 : columns;
    load_columns(bundle, states, stripe * bundle->width + x0, count, columns + 1, words, history);
    barrier_local();
    for (u32 i = local_index(); i < bundle->blocks * columns; i += J2K_STORE_GROUP) {
        u32 lane = i / columns, column = i & (columns - 1), at = lane * (columns + 1) + column;
        GLOBAL const struct work_block *block =
            (GLOBAL const struct work_block *)(work + head->block) + bundle->block + lane;
        if (x0 + column < block->width && 4 * stripe < block->height)
            store_column(block, passes[bundle->block + lane], words + at, history + at, STORE_ROOM, x0 + column,
                4 * stripe, samples);
    }
}
