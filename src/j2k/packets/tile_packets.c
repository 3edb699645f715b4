/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the packets of one tile from its tile-parts and, if there are any, its packed headers (T.800 A.7, A.8, B.9). */
#include <string.h>

#include "j2k/packets/packet_source.h"
#include "j2k/packets/progression.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"

/*
 * Says how many steps the start of a progression counts as (WALK), and moving on to a precinct (STEP), which may be by
 * position.
 */
enum { EPH_LENGTH = 2, WALK = 64, STEP = 16 };

static void warn(const struct j2k_packet_source *source, kst_status warning, uint64_t offset)
{
    kst_report_warning(source->builder->report, warning, offset, 1, false);
}

/*
 * Skip the SOP in front of a packet. It is optional even where COD announces it (A.8.1). Nothing else in a packet looks
 * like one, except for damaged bodies if headers are packed; in that case SOP is only expected if COD announces it.
 */
static void skip_sop(struct j2k_packet_source *source)
{
    if (source->packed.data && !source->builder->in_force.sop)
        return;
    if (!j2k_has_body(source) || source->end - source->position < J2K_SOP_LENGTH)
        return;
    const uint8_t *at = j2k_body_at(source);
    if (at[0] != 0xFF || at[1] != J2K_SOP)
        return;
    if (j2k_get16(at + 2) != J2K_SOP_LENGTH - 2 || j2k_get16(at + 4) != (source->packets & 0xFFFF))
        warn(source, KST_WARNING_J2K_SOP, source->position);
    source->position += J2K_SOP_LENGTH;
    source->builder->plan->totals.header_bytes += J2K_SOP_LENGTH;
}

/*
 * Skip EPH behind a header, but only if COD announces it (A.8.2): otherwise what looks like one is the start of a
 * damaged body.
 */
static const uint8_t *skip_eph(const struct j2k_packet_source *source, const uint8_t *next, const uint8_t *end)
{
    bool here = source->builder->in_force.eph && end - next >= EPH_LENGTH && next[0] == 0xFF && next[1] == J2K_EPH;
    return here ? next + EPH_LENGTH : next;
}

/* Drop contributions whose bytes are not all there. They are the last of their blocks. */
static void drop_contributions(struct j2k_builder *builder, uint32_t first, uint64_t available)
{
    for (uint32_t i = first; i < builder->contribution_count; i++) {
        const struct j2k_contribution *c = &builder->contribution[i];
        if (c->offset + c->length > available)
            j2k_drop_contribution(builder, i);
    }
}

/* In a survey, forget all contributions except those of the previous packet, which may still be dropped. */
static void forget_settled(struct j2k_packet_source *source)
{
    struct j2k_builder *builder = source->builder;
    uint32_t settled = source->precinct ? source->first_contribution : builder->contribution_count;
    if (!builder->survey || settled == 0)
        return;
    uint32_t left = builder->contribution_count - settled;
    memmove(builder->contribution, builder->contribution + settled, left * sizeof *builder->contribution);
    memmove(builder->contributor, builder->contributor + settled, left * sizeof *builder->contributor);
    builder->contribution_count = left;
    source->first_contribution = 0;
}

