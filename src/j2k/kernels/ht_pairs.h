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

/* Says where a work-item's pair is, and what all pairs of the block have in common. */
struct pair_place {
    u32 across, count; /* pairs of a row, and of the block */
    u32 pair, column;
    u32 at;             /* place of its first sample */
    u32 further;        /* columns from a pair to the pair LANES behind it, which may be in the next row */
    u32 near, far;      /* samples between these pairs, without or with a further row */
    u32 whole;          /* all pairs are complete, and each four samples of a row begin at a multiple of four */
    u32 exact, special; /* samples are integers; indices must be changed */
};

FUNCTION struct pair_place first_pair(GLOBAL const struct j2k_work_coded_block *block)
{
    struct pair_place p;
    p.across = (block->width + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
    p.count = p.across * ((block->height + 1) / 2);
    p.pair = lane_index();
    u32 row = p.pair / p.across, rows = LANES / p.across;
    p.column = p.pair - row * p.across;
    p.at = block->from + 2 * row * block->pitch + PAIR_COLUMNS * p.column;
    p.further = LANES - rows * p.across;
    p.near = 2 * rows * block->pitch + PAIR_COLUMNS * p.further;
    p.far = p.near + 2 * block->pitch - PAIR_COLUMNS * p.across;
    p.whole = ((block->from | block->pitch | block->width) % PAIR_COLUMNS | block->height % 2) == 0;
    p.exact = block->exact;
    p.special = block->right > block->left || block->refinements > 0;
    return p;
}

FUNCTION void next_pair(struct pair_place *p)
{
    u32 column = p->column + p->further, wraps = column >= p->across;
    p->pair += LANES;
    p->column = column - (wraps ? p->across : 0);
    p->at += wraps ? p->far : p->near;
}

/* Load the coefficients of a pair; outside the block they are 0. */
LARGE_FUNCTION void load_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p,
    GLOBAL const u32 *RESTRICT samples, u32 *sample)
{
    if (p->whole) {
        u32x4 upper = make_u32x4(0, 0, 0, 0), lower = upper;
        if (p->pair < p->count) {
            GLOBAL const u32x4 *four = (GLOBAL const u32x4 *)(GLOBAL const void *)samples;
            upper = four[p->at / PAIR_COLUMNS];
            lower = four[(p->at + block->pitch) / PAIR_COLUMNS];
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
    u32 x = PAIR_COLUMNS * p->column, y = p->pair / p->across * 2;
    UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++)
    {
        u32 there = p->pair < p->count && y + i % 2 < block->height && x + i / 2 < block->width;
        sample[i] = there ? samples[p->at + i % 2 * block->pitch + i / 2] : 0;
    }
}

/*
 * Raise the magnitudes of a pair, each less 1, in a region of interest, and leave out the bit that refinement passes
 * code.
 */
LARGE_FUNCTION void change_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p, i32 *below)
{
    u32 x = PAIR_COLUMNS * p->column, y = p->pair / p->across * 2, left_out = block->refinements > 0;
    UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++)
    {
        u32 magnitude = raised(block, (u32)below[i] + 1, x + i / 2, y + i % 2) & 0x7FFFFFFFu;
        below[i] = (i32)(magnitude >> left_out) - 1;
    }
}

/*
 * Quantise the coefficients of a pair: below[i] receives the magnitude of an index minus 1, so that it is negative if
 * the sample is not significant.
 */
FUNCTION void quantise_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p, float factor,
    const u32 *sample, i32 *below)
{
    if (p->exact) {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) below[i] = (i32)(magnitude_of_integer(sample[i]) - 1);
    } else {
        UNROLL for (u32 i = 0; i < PAIR_SAMPLES; i++) below[i] = (i32)(magnitude_of_real(sample[i], factor) - 1);
    }
    if (p->special)
        change_pair(block, p, below);
}

FUNCTION u32 larger(u32 a, u32 b)
{
    return a > b ? a : b;
}

FUNCTION i32 greatest(i32 a, i32 b)
{
    return a > b ? a : b;
}

FUNCTION i32 greatest_of(const i32 *four)
{
    return greatest(greatest(four[0], four[1]), greatest(four[2], four[3]));
}

/*
 * Holds the samples of a pair as MagSgn encodes them, and the values on which its quads' codes depend. An exponent is 1
 * more than the number of bits of µ − 1, or 0 for µ = 0. Those of samples above a quad only count if they are above 2,
 * so that a row hands down exponents minus 1, at least 1 for significant samples and 0 for others.
 */
struct pair_samples {
    u32 value[PAIR_SAMPLES]; /* 2 (µ − 1) + sign; anything if µ is 0 */
    i32 most[2];             /* for each quad, the largest µ − 1 */
    u32 rho;                 /* rho of both quads, in four bits each */
    u32 edge;                /* what it hands down, in bytes: column 0, columns 1 and 2, column 3; then rho */
};

