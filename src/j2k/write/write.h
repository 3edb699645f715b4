/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a coded image (coded.h) as a codestream, and predicts the codestream's length for rate allocation. */
#ifndef KOSTKA_J2K_WRITE_WRITE_H
#define KOSTKA_J2K_WRITE_WRITE_H

#include "core/sink.h"
#include "j2k/plan/body.h"
#include "j2k/write/coded.h"

enum { J2K_COMMENT_MAX = 65531 };

/* Holds a comment (A.9.2). */
struct j2k_comment {
    const uint8_t *data;
    uint16_t length; /* at most J2K_COMMENT_MAX */
    bool text;       /* true: Latin-1 text; false: binary */
};

/* Describes a marker segment that is copied, such as those of a multiple component transform (T.801). */
struct j2k_copied_segment {
    const uint8_t *data; /* behind the length field */
    uint32_t length;     /* at most 65,533 */
    uint8_t marker;
};

struct j2k_carrier;

/*
 * Holds the options of a codestream besides its coding parameters. SOP and EPH are among the parameters of a tile
 * (j2k_parameters).
 */
struct j2k_writing {
    /* A kst_j2k_division. It may lead to at most 255 tile-parts per tile and 65,535 bytes in each TLM. */
    uint8_t division;
    /*
     * Write the first tile-part of every tile, then the second ones, and so on; otherwise all tile-parts tile by tile.
     */
    bool part_by_part;
    bool packet_lengths;    /* write PLT in each tile-part header */
    bool tile_part_lengths; /* write TLM in the main header */
    uint8_t packed;         /* a kst_j2k_headers: where packet headers are written */
    const struct j2k_comment *comment;
    uint32_t comment_count;
    const struct j2k_copied_segment *copied; /* for the main header, in this order */
    uint32_t copied_count;
    const uint16_t *registration;      /* CRG: Xcrg and Ycrg of each component; null: no CRG */
    const struct j2k_carrier *carrier; /* see below; null: none */
};

/*
 * Append the codestream, from SOC to EOC. Fails with KST_ERROR_OPTIONS if it would need more tile-parts than there may
 * be, with KST_ERROR_ARGUMENT if passes or lengths break the rules of coded.h, or with the error of the sink.
 */
kst_status kst_j2k_write(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink);

/*
 * Do the same in two steps, between which the length is known. After an error there is nothing to release. All
 * arguments except for the sink are borrowed until the release, which accepts null.
 */
struct j2k_codestream;

kst_status kst_j2k_codestream_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_codestream **stream);
uint64_t kst_j2k_codestream_length(const struct j2k_codestream *stream);
kst_status kst_j2k_codestream_put(const struct j2k_codestream *stream, struct sink *sink);
void kst_j2k_codestream_release(struct j2k_codestream *stream);

/* Lists the bytes of code-blocks that are left out of a frame, in the order of the codestream. */
struct j2k_bodies {
    struct memory *memory;
    struct j2k_body *body;
    uint32_t count, capacity;
};

/*
 * Append the frame of the codestream, which is everything except the bytes of code-blocks, and list these bytes, which
 * need not be in memory yet. `bodies->memory` must be set; the caller releases `bodies->body` in either case. There
 * must not be a keeper.
 */
kst_status kst_j2k_codestream_frame(const struct j2k_codestream *stream, struct sink *frame, struct j2k_bodies *bodies);

/*
 * Make a codestream of one tile-part whose packets, `packets` bytes in all, are elsewhere, so that only
 * kst_j2k_codestream_put() with a carrier can write it. There are no SOP, EPH and PLT, and headers are not packed.
 * kst_j2k_codestream_edges() appends the *front bytes in front of the packets, and the bytes behind them.
 */
kst_status kst_j2k_codestream_around(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t packets, struct j2k_codestream **stream);
bool kst_j2k_codestream_is_around(const struct j2k_codestream *stream);
kst_status kst_j2k_codestream_edges(const struct j2k_codestream *stream, struct sink *edges, size_t *front);

/*
 * Holds a function that makes a codestream from its frame on the device where the bytes of code-blocks are, and appends
 * it to the sink. With a carrier whose function is not null, kst_j2k_codestream_put() calls it instead of
 * kst_j2k_codestream_write(). The carrier is borrowed.
 */
struct j2k_carrier {
    const void *user;
    kst_status (*carry)(const void *user, const struct j2k_codestream *stream, struct sink *sink);
};
void kst_j2k_codestream_carry(struct j2k_codestream *stream, const struct j2k_carrier *carrier);
kst_status kst_j2k_codestream_write(const struct j2k_codestream *stream, struct sink *sink);

/*
 * Do the same tile after tile: each tile need not be coded before it is written, and may be dropped afterwards. This
 * does not go with part_by_part or PPM. With TLM the main header is written again at the end. The stream must be
 * released after the last step or an error, except for an error of the first step.
 */
kst_status kst_j2k_codestream_begin(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct sink *sink, struct j2k_codestream **stream);
kst_status kst_j2k_codestream_tiles(struct j2k_codestream *stream, struct j2k_tiles tiles, struct sink *sink);
kst_status kst_j2k_codestream_end(struct j2k_codestream *stream, struct sink *sink);

/*
 * Holds the state of packet headers, layer after layer, for rate allocation. A packet of layer l depends only on the
 * layers 0 to l, so that layers can be decided one by one: measure layer l for as many choices of layer_passes as
 * needed, commit to one, and go on with l + 1.
 */
struct j2k_packets;

kst_status kst_j2k_packets_create(
    const struct operation *op, const struct j2k_coded *coded, struct j2k_packets **packets);
void kst_j2k_packets_release(struct memory *memory, struct j2k_packets *packets); /* `packets` may be null */

/*
 * Return how many bytes the packet of one precinct (an index into coded.precinct) and layer takes with the current
 * layer_passes: header, body, SOP and EPH if they are in force, and with `packet_lengths` its entry in PLT. The layers
 * in front of this one must have been committed to, and this one must not have been. With `commit`, the function also
 * commits to it. The result is 0 if the tile has no such layer. Several threads may measure different precincts at the
 * same time.
 */
uint64_t kst_j2k_packet_measure(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, bool packet_lengths, bool commit);

/*
 * Return the number of bytes of all tile-parts of the component that has most, by the present layer_passes, if each
 * tile-part belongs to one component.
 */
kst_status kst_j2k_most_component_bytes(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, uint64_t *bytes);

/*
 * Compute an upper bound, usually exact, on the bytes of everything except packets. The measured packets must be added
 * to it.
 */
kst_status kst_j2k_overhead(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, uint64_t *bytes);

#endif
