/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the refinement passes of T.814 code-blocks (7.4, 7.5): significance propagation makes samples significant,
 * and magnitude refinement gives the samples of the cleanup pass one more bit. A work-group decodes a block, with one
 * work-item for each pass.
 */
#include "j2k/kernels/ht_groups.h"
#include "j2k/kernels/ht_samples.h"

/* Holds the bits of a pass; behind the last byte there are zeros. */
struct pass_bits {
    LOCAL const u8 *bytes;
    u32 at, length; /* number of bytes that were taken, and of all bytes */
    u32 backward;   /* whether bytes are taken from the last one to the first */
    u32 last, bits, count;
};

FUNCTION void start_pass(struct pass_bits *p, LOCAL const u8 *bytes, u32 length, u32 backward)
{
    p->bytes = bytes;
    p->length = length;
    p->backward = backward;
    p->last = backward ? 0xFF : 0;
    p->at = p->bits = p->count = 0;
}

FUNCTION u32 take_pass_bit(struct pass_bits *p)
{
    if (p->count == 0) {
        u32 byte = 0;
        if (p->at < p->length)
            byte = p->bytes[p->backward ? p->length - 1 - p->at : p->at];
        u32 stuffed = p->backward ? stuffed_backward(byte, p->last) : stuffed_forward(p->last);
        p->count = (stuffed & 0x80) != 0 ? 7 : 8;
        p->bits = byte;
        p->last = byte;
        p->at += p->at < p->length ? 1 : 0;
    }
    u32 bit = p->bits & 1;
    p->bits >>= 1;
    p->count--;
    return bit;
}

/* Return the samples of two quads as two rows of a group. */
FUNCTION u32 half_group(u32 left, u32 right)
{
    return (left & 3) | (left & 12) << 2 | (right & 3) << 8 | (right & 12) << 10;
}

FUNCTION u32 inside_block(GLOBAL const struct j2k_work_ht_block *block, u32 stripe, u32 group)
{
    return inside_group(block->width, block->height, stripe, group);
}

FUNCTION u32 significant_group(
    GLOBAL const struct j2k_work_ht_block *block, GLOBAL const u32 *RESTRICT quads, u32 stripe, u32 group)
{
    u32 pitch = J2K_QUAD_PITCH((block->width + 1u) / 2), at = 2 * stripe * pitch + 2 * group;
    u32 bits = half_group(J2K_QUAD_RHO(quads[at]), J2K_QUAD_RHO(quads[at + 1]));
    if (4 * stripe + 2 < block->height)
        bits |= half_group(J2K_QUAD_RHO(quads[at + pitch]), J2K_QUAD_RHO(quads[at + pitch + 1])) << 2;
    return bits & inside_block(block, stripe, group);
}

FUNCTION void fill_groups(
    const struct ht_groups *g, GLOBAL const struct j2k_work_ht_block *block, GLOBAL const u32 *RESTRICT quads)
{
    for (u32 i = local_index(); i < (g->stripes + 2) * g->pitch; i += J2K_REFINE_GROUP) {
        u32 stripe = i / g->pitch - 1, group = i % g->pitch - 1;
        g->fresh[i] = 0;
        g->now[i] = stripe < g->stripes && group < g->columns ? (u16)significant_group(block, quads, stripe, group) : 0;
    }
}

/*
 * Decode a group of significance propagation. Returns the samples that become significant; their signs follow in the
 * stream.
 */
FUNCTION u32 spread_group(const struct ht_groups *g, struct pass_bits *p, u32 at, u32 inside, u32 causal)
{
    u32 open = inside & ~(u32)g->now[at], next = open & near_significant(g, at, causal), seen = next, fresh = 0;
    while (next != 0) {
        u32 bit = next & (0u - next);
        next ^= bit;
        if (take_pass_bit(p)) {
            u32 more = open & ~seen & grown(bit) & (0u - bit);
            fresh |= bit;
            seen |= more;
            next |= more;
        }
    }
    g->fresh[at] = (u16)fresh;
    return fresh;
}

