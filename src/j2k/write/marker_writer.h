/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the marker segments of the main header and of tile-part headers (T.800 Annex A). */
#ifndef KOSTKA_J2K_WRITE_MARKER_WRITER_H
#define KOSTKA_J2K_WRITE_MARKER_WRITER_H

#include "j2k/write/sequence.h"

/*
 * Write SOC, SIZ, CAP, CPF, CBD, MCT, MCC, MCO, COD, COC, QCD, QCC, RGN, POC, CRG and COM: all of the main header
 * except TLM and PPM.
 */
void kst_j2k_put_main_header(struct sink *sink, const struct j2k_coded *coded, const struct j2k_writing *writing);

/* Write COD, COC, QCD, QCC, RGN and POC, as far as a tile's parameters differ from those of the main header. */
void kst_j2k_put_tile_header(struct sink *sink, const struct j2k_coded *coded, uint32_t tile);

/* Begin and end a marker segment. Its contents are what is written in between; the second call sets the length. */
size_t kst_j2k_segment_begin(struct sink *sink, uint8_t marker);
void kst_j2k_segment_end(struct sink *sink, size_t begin);

/*
 * multi_writer.c: write a transform that is a single wavelet over all components, with whole offsets; for other
 * transforms, write nothing.
 */
void kst_j2k_put_multi(struct sink *sink, const struct j2k_multi *multi);

#endif
