/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the marker segments of the main header and of tile-part headers (T.800 Annex A). */
#ifndef KOSTKA_J2K_WRITE_MARKER_WRITER_H
#define KOSTKA_J2K_WRITE_MARKER_WRITER_H

#include "j2k/write/sequence.h"

/* Write SOC, SIZ, CAP, CPF, COD, COC, QCD, QCC, RGN, POC, CRG and COM, which is all of the main header except TLM and
 * PPM. */
void kst_j2k_put_main_header(struct sink *sink, const struct j2k_coded *coded, const struct j2k_writing *writing);

/* Write COD, COC, QCD, QCC, RGN and POC where a tile's parameters differ from those of the main header. */
void kst_j2k_put_tile_header(struct sink *sink, const struct j2k_coded *coded, uint32_t tile);

/* Begin and end a marker segment. What is written in between is its contents; the second call sets the length. */
size_t kst_j2k_segment_begin(struct sink *sink, uint8_t marker);
void kst_j2k_segment_end(struct sink *sink, size_t begin);

/* multi_writer.c: write a transform that is one wavelet over all components, with whole offsets; nothing for others. */
void kst_j2k_put_multi(struct sink *sink, const struct j2k_multi *multi);

#endif
