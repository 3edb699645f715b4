/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses tile-parts (T.800 A.4.2): finds them, reads their headers, and sorts them by tile. */
#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

enum { SOT_LENGTH = 12, SOT_CONTENTS = 10, PART_INDICES = 256 };

static void warn(struct j2k_parser *parser, kst_status warning, uint64_t offset)
{
    kst_report_warning(parser->report, warning, offset, 1, false);
}

/* Return whether there is an SOT at `at`, with the right length and the index of an existing tile. */
static bool is_start(const struct j2k_parser *parser, uint64_t at)
{
    const struct j2k_size *size = &parser->stream->size;
    if (kst_j2k_marker_at(parser, at, parser->end) != J2K_SOT || parser->end - at < SOT_LENGTH)
        return false;
    return j2k_get16(parser->data + at + 2) == SOT_CONTENTS &&
           j2k_get16(parser->data + at + 4) < (uint64_t)size->columns * size->rows;
}

static bool is_end(const struct j2k_parser *parser, uint64_t at)
{
    return at == parser->end || kst_j2k_marker_at(parser, at, parser->end) == J2K_EOC;
}

/*
 * Find the end of a tile-part whose length cannot be right. It is in front of the next SOT, a marker that neither
 * packet headers nor code-blocks can contain, or at EOC, or at the end of the data.
 */
static uint64_t search_end(const struct j2k_parser *parser, uint64_t from)
{
    uint64_t at = from;
    while (at < parser->end) {
        const uint8_t *hit = memchr(parser->data + at, 0xFF, parser->end - at);
        if (!hit)
            return parser->end;
        at = (uint64_t)(hit - parser->data);
        if (is_start(parser, at) || (is_end(parser, at) && parser->end - at == 2))
            return at;
        at++;
    }
    return parser->end;
}

/* Return the end of a tile-part whose Psot is 0; it is the last one, and extends to EOC (Table A.6). */
static uint64_t open_end(const struct j2k_parser *parser, uint64_t at)
{
    bool closed =
        parser->end - at >= SOT_LENGTH + 2 && kst_j2k_marker_at(parser, parser->end - 2, parser->end) == J2K_EOC;
    return closed ? parser->end - 2 : parser->end;
}

/* Return the end of the tile-part at `at`, found by its Psot or, if that is wrong, by what follows. */
static uint64_t find_end(struct j2k_parser *parser, uint64_t at)
{
    uint64_t length = j2k_get32(parser->data + at + 6), left = parser->end - at;
    if (length == 0)
        return open_end(parser, at);
    if (length > left) {
        uint64_t end = search_end(parser, at + SOT_LENGTH);
        warn(parser, end == parser->end ? KST_WARNING_J2K_TRUNCATED : KST_WARNING_J2K_TILE_PART, at);
        return end;
    }
    if (length >= SOT_LENGTH + 2 && (is_end(parser, at + length) || is_start(parser, at + length)))
        return at + length;
    warn(parser, KST_WARNING_J2K_TILE_PART, at);
    return search_end(parser, at + SOT_LENGTH);
}

bool kst_j2k_part_is(const struct j2k_parser *parser, uint64_t at, uint64_t length, bool last)
{
    uint64_t end = at + length;
    if (!is_start(parser, at) || (last ? !is_end(parser, end) : !is_start(parser, end)))
        return false;
    uint64_t told = j2k_get32(parser->data + at + 6);
    return told == length || (told == 0 && last && end == open_end(parser, at));
}

static bool is_kept(const struct j2k_parser *parser, uint8_t marker)
{
    if (parser->stream->multi.allowed && (kst_j2k_is_multi_marker(marker) || kst_j2k_extension_name(marker)))
        return true; /* the latter will be refused if the tile is wanted */
    return (marker >= J2K_QCD && marker <= J2K_POC) || marker == J2K_COD || marker == J2K_COC || marker == J2K_PPT ||
           marker == J2K_PLT;
}

static void note_transform(struct j2k_stream *stream, uint8_t marker, struct j2k_segment_reader segment)
{
    if (marker == J2K_COD && segment.length >= 5 && (segment.data[4] & 1))
        stream->transform_somewhere = true;
}

kst_status kst_j2k_read_part_header(struct j2k_parser *parser, struct j2k_tile_part *part, uint64_t end, bool *fine)
{
    parser->position = part->offset + SOT_LENGTH;
    *fine = false;
    for (uint32_t markers = 0;; markers++) {
        uint8_t marker = kst_j2k_marker_at(parser, parser->position, end);
        if (marker == J2K_SOD) {
            parser->position += 2;
            *fine = true;
            return KST_OK;
        }
        if (marker < J2K_ALONE_FIRST || marker == J2K_SOT || marker == J2K_EOC)
            return KST_OK;
        if (markers >= parser->limits->markers)
            return kst_report_error(parser->report, KST_ERROR_LIMIT_MARKERS, parser->position, "more than %u",
                (unsigned)parser->limits->markers);
        struct j2k_segment_reader segment = {0};
        kst_status status = kst_j2k_take_segment(parser, end, &segment);
        if (status) {
            kst_report_forgive(parser->report);
            return KST_OK;
        }
        note_transform(parser->stream, marker, segment);
        if (is_kept(parser, marker) && (status = kst_j2k_keep_segment(parser, marker, segment)))
            return status;
        part->segment_count = parser->stream->segment_count - part->first_segment;
    }
}

