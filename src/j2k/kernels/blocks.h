/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the kernel of tier-1 decoding, in which each work-item decodes a code-block from gathered segments to words of
 * bits.
 */
#include "j2k/kernels/passes.h"

/* Says how far a block has been decoded. */
struct block_progress {
    u32 pass;  /* number of passes that were decoded */
    u32 good;  /* number of these in front of the damage */
    u32 wrong; /* whether there was damage */
};

FUNCTION u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

FUNCTION void clear_state(struct block_state *b)
{
    u32 at = b->first - b->lanes, end = at + b->stripes * b->pitch;
    for (; at != end; at += b->lanes) {
        *record_at(b, at) = make_u32x4(0, 0, 0, 0);
        b->states[at + b->refined] = 0;
    }
    *record_at(b, end) = make_u32x4(0, 0, 0, 0);
}

/* Decode one pass. Returns 0 if its segmentation symbol is wrong. */
FUNCTION u32 decode_pass(struct block_state *b, u32 style, u32 pass)
{
    u32 plane = (pass + 2) / 3, good = 1;
    b->plane = b->refined + (1 + plane) * b->room;
    if (pass % 3 == 1) {
        if (b->raw)
            walk_new(b, PASS_SIGNIFICANCE, 1, 0);
        else
            walk_new(b, PASS_SIGNIFICANCE, 0, 0);
    } else if (pass % 3 == 2) {
        if (b->raw)
            walk_refinement(b, 1);
        else
            walk_refinement(b, 0);
    } else {
        walk_new(b, PASS_CLEANUP, 0, pass == 0);
        if ((style & J2K_STYLE_SYMBOLS) != 0)
            good = right_symbol(b);
    }
    if ((style & J2K_STYLE_RESET) != 0 && !b->raw)
        reset_contexts(b);
    return good;
}

FUNCTION u32 ended_well(const struct block_state *b, u32 style, GLOBAL const u32 *segment)
{
    if ((style & J2K_STYLE_TERMALL) == 0)
        return b->raw ? raw_used_up(&b->coder, segment) : coder_used_up(&b->coder, segment);
    return b->raw ? raw_ended_predictably(&b->coder, segment) : coder_ended_predictably(&b->coder, segment);
}

/* Decode up to `limit` passes, checking for damage in the same order as the CPU's decoder. */
FUNCTION struct block_progress decode_passes(struct block_state *b, GLOBAL const struct j2k_work_block *block,
    GLOBAL const struct j2k_work_codeword *s, GLOBAL const u32 *RESTRICT bits, u32 limit)
{
    u32 style = block->style, most = 3 * block->planes - 2, segments = block->segments, left = 0, first = 0, index = 0;
    struct block_progress p;
    GLOBAL const u32 *segment = bits;
    p.pass = p.good = p.wrong = 0;
    clear_state(b);
    reset_contexts(b);
    while (p.wrong == 0 && index < segments) {
        if (left == 0) {
            segment = bits + s[index].bits;
            left = s[index].passes;
            first = p.pass;
            b->raw = j2k_pass_is_raw(style, p.pass);
            start_coder(&b->coder, segment);
        }
        p.good = p.pass;
        if (p.pass == limit)
            break;
        if (p.pass >= most || j2k_pass_is_raw(style, p.pass) != b->raw) {
            p.wrong = 1;
            break;
        }
        u32 good = decode_pass(b, style, p.pass);
        p.pass++;
        left--;
        if (!good) {
            p.good = p.pass > 3 ? p.pass - 3 : 0; /* the symbol confirms its whole plane */
            p.wrong = 1;
        } else if (left == 0) {
            p.good = segments > 1 ? first : p.pass;
            index++;
            u32 ends = !block->cut || index < segments;
            p.wrong = ends && (style & J2K_STYLE_PREDICTABLE) != 0 && !ended_well(b, style, segment);
        }
    }
    return p;
}

