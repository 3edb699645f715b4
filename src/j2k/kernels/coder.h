/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the MQ decoder (T.800 C.3) and the reader of raw bits (D.6), which read gathered segments, and checks how
 * segments end.
 */
#include "j2k/kernels/lookup.h"
#include "j2k/kernels/work.h"

/*
 * Holds the state of a decoder between two symbols. `high` holds Chigh in its upper half and the next 16 bits in its
 * lower half; `low` holds the bits that follow, at its upper end. In a raw segment, bits are taken from the upper end
 * of `high`.
 */
struct mq_decoder {
    u32 range; /* A, in the upper half */
    u32 high, low;
    i32 available; /* number of bits in `low`, −15 to 32; a negative number says how many bits `high` lacks */
    u32 ahead;     /* the word that follows `low` */
    u32 next;      /* index of that word, which is also counted beyond the end */
    u32 words;     /* number of words; all bits behind them are ones */
    GLOBAL const u32 *bits;
};

FUNCTION u32 word_at(const struct mq_decoder *c, u32 index)
{
    return index < c->words ? c->bits[index] : 0xFFFFFFFFu;
}

FUNCTION void start_coder(struct mq_decoder *c, GLOBAL const u32 *segment)
{
    u32 count = segment[0] & ~(J2K_ENDED | J2K_MARKED);
    c->bits = segment + J2K_SEGMENT_HEAD;
    c->words = (count + 31) / 32;
    c->range = 0x80000000u;
    c->high = word_at(c, 0);
    c->low = word_at(c, 1);
    c->ahead = word_at(c, 2);
    c->available = 32;
    c->next = 2;
}

/* Return the number of bits that were shifted in, not counting the lower half of `high`. */
FUNCTION i32 coder_place(const struct mq_decoder *c)
{
    return (i32)(c->next * 32) - c->available - 16;
}

FUNCTION void shift_coder(struct mq_decoder *c, u32 shift)
{
    c->high = funnel(c->high, c->low, shift);
    c->low <<= shift;
    c->available -= (i32)shift;
    if (c->available < 0) {
        u32 missing = (u32)-c->available;
        c->high |= c->ahead >> (32 - missing);
        c->low = c->ahead << missing;
        c->available += 32;
        c->next++;
        c->ahead = word_at(c, c->next);
    }
}

/*
 * Decode one symbol (DECODE, C.3.2). `context` is the work-item's copy of the context's state; `next` is as in struct
 * lookup_tables.
 */
FUNCTION u32 decode_symbol(struct mq_decoder *c, local_place context, local_place next)
{
    u32 state = local_word(context), estimate = state & STATE_ESTIMATE, range = c->range - estimate;
    u32x2 after = local_pair(next + (state & STATE_PLACE));
    u32 rest = c->high - estimate, lower = c->high < estimate, less = (u32)(range < estimate) ^ lower;
    c->high = lower ? c->high : rest;
    range = lower ? estimate : range;
    u32 shift = top_zeros(range);
    if (shift > 0)
        put_local_word(context, less ? after.y : after.x);
    c->range = range << shift;
    shift_coder(c, shift);
    return less ? (i32)state >= 0 : (i32)state < 0;
}

FUNCTION u32 raw_bit(struct mq_decoder *c)
{
    u32 bit = c->high >> 31;
    shift_coder(c, 1);
    return bit;
}

/*
 * Check predictable termination (D.4.2): whether the decoder has reached the end of the bits and not gone far beyond,
 * and, with the next function, whether the data can have been terminated in that way. The rules are those of the CPU's
 * decoder.
 */
FUNCTION u32 coder_used_up(const struct mq_decoder *c, GLOBAL const u32 *segment)
{
    i32 left = coder_place(c) - (i32)(segment[0] & ~(J2K_ENDED | J2K_MARKED));
    return (segment[0] & J2K_ENDED) != 0 && left >= 0 && left <= 48;
}

FUNCTION u32 coder_ended_predictably(const struct mq_decoder *c, GLOBAL const u32 *segment)
{
    i32 left = coder_place(c) - (i32)(segment[0] & ~(J2K_ENDED | J2K_MARKED));
    if ((segment[0] & J2K_ENDED) == 0 || left < 7 || left > 23 || c->high >> 31 != 0)
        return 0;
    u32 spare = left < 15 ? (1u << (15 - left)) - 1 : 0;
    return left >= 16 || c->high >> (16 + left) == 0 || (segment[1] & spare) == spare;
}

/* Holds the end of a raw segment: how many bits it has, how many were taken, and where its last byte begins. */
struct raw_end {
    i32 taken, total, last;
    u32 ended, marked, stuffed; /* ended and marked as in the head; stuffed: the last byte follows 0xFF */
};

FUNCTION struct raw_end find_raw_end(const struct mq_decoder *c, GLOBAL const u32 *segment)
{
    struct raw_end e;
    e.taken = coder_place(c) - 16;
    e.total = (i32)(segment[0] & ~(J2K_ENDED | J2K_MARKED));
    e.ended = (segment[0] & J2K_ENDED) != 0;
    e.marked = (segment[0] & J2K_MARKED) != 0;
    e.stuffed = segment[1] >> 8 == 0xFF;
    e.last = e.ended && e.total > 0 ? e.total - (e.stuffed ? 7 : 8) : e.total;
    return e;
}

/* Return whether only the last byte is left, and it can only hold bits that keep 0xFF from being the last byte. */
FUNCTION u32 raw_before_last(const struct raw_end *e)
{
    return e->taken == e->last && e->stuffed && (e->marked || (e->ended && e->total > 0));
}

FUNCTION u32 raw_used_up(const struct mq_decoder *c, GLOBAL const u32 *segment)
{
    struct raw_end e = find_raw_end(c, segment);
    if (e.ended && e.total == 0)
        return 1;
    return e.taken > e.last || raw_before_last(&e);
}

FUNCTION u32 raw_ended_predictably(const struct mq_decoder *c, GLOBAL const u32 *segment)
{
    struct raw_end e = find_raw_end(c, segment);
    if (e.taken > e.total)
        return (e.taken - e.total) % 8 == 0;
    if (raw_before_last(&e))
        return (segment[1] & 0x7F) == 0x2A;
    if (!e.ended || (e.taken <= e.last && e.total > 0))
        return 0;
    u32 bits = (u32)(e.total - e.taken), mask = (1u << bits) - 1;
    return (segment[1] & mask) == (0x55u >> (8 - bits) & mask);
}