/* Take the code-blocks' bytes behind a header that was read without damage. */
static bool take_body(struct j2k_packet_source *source, const struct j2k_packet *packet)
{
    struct j2k_builder *builder = source->builder;
    if (packet->body > 0 && source->packed.data)
        j2k_has_body(source);
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

/*
 * Skip a packet that is not wanted by its length. Returns false if its first bytes contradict the length: the SOP has
 * another number, or the header says that the packet is empty but the length does not.
 */
static bool skip_packet(struct j2k_packet_source *source, uint64_t length)
{
    const uint8_t *at = j2k_body_at(source), *end = at + length;
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

/* Count the current packet as one of those that are lost. */
static bool lose(struct j2k_packet_source *source, struct j2k_precinct *precinct)
{
    precinct->broken = true;
    source->precinct = NULL;
    source->lost--;
    source->packets++;
    return ++source->builder->turns <= source->turns_allowed;
}

static bool fail(struct j2k_packet_source *source, const struct j2k_packet *packet)
{
    source->stopped = true;
    source->status = packet->status;
    return false;
}

/* Give up a damaged packet behind which reading goes on. */
static bool give_up(struct j2k_packet_source *source, struct j2k_precinct *precinct, const struct j2k_packet *packet)
{
    j2k_drop_packet(source, packet->first_contribution);
    return lose(source, precinct);
}

static bool damaged(
    struct j2k_packet_source *source, struct j2k_precinct *precinct, uint64_t at, const struct j2k_packet *packet)
{
    if (kst_j2k_resume(source, at))
        return give_up(source, precinct, packet);
    j2k_drop_packet(source, packet->first_contribution);
    source->astray = true;
    source->stopped = true;
    warn(source, KST_WARNING_J2K_PACKET, source->position);
    return false;
}

static bool read_packet(
    struct j2k_packet_source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_builder *builder = source->builder;
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    struct j2k_packet packet = {0};
    uint64_t first = source->position;
    skip_sop(source);
    forget_settled(source);
    const uint8_t *start = source->packed.data ? source->packed_next : j2k_body_at(source);
    packet.next = start;
    packet.end = source->packed.data ? source->packed_end : builder->stream->data + source->end;
    enum j2k_packet_outcome outcome = kst_j2k_packet_header(builder, grid, precinct, layer, &packet);
    if (outcome == J2K_PACKET_FAILED)
        return fail(source, &packet);
    if (outcome == J2K_PACKET_DAMAGED)
        return damaged(source, p, first, &packet);
    const uint8_t *header_end = packet.next;
    packet.next = skip_eph(source, packet.next, packet.end);
    bool closed = packet.next != header_end || !builder->in_force.eph;
    bool cut = !closed && source->closed_before; /* earlier headers had EPH, so that its absence means damage */
    source->closed_before = source->closed_before || packet.next != header_end;
    uint64_t header = (uint64_t)(packet.next - start), room = source->end - source->position;
    if ((cut || (!source->packed.data && packet.body > room - header)) && kst_j2k_resume(source, first))
        return give_up(source, p, &packet);
    if (!closed)
        warn(source, KST_WARNING_J2K_SOP, source->position);
    builder->plan->totals.packets++;
    builder->plan->totals.header_bytes += header;
    if (source->packed.data)
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

/* Continue behind a packet whose precinct has lost an earlier packet. Only an SOP can show where such a packet ends. */
static bool skip_broken(struct j2k_packet_source *source, struct j2k_precinct *precinct)
{
    if (kst_j2k_resume(source, source->position))
        return lose(source, precinct);
    warn(source, KST_WARNING_J2K_PACKET, source->position);
    source->stopped = true;
    return false;
}

/* Return whether the packet starts with its SOP, which proves the lengths right. */
static bool has_its_sop(struct j2k_packet_source *source)
{
    if (!source->numbered)
        return true;
    uint32_t here = kst_j2k_sop_at(j2k_body_at(source), source->builder->stream->data + source->end);
    source->doubted = here == J2K_NO_SOP;
    return here == (source->packets & 0xFFFF);
}

/* If lengths are known: read or skip a packet, which must be as long as they say. */
static bool take_by_length(
    struct j2k_packet_source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer, bool wanted)
{
    bool fine = source->next_length < source->lengths.count && has_its_sop(source);
    uint64_t length = fine ? source->lengths.length[source->next_length++] : 0;
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
    struct j2k_packet_source *source, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer, bool wanted)
{
    struct j2k_precinct *p = &source->builder->precinct[grid->first_precinct + precinct];
    if (source->lengths.count > 0)
        return take_by_length(source, grid, precinct, layer, wanted);
    if (source->numbered && source->lost == 0)
        kst_j2k_settle(source);
    if (source->lost > 0)
        return lose(source, p);
    return p->broken ? skip_broken(source, p) : read_packet(source, grid, precinct, layer);
}

/*
 * Return whether the packet that was read last is wanted, but the SOP of the next one is missing or has another number.
 * Reading on may show that the last one is not what it seemed (drop_before() in packet_recovery.c), so that a part of a
 * damaged picture is as in the whole. Where the next SOP is right, nothing that follows changes the last packet.
 */
static bool is_unsettled(const struct j2k_packet_source *source)
{
    if (!source->numbered || source->lengths.count > 0 || !source->precinct || !source->precinct->wanted)
        return false;
    const uint8_t *end = source->builder->stream->data + source->end;
    return kst_j2k_sop_at(j2k_body_at(source), end) != (source->packets & 0xFFFF);
}

static bool visit(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_packet_source *source = argument;
    struct j2k_builder *builder = source->builder;
    struct j2k_precinct *p = &builder->precinct[grid->first_precinct + precinct];
    if (p->layers > layer) /* an earlier volume had this packet */
        return (builder->turns += layer == 0 ? STEP : 1) <= source->turns_allowed;
    if (source->packed.data ? source->packed_next == source->packed_end : !j2k_has_body(source))
        return false;
    if (builder->restricted && builder->wanted_packets == 0 && !is_unsettled(source)) {
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

uint64_t kst_j2k_volume_turns(const struct j2k_volume *volume)
{
    return WALK + (uint64_t)(volume->r1 - volume->r0) * (volume->c1 - volume->c0);
}

static kst_status read_volumes(struct j2k_packet_source *source)
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
        bool data_left = source->packed.data ? source->packed_next < source->packed_end : j2k_has_body(source);
        if (source->stopped || !data_left)
            break;
        builder->turns += kst_j2k_volume_turns(&volume);
        kst_status status = kst_j2k_walk(builder, &volume, visit, source);
        if (status || source->status)
            return status ? status : source->status;
        if (builder->turns > source->turns_allowed)
            return kst_report_error(builder->report, KST_ERROR_LIMIT_WORK, source->position, "the order of packets");
    }
    return KST_OK;
}

/* Count the bytes that no packet used. They are a warning unless damage or the filter ended the reading. */
static void count_left(struct j2k_packet_source *source)
{
    uint64_t left = 0, first = 0;
    while (j2k_has_body(source)) {
        if (left == 0)
            first = source->position;
        left += source->end - source->position;
        source->position = source->end;
    }
    source->builder->plan->totals.left_bytes += left;
    if (left > 0 && !source->stopped)
        warn(source, KST_WARNING_J2K_LEFT, first);
}

static kst_status read_all(struct j2k_packet_source *source)
{
    struct j2k_builder *builder = source->builder;
    j2k_forget_contributions(builder);
    kst_status status = kst_j2k_join_packed_headers(builder, &source->packed);
    if (source->packed.data) {
        source->packed_next = source->packed.data;
        source->packed_end = source->packed.data + source->packed.length;
    }
    if (!status)
        kst_j2k_look_for_sop(source);
    if ((builder->filter->careful || builder->filter->every_packet) && !source->numbered)
        source->lengths.count = 0;
    if (!status)
        status = read_volumes(source);
    if (!status && !(source->astray && source->lengths.count > 0))
        count_left(source);
    kst_memory_release(builder->memory, source->packed.data);
    return status;
}

/*
 * Read the packets of the tile. If packet lengths were used and anything was wrong, all packets are read again as if
 * there were no lengths.
 */
kst_status kst_j2k_read_packets(struct j2k_builder *builder)
{
    const struct j2k_stream *stream = builder->stream;
    const struct j2k_packet_source start = {.builder = builder,
        .part = stream->tile_part[builder->tile],
        .end_part = stream->tile_part[builder->tile + 1],
        .turns_allowed = kst_j2k_allowance(builder->limits, J2K_ASKED_TURNS, stream)};
    const struct j2k_packet_totals totals = builder->plan->totals;
    const kst_report report = *builder->report;
    const uint64_t turns = builder->turns, contributions = builder->contributions;
    struct j2k_packet_source source = start;
    kst_status status = KST_OK;
    if (builder->restricted && !kst_j2k_has_packed_headers(builder))
        status = kst_j2k_packet_lengths(builder, &source.lengths);
    if (!status)
        status = read_all(&source);
    kst_memory_release(builder->memory, source.lengths.length);
    if (status || !source.astray || source.lengths.count == 0)
        return status;
    builder->plan->totals = totals;
    *builder->report = report;
    builder->turns = turns;
    builder->contributions = contributions;
    if (!source.doubted)
        kst_report_warning(builder->report, KST_WARNING_J2K_LENGTHS, stream->part[start.part].offset, 1, false);
    kst_j2k_forget_packets(builder);
    source = start;
    return read_all(&source);
}