/* Quantise the coefficients of a pair, whose highest bits are their signs. */
LARGE_FUNCTION void take_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p, float factor,
    const u32 *sample, struct pair_samples *s)
{
    i32 below[PAIR_SAMPLES];
    u32 none = 0; /* which samples are not significant */
    quantise_pair(block, p, factor, sample, below);
    UNROLL for (u32 i = PAIR_SAMPLES; i-- > 0;)
    {
        none = funnel(none, (u32)below[i], 1);
        s->value[i] = funnel((u32)below[i], sample[i], 1);
    }
    s->rho = none ^ 255;
    s->most[0] = greatest_of(below);
    s->most[1] = greatest_of(below + 4);
    s->edge = signed_length(below[1] | 1) | signed_length(greatest(below[3], below[5]) | 1) << 8 |
              signed_length(below[7] | 1) << 16 | s->rho << 24;
}

/* Describes a quad as it is coded. */
struct coded_quad {
    u32 rho;
    u32 most;    /* U: most bits of a sample's number */
    u32 excess;  /* u */
    u32 entry;   /* its entry of ht_codes; 0: there is no codeword */
    u32 asks;    /* its context is 0, so that MEL says whether any of its samples is significant */
    u32 lengths; /* number of bits of each sample in MagSgn, in a byte each */
};

/* Spread four bits over the bytes of a word. */
FUNCTION u32 spread_bits(u32 bits)
{
    return bits * 0x00204081u & HT_ONES;
}

/* Return which of a quad's samples have bit `most` − 1 in their numbers; other samples that are in rho do not. */
FUNCTION u32 samples_with(const u32 *value, u32 most)
{
    u32 found = 0;
    UNROLL for (u32 i = 4; i-- > 0;) found = funnel(found, shift_up(value[i], 0 - most), 1);
    return found;
}

/*
 * Code a quad. `largest`: the largest µ − 1; `above`: what the row above hands down; `context` is as in 7.3.5; `codes`:
 * where in ht_codes those of its row begin; `there`: it is in the block.
 */
LARGE_FUNCTION struct coded_quad code_quad(
    const u32 *value, u32 rho, i32 largest, u32 above, u32 context, u32 codes, u32 there)
{
    struct coded_quad q;
    u32 own = signed_length(largest), least = (rho & (rho - 1)) != 0 ? larger(above, 1) - 1 : 0;
    u32 most = larger(own, least); /* U, less 1; `least` is kappa, less 1 */
    q.rho = rho;
    q.most = most + 1;
    q.excess = most - least;
    u32 equal = samples_with(value, q.most) & (q.excess > 0 ? rho : 0);
    u32 entry = ht_codes[codes + context * 256 + rho * 16 + equal];
    q.entry = there ? entry : 0;
    q.asks = there && context == 0;
    q.lengths = spread_bits(rho) * q.most - spread_bits(J2K_HT_CODE_KNOWN(q.entry));
    return q;
}

/* Return the context of a quad in the first row. `left`: rho of the quad on its left. */
FUNCTION u32 first_context(u32 left)
{
    return ((left | left >> 1) & 1) | (left >> 1 & 6);
}

/* Return 1 for a number above 0. */
FUNCTION u32 is_some(u32 number)
{
    return number < 1 ? number : 1;
}

/* Return the context of a quad in another row, from what is handed down to its left and right column. */
FUNCTION u32 later_context(u32 left, u32 above_left, u32 above_right)
{
    return is_some(above_left) | ((left >> 2 | left >> 3) & 1) << 1 | is_some(above_right) << 2;
}

/*
 * Code both quads of a pair. `edges` keeps what each pair hands down. The whole work-group calls this, and a barrier
 * must separate calls for different blocks.
 */
FUNCTION void code_pair(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p,
    const struct pair_samples *s, LOCAL u32 *edges, struct coded_quad *quad)
{
    u32 there = p->pair < p->count, above = 0, west = 0, east = 0, left = 0, own = s->rho & 15, contexts[2];
    if (there)
        edges[p->pair] = s->edge;
    barrier_local();
    if (there && p->column > 0)
        left = edges[p->pair - 1] >> 28;
    if (there && p->pair >= p->across) {
        above = edges[p->pair - p->across];
        west = p->column == 0 ? 0 : edges[p->pair - p->across - 1] >> 16 & 255;
        east = p->column + 1 == p->across ? 0 : edges[p->pair - p->across + 1] & 255;
    }
    u32 middle = above >> 8 & 255, codes = J2K_HT_CODE_ENTRIES;
    west = larger(west, above & 255);
    east = larger(east, above >> 16 & 255);
    contexts[0] = later_context(left, west, middle);
    contexts[1] = later_context(own, middle, east);
    if (p->pair < p->across) {
        contexts[0] = first_context(left);
        contexts[1] = first_context(own);
        codes = 0;
    }
    quad[0] = code_quad(s->value, own, s->most[0], larger(west, middle), contexts[0], codes, there);
    quad[1] = code_quad(s->value + 4, s->rho >> 4, s->most[1], larger(middle, east), contexts[1], codes,
        there && PAIR_COLUMNS * p->column + 2 < block->width);
}
