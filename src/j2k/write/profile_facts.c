/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the facts that a profile's rules need besides the parameters in force, for parsed streams and for planned
 * ones.
 */
#include "j2k/write/profile.h"

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"

uint64_t kst_j2k_find_marker(const struct j2k_stream *stream, uint64_t at, uint64_t end, uint8_t marker)
{
    while (end - at >= 4 && stream->data[at] == 0xFF) {
        if (stream->data[at + 1] == marker)
            return at;
        bool alone = stream->data[at + 1] >= J2K_ALONE_FIRST && stream->data[at + 1] <= J2K_ALONE_LAST;
        uint64_t length = 2 + (alone ? 0 : (uint64_t)j2k_get16(stream->data + at + 2));
        if (length > end - at)
            return end;
        at += length;
    }
    return end;
}

static bool in_main_header(const struct j2k_stream *stream, uint8_t marker)
{
    return kst_j2k_find_marker(stream, stream->start + 2, stream->first_part, marker) < stream->first_part;
}

static bool in_part_headers(const struct j2k_stream *stream, uint8_t marker)
{
    for (uint32_t i = 0; i < stream->part_count; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        if (kst_j2k_find_marker(stream, part->offset, part->body, marker) < part->body)
            return true;
    }
    return false;
}

bool kst_j2k_has_part_lengths(const struct j2k_stream *stream)
{
    return in_main_header(stream, J2K_TLM);
}

bool kst_j2k_has_packet_lengths(const struct j2k_stream *stream)
{
    return in_part_headers(stream, J2K_PLT);
}

/*
 * Return whether the parts with TPsot = 0 come first, in the order of tiles, and all others behind them (Table A.45).
 */
static bool parts_are_sorted(const struct j2k_stream *stream)
{
    uint64_t first_of_others = UINT64_MAX, last = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < stream->part_count; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        if (part->index != 0) {
            first_of_others = part->offset < first_of_others ? part->offset : first_of_others;
            continue;
        }
        sorted = sorted && part->offset > last;
        last = part->offset;
    }
    return sorted && last < first_of_others;
}

/*
 * Return the number of bytes of the largest component of a picture with one tile, whose tile-parts belong to the
 * components in turn; 0 for other pictures.
 */
static uint64_t most_component_bytes(const struct j2k_stream *stream)
{
    uint64_t most = 0;
    if (stream->size.columns * stream->size.rows != 1 || stream->part_count % stream->component_count != 0)
        return 0;
    for (uint32_t c = 0; c < stream->component_count; c++) {
        uint64_t bytes = 0;
        for (uint32_t i = c; i < stream->part_count; i += stream->component_count)
            bytes += stream->part[i].body + stream->part[i].body_length - stream->part[i].offset;
        most = bytes > most ? bytes : most;
    }
    return most;
}

void kst_j2k_profile_facts(const struct j2k_stream *stream, struct j2k_profile_facts *facts)
{
    static const uint8_t parameters[] = {J2K_COD, J2K_COC, J2K_QCD, J2K_QCC, J2K_POC};
    uint32_t tiles = stream->size.columns * stream->size.rows;
    *facts = (struct j2k_profile_facts){.part_lengths = kst_j2k_has_part_lengths(stream),
        .packed_headers = stream->has_packed || in_part_headers(stream, J2K_PPT),
        .regions = in_main_header(stream, J2K_RGN) || in_part_headers(stream, J2K_RGN),
        .parts_sorted = parts_are_sorted(stream),
        .least_parts = UINT32_MAX,
        .bytes = stream->end - stream->start,
        .most_component_bytes = most_component_bytes(stream)};
    for (size_t i = 0; i < sizeof parameters; i++)
        facts->tile_parameters |= in_part_headers(stream, parameters[i]);
    for (uint32_t t = 0; t < tiles; t++) {
        uint32_t parts = stream->tile_part[t + 1] - stream->tile_part[t];
        facts->most_parts = parts > facts->most_parts ? parts : facts->most_parts;
        facts->least_parts = parts < facts->least_parts ? parts : facts->least_parts;
    }
}

static bool has_regions(const struct j2k_coded *coded)
{
    for (uint32_t t = 0; t < coded->plan.tile_count; t++)
        for (uint32_t c = 0; c < coded->headers.component_count; c++)
            if (kst_j2k_coded_parameters(coded, t)->roi_shift[c] != 0)
                return true;
    return false;
}

kst_status kst_j2k_profile_plan(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_profile_facts *facts)
{
    struct j2k_sequence sequence;
    *facts = (struct j2k_profile_facts){.part_lengths = writing->tile_part_lengths,
        .packed_headers = writing->packed != 0,
        .regions = has_regions(coded),
        .tile_parameters = coded->tile != NULL,
        .least_parts = UINT32_MAX};
    kst_status status = kst_j2k_sequence_make(op, coded, writing, NULL, NULL, &sequence);
    for (uint32_t i = 0; i < sequence.part_count && !status; i++) {
        uint32_t parts = sequence.part[i].count;
        facts->most_parts = parts > facts->most_parts ? parts : facts->most_parts;
        facts->least_parts = parts < facts->least_parts ? parts : facts->least_parts;
    }
    facts->parts_sorted = writing->part_by_part || coded->plan.tile_count == 1 || facts->most_parts == 1;
    kst_j2k_sequence_release(op->memory, &sequence);
    return status;
}
