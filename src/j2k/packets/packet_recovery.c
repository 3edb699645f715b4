/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recovers from damage in codestreams with SOP markers: reading goes on at the next SOP behind the damage (T.800
 * A.8.1).
 */
#include "j2k/packets/packet_source.h"

/* Says how many bytes may be searched for SOP: SEARCH_TIMES for each byte of a tile, and SEARCH_FREE more. */
enum { SEARCH_TIMES = 8, SEARCH_FREE = 1 << 16 };

enum { AHEAD_MAX = 0x7FFF /* SOP numbers count packets modulo 2^16, so that half the range is taken as ahead */ };

static bool spend(struct j2k_packet_source *source, uint64_t searched)
{
    bool enough = searched <= source->search_left;
    source->search_left -= enough ? searched : source->search_left;
    return enough;
}

/* Return whether the SOP at `at` can be trusted: it is the last one, or the next one has the number that follows. */
static bool is_followed(struct j2k_packet_source *source, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *next = kst_j2k_sop_find(at + J2K_SOP_LENGTH, end);
    uint32_t wanted = (kst_j2k_sop_at(at, end) + 1) & 0xFFFF;
    return spend(source, (uint64_t)(next - at)) && (next == end || kst_j2k_sop_at(next, end) == wanted);
}

/*
 * Go to the next SOP, from `from` on, whose packet is `least` to `most` packets ahead; it may lie in one of the next
 * tile-parts. If there is none, the source stays as it is.
 */
static bool go_to_sop(struct j2k_packet_source *source, uint64_t from, uint32_t least, uint64_t most)
{
    const uint8_t *data = source->builder->stream->data;
    struct j2k_packet_source there = *source;
    for (;;) {
        const uint8_t *end = data + there.end, *at = kst_j2k_sop_find(data + from, end);
        if (!spend(source, (uint64_t)(at - data) - from))
            return false;
        from = (uint64_t)(at - data);
        if (at == end) {
            there.position = there.end;
            if (!j2k_has_body(&there))
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

static uint64_t packets_left(const struct j2k_packet_source *source)
{
    uint64_t left = source->builder->packet_total - source->packets;
    return left > AHEAD_MAX ? AHEAD_MAX : left - 1;
}

/*
 * Return the position behind the SOP of the packet at `at`. If that packet has none, the position behind the SOP of the
 * packet before, which may be shorter than it seemed.
 */
static uint64_t behind_sop(const struct j2k_packet_source *source, uint64_t at)
{
    const struct j2k_stream *stream = source->builder->stream;
    bool here = kst_j2k_sop_at(stream->data + at, stream->data + source->end) != J2K_NO_SOP;
    if (!here && source->start >= stream->part[source->part - 1].body)
        at = source->start;
    return source->end - at > J2K_SOP_LENGTH ? at + J2K_SOP_LENGTH : source->end;
}

/* Drop the previous packet, because it is not what it seemed. */
static void drop_before(struct j2k_packet_source *source)
{
    kst_report_warning(source->builder->report, KST_WARNING_J2K_PACKET, source->start, 1, false);
    j2k_drop_packet(source, source->first_contribution);
    source->precinct->broken = true;
}

bool kst_j2k_resume(struct j2k_packet_source *source, uint64_t at)
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

void kst_j2k_settle(struct j2k_packet_source *source)
{
    const struct j2k_stream *stream = source->builder->stream;
    const uint8_t *end = stream->data + source->end;
    uint32_t expected = source->packets & 0xFFFF, here = kst_j2k_sop_at(j2k_body_at(source), end);
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
    if (!is_followed(source, j2k_body_at(source), end))
        return;
    source->lost = ahead;
    kst_report_warning(source->builder->report, KST_WARNING_J2K_PACKET, at, ahead, false);
}

void kst_j2k_look_for_sop(struct j2k_packet_source *source)
{
    const struct j2k_stream *stream = source->builder->stream;
    source->search_left = SEARCH_FREE;
    for (uint32_t i = source->part; i < source->end_part; i++)
        source->search_left += SEARCH_TIMES * stream->part[i].body_length;
    if (!source->packed.data && source->builder->in_force.sop && j2k_has_body(source))
        source->numbered =
            kst_j2k_sop_find(j2k_body_at(source), stream->data + source->end) < stream->data + source->end;
}
