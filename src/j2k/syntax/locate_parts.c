/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds tile-parts by the lengths in TLM (T.800 A.7.1), so that only the wanted tile-parts of a large picture are read.
 * TLM is trusted only if its lengths add up to the codestream from the first SOT to EOC, and each tile-part that is
 * read has the position, tile, number and length that TLM says, and is not damaged. Otherwise all tile-parts are read
 * one after the other.
 */
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

enum { PART_LEAST = 14 /* fewest bytes of a tile-part: SOT and SOD */, PART_INDICES = 255 };

/* Holds the state while the entries of all TLM segments are read, one after the other. */
struct locating {
    struct j2k_parser *parser;
    uint32_t count;
    uint64_t at; /* offset where the next tile-part starts */
};

/* Split Stlm into the number of bytes of each Ttlm and Ptlm (Table A.33). Returns false for reserved values. */
static bool entry_sizes(uint8_t sizes, uint32_t *tile_bytes, uint32_t *length_bytes)
{
    *tile_bytes = sizes >> 4 & 3;
    *length_bytes = sizes & 0x40 ? 4 : 2;
    return *tile_bytes < 3 && (sizes & 0x8F) == 0;
}

static uint32_t get(const uint8_t *at, uint32_t bytes)
{
    return bytes == 4 ? j2k_get32(at) : bytes == 2 ? j2k_get16(at) : *at;
}

/*
 * Take the entries behind Stlm. Without Ttlm, each tile has one tile-part and the tiles come in order. Returns false if
 * an entry is impossible.
 */
static bool take_segment(struct locating *locating, const struct j2k_packed_segment *segment)
{
    const struct j2k_parser *parser = locating->parser;
    struct j2k_stream *stream = parser->stream;
    const uint8_t *at = parser->data + segment->offset, *end = at + segment->length;
    uint32_t tile_bytes, length_bytes, tiles = stream->size.columns * stream->size.rows;
    if (at == end || !entry_sizes(*at++, &tile_bytes, &length_bytes) ||
        (uint32_t)(end - at) % (tile_bytes + length_bytes) != 0)
        return false;
    for (; at < end; at += tile_bytes + length_bytes) {
        uint32_t tile = tile_bytes ? get(at, tile_bytes) : locating->count;
        uint64_t length = get(at + tile_bytes, length_bytes);
        if (locating->count == stream->part_count || tile >= tiles || length < PART_LEAST ||
            length > parser->end - locating->at)
            return false;
        stream->part[locating->count] = (struct j2k_tile_part){
            .tile = tile, .offset = locating->at, .body = locating->at, .body_length = length, .next = locating->count};
        locating->count++;
        locating->at += length;
    }
    return true;
}

/* Number the tile-parts of each tile, which are in the order of their numbers (A.4.2). */
static bool number_parts(struct j2k_stream *stream)
{
    for (uint32_t i = 0; i < stream->part_count; i++) {
        uint32_t index = i - stream->tile_part[stream->part[i].tile];
        if (index >= PART_INDICES)
            return false;
        stream->part[i].index = (uint8_t)index;
    }
    return true;
}

/*
 * Return an upper bound on the number of tile-parts: the number of entries that the segments may have, but never more
 * than the codestream has room for or the limits allow.
 */
static uint32_t most_parts(const struct j2k_parser *parser, size_t bytes)
{
    uint64_t most = bytes / 2, room = (parser->end - parser->position) / PART_LEAST;
    most = most < room ? most : room;
    return most < parser->limits->tile_parts ? (uint32_t)most : parser->limits->tile_parts;
}

/*
 * Locate all tile-parts by TLM. `located` stays false if the segments contradict each other, the tiles or the length of
 * the codestream.
 */
static kst_status locate(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES] = {NULL}, *twice;
    size_t bytes = kst_j2k_sort_packed(&parser->part_lengths, by_index, &twice);
    struct locating locating = {.parser = parser, .at = parser->position};
    kst_status status = KST_OK;
    stream->part_count = twice ? 0 : most_parts(parser, bytes);
    if (stream->part_count == 0)
        return KST_OK;
    stream->part = kst_memory_array(parser->memory, stream->part_count, sizeof *stream->part, &status);
    if (!stream->part)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, "while reading JPEG 2000");
    bool fine = true;
    for (uint32_t i = 0; i < J2K_PACKED_INDICES && fine; i++)
        fine = !by_index[i] || take_segment(&locating, by_index[i]);
    stream->part_count = locating.count;
    if (!fine || locating.count == 0 || kst_j2k_marker_at(parser, locating.at, parser->end) != J2K_EOC)
        return KST_OK;
    stream->end_of_parts = locating.at;
    status = kst_j2k_sort_parts(parser);
    stream->located = !status && number_parts(stream);
    return status;
}

static void forget_parts(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    kst_memory_release(parser->memory, stream->part);
    kst_memory_release(parser->memory, stream->tile_part);
    stream->part = NULL;
    stream->tile_part = NULL;
    stream->part_count = 0;
    parser->part_capacity = 0;
}

