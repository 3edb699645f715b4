/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of one tile, from its tile-parts and perhaps packed headers (T.800 A.7, A.8, B.9). */
#include <string.h>

#include "j2k/allowance.h"
#include "j2k/bytes.h"
#include "j2k/marker.h"
#include "j2k/parser.h"
#include "j2k/progression.h"

enum { EPH_LENGTH = 2, WALK = 64 /* turns that the start of a progression is worth */ };

/* Bytes that may be searched for SOP, for each of a tile, and beyond that. */
enum { SEARCH_TIMES = 8, SEARCH_FREE = 1 << 16 };

enum { AHEAD_MAX = 0x7FFF /* numbers of SOP are those of packets modulo 2^16 */ };

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
    bool doubted; /* a packet has no SOP, so that the lengths cannot be checked by it */
    /* Where SOP stands in front of packets, reading goes on at the next one behind damage: */
    bool numbered;                 /* the first packet has one, and headers are not packed */
    uint64_t search_left;          /* bytes that may be searched */
    uint64_t start;                /* of the packet before, from its SOP on */
    struct j2k_precinct *precinct; /* of the packet before */
    uint32_t first_contribution;   /* of it */
    bool closed_before;            /* a header had EPH */
    uint32_t lost;                 /* packets that the one at `position` has left behind */
    bool stopped;                  /* by damage, or because nothing more is wanted */
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

/*
 * SOP is optional even where COD announces it (A.8.1); nothing else in a packet looks like one, but for damaged bodies
 * where headers are packed: there COD is believed.
 */
static void skip_sop(struct source *source)
{
    if (source->packed && !source->builder->in_force.sop)
        return;
    if (!has_body(source) || source->end - source->position < J2K_SOP_LENGTH)
        return;
    const uint8_t *at = body_at(source);
    if (at[0] != 0xFF || at[1] != J2K_SOP)
        return;
    if (j2k_get16(at + 2) != J2K_SOP_LENGTH - 2 || j2k_get16(at + 4) != (source->packets & 0xFFFF))
        warn(source, KST_WARNING_J2K_SOP, source->position);
    source->position += J2K_SOP_LENGTH;
    source->builder->plan->totals.header_bytes += J2K_SOP_LENGTH;
}

/* Only where COD announces it (A.8.2): what looks like one elsewhere is the start of a damaged body. */
static const uint8_t *skip_eph(const struct source *source, const uint8_t *next, const uint8_t *end)
{
    bool here = source->builder->in_force.eph && end - next >= EPH_LENGTH && next[0] == 0xFF && next[1] == J2K_EPH;
    return here ? next + EPH_LENGTH : next;
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
    if (length > J2K_SOP_LENGTH && at[0] == 0xFF && at[1] == J2K_SOP) {
        if (j2k_get16(at + 4) != (source->packets & 0xFFFF))
            return false;
        at += J2K_SOP_LENGTH;
    }
    if (at[0] < 0x80 && skip_eph(source, at + 1, end) != end)
        return false;
    source->position += length;
    source->packets++;
    source->builder->plan->totals.skipped_bytes += length;
    return true;
}

static void drop_packet(struct source *source, uint32_t first_contribution)
{
    for (uint32_t i = first_contribution; i < source->builder->contribution_count; i++)
        source->builder->contribution[i].passes = 0;
}

static bool spend(struct source *source, uint64_t searched)
{
    bool enough = searched <= source->search_left;
    source->search_left -= enough ? searched : source->search_left;
    return enough;
}

/* Whether the SOP at `at`, if it is not the last one, has the number before the next one's, and so is to be believed.
 */
static bool is_followed(struct source *source, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *next = kst_j2k_sop_find(at + J2K_SOP_LENGTH, end);
    uint32_t wanted = (kst_j2k_sop_at(at, end) + 1) & 0xFFFF;
    return spend(source, (uint64_t)(next - at)) && (next == end || kst_j2k_sop_at(next, end) == wanted);
}

/*
 * Go to the next SOP from `from` on whose packet is `least` … `most` ahead, also in the next tile-parts. If there is
 * none the source stays as it is.
 */
