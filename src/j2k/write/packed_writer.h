/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packet headers into marker segments instead of in front of packets: PPM (A.7.4) and PPT (A.7.5). */
#ifndef KOSTKA_J2K_WRITE_PACKED_WRITER_H
#define KOSTKA_J2K_WRITE_PACKED_WRITER_H

#include "j2k/write/sequence.h"

/*
 * Write PPM with the packet headers of all tile-parts, including EPH if it is in force, to the main header. Like the
 * next function, it fails with KST_ERROR_OPTIONS if more than 256 marker segments would be needed.
 */
kst_status kst_j2k_put_packed_main(
    struct sink *sink, const struct j2k_coded *coded, const struct j2k_sequence *sequence, kst_report *report);

/*
 * Write PPT of tile-part `index`. *segments counts and numbers the segments of the whole tile, because some decoders
 * require their indices to be unique within the tile.
 */
kst_status kst_j2k_put_packed_part(struct sink *sink, const struct j2k_coded *coded,
    const struct j2k_sequence *sequence, uint32_t index, uint16_t *segments, kst_report *report);

/* Return the most bytes that packing adds to the headers themselves. */
uint64_t kst_j2k_packed_overhead(const struct j2k_coded *coded, const struct j2k_sequence *sequence);

#endif
