/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of one tile, from its tile-parts and perhaps packed headers (T.800 A.7, A.8, B.9). */
#include <string.h>

#include "j2k/allowance.h"
#include "j2k/bytes.h"
#include "j2k/marker.h"
#include "j2k/parser.h"
#include "j2k/progression.h"

enum { SOP_LENGTH = 6, EPH_LENGTH = 2, WALK = 64 /* turns that the start of a progression is worth */ };

/* Where the next packet lies. */
struct source {
    struct j2k_builder *builder;
    uint32_t part, end_part; /* tile-parts of this tile that are not begun */
    uint64_t position, end;  /* in the body of the tile-part at hand */
    uint8_t *packed;         /* all packet headers; null: they stand in the bodies */
    const uint8_t *packed_next, *packed_end;
    uint64_t packets;
    uint64_t turns_allowed; /* so many that bring no packet */
    struct j2k_packet_lengths lengths;
    uint32_t next_length;
    bool astray;  /* lengths and packets contradict each other, or a packet is damaged */
    bool stopped; /* by damage, or because nothing more is wanted */
    kst_status status;
};

static void warn(const struct source *source, kst_status warning, uint64_t offset)
{
    kst_report_warning(source->builder->report, warning, offset, 1, false);
}

/* Move on to a tile-part with something left in it. */
static bool has_body(struct source *source)
{
    while (source->position == source->end && source->part < source->end_part) {
        const struct j2k_tile_part *part = &source->builder->stream->part[source->part++];
        source->position = part->body;
        source->end = part->body + part->body_length;
    }
    return source->position < source->end;
}

static const uint8_t *body_at(const struct source *source)
{
    return source->builder->stream->data + source->position;
}

/* SOP is optional even where COD announces it (A.8.1); nothing else in a packet looks like one. */
static void skip_sop(struct source *source)
{
    if (!has_body(source) || source->end - source->position < SOP_LENGTH)
        return;
    const uint8_t *at = body_at(source);
    if (at[0] != 0xFF || at[1] != J2K_SOP)
        return;
    if (j2k_get16(at + 2) != SOP_LENGTH - 2 || j2k_get16(at + 4) != (source->packets & 0xFFFF))
        warn(source, KST_WARNING_J2K_SOP, source->position);
    source->position += SOP_LENGTH;
    source->builder->plan->totals.header_bytes += SOP_LENGTH;
}

static const uint8_t *skip_eph(struct source *source, const uint8_t *next, const uint8_t *end)
{
    if (end - next >= EPH_LENGTH && next[0] == 0xFF && next[1] == J2K_EPH)
        return next + EPH_LENGTH;
    if (source->builder->in_force.eph)
        warn(source, KST_WARNING_J2K_SOP, source->position);
    return next;
}

/* Contributions whose bytes are not all there count for nothing; they are the last of their blocks. */
static void drop_contributions(struct j2k_builder *builder, uint32_t first, uint64_t available)
{
    for (uint32_t i = first; i < builder->contribution_count; i++) {
        struct j2k_contribution *c = &builder->contribution[i];
        if (c->offset + c->length > available)
            c->passes = 0;
    }
}

/* The code-blocks' bytes behind a header that was fine. */
static bool take_body(struct source *source, const struct j2k_packet *packet)
{
    struct j2k_builder *builder = source->builder;
    if (packet->body > 0 && source->packed)
        has_body(source);
    uint64_t left = source->end - source->position;
    bool whole = packet->body <= left;
    if (!whole) {
        warn(source, KST_WARNING_J2K_PACKET_END, source->position);
        drop_contributions(builder, packet->first_contribution, left);
    }
    for (uint32_t i = packet->first_contribution; i < builder->contribution_count; i++)
        builder->contribution[i].offset += source->position;
    source->position += whole ? packet->body : left;
    builder->plan->totals.body_bytes += whole ? packet->body : left;
    return whole;
}

/* A packet that is not wanted, by its length. What its first bytes say must agree: its number, whether it is empty. */
static bool skip_packet(struct source *source, uint32_t length)
{
    const uint8_t *at = body_at(source), *end = at + length;
    if (length > source->end - source->position)
        return false;
    if (length > SOP_LENGTH && at[0] == 0xFF && at[1] == J2K_SOP) {
        if (j2k_get16(at + 4) != (source->packets & 0xFFFF))
            return false;
        at += SOP_LENGTH;
    }
    bool closed = end - at == 1 + EPH_LENGTH && at[1] == 0xFF && at[2] == J2K_EPH;
    if (at[0] < 0x80 && end - at != 1 && !closed)
        return false;
    source->position += length;
    source->packets++;
    source->builder->plan->totals.skipped_bytes += length;
    return true;
}

