/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the bits of tiles into a stream: padding at the end of intervals, stuffing (T.81 B.1.1.5) and restart markers.
 */
#include "jpeg/kernels/encode_tile.h"

enum { PLACE_GROUP = ENCODE_PLACE_GROUP, STREAM_GROUP = ENCODE_STREAM_GROUP };

FUNCTION GLOBAL u32 *list_of(GLOBAL const u32 *work, GLOBAL u32 *lists, enum jpeg_encode_list list)
{
    return lists + list * ((GLOBAL const struct jpeg_encode_work *)work)->count;
}

FUNCTION u32 whole_bytes(u32 bits)
{
    return (bits + 7) & ~7u;
}

/*
 * Holds the effect of consecutive tiles on a position x: x + before; or, if an interval ends among them, x + before
 * rounded up to whole bytes, + after.
 */
struct advance {
    u32 before, after, aligned;
};

FUNCTION struct advance advance_on(struct advance advance, u32 length, u32 ends)
{
    if (advance.aligned) {
        advance.after = ends ? whole_bytes(advance.after + length) : advance.after + length;
    } else {
        advance.before += length;
        advance.aligned = ends;
    }
    return advance;
}

FUNCTION u32 advance_from(const struct advance *advance, u32 place)
{
    return advance->aligned ? whole_bytes(place + advance->before) + advance->after : place + advance->before;
}

FUNCTION struct advance advance_both(const struct advance *first, const struct advance *second)
{
    struct advance both = *first;
    if (!first->aligned) {
        both.before += second->before;
        both.after = second->after;
        both.aligned = second->aligned;
    } else {
        both.after = advance_from(second, first->after);
    }
    return both;
}

/* Return the combined effect of all work-items before this one. The whole work-group calls it. */
FUNCTION struct advance scan_advances(LOCAL u32 *scratch, struct advance own)
{
    u32 self = local_index();
    struct advance sum = own;
    for (u32 step = 1; step <= PLACE_GROUP; step *= 2) {
        barrier_local();
        scratch[self] = sum.before;
        scratch[PLACE_GROUP + self] = sum.after;
        scratch[2 * PLACE_GROUP + self] = sum.aligned;
        barrier_local();
        u32 from = step < PLACE_GROUP ? self - step : self - 1, use = step < PLACE_GROUP ? self >= step : self >= 1;
        struct advance left = {0, 0, 0};
        if (use) {
            left.before = scratch[from];
            left.after = scratch[PLACE_GROUP + from];
            left.aligned = scratch[2 * PLACE_GROUP + from];
        }
        sum = step < PLACE_GROUP ? advance_both(&left, &sum) : left;
    }
    return sum;
}

FUNCTION u32 ends_interval(u32 interval_tiles, u32 tiles, u32 tile)
{
    return (tile + 1) % interval_tiles == 0 || tile + 1 == tiles;
}

/* Compute where each of a picture's tiles starts, from their lengths. The whole work-group calls it. */
FUNCTION void place_all(GLOBAL const struct jpeg_encode_picture *picture, LOCAL u32 *scratch,
    GLOBAL const u32 *RESTRICT lengths, GLOBAL u32 *RESTRICT starts, u32 align)
{
    u32 share = (picture->tiles + PLACE_GROUP - 1) / PLACE_GROUP, first = local_index() * share, last = first + share;
    struct advance own = {0, 0, 0};
    last = last < picture->tiles ? last : picture->tiles;
    for (u32 i = first; i < last; i++)
        own = advance_on(own, lengths[i], align && ends_interval(picture->interval_tiles, picture->tiles, i));
    struct advance before = scan_advances(scratch, own);
    for (u32 i = first; i < last; i++) {
        starts[i] = advance_from(&before, 0);
        before = advance_on(before, lengths[i], align && ends_interval(picture->interval_tiles, picture->tiles, i));
    }
}

/* Compute where the bits of a picture's tiles start; one work-group for each picture. */
KERNEL(PLACE_GROUP) place_bits(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *lists)
{
    SHARED u32 scratch[3 * PLACE_GROUP];
    u32 first = (work + ((GLOBAL const struct jpeg_encode_work *)work)->tiles)[group_index()];
    place_all(picture_of(work, group_index()), scratch, list_of(work, lists, ENCODE_LENGTHS) + first,
        list_of(work, lists, ENCODE_STARTS) + first, 1);
}

