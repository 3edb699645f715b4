/* SPDX-License-Identifier: BSD-2-Clause */
/* PPM: packet headers of all tile-parts in the main header (T.800 A.7.4). */
#include <string.h>

#include "j2k/bytes.h"
#include "j2k/parser.h"

kst_status kst_j2k_remember_packed(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    if (segment.length < 1)
        return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, segment.offset, "PPM without an index");
    kst_status status = kst_j2k_grow(parser->memory, parser->report, (void **)&parser->packed, parser->packed_count,
        &parser->packed_capacity, sizeof *parser->packed);
    if (!status)
        parser->packed[parser->packed_count++] = (struct j2k_packed_segment){
            .index = segment.data[0], .offset = segment.offset + 1, .length = (uint32_t)segment.length - 1};
    return status;
}

/* The segments' contents one after the other, by Zppm. Each index occurs once, so there are at most 256. */
static kst_status join(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    const struct j2k_packed_segment *by_index[256] = {NULL};
    size_t total = 0;
    for (uint32_t i = 0; i < parser->packed_count; i++) {
        const struct j2k_packed_segment *segment = &parser->packed[i];
        if (by_index[segment->index])
            return kst_report_error(parser->report, KST_ERROR_J2K_PACKED_HEADERS, segment->offset - 1,
                "two PPM of index %u", segment->index);
        by_index[segment->index] = segment;
        total += segment->length;
    }
    kst_status status = KST_OK;
    stream->packed = kst_memory_array(parser->memory, total, 1, &status);
    if (!stream->packed)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, "for packed packet headers");
    for (uint32_t i = 0; i < 256; i++) {
        if (!by_index[i])
            continue;
        memcpy(stream->packed + stream->packed_length, parser->data + by_index[i]->offset, by_index[i]->length);
        stream->packed_length += by_index[i]->length;
    }
    return KST_OK;
}

/*
 * Nppm and as many bytes for each tile-part in the order of the codestream, wherever the segments are cut. A tile-part
 * for which there is nothing left has no packets: the codestream or the segments are damaged.
 */
kst_status kst_j2k_distribute_packed(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    if (parser->packed_count == 0)
        return KST_OK;
    kst_status status = join(parser);
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
