/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a plan from a stream's headers: reads the packets that a filter needs. */
#ifndef KOSTKA_J2K_PACKETS_BUILD_H
#define KOSTKA_J2K_PACKETS_BUILD_H

#include "j2k/syntax/stream.h"

/* Holds the part of a stream that is wanted; all zero means everything. */
struct j2k_filter {
    uint32_t layers;        /* read only this many layers, the first ones; 0: all */
    uint8_t reduce;         /* number of highest resolutions to leave out */
    struct j2k_rect region; /* on the reference grid, reduced (kst_j2k_reduced_image()); empty: all */
    const bool *components; /* for each component, whether it is wanted; null: all */
    /*
     * Trust TLM, PLT and PLM only where everything they say is verified against the codestream, as strict decoding
     * demands.
     */
    bool careful;
    bool every_packet; /* the same, but only for PLT and PLM */
    bool multi;        /* tiles may have multiple component transforms of their own, which the caller carries out */
};

/*
 * Build a plan. Headers of tile-parts that it needs are read if they were not read yet. Borrows the stream's data.
 * Damage is a warning, counted in `report`, unless no tile at all of the whole picture can be decoded. On failure, for
 * example with KST_ERROR_J2K_REDUCE, nothing is left allocated and the report holds the error.
 */
kst_status kst_j2k_plan_build(
    const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter, struct j2k_plan *plan);

/*
 * Report the warnings or the error that building a plan would report, without memory for the plan: only one tile's
 * packet headers are held at a time, without the positions of the code-blocks' bytes. Sets `totals` to those of the
 * plan.
 */
kst_status kst_j2k_survey(const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter,
    struct j2k_packet_totals *totals);

/* Return the columns and rows of the tiles that a filter needs. */
struct j2k_rect kst_j2k_wanted_tiles(const struct j2k_stream *stream, const struct j2k_filter *filter);

/*
 * Build a plan from another one, `whole`, without reading packets again. The other plan must have been built without a
 * warning, and with the same filter except for its region, which must cover all tiles that this filter needs.
 */
kst_status kst_j2k_plan_cut(const struct operation *op, struct j2k_stream *stream, const struct j2k_plan *whole,
    const struct j2k_filter *filter, struct j2k_plan *plan);

/* Read the headers of tile-parts that a filter needs, as building a plan does first. */
kst_status kst_j2k_read_wanted(const struct operation *op, struct j2k_stream *stream, const struct j2k_filter *filter);

void kst_j2k_plan_release(struct memory *memory, struct j2k_plan *plan);

#endif
