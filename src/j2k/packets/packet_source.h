/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks where the next packet of a tile lies, and finds it again behind damage. */
#ifndef KOSTKA_J2K_PACKETS_PACKET_SOURCE_H
#define KOSTKA_J2K_PACKETS_PACKET_SOURCE_H

#include "j2k/packets/builder.h"

struct j2k_packet_source {
    struct j2k_builder *builder;
    uint32_t part, end_part;          /* range of the tile's tile-parts that are not begun yet */
    uint64_t position, end;           /* range left in the body of the current tile-part */
    struct j2k_packed_headers packed; /* without data if the headers are in the bodies */
    const uint8_t *packed_next, *packed_end;
    uint64_t packets;
    uint64_t turns_allowed; /* number of allowed steps that yield no packet */
    struct j2k_packet_lengths lengths;
    uint32_t next_length;
    bool astray;  /* lengths and packets contradict each other, or a packet is damaged */
    bool doubted; /* a packet has no SOP, so that SOP cannot prove the lengths right */
    /* The members from here on serve recovery: if packets have SOP, reading goes on at the next one behind damage. */
    bool numbered;                 /* the first packet has an SOP, and headers are not packed */
    uint64_t search_left;          /* number of bytes that may still be searched */
    uint64_t start;                /* where the previous packet starts, with its SOP */
    struct j2k_precinct *precinct; /* precinct of the previous packet */
    uint32_t first_contribution;   /* index of the previous packet's first contribution */
    bool closed_before;            /* some earlier header ended with EPH */
    uint32_t lost;                 /* number of packets that are missing before the one at `position` */
    bool stopped;                  /* reading has ended, by damage or because nothing more is wanted */
    kst_status status;
};

/* Move on to the next tile-part that has something left. Returns false if there is none. */
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

/* Drop all contributions from `first_contribution` on. */
static inline void j2k_drop_packet(struct j2k_packet_source *source, uint32_t first_contribution)
{
    for (uint32_t i = first_contribution; i < source->builder->contribution_count; i++)
        j2k_drop_contribution(source->builder, i);
}

/* Find out whether packets have SOP, by COD and the first tile-part, and set how many bytes may be searched for it. */
void kst_j2k_look_for_sop(struct j2k_packet_source *source);

/*
 * Check the SOP of the next packet. If it is missing or has another number, there are two explanations. If the right
 * SOP is found elsewhere, the previous packet was not what it seemed. If the SOP here is confirmed by the one behind
 * it, the packets between are missing.
 */
void kst_j2k_settle(struct j2k_packet_source *source);

/*
 * Continue at the next SOP after the packet at `at` was found to be damaged; the SOP's number says which packet
 * follows. An SOP inside the previous packet shows that the previous packet was shorter than it seemed, because no two
 * packets share bytes. Returns false if there is no such SOP.
 */
bool kst_j2k_resume(struct j2k_packet_source *source, uint64_t at);

#endif