FUNCTION void spread_significance(const struct ht_groups *g, struct pass_bits *p,
    GLOBAL const struct j2k_work_ht_block *block, GLOBAL u32 *RESTRICT samples)
{
    for (u32 stripe = 0; stripe < g->stripes; stripe++)
        for (u32 group = 0; group < g->columns; group++) {
            u32 at = (stripe + 1) * g->pitch + group + 1;
            u32 fresh = spread_group(g, p, at, inside_block(block, stripe, group), block->causal);
            for (; fresh != 0; fresh &= fresh - 1) {
                u32 bit = lowest_bit(fresh), negative = take_pass_bit(p);
                put_coefficient(block, 4 * group + bit / 4, 4 * stripe + bit % 4,
                    ht_coefficient(block, 1, block->plane - 1u, negative), samples);
            }
        }
}

FUNCTION void refine_magnitudes(const struct ht_groups *g, struct pass_bits *p,
    GLOBAL const struct j2k_work_ht_block *block, GLOBAL const u32 *RESTRICT kept, GLOBAL u32 *RESTRICT samples)
{
    for (u32 stripe = 0; stripe < g->stripes; stripe++)
        for (u32 group = 0; group < g->columns; group++) {
            u32 left = g->now[(stripe + 1) * g->pitch + group + 1];
            for (; left != 0; left &= left - 1) {
                u32 bit = lowest_bit(left), x = 4 * group + bit / 4, y = 4 * stripe + bit % 4;
                u32 value = kept[y * block->width + x], magnitude = value << 1 | take_pass_bit(p);
                put_coefficient(block, x, y, ht_coefficient(block, magnitude, block->plane - 1u, value >> 31), samples);
            }
        }
}

/* Copy the bytes of both passes to the work-group's memory. */
FUNCTION void fetch_refinement(GLOBAL const u32 *RESTRICT work, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL const u32 *RESTRICT streams, LOCAL u8 *bytes)
{
    GLOBAL const struct j2k_work_piece *piece = (GLOBAL const struct j2k_work_piece *)(work + block->piece);
    for (u32 k = 0, at = 0; k < block->pieces; at += piece[k].length, k++)
        for (u32 i = local_index(); i < piece[k].length; i += J2K_REFINE_GROUP)
            bytes[at + i] = (u8)byte_at(streams, piece[k].offset + i);
}

/* Refine the samples of all blocks that have refinement passes and no damage. */
KERNEL(J2K_REFINE_GROUP)
refine_samples(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL const u32 *RESTRICT states,
    GLOBAL const u32 *RESTRICT damaged, GLOBAL u32 *RESTRICT samples)
{
    SHARED u16 now[GROUPS_MOST];
    SHARED u16 fresh[GROUPS_MOST];
    SHARED u8 bytes[J2K_HT_REFINEMENT_MOST];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const struct j2k_work_ht_block *block =
        (GLOBAL const struct j2k_work_ht_block *)(work + head->ht_block) + group_index();
    u32 refined = block->passes > 1 && !damaged[head->blocks + group_index()];
    GLOBAL const u32 *quads = states + block->state;
    struct ht_groups g;
    struct pass_bits p;
    g.now = now;
    g.fresh = fresh;
    g.columns = (block->width + 3u) / 4;
    g.stripes = (block->height + 3u) / 4;
    g.pitch = g.columns + 2;
    if (refined) {
        fill_groups(&g, block, quads);
        fetch_refinement(work, block, streams, bytes);
    }
    barrier_local();
    u32 rows = (block->height + 1u) / 2, columns = (block->width + 1u) / 2;
    start_pass(&p, bytes, block->refinement, local_index() > 0);
    if (refined && local_index() == 0)
        spread_significance(&g, &p, block, samples);
    else if (refined && local_index() == 1 && block->passes > 2)
        refine_magnitudes(&g, &p, block, quads + J2K_QUAD_PITCH(columns) * rows, samples);
}
