/* SPDX-License-Identifier: BSD-2-Clause */
/* A JP2 file with another codestream in it. */
#ifndef KOSTKA_J2K_WRITE_REWRAP_H
#define KOSTKA_J2K_WRITE_REWRAP_H

#include "j2k/write/file_writer.h"

struct j2k_rewrapping {
    const struct j2k_stream *stream; /* the source: its boxes, or a codestream without any */
    uint8_t reduce;                  /* by how much the picture is smaller now */
    bool strip;                      /* no boxes but those that decoding needs */
    const uint32_t *component;       /* of the source, which are left; null: all */
};

/*
 * Append the file. Boxes are copied as they are, but for ihdr, the resolutions of a picture that is smaller now, and
 * the codestream. Where components were dropped channels are defined anew, and colours that lost one are guessed; a
 * palette is then an error, KST_ERROR_OPTIONS. A bare codestream gets a header box that guesses its colours from its
 * components.
 */
kst_status kst_j2k_rewrap(struct memory *memory, const struct j2k_rewrapping *rewrapping, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct sink *sink, kst_report *report);

#endif
