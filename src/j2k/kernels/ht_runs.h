/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits that MEL takes for events (T.814, 7.3.3). They depend on the coder's state, so that events follow
 * each other; but the state has few values. A warp therefore divides the events into three parts and counts the second
 * and the third from each state at once, a lane for each. What the second part takes is known as soon as the first has
 * ended, and likewise the third.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_events.h"

/* Holds the state of MEL, and the number of bits so far. */
struct mel_count {
    u32 state, start; /* `start`: number of zeros that it takes to get to the state */
    u32 bits;
};

/* Count full runs of `zeros`. Returns the entry of their end; *rest receives the zeros that are left. */
FUNCTION u32 count_full_runs(struct mel_count *m, u32 zeros, u32 *rest)
{
    u32 all = m->start + zeros, entry = mel_states[all < MEL_MOST ? all : MEL_MOST], over = all - MEL_START(entry);
    m->bits += MEL_STATE_OF(entry) - m->state + (over >> MEL_EXPONENT(entry));
    *rest = over & ((1u << MEL_EXPONENT(entry)) - 1);
    return entry;
}

/* Count zeros, and a one behind them. */
FUNCTION void count_run(struct mel_count *m, u32 zeros)
{
    u32 rest, entry = count_full_runs(m, zeros, &rest);
    m->bits += 1 + MEL_EXPONENT(entry);
    m->state = MEL_STATE_OF(entry) - (MEL_STATE_OF(entry) > 0 ? 1 : 0);
    m->start = MEL_BELOW(entry);
}

/* Return the number of zeros between the last one in front of a word of events, or the first event, and the word. */
FUNCTION u32 zeros_before(LOCAL const u32 *events, u32 word)
{
    u32 zeros = 0;
    for (; word > 0 && events[word - 1] == 0; word--)
        zeros += 32;
    return word > 0 ? zeros + leading_zeros(events[word - 1]) : zeros;
}

/* Count the ones of some words of events, and the zeros in front of them. */
FUNCTION void count_words(struct mel_count *m, LOCAL const u32 *events, u32 word, u32 end)
{
    u32 zeros = zeros_before(events, word);
    for (; word < end; word++) {
        u32 bits = events[word], left = 32;
        while (bits != 0) {
            u32 before = lowest_bit(bits);
            count_run(m, zeros + before);
            zeros = 0;
            bits = bits >> before >> 1;
            left -= before + 1;
        }
        zeros += left;
    }
}

FUNCTION u32 at_most(u32 x, u32 most)
{
    return x < most ? x : most;
}

/*
 * Return the bits of MEL of all events; the words behind them are 0. The whole work-group, which has 32 work-items,
 * calls this.
 */
FUNCTION u32 count_events(LOCAL const u32 *events, u32 count, LOCAL u32 *scratch)
{
    const u32 lane = lane_index(), words = (count + 31) / 32, third = (words + 2) / 3;
    struct mel_count m;
    u32 part = (lane + J2K_HT_MEL_STATES - 1) / J2K_HT_MEL_STATES; /* the first part has one lane */
    m.state = part > 0 ? (lane - 1) % J2K_HT_MEL_STATES : 0;
    m.start = mel_starts[m.state];
    m.bits = 0;
    if (part < 3)
        count_words(&m, events, at_most(part * third, words), at_most((part + 1) * third, words));
    u32 second = 1 + lane_shuffle(scratch, m.state, 0);
    u32 last = 1 + J2K_HT_MEL_STATES + lane_shuffle(scratch, m.state, second);
    u32 sum = lane_shuffle(scratch, m.bits, 0) + lane_shuffle(scratch, m.bits, second), rest;
    m.bits = sum + lane_shuffle(scratch, m.bits, last);
    m.state = lane_shuffle(scratch, m.state, last);
    m.start = mel_starts[m.state];
    count_full_runs(&m, zeros_before(events, words) - (32 * words - count), &rest);
    return m.bits + (rest > 0 ? 1 : 0);
}
