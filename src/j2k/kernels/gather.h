/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gathers the bytes of codeword segments, which are in pieces and have stuffed bits, into bits that a decoder takes
 * word by word. Bits of raw segments are gathered unchanged. The bits of the MQ coder are preceded by a 0 bit, and
 * carries in stuffed bits (T.800 C.3.4) are added to the bits in front of them. A work-group gathers a segment in
 * chunks, of which each work-item takes four bytes.
 */
#include "kernels/group.h"

#include "j2k/kernels/work.h"

enum {
    GATHER_CHUNK = 4 * J2K_GATHER_GROUP,
    GATHER_ROOM = J2K_GATHER_GROUP + 2, /* words for a chunk's bits, together with the bits that were pending before */
    CARRIES = 2 * J2K_GATHER_GROUP,     /* most stuffed bytes of a chunk */
    HAS_MARKER = 0x10000                /* flag above a work-item's number of bits, also in sums of these numbers */
};

/* Holds buffers in the group's memory. */
struct gather_room {
    LOCAL u32 *scratch;
    LOCAL u32 *bits;    /* bits that are not written yet, from the upper end of the first word on, followed by zeros */
    LOCAL u32 *carries; /* number of carries; and for each, the place of the bit in front of which 1 is to be added */
    /* The last two bytes; and if there is a marker, the number of bits in front of it, and of bytes including it. */
    LOCAL u32 *tail;
};

/* Holds the state of gathering, which is the same in all work-items of a group. */
struct gathering {
    GLOBAL const u32 *streams;
    GLOBAL u32 *out;
    u32 words; /* words that have been written */
    u32 count; /* number of bits that do not fill a word yet */
    u32 last;  /* the last two bytes */
    u32 raw;
};

/* Holds a work-item's share of a chunk. */
struct share {
    u32 bits, count; /* its bits are the lowest `count` bits of `bits` */
    u32 last;        /* its last two bytes */
    u32 taken;       /* number of bytes, including the marker */
    u32 marker;      /* whether a marker ends the share */
    u32 carries;     /* a bit for each byte, set if the byte has a carry */
    u32 begins;      /* in a byte for each of the four bytes: the index of the share's bit with which it begins */
};

FUNCTION u32 byte_at(GLOBAL const u32 *streams, u32 at)
{
    return streams[at / 4] >> (at % 4 * 8) & 0xFF;
}

FUNCTION struct share read_share(const struct gathering *g, u32 at, u32 length)
{
    u32 begin = 4 * local_index(), first = at + begin, left = length > begin ? length - begin : 0, bytes = 0;
    struct share s;
    s.bits = s.count = s.taken = s.marker = s.carries = s.begins = 0;
    s.last = begin == 0 ? g->last : 0;
    if (left > 0) {
        bytes = shift_pair(g->streams[first / 4], g->streams[first / 4 + 1], first % 4 * 8);
        if (begin > 0)
            s.last = byte_at(g->streams, first - 1);
    }
    UNROLL for (u32 j = 0; j < 4; j++)
    {
        u32 byte = bytes >> 8 * j & 0xFF, stuffed = (s.last & 0xFF) == 0xFF;
        if (j < left && !s.marker) {
            s.last = (s.last << 8 | byte) & 0xFFFF;
            s.taken++;
            if (stuffed && byte > 0x8F)
                s.marker = 1;
            else {
                s.carries |= stuffed && !g->raw && byte >= 0x80 ? 1u << j : 0;
                s.begins |= s.count << 8 * j;
                s.bits = stuffed ? s.bits << 7 | (byte & 0x7F) : s.bits << 8 | byte;
                s.count += stuffed ? 7 : 8;
            }
        }
    }
    return s;
}

/* Put the bits of a share at their place among the chunk's bits, and note its carries. */
FUNCTION void place_share(const struct gather_room *room, const struct share *s, u32 place)
{
    if (s->count > 0) {
        u64 bits = (u64)s->bits << (64 - s->count - place % 32);
        join_local(room->bits + place / 32, (u32)(bits >> 32));
        join_local(room->bits + place / 32 + 1, (u32)bits);
    }
    for (u32 j = 0; j < 4; j++)
        if (s->carries >> j & 1)
            room->carries[1 + count_up_local(room->carries, 1)] = place + (s->begins >> 8 * j & 0xFF);
}

/* Add 1 to the bits that were written. A carry out of the first bit is lost, as in the decoder's register. */
FUNCTION void carry_back(const struct gathering *g)
{
    u32 at = g->words, full = 1;
    while (full && at > 0) {
        at--;
        u32 sum = g->out[at] + 1;
        g->out[at] = sum;
        full = sum == 0;
    }
}

