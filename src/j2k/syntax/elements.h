/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the marker segments and boxes of a stream, one after the other. */
#ifndef KOSTKA_J2K_SYNTAX_ELEMENTS_H
#define KOSTKA_J2K_SYNTAX_ELEMENTS_H

#include "j2k/syntax/stream.h"

/* Implements kst_decoder_next_element(). The headers of all of the stream's tile-parts must have been read. */
bool kst_j2k_next_element(const struct j2k_stream *stream, kst_element *element);

#endif