/* Read the tile-part whose SOT is at the position, and move the position behind it. */
static kst_status read_part(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    uint64_t at = parser->position, end = find_end(parser, at);
    struct j2k_tile_part part = {.tile = j2k_get16(parser->data + at + 4),
        .index = parser->data[at + 10],
        .count = parser->data[at + 11],
        .read = true,
        .offset = at,
        .first_segment = stream->segment_count,
        .next = stream->part_count};
    bool fine;
    if (stream->part_count >= parser->limits->tile_parts)
        return kst_report_error(
            parser->report, KST_ERROR_LIMIT_TILE_PARTS, at, "more than %u", (unsigned)parser->limits->tile_parts);
    kst_status status = kst_j2k_read_part_header(parser, &part, end, &fine);
    if (status)
        return status;
    if (fine) {
        part.body = parser->position;
        part.body_length = end - part.body;
    } else {
        warn(parser, end == parser->end ? KST_WARNING_J2K_TRUNCATED : KST_WARNING_J2K_TILE_PART, at);
        part.body = end;
    }
    parser->position = end;
    status = kst_j2k_grow(parser->memory, parser->report, (void **)&stream->part, stream->part_count,
        &parser->part_capacity, sizeof *stream->part);
    if (!status)
        stream->part[stream->part_count++] = part;
    return status;
}

static uint32_t part_key(const struct j2k_tile_part *part, bool by_tile)
{
    return by_tile ? part->tile : part->index;
}

/* Perform one stable pass of a counting sort. `start` has room for an entry for each key. */
static void sort_pass(const struct j2k_tile_part *from, struct j2k_tile_part *to, uint32_t count, bool by_tile,
    uint32_t *start, uint32_t keys)
{
    memset(start, 0, (size_t)keys * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[part_key(&from[i], by_tile)]++;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t here = start[k];
        start[k] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[start[part_key(&from[i], by_tile)]++] = from[i];
}

static bool is_sorted(const struct j2k_stream *stream)
{
    for (uint32_t i = 1; i < stream->part_count; i++) {
        const struct j2k_tile_part *a = &stream->part[i - 1], *b = &stream->part[i];
        if (a->tile > b->tile || (a->tile == b->tile && a->index > b->index))
            return false;
    }
    return true;
}

/* Record where the tile-parts of each tile start, once they are sorted. */
static void find_tiles(struct j2k_stream *stream)
{
    uint32_t tiles = stream->size.columns * stream->size.rows, i = 0;
    for (uint32_t tile = 0; tile <= tiles; tile++) {
        while (i < stream->part_count && stream->part[i].tile < tile)
            i++;
        stream->tile_part[tile] = i;
    }
}

/*
 * Convert `next` of each part, which so far is the number of parts in front of it in the codestream, into the index of
 * the part that comes next.
 */
static kst_status link_parts(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    kst_status status = KST_OK;
    uint32_t *place = kst_memory_array(parser->memory, stream->part_count, sizeof *place, &status);
    if (!place)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t i = 0; i < stream->part_count; i++)
        place[stream->part[i].next] = i;
    stream->first_in_order = place[0];
    for (uint32_t i = 0; i < stream->part_count; i++) {
        uint32_t behind = stream->part[i].next + 1;
        stream->part[i].next = behind < stream->part_count ? place[behind] : stream->part_count;
    }
    kst_memory_release(parser->memory, place);
    return KST_OK;
}

kst_status kst_j2k_sort_parts(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    uint32_t tiles = stream->size.columns * stream->size.rows, by_index[PART_INDICES];
    kst_status status = KST_OK;
    stream->tile_part = kst_memory_array(parser->memory, (size_t)tiles + 1, sizeof *stream->tile_part, &status);
    if (!stream->tile_part)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, NULL);
    if (!is_sorted(stream)) {
        struct j2k_tile_part *other = kst_memory_array(parser->memory, stream->part_count, sizeof *other, &status);
        if (!other)
            return kst_report_error(parser->report, status, KST_NO_OFFSET, NULL);
        sort_pass(stream->part, other, stream->part_count, false, by_index, PART_INDICES);
        sort_pass(other, stream->part, stream->part_count, true, stream->tile_part, tiles);
        kst_memory_release(parser->memory, other);
    }
    find_tiles(stream);
    return link_parts(parser);
}

/*
 * Check the numbers of tile-parts: TPsot counts from 0 without gaps, and every TNsot that is not 0 equals the number of
 * a tile's parts (Table A.6).
 */
static void check_numbers(struct j2k_parser *parser)
{
    const struct j2k_stream *stream = parser->stream;
    uint32_t announced = 0;
    for (uint32_t i = 0; i < stream->part_count; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        uint32_t first = stream->tile_part[part->tile], end = stream->tile_part[part->tile + 1];
        if (i == first)
            announced = 0;
        if (part->count)
            announced = part->count;
        bool last = i + 1 == end;
        if (part->index != i - first || (part->count && part->index >= part->count) ||
            (last && announced > end - first))
            warn(parser, KST_WARNING_J2K_TILE_PART, part->offset);
    }
}

kst_status kst_j2k_walk_parts(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    while (is_start(parser, parser->position)) {
        kst_status status = read_part(parser);
        if (status)
            return status;
    }
    if (stream->part_count == 0)
        return kst_report_error(parser->report, KST_ERROR_J2K_NO_TILE, parser->position, NULL);
    if (kst_j2k_marker_at(parser, parser->position, parser->end) != J2K_EOC)
        warn(parser, KST_WARNING_J2K_NO_EOC, parser->position);
    kst_status status = kst_j2k_distribute_packed(parser);
    if (!status)
        status = kst_j2k_distribute_lengths(parser);
    if (!status)
        status = kst_j2k_sort_parts(parser);
    if (!status)
        check_numbers(parser);
    return status;
}
