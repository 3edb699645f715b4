/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out how two quads side by side are encoded (T.814, 7.3): significance, contexts, U and codes. These do not
 * depend on earlier codes, so that each work-item takes a pair, and a work-group takes 32 pairs that follow each other
 * in coding order. Samples of a pair are numbered column by column: those of the left quad are 0–3, those of the right
 * one 4–7.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_bytes.h"
#include "j2k/kernels/measure.h"
#include "j2k/tables/ht_encode.h"

enum {
    PAIR_COLUMNS = 4,
    PAIR_SAMPLES = 8,
    PAIRS_MOST = J2K_BLOCK_SAMPLES / PAIR_SAMPLES /* most pairs of a block; its sides are at least 4 if it is not cut */
};

SPREAD_TABLE u16 ht_codes[2 * J2K_HT_CODE_ENTRIES] = {J2K_HT_CODE_FIRST, J2K_HT_CODE_LATER};

/* Says where a work-item's pair is. */
struct pair_place {
    u32 across, count; /* pairs of a row, and of the block */
    u32 pair, column, row;
    u32 whole;   /* all pairs are complete, and each four samples of a row begin at a multiple of four */
    u32 further; /* distance to the pair LANES behind: rows × 256 + columns, perhaps into the next row */
};

FUNCTION struct pair_place first_pair(GLOBAL const struct j2k_work_coded_block *block)
{
    struct pair_place p;
    p.across = (block->width + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
    p.count = p.across * ((block->height + 1) / 2);
    p.pair = lane_index();
    p.row = p.pair / p.across;
    p.column = p.pair - p.row * p.across;
    p.whole = ((block->from | block->pitch | block->width) % PAIR_COLUMNS | block->height % 2) == 0;
    p.further = LANES / p.across * 256 + LANES % p.across;
    return p;
}

FUNCTION void next_pair(struct pair_place *p)
{
    u32 column = p->column + p->further % 256, wraps = column >= p->across;
    p->pair += LANES;
    p->row += p->further / 256 + wraps;
    p->column = column - (wraps ? p->across : 0);
}

/* Load the coefficients of a pair; outside the block they are 0. */
LARGE_FUNCTION void load_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p,
    GLOBAL const u32 *RESTRICT samples, u32 *sample)
{
    u32 x = PAIR_COLUMNS * p->column, y = 2 * p->row, at = block->from + y * block->pitch + x;
    if (p->whole) {
        u32x4 upper = make_u32x4(0, 0, 0, 0), lower = upper;
        if (p->pair < p->count) {
            GLOBAL const u32x4 *four = (GLOBAL const u32x4 *)(GLOBAL const void *)samples;
            upper = four[at / PAIR_COLUMNS];
            lower = four[(at + block->pitch) / PAIR_COLUMNS];
        }
        sample[0] = upper.x;
        sample[1] = lower.x;
        sample[2] = upper.y;
        sample[3] = lower.y;
        sample[4] = upper.z;
        sample[5] = lower.z;
        sample[6] = upper.w;
        sample[7] = lower.w;
        return;
    }
    UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++)
    {
        u32 there = p->pair < p->count && y + i % 2 < block->height && x + i / 2 < block->width;
        sample[i] = there ? samples[at + i % 2 * block->pitch + i / 2] : 0;
    }
}

/* Turn coefficients into quantiser indices, without the bit that refinement passes code. */
LARGE_FUNCTION void quantise_pair(
    GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p, float factor, u32 *sample)
{
    if (block->exact) {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) sample[i] = index_of_integer(sample[i]);
    } else {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) sample[i] = index_of_real(sample[i], factor);
    }
    if (block->right > block->left) {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) sample[i] =
            raised(block, sample[i], PAIR_COLUMNS * p->column + i / 2, 2 * p->row + i % 2);
    }
    if (block->refinements > 0) {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) sample[i] =
            (sample[i] & 0x80000000u) | (sample[i] & 0x7FFFFFFFu) >> 1;
    }
}

/* Holds the samples of a pair as MagSgn encodes them, and the values on which its quads' codes depend. */
struct pair_samples {
    u32 value[PAIR_SAMPLES]; /* 2 (µ − 1) + sign; anything if µ is 0 */
    u32 exponent[PAIR_SAMPLES];
    u32 rho;   /* rho of both quads, in four bits each */
    u32 lower; /* exponents of the lower row, in a byte each */
};

