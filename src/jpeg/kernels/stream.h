/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads parts of the streams and removes their stuffing (T.81 B.1.1.5: a byte behind 0xFF is dropped, whatever it is).
 * The words of a part, first byte highest, begin with its first byte. Behind its last byte follow the next four bytes
 * of its segment, for the code in which the part ends, and zeros if the segment ends.
 */
#include "jpeg/kernels/picture.h"
#include "kernels/group.h"

enum {
    MAP_GROUP = WORK_MAP_GROUP,
    MAP_PARTS = WORK_MAP_PARTS,
    /*
     * The parts that a work-group holds: the part in front of its own, which leads to them, its own, and three behind
     * for ways that lead on.
     */
    STAGED_PARTS = MAP_PARTS + 4,
    PART_SIZE = WORK_PART,
    PART_LANES = PART_SIZE / 16, /* work-items that read a part */
    STAGED_WORDS = STAGED_PARTS * PART_WORDS
};

/* Sixteen bytes, and for each of them, in bit 7 of its byte of `kept`, whether it is kept. */
struct kept_bytes {
    u32x4 bytes, kept;
    u32 count;
};

FUNCTION u32 kept_of(u32 word, u32 before)
{
    u32 previous = ~(word << 8 | before);
    return (((previous & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | previous) & 0x80808080u;
}

/* A mask of the flags of the first n bytes of a word; none if n is 0 or less. */
FUNCTION u32 lowest_bytes(i32 n)
{
    if (n >= 4)
        return 0x80808080u;
    return n <= 0 ? 0 : 0x80808080u >> (8 * (4 - n));
}

/* The sixteen bytes from `at` on, which is a multiple of 16; only those from `from` to `to` are kept. */
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

/* The range of a part's bytes in the picture's stream, and its segment. */
struct part_range {
    u32 from, to;
    u32 segment;
    u32 flags;
};

FUNCTION struct part_range find_range(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture, u32 part)
{
    struct part_range range;
    range.from = range.to = range.segment = 0;
    range.flags = PART_FIRST | PART_LAST;
    if (part >= picture->parts)
        return range;
    range.segment = find_segment(work, picture, part);
    GLOBAL const struct work_segment *segment = segment_at(work, picture, range.segment);
    u32 window = (segment->offset / PART_SIZE + part - segment->first_part) * PART_SIZE,
        end = segment->offset + segment->length;
    range.from = part == segment->first_part ? segment->offset : window;
    range.to = end - window <= PART_SIZE ? end : window + PART_SIZE;
    range.flags = (part == segment->first_part ? PART_FIRST : 0) | (range.to == end ? PART_LAST : 0);
    return range;
}

/*
 * Load STAGED_PARTS parts of the picture, from part first − 1 on, into the work-group's memory without their stuffing.
 * Parts that the picture does not have are empty. Whole work-group; a barrier ends it.
 */
FUNCTION void stage_parts(GLOBAL const u32 *work, GLOBAL const struct work_picture *picture,
    GLOBAL const u32x4 *RESTRICT stream, u32 first, LOCAL u32 *words, LOCAL u32 *info, LOCAL u32 *segments,
    LOCAL u32 *scratch)
{
    LOCAL u32 *starts = segments + STAGED_PARTS;
    for (u32 i = local_index(); i < STAGED_WORDS; i += MAP_GROUP)
        words[i] = 0;
    for (u32 round = 0; round < STAGED_PARTS * PART_LANES; round += MAP_GROUP) {
        u32 staged = (round + local_index()) / PART_LANES, lane = (round + local_index()) % PART_LANES, total;
        struct part_range range = find_range(work, picture, staged < STAGED_PARTS ? first + staged - 1 : ~0u);
        u32 at = range.from / PART_SIZE * PART_SIZE + 16 * lane;
        struct kept_bytes kept = keep(stream, picture->stream, at, range.from, range.to);
        u32 to = group_scan(scratch, MAP_GROUP, kept.count, &total);
        if (staged < STAGED_PARTS && lane == 0)
            starts[staged] = to;
        barrier_local();
        if (staged < STAGED_PARTS) {
            LOCAL u8 *out = (LOCAL u8 *)(words + staged * PART_WORDS);
            to -= starts[staged];
            to = put_kept(out, to, kept.bytes.x, kept.kept.x);
            to = put_kept(out, to, kept.bytes.y, kept.kept.y);
            to = put_kept(out, to, kept.bytes.z, kept.kept.z);
            to = put_kept(out, to, kept.bytes.w, kept.kept.w);
            if (lane == PART_LANES - 1) {
                info[staged] = 8 * to | range.flags;
                segments[staged] = range.segment;
            }
        }
    }
    barrier_local();
    u32 self = local_index();
    if (self < STAGED_PARTS - 1 && (info[self] & PART_LAST) == 0) {
        u32 at = (info[self] & PART_BITS) / 8, next = words[(self + 1) * PART_WORDS];
        for (u32 i = 0; i < 4; i++)
            ((LOCAL u8 *)(words + self * PART_WORDS))[(at + i) ^ 3] = (u8)(next >> (24 - 8 * i));
    }
    barrier_local();
}