FUNCTION void find_state(struct block_state *b, GLOBAL const struct j2k_work_bundle *bundle,
    GLOBAL const struct j2k_work_block *block, GLOBAL u32 *states, u32 lane)
{
    u32 lanes = bundle->lanes, last = (block->width - 1) % J2K_WORD_COLUMNS + 1;
    b->lanes = lanes;
    b->pitch = J2K_PITCH(bundle->width) * lanes;
    b->room = b->pitch * bundle->stripes + lanes;
    b->states = states;
    b->first = bundle->state / 4 + lanes + lane;
    b->visited = bundle->state - bundle->state / 4 + 4 * b->room;
    b->refined = b->visited + b->room;
    b->span = (J2K_PITCH(block->width) - 1) * lanes;
    b->height = block->height;
    b->stripes = (b->height + 3) / 4;
    b->last_columns = 0xFFFFFFFFu >> (32 - 4 * last);
    b->causal = (block->style & J2K_STYLE_CAUSAL) != 0;
}

/*
 * Decode a block. If it is damaged, it is decoded again, up to the damage. Returns the number of passes that the words
 * then hold.
 */
FUNCTION u32 decode_block(struct block_state *b, GLOBAL const u32 *RESTRICT work,
    GLOBAL const struct j2k_work_block *block, GLOBAL const u32 *RESTRICT bits, GLOBAL u32 *damage)
{
    GLOBAL const struct j2k_work_codeword *s = (GLOBAL const struct j2k_work_codeword *)(work + block->segment);
    u32 limit = 0xFFFFFFFFu, done = 0, wrong = block->too_deep, again = !block->too_deep;
    while (again) {
        struct block_progress p = decode_passes(b, block, s, bits, limit);
        done = p.pass;
        wrong |= p.wrong;
        again = p.wrong && p.good != p.pass;
        limit = p.good;
    }
    if (wrong) {
        GLOBAL u32 *counts = damage + block->picture * J2K_WORK_DAMAGE;
        count_up(counts, 1);
        atomic_least(counts + 1, block->offset);
    }
    return done;
}

/*
 * Decode all blocks pass by pass, except for those that decode_waves() has decoded without damage. `passes` gets the
 * number of decoded passes of each sorted block.
 */
DENSE_KERNEL(J2K_DECODE_GROUP, 5)
decode_blocks(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bits, GLOBAL u32 *states,
    GLOBAL u32 *RESTRICT passes, GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 contexts[J2K_CONTEXTS * J2K_DECODE_GROUP];
    SHARED u32x2 next[J2K_MQ_STATES];
    SHARED u8 zero[ZERO_TABLES * AROUND_TABLE];
    SHARED u8 sign[AROUND_TABLE];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    u32 lane = local_index() % J2K_BUNDLE;
    u32 index = group_index() * (J2K_DECODE_GROUP / J2K_BUNDLE) + local_index() / J2K_BUNDLE;
    fill_tables(zero, sign, next, J2K_DECODE_GROUP);
    barrier_local();
    if (index < head->bundles) {
        GLOBAL const struct j2k_work_bundle *bundle =
            (GLOBAL const struct j2k_work_bundle *)(work + head->bundle) + index;
        u32 number = bundle->block + lane;
        if (lane < bundle->blocks && (bundle->flights == 0 || passes[number] == J2K_AGAIN)) {
            GLOBAL const struct j2k_work_block *block =
                (GLOBAL const struct j2k_work_block *)(work + head->block) + number;
            struct block_state b;
            u32 origin = head->origin;
            b.tables.zero = as_local_place(zero + block->contexts * AROUND_TABLE, origin);
            b.tables.sign = as_local_place(sign, origin);
            b.tables.next = as_local_place(next, origin);
            b.contexts = as_local_place(contexts + local_index(), origin);
            find_state(&b, bundle, block, states, lane);
            passes[number] = decode_block(&b, work, block, bits, damage);
        }
    }
}
