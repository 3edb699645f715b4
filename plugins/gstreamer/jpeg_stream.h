/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the decoder of JPEG must know about streams before it decodes them (T.81 B.1). */
#ifndef KOSTKA_GST_JPEG_STREAM_H
#define KOSTKA_GST_JPEG_STREAM_H

#include <glib.h>

/* Holds what the headers of a stream say. */
typedef struct JpegStream {
    gsize at;         /* where to continue when more bytes have arrived */
    gsize scan;       /* offset of the first SOS; 0: there is none */
    gsize end;        /* offset behind EOI, or of the next SOI if EOI is missing; 0: not found yet */
    gboolean tables;  /* the stream has Huffman tables */
    guint polarity;   /* of an APP0 "AVI1": 1 and 2: the field with the first or the second line; 0: no field */
    gboolean limited; /* a comment says that the samples have the range of BT.601 */
} JpegStream;

/* Examine the stream that begins with the first byte. */
JpegStream jpeg_stream_examine(const guint8 *data, gsize length);

/* Continue to examine a stream, the beginning of which `found` describes; all members are 0 at first. */
void jpeg_stream_continue(JpegStream *found, const guint8 *data, gsize length);

/* Return the offset of the next SOI from `from` on; `length` if there is none. */
gsize jpeg_stream_begin(const guint8 *data, gsize length, gsize from);

/* Make a copy of a stream with the Huffman tables of Annex K.3 in front of its first scan. */
void jpeg_stream_complete(const guint8 *data, gsize length, gsize scan, GByteArray *copy);

#endif
