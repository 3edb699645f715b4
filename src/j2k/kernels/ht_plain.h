/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MagSgn of plain T.814 code-blocks, which nearly all blocks are: a work-item has a quad of each row, so that
 * it keeps the exponents of the quad above, and gets those beside it from its neighbours.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_magsgn.h"
#include "j2k/kernels/store.h"
#include "j2k/kernels/work.h"

/*
 * Return whether a block is plain: a row has no more quads than the work-group has work-items, all of the block is
 * wanted, it has no magnitude refinement, all planes from the cleanup pass's on are kept, and its rows begin at even
 * places.
 */
FUNCTION u32 is_plain(GLOBAL const struct j2k_work_ht_block *block)
{
    return block->width <= 2 * J2K_SAMPLE_GROUP && block->left == 0 && block->top == 0 &&
           block->right == block->width && block->bottom == block->height && block->passes <= 2 &&
           block->roi_shift == 0 && (i32)block->plane + block->fraction >= 0 && (block->to | block->pitch) % 2 == 0;
}

/* Holds what the samples of a plain block have in common, and where those of a work-item go. */
struct plain_block {
    local_place ring;
    u32 narrow, factor;
    u32 shift; /* shift from quantiser indices to magnitudes */
    u32 bits;  /* most bits of a magnitude */
    u32 at;    /* place of the work-item's next quad */
    u32 pitch;
    u32 columns, rows; /* the block's columns and rows from the work-item's next quad on */
    u32 largest;       /* largest number of a sample of this work-item's quads */
    u32 lower[2];      /* exponents of the lower samples of the quad above, from left to right */
};

FUNCTION struct plain_block start_plain(
    GLOBAL const struct j2k_work_ht_block *block, const struct sample_bits *b, u32 origin)
{
    struct plain_block p;
    p.ring = as_local_place(b->ring, origin);
    p.narrow = block->narrow;
    p.factor = block->factor;
    p.shift = (u32)((i32)block->plane + block->fraction);
    p.bits = block->bits;
    p.at = block->to + 2 * lane_index();
    p.pitch = block->pitch;
    p.rows = block->height;
    p.columns = block->width > 2 * lane_index() ? block->width - 2 * lane_index() : 0;
    p.largest = p.lower[0] = p.lower[1] = 0;
    return p;
}

/* Spread four bits to the lowest bits of four bytes. */
FUNCTION u32 spread_bits(u32 bits)
{
    return bits * 0x00204081u & HT_ONES;
}

/* Return byte i of a word. */
FUNCTION u32 one_byte(u32 bytes, u32 i)
{
    return pick_bytes(bytes, 0, 0x4440 + i);
}

/* Return κ of a quad (7.3.7) with the significance pattern `rho`. The whole work-group calls this. */
FUNCTION u32 plain_kappa(const struct plain_block *p, LOCAL u32 *scratch, u32 rho)
{
    u32 lane = lane_index(), left = lane_shuffle(scratch, p->lower[1], (lane + LANES - 1) % LANES);
    u32 right = lane_shuffle(scratch, p->lower[0], (lane + 1) % LANES);
    u32 beside = greater(lane > 0 ? left : 0, lane + 1 < LANES ? right : 0);
    u32 exponent = greater(beside, greater(p->lower[0], p->lower[1]));
    return (rho & (rho - 1)) != 0 && exponent > 2 ? exponent - 1 : 1;
}

/*
 * Take the numbers of a quad's samples, which begin at `place`. The bytes of `lengths` say how many bits each has in
 * MagSgn, and those of `ones_above` what the bit above these is. A byte is at most 31, so that shifts by a word whose
 * lowest byte it is, modulo 32, are shifts by the byte.
 */
FUNCTION void take_plain(local_place ring, u32 place, u32 lengths, u32 ones_above, u32 *number)
{
    u32 word = place / 32 % RING_WORDS, middle = local_word(ring + 4 * ((word + 1) % RING_WORDS));
    u32 low = shift_pair(local_word(ring + 4 * word), middle, place % 32);
    u32 high = shift_pair(middle, local_word(ring + 4 * ((word + 2) % RING_WORDS)), place % 32);
    UNROLL for (u32 i = 0; i < 4; i++, lengths >>= 8)
    {
        number[i] = (low & ~shift_up(0xFFFFFFFFu, lengths)) | shift_up(one_byte(ones_above, i), lengths);
        low = shift_pair(low, high, lengths);
        high = shift_down(high, lengths);
    }
}

/* Do the same for a quad whose numbers have more than 64 bits, or one of them 32. */
FUNCTION void take_large(const struct sample_bits *b, u32 place, u32 lengths, u32 ones_above, u32 *number)
{
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 length = one_byte(lengths, i);
        number[i] = bits_from(b, place, length) | one_byte(ones_above, i) << length % 32;
        place += length;
    }
}

/* Return the index of a sample: (2 µ + 1) × 2^shift / 2, rounded down, with its sign; 0 if it is not significant. */
FUNCTION i32 plain_index(const struct plain_block *p, u32 number, u32 significant)
{
    u32 magnitude = ((number | 1) + 2) << p->shift >> 1;
    return (i32)magnitude * ((i32)significant - 2 * (i32)(number & 1));
}

