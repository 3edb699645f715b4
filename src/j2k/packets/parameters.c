/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the parameters in force for a tile, by precedence (A.6): the tile's own COC, then its COD, then the main
 * header's COC, then its COD; the same holds for quantisation.
 */
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

static bool changes_parameters(uint8_t marker)
{
    return marker != J2K_PPT && marker != J2K_PLT;
}

bool kst_j2k_tile_has_own(const struct j2k_stream *stream, uint32_t tile)
{
    for (uint32_t i = stream->tile_part[tile]; i < stream->tile_part[tile + 1]; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        for (uint32_t k = 0; k < part->segment_count; k++)
            if (changes_parameters(stream->segment[part->first_segment + k].marker))
                return true;
    }
    return false;
}

/* Start with a copy of the main header's parameters, none of which counts as the tile's own. */
static kst_status copy_main(struct j2k_builder *builder)
{
    const struct j2k_parameters *from = &builder->stream->main;
    struct j2k_parameters *to = &builder->own;
    uint32_t count = builder->stream->component_count;
    kst_status status = kst_j2k_count_resolutions(builder, count);
    if (status)
        return status;
    if (!to->coding) {
        status = kst_j2k_parameters_allocate(builder->memory, count, to);
        if (status)
            return kst_report_error(builder->report, status, KST_NO_OFFSET, NULL);
    }
    to->progression = from->progression;
    to->layers = from->layers;
    to->transform = from->transform;
    to->multi = from->multi;
    to->sop = from->sop;
    to->eph = from->eph;
    to->volume_count = 0;
    to->has_coding = to->has_quantisation = false;
    memcpy(to->coding, from->coding, count * sizeof *to->coding);
    memcpy(to->quantisation, from->quantisation, count * sizeof *to->quantisation);
    memcpy(to->roi_shift, from->roi_shift, count * sizeof *to->roi_shift);
    memset(to->own, 0, count * sizeof *to->own);
    return KST_OK;
}

static kst_status read_part(struct j2k_builder *builder, const struct j2k_tile_part *part, bool first)
{
    const struct j2k_stream *stream = builder->stream;
    struct j2k_parameter_context context = {builder->memory, builder->report, stream->component_count, first,
        builder->limits, stream->multi.allowed, builder->filter && builder->filter->multi};
    for (uint32_t k = 0; k < part->segment_count; k++) {
        const struct j2k_marker_segment *segment = &stream->segment[part->first_segment + k];
        struct j2k_segment_reader reader = {
            .data = stream->data + segment->offset, .length = segment->length, .offset = segment->offset};
        kst_status status = kst_j2k_parse_parameters(&context, &builder->own, segment->marker, reader);
        if (status)
            return status;
    }
    return KST_OK;
}

kst_status kst_j2k_tile_parameters(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    builder->in_force = stream->main;
    if (!kst_j2k_tile_has_own(stream, builder->tile))
        return KST_OK;
    kst_status status = copy_main(builder);
    uint32_t first = stream->tile_part[builder->tile], end = stream->tile_part[builder->tile + 1];
    for (uint32_t i = first; i < end && !status; i++)
        status = read_part(builder, &stream->part[i], i == first);
    builder->in_force = builder->own;
    if (builder->own.volume_count == 0) {
        builder->in_force.volume = stream->main.volume;
        builder->in_force.volume_count = stream->main.volume_count;
    }
    return status;
}
