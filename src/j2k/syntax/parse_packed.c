/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributes data of the main header to tile-parts: packed packet headers (PPM, T.800 A.7.4) and packet lengths (PLM,
 * A.7.2).
 */
#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/parser.h"

kst_status kst_j2k_remember_packed(
    struct j2k_parser *parser, struct j2k_packed_segments *to, struct j2k_segment_reader segment)
{
    if (segment.length < 1)
        return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, segment.offset, "PPM without an index");
    kst_status status = kst_j2k_grow(
        parser->memory, parser->report, (void **)&to->segment, to->count, &to->capacity, sizeof *to->segment);
    if (!status)
        to->segment[to->count++] = (struct j2k_packed_segment){
            .index = segment.data[0], .offset = segment.offset + 1, .length = (uint32_t)segment.length - 1};
    return status;
}

size_t kst_j2k_sort_packed(const struct j2k_packed_segments *from,
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES], const struct j2k_packed_segment **twice)
{
    size_t total = 0;
    *twice = NULL;
    for (uint32_t i = 0; i < from->count && !*twice; i++) {
        const struct j2k_packed_segment *segment = &from->segment[i];
        if (by_index[segment->index])
            *twice = segment;
        by_index[segment->index] = segment;
        total += segment->length;
    }
    return total;
}

/* Concatenate the contents of the segments in the order of their indices. */
static kst_status join(struct j2k_parser *parser, const struct j2k_packed_segment *const by_index[J2K_PACKED_INDICES],
    size_t total, const char *what, uint8_t **joined, size_t *length)
{
    kst_status status = KST_OK;
    uint8_t *to = kst_memory_array(parser->memory, total, 1, &status);
    if (!to)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, "for %s", what);
    *joined = to;
    *length = 0;
    for (uint32_t i = 0; i < J2K_PACKED_INDICES; i++) {
        if (!by_index[i])
            continue;
        memcpy(to + *length, parser->data + by_index[i]->offset, by_index[i]->length);
        *length += by_index[i]->length;
    }
    return KST_OK;
}

static kst_status join_packed(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES] = {NULL}, *twice;
    size_t total = kst_j2k_sort_packed(&parser->packed, by_index, &twice);
    if (twice)
        return kst_report_error(
            parser->report, KST_ERROR_J2K_PACKED_HEADERS, twice->offset - 1, "two PPM of index %u", twice->index);
    return join(parser, by_index, total, "packed packet headers", &stream->packed, &stream->packed_length);
}

/*
 * Give each tile-part its packet headers: for each part, in the order of the codestream, there is Nppm, followed by
 * that many bytes, regardless of the boundaries of segments. A tile-part for which nothing is left has no packets; in
 * that case the codestream or the segments are damaged.
 */
kst_status kst_j2k_distribute_packed(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    if (parser->packed.count == 0)
        return KST_OK;
    kst_status status = join_packed(parser);
    if (status)
        return status;
    stream->has_packed = true;
    size_t at = 0;
    for (uint32_t i = 0; i < stream->part_count; i++) {
        struct j2k_tile_part *part = &stream->part[i];
        part->packed = at;
        if (stream->packed_length - at < 4) {
            kst_report_warning(parser->report, KST_WARNING_J2K_TILE_PART, part->offset, 1, false);
            continue;
        }
        size_t length = j2k_get32(stream->packed + at), left = stream->packed_length - at - 4;
        if (length > left) {
            kst_report_warning(parser->report, KST_WARNING_J2K_TILE_PART, part->offset, 1, false);
            length = left;
        }
        part->packed = at + 4;
        part->packed_length = length;
        at += 4 + length;
    }
    return KST_OK;
}

/*
 * Give each tile-part its packet lengths: for each part, in the order of the codestream, there is Nplm, followed by
 * that many bytes, regardless of the boundaries of segments. The lengths are only a hint, so that tile-parts go without
 * them if anything is wrong.
 */
kst_status kst_j2k_distribute_lengths(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES] = {NULL}, *twice;
    size_t total = kst_j2k_sort_packed(&parser->lengths, by_index, &twice), at = 0;
    if (parser->lengths.count == 0)
        return KST_OK;
    kst_status status =
        twice ? KST_OK : join(parser, by_index, total, "lengths of packets", &stream->lengths, &stream->lengths_length);
    for (uint32_t i = 0; i < stream->part_count && at < stream->lengths_length; i++) {
        size_t length = stream->lengths[at++];
        if (length > stream->lengths_length - at)
            break;
        stream->part[i].lengths = (uint32_t)at;
        stream->part[i].lengths_length = (uint8_t)length;
        at += length;
    }
    if (!status && (twice || at != stream->lengths_length))
        kst_report_warning(parser->report, KST_WARNING_J2K_LENGTHS, parser->lengths.segment[0].offset, 1, false);
    return status;
}
