/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MagSgn of T.814 code-blocks (7.3): the samples of quads, which become coefficients of bands. A work-group of
 * 32 decodes a block, and a work-item a quad of each 32 in a row. Rows depend on each other, because a quad's samples
 * have the more bits, the larger the samples above it are.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_magsgn.h"
#include "j2k/kernels/ht_plain.h"
#include "j2k/kernels/store.h"
#include "j2k/kernels/work.h"

enum { EDGES = J2K_BLOCK_SIDE / 2 + 2 /* quads of a row, and one more at each end */ };

/*
 * Return (2 µ + 1) × 2^shift / 2, rounded down: a magnitude plus half a step, which may be lost for lack of a bit. The
 * shift may be negative.
 */
FUNCTION u32 shifted_magnitude(u32 magnitude, i32 shift)
{
    if (shift > 0)
        return magnitude << shift | 1u << (shift - 1);
    return shift > -32 ? magnitude >> -shift : 0;
}

/*
 * Return the coefficient of a sample with magnitude µ > 0 in steps of a plane. Samples that have bits in planes from
 * `roi_shift` on belong to the region of interest, and have no bits in lower planes (T.800 H.1).
 */
FUNCTION u32 ht_coefficient(GLOBAL const struct j2k_work_ht_block *block, u32 magnitude, u32 plane, u32 negative)
{
    u32 below = block->roi_shift > plane ? block->roi_shift - plane : 0;
    i32 shift = (i32)plane + block->fraction;
    if (block->roi_shift > 0 && below < 32 && magnitude >> below != 0) {
        magnitude >>= below;
        shift += (i32)below - (i32)block->roi_shift;
    }
    return coefficient(block->factor, shifted_magnitude(magnitude, shift), negative);
}

/* Store the coefficient of a sample, if it is wanted. */
FUNCTION void put_coefficient(
    GLOBAL const struct j2k_work_ht_block *block, u32 x, u32 y, u32 value, GLOBAL u32 *RESTRICT samples)
{
    if (x >= block->left && x < block->right && y >= block->top && y < block->bottom)
        put_sample(samples, block->to + (y - block->top) * block->pitch + (x - block->left), block->narrow, value);
}

/* Store the coefficients of two samples that are next to each other in a row, as far as they are wanted. */
FUNCTION void put_two(
    GLOBAL const struct j2k_work_ht_block *block, u32 x, u32 y, u32 a, u32 b, GLOBAL u32 *RESTRICT samples)
{
    u32 at = block->to + (y - block->top) * block->pitch + (x - block->left);
    if (at % 2 != 0 || x < block->left || x + 1 >= block->right) {
        put_coefficient(block, x, y, a, samples);
        put_coefficient(block, x + 1, y, b, samples);
        return;
    }
    if (y < block->top || y >= block->bottom)
        return;
    if (block->narrow)
        samples[at / 2] = join_halves(a, b);
    else
        ((GLOBAL u32x2 *)(GLOBAL void *)samples)[at / 2] = make_u32x2(a, b);
}

/* Describes a quad while its samples are decoded. */
struct quad_samples {
    u32 any;       /* whether any sample of the 32 quads of the step is significant */
    u32 rho;       /* which samples are significant */
    u32 most;      /* U: most bits of a sample's number */
    u32 number[4]; /* 2 (µ − 1) + sign; 0 if not significant */
};

/* Return how many bits of a sample's number are in MagSgn: all but the highest one if its value is known. */
FUNCTION u32 coded_bits(const struct quad_samples *q, u32 quad, u32 i)
{
    return q->rho >> i & 1 ? q->most - (J2K_QUAD_KNOWN(quad) >> i & 1) : 0;
}

/* Take the numbers of a quad's samples, `count` bits in all, which begin at `place`. */
FUNCTION void take_samples(const struct sample_bits *b, u32 quad, u32 place, u32 count, struct quad_samples *q)
{
    if (count <= 64 && q->most < 32) {
        struct sample_window w = window_at(b, place);
        UNROLL for (u32 i = 0; i < 4; i++) q->number[i] = take_bits(&w, coded_bits(q, quad, i));
    } else {
        UNROLL for (u32 i = 0; i < 4; i++)
        {
            q->number[i] = bits_from(b, place, coded_bits(q, quad, i));
            place += coded_bits(q, quad, i);
        }
    }
    UNROLL for (u32 i = 0; i < 4; i++) q->number[i] |= (J2K_QUAD_ONE(quad) >> i & 1) << (coded_bits(q, quad, i) & 31);
}

