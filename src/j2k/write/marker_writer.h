/* SPDX-License-Identifier: BSD-2-Clause */
/* Marker segments of the main header and of tile-part headers (T.800 Annex A). */
#ifndef KOSTKA_J2K_WRITE_MARKER_WRITER_H
#define KOSTKA_J2K_WRITE_MARKER_WRITER_H

#include "j2k/write/sequence.h"

/* SOC, SIZ, COD, COC, QCD, QCC, RGN, POC, CRG and COM, but for TLM all of the main header. */
void kst_j2k_put_main_header(struct sink *sink, const struct j2k_coded *coded, const struct j2k_writing *writing);

/* Where a tile's parameters are not the main header's: COD, COC, QCD, QCC, RGN, POC. */
void kst_j2k_put_tile_header(struct sink *sink, const struct j2k_coded *coded, uint32_t tile);

/* A marker and its segment's length, to be set by the second; what comes between is the segment. */
size_t kst_j2k_segment_begin(struct sink *sink, uint8_t marker);
void kst_j2k_segment_end(struct sink *sink, size_t begin);

#endif
