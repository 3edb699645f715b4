/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes the events of MEL (T.814, 7.3.3) with a work-group of 32. What a run of zeros and the one behind it take
 * depends on the coder's state, and so does the next state; but that follows from the first one by a table. Therefore
 * each work-item takes a run, finds its state from those of the runs before it, and writes its bits to where a sum of
 * lengths says. Then the bits are stuffed.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_bytes.h"

/*
 * Describes what becomes of a number of zeros that are counted from state 0 on: the state in which they end, its
 * exponent, and how many zeros it takes to get there.
 */
#define MEL_STATE(state, exponent, start) ((start) | (state) << 6 | (exponent) << 10)
#define MEL_START(entry) ((entry)&63)
#define MEL_STATE_OF(entry) ((entry) >> 6 & 15)
#define MEL_EXPONENT(entry) ((entry) >> 10)
#define MEL_TWICE(entry) entry, entry
#define MEL_FOUR(entry) MEL_TWICE(entry), MEL_TWICE(entry)
#define MEL_EIGHT(entry) MEL_FOUR(entry), MEL_FOUR(entry)

enum { MEL_MOST = 53 /* number of zeros that it takes to get to the last state */ };

/* A state has as many entries as its full runs have zeros, but the last state has just one. */
TABLE u32 mel_states[MEL_MOST + 1] = {MEL_STATE(0, 0, 0), MEL_STATE(1, 0, 1), MEL_STATE(2, 0, 2),
    MEL_TWICE(MEL_STATE(3, 1, 3)), MEL_TWICE(MEL_STATE(4, 1, 5)), MEL_TWICE(MEL_STATE(5, 1, 7)),
    MEL_FOUR(MEL_STATE(6, 2, 9)), MEL_FOUR(MEL_STATE(7, 2, 13)), MEL_FOUR(MEL_STATE(8, 2, 17)),
    MEL_EIGHT(MEL_STATE(9, 3, 21)), MEL_EIGHT(MEL_STATE(10, 3, 29)), MEL_EIGHT(MEL_STATE(11, 4, 37)),
    MEL_EIGHT(MEL_STATE(11, 4, 37)), MEL_STATE(12, 5, 53)};

/* The number of zeros that it takes to get to each state. */
TABLE u8 mel_starts[J2K_HT_MEL_STATES] = {0, 1, 2, 3, 5, 7, 9, 13, 17, 21, 29, 37, 53};

/* The state behind a one that follows so many zeros, counted from state 0 on. */
#define MEL_BEHIND(zeros)                                                                                              \
    (((zeros) > 1) + ((zeros) > 2) + ((zeros) > 4) + ((zeros) > 6) + ((zeros) > 8) + ((zeros) > 12) + ((zeros) > 16) + \
        ((zeros) > 20) + ((zeros) > 28) + ((zeros) > 36) + ((zeros) > 52))
#define MEL_BEHIND_FOUR(zeros, a, b, c, d)                                                                             \
    (MEL_BEHIND((zeros) + (a)) | MEL_BEHIND((zeros) + (b)) << 4 | MEL_BEHIND((zeros) + (c)) << 8 |                     \
        MEL_BEHIND((zeros) + (d)) << 12)

/*
 * Four times that state, for each of the twelve states in front of the zeros, in four bits each. The last of them is
 * never in front of a run.
 */
#define MEL_NEXT(zeros)                                                                                                \
    ((u64)MEL_BEHIND_FOUR(zeros, 0, 1, 2, 3) << 2 | (u64)MEL_BEHIND_FOUR(zeros, 5, 7, 9, 13) << 18 |                   \
        (u64)MEL_BEHIND_FOUR(zeros, 17, 21, 29, 37) << 34)
#define MEL_NEXT_NINE(zeros)                                                                                           \
    MEL_NEXT(zeros), MEL_NEXT(zeros + 1), MEL_NEXT(zeros + 2), MEL_NEXT(zeros + 3), MEL_NEXT(zeros + 4),               \
        MEL_NEXT(zeros + 5), MEL_NEXT(zeros + 6), MEL_NEXT(zeros + 7), MEL_NEXT(zeros + 8)

/* For 0–53 zeros; further ones do not change it. */
SPREAD_TABLE u64 mel_next[MEL_MOST + 1] = {
    MEL_NEXT_NINE(0), MEL_NEXT_NINE(9), MEL_NEXT_NINE(18), MEL_NEXT_NINE(27), MEL_NEXT_NINE(36), MEL_NEXT_NINE(45)};