/* Add all carries. One work-item does this. */
FUNCTION void add_carries(const struct gathering *g, const struct gather_room *room, u32 count)
{
    for (u32 i = 1; i <= count; i++) {
        u32 place = room->carries[i], full = 1;
        while (full && place > 0) {
            u32 at = (place - 1) / 32, one = 1u << (31 - (place - 1) % 32), sum = room->bits[at] + one;
            room->bits[at] = sum;
            full = sum < one;
            place = 32 * at;
        }
        if (full)
            carry_back(g);
    }
}

/* Gather a chunk of a piece. Returns whether it contains a marker. The whole work-group must call this. */
FUNCTION u32 gather_chunk(struct gathering *g, const struct gather_room *room, u32 at, u32 length)
{
    struct share s = read_share(g, at, length);
    u32 self = local_index(), total, before;
    before = group_scan(room->scratch, J2K_GATHER_GROUP, s.count | (s.marker ? HAS_MARKER : 0), &total);
    if (before < HAS_MARKER) {
        place_share(room, &s, g->count + before);
        if (s.marker || (s.taken > 0 && 4 * self + s.taken == length)) {
            room->tail[0] = s.last;
            room->tail[1] = before + s.count;
            room->tail[2] = 4 * self + s.taken;
        }
    }
    barrier_local();
    u32 carries = room->carries[0], end = g->count + room->tail[1], full = end / 32;
    if (carries > 0) {
        if (self == 0)
            add_carries(g, room, carries);
        barrier_local();
    }
    for (u32 i = self; i < full; i += J2K_GATHER_GROUP)
        g->out[g->words + i] = room->bits[i];
    u32 pending = room->bits[full];
    g->last = room->tail[0];
    barrier_local();
    for (u32 i = self; i < GATHER_ROOM; i += J2K_GATHER_GROUP)
        room->bits[i] = i == 0 ? pending : 0;
    if (self == 0)
        room->carries[0] = room->tail[1] = 0;
    barrier_all();
    g->words += full;
    g->count = end % 32;
    return total >= HAS_MARKER;
}

/*
 * Gather a segment. Its head receives the number of bits, with flags that say how they end, and the last two bytes, the
 * very last one in the lowest bits.
 */
FUNCTION void gather(GLOBAL const u32 *RESTRICT work, GLOBAL const struct j2k_work_codeword *s,
    GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *bits, const struct gather_room *room)
{
    GLOBAL u32 *head = bits + s->bits;
    GLOBAL const struct j2k_work_piece *piece = (GLOBAL const struct j2k_work_piece *)(work + s->piece);
    u32 pieces = s->pieces, at = 0, left = 0, ended = 0;
    struct gathering g;
    g.streams = streams;
    g.out = head + J2K_SEGMENT_HEAD;
    g.words = g.last = 0;
    g.raw = s->raw;
    g.count = g.raw ? 0 : 1;
    while (ended == 0 && (left > 0 || pieces > 0)) {
        if (left == 0) {
            at = piece->offset;
            left = piece->length;
            piece++;
            pieces--;
        }
        u32 length = left < GATHER_CHUNK ? left : GATHER_CHUNK;
        u32 marker = gather_chunk(&g, room, at, length);
        at += length;
        left -= length;
        if (marker)
            ended = room->tail[2] == length && left == 0 && pieces == 0 ? J2K_MARKED : 1;
    }
    if (local_index() == 0) {
        if (g.count > 0)
            g.out[g.words] = room->bits[0] | 0xFFFFFFFFu >> g.count;
        head[0] = (g.words * 32 + g.count) | (ended == 0 ? J2K_ENDED : ended == 1 ? 0 : ended);
        head[1] = g.last;
    }
}

KERNEL(J2K_GATHER_GROUP)
gather_segments(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT bits)
{
    SHARED u32 scratch[J2K_GATHER_GROUP];
    SHARED u32 room_bits[GATHER_ROOM];
    SHARED u32 carries[1 + CARRIES];
    SHARED u32 tail[3];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    struct gather_room room;
    room.scratch = scratch;
    room.bits = room_bits;
    room.carries = carries;
    room.tail = tail;
    for (u32 i = local_index(); i < GATHER_ROOM; i += J2K_GATHER_GROUP)
        room_bits[i] = 0;
    if (local_index() == 0)
        carries[0] = tail[0] = tail[1] = 0;
    barrier_local();
    gather(work, (GLOBAL const struct j2k_work_codeword *)(work + head->segment) + group_index(), streams, bits, &room);
}
