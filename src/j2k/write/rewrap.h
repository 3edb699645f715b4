/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a JP2 file like another one but with a transcoded codestream in it. */
#ifndef KOSTKA_J2K_WRITE_REWRAP_H
#define KOSTKA_J2K_WRITE_REWRAP_H

#include "j2k/write/file_writer.h"

struct j2k_rewrapping {
    const struct j2k_stream *stream; /* the source, which has boxes or is a bare codestream */
    uint8_t reduce;                  /* number of times that the picture was halved */
    bool strip;                      /* drop all boxes that decoding does not need */
    bool jp2;                        /* write JPX (T.801) with the brand of JP2, or of JPH */
    const uint32_t *component;       /* the components of the source that are left; null: all */
};

/*
 * Append the file. Boxes are copied unchanged, except for ihdr, the resolutions of a picture that was reduced, and the
 * codestream. If components were dropped, channels are redefined, and the colour space is guessed if one of its colours
 * was lost; with a palette that is an error, KST_ERROR_OPTIONS. So is a JPX file that is to become JP2, if its file
 * type box does not list JP2. A bare codestream gets a header box that guesses its colours from its components.
 */
kst_status kst_j2k_rewrap(const struct operation *op, const struct j2k_rewrapping *rewrapping,
    const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink);

#endif