static bool go_to_sop(struct source *source, uint64_t from, uint32_t least, uint64_t most)
{
    const uint8_t *data = source->builder->stream->data;
    struct source there = *source;
    for (;;) {
        const uint8_t *end = data + there.end, *at = kst_j2k_sop_find(data + from, end);
        if (!spend(source, (uint64_t)(at - data) - from))
            return false;
        from = (uint64_t)(at - data);
        if (at == end) {
            there.position = there.end;
            if (!has_body(&there))
                return false;
            from = there.position;
            continue;
        }
        uint32_t ahead = (kst_j2k_sop_at(at, end) - (uint32_t)source->packets) & 0xFFFF;
        if (ahead >= least && ahead <= most && (ahead < 2 || is_followed(source, at, end))) {
            there.position = from;
            there.lost = ahead;
            there.search_left = source->search_left;
            *source = there;
            return true;
        }
        if (most == 0 && ahead <= AHEAD_MAX)
            return false;
        from += J2K_SOP_LENGTH;
    }
}

static uint64_t packets_left(const struct source *source)
{
    uint64_t left = kst_j2k_packet_total(source->builder) - source->packets;
    return left > AHEAD_MAX ? AHEAD_MAX : left - 1;
}

/* Behind the SOP of the packet at `at`; where that has none, of the one before, which may be shorter than it seemed. */
static uint64_t behind_sop(const struct source *source, uint64_t at)
{
    const struct j2k_stream *stream = source->builder->stream;
    bool here = kst_j2k_sop_at(stream->data + at, stream->data + source->end) != J2K_NO_SOP;
    if (!here && source->start >= stream->part[source->part - 1].body)
        at = source->start;
    return source->end - at > J2K_SOP_LENGTH ? at + J2K_SOP_LENGTH : source->end;
}

/* The packet before is not what it seemed. */
static void drop_before(struct source *source)
{
    warn(source, KST_WARNING_J2K_PACKET, source->start);
    drop_packet(source, source->first_contribution);
    source->precinct->broken = true;
}

/*
 * Behind damage to the packet at `at`, go on where an SOP tells what comes there. One inside the packet before shows
 * that this was shorter; no two packets have the same bytes.
 */
static bool resume(struct source *source, uint64_t at)
{
    if (!source->numbered || source->lengths.count > 0 ||
        !go_to_sop(source, behind_sop(source, at), 1, packets_left(source)))
        return false;
    if (source->precinct && source->position >= source->start && source->position < at)
        drop_before(source);
    kst_report_warning(source->builder->report, KST_WARNING_J2K_PACKET, at, source->lost, false);
    source->astray = true;
    return true;
}

/* The packet at hand is one of those that are lost. */
static bool lose(struct source *source, struct j2k_precinct *precinct)
{
    precinct->broken = true;
    source->precinct = NULL;
    source->lost--;
    source->packets++;
    return true;
}

/*
 * Where no SOP, or that of another packet, stands in front of the next one: if its own does elsewhere, the packet
 * before was not what it seemed; if the one behind follows on the one that is here, those between are missing.
 */
static void settle(struct source *source)
{
    const struct j2k_stream *stream = source->builder->stream;
    const uint8_t *end = stream->data + source->end;
    uint32_t expected = source->packets & 0xFFFF, here = kst_j2k_sop_at(body_at(source), end);
    uint64_t at = source->position;
    if (!source->numbered || source->lengths.count > 0 || here == expected)
        return;
    if (source->precinct && source->start >= stream->part[source->part - 1].body &&
        go_to_sop(source, behind_sop(source, source->start), 0, 0)) {
        drop_before(source);
        return;
    }
    uint32_t ahead = (here - expected) & 0xFFFF;
    if (here == J2K_NO_SOP || ahead > packets_left(source))
        return;
    if (!is_followed(source, body_at(source), end))
        return;
    source->lost = ahead;
    kst_report_warning(source->builder->report, KST_WARNING_J2K_PACKET, at, ahead, false);
}

static bool fail(struct source *source, const struct j2k_packet *packet)
{
    source->stopped = true;
    source->status = packet->status;
    return false;
}

/* A packet behind whose damage reading goes on. */
static bool give_up(struct source *source, struct j2k_precinct *precinct, const struct j2k_packet *packet)
{
    drop_packet(source, packet->first_contribution);
    return lose(source, precinct);
}

static bool damaged(struct source *source, struct j2k_precinct *precinct, uint64_t at, const struct j2k_packet *packet)
{
    if (resume(source, at))
        return give_up(source, precinct, packet);
    drop_packet(source, packet->first_contribution);
    source->astray = true;
    source->stopped = true;
    warn(source, KST_WARNING_J2K_PACKET, source->position);
    return false;
}