kst_status kst_j2k_find_parts(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    stream->first_part = parser->position;
    if (parser->part_lengths.count == 0 || parser->packed.count > 0 || parser->lengths.count > 0)
        return kst_j2k_walk_parts(parser);
    kst_status status = locate(parser);
    if (status || stream->located)
        return status;
    uint64_t warnings = parser->report->warnings;
    forget_parts(parser);
    status = kst_j2k_walk_parts(parser);
    if (!status && parser->report->warnings == warnings) /* otherwise the tile-parts are damaged, not TLM */
        kst_report_warning(
            parser->report, KST_WARNING_J2K_LENGTHS, parser->part_lengths.segment[0].offset - 1, 1, false);
    return status;
}

/* Read the header of a tile-part. *fine says whether it is where TLM says and has no fault. */
static kst_status read_part(struct j2k_parser *parser, struct j2k_tile_part *part, bool *fine)
{
    const uint8_t *at = parser->data + part->offset;
    uint64_t end = part->body + part->body_length;
    *fine = kst_j2k_part_is(parser, part->offset, end - part->offset, end == parser->stream->end_of_parts) &&
            j2k_get16(at + 4) == part->tile && at[10] == part->index;
    if (!*fine)
        return KST_OK;
    part->count = at[11];
    part->first_segment = parser->stream->segment_count;
    kst_status status = kst_j2k_read_part_header(parser, part, end, fine);
    if (status || !*fine)
        return status;
    part->body = parser->position;
    part->body_length = end - part->body;
    part->read = true;
    return KST_OK;
}

/*
 * Read all tile-parts of a tile. `fine` says whether it has some, and at least one of them has the right number of
 * tile-parts (TNsot) while none has a wrong one.
 */
static kst_status read_tile(struct j2k_parser *parser, uint32_t tile, bool *fine)
{
    struct j2k_stream *stream = parser->stream;
    uint32_t first = stream->tile_part[tile], end = stream->tile_part[tile + 1];
    bool told = false;
    *fine = first < end;
    if (*fine && stream->part[end - 1].read)
        return KST_OK;
    for (uint32_t i = first; i < end && *fine; i++) {
        kst_status status = read_part(parser, &stream->part[i], fine);
        if (status)
            return status;
        told = told || stream->part[i].count != 0;
        *fine = *fine && (stream->part[i].count == 0 || stream->part[i].count == end - first);
    }
    *fine = *fine && told;
    return KST_OK;
}

/* Return whether two sorted lists of tile-parts describe the same ranges of bytes. */
static bool is_same(const struct j2k_stream *a, const struct j2k_stream *b)
{
    bool same = a->part_count == b->part_count;
    for (uint32_t i = 0; i < a->part_count && same; i++) {
        const struct j2k_tile_part *p = &a->part[i], *q = &b->part[i];
        same = p->tile == q->tile && p->offset == q->offset && p->body + p->body_length == q->body + q->body_length;
    }
    return same;
}

/* Undo the reading of tile-part headers, so that the stream is as it was right after TLM was read. */
static void restore(struct j2k_stream *stream, const struct j2k_stream *before)
{
    *stream = *before;
    stream->segment_count = stream->main_segment_count;
    for (uint32_t i = 0; i < stream->part_count; i++) {
        struct j2k_tile_part *part = &stream->part[i];
        part->body_length += part->body - part->offset;
        part->body = part->offset;
        part->read = false;
    }
}

/*
 * Read all tile-parts as if there were no TLM. If the result differs from TLM although the tile-parts are not damaged,
 * that is a warning about TLM.
 */
static kst_status walk_instead(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream, before = *stream;
    uint64_t warnings = parser->report->warnings;
    stream->part = NULL;
    stream->tile_part = NULL;
    stream->part_count = 0;
    stream->segment_count = stream->main_segment_count;
    stream->located = false;
    parser->position = stream->first_part;
    kst_status status = kst_j2k_walk_parts(parser);
    before.segment = stream->segment;
    before.segment_capacity = stream->segment_capacity;
    if (status) {
        forget_parts(parser);
        restore(stream, &before);
        return status;
    }
    if (parser->report->warnings == warnings && !is_same(stream, &before))
        kst_report_warning(parser->report, KST_WARNING_J2K_LENGTHS, stream->first_part, 1, false);
    kst_memory_release(parser->memory, before.part);
    kst_memory_release(parser->memory, before.tile_part);
    return KST_OK;
}

kst_status kst_j2k_read_parts(const struct operation *op, struct j2k_stream *stream, struct j2k_rect tiles)
{
    struct j2k_parser parser = {.memory = op->memory,
        .limits = op->limits,
        .report = op->report,
        .stream = stream,
        .data = stream->data,
        .end = stream->end};
    bool fine = tiles.x0 > 0 || tiles.y0 > 0 || tiles.x1 < stream->size.columns || tiles.y1 < stream->size.rows;
    if (!stream->located)
        return KST_OK;
    for (uint32_t y = tiles.y0; y < tiles.y1 && fine; y++)
        for (uint32_t x = tiles.x0; x < tiles.x1 && fine; x++) {
            kst_status status = read_tile(&parser, y * stream->size.columns + x, &fine);
            if (status)
                return status;
        }
    return fine ? KST_OK : walk_instead(&parser);
}

kst_status kst_j2k_read_all_parts(const struct operation *op, struct j2k_stream *stream)
{
    return kst_j2k_read_parts(op, stream, (struct j2k_rect){.x1 = stream->size.columns, .y1 = stream->size.rows});
}
