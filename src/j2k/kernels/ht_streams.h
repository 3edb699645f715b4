/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the three streams of T.814 (7.1) with a work-group of 32 for a code-block. MagSgn and VLC are first written
 * without stuffed bits, to places that sums of lengths give. Then they are stuffed 128 bytes at a time: a ballot finds
 * the first byte behind which a bit must be stuffed; the bytes up to there are final, and the next 128 begin behind it,
 * which is rare. MagSgn is in a ring and is stuffed as soon as there is enough of it; VLC is stuffed at the end,
 * because it is written backward. MEL is short, and its events are coded one after the other, a run of zeros at a time.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_bytes.h"

enum {
    SIGN_WORDS = 512,                 /* words of the ring of MagSgn: a step's 8,192 bits behind those of a chunk */
    CHUNK_BYTES = 4 * LANES,          /* bytes that are stuffed together */
    CODE_WORDS = 480 + 1 + LANES + 1, /* words of VLC: 30 bits for a pair, 4 in front, and zeros that are read behind */
    /*
     * Words of MEL: an event for each quad, and one for each pair of the first row; the word behind them is only joined
     * with 0.
     */
    EVENT_WORDS = 40 + 1,
    CODES_STUFFED = 3072 /* more bytes than VLC has when it is stuffed */
};

/*
 * Write up to 32 bits, from bit `place` on. These bits must have been 0; other work-items may set other bits of the
 * words at the same time.
 */
FUNCTION void write_bits(LOCAL u32 *words, u32 place, u32 bits)
{
    u32 shift = place % 32;
    if (bits == 0)
        return;
    join_local(&words[place / 32], bits << shift);
    join_local(&words[place / 32 + 1], bits >> 1 >> (31 - shift));
}

/* Return 32 bits of consecutive words, from bit `place` on. */
FUNCTION u32 bits_at(LOCAL const u32 *words, u32 place)
{
    return shift_pair(words[place / 32], words[place / 32 + 1], place % 32);
}

/* Holds MagSgn. The values are the same in all work-items. */
struct sign_stream {
    LOCAL u32 *ring;
    LOCAL u32 *scratch;
    GLOBAL u8 *to;
    u32 capacity; /* bytes that there is room for; bytes behind them are not written */
    u32 count;    /* number of bits so far */
    u32 place;    /* number of bits that have been stuffed */
    u32 length;   /* number of bytes that these made */
    u32 after;    /* 1: the last of these bytes is FF */
};

/* Write up to 64 bits of MagSgn. Joining two words with 0 costs less than testing whether they change. */
FUNCTION void write_signs(LOCAL u32 *ring, u32 place, u64 bits)
{
    u32 shift = place % 32, index = place / 32, low = (u32)bits, high = (u32)(bits >> 32);
    join_local(&ring[index % SIGN_WORDS], low << shift);
    join_local(&ring[(index + 1) % SIGN_WORDS], high << shift | low >> 1 >> (31 - shift));
    if (high >> 1 >> (31 - shift) != 0)
        join_local(&ring[(index + 2) % SIGN_WORDS], high >> 1 >> (31 - shift));
}

/*
 * Set the words in which the next `count` bits begin, and the one behind them, which may be joined with 0, to `value`.
 */
LARGE_FUNCTION void clear_ahead(const struct sign_stream *s, u32 count, u32 value)
{
    u32 end = (s->count + count) / 32 + 1;
    for (u32 i = (s->count + 31) / 32 + lane_index(); i <= end; i += LANES)
        s->ring[i % SIGN_WORDS] = value;
}

/*
 * Stuff the next bytes of a chunk, at most `most`, up to and with the first FF: the byte behind it has only seven bits.
 * The whole work-group calls this.
 */
FUNCTION void stuff_signs(struct sign_stream *s, u32 most)
{
    u32 lane = lane_index(), from = s->place - s->after + 32 * lane, end = most, after = 0;
    u32 bytes = shift_pair(s->ring[from / 32 % SIGN_WORDS], s->ring[(from / 32 + 1) % SIGN_WORDS], from % 32);
    if (s->after && lane == 0)
        bytes = (bytes & ~255u) | (bytes >> 1 & 127);
    u32 full = stuffed_forward(bytes), found = lane_ballot(s->scratch, full != 0);
    u32 where = found != 0 ? lowest_bit(found) : 0, there = lane_shuffle(s->scratch, full, where);
    u32 byte = found != 0 ? 4 * where + lowest_bit(there) / 8 : most;
    if (byte < most) {
        end = byte + 1;
        after = 1;
    }
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 at = 4 * lane + i;
        if (at < end && s->length + at < s->capacity)
            s->to[s->length + at] = (u8)(bytes >> 8 * i);
    }
    s->place += 8 * end - s->after;
    s->length += end;
    s->after = after;
}

/*
 * Fill up MagSgn with ones, which a decoder assumes behind it, so that a final FF can be left out. The whole work-group
 * calls this.
 */
FUNCTION void end_signs(struct sign_stream *s)
{
    barrier_local();
    if (lane_index() == 0 && s->count % 32 != 0)
        s->ring[s->count / 32 % SIGN_WORDS] |= 0xFFFFFFFFu << s->count % 32;
    clear_ahead(s, 8 * CHUNK_BYTES + 32, 0xFFFFFFFFu);
    barrier_local();
    while (s->place < s->count) {
        u32 left = (s->count - s->place + s->after + 7) / 8;
        stuff_signs(s, left < CHUNK_BYTES ? left : CHUNK_BYTES);
    }
    s->length -= s->after;
}

/* Holds VLC after stuffing: complete bytes, and the bits behind them. The values are the same in all work-items. */
struct code_stream {
    LOCAL u8 *to;
    u32 length, count, byte;
};

