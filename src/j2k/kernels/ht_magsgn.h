/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads MagSgn of T.814 code-blocks (7.1.3): a work-group of 32 removes the stuffed bits of 128 bytes at a time, and
 * puts the others into a ring in its memory, from which work-items take bits at any place.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_bytes.h"
#include "j2k/kernels/work.h"

enum {
    RING_WORDS = 256, /* enough for the bits of 32 quads and of two chunks */
    CHUNK_BYTES = 4 * J2K_SAMPLE_GROUP
};

/* Holds the part of MagSgn that is in the ring, without stuffed bits. */
struct sample_bits {
    GLOBAL const u32 *streams;
    LOCAL u32 *ring, *scratch;
    u32 at, end;   /* places of this work-item's next four bytes, and of the byte behind MagSgn */
    u32 low, high; /* words that hold those four bytes */
    u32 last;      /* the byte in front of the chunk; only used by the first work-item */
    u32 count;     /* number of bits that were put into the ring */
    u32 used;      /* number of bits that were taken from it */
    u32 limit;     /* number of bits that may be taken: those of MagSgn and of one byte FF */
};

FUNCTION void load_chunk(struct sample_bits *b)
{
    if (b->at < b->end) {
        b->low = b->streams[b->at / 4];
        b->high = b->streams[b->at / 4 + 1];
    }
}

FUNCTION void start_samples(struct sample_bits *b, GLOBAL const u32 *streams, u32 from, u32 end)
{
    b->streams = streams;
    b->at = from + 4 * lane_index();
    b->end = end;
    b->low = b->high = b->last = b->count = b->used = b->limit = 0;
    load_chunk(b);
}

/*
 * Put the bits of a chunk into the ring. Behind the end of MagSgn, bytes count as FF. The whole work-group calls this.
 */
FUNCTION void add_chunk(struct sample_bits *b)
{
    u32 lane = lane_index(), left = b->at <= b->end ? b->end - b->at + 1 : 0;
    u32 bytes = shift_pair(b->low, b->high, b->at % 4 * 8), stuffed, before = 0, total = 0;
    bytes |= left > 4 ? 0 : left > 1 ? 0xFFFFFFFFu << 8 * (left - 1) : 0xFFFFFFFFu;
    u32 previous = lane_shuffle(b->scratch, bytes >> 24, (lane + LANES - 1) % LANES);
    stuffed = stuffed_forward(bytes << 8 | (lane == 0 ? b->last : previous)) & (left < 4 ? (1u << 8 * left) - 1 : ~0u);
    b->last = previous;
    if (lane_ballot(b->scratch, stuffed) != 0) {
        before = lane_scan(b->scratch, ones(stuffed), &total);
        bytes = without_bits(bytes, stuffed);
    }
    u32 first = b->count / 32 + 1, place = b->count + 32 * lane - before;
    barrier_local();
    b->ring[(first + lane) % RING_WORDS] = 0;
    if (lane == 0)
        b->ring[(first + LANES) % RING_WORDS] = 0;
    barrier_local();
    join_local(b->ring + place / 32 % RING_WORDS, bytes << place % 32);
    if (place % 32 != 0)
        join_local(b->ring + (place / 32 + 1) % RING_WORDS, bytes >> (32 - place % 32));
    barrier_local();
    u32 begin = b->at - 4 * lane, rest = begin <= b->end ? b->end - begin + 1 : 0;
    b->limit += 8 * (rest < CHUNK_BYTES ? rest : CHUNK_BYTES) - total;
    b->count += 8 * CHUNK_BYTES - total;
    b->at += CHUNK_BYTES;
    load_chunk(b);
}

/* Return `count` bits, up to 32, from bit `place` on. */
FUNCTION u32 bits_from(const struct sample_bits *b, u32 place, u32 count)
{
    u32 word = place / 32, bits = 0;
    if (count > 0)
        bits = shift_pair(b->ring[word % RING_WORDS], b->ring[(word + 1) % RING_WORDS], place % 32) &
               0xFFFFFFFFu >> (32 - count);
    return bits;
}

/* Holds the next 64 bits; the first one is the lowest bit of `low`. */
struct sample_window {
    u32 low, high;
};

FUNCTION struct sample_window window_at(const struct sample_bits *b, u32 place)
{
    struct sample_window w;
    u32 word = place / 32, middle = b->ring[(word + 1) % RING_WORDS];
    w.low = shift_pair(b->ring[word % RING_WORDS], middle, place % 32);
    w.high = shift_pair(middle, b->ring[(word + 2) % RING_WORDS], place % 32);
    return w;
}

/* Take up to 31 bits. */
FUNCTION u32 take_bits(struct sample_window *w, u32 count)
{
    u32 bits = w->low & ((1u << count) - 1);
    w->low = shift_pair(w->low, w->high, count);
    w->high >>= count;
    return bits;
}

FUNCTION u32 greater(u32 a, u32 b)
{
    return a > b ? a : b;
}

FUNCTION u32 greatest_of(const u32 *number)
{
    return greater(greater(number[0], number[1]), greater(number[2], number[3]));
}
