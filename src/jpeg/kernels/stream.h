/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads chunks of the streams and removes their stuffing (T.81 B.1.1.5: a byte behind 0xFF is dropped, whatever it is).
 * The words of a chunk, first byte highest, begin with its first byte. Behind its last byte follow the next four bytes
 * of its segment, for the code in which the chunk ends, and zeros if the segment ends.
 */
#include "jpeg/kernels/picture.h"
#include "kernels/group.h"

enum {
    MAP_GROUP = WORK_MAP_GROUP,
    MAP_CHUNKS = WORK_MAP_CHUNKS,
    /*
     * The chunks that a work-group holds: the chunk in front of its own, which leads to them, its own, and three behind
     * these, through which states that are no candidates are followed.
     */
    STAGED_CHUNKS = MAP_CHUNKS + 4,
    LANE_BITS = 4, /* a work-item reads 16 bytes */
    STAGED_WORDS = STAGED_CHUNKS * CHUNK_WORDS
};

/* Holds sixteen bytes, and for each of them, in bit 7 of its byte of `kept`, whether it is kept. */
struct kept_bytes {
    u32x4 bytes, kept;
    u32 count;
};

FUNCTION u32 kept_of(u32 word, u32 before)
{
    u32 previous = ~(word << 8 | before);
    return (((previous & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | previous) & 0x80808080u;
}

/* Return a mask of the flags of the first n bytes of a word; none if n is 0 or less. */
FUNCTION u32 lowest_bytes(i32 n)
{
    if (n >= 4)
        return 0x80808080u;
    return n <= 0 ? 0 : 0x80808080u >> (8 * (4 - n));
}

/* Return the sixteen bytes from `at` on, which is a multiple of 16; only those from `from` to `to` are kept. */
FUNCTION struct kept_bytes keep(GLOBAL const u32x4 *RESTRICT stream, u32 first, u32 at, u32 from, u32 to)
{
    struct kept_bytes result;
    i32 left = (i32)to - (i32)at, skip = (i32)from - (i32)at;
    u32 before = 0;
    result.bytes = make_u32x4(0, 0, 0, 0);
    if (left > 0 && skip < 16)
        result.bytes = stream[first + at / 16];
    if (left > 0 && at > 0)
        before = ((GLOBAL const u32 *)stream)[((u64)first + at / 16) * 4 - 1] >> 24;
    result.kept.x = kept_of(result.bytes.x, before) & lowest_bytes(left) & ~lowest_bytes(skip);
    result.kept.y = kept_of(result.bytes.y, result.bytes.x >> 24) & lowest_bytes(left - 4) & ~lowest_bytes(skip - 4);
    result.kept.z = kept_of(result.bytes.z, result.bytes.y >> 24) & lowest_bytes(left - 8) & ~lowest_bytes(skip - 8);
    result.kept.w = kept_of(result.bytes.w, result.bytes.z >> 24) & lowest_bytes(left - 12) & ~lowest_bytes(skip - 12);
    result.count = ones(result.kept.x) + ones(result.kept.y) + ones(result.kept.z) + ones(result.kept.w);
    return result;
}

/*
 * Store the bytes that are kept at byte `at` of words whose first byte is the highest. Returns the index behind them.
 */
FUNCTION u32 put_kept(LOCAL u8 *out, u32 at, u32 word, u32 kept)
{
    for (u32 i = 0; i < 4; i++)
        if (kept >> (8 * i + 7) & 1)
            out[at++ ^ 3] = (u8)(word >> (8 * i));
    return at;
}

/* Holds the range of a chunk's bytes in the picture's stream, and its segment. */
struct chunk_range {
    u32 from, to;
    u32 segment;
    u32 flags;
};

FUNCTION struct chunk_range find_range(
    GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, u32 chunk)
{
    struct chunk_range range;
    range.from = range.to = range.segment = 0;
    range.flags = CHUNK_FIRST | CHUNK_LAST;
    if (chunk >= picture->chunks)
        return range;
    range.segment = find_segment(work, picture, chunk);
    GLOBAL const struct jpeg_work_segment *segment = segment_at(work, picture, range.segment);
    u32 bits = picture->chunk_bits, end = segment->offset + segment->length;
    u32 window = ((segment->offset >> bits) + chunk - segment->first_chunk) << bits;
    range.from = chunk == segment->first_chunk ? segment->offset : window;
    range.to = end - window <= 1u << bits ? end : window + (1u << bits);
    range.flags = (chunk == segment->first_chunk ? CHUNK_FIRST : 0) | (range.to == end ? CHUNK_LAST : 0);
    return range;
}

/*
 * Load STAGED_CHUNKS chunks of the picture, from chunk first − 1 on, into the work-group's memory without their
 * stuffing. Chunks that the picture does not have are empty. The whole work-group calls it; a barrier ends it.
 */
FUNCTION void stage_chunks(GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture,
    GLOBAL const u32x4 *RESTRICT stream, u32 first, LOCAL u32 *words, LOCAL u32 *info, LOCAL u32 *segments,
    LOCAL u32 *scratch)
{
    LOCAL u32 *starts = segments + STAGED_CHUNKS;
    u32 bits = picture->chunk_bits - LANE_BITS; /* each chunk is read by 1 << bits work-items */
    for (u32 i = local_index(); i < STAGED_WORDS; i += MAP_GROUP)
        words[i] = 0;
    for (u32 round = 0; round < (u32)STAGED_CHUNKS << bits; round += MAP_GROUP) {
        u32 item = round + local_index(), staged = item >> bits, lane = item & ((1u << bits) - 1), total;
        struct chunk_range range = find_range(work, picture, staged < STAGED_CHUNKS ? first + staged - 1 : ~0u);
        u32 at = (range.from >> picture->chunk_bits << picture->chunk_bits) + 16 * lane;
        struct kept_bytes kept = keep(stream, picture->stream, at, range.from, range.to);
        u32 to = group_scan(scratch, MAP_GROUP, kept.count, &total);
        if (staged < STAGED_CHUNKS && lane == 0)
            starts[staged] = to;
        barrier_local();
        if (staged < STAGED_CHUNKS) {
            LOCAL u8 *out = (LOCAL u8 *)(words + staged * CHUNK_WORDS);
            to -= starts[staged];
            to = put_kept(out, to, kept.bytes.x, kept.kept.x);
            to = put_kept(out, to, kept.bytes.y, kept.kept.y);
            to = put_kept(out, to, kept.bytes.z, kept.kept.z);
            to = put_kept(out, to, kept.bytes.w, kept.kept.w);
            if (lane == (1u << bits) - 1) {
                info[staged] = 8 * to | range.flags;
                segments[staged] = range.segment;
            }
        }
    }
    barrier_local();
    u32 self = local_index();
    if (self < STAGED_CHUNKS - 1 && (info[self] & CHUNK_LAST) == 0) {
        u32 at = (info[self] & CHUNK_BITS) / 8, next = words[(self + 1) * CHUNK_WORDS];
        for (u32 i = 0; i < 4; i++)
            ((LOCAL u8 *)(words + self * CHUNK_WORDS))[(at + i) ^ 3] = (u8)(next >> (24 - 8 * i));
    }
    barrier_local();
}
