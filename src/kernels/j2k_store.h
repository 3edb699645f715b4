/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From words of bits to coefficients in their bands: magnitudes, regions of interest (T.800 Annex H), dequantisation
 * (Annex E). A work-group takes some words of all of a bundle's blocks.
 */
#include "search.h"

#include "j2k_passes.h"
#include "j2k_work.h"

enum { STORE_COLUMNS = J2K_STORE_WORDS * J2K_WORD_COLUMNS, PLANES_AT_ONCE = 4 };

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

/* A word's bits in the group's memory: `planes` are J2K_STORE_WORDS apart. */
struct stored_word {
    LOCAL const u32x2 *marks;
    LOCAL const u32 *visited, *planes;
};

/* Up to four planes from number `first` on of the column that starts with a bit, the first in the lowest four bits. */
FUNCTION u32 column_planes(const struct stored_word *word, u32 bit, u32 first, u32 end)
{
    u32 nibbles = 0;
    UNROLL for (u32 k = 0; k < PLANES_AT_ONCE; k++) if (first + k < end) nibbles |=
        (word->planes[(first + k) * J2K_STORE_WORDS] >> bit & 15) << 4 * k;
    return nibbles;
}

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

/* What a block's words have in common. */
struct stored_planes {
    u32 begun;  /* planes */
    u32 behind; /* the last pass was one of significance: it did not come to what was significant before */
    i32 last;   /* plane */
};

FUNCTION struct stored_planes count_planes(GLOBAL const struct work_block *block, u32 passes)
{
    struct stored_planes p;
    p.begun = passes > 0 ? (passes + 4) / 3 : 0;
    p.behind = passes % 3 == 2;
    p.last = (i32)block->planes - (i32)p.begun;
    return p;
}

/* Magnitudes of the column that starts with a bit, where there is no region of interest, and a word has room for all
 * planes. `visited`: which of its rows the last significance pass came to. */
FUNCTION void plain_magnitudes(GLOBAL const struct work_block *block, const struct stored_planes *p,
    const struct stored_word *word, u32 bit, u32 visited, u32 *magnitude)
{
    u32 first = 0;
    i32 shift = p->last + block->fraction;
    UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] = 0;
    for (; first < p->begun; first += PLANES_AT_ONCE) {
        u32 nibbles = column_planes(word, bit, first, p->begun);
        UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] = magnitude[r] << 4 | row_of(nibbles, r);
    }
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 bits = magnitude[r] >> (first - p->begun);
        i32 place = shift + (p->behind && !(visited >> r & 1) ? 1 : 0);
        bits = shift >= 0 ? bits << shift : bits >> -shift;
        magnitude[r] = bits | (place > 0 ? 1u << (place - 1) : 0);
    }
}

FUNCTION void all_magnitudes(GLOBAL const struct work_block *block, const struct stored_planes *p,
    const struct stored_word *word, u32 bit, u32 visited, u32 *magnitude)
{
    struct column_values v;
    UNROLL for (u32 r = 0; r < 4; r++) v.inside[r] = v.outside[r] = 0;
    for (u32 first = 0; first < p->begun; first += PLANES_AT_ONCE)
        add_planes(&v, block, column_planes(word, bit, first, p->begun), first,
            p->begun - first < PLANES_AT_ONCE ? p->begun : first + PLANES_AT_ONCE);
    UNROLL for (u32 r = 0; r < 4; r++) magnitude[r] =
        biased(block, v.inside[r], v.outside[r], p->last, p->behind && !(visited >> r & 1));
}

