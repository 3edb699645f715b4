/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of a cleanup pass of T.814 without stuffed bits. Each work-item adds up the lengths of MagSgn and VLC
 * of its pairs; only the events of MEL are written, because their number of bits depends on their order.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_code.h"

/* The memory of a block, in words: edges, instead of which runs of events are kept; and events. */
enum { COUNT_EVENTS = EVENT_BITS, COUNT_WORDS = (COUNT_EVENTS + EVENT_WORDS + 3) / 4 * 4 };

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
    struct pair_steps steps;
    start_steps(&steps, block, samples);
    for (u32 i = 0; i < steps.next.count; i += LANES) {
        struct pair_samples s;
        struct pair_place here = steps.next;
        *largest = largest_of_pair(steps.sample, *largest);
        take_step(&steps, block, samples, factor, &s);
#if HAS_WARPS
        u32 passed = pass_step(&steps, block, &here, s.rho, c->edges, c->scratch);
        c->event_count += passed;
        if (passed > 0)
            continue;
#endif
        count_step(c, block, &here, &s);
    }
    return steps.most;
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
    SHARED u32x4 memory[COUNT_WORDS / 4];
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
    c.edges = (LOCAL u32 *)(LOCAL void *)memory;
    c.events = c.edges + COUNT_EVENTS;
    UNROLL for (u32 i = 0; i < EVENT_WORDS; i += LANES) if (i + lane_index() < EVENT_WORDS) c.events[i + lane_index()] =
        0;
    if (local_index() == 0)
        sum[0] = 0;
    c.scratch = scratch;
    c.event_count = c.bits = 0;
    barrier_all(); /* all work-items have read `found`, which is written at the end */
    u32 any = lane_ballot(scratch, count_pairs(&c, block, samples, factor, &largest) >= 0);
    largest = ~lane_least(scratch, ~largest);
    barrier_local();
    add_up_local(&sum[0], c.bits);
    barrier_local();
    u32 bits = any != 0 ? count_events(c.events, c.event_count, c.edges, scratch) : 0;
    if (local_index() == 0) {
        to->bits = any != 0 ? sum[0] + bits : 0;
        to->largest = block->exact ? 0xFFFFFFFFu : largest;
    }
}