LARGE_FUNCTION void take_pair(const u32 *sample, struct pair_samples *s)
{
    s->rho = 0;
    UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++)
    {
        u32 magnitude = sample[i] & 0x7FFFFFFFu, significant = (magnitude + 0x7FFFFFFFu) >> 31;
        u32 odd = 2 * magnitude - significant; /* 2 µ − 1, or 0 */
        s->value[i] = odd - 1 + (sample[i] >> 31);
        s->exponent[i] = bit_length(odd);
        s->rho |= significant << i;
    }
    s->lower = s->exponent[1] | s->exponent[3] << 8 | s->exponent[5] << 16 | s->exponent[7] << 24;
}

FUNCTION u32 larger(u32 a, u32 b)
{
    return a > b ? a : b;
}

FUNCTION u32 largest_byte(u32 bytes)
{
    return larger(larger(bytes & 255, bytes >> 8 & 255), larger(bytes >> 16 & 255, bytes >> 24));
}

/* Describes a quad as it is coded. */
struct coded_quad {
    u32 rho;
    u32 most;   /* U: most bits of a sample's number */
    u32 excess; /* u */
    u32 entry;  /* its entry of ht_codes; 0: there is no codeword */
    u32 asks;   /* its context is 0, so that MEL says whether any of its samples is significant */
};

/*
 * Return the context of a quad (7.3.5). `left`: rho of the quad on its left; `above`: the exponents of four samples,
 * from the one above it to the left to the one above it to the right.
 */
FUNCTION u32 quad_context(u32 left, u32 above, u32 first)
{
    u32 later =
        ((above & 0xFFFFu) != 0 ? 1u : 0u) | ((left & 12) != 0 ? 2u : 0u) | ((above & 0xFFFF0000u) != 0 ? 4u : 0u);
    return first ? ((left | left >> 1) & 1) | (left >> 1 & 6) : later;
}

/* Code a quad from the exponents of its samples. `first`: it is in the first row; `there`: it is in the block. */
LARGE_FUNCTION struct coded_quad code_quad(const u32 *exponent, u32 rho, u32 left, u32 above, u32 first, u32 there)
{
    struct coded_quad q;
    u32 largest = larger(larger(exponent[0], exponent[1]), larger(exponent[2], exponent[3]));
    u32 around = largest_byte(above), kappa = (rho & (rho - 1)) != 0 && around > 2 ? around - 1 : 1, equal = 0;
    q.rho = rho;
    q.most = larger(largest, kappa);
    q.excess = q.most - kappa;
    UNROLL for (u32 i = 0; i < 4; i++) equal |= (q.excess > 0 && exponent[i] == q.most ? 1u : 0u) << i;
    u32 code = quad_context(left, above, first) << 8 | rho << 4 | equal;
    q.entry = there ? ht_codes[code + (first ? 0 : J2K_HT_CODE_ENTRIES)] : 0;
    q.asks = there && code < 256;
    return q;
}

/*
 * Code both quads of a pair. `edges` keeps the exponents of each pair's lower row; *carry is rho of the last pair of
 * the previous step. The whole work-group calls this.
 */
FUNCTION void code_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p,
    const struct pair_samples *s, LOCAL u32 *edges, LOCAL u32 *scratch, u32 *carry, struct coded_quad *quad)
{
    u32 first = p->row == 0, there = p->pair < p->count, last = p->column + 1 == p->across, above = 0, west = 0;
    u32 east = 0, before = lane_shuffle(scratch, s->rho, (lane_index() - 1) % LANES), left;
    left = p->column == 0 ? 0 : (lane_index() == 0 ? *carry : before) >> 4;
    *carry = before;
    if (there)
        edges[p->pair] = s->lower;
    barrier_local();
    if (there && !first) {
        above = edges[p->pair - p->across];
        west = p->column == 0 ? 0 : edges[p->pair - p->across - 1];
        east = last ? 0 : edges[p->pair - p->across + 1];
    }
    quad[0] = code_quad(s->exponent, s->rho & 15, left, shift_pair(west, above, 24), first, there);
    quad[1] = code_quad(s->exponent + 4, s->rho >> 4, s->rho & 15, shift_pair(above, east, 8), first,
        there && PAIR_COLUMNS * p->column + 2 < block->width);
}
