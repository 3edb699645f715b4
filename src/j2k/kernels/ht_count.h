/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of a cleanup pass of T.814 without stuffed bits. Each work-item adds up the lengths of MagSgn and VLC
 * of its pairs; only the events of MEL are written, because their number of bits depends on their order.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_code.h"
#include "j2k/kernels/ht_runs.h"

/* Holds the state of a block. All values but `bits` are the same in all work-items. */
struct block_counting {
    LOCAL u32 *events, *edges, *scratch;
    u32 event_count;
    u32 bits; /* bits of MagSgn and VLC of this work-item's pairs */
};

/* Count a step of 32 pairs. The whole work-group calls it. */
FUNCTION void count_step(struct block_counting *c, GLOBAL const struct j2k_work_coded_block *block,
    const struct pair_place *p, const struct pair_samples *s)
{
    struct coded_quad quad[2];
    struct code_bits codes, events;
    u32 sum;
    code_pair(block, p, s, c->edges, quad);
    collect_codes(quad, p->pair < p->across, &codes, &events);
    c->bits += signs_length(&quad[0]) + signs_length(&quad[1]) + codes.count;
    u32 before = lane_scan(c->scratch, events.count, &sum);
    if (events.value != 0)
        write_bits(c->events, c->event_count + before, events.value);
    c->event_count += sum;
}

/* Return the largest of `largest` and the magnitudes of a pair of real numbers, as bits of single-precision numbers. */
LARGE_FUNCTION u32 largest_of_pair(const u32 *sample, u32 largest)
{
    UNROLL for (u32 k = 0; k < PAIR_SAMPLES; k++) largest = larger(largest, sample[k] & 0x7FFFFFFFu);
    return largest;
}

/*
 * Count all pairs of a block. Returns the largest magnitude of this work-item's pairs, less 1. The whole work-group
 * calls this.
 */
FUNCTION i32 count_pairs(struct block_counting *c, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *RESTRICT samples, u32 factor, u32 *largest)
{
    u32 sample[PAIR_SAMPLES];
    struct pair_place p = first_pair(block);
    u32 steps = (p.count + LANES - 1) / LANES;
#if HAS_WARPS
    u32 empty = PAIRS_MOST; /* as if there were steps without samples in front of the block */
#endif
    i32 most = -1;
    load_pair(block, &p, samples, sample);
    for (u32 i = 0; i < steps; i++) {
        struct pair_samples s;
        struct pair_place here = p;
        *largest = largest_of_pair(sample, *largest);
        take_pair(block, &here, float_of(factor), sample, &s);
        next_pair(&p);
        load_pair(block, &p, samples, sample); /* needed only in the next step */
        most = greatest(most, greatest(s.most[0], s.most[1]));
#if HAS_WARPS /* elsewhere compiling this takes longer than it saves */
        u32 passed = pass_step(block, &here, s.rho, c->edges, c->scratch, &empty);
        c->event_count += passed;
        if (passed > 0)
            continue;
#endif
        count_step(c, block, &here, &s);
    }
    return most;
}

/* Return whether the quantiser makes all of a block's real coefficients 0, as far as is known. */
FUNCTION u32 is_nothing(GLOBAL const struct j2k_work_coded_block *block, u32 largest, u32 factor)
{
    return !block->exact && float_of(largest) * float_of(factor) < 1.0f;
}

/*
 * Count the bits of the blocks of a list with the factors of their bands. `list` begins with a struct j2k_count_work.
 * `found` has a struct j2k_work_counted_block for each block, which is left unchanged if the factor of its band is 0.
 * The largest coefficient that one count finds lets later counts skip blocks whose coefficients all become 0.
 */
DENSE_KERNEL(J2K_HT_CODE_GROUP, HT_CODE_GROUPS)
count_ht_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT found)
{
    SHARED u32 edges[PAIRS_MOST];
    SHARED u32 events[EVENT_WORDS];
    SHARED u32 scratch[J2K_HT_CODE_GROUP];
    SHARED u32 sum[1];
    GLOBAL const struct j2k_count_work *head = (GLOBAL const struct j2k_count_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    GLOBAL struct j2k_work_counted_block *to = (GLOBAL struct j2k_work_counted_block *)found + group_index();
    const u32 factor = list[head->factor + block->band];
    struct block_counting c;
    u32 largest = 0;
    if (factor == 0)
        return;
    if (is_nothing(block, to->largest, factor)) {
        if (local_index() == 0)
            to->bits = 0;
        return;
    }
    for (u32 i = local_index(); i < EVENT_WORDS; i += J2K_HT_CODE_GROUP)
        events[i] = 0;
    if (local_index() == 0)
        sum[0] = 0;
    c.events = events;
    c.edges = edges;
    c.scratch = scratch;
    c.event_count = c.bits = 0;
    barrier_all(); /* all work-items have read `found`, which is written at the end */
    u32 any = lane_ballot(scratch, count_pairs(&c, block, samples, factor, &largest) >= 0);
    largest = ~lane_least(scratch, ~largest);
    barrier_local();
    add_up_local(&sum[0], c.bits);
    barrier_local();
    u32 bits = any != 0 ? count_events(events, c.event_count, scratch) : 0;
    if (local_index() == 0) {
        to->bits = any != 0 ? sum[0] + bits : 0;
        to->largest = block->exact ? 0xFFFFFFFFu : largest;
    }
}