/* Compute where the bytes of a picture's tiles start; one work-group for each picture. */
KERNEL(PLACE_GROUP) place_bytes(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *lists)
{
    SHARED u32 scratch[3 * PLACE_GROUP];
    u32 first = (work + ((GLOBAL const struct jpeg_encode_work *)work)->tiles)[group_index()];
    place_all(picture_of(work, group_index()), scratch, list_of(work, lists, ENCODE_SIZES) + first,
        list_of(work, lists, ENCODE_OFFSETS) + first, 0);
}

/* Holds the bytes of the stream that start in a tile. */
struct byte_stretch {
    GLOBAL const u32 *words; /* words of the tile's bits */
    u32 length;              /* number of bits */
    u32 phase;               /* number of bits that belong to the byte before */
    u32 bytes;
    u32 whole; /* number of those bytes that also end in the tile; the last one may not */
};

FUNCTION GLOBAL const u32 *tile_words(LOCAL const struct jpeg_encode_picture *picture, GLOBAL const u32 *bits, u32 tile)
{
    return bits + picture->bits + (u64)tile * picture->tile_mcus * picture->mcu_blocks * ENCODE_BLOCK_WORDS;
}

FUNCTION struct byte_stretch find_stretch(const struct tile *tile, GLOBAL const u32 *bits, u32 length, u32 start)
{
    struct byte_stretch stretch;
    stretch.words = tile_words(tile->picture, bits, tile->number);
    stretch.length = length;
    stretch.phase = (0 - start) & 7;
    stretch.bytes = (start % 8 + stretch.length + 7) / 8 - (start % 8 + 7) / 8;
    stretch.whole = stretch.length > stretch.phase ? (stretch.length - stretch.phase) / 8 : 0;
    return stretch;
}

/* Return the first eight bits behind a tile. `lengths` begins at the tile's own length. */
FUNCTION u32 bits_behind(const struct tile *tile, GLOBAL const u32 *bits, GLOBAL const u32 *lengths)
{
    u32 result = 0, count = 0;
    for (u32 i = 0; count < 8; i++) {
        if (ends_interval(tile->picture->interval_tiles, tile->picture->tiles, tile->number + i))
            return result | 0xFFu >> count;
        result |= tile_words(tile->picture, bits, tile->number + i + 1)[0] >> 24 >> count;
        count += lengths[i + 1];
    }
    return result;
}

/*
 * Return four bytes of the stretch, from byte 4i on, the first in the highest bits; bytes that do not belong to the
 * tile are 0.
 */
FUNCTION u32 stretch_word(const struct tile *tile, const struct byte_stretch *stretch, GLOBAL const u32 *bits,
    GLOBAL const u32 *lengths, u32 i)
{
    if (4 * i >= stretch->bytes)
        return 0;
    u32 word = stretch->words[i] << stretch->phase, left = stretch->bytes - 4 * i;
    if (stretch->phase > 0 && (i + 1) * 32 < stretch->length)
        word |= stretch->words[i + 1] >> (32 - stretch->phase);
    if (stretch->whole < stretch->bytes && stretch->whole / 4 == i) {
        u32 own = (stretch->length - stretch->phase) % 8;
        word |= bits_behind(tile, bits, lengths) << 24 >> (stretch->whole % 4 * 8 + own);
    }
    return left < 4 ? word & ~(0xFFFFFFFFu >> (8 * left)) : word;
}