static bool read_packet(struct source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_builder *builder = source->builder;
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    struct j2k_packet packet = {0};
    uint64_t first = source->position;
    skip_sop(source);
    const uint8_t *start = source->packed ? source->packed_next : body_at(source);
    packet.next = start;
    packet.end = source->packed ? source->packed_end : builder->stream->data + source->end;
    enum j2k_packet_outcome outcome = kst_j2k_packet_header(builder, grid, precinct, layer, &packet);
    if (outcome == J2K_PACKET_FAILED)
        return fail(source, &packet);
    if (outcome == J2K_PACKET_DAMAGED)
        return damaged(source, p, first, &packet);
    const uint8_t *header_end = packet.next;
    packet.next = skip_eph(source, packet.next, packet.end);
    bool closed = packet.next != header_end || !builder->in_force.eph;
    bool cut = !closed && source->closed_before; /* EPH is where it shall be, but for damage */
    source->closed_before = source->closed_before || packet.next != header_end;
    uint64_t header = (uint64_t)(packet.next - start), room = source->end - source->position;
    if ((cut || (!source->packed && packet.body > room - header)) && resume(source, first))
        return give_up(source, p, &packet);
    if (!closed)
        warn(source, KST_WARNING_J2K_SOP, source->position);
    builder->plan->totals.packets++;
    builder->plan->totals.header_bytes += header;
    if (source->packed)
        source->packed_next = packet.next;
    else
        source->position += header;
    source->packets++;
    source->start = first;
    source->precinct = p;
    source->first_contribution = packet.first_contribution;
    source->stopped = !take_body(source, &packet);
    source->astray = source->astray || source->stopped;
    return !source->stopped;
}

/* Packets of a precinct of which one is lost can be told from the next only by SOP. */
static bool skip_broken(struct source *source, struct j2k_precinct *precinct)
{
    if (resume(source, source->position))
        return lose(source, precinct);
    warn(source, KST_WARNING_J2K_PACKET, source->position);
    source->stopped = true;
    return false;
}

/* Lengths are proved right where each packet starts at its SOP. */
static bool has_its_sop(struct source *source)
{
    if (!source->numbered)
        return true;
    uint32_t here = kst_j2k_sop_at(body_at(source), source->builder->stream->data + source->end);
    source->doubted = here == J2K_NO_SOP;
    return here == (source->packets & 0xFFFF);
}

/* With lengths: a packet is read or skipped, and is as long as they say. */
static bool take_by_length(
    struct source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer, bool wanted)
{
    bool fine = source->next_length < source->lengths.count && has_its_sop(source);
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

static bool take_packet(
    struct source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer, bool wanted)
{
    struct j2k_precinct *p = &source->builder->precinct[grid->first_precinct + precinct];
    if (source->lengths.count > 0)
        return take_by_length(source, grid, precinct, layer, wanted);
    if (source->numbered && source->lost == 0)
        settle(source);
    if (source->lost > 0)
        return lose(source, p);
    return p->broken ? skip_broken(source, p) : read_packet(source, grid, precinct, layer);
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
    if (!take_packet(source, grid, precinct, layer, wanted))
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

/* Whether packets have SOP, as far as COD and the first tile-part say; and what may be searched for it. */
static void look_for_sop(struct source *source)
{
    const struct j2k_stream *stream = source->builder->stream;
    source->search_left = SEARCH_FREE;
    for (uint32_t i = source->part; i < source->end_part; i++)
        source->search_left += SEARCH_TIMES * stream->part[i].body_length;
    if (!source->packed && source->builder->in_force.sop && has_body(source))
        source->numbered = kst_j2k_sop_find(body_at(source), stream->data + source->end) < stream->data + source->end;
}

static kst_status read_all(struct source *source)
{
    struct j2k_builder *builder = source->builder;
    builder->contribution_count = 0;
    kst_status status = join_packed(source);
    if (!status)
        look_for_sop(source);
    if (builder->filter->careful && !source->numbered)
        source->lengths.count = 0;
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
    if (!source.doubted)
        kst_report_warning(builder->report, KST_WARNING_J2K_LENGTHS, stream->part[start.part].offset, 1, false);
    kst_j2k_forget_packets(builder);
    source = start;
    return read_all(&source);
}