enum {
    CHUNK_BYTES = 4 * LANES, /* bytes that are stuffed together */
    /* Words of the events, which are one for each quad and one for each pair of the first row; one is read behind. */
    EVENT_WORDS = 40 + 1,
    /*
     * Coding them divides its memory, whose places are counted in words. First there are the ends of runs, in 16 bits
     * each; then how states follow each other; then bits, at most one and a half for an event, and zeros that are read
     * behind them; and then bytes.
     */
    EVENT_NEXT = 644,
    EVENT_BITS = EVENT_NEXT + 2 * LANES, /* what is in front of it suffices for counting */
    EVENT_BIT_WORDS = 112,
    EVENT_BYTES = EVENT_BITS + EVENT_BIT_WORDS,
    EVENT_MEMORY = EVENT_BYTES + 128
};

/* Holds MEL: complete bytes, and the bits behind them. The values are the same in all work-items. */
struct event_stream {
    LOCAL u8 *to;
    u32 length;
    u32 byte, room; /* the incomplete byte, and the number of its free bits */
};

/*
 * Return the first byte of a chunk whose highest bit is marked, or CHUNK_BYTES. Each work-item has four bytes. The
 * whole work-group calls this.
 */
FUNCTION u32 first_marked(LOCAL u32 *scratch, u32 marks)
{
    u32 lanes = lane_ballot(scratch, marks != 0), lane = lanes != 0 ? lowest_bit(lanes) : 0;
    u32 there = lane_shuffle(scratch, marks, lane);
    return lanes != 0 ? 4 * lane + lowest_bit(there) / 8 : CHUNK_BYTES;
}

/*
 * Find the ones among events, where runs of zeros end, and the end of the events. Returns the number of ones. The whole
 * work-group calls this.
 */
FUNCTION u32 find_runs(LOCAL const u32 *events, u32 count, LOCAL u32 *memory, LOCAL u32 *scratch)
{
    LOCAL u16 *ends = (LOCAL u16 *)memory;
    u32 words = (count + 31) / 32, found = 0;
    for (u32 first = 0; first < words; first += LANES) {
        u32 word = first + lane_index(), bits = word < words ? events[word] : 0, total;
        u32 at = found + lane_scan(scratch, ones(bits), &total);
        for (; bits != 0; bits &= bits - 1)
            ends[at++] = (u16)(32 * word + lowest_bit(bits));
        found += total;
    }
    if (lane_index() == 0)
        ends[found] = (u16)count;
    barrier_local();
    return found;
}

/* Return four times the state behind a run. */
FUNCTION u32 next_state(u32x2 next, u32 state)
{
    return (u32)(((u64)next.y << 32 | next.x) >> state) & 60;
}

/* Return the bits of a run, the last one in the lowest bit. `is_last`: no one is behind its zeros. */
FUNCTION u64 bits_of_run(u32 state, u32 zeros, u32 is_last, u32 *length)
{
    u32 all = mel_starts[state] + zeros, entry = mel_states[all < MEL_MOST ? all : MEL_MOST];
    u32 exponent = MEL_EXPONENT(entry), over = all - MEL_START(entry), rest = over & ((1u << exponent) - 1);
    u32 full = MEL_STATE_OF(entry) - state + (over >> exponent);
    if (is_last) { /* a run that is longer than the events does no harm */
        *length = full + (rest > 0 ? 1 : 0);
        return ((u64)1 << *length) - 1;
    }
    *length = full + 1 + exponent;
    return (((u64)1 << full) - 1) << (exponent + 1) | rest;
}

/* Join up to 63 bits with words, from bit `place` on, where bit 0 is the highest bit of a word. */
FUNCTION void join_event_bits(LOCAL u32 *words, u32 place, u64 bits, u32 length)
{
    u32 at = place / 32, end = place % 32 + length;
    bits <<= (64 - length) % 64;
    u32 low = (u32)bits, high = (u32)(bits >> 32);
    if (length > 0)
        join_local(&words[at], high >> place % 32);
    if (end > 32)
        join_local(&words[at + 1], shift_pair(low, high, place));
    if (end > 64)
        join_local(&words[at + 2], shift_pair(0, low, place));
}

/*
 * Return four times the state in front of each work-item's run. `own` says how states follow each other in its run,
 * `before` how many runs of others may matter, `first` what the state is in front of all. A barrier must precede the
 * next call. The whole work-group calls this.
 */
