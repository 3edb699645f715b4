/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet headers packed into marker segments: PPM (A.7.4) and PPT (A.7.5). */
#ifndef KOSTKA_J2K_WRITE_PACKED_WRITER_H
#define KOSTKA_J2K_WRITE_PACKED_WRITER_H

#include "j2k/write/sequence.h"

/*
 * PPM of all tile-parts, for the main header: the packets' headers, and EPH where it is in force. Fails with
 * KST_ERROR_OPTIONS where there are more than 256 marker segments, as the next.
 */
kst_status kst_j2k_put_packed_main(
    struct sink *sink, const struct j2k_coded *coded, const struct j2k_sequence *sequence, kst_report *report);

/*
 * PPT of tile-part `index`. *segments counts those of the tile, as there are decoders that take their indices to be the
 * whole tile's.
 */
kst_status kst_j2k_put_packed_part(struct sink *sink, const struct j2k_coded *coded,
    const struct j2k_sequence *sequence, uint32_t index, uint16_t *segments, kst_report *report);

/* Bytes at most that packing takes beside the headers themselves. */
uint64_t kst_j2k_packed_overhead(const struct j2k_coded *coded, const struct j2k_sequence *sequence);

#endif
