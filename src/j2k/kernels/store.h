/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns words of bits into coefficients of bands: magnitudes, regions of interest (T.800 Annex H), dequantisation
 * (Annex E). A work-item takes a word.
 */
#include "kernels/search.h"

#include "j2k/kernels/passes.h"
#include "j2k/kernels/work.h"

enum { PLANES_AT_ONCE = 4 };

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

/* Return the value of a bit in a plane; 0 if the plane is left out. */
FUNCTION u32 plane_value(GLOBAL const struct j2k_work_block *block, i32 plane)
{
    i32 shift = (i32)block->roi_shift;
    i32 bit = (plane >= shift ? plane - shift : plane) + block->fraction;
    return bit >= 0 && bit < 32 ? 1u << bit : 0;
}

/* Holds the magnitudes of a column's rows while they are assembled. */
struct column_values {
    /* The first is made of planes at and above the shift of the region of interest, the second of planes below it. */
    u32 inside[4], outside[4];
};

#define IN_REGION 0x80000000u /* flag in `inside`: a bit is set there, even if perhaps in a plane that is left out */

/*
 * Describes the bits of a word: significance and signs, the coefficients that the last significance pass visited, and
 * the planes, which are `apart` from each other.
 */
struct stored_word {
    u32x2 marks;
    u32 visited;
    GLOBAL const u32 *planes;
    u32 apart;
};

/*
 * Return up to four planes, from index `first` on, of the column that starts at bit `bit`. Each plane has four bits,
 * the first plane the lowest.
 */
FUNCTION u32 column_planes(const struct stored_word *word, u32 bit, u32 first, u32 end)
{
    u32 nibbles = 0;
    for (u32 k = 0; k < PLANES_AT_ONCE; k++)
        if (first + k < end)
            nibbles |= (word->planes[(first + k) * word->apart] >> bit & 15) << 4 * k;
    return nibbles;
}

FUNCTION void add_planes(
    struct column_values *v, GLOBAL const struct j2k_work_block *block, u32 nibbles, u32 first, u32 end)
{
    for (u32 t = first; t < end; t++, nibbles >>= 4) {
        i32 plane = (i32)(block->planes - 1 - t);
        u32 is_inside = plane >= (i32)block->roi_shift;
        u32 value = plane_value(block, plane) | (is_inside ? IN_REGION : 0);
        UNROLL for (u32 r = 0; r < 4; r++)
        {
            u32 part = nibbles >> r & 1 ? value : 0;
            v->inside[r] |= is_inside ? part : 0;
            v->outside[r] |= is_inside ? 0 : part;
        }
    }
}

/*
 * Return a magnitude plus half a step of the lowest decoded plane. `behind`: the last pass did not reach this
 * coefficient.
 */
FUNCTION u32 biased(GLOBAL const struct j2k_work_block *block, u32 inside, u32 outside, i32 last, u32 behind)
{
    i32 plane = last + (behind ? 1 : 0);
    if (inside) {
        plane = plane < (i32)block->roi_shift ? (i32)block->roi_shift : plane;
        return (inside & ~IN_REGION) | plane_value(block, plane) >> 1;
    }
    return outside | plane_value(block, plane) >> 1;
}

FUNCTION u32 coefficient(u32 factor, u32 magnitude, u32 negative)
{
    i32 value = negative ? -(i32)magnitude : (i32)magnitude;
    return factor ? real_bits((float)value * as_real(factor)) : (u32)value;
}

/* Holds what the words of a block have in common. */
struct stored_planes {
    u32 begun; /* number of planes of which a pass was decoded */
    /* The last pass was a significance pass, which does not reach coefficients that were already significant. */
    u32 behind;
    i32 last; /* the lowest of these planes */
};

FUNCTION struct stored_planes count_planes(GLOBAL const struct j2k_work_block *block, u32 passes)
{
    struct stored_planes p;
    p.begun = passes > 0 ? (passes + 4) / 3 : 0;
    p.behind = passes % 3 == 2;
    p.last = (i32)block->planes - (i32)p.begun;
    return p;
}

/* Load a sample; with the next function, store one. `narrow`: samples have 16 bits. */
FUNCTION u32 take_sample(GLOBAL const u32 *samples, u32 at, u32 narrow)
{
    return narrow ? (u32)(i32)((GLOBAL const i16 *)(GLOBAL const void *)samples)[at] : samples[at];
}