/* Return the number of bytes of a word that are 0xFF. */
FUNCTION u32 stuffing_of(u32 word)
{
    u32 other = ~word;
    return 4 - ones((((other & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | other) & 0x80808080u);
}

/*
 * Return the sum of a list over all tiles in front of a tile in its picture. `list` begins with the picture's first
 * tile. The whole work-group calls it.
 */
FUNCTION u32 sum_tiles(const struct tile *tile, LOCAL u32 *scratch, GLOBAL const u32 *list, u32 align)
{
    u32 sum = 0;
    for (u32 i = local_index(); i < tile->number; i += STREAM_GROUP)
        sum += align ? whole_bytes(list[i]) : list[i];
    return group_sum(scratch, STREAM_GROUP, sum);
}

/* Compute how many bytes each tile adds to its stream. */
KERNEL(STREAM_GROUP) measure_tiles(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bits, GLOBAL u32 *lists)
{
    SHARED u32 picture[ENCODE_PICTURE_WORDS];
    SHARED u32 scratch[STREAM_GROUP];
    struct tile tile = find_tile(work, group_index(), picture, STREAM_GROUP);
    GLOBAL const u32 *lengths = list_of(work, lists, ENCODE_LENGTHS) + group_index();
    GLOBAL u32 *starts = list_of(work, lists, ENCODE_STARTS) + group_index();
    u32 start = sum_tiles(&tile, scratch, lengths - tile.number, tile.picture->interval < tile.picture->mcus);
    start = tile.picture->summed ? start : *starts;
    struct byte_stretch stretch = find_stretch(&tile, bits, *lengths, start);
    u32 stuffing = 0;
    for (u32 i = local_index(); 4 * i < stretch.bytes; i += STREAM_GROUP)
        stuffing += stuffing_of(stretch_word(&tile, &stretch, bits, lengths, i));
    stuffing = group_sum(scratch, STREAM_GROUP, stuffing);
    u32 marker = tile.ends && tile.number + 1 < tile.picture->tiles ? 2 : 0;
    if (local_index() == 0) {
        *starts = start;
        list_of(work, lists, ENCODE_SIZES)[group_index()] = stretch.bytes + stuffing + marker;
        if (is_gathered(work))
            count_up(stream_lengths(work, lists) + tile.index, stretch.bytes + stuffing + marker);
    }
}

/* Place gathered streams one behind the other, behind the list of their lengths. One work-group does it. */
KERNEL(PLACE_GROUP) place_streams(GLOBAL const u32 *RESTRICT work, GLOBAL u32 *lists, GLOBAL u32 *RESTRICT streams)
{
    SHARED u32 scratch[PLACE_GROUP];
    u32 count = ((GLOBAL const struct jpeg_encode_work *)work)->pictures, place = (count + 3) / 4, total;
    for (u32 first = 0; first < count; first += PLACE_GROUP) {
        u32 i = first + local_index(), length = i < count ? stream_lengths(work, lists)[i] : 0;
        u32 before = group_scan(scratch, PLACE_GROUP, (length + 15) / 16, &total);
        if (i < count) {
            streams[i] = length;
            stream_places(work, lists)[i] = place + before;
        }
        place += total;
        barrier_local();
    }
}

enum {
    ITEM_WORDS = 4, /* words of the tile's bits that a work-item writes at once */
    /* Bytes that a work-group writes at once, if all of them are stuffed. */
    ROUND_BYTES = 2 * 4 * ITEM_WORDS * STREAM_GROUP
};

/* Write bytes with their stuffing. Returns where the next ones go. */
FUNCTION LOCAL u8 *put_stuffed(LOCAL u8 *out, u32 word, u32 count)
{
    for (u32 i = 0; i < 4; i++, word <<= 8)
        if (i < count) {
            *out++ = (u8)(word >> 24);
            if (word >> 24 == 0xFF)
                *out++ = 0;
        }
    return out;
}

/*
 * Copy `count` bytes. Source and target lie `odd` bytes behind the start of a word, so that whole words can be copied.
 */
FUNCTION void bring_out(GLOBAL u8 *RESTRICT out, LOCAL const u32 *words, u32 odd, u32 count)
{
    u32 end = odd + count;
    for (u32 i = local_index(); 4 * i < end; i += STREAM_GROUP) {
        if (4 * i >= odd && 4 * i + 4 <= end) {
            ((GLOBAL u32 *)(GLOBAL void *)(out - odd))[i] = words[i];
            continue;
        }
        for (u32 j = 4 * i; j < 4 * i + 4; j++)
            if (j >= odd && j < end)
                out[j - odd] = (u8)(words[i] >> (j % 4 * 8));
    }
}

/*
 * Write the bytes of a stretch from its word `first` on, as many as a work-group handles at once. Returns the number of
 * bytes written.
 */
FUNCTION u32 write_round(const struct tile *tile, const struct byte_stretch *stretch, GLOBAL const u32 *bits,
    GLOBAL const u32 *lengths, u32 first, LOCAL u32 *scratch, LOCAL u32 *stage, GLOBAL u8 *RESTRICT out, u32 fits)
{
    u32 word[ITEM_WORDS], at = first + ITEM_WORDS * local_index(), total, size = 0, odd = (u32)((size_t)out & 3);
    u32 left = 4 * at < stretch->bytes ? stretch->bytes - 4 * at : 0;
    left = least(left, 4 * ITEM_WORDS);
    UNROLL
    for (u32 i = 0; i < ITEM_WORDS; i++) {
        word[i] = stretch_word(tile, stretch, bits, lengths, at + i);
        size += stuffing_of(word[i]);
    }
    u32 place = group_scan(scratch, STREAM_GROUP, left + size, &total);
    LOCAL u8 *to = (LOCAL u8 *)stage + odd + place;
    UNROLL
    for (u32 i = 0; i < ITEM_WORDS; i++)
        to = put_stuffed(to, word[i], left > 4 * i ? left - 4 * i : 0);
    barrier_local();
    if (fits)
        bring_out(out, stage, odd, total);
    barrier_local();
    return total;
}

FUNCTION void write_head(const struct tile *tile, GLOBAL u32 *RESTRICT head, u32 end)
{
    if (tile->number + 1 == tile->picture->tiles && local_index() < ENCODE_HEAD / 4)
        head[local_index()] = local_index() == 0 ? end : 0;
}

/* Holds the place of a stream's first byte, in units of 16 bytes, and the room for the stream in bytes. */
struct stream_room {
    u32 place, capacity;
};

FUNCTION struct stream_room find_room(GLOBAL const u32 *work, GLOBAL u32 *lists, const struct tile *tile)
{
    struct stream_room room = {tile->picture->stream + ENCODE_HEAD / 16, tile->picture->capacity};
    if (is_gathered(work)) {
        u32 end = ((GLOBAL const struct jpeg_encode_work *)work)->room;
        room.place = stream_places(work, lists)[tile->index];
        room.capacity = room.place < end ? (end - room.place) * 16 : 0;
    }
    return room;
}

/*
 * Write the streams. If a stream is too long for its room, its length is still written to its head or to the list of
 * lengths, but the rest is undefined.
 */
KERNEL(STREAM_GROUP)
write_streams(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bits, GLOBAL u32 *lists, GLOBAL u32 *RESTRICT streams)
{
    SHARED u32 scratch[STREAM_GROUP];
    SHARED u32 picture[ENCODE_PICTURE_WORDS];
    SHARED u32 stage[ROUND_BYTES / 4 + 1];
    struct tile tile = find_tile(work, group_index(), picture, STREAM_GROUP);
    GLOBAL const u32 *lengths = list_of(work, lists, ENCODE_LENGTHS) + group_index();
    GLOBAL const u32 *sizes = list_of(work, lists, ENCODE_SIZES) + group_index();
    struct byte_stretch stretch =
        find_stretch(&tile, bits, *lengths, list_of(work, lists, ENCODE_STARTS)[group_index()]);
    struct stream_room room = find_room(work, lists, &tile);
    GLOBAL u32 *first_word = streams + (u64)room.place * 4;
    u32 at = sum_tiles(&tile, scratch, sizes - tile.number, 0), size = *sizes;
    at = tile.picture->summed ? at : list_of(work, lists, ENCODE_OFFSETS)[group_index()];
    GLOBAL u8 *out = (GLOBAL u8 *)first_word + at;
    u32 fits = at + size <= room.capacity;
    if (!is_gathered(work))
        write_head(&tile, first_word - ENCODE_HEAD / 4, at + size);
    if (local_index() == 0 && fits && tile.ends && tile.number + 1 < tile.picture->tiles) {
        out[size - 2] = 0xFF;
        out[size - 1] = (u8)(0xD0 + tile.interval % 8);
    }
    for (u32 first = 0; first * 4 < stretch.bytes; first += ITEM_WORDS * STREAM_GROUP)
        out += write_round(&tile, &stretch, bits, lengths, first, scratch, stage, out, fits);
}