/* The column of a word that starts with a bit; x, y: its first row's place in the block. */
FUNCTION void store_column(GLOBAL const struct work_block *block, u32 passes, const struct stored_word *word, u32 bit,
    u32 x, u32 y, GLOBAL u32 *samples)
{
    u32 magnitude[4], significant = passes > 0 ? word->marks->x >> bit : 0;
    u32 negative = passes > 0 ? word->marks->y >> bit : 0;
    struct stored_planes p = count_planes(block, passes);
    u32 visited = p.behind ? *word->visited >> bit : 0;
    if (block->roi_shift == 0 && block->planes < 29)
        plain_magnitudes(block, &p, word, bit, visited, magnitude);
    else
        all_magnitudes(block, &p, word, bit, visited, magnitude);
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 row = y + r;
        if (x >= block->left && x < block->right && row >= block->top && row < block->bottom)
            samples[block->to + (row - block->top) * block->pitch + (x - block->left)] =
                coefficient(block, significant >> r & 1 ? magnitude[r] : 0, negative >> r & 1);
    }
}

/* Of the words of all stripes those from number `first` on, to the group's memory. See first_of(). */
FUNCTION void load_words(GLOBAL const struct work_bundle *bundle, GLOBAL const u32 *states, u32 first, u32 all,
    LOCAL u32x2 *marks, LOCAL u32 *visited, LOCAL u32 *planes)
{
    u32 lanes = bundle->lanes, room = all + lanes;
    GLOBAL const u32x2 *from = (GLOBAL const u32x2 *)(GLOBAL const void *)(states + bundle->state) + 2 * lanes;
    GLOBAL const u32 *words = states + bundle->state + 4 * room + lanes;
    for (u32 i = local_index(); i < J2K_STORE_WORDS; i += J2K_STORE_GROUP)
        if (first + i < all && (i & (lanes - 1)) < bundle->blocks) {
            marks[i] = from[2 * (first + i)];
            visited[i] = words[first + i];
        }
    for (u32 i = local_index(); i < bundle->history * J2K_STORE_WORDS; i += J2K_STORE_GROUP) {
        u32 word = i & (J2K_STORE_WORDS - 1), plane = i / J2K_STORE_WORDS;
        if (first + word < all && (word & (lanes - 1)) < bundle->blocks)
            planes[i] = words[(2 + plane) * room + first + word];
    }
}

KERNEL(J2K_STORE_GROUP)
store_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT states, GLOBAL const u32 *RESTRICT passes,
    GLOBAL u32 *RESTRICT samples)
{
    SHARED u32x2 marks[J2K_STORE_WORDS];
    SHARED u32 visited[J2K_STORE_WORDS];
    SHARED u32 planes[J2K_PLANES_MOST * J2K_STORE_WORDS];
    GLOBAL const struct j2k_batch_work *head = (GLOBAL const struct j2k_batch_work *)work;
    GLOBAL const u32 *list = work + head->store_groups;
    u32 index = find_owner(list, head->bundles, group_index());
    GLOBAL const struct work_bundle *bundle = (GLOBAL const struct work_bundle *)(work + head->bundle) + index;
    u32 lanes = bundle->lanes, pitch = J2K_PITCH(bundle->width),
        first = (group_index() - list[index]) * J2K_STORE_WORDS, columns = STORE_COLUMNS / lanes;
    load_words(bundle, states, first, pitch * bundle->stripes * lanes, marks, visited, planes);
    barrier_local();
    for (u32 i = local_index(); i < bundle->blocks * columns; i += J2K_STORE_GROUP) {
        u32 lane = i / columns, column = i & (columns - 1), at = column / J2K_WORD_COLUMNS * lanes + lane;
        u32 word = (first + at) / lanes, x = word % pitch * J2K_WORD_COLUMNS + column % J2K_WORD_COLUMNS;
        GLOBAL const struct work_block *block =
            (GLOBAL const struct work_block *)(work + head->block) + bundle->block + lane;
        struct stored_word stored;
        stored.marks = marks + at;
        stored.visited = visited + at;
        stored.planes = planes + at;
        if (x < block->width && 4 * (word / pitch) < block->height)
            store_column(block, passes[bundle->block + lane], &stored, 4 * (column % J2K_WORD_COLUMNS), x,
                4 * (word / pitch), samples);
    }
}