FUNCTION void put_sample(GLOBAL u32 *samples, u32 at, u32 narrow, u32 value)
{
    if (narrow)
        ((GLOBAL i16 *)(GLOBAL void *)samples)[at] = (i16)value;
    else
        samples[at] = value;
}

/* Store a column of a word of any block. x and y are the position of its first row in the block. */
FUNCTION void store_column(GLOBAL const struct j2k_work_block *block, const struct stored_planes *p,
    const struct stored_word *word, u32 bit, u32 x, u32 y, GLOBAL u32 *samples)
{
    struct column_values v;
    u32 significant = word->marks.x >> bit, negative = word->marks.y >> bit;
    UNROLL for (u32 r = 0; r < 4; r++) v.inside[r] = v.outside[r] = 0;
    for (u32 first = 0; first < p->begun; first += PLANES_AT_ONCE)
        add_planes(&v, block, column_planes(word, bit, first, p->begun), first,
            p->begun - first < PLANES_AT_ONCE ? p->begun : first + PLANES_AT_ONCE);
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 row = y + r;
        u32 magnitude =
            biased(block, v.inside[r], v.outside[r], p->last, p->behind && !(word->visited >> bit >> r & 1));
        if (x >= block->left && x < block->right && row >= block->top && row < block->bottom)
            put_sample(samples, block->to + (row - block->top) * block->pitch + (x - block->left), block->narrow,
                coefficient(block->factor, significant >> r & 1 ? magnitude : 0, negative >> r & 1));
    }
}

/*
 * For each two words `far` apart, swap the bits of the second word that are in `mask` with the bits of the first word
 * that are `far` places higher.
 */
FUNCTION void swap_bits(u32 *w, u32 far, u32 mask)
{
    UNROLL for (u32 i = 0; i < 8; i++) if ((i & far) == 0)
    {
        u32 t = (w[i] >> far ^ w[i + far]) & mask;
        w[i + far] ^= t;
        w[i] ^= t << far;
    }
}

/* Transpose bits within bytes: in each byte, bit j of word i becomes bit i of word j. */
FUNCTION void turn_bits(u32 *w)
{
    swap_bits(w, 4, 0x0F0F0F0F);
    swap_bits(w, 2, 0x33333333);
    swap_bits(w, 1, 0x55555555);
}

/* Load eight planes from index `first` on, the first one into the highest bits; planes that were not begun are 0. */
FUNCTION void load_planes(const struct stored_word *word, u32 first, u32 begun, u32 *w)
{
    UNROLL for (u32 t = 0; t < 8; t++) w[7 - t] =
        first + t < begun ? word->planes[(first + t) * word->apart] & word->marks.x : 0;
    turn_bits(w);
}

/*
 * Says how bits that start at bit 31 become coefficients: they are shifted down by `down` and then up by `up`, and half
 * a step is added.
 */
struct stored_scale {
    u32 down, up;
    u32 seen, behind; /* half steps of coefficients that the last pass reached, and of the others */
    u32 factor;
};

FUNCTION struct stored_scale find_scale(GLOBAL const struct j2k_work_block *block, const struct stored_planes *p)
{
    struct stored_scale s;
    i32 shift = p->begun > 0 ? p->last + block->fraction : 0;
    s.down = 32 - p->begun + (shift < 0 ? (u32)-shift : 0);
    s.up = shift > 0 ? (u32)shift : 0;
    s.seen = shift > 0 ? 1u << (shift - 1) : 0;
    s.behind = shift >= 0 ? 1u << shift : 0;
    s.factor = block->factor;
    return s;
}

/* Join the low halves of two words. */
FUNCTION u32 join_halves(u32 low, u32 high)
{
    return (low & 0xFFFF) | high << 16;
}