static bool fail(struct source *source, const struct j2k_packet *packet, enum j2k_packet_outcome outcome)
{
    source->stopped = true;
    source->status = outcome == J2K_PACKET_FAILED ? packet->status : KST_OK;
    if (outcome == J2K_PACKET_DAMAGED) {
        source->astray = true;
        warn(source, KST_WARNING_J2K_PACKET, source->position);
        for (uint32_t i = packet->first_contribution; i < source->builder->contribution_count; i++)
            source->builder->contribution[i].passes = 0;
    }
    return false;
}

static bool read_packet(struct source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_builder *builder = source->builder;
    struct j2k_packet packet = {0};
    skip_sop(source);
    const uint8_t *start = source->packed ? source->packed_next : body_at(source);
    packet.next = start;
    packet.end = source->packed ? source->packed_end : builder->stream->data + source->end;
    enum j2k_packet_outcome outcome = kst_j2k_packet_header(builder, grid, precinct, layer, &packet);
    if (outcome != J2K_PACKET_FINE)
        return fail(source, &packet, outcome);
    packet.next = skip_eph(source, packet.next, packet.end);
    builder->plan->totals.packets++;
    builder->plan->totals.header_bytes += (uint64_t)(packet.next - start);
    source->packets++;
    if (source->packed)
        source->packed_next = packet.next;
    else
        source->position += (uint64_t)(packet.next - start);
    source->stopped = !take_body(source, &packet);
    source->astray = source->astray || source->stopped;
    return !source->stopped;
}

/* With lengths: a packet is read or skipped, and is as long as they say. */
static bool take_by_length(
    struct source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer, bool wanted)
{
    bool fine = source->next_length < source->lengths.count;
    uint32_t length = fine ? source->lengths.length[source->next_length++] : 0;
    uint64_t before = source->position;
    if (fine && !wanted)
        fine = skip_packet(source, length);
    else if (fine)
        fine = read_packet(source, grid, precinct, layer) && source->position - before == length;
    if (!fine)
        source->astray = source->stopped = true;
    return fine;
}

static bool visit(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct source *source = argument;
    struct j2k_builder *builder = source->builder;
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    if (p->layers > layer) /* a volume before this one had it */
        return ++builder->turns <= source->turns_allowed;
    if (source->packed ? source->packed_next == source->packed_end : !has_body(source))
        return false;
    if (builder->restricted && builder->wanted_packets == 0) {
        source->stopped = true;
        return false;
    }
    uint32_t limit = builder->filter->layers;
    bool wanted = p->wanted && (limit == 0 || layer < limit);
    if (!(source->lengths.count > 0 ? take_by_length(source, grid, precinct, layer, wanted)
                                    : read_packet(source, grid, precinct, layer)))
        return false;
    p->layers++;
    builder->wanted_packets -= wanted;
    return true;
}

/* The PPT of one tile-part, by Zppt (A.7.5). */
static kst_status append_ppt(struct source *source, const struct j2k_tile_part *part, size_t *length)
{
    const struct j2k_stream *stream = source->builder->stream;
    const struct j2k_marker_segment *by_index[256] = {NULL};
    for (uint32_t i = 0; i < part->segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[part->first_segment + i];
        if (segment->marker != J2K_PPT)
            continue;
        uint8_t index = segment->length ? stream->data[segment->offset] : 0;
        if (segment->length == 0 || by_index[index] || stream->has_packed)
            return kst_report_error(
                source->builder->report, KST_ERROR_J2K_PACKED_HEADERS, segment->offset, "PPT of index %u", index);
        by_index[index] = segment;
    }
    for (uint32_t i = 0; i < 256; i++) {
        if (!by_index[i])
            continue;
        memcpy(source->packed + *length, stream->data + by_index[i]->offset + 1, by_index[i]->length - 1);
        *length += by_index[i]->length - 1;
    }
    return KST_OK;
}

