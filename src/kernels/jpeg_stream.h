/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that remove the stuffing (T.81 B.1.1.5): a byte behind 0xFF is dropped, whatever it is. */
#include "group.h"
#include "jpeg_picture.h"

enum { STREAM_GROUP = WORK_STREAM_GROUP, STREAM_STEP = 16 * STREAM_GROUP };

/* Sixteen bytes, and for each in bit 7 of its byte whether it is kept. */
struct kept_bytes {
    u32x4 bytes, kept;
    u32 count;
};

FUNCTION u32 kept_of(u32 word, u32 before)
{
    u32 previous = ~(word << 8 | before);
    return (((previous & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | previous) & 0x80808080u;
}

/* The bits of a word's bytes of which n are left, 0 or less: none. */
FUNCTION u32 lowest_bytes(i32 n)
{
    if (n >= 4)
        return 0x80808080u;
    return n <= 0 ? 0 : 0x80808080u >> (8 * (4 - n));
}

/* `first`: the stream's in units of 16; `at`: bytes from there, a multiple of 16; none from `length` on is kept. */
FUNCTION struct kept_bytes keep(GLOBAL const u32x4 *RESTRICT stream, u32 first, u32 at, u32 length)
{
    struct kept_bytes result;
    i32 left = (i32)length - (i32)at;
    u32 before = 0;
    result.bytes = make_u32x4(0, 0, 0, 0);
    if (left > 0)
        result.bytes = stream[first + at / 16];
    if (left > 0 && at > 0)
        before = ((GLOBAL const u32 *)stream)[((u64)first + at / 16) * 4 - 1] >> 24;
    result.kept.x = kept_of(result.bytes.x, before) & lowest_bytes(left);
    result.kept.y = kept_of(result.bytes.y, result.bytes.x >> 24) & lowest_bytes(left - 4);
    result.kept.z = kept_of(result.bytes.z, result.bytes.y >> 24) & lowest_bytes(left - 8);
    result.kept.w = kept_of(result.bytes.w, result.bytes.z >> 24) & lowest_bytes(left - 12);
    result.count = ones(result.kept.x) + ones(result.kept.y) + ones(result.kept.z) + ones(result.kept.w);
    return result;
}

/* How many bytes each chunk keeps. */
KERNEL(STREAM_GROUP)
count_kept(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL u32 *RESTRICT chunks,
    GLOBAL u32 *RESTRICT damage)
{
    SHARED u32 scratch[STREAM_GROUP];
    u32 first, index = find_picture(work, WORK_OF_CHUNKS, group_index(), &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    u32 at = (group_index() - first) * WORK_CHUNK + 16 * local_index(), count = 0;
    for (u32 i = 0; i < WORK_CHUNK; i += STREAM_STEP)
        count += keep(stream, picture->stream, at + i, picture->stream_length).count;
    count = group_sum(scratch, STREAM_GROUP, count);
    if (local_index() == 0)
        chunks[group_index()] = count;
    if (group_index() == first && local_index() < WORK_DAMAGE)
        damage[index * WORK_DAMAGE + local_index()] = 0;
}

FUNCTION u32 write_kept(GLOBAL u8 *RESTRICT bytes, u32 at, u32 word, u32 kept)
{
    for (u32 i = 0; i < 4; i++)
        if (kept >> (8 * i + 7) & 1)
            bytes[at++] = (u8)(word >> (8 * i));
    return at;
}

/* The kept bytes, and before every sixteenth byte of the stream how many there are (`ranks`). */
KERNEL(STREAM_GROUP)
remove_stuffing(GLOBAL const u32 *RESTRICT work, GLOBAL const u32x4 *RESTRICT stream, GLOBAL const u32 *RESTRICT chunks,
    GLOBAL u32 *RESTRICT ranks, GLOBAL u8 *RESTRICT bytes)
{
    SHARED u32 scratch[STREAM_GROUP];
    u32 first, index = find_picture(work, WORK_OF_CHUNKS, group_index(), &first);
    GLOBAL const struct work_picture *picture = picture_at(work, index);
    GLOBAL u8 *out = bytes + (u64)picture->stream * 16;
    u32 at = (group_index() - first) * WORK_CHUNK + 16 * local_index(), rank = 0;
    for (u32 i = first + local_index(); i < group_index(); i += STREAM_GROUP)
        rank += chunks[i];
    rank = group_sum(scratch, STREAM_GROUP, rank);
    for (u32 i = 0; i < WORK_CHUNK; i += STREAM_STEP) {
        struct kept_bytes kept = keep(stream, picture->stream, at + i, picture->stream_length);
        u32 total, to = rank + group_scan(scratch, STREAM_GROUP, kept.count, &total);
        if (at + i < picture->stream_length) {
            ranks[picture->stream + (at + i) / 16] = to;
            to = write_kept(out, to, kept.bytes.x, kept.kept.x);
            to = write_kept(out, to, kept.bytes.y, kept.kept.y);
            to = write_kept(out, to, kept.bytes.z, kept.kept.z);
            to = write_kept(out, to, kept.bytes.w, kept.kept.w);
            for (u32 j = 0; j < 4 && at + i + 16 >= picture->stream_length; j++)
                out[to + j] = 0; /* the last word is read whole */
        }
        rank += total;
    }
}

/* How many bytes before byte `at` of the stream are kept. */
FUNCTION u32 rank_of(GLOBAL const struct work_picture *picture, GLOBAL const u32x4 *RESTRICT stream,
    GLOBAL const u32 *RESTRICT ranks, u32 at)
{
    if (at == 0)
        return 0;
    u32 sixteen = (at - 1) / 16 * 16;
    return ranks[picture->stream + sixteen / 16] + keep(stream, picture->stream, sixteen, at).count;
}