/* Return the coefficient of a sample whose index is given. Those of 16 bits are indices. */
FUNCTION u32 plain_coefficient(const struct plain_block *p, i32 index)
{
    return p->factor ? real_bits((float)index * as_real(p->factor)) : (u32)index;
}

/* Store the samples of a row of a quad whose indices are given. */
FUNCTION void put_plain(const struct plain_block *p, u32 at, i32 left, i32 right, GLOBAL u32 *RESTRICT samples)
{
    if (p->columns < 2)
        put_sample(samples, at, p->narrow, plain_coefficient(p, left));
    else if (p->narrow)
        samples[at / 2] = join_halves((u32)left, (u32)right);
    else
        ((GLOBAL u32x2 *)(GLOBAL void *)samples)[at / 2] =
            make_u32x2(plain_coefficient(p, left), plain_coefficient(p, right));
}

/* Store the samples of a quad, as far as the block has them. `paired` is as in decode_plain_rows(). */
FUNCTION void put_plain_quad(
    const struct plain_block *p, u32 paired, const i32 *left, const i32 *right, GLOBAL u32 *RESTRICT samples)
{
    if (paired && p->columns > 0) {
        samples[p->at / 2] = join_halves((u32)left[0], (u32)right[0]);
        samples[(p->at + p->pitch) / 2] = join_halves((u32)left[1], (u32)right[1]);
    }
    UNROLL for (u32 i = 0; i < 2; i++) if (!paired && p->columns > 0 && i < p->rows)
        put_plain(p, p->at + i * p->pitch, left[i], right[i], samples);
}

/*
 * Decode a row, of which this work-item has the quad with word `quad`. Returns whether the number of bits of its
 * samples is damaged. The whole work-group calls this.
 */
FUNCTION u32 decode_plain_row(
    struct sample_bits *b, struct plain_block *p, u32 paired, u32 quad, GLOBAL u32 *RESTRICT samples)
{
    i32 left[2], right[2];
    u32 number[4] = {0, 0, 0, 0}, total, wrong = 0, rho = J2K_QUAD_RHO(quad), significant = spread_bits(rho);
    if (lane_ballot(b->scratch, rho) != 0) {
        u32 most = J2K_QUAD_U(quad) + plain_kappa(p, b->scratch, rho);
        wrong = rho != 0 && most > p->bits + 1;
        most = wrong ? 1 : most;
        u32 lengths = significant * most - spread_bits(J2K_QUAD_KNOWN(quad)), count = lengths * HT_ONES >> 24;
        u32 place = b->used + lane_scan(b->scratch, count, &total);
        while (b->count < b->used + total)
            add_chunk(b);
        b->used += total;
        if (count <= 64 && most < 32)
            take_plain(p->ring, place, lengths, spread_bits(J2K_QUAD_ONE(quad)), number);
        else
            take_large(b, place, lengths, spread_bits(J2K_QUAD_ONE(quad)), number);
        p->largest = greater(p->largest, greatest_of(number));
    }
    UNROLL for (u32 i = 0; i < 2; i++) p->lower[i] =
        one_byte(significant, 2 * i + 1) * bit_length(number[2 * i + 1] | 1);
    UNROLL for (u32 i = 0; i < 2; i++)
    {
        left[i] = plain_index(p, number[i], one_byte(significant, i));
        right[i] = plain_index(p, number[i + 2], one_byte(significant, i + 2));
    }
    put_plain_quad(p, paired, left, right, samples);
    p->at += 2 * p->pitch;
    p->rows -= 2;
    return wrong;
}

/*
 * Decode the rows of a plain block, whose quads have words from `quads` on. Returns whether the number of bits of a
 * sample is damaged. `paired` is a constant that says whether samples have 16 bits, and all quads four of them. The
 * whole work-group calls this.
 */
FUNCTION u32 decode_plain_rows(struct sample_bits *b, struct plain_block *p, u32 paired, u32 rows, u32 pitch,
    GLOBAL const u32 *RESTRICT quads, GLOBAL u32 *RESTRICT samples)
{
    u32 quad = p->columns > 0 ? *quads : 0, wrong = 0;
    ROLL for (u32 y = 1; y <= rows; y++)
    {
        u32 here = quad;
        quads += pitch;
        quad = y < rows && p->columns > 0 ? *quads : 0;
        wrong |= decode_plain_row(b, p, paired, here, samples);
    }
    return wrong;
}

/* Decode a plain block. Returns whether it is damaged. The whole work-group calls it. */
FUNCTION u32 decode_plain(struct sample_bits *b, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL const u32 *RESTRICT states, u32 origin, GLOBAL u32 *RESTRICT samples)
{
    u32 rows = (block->height + 1u) / 2, pitch = J2K_QUAD_PITCH((block->width + 1u) / 2);
    struct plain_block p = start_plain(block, b, origin);
    GLOBAL const u32 *quads = states + block->state + lane_index();
    u32 wrong = p.narrow && (block->width | block->height) % 2 == 0
                    ? decode_plain_rows(b, &p, 1, rows, pitch, quads, samples)
                    : decode_plain_rows(b, &p, 0, rows, pitch, quads, samples);
    wrong |= p.largest >> 1 >= 0x7FFFFFFFu >> (31 - p.bits);
    return lane_ballot(b->scratch, wrong) != 0 || b->used > b->limit;
}