/* Bytes of packed headers at most; 0 also where there are none. */
static size_t packed_length(const struct source *source, bool *any)
{
    const struct j2k_stream *stream = source->builder->stream;
    size_t length = 0;
    *any = stream->has_packed;
    for (uint32_t i = source->part; i < source->end_part; i++) {
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

/* All packet headers of the tile, where they are packed: its tile-parts' one after the other. */
static kst_status join_packed(struct source *source)
{
    const struct j2k_stream *stream = source->builder->stream;
    bool any;
    size_t room = packed_length(source, &any), length = 0;
    if (!any)
        return KST_OK;
    kst_status status = KST_OK;
    source->packed = kst_memory_array(source->builder->memory, room, 1, &status);
    if (!source->packed)
        return kst_report_error(source->builder->report, status, KST_NO_OFFSET, "for packed packet headers");
    for (uint32_t i = source->part; i < source->end_part && !status; i++) {
        const struct j2k_tile_part *part = &stream->part[i];
        if (part->packed_length)
            memcpy(source->packed + length, stream->packed + part->packed, part->packed_length);
        length += part->packed_length;
        status = append_ppt(source, part, &length);
    }
    source->packed_next = source->packed;
    source->packed_end = source->packed + length;
    return status;
}

static kst_status read_volumes(struct source *source)
{
    struct j2k_builder *builder = source->builder;
    const struct j2k_parameters *p = &builder->in_force;
    struct j2k_volume all = {.progression = p->progression,
        .r1 = J2K_RESOLUTIONS,
        .layers = p->layers,
        .c1 = builder->stream->component_count};
    uint32_t count = p->volume_count ? p->volume_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        struct j2k_volume volume = p->volume_count ? p->volume[i] : all;
        if (volume.layers > p->layers)
            volume.layers = p->layers;
        bool data_left = source->packed ? source->packed_next < source->packed_end : has_body(source);
        if (source->stopped || !data_left)
            break;
        builder->turns += WALK + (uint64_t)(volume.r1 - volume.r0) * (volume.c1 - volume.c0);
        kst_status status = kst_j2k_walk(builder, &volume, visit, source);
        if (status || source->status)
            return status ? status : source->status;
        if (builder->turns > source->turns_allowed)
            return kst_report_error(builder->report, KST_ERROR_LIMIT_WORK, source->position, "the order of packets");
    }
    return KST_OK;
}

/* What no packet used. Where damage or the filter ended the reading that is no news. */
static void count_left(struct source *source)
{
    uint64_t left = 0, first = 0;
    while (has_body(source)) {
        if (left == 0)
            first = source->position;
        left += source->end - source->position;
        source->position = source->end;
    }
    source->builder->plan->totals.left_bytes += left;
    if (left > 0 && !source->stopped)
        warn(source, KST_WARNING_J2K_LEFT, first);
}

static kst_status read_all(struct source *source)
{
    struct j2k_builder *builder = source->builder;
    builder->contribution_count = 0;
    kst_status status = join_packed(source);
    if (!status)
        status = read_volumes(source);
    if (!status && !(source->astray && source->lengths.count > 0))
        count_left(source);
    kst_memory_release(builder->memory, source->packed);
    return status;
}

/* Where lengths led astray, or anything is wrong, all is read once more as if there were none. */
kst_status kst_j2k_read_packets(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    const struct source start = {.builder = builder,
        .part = stream->tile_part[builder->tile],
        .end_part = stream->tile_part[builder->tile + 1],
        .turns_allowed = kst_j2k_allowance(builder->limits, J2K_FREE_TURNS, J2K_WORK_TURNS, stream)};
    const struct j2k_packet_totals totals = builder->plan->totals;
    const kst_report report = *builder->report;
    const uint64_t turns = builder->turns;
    struct source source = start;
    bool packed;
    packed_length(&source, &packed);
    kst_status status = packed || !builder->restricted ? KST_OK : kst_j2k_packet_lengths(builder, &source.lengths);
    if (!status)
        status = read_all(&source);
    kst_memory_release(builder->memory, source.lengths.length);
    if (status || !source.astray || source.lengths.count == 0)
        return status;
    builder->plan->totals = totals;
    *builder->report = report;
    builder->turns = turns;
    kst_report_warning(builder->report, KST_WARNING_J2K_LENGTHS, stream->part[start.part].offset, 1, false);
    kst_j2k_forget_packets(builder);
    source = start;
    return read_all(&source);
}