/* Return the exponent of a sample, which is the number of bits of 2 µ − 1; 0: it is not significant. */
FUNCTION u32 exponent_of(const struct quad_samples *q, u32 i)
{
    return q->rho >> i & 1 ? bit_length(q->number[i] | 1) : 0;
}

/* Return µ of a sample, with the sign in bit 31; 0: not significant. */
FUNCTION u32 value_of(const struct quad_samples *q, u32 i)
{
    return q->rho >> i & 1 ? (q->number[i] >> 1) + 1 + (q->number[i] << 31) : 0;
}

FUNCTION u32 coefficient_of(GLOBAL const struct j2k_work_ht_block *block, u32 value)
{
    return value == 0 ? 0 : ht_coefficient(block, value & 0x7FFFFFFFu, block->plane, value >> 31);
}

/* Store a quad whose first sample is at (x, y): its coefficients, and the values that magnitude refinement needs. */
FUNCTION void put_quad(GLOBAL const struct j2k_work_ht_block *block, u32 x, u32 y, const struct quad_samples *q,
    GLOBAL u32 *RESTRICT kept, GLOBAL u32 *RESTRICT samples)
{
    UNROLL for (u32 i = 0; i < 2; i++)
    {
        u32 left = value_of(q, i), right = value_of(q, i + 2);
        put_two(block, x, y + i, coefficient_of(block, left), coefficient_of(block, right), samples);
        if (block->passes > 2 && y + i < block->height) {
            kept[(y + i) * block->width + x] = left;
            if (x + 1 < block->width)
                kept[(y + i) * block->width + x + 1] = right;
        }
    }
}

/* Holds the exponents of samples 1 and 3 of each quad of a row, which are its lower samples, in a byte each. */
struct edges {
    LOCAL u16 *above, *own;
};

/* Return κ of a quad (7.3.7). */
FUNCTION u32 kappa_of(const struct edges *edges, u32 q, u32 rho)
{
    u32 left = edges->above[q] >> 8, here = edges->above[q + 1], right = edges->above[q + 2] & 255;
    u32 outer = left > right ? left : right, inner = here >> 8 > (here & 255) ? here >> 8 : here & 255;
    u32 exponent = outer > inner ? outer : inner;
    return (rho & (rho - 1)) != 0 && exponent > 2 ? exponent - 1 : 1;
}

/*
 * Decode 32 quads of a row. This work-item's quad has word `quad` and index q in the row; `edges` has the exponents of
 * the row above, and receives those of this row. Returns whether the work-item met damage. The whole work-group calls
 * this.
 */
FUNCTION u32 decode_step(
    struct sample_bits *b, u32 bits, u32 quad, u32 q, u32 columns, const struct edges *edges, struct quad_samples *s)
{
    s->rho = J2K_QUAD_RHO(quad);
    UNROLL for (u32 i = 0; i < 4; i++) s->number[i] = 0;
    u32 wrong = 0, total;
    s->any = lane_ballot(b->scratch, s->rho) != 0;
    if (s->any) {
        s->most = J2K_QUAD_U(quad) + (q < columns ? kappa_of(edges, q, s->rho) : 0);
        wrong = s->rho != 0 && s->most > bits + 1;
        s->most = wrong ? 1 : s->most;
        u32 count = s->rho != 0 ? ones(s->rho) * s->most - ones(J2K_QUAD_KNOWN(quad)) : 0;
        u32 place = b->used + lane_scan(b->scratch, count, &total);
        while (b->count < b->used + total)
            add_chunk(b);
        b->used += total;
        take_samples(b, quad, place, count, s);
        wrong |= greatest_of(s->number) >> 1 >= 0x7FFFFFFFu >> (31 - bits);
    }
    if (q < columns)
        edges->own[q + 1] = s->any ? (u16)(exponent_of(s, 1) | exponent_of(s, 3) << 8) : 0;
    return wrong;
}

/* Clear a unit of 16, 4 or 2 bytes in the buffer of samples; `at` counts such units. */
FUNCTION void clear_unit(GLOBAL u32 *samples, u32 bytes, u32 at)
{
    if (bytes == 16)
        ((GLOBAL u32x4 *)(GLOBAL void *)samples)[at] = make_u32x4(0, 0, 0, 0);
    else if (bytes == 4)
        samples[at] = 0;
    else
        ((GLOBAL u16 *)(GLOBAL void *)samples)[at] = 0;
}

/*
 * Clear a block in the largest of these units at whose multiples all of its rows begin and end. If a row has fewer
 * units than the work-group has work-items, several rows are cleared at a time.
 */