FUNCTION u32 find_state(u32x2 own, u32 before, u32 first, LOCAL u32x2 *next)
{
    u32 lane = lane_index(), state = first;
    next[lane] = own;
    barrier_local();
    for (u32 i = 0; i < before; i++) {
        u32 after = next_state(next[i], state);
        state = i < lane ? after : state;
    }
    return state;
}

/*
 * Count the bits of all runs, and join them with words of 0 at EVENT_BITS of the memory if they are `written`. The
 * whole work-group calls this.
 */
FUNCTION u32 code_runs(u32 found, LOCAL u32 *memory, u32 written, LOCAL u32 *scratch)
{
    LOCAL const u16 *ends = (LOCAL const u16 *)memory;
    u32 state = 0, count = 0;
    for (u32 first = 0; first <= found; first += LANES) {
        u32 run = first + lane_index(), runs = found + 1 - first, zeros = 0, length = 0, total;
        if (run <= found)
            zeros = ends[run] - (run > 0 ? ends[run - 1] + 1u : 0);
        u64 packed = mel_next[zeros < MEL_MOST ? zeros : MEL_MOST], bits = 0;
        u32x2 own = make_u32x2((u32)packed, (u32)(packed >> 32));
        state = find_state(
            own, (runs < LANES ? runs : LANES) - 1, state, (LOCAL u32x2 *)(LOCAL void *)(memory + EVENT_NEXT));
        if (run <= found)
            bits = bits_of_run(state / 4, zeros, run == found, &length);
        u32 place = count + lane_scan(scratch, length, &total);
        if (written)
            join_event_bits(memory + EVENT_BITS, place, bits, length);
        count += total;
        state = lane_shuffle(scratch, next_state(own, state), LANES - 1);
        barrier_local();
    }
    return count;
}

/*
 * Return the bits of MEL of all events without stuffed bits; `memory` has EVENT_BITS words. The whole work-group calls
 * this.
 */
FUNCTION u32 count_events(LOCAL const u32 *events, u32 count, LOCAL u32 *memory, LOCAL u32 *scratch)
{
    return code_runs(find_runs(events, count, memory, scratch), memory, 0, scratch);
}

/* Return 32 bits from bit `place` on, where bit 0 is the highest bit of a word. */
FUNCTION u32 event_bits_at(LOCAL const u32 *words, u32 place)
{
    return funnel(words[place / 32], words[place / 32 + 1], place % 32);
}

/* Stuff the bits of MEL: a byte behind FF has only seven. The whole work-group calls this. */
FUNCTION void stuff_events(struct event_stream *s, LOCAL const u32 *words, u32 count, LOCAL u32 *scratch)
{
    u32 lane = lane_index(), place = 0, after = 0; /* after: 1 behind FF */
    s->length = 0;
    for (u32 left = count / 8; left > 0; left = (count - place + after) / 8) {
        u32 bytes = swap_bytes(event_bits_at(words, place - after + 32 * lane));
        if (after && lane == 0)
            bytes &= ~128u;
        u32 full = first_marked(scratch, stuffed_forward(bytes)), end = full < left ? full + 1 : left;
        end = end < CHUNK_BYTES ? end : CHUNK_BYTES;
        UNROLL for (u32 i = 0; i < 4; i++) if (4 * lane + i < end) s->to[s->length + 4 * lane + i] =
            (u8)(bytes >> 8 * i);
        place += 8 * end - after;
        s->length += end;
        after = full < end;
    }
    s->byte = event_bits_at(words, place) >> 1 >> (31 - (count - place));
    s->room = 8 - after - (count - place);
}

/* Code all events; `memory` has EVENT_MEMORY words. The whole work-group calls this. */
FUNCTION void end_events(
    struct event_stream *s, LOCAL const u32 *events, u32 count, LOCAL u32 *memory, LOCAL u32 *scratch)
{
    LOCAL u32x4 *bits = (LOCAL u32x4 *)(LOCAL void *)(memory + EVENT_BITS);
    s->to = (LOCAL u8 *)(memory + EVENT_BYTES);
    if (lane_index() < EVENT_BIT_WORDS / 4)
        bits[lane_index()] = make_u32x4(0, 0, 0, 0);
    u32 found = find_runs(events, count, memory, scratch);
    stuff_events(s, memory + EVENT_BITS, code_runs(found, memory, 1, scratch), scratch);
}
