/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the three streams of T.814 (7.1) with a work-group of 32 for a code-block. MagSgn and VLC are first written
 * without stuffed bits, to places that sums of lengths give. Then they are stuffed 128 bytes at a time: a ballot finds
 * the first byte behind which a bit must be stuffed; the bytes up to there are final, and the next 128 begin behind it,
 * which is rare. MagSgn is in a ring and is stuffed as soon as there is enough of it; VLC is stuffed at the end,
 * because it is written backward. For MEL see ht_events.h.
 */
#include "kernels/group.h"

#include "j2k/kernels/ht_events.h"

enum {
    SIGN_WORDS = 512,    /* words of the ring of MagSgn: a step's 8,192 bits behind those of a chunk */
    CODE_WORDS = 480 + 2 /* words of VLC: 30 bits for a pair, and 4 in front */
};

/*
 * Write up to 32 bits, from bit `place` on. These bits must have been 0; other work-items may set other bits of the
 * words at the same time.
 */
FUNCTION void write_bits(LOCAL u32 *words, u32 place, u32 bits)
{
    join_local(&words[place / 32], shift_up(bits, place));
    join_local(&words[place / 32 + 1], funnel(0, bits, place));
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
    GLOBAL u32 *to;
    u32 capacity; /* bytes that there is room for, a multiple of 4; bytes behind them are not written */
    u32 count;    /* number of bits so far */
    u32 place;    /* number of bits that have been stuffed */
    u32 length;   /* number of bytes that these made */
    u32 after;    /* 1: the last of these bytes is FF */
    u32 last;     /* the last four of these bytes; those in the last word have not been written */
    u32 written;  /* number of words that have been written, as soon as the stream has ended */
};

/* Write up to 32 bits of MagSgn from bit `place` on. */
FUNCTION void write_signs(LOCAL u32 *ring, u32 place, u32 bits)
{
    join_local(&ring[place / 32 % SIGN_WORDS], shift_up(bits, place));
    join_local(&ring[(place / 32 + 1) % SIGN_WORDS], funnel(0, bits, place));
}

/*
 * Write up to 64 bits of MagSgn in front of bit `end`; they end at the highest bit of `high`, and the bits in front of
 * them are 0. Joining words with 0 costs less than testing whether they change.
 */
FUNCTION void write_last_signs(LOCAL u32 *ring, u32 end, u32 low, u32 high)
{
    u32 first = shift_up(low, end);
    join_local(&ring[end / 32 % SIGN_WORDS], funnel(0, high, end));
    join_local(&ring[(end / 32 - 1) % SIGN_WORDS], funnel(high, low, end));
    if (first != 0)
        join_local(&ring[(end / 32 - 2) % SIGN_WORDS], first);
}

/* Fill a part of the ring with ones: 32 bits and a chunk from the first word on that has no bits. */
FUNCTION void fill_ahead(const struct sign_stream *s)
{
    u32 word = (s->count + 31) / 32 + lane_index();
    s->ring[word % SIGN_WORDS] = 0xFFFFFFFFu;
    if (lane_index() < 2)
        s->ring[(word + LANES) % SIGN_WORDS] = 0xFFFFFFFFu;
}

/* Return the number of words in front of the one that has the last byte; −1 if there is no byte. */
FUNCTION u32 words_before_last(u32 length)
{
    return (length + 3) / 4 - 1;
}

/*
 * Append the first `count` bytes of all work-items, each of which has four, and write those words that are complete,
 * but not the last one. The whole work-group calls this.
 */
FUNCTION void write_sign_bytes(struct sign_stream *s, u32 bytes, u32 count)
{
    u32 lane = lane_index(), left = lane_shuffle(s->scratch, bytes, (lane - 1) % LANES);
    u32 before = lane == 0 ? s->last : left, at = words_before_last(s->length) + lane;
    u32 word = shift_pair(before, bytes, (0 - s->length) % 4 * 8);
    u32 last = count % 4 == 0 ? bytes : shift_pair(before, bytes, count % 4 * 8);
    s->length += count;
    if (at < words_before_last(s->length) && at < s->capacity / 4)
        s->to[at] = word;
    s->last = lane_shuffle(s->scratch, last, (count - 1) / 4);
}

/*
 * Stuff the next bytes of a chunk, at most `most`, up to and with the first FF: the byte behind it has only seven bits.
 * Words that are no longer needed become 0, because bits are joined to what is there. The whole work-group calls this.
 */
FUNCTION void stuff_signs(struct sign_stream *s, u32 most)
{
    u32 lane = lane_index(), from = s->place - s->after + 32 * lane, end = most, after = 0;
    u32 bytes = shift_pair(s->ring[from / 32 % SIGN_WORDS], s->ring[(from / 32 + 1) % SIGN_WORDS], from % 32);
    if (s->after && lane == 0)
        bytes = (bytes & ~255u) | (bytes >> 1 & 127);
    u32 byte = first_marked(s->scratch, stuffed_forward(bytes));
    if (byte < most) {
        end = byte + 1;
        after = 1;
    }
    write_sign_bytes(s, bytes, end);
    s->place += 8 * end - s->after;
    s->after = after;
    barrier_local(); /* all words have been read */
    if (from / 32 < (s->place - after) / 32)
        s->ring[from / 32 % SIGN_WORDS] = 0;
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
    fill_ahead(s);
    barrier_local();
    while (s->place < s->count) {
        u32 left = (s->count - s->place + s->after + 7) / 8;
        stuff_signs(s, left < CHUNK_BYTES ? left : CHUNK_BYTES);
    }
    s->written = words_before_last(s->length);
    if (s->after) {
        s->length--;
        s->last <<= 8;
    }
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
    u32 byte = first_marked(scratch, ones_there);
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

FUNCTION void put_event_byte(struct event_stream *s, u32 byte)
{
    if (lane_index() == 0)
        s->to[s->length] = (u8)byte;
    s->length++;
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