/*
 * Stuff the next complete bytes of VLC, up to the first seven ones behind a byte above 8F, which take a byte of their
 * own. *before is the last byte. Returns the number of bits. The whole work-group calls this.
 */
FUNCTION u32 stuff_codes(
    struct code_stream *s, LOCAL const u32 *codes, u32 place, u32 most, u32 *before, LOCAL u32 *scratch)
{
    u32 lane = lane_index(), bytes = bits_at(codes, place + 32 * lane), end = most, found = 0;
    u32 last = lane_shuffle(scratch, bytes, (lane - 1) % LANES) >> 24;
    u32 ones_there = stuffed_backward(bytes, bytes << 8 | (lane == 0 ? *before : last));
    u32 lanes = lane_ballot(scratch, ones_there != 0), where = lanes != 0 ? lowest_bit(lanes) : 0;
    u32 there = lane_shuffle(scratch, ones_there, where);
    u32 byte = lanes != 0 ? 4 * where + lowest_bit(there) / 8 : most;
    if (byte < most) {
        end = byte;
        found = 1;
    }
    UNROLL for (u32 i = 0; i < 4; i++) if (4 * lane + i < end) s->to[s->length + 4 * lane + i] = (u8)(bytes >> 8 * i);
    if (found && lane == 0)
        s->to[s->length + end] = 0x7F;
    last = lane_shuffle(scratch, bytes, (end - 1) / 4 % LANES) >> 8 * ((end - 1) % 4) & 255;
    *before = found ? 0x7F : last;
    s->length += end + found;
    return 8 * end + 7 * found;
}

/* Stuff all of VLC. The whole work-group calls it. */
FUNCTION void end_codes(struct code_stream *s, LOCAL const u32 *codes, u32 count, LOCAL u32 *scratch)
{
    u32 place = 0, before = 0xFF;
    s->length = 0;
    while (count - place >= 8) {
        u32 left = (count - place) / 8;
        place += stuff_codes(s, codes, place, left < CHUNK_BYTES ? left : CHUNK_BYTES, &before, scratch);
    }
    s->count = count - place;
    s->byte = bits_at(codes, place) & ((1u << s->count) - 1);
    if (s->count == 7 && s->byte == 0x7F && before > 0x8F) {
        if (lane_index() == 0)
            s->to[s->length] = 0x7F;
        s->length++;
        s->count = s->byte = 0;
    }
}

/* Holds the state of MEL (7.3.3). The values are the same in all work-items; the first one writes. */
struct event_stream {
    LOCAL u8 *to;
    u32 length;
    u32 byte, room; /* the incomplete byte, and the number of its free bits */
    u32 state, run; /* `run`: number of zeros of the current run */
};

FUNCTION void put_event_byte(struct event_stream *s, u32 byte)
{
    if (lane_index() == 0)
        s->to[s->length] = (u8)byte;
    s->length++;
}

/* Write up to 6 bits, the highest first. A byte behind FF has seven bits. */
FUNCTION void put_event_bits(struct event_stream *s, u32 bits, u32 count)
{
    if (count < s->room) {
        s->byte = s->byte << count | bits;
        s->room -= count;
        return;
    }
    u32 rest = count - s->room, byte = s->byte << s->room | bits >> rest;
    put_event_byte(s, byte);
    s->room = (byte == 0xFF ? 7 : 8) - rest;
    s->byte = bits & ((1u << rest) - 1);
}

FUNCTION void put_zeros(struct event_stream *s, u32 count)
{
    s->run += count;
    for (u32 length = 1u << mel_exponent(s->state); s->run >= length; length = 1u << mel_exponent(s->state)) {
        put_event_bits(s, 1, 1);
        s->run -= length;
        s->state += s->state < J2K_HT_MEL_STATES - 1 ? 1 : 0;
    }
}

FUNCTION void put_one(struct event_stream *s)
{
    put_event_bits(s, s->run, 1 + mel_exponent(s->state));
    s->run = 0;
    s->state -= s->state > 0 ? 1 : 0;
}

/* Code all events. */
LARGE_FUNCTION void end_events(struct event_stream *s, LOCAL const u32 *events, u32 count)
{
    s->length = s->byte = s->state = s->run = 0;
    s->room = 8;
    for (u32 i = 0; i < count; i += 32) {
        u32 bits = events[i / 32], left = count - i < 32 ? count - i : 32;
        while (bits != 0) {
            u32 zeros = lowest_bit(bits);
            put_zeros(s, zeros);
            put_one(s);
            bits = bits >> zeros >> 1;
            left -= zeros + 1;
        }
        put_zeros(s, left);
    }
    if (s->run > 0)
        put_event_bits(s, 1, 1); /* a run that is longer than the events does no harm */
}

/*
 * Write the last bits of MEL and VLC. They share a byte if they do not contradict each other and the byte is not FF.
 * The first byte of VLC, which holds a part of Scup, is not shared.
 */
LARGE_FUNCTION void end_both(struct event_stream *events, struct code_stream *codes)
{
    u32 own = 0xFFu << events->room & 0xFF, other = (1u << codes->count) - 1;
    u32 byte = events->byte << events->room & 0xFF, both = byte | codes->byte;
    if (((both ^ byte) & own) == 0 && ((both ^ codes->byte) & other) == 0 && both != 0xFF && codes->length > 0) {
        if ((own | other) != 0)
            put_event_byte(events, both);
        return;
    }
    if (own != 0)
        put_event_byte(events, byte);
    if (other != 0 && lane_index() == 0)
        codes->to[codes->length] = (u8)codes->byte;
    codes->length += other != 0 ? 1 : 0;
}
