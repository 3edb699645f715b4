/* SPDX-License-Identifier: BSD-2-Clause */
/* From a coded image (coded.h) to a codestream or a JP2 file, and how long that becomes. */
#ifndef KOSTKA_J2K_WRITE_WRITE_H
#define KOSTKA_J2K_WRITE_WRITE_H

#include "core/sink.h"
#include "j2k/write/coded.h"

enum { J2K_COMMENT_MAX = 65531 };

/* A comment (A.9.2). */
struct j2k_comment {
    const uint8_t *data;
    uint16_t length; /* at most J2K_COMMENT_MAX */
    bool text;       /* Latin-1, else binary */
};

/* What a codestream holds beside its packets. SOP and EPH are in the parameters of a tile (j2k_parameters). */
struct j2k_writing {
    uint8_t division;       /* kst_j2k_division: at most 255 tile-parts a tile come of it, and 65,535 bytes of TLM */
    bool part_by_part;      /* the first tile-part of every tile, then the second ones, and so on; else tile by tile */
    bool packet_lengths;    /* PLT in each tile-part header */
    bool tile_part_lengths; /* TLM in the main header */
    uint8_t packed;         /* kst_j2k_headers: where packets' headers stand */
    const struct j2k_comment *comment;
    uint32_t comment_count;
    const uint16_t *registration; /* CRG: of each component, Xcrg and Ycrg; or null */
};

/*
 * Append the codestream, SOC to EOC. Fails with KST_ERROR_OPTIONS where it would need more tile-parts than there can
 * be, with KST_ERROR_ARGUMENT where passes or lengths break what coded.h says of them, or with what the sink says.
 */
kst_status kst_j2k_write(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    struct sink *sink, kst_report *report);

/*
 * The same in two steps, between which the length is known. After an error there is nothing to release. All that is
 * passed, the sink aside, is borrowed until the release (null allowed).
 */
struct j2k_codestream;

kst_status kst_j2k_codestream_make(struct memory *memory, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_codestream **stream, kst_report *report);
uint64_t kst_j2k_codestream_length(const struct j2k_codestream *stream);
kst_status kst_j2k_codestream_put(const struct j2k_codestream *stream, struct sink *sink);
void kst_j2k_codestream_release(struct j2k_codestream *stream);

/*
 * Or tile after tile, each of which must be coded no sooner than it is written, and may be dropped then; not with
 * part_by_part or PPM. With TLM the main header is written anew at the end. Release it after that or after an error,
 * but for one of the first step.
 */
kst_status kst_j2k_codestream_begin(struct memory *memory, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct sink *sink, struct j2k_codestream **stream, kst_report *report);
kst_status kst_j2k_codestream_tiles(struct j2k_codestream *stream, struct j2k_tiles tiles, struct sink *sink);
kst_status kst_j2k_codestream_end(struct j2k_codestream *stream, struct sink *sink);

/*
 * Rate allocation: the state of packet headers, layer after layer. A packet of layer l depends only on the layers
 * 0 … l, so that layers can be settled one by one: measure layer l for as many choices of layer_passes as it takes,
 * commit to one, go on with l + 1.
 */
struct j2k_packets;

kst_status kst_j2k_packets_create(
    struct memory *memory, const struct j2k_coded *coded, struct j2k_packets **packets, kst_report *report);
void kst_j2k_packets_release(struct memory *memory, struct j2k_packets *packets); /* null allowed */

/*
 * Bytes that the packet of one precinct (into coded.precinct) and layer takes by what layer_passes says of it now:
 * header, body, SOP and EPH where they are in force, and its entry in PLT where `packet_lengths`. The layers before
 * must have been committed, this one must not. With `commit` it is. 0 where the tile has no such layer. Precincts may
 * be measured side by side on several threads.
 */
uint64_t kst_j2k_packet_measure(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, bool packet_lengths, bool commit);

/*
 * Bytes of all tile-parts of the component that has most, by what layer_passes says now, where each tile-part is of one
 * component.
 */
kst_status kst_j2k_most_component_bytes(struct memory *memory, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t *bytes, kst_report *report);

/* Bytes of all that is not packets: at most so many, and seldom less. Add to it what all packets measure. */
kst_status kst_j2k_overhead(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    uint64_t *bytes, kst_report *report);

#endif