/* Store eight coefficients of a row, from column x on. */
FUNCTION void store_row(
    GLOBAL const struct j2k_work_block *block, u32 x, u32 row, const u32 *value, GLOBAL u32 *samples)
{
    u32 at = block->to + (row - block->top) * block->pitch + (x - block->left);
    if (row < block->top || row >= block->bottom)
        return;
    if (x >= block->left && x + J2K_WORD_COLUMNS <= block->right && at % (block->narrow ? 8 : 4) == 0) {
        GLOBAL u32x4 *to = (GLOBAL u32x4 *)(GLOBAL void *)samples + (block->narrow ? at / 8 : at / 4);
        if (block->narrow) {
            *to = make_u32x4(join_halves(value[0], value[1]), join_halves(value[2], value[3]),
                join_halves(value[4], value[5]), join_halves(value[6], value[7]));
            return;
        }
        to[0] = make_u32x4(value[0], value[1], value[2], value[3]);
        to[1] = make_u32x4(value[4], value[5], value[6], value[7]);
        return;
    }
    UNROLL for (u32 c = 0; c < J2K_WORD_COLUMNS; c++) if (x + c >= block->left && x + c < block->right)
        put_sample(samples, at + c, block->narrow, value[c]);
}

/*
 * Store a word of a block that has no region of interest and up to 16 planes. Bits of eight planes are transposed into
 * bytes: word j then has the bytes of bits j, 8 + j, 16 + j and 24 + j, which are in row j % 4 of every second column.
 */
FUNCTION void store_word(GLOBAL const struct j2k_work_block *block, const struct stored_planes *p,
    const struct stored_word *word, u32 x, u32 y, GLOBAL u32 *samples)
{
    u32 high[8], low[8], visited = p->behind ? word->visited : 0xFFFFFFFFu;
    struct stored_scale s = find_scale(block, p);
    load_planes(word, 0, p->begun, high);
    load_planes(word, 8, p->begun, low);
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 value[J2K_WORD_COLUMNS];
        UNROLL for (u32 c = 0; c < J2K_WORD_COLUMNS; c++)
        {
            u32 j = c % 2 * 4 + r, bit = 4 * c + r, places = (c / 2 + 4) << 12 | (c / 2) << 8;
            u32 bits = s.down < 32 ? pick_bytes(low[j], high[j], places) >> s.down << s.up : 0;
            bits = bits ? bits | (visited >> bit & 1 ? s.seen : s.behind) : 0;
            value[c] = coefficient(s.factor, bits, word->marks.y >> bit & 1);
        }
        store_row(block, x, y + r, value, samples);
    }
}

/* Store the coefficients of all blocks. For the layout of words see first_of() in passes.h. */
KERNEL(J2K_STORE_GROUP)
store_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT states, GLOBAL const u32 *RESTRICT passes,
    GLOBAL u32 *RESTRICT samples)
{
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const u32 *list = work + head->store_groups;
    u32 index = find_owner(list, head->bundles, group_index());
    GLOBAL const struct j2k_work_bundle *bundle = (GLOBAL const struct j2k_work_bundle *)(work + head->bundle) + index;
    u32 at = (group_index() - list[index]) * J2K_STORE_GROUP + local_index(), lanes = bundle->lanes;
    u32 lane = at & (lanes - 1), place = at / lanes, pitch = J2K_PITCH(bundle->width);
    u32 room = (pitch * bundle->stripes + 1) * lanes, x = place % pitch * J2K_WORD_COLUMNS, y = place / pitch * 4;
    GLOBAL const struct j2k_work_block *block =
        (GLOBAL const struct j2k_work_block *)(work + head->block) + bundle->block + lane;
    if (lane >= bundle->blocks || x >= block->width || y >= block->height)
        return;
    GLOBAL const u32 *words = states + bundle->state + 4 * room + lanes + at;
    struct stored_planes p = count_planes(block, passes[bundle->block + lane]);
    struct stored_word word;
    word.marks = make_u32x2(0, 0);
    word.visited = 0;
    if (p.begun > 0) {
        word.marks = ((GLOBAL const u32x2 *)(GLOBAL const void *)(states + bundle->state))[2 * (lanes + at)];
        word.visited = p.behind ? words[0] : 0;
    }
    word.planes = words + 2 * room;
    word.apart = room;
    if (block->roi_shift == 0 && p.begun <= 16) {
        store_word(block, &p, &word, x, y, samples);
        return;
    }
    for (u32 c = 0; c < J2K_WORD_COLUMNS && x + c < block->width; c++)
        store_column(block, &p, &word, 4 * c, x + c, y, samples);
}
