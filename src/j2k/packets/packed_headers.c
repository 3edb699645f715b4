/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the packet headers of one tile that stand in PPM or PPT (T.800 A.7.4, A.7.5). */
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/marker.h"

/* Append the PPT segments of one tile-part in the order of their Zppt. */
static kst_status append_ppt(
    const struct j2k_builder *builder, const struct j2k_tile_part *part, struct j2k_packed_headers *headers)
{
    const struct j2k_stream *stream = builder->stream;
    const struct j2k_marker_segment *by_index[256] = {NULL};
    for (uint32_t i = 0; i < part->segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[part->first_segment + i];
        if (segment->marker != J2K_PPT)
            continue;
        uint8_t index = segment->length ? stream->data[segment->offset] : 0;
        if (segment->length == 0 || by_index[index] || stream->has_packed)
            return kst_report_error(
                builder->report, KST_ERROR_J2K_PACKED_HEADERS, segment->offset, "PPT of index %u", index);
        by_index[index] = segment;
    }
    for (uint32_t i = 0; i < 256; i++) {
        if (!by_index[i])
            continue;
        memcpy(headers->data + headers->length, stream->data + by_index[i]->offset + 1, by_index[i]->length - 1);
        headers->length += by_index[i]->length - 1;
    }
    return KST_OK;
}

/*
 * Return an upper bound on the bytes of packed headers of the tile. `any` says whether there are any, even empty ones.
 */
static size_t packed_length(const struct j2k_builder *builder, bool *any)
{
    const struct j2k_stream *stream = builder->stream;
    size_t length = 0;
    *any = stream->has_packed;
    for (uint32_t i = stream->tile_part[builder->tile]; i < stream->tile_part[builder->tile + 1]; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        length += part->packed_length;
        for (uint32_t k = 0; k < part->segment_count; k++) {
            const struct j2k_marker_segment *segment = &stream->segment[part->first_segment + k];
            if (segment->marker != J2K_PPT)
                continue;
            length += segment->length;
            *any = true;
        }
    }
    return length;
}

bool kst_j2k_has_packed_headers(const struct j2k_builder *builder)
{
    bool any;
    packed_length(builder, &any);
    return any;
}

kst_status kst_j2k_join_packed_headers(const struct j2k_builder *builder, struct j2k_packed_headers *headers)
{
    const struct j2k_stream *stream = builder->stream;
    bool any;
    size_t room = packed_length(builder, &any);
    kst_status status = KST_OK;
    *headers = (struct j2k_packed_headers){.data = NULL};
    if (!any)
        return KST_OK;
    headers->data = kst_memory_array(builder->memory, room, 1, &status);
    if (!headers->data)
        return kst_report_error(builder->report, status, KST_NO_OFFSET, "for packed packet headers");
    for (uint32_t i = stream->tile_part[builder->tile]; i < stream->tile_part[builder->tile + 1] && !status; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        if (part->packed_length)
            memcpy(headers->data + headers->length, stream->packed + part->packed, part->packed_length);
        headers->length += part->packed_length;
        status = append_ppt(builder, part, headers);
    }
    return status;
}
