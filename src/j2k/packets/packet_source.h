/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the next packet of a tile lies, and finding it again behind damage. */
#ifndef KOSTKA_J2K_PACKETS_PACKET_SOURCE_H
#define KOSTKA_J2K_PACKETS_PACKET_SOURCE_H

#include "j2k/packets/builder.h"

struct j2k_packet_source {
    struct j2k_builder *builder;
    uint32_t part, end_part;          /* tile-parts of this tile that are not begun */
    uint64_t position, end;           /* in the body of the tile-part at hand */
    struct j2k_packed_headers packed; /* without data: headers stand in the bodies */
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

/* Move on to a tile-part with something left in it. */
static inline bool j2k_has_body(struct j2k_packet_source *source)
{
    while (source->position == source->end && source->part < source->end_part) {
        const struct j2k_tile_part *part = &source->builder->stream->part[source->part++];
        source->position = part->body;
        source->end = part->body + part->body_length;
    }
    return source->position < source->end;
}

static inline const uint8_t *j2k_body_at(const struct j2k_packet_source *source)
{
    return source->builder->stream->data + source->position;
}

/* Contributions from one on count for nothing. */
static inline void j2k_drop_packet(struct j2k_packet_source *source, uint32_t first_contribution)
{
    for (uint32_t i = first_contribution; i < source->builder->contribution_count; i++)
        j2k_drop_contribution(source->builder, i);
}

/* Whether packets have SOP, as far as COD and the first tile-part say; and what may be searched for it. */
void kst_j2k_look_for_sop(struct j2k_packet_source *source);

/*
 * Where no SOP, or that of another packet, stands in front of the next one: if its own does elsewhere, the packet
 * before was not what it seemed; if the one behind follows on the one that is here, those between are missing.
 */
void kst_j2k_settle(struct j2k_packet_source *source);

/*
 * Behind damage to the packet at `at`, go on where an SOP tells what comes there. One inside the packet before shows
 * that this was shorter; no two packets have the same bytes.
 */
bool kst_j2k_resume(struct j2k_packet_source *source, uint64_t at);

#endif
