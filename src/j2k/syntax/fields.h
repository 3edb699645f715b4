/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that write the fields of marker segments and boxes as a line of text. */
#ifndef KOSTKA_J2K_SYNTAX_FIELDS_H
#define KOSTKA_J2K_SYNTAX_FIELDS_H

#include "j2k/syntax/stream.h"

/*
 * `data` are the contents of a segment behind its length. Whatever they contain, the text is complete and ends with 0.
 */
void kst_j2k_segment_fields(
    const struct j2k_stream *stream, uint8_t marker, const uint8_t *data, size_t length, char *text, size_t room);

void kst_j2k_box_fields(const struct j2k_stream *stream, const struct j2k_box *box, char *text, size_t room);

#endif
