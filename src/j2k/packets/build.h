/* SPDX-License-Identifier: BSD-2-Clause */
/* From a stream's headers to a plan: reads the packets that a filter needs. */
#ifndef KOSTKA_J2K_PACKETS_BUILD_H
#define KOSTKA_J2K_PACKETS_BUILD_H

#include "j2k/syntax/stream.h"

/* What is wanted of a stream; all zero is everything. */
struct j2k_filter {
    uint32_t layers;        /* no more than the first so many; 0: all */
    uint8_t reduce;         /* resolutions to leave out */
    struct j2k_rect region; /* on the reference grid, reduced (kst_j2k_reduced_image()); empty: all */
    const bool *components; /* of each whether it is wanted; null: all */
    bool careful;           /* what TLM, PLT and PLM say is used only where nothing of it is left to be believed */
    bool every_packet;      /* likewise of PLT and PLM alone */
};

/*
 * Build a plan, for which headers of tile-parts are read that are not read yet. Borrows the stream's data. Damage is a
 * warning, counted in `report`, unless no tile can be decoded of all that the picture has at its size. On failure
 * nothing is left allocated and the report holds the error, KST_ERROR_J2K_REDUCE among them.
 */
kst_status kst_j2k_plan_build(struct memory *memory, const kst_limits *limits, struct j2k_stream *stream,
    const struct j2k_filter *filter, struct j2k_plan *plan, kst_report *report);

/*
 * What building a plan would warn of, or fail with, where the plan has no room: of what packets say only one tile's is
 * in memory, and of that not where the code-blocks' bytes are. `totals` are the plan's.
 */
kst_status kst_j2k_survey(struct memory *memory, const kst_limits *limits, struct j2k_stream *stream,
    const struct j2k_filter *filter, struct j2k_packet_totals *totals, kst_report *report);

/* The columns and rows of tiles that a filter needs. */
struct j2k_rect kst_j2k_wanted_tiles(const struct j2k_stream *stream, const struct j2k_filter *filter);

/*
 * Likewise from a plan whose filter was the same but for a region that holds the tiles needed as a whole, and that was
 * built without a warning.
 */
kst_status kst_j2k_plan_cut(struct memory *memory, const kst_limits *limits, struct j2k_stream *stream,
    const struct j2k_plan *whole, const struct j2k_filter *filter, struct j2k_plan *plan, kst_report *report);

/* That reading alone. */
kst_status kst_j2k_read_wanted(struct memory *memory, const kst_limits *limits, struct j2k_stream *stream,
    const struct j2k_filter *filter, kst_report *report);

void kst_j2k_plan_release(struct memory *memory, struct j2k_plan *plan);

#endif
