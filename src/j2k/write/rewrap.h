/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a JP2 file that is like another one, but contains a transcoded codestream. */
#ifndef KOSTKA_J2K_WRITE_REWRAP_H
#define KOSTKA_J2K_WRITE_REWRAP_H

#include "j2k/write/file_writer.h"

struct j2k_rewrapping {
    const struct j2k_stream *stream; /* the source, which has boxes or is a bare codestream */
    uint8_t reduce;                  /* how many times the picture was halved */
    bool strip;                      /* drop all boxes that decoding does not need */
    bool jp2;                        /* write JPX (T.801) as JP2, or as JPH */
    const uint32_t *component;       /* components of the source that were kept; null: all */
};

/*
 * Append the file. Boxes are copied unchanged, except for ihdr, the resolution boxes of a reduced picture, and the
 * codestream. If components were dropped, channels are redefined, and the colour space is guessed if one of its colours
 * was lost; with a palette that is an error, KST_ERROR_OPTIONS. It is the same error if a JPX file is to become JP2
 * although its file type box does not list JP2. A bare codestream gets a header box that guesses its colours from its
 * components.
 */
kst_status kst_j2k_rewrap(const struct operation *op, const struct j2k_rewrapping *rewrapping,
    const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink);

#endif