FUNCTION void clear_block(GLOBAL const struct j2k_work_ht_block *block, GLOBAL u32 *RESTRICT samples)
{
    const u32 narrow = block->narrow != 0, width = block->right - block->left, height = block->bottom - block->top;
    const u32 all = block->to | block->pitch | width, whole = narrow ? 3 : 2, pairs = narrow && all % 2 == 0;
    const u32 shift = all % (1u << whole) == 0 ? whole : pairs, bytes = (narrow ? 2 : 4) << shift;
    const u32 across = width >> shift, pitch = block->pitch >> shift, to = block->to >> shift;
    const u32 is_short = across > 0 && across < J2K_SAMPLE_GROUP, rows = is_short ? J2K_SAMPLE_GROUP / across : 1;
    const u32 first = is_short ? lane_index() / across : 0, x = lane_index() - first * across;
    ROLL for (u32 y = first; first < rows && y < height; y += rows)
        ROLL for (u32 i = x; i < across; i += J2K_SAMPLE_GROUP) clear_unit(samples, bytes, to + y * pitch + i);
}

/* Decode a block. Returns whether it is damaged. The whole work-group calls it. */
FUNCTION u32 decode_rows(struct sample_bits *b, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL u32 *RESTRICT states, LOCAL u16 *edges, GLOBAL u32 *RESTRICT samples)
{
    u32 columns = (block->width + 1u) / 2, pitch = J2K_QUAD_PITCH(columns), rows = (block->height + 1u) / 2, wrong = 0;
    GLOBAL u32 *quads = states + block->state, *kept = quads + pitch * rows;
    for (u32 i = lane_index(); i < columns + 2; i += J2K_SAMPLE_GROUP)
        edges[i] = edges[EDGES + i] = 0;
    barrier_local();
    u32 quad = lane_index() < columns ? quads[lane_index()] : 0;
    const u32 bits = block->bits;
    for (u32 y = 0; y < rows; y++) {
        struct edges e;
        e.above = edges + y % 2 * EDGES;
        e.own = edges + (y + 1) % 2 * EDGES;
        for (u32 first = 0; first < columns; first += J2K_SAMPLE_GROUP) {
            struct quad_samples s;
            u32 last = first + J2K_SAMPLE_GROUP >= columns, q = (last ? 0 : first + J2K_SAMPLE_GROUP) + lane_index();
            u32 ahead = q < columns && y + last < rows ? quads[(y + last) * pitch + q] : 0;
            q = first + lane_index();
            wrong |= decode_step(b, bits, quad, q, columns, &e, &s);
            if (q < columns)
                put_quad(block, 2 * q, 2 * y, &s, kept, samples);
            quad = ahead;
        }
        barrier_local();
    }
    return lane_ballot(b->scratch, wrong) != 0 || b->used > b->limit;
}

/*
 * Decode the samples of all blocks. On entry `damaged` says for each block whether earlier kernels met damage, on
 * return whether anything did. Coefficients of damaged blocks are 0.
 */
DENSE_KERNEL(J2K_SAMPLE_GROUP, 32)
decode_samples(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states,
    GLOBAL u32 *RESTRICT damaged, GLOBAL u32 *RESTRICT samples, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 ring[RING_WORDS];
    SHARED u32 scratch[J2K_SAMPLE_GROUP];
    SHARED u16 edges[2 * EDGES];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const struct j2k_work_ht_block *block =
        (GLOBAL const struct j2k_work_ht_block *)(work + head->ht_block) + group_index();
    GLOBAL u32 *state = damaged + head->blocks + group_index();
    u32 wrong = *state, coded = block->passes > 0 && !wrong;
    if (coded) {
        u32 end = block->from + block->length;
        u32 suffix = 16 * byte_at(streams, end - 1) + (byte_at(streams, end - 2) & 15);
        struct sample_bits b;
        b.ring = ring;
        b.scratch = scratch;
        if (local_index() == 0)
            ring[0] = 0;
        start_samples(&b, streams, block->from, end - suffix);
        wrong = is_plain(block) ? decode_plain(&b, block, states, head->origin, samples)
                                : decode_rows(&b, block, states, edges, samples);
        barrier_all();
    }
    if (wrong || !coded)
        clear_block(block, samples);
    if (wrong && local_index() == 0) {
        GLOBAL u32 *counts = damage + block->picture * J2K_WORK_DAMAGE;
        if (coded)
            *state = 1;
        count_up(counts, 1);
        atomic_least(counts + 1, block->offset);
    }
}
